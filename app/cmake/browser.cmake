# The targets of dependencies.cmake for a program in a browser (compiled.cmake).

# Single-threaded; 16-byte vectors; the browser's own exceptions and unwinding.
add_compile_options(-msimd128 -fwasm-exceptions)
# libc++ still counts std::jthread as experimental.
add_compile_definitions(_LIBCPP_ENABLE_EXPERIMENTAL)
add_link_options(-fwasm-exceptions)

set(CMAKE_LINK_LIBRARY_USING_WHOLE_ARCHIVE "LINKER:--whole-archive" <LINK_ITEM> LINKER:--no-whole-archive)
set(CMAKE_LINK_LIBRARY_USING_WHOLE_ARCHIVE_SUPPORTED ON)

set(LANESCOPE_MUPARSER_DEFINE MUPARSER_DLL)
set(LANESCOPE_IMGUI_DEFINE IMGUI_IMPL_OPENGL_ES3)
add_library(threads INTERFACE) # empty: no threads in browsers
add_library(Threads::Threads ALIAS threads)
add_library(glfw INTERFACE)
target_link_options(glfw INTERFACE -sUSE_GLFW=3)

# OpenGL 4.5 calls implemented on WebGL 2, as a target with the loader's name.
add_library(glad INTERFACE)
target_include_directories(glad SYSTEM INTERFACE ${CMAKE_SOURCE_DIR}/render/browser/include)
target_compile_definitions(glad INTERFACE GLFW_INCLUDE_NONE)
target_link_options(glad INTERFACE -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2)

include(compiled)

# Declarations of the CUDA runtime; its calls find no device here (compute/cuda/peers/absent.cpp).
cmake_path(GET HOST_CUDAToolkit_BIN_DIR PARENT_PATH cuda)
lanescope_headers(cudart ${cuda}/include)
add_library(CUDA::cudart_static ALIAS cudart)
