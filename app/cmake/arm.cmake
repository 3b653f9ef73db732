# The targets of dependencies.cmake that the engines need on 64-bit Arm (compiled.cmake).
find_package(Threads REQUIRED)
set(LANESCOPE_MUPARSER_DEFINE MUPARSER_DLL)
set(LANESCOPE_IMGUI_DEFINE "")
add_library(glfw INTERFACE) # there is no window
include(compiled)

# CUDA's declarations. Calls of the runtime become calls of the driver (compute/cuda/driver/runtime.cpp).
cmake_path(GET HOST_CUDAToolkit_BIN_DIR PARENT_PATH cuda)
lanescope_headers(cudart ${cuda}/include)
add_library(CUDA::cudart_static ALIAS cudart)

# Kernels compiled by the tests for this machine.
set(LANESCOPE_PTX ${LANESCOPE_HOST_BUILD}/ptx)
if(NOT IS_DIRECTORY ${LANESCOPE_PTX})
    message(FATAL_ERROR "There are no kernels in ${LANESCOPE_PTX}: run tests/run.sh.")
endif()
