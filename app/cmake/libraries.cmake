# Turns folders into libraries, and sets the options shared by all targets.

# Base of every library: includes from the root, threads, fmt.
add_library(ground INTERFACE)
target_include_directories(ground INTERFACE ${CMAKE_SOURCE_DIR})
target_link_libraries(ground INTERFACE fmt_static Threads::Threads)

# Code that is also part of a shared library: position-independent, with hidden symbols.
function(lanescope_shareable)
    if(EMSCRIPTEN OR WIN32) # no shared libraries are built there
        return()
    endif()
    set_target_properties(${ARGN} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                          VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# lanescope_unity(TARGET [ALONE files…] [ROOMS folders…]): with LANESCOPE_UNITY, compiles all files of
# a folder as one source, except those listed in ALONE; folders of one or two files are merged. The
# files of a folder in ROOMS are compiled with those of the folder that contains it.
function(lanescope_unity target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ALONE;ROOMS")
    list(TRANSFORM arg_ROOMS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${LANESCOPE_UNITY} UNITY_BUILD_MODE GROUP)
    if(LANESCOPE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        # GCC takes the included .cpp files for headers and warns about local types in them.
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
    endif()
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    list(REMOVE_ITEM sources ${arg_ALONE})
    set(folders "")
    foreach(source IN LISTS sources)
        get_filename_component(folder ${source} DIRECTORY)
        if(folder IN_LIST arg_ROOMS)
            get_filename_component(folder ${folder} DIRECTORY)
        endif()
        list(APPEND folders ${folder})
    endforeach()
    foreach(source folder IN ZIP_LISTS sources folders)
        set(same ${folders})
        list(FILTER same INCLUDE REGEX "^${folder}$")
        list(LENGTH same count)
        file(RELATIVE_PATH group ${CMAKE_SOURCE_DIR} ${folder})
        if(count LESS 3)
            set(group ${target}_rest)
        endif()
        string(REPLACE "/" "_" group ${group})
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endforeach()
endfunction()

# lanescope_library(NAME [RECURSE] [SHAREABLE] SOURCES globs… [EXCLUDE files…] [ALONE files…]
# [ROOMS folders…] LINK targets…): a static library of the matching files, compiled by
# lanescope_unity, or an empty interface if there are none.
function(lanescope_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "RECURSE;SHAREABLE" "" "SOURCES;EXCLUDE;ALONE;ROOMS;LINK")
    if(arg_RECURSE)
        file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${arg_SOURCES})
    else()
        file(GLOB sources CONFIGURE_DEPENDS ${arg_SOURCES})
    endif()
    list(REMOVE_ITEM sources ${arg_EXCLUDE})
    if(sources)
        add_library(${name} STATIC ${sources})
        target_link_libraries(${name} PUBLIC ground ${arg_LINK})
        set_target_properties(${name} PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
        if(arg_SHAREABLE)
            lanescope_shareable(${name})
        endif()
        lanescope_unity(${name} ALONE ${arg_ALONE} ROOMS ${arg_ROOMS})
    else()
        add_library(${name} INTERFACE)
        target_link_libraries(${name} INTERFACE ground ${arg_LINK})
    endif()
endfunction()

# Makes an executable portable: no dependency on this machine's libstdc++, and shared libraries
# found on the machine or, failing that, in lib/ beside the executable. RPATH (not RUNPATH) also
# applies to the libraries' own dependencies. SHARED_LIBSTDCXX: for executables that need a shared
# library which needs libstdc++.
function(lanescope_portable target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "SHARED_LIBSTDCXX" "" "")
    set(machine /usr/lib/${CMAKE_SYSTEM_PROCESSOR}-linux-gnu /usr/lib64 /usr/lib)
    if(arg_SHARED_LIBSTDCXX)
        set(machine "") # prefer the bundled libstdc++: the machine's may be too old
    elseif(NOT LANESCOPE_SANITIZE)
        target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
    endif()
    set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON
                          INSTALL_RPATH "${machine};$ORIGIN/lib")
    target_link_options(${target} PRIVATE LINKER:--disable-new-dtags,--as-needed,--gc-sections)
endfunction()

# build/bundle: a folder that runs on another Linux machine without an installation. Libraries
# opened at run time must be listed here: the dispatchers in front of OpenGL drivers (a GPU server
# often has only the driver), NVRTC with the libraries it opens itself, and the device runtime,
# linked with kernels that launch kernels.
function(lanescope_bundle)
    foreach(target lanescope gpu_tests ui_tests conformance_tests simt_bench frame_bench
                   probe_bench edit_bench pace_bench)
        if(TARGET ${target})
            list(APPEND targets ${target})
            list(APPEND executables $<TARGET_FILE:${target}>)
        endif()
    endforeach()
    set(libraries "")
    foreach(name libEGL.so.1 libGL.so.1)
        find_library(LANESCOPE_BUNDLE_${name} ${name} REQUIRED)
        list(APPEND libraries ${LANESCOPE_BUNDLE_${name}})
    endforeach()
    list(APPEND libraries ${LANESCOPE_LATE})
    file(GLOB nvrtc ${CUDAToolkit_LIBRARY_DIR}/libnvrtc.so.[0-9][0-9]
                    ${CUDAToolkit_LIBRARY_DIR}/libnvrtc-builtins.so.[0-9][0-9].[0-9])
    find_file(LANESCOPE_DEVICE_RUNTIME libcudadevrt.a PATHS ${CUDAToolkit_LIBRARY_DIR} NO_DEFAULT_PATH)
    set(copy_device_runtime "")
    if(LANESCOPE_DEVICE_RUNTIME)
        set(copy_device_runtime COMMAND ${CMAKE_COMMAND} -E copy ${LANESCOPE_DEVICE_RUNTIME}
                                        ${LANESCOPE_PRODUCTS}/bundle/lib)
    endif()
    add_custom_target(bundle
        COMMAND ${CMAKE_COMMAND} "-DEXECUTABLES=${executables}" "-DLIBRARIES=${libraries};${nvrtc}"
                -DFOLDER=${LANESCOPE_PRODUCTS}/bundle -DSTRIP=${CMAKE_STRIP}
                -P ${CMAKE_SOURCE_DIR}/app/cmake/bundle.cmake
        # A lab's folder, for tests of external labs.
        COMMAND ${CMAKE_COMMAND} -E copy_directory ${CMAKE_SOURCE_DIR}/compute/labs/transpose
                ${LANESCOPE_PRODUCTS}/bundle/labs/transpose
        ${copy_device_runtime}
        # The runtime that whole programs load.
        COMMAND ${CMAKE_COMMAND} -E copy_directory ${CMAKE_BINARY_DIR}/runtime ${LANESCOPE_PRODUCTS}/bundle/runtime
        DEPENDS ${targets} VERBATIM)
    if(TARGET cuda_runtime)
        add_dependencies(bundle cuda_runtime)
    endif()
endfunction()

# Checks that every header compiles alone. A header with a .cpp of the same name is checked by that
# file, which includes it first (tests/unit/tree checks the order); for every other header a source
# is generated that includes nothing else.
function(lanescope_check_headers)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}
         ${CMAKE_SOURCE_DIR}/app/*.h ${CMAKE_SOURCE_DIR}/assets/*.h
         ${CMAKE_SOURCE_DIR}/compute/*.h ${CMAKE_SOURCE_DIR}/render/*.h)
    list(FILTER headers EXCLUDE REGEX "^render/browser/") # need browser headers
    set(sources "")
    foreach(header IN LISTS headers)
        string(REGEX REPLACE "\\.h$" ".cpp" own_source ${CMAKE_SOURCE_DIR}/${header})
        if(EXISTS ${own_source})
            continue()
        endif()
        set(source ${CMAKE_BINARY_DIR}/generated/headers/${header}.cpp)
        file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n")
        list(APPEND sources ${source})
    endforeach()
    add_library(headers OBJECT ${sources})
    target_compile_options(headers PRIVATE -O0)
    target_compile_definitions(headers PRIVATE LANESCOPE_ISA=baseline ${LANESCOPE_ROWS_BUILT})
    target_link_libraries(headers PRIVATE lanescope_app)
    if(TARGET passing) # one of its headers is generated from other libraries
        add_dependencies(headers passing)
        target_include_directories(headers PRIVATE ${CMAKE_BINARY_DIR}/compute/runtime/passing)
    endif()
endfunction()
