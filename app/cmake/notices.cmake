# Third-party notices in build/generated/NOTICES.txt: made from the files that are linked, included
# or bundled, via the packages they belong to. The test `licenses` compares them with the files that
# compiler and linker really used. Prefers the unversioned name python3: a version manager may
# provide commands such as python3.12 that do not start.
set(Python3_FIND_UNVERSIONED_NAMES FIRST)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

set(files ${LANESCOPE_MD4C} ${LANESCOPE_MUPARSER} ${LANESCOPE_STB}/stb_image.h
          ${LANESCOPE_GLAD}/src/gl.c ${imgui_SOURCE_DIR}/imgui.cpp
          ${CUDAToolkit_cudart_static_LIBRARY} ${CUDA_cudart_static_LIBRARY}
          ${spng_LINK_LIBRARIES} ${cairo_LINK_LIBRARIES} ${FREETYPE_LIBRARIES} ${ZLIB_LIBRARIES})
# Libraries that come as targets are identified by a header or by their own file.
find_file(LANESCOPE_FMT_HEADER fmt/core.h)
find_file(LANESCOPE_JSON_HEADER nlohmann/json.hpp)
find_file(LANESCOPE_CLI_HEADER CLI/CLI.hpp)
find_file(LANESCOPE_GLM_HEADER glm/glm.hpp)
find_file(LANESCOPE_XBYAK_HEADER xbyak/xbyak.h)
find_library(LANESCOPE_GLFW glfw)
find_file(LANESCOPE_CUB_HEADER cub/cub.cuh PATHS ${CUDAToolkit_INCLUDE_DIRS}
          PATH_SUFFIXES cccl NO_DEFAULT_PATH)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.a
                OUTPUT_VARIABLE libstdcxx OUTPUT_STRIP_TRAILING_WHITESPACE)
list(APPEND files ${LANESCOPE_FMT_HEADER} ${LANESCOPE_JSON_HEADER} ${LANESCOPE_CLI_HEADER}
            ${LANESCOPE_XBYAK_HEADER} ${LANESCOPE_GLM_HEADER} ${LANESCOPE_GLFW} ${LANESCOPE_CUB_HEADER} ${libstdcxx})
foreach(font IN LISTS LANESCOPE_FONTS)
    string(REGEX REPLACE "^[^=]*=" "" file ${font})
    list(APPEND files ${file})
endforeach()
# Bundled in packages but not linked: the dispatchers in front of OpenGL drivers, and software
# OpenGL.
foreach(name libEGL.so.1 libGL.so.1)
    find_library(LANESCOPE_BUNDLE_${name} ${name})
    if(LANESCOPE_BUNDLE_${name})
        list(APPEND files ${LANESCOPE_BUNDLE_${name}})
    endif()
endforeach()
if(EXISTS ${CMAKE_SOURCE_DIR}/.deps/mesa/libOSMesa.so.8)
    list(APPEND files ${CMAKE_SOURCE_DIR}/.deps/mesa/libOSMesa.so.8)
endif()
# Parts of Emscripten's libraries contained in the browser build.
if(EXISTS ${CMAKE_SOURCE_DIR}/.deps/emscripten/usr/share/doc/emscripten/copyright)
    list(APPEND files ${CMAKE_SOURCE_DIR}/.deps/emscripten/usr/share/doc/emscripten/copyright)
endif()
list(FILTER files INCLUDE REGEX "^/")
list(REMOVE_DUPLICATES files)

set(LANESCOPE_NOTICES ${CMAKE_BINARY_DIR}/generated/NOTICES.txt)
set(notices_tool ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/app/packaging/notices.py)
set(notices_places --deps ${CMAKE_SOURCE_DIR}/.deps --cuda ${CUDAToolkit_BIN_DIR}/..)
add_custom_command(
    OUTPUT ${LANESCOPE_NOTICES}
    COMMAND ${notices_tool} make ${notices_places} --output ${LANESCOPE_NOTICES} ${files}
    DEPENDS ${CMAKE_SOURCE_DIR}/app/packaging/notices.py ${files}
    COMMENT "Third-party notices" VERBATIM)
add_custom_target(notices DEPENDS ${LANESCOPE_NOTICES})
if(NOT LANESCOPE_SANITIZE)
    add_test(NAME licenses COMMAND ${notices_tool} check ${notices_places}
                                   ${CMAKE_BINARY_DIR}/lanescope --bundled ${LANESCOPE_LATE})
endif()
