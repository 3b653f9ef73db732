// Shared by the programs of the driver API: kernels as source text for NVRTC, with the line numbers
// of the file that contains them.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include <cuda.h>
#include <nvrtc.h>

#define OK(call)                                                                                   \
    do {                                                                                           \
        const CUresult result = (call);                                                            \
        if (result != CUDA_SUCCESS) {                                                              \
            std::printf("%s: %s\n", #call, error_name(result));                                    \
            return 1;                                                                              \
        }                                                                                          \
    } while (false)

inline const char* error_name(CUresult error)
{
    const char* name = nullptr;
    return cuGetErrorName(error, &name) == CUDA_SUCCESS ? name : "(unknown)";
}

struct Source {
    const char* file;
    int line;
    const char* text;
};
// SOURCE(R"( … )"): the text's line numbers continue those of this file.
#define SOURCE(text) (Source{__FILE__, __LINE__, text})

// Returns the PTX of a source; if NVRTC rejects it, prints the log and returns an empty string.
inline std::string compiled(const Source& source)
{
    const std::string text =
        "#line " + std::to_string(source.line) + " \"" + source.file + "\"\n" + source.text;
    nvrtcProgram program = nullptr;
    nvrtcCreateProgram(&program, text.c_str(), source.file, 0, nullptr, nullptr);
    const char* const options[] = {"--gpu-architecture=compute_75", "-lineinfo"};
    const nvrtcResult result = nvrtcCompileProgram(program, 2, options);
    std::size_t bytes = 0;
    std::string ptx;
    if (result == NVRTC_SUCCESS) {
        nvrtcGetPTXSize(program, &bytes);
        ptx.resize(bytes);
        nvrtcGetPTX(program, ptx.data());
    } else {
        nvrtcGetProgramLogSize(program, &bytes);
        std::string log(bytes, '\0');
        nvrtcGetProgramLog(program, log.data());
        std::printf("%s\n", log.c_str());
    }
    nvrtcDestroyProgram(&program);
    return ptx;
}

// Loads a module with one kernel in the primary context, which it makes current and releases.
struct Loaded {
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUfunction kernel = nullptr;
    CUresult status = CUDA_SUCCESS;

    Loaded(const std::string& ptx, const char* name)
    {
        status = cuInit(0);
        if (status == CUDA_SUCCESS) status = cuDevicePrimaryCtxRetain(&context, 0);
        if (status == CUDA_SUCCESS) status = cuCtxSetCurrent(context);
        if (status == CUDA_SUCCESS) status = cuModuleLoadData(&module, ptx.c_str());
        if (status == CUDA_SUCCESS) status = cuModuleGetFunction(&kernel, module, name);
    }
    ~Loaded()
    {
        cuModuleUnload(module);
        cuDevicePrimaryCtxRelease(0);
    }
    Loaded(const Loaded&) = delete;
    Loaded& operator=(const Loaded&) = delete;
};

template <class T>
std::vector<T> values_at(CUdeviceptr address, std::size_t count)
{
    std::vector<T> values(count);
    cuMemcpyDtoH(values.data(), address, count * sizeof(T));
    return values;
}
