# Files embedded in the program: PTX compiled from .cu, and any file byte for byte.

# lanescope_ptx(OUT_VAR files.cu…): PTX in the build folder, at the source's path with .ptx. Rebuilt
# when a kernel or anything it includes changes.
#
# Most of the time is spent on headers that nvcc always includes. A third of that is the special
# functions of C++17 (Bessel functions and others), which no kernel calls: defining their include
# guard skips them.
#
# A program for another system embeds what a build for this machine made (LANESCOPE_PTX).
function(lanescope_ptx out)
    foreach(source IN LISTS ARGN)
        file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${source})
        string(REGEX REPLACE "\\.cu$" ".ptx" path ${path})
        if(LANESCOPE_PTX)
            list(APPEND made ${LANESCOPE_PTX}/${path})
            continue()
        endif()
        set(ptx ${CMAKE_BINARY_DIR}/ptx/${path})
        get_filename_component(folder ${ptx} DIRECTORY)
        file(MAKE_DIRECTORY ${folder})
        # A kernel that needs a newer GPU says so in its file name.
        set(arch compute_75)
        if(source MATCHES "_sm_([0-9]+a?)[.]cu$")
            set(arch compute_${CMAKE_MATCH_1})
        endif()
        # Kernels that launch kernels are linked with the device runtime later.
        set(separate "")
        file(STRINGS ${source} launches REGEX "^[^/]*<<<" LIMIT_COUNT 1)
        file(STRINGS ${source} main REGEX "int main[(]" LIMIT_COUNT 1)
        if(launches AND NOT main)
            set(separate -rdc=true)
            set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
        endif()
        add_custom_command(
            OUTPUT ${ptx}
            COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} -ptx ${separate} -arch=${arch} -lineinfo -std=c++20
                    -D_GLIBCXX_BITS_SPECFUN_H=1 -I ${CMAKE_SOURCE_DIR} -ccbin ${CMAKE_CXX_COMPILER}
                    -MD -MF ${ptx}.d -MT ${ptx} -o ${ptx} ${source}
            DEPENDS ${source} DEPFILE ${ptx}.d
            COMMENT "PTX ${path}" VERBATIM)
        list(APPEND made ${ptx})
    endforeach()
    set(${out} ${made} PARENT_SCOPE)
endfunction()

# lanescope_embed(TARGET name FILES… [RENAMED path=file…]): adds the files to the target.
# lanescope::assets::find finds them by their path from the root (PTX: by its kernel's path), or by
# the given path. An entry is {path, length, bytes, length} in the section that assets.cpp reads.
function(lanescope_embed target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FILES;RENAMED")
    set(entries ${arg_RENAMED})
    set(kernels ${CMAKE_BINARY_DIR}/ptx)
    if(LANESCOPE_PTX)
        set(kernels ${LANESCOPE_PTX})
    endif()
    foreach(file IN LISTS arg_FILES)
        cmake_path(IS_PREFIX kernels ${file} made)
        if(made)
            file(RELATIVE_PATH path ${kernels} ${file})
        else()
            file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${file})
        endif()
        list(APPEND entries "${path}=${file}")
    endforeach()
    set(text "")
    set(files "")
    set(read_only ".section .rodata")
    set(table ".section lanescope_files, \"aw\", %progbits")
    set(first "")
    set(last ".section .note.GNU-stack, \"\", %progbits")
    if(WIN32) # its linkers don't name a section's ends, but sort what follows a $: a, files, z
        set(read_only ".section .rdata, \"dr\"")
        set(table ".section lanescope_files$files, \"dw\"")
        if(target STREQUAL assets)
            set(first ".section lanescope_files$a, \"dw\"
    .balign 8\n    .globl __start_lanescope_files\n__start_lanescope_files:")
            set(last ".section lanescope_files$z, \"dw\"
    .globl __stop_lanescope_files\n__stop_lanescope_files:")
        else()
            set(last "")
        endif()
    endif()
    foreach(entry IN LISTS entries)
        string(REGEX MATCH "^([^=]*)=(.*)$" _ ${entry})
        set(path ${CMAKE_MATCH_1})
        set(file ${CMAKE_MATCH_2})
        list(APPEND files ${file})
        string(APPEND text "
    ${read_only}
1:  .ascii \"${path}\"
2:  .incbin \"${file}\"
3:  .byte 0
    ${table}
    .balign 8
    .quad 1b, 2b - 1b, 2b, 3b - 2b
")
    endforeach()
    set(assembly ${CMAKE_BINARY_DIR}/generated/${target}_files.s)
    file(CONFIGURE OUTPUT ${assembly} CONTENT "
    .globl ${target}_files
    ${read_only}
${target}_files:
    ${first}
${text}
    ${last}
")
    set_source_files_properties(${assembly} PROPERTIES OBJECT_DEPENDS "${files}")
    target_sources(${target} PRIVATE ${assembly})
endfunction()
