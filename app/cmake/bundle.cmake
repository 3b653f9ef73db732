# Makes FOLDER from EXECUTABLES (stripped), the LIBRARIES that they open at run time, and every
# shared library that those need. The C library and the graphics and GPU drivers come from the
# target machine. Libraries named in OWN replace this machine's libraries of the same name, so that
# the bundle needs no shared libstdc++. Run in script mode.
file(GET_RUNTIME_DEPENDENCIES
     EXECUTABLES ${EXECUTABLES}
     LIBRARIES ${LIBRARIES}
     RESOLVED_DEPENDENCIES_VAR needed
     UNRESOLVED_DEPENDENCIES_VAR missing
     PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv)\\.so")
if(missing)
    message(FATAL_ERROR "The bundle would lack ${missing}. Install the packages that have them.")
endif()
if(OWN)
    list(FILTER needed EXCLUDE REGEX "/libstdc\\+\\+\\.so")
    foreach(library IN LISTS OWN)
        get_filename_component(name ${library} NAME)
        string(REPLACE "+" "[+]" pattern ${name})
        list(FILTER needed EXCLUDE REGEX "/${pattern}$")
        list(FILTER LIBRARIES EXCLUDE REGEX "/${pattern}$")
        list(APPEND needed ${library})
    endforeach()
endif()

# Copies the file, stripped, under the requested name (libX.so.6) rather than the link target's.
function(put file folder)
    get_filename_component(name ${file} NAME)
    get_filename_component(real ${file} REALPATH)
    execute_process(COMMAND ${STRIP} -o ${folder}/${name} ${real} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/lib)
foreach(library IN LISTS needed LIBRARIES)
    put(${library} ${FOLDER}/lib)
endforeach()
foreach(executable IN LISTS EXECUTABLES)
    put(${executable} ${FOLDER})
endforeach()
message(STATUS "Bundle: ${FOLDER}")
