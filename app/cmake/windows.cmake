# The targets of dependencies.cmake for a program for Windows (compiled.cmake), statically linked:
# one executable, which opens only libraries of Windows, of graphics drivers and of CUDA.
find_package(Threads REQUIRED)
# Windows aligns stacks to 16 bytes, and g++ keeps 32-byte vectors there all the same (its bug
# 54412), so the assembler turns moves of aligned vectors into moves of unaligned ones.
add_compile_options(-Wa,-muse-unaligned-vector-move)
add_compile_definitions(WIN32_LEAN_AND_MEAN NOMINMAX UNICODE _WIN32_WINNT=0x0A00
                        __USE_MINGW_ANSI_STDIO=1)
# The standard library in an executable's own file; 8 MB of stack for every thread, as on Linux.
add_link_options(-static -static-libgcc -static-libstdc++ LINKER:--stack,8388608)

set(CMAKE_CXX_LINKER_LAUNCHER ${CMAKE_SOURCE_DIR}/app/packaging/windows/link.sh)
set(CMAKE_LINK_LIBRARY_USING_WHOLE_ARCHIVE LINKER:--whole-archive <LINK_ITEM> LINKER:--no-whole-archive)
set(CMAKE_LINK_LIBRARY_USING_WHOLE_ARCHIVE_SUPPORTED ON)

set(LANESCOPE_MUPARSER_DEFINE MUPARSER_DLL MUPARSER_STATIC)
set(LANESCOPE_IMGUI_DEFINE "")
set(from ${LANESCOPE_SOURCES})
include(compiled)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# The assembler of native code is a set of headers of the build machine.
file(COPY /usr/include/xbyak DESTINATION ${CMAKE_BINARY_DIR}/generated/include)
set(LANESCOPE_XBYAK_HEADER ${CMAKE_BINARY_DIR}/generated/include/xbyak/xbyak.h CACHE FILEPATH "" FORCE)
include_directories(SYSTEM ${CMAKE_BINARY_DIR}/generated/include)

set(glfw_sources context egl_context init input monitor null_init null_joystick null_monitor null_window
    osmesa_context platform vulkan wgl_context win32_init win32_joystick win32_module win32_monitor
    win32_thread win32_time win32_window window)
list(TRANSFORM glfw_sources REPLACE "(.+)" "${from}/glfw3/src/\\1.c")
lanescope_compiled(glfw SOURCES ${glfw_sources} INCLUDE ${from}/glfw3/include)
target_compile_definitions(glfw INTERFACE GLFW_INCLUDE_NONE PRIVATE _GLFW_WIN32 WINVER=0x0A00)
target_link_libraries(glfw PUBLIC gdi32)

# GLAD finds OpenGL at run time. Windows has no EGL.
set(LANESCOPE_GLAD ${CMAKE_SOURCE_DIR}/.deps/glad CACHE PATH "The generated OpenGL loader")
lanescope_compiled(glad SOURCES ${LANESCOPE_GLAD}/src/gl.c INCLUDE ${LANESCOPE_GLAD}/include
                   DEFINE GLFW_INCLUDE_NONE)

# CUDA's declarations. Calls of the runtime become calls of the driver (compute/cuda/driver/runtime.cpp).
cmake_path(GET HOST_CUDAToolkit_BIN_DIR PARENT_PATH cuda)
lanescope_headers(cudart ${cuda}/include)
add_library(CUDA::cudart_static ALIAS cudart)

# Kernels compiled by the build for this machine.
set(LANESCOPE_PTX ${LANESCOPE_HOST_BUILD}/ptx)
if(NOT IS_DIRECTORY ${LANESCOPE_PTX})
    message(FATAL_ERROR "There are no kernels in ${LANESCOPE_PTX}: run app/windows.sh.")
endif()
