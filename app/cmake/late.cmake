# Libraries that only windows, pictures and formulas need, and most commands do not: to load them with
# all that they need in turn is half of what a command's start takes. They are opened at the first
# call of one of their functions.

# late_library(NAME FILE): a target `late_NAME` with the functions of the shared library FILE, each of
# which goes on to that library's; FILE itself where there is no way to do so, and under sanitizers.
# LANESCOPE_LATE has the files that the program opens in this way, by the names that it asks for.
function(late_library name file)
    set(target late_${name})
    set(why_not "")
    if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64 OR LANESCOPE_SANITIZE OR NOT CMAKE_OBJDUMP)
        set(why_not "not here")
    else()
        execute_process(COMMAND ${CMAKE_OBJDUMP} -p -T ${file} OUTPUT_VARIABLE listing ERROR_QUIET)
        if(NOT listing MATCHES "SONAME +([^ \n]+)")
            set(why_not "not a shared library")
        endif()
    endif()
    if(why_not)
        add_library(${target} INTERFACE)
        target_link_libraries(${target} INTERFACE ${file})
        return()
    endif()
    set(soname ${CMAKE_MATCH_1})
    string(REGEX MATCHALL "[^\n]+ DF \\.text\t[^\n]+" lines "${listing}")
    set(text "#define LIBRARY \"${soname}\"\n#include \"app/cmake/late.S\"\n")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE ".* " "" function "${line}")
        if(function MATCHES "^[A-Za-z][A-Za-z0-9_]*$") # no C++
            string(APPEND text "late ${function}\n")
        endif()
    endforeach()
    set(source ${CMAKE_BINARY_DIR}/generated/late_${name}.S)
    file(CONFIGURE OUTPUT ${source} CONTENT "${text}" @ONLY)
    add_library(${target} STATIC ${source} ${CMAKE_SOURCE_DIR}/app/cmake/late.cpp)
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${target} PUBLIC ${CMAKE_DL_LIBS})
    get_filename_component(folder ${file} DIRECTORY)
    set(LANESCOPE_LATE ${LANESCOPE_LATE} ${folder}/${soname} PARENT_SCOPE)
endfunction()
