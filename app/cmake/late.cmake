# Third-party libraries that are opened on first use. lanescope_late(NAME TARGET): late_NAME has
# TARGET's headers, and stubs of the library's functions, which open it (compute/late). Where stubs
# cannot be made, and under a sanitizer, it is TARGET itself. LANESCOPE_LATE lists the library's
# file under the name by which it is opened, because no executable lists it as needed.
function(lanescope_late name target)
    add_library(late_${name} INTERFACE)
    if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" OR EMSCRIPTEN OR WIN32 OR LANESCOPE_SANITIZE)
        target_link_libraries(late_${name} INTERFACE ${target})
        return()
    endif()
    find_library(LANESCOPE_BUNDLE_${name} ${name} REQUIRED)
    set(file ${LANESCOPE_BUNDLE_${name}})
    execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${file} OUTPUT_VARIABLE header COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${CMAKE_NM} -D --defined-only ${file} OUTPUT_VARIABLE symbols
                    COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCH "SONAME +([^\n]+)" soname "${header}")
    set(soname ${CMAKE_MATCH_1})
    string(REGEX MATCHALL " T [A-Za-z][A-Za-z0-9_]*" functions "${symbols}")
    list(TRANSFORM functions REPLACE "^ T " "late ")
    list(JOIN functions "\n" functions)
    # One section per function, so that the linker drops unused ones.
    set(assembly ${CMAKE_BINARY_DIR}/generated/late_${name}.s)
    file(CONFIGURE OUTPUT ${assembly} CONTENT "
    .macro late name
    .section .data.late.\\name, \"aw\", @progbits
    .balign 8
late_\\name:
    .quad 0
    .asciz \"${soname}\", \"\\name\"
    .section .text.late.\\name, \"ax\", @progbits
    .balign 16
    .globl \\name
    .hidden \\name
    .type \\name, @function
\\name:
    .cfi_startproc
    endbr64
    lea late_\\name(%rip), %r11
    cmpq $0, (%r11)
    je 1f
    jmp *(%r11)
1:  jmp lanescope_late
    .cfi_endproc
    .size \\name, . - \\name
    .endm
${functions}
    .section .note.GNU-stack, \"\", @progbits
")
    add_library(late_${name}_functions STATIC ${assembly})
    target_link_libraries(late_${name}_functions PUBLIC late)
    target_link_libraries(late_${name} INTERFACE late_${name}_functions)
    foreach(property INTERFACE_INCLUDE_DIRECTORIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES)
        get_target_property(folders ${target} ${property})
        if(folders)
            target_include_directories(late_${name} SYSTEM INTERFACE ${folders})
        endif()
    endforeach()
    cmake_path(GET file PARENT_PATH folder)
    set(LANESCOPE_LATE ${LANESCOPE_LATE} ${folder}/${soname} PARENT_SCOPE)
endfunction()

set(LANESCOPE_LATE "")
lanescope_late(z ZLIB::ZLIB)
lanescope_late(spng PkgConfig::spng)
lanescope_late(freetype Freetype::Freetype)
lanescope_late(glfw glfw)
lanescope_late(md4c md4c)
lanescope_late(muparser muparser)
if(NOT EMSCRIPTEN AND NOT WIN32 AND NOT LANESCOPE_ARM) # web pages can't be saved as PDF
    lanescope_late(cairo PkgConfig::cairo)
endif()
