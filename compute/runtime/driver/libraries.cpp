// Libraries: device code without a context; each context that uses it gets its own kernels and
// variables. Both APIs share the handles.
#include "compute/runtime/driver/driver.h"

namespace lanescope::runtime {

namespace {

cudaError_t load(Machine& machine, CUlibrary* library, const void* image, const JitOptions& options)
{
    if (library == nullptr || image == nullptr) return cudaErrorInvalidValue;
    Module* made = nullptr;
    const cudaError_t result = load_module(machine, image, nullptr, options, &made);
    if (result == cudaSuccess) *library = reinterpret_cast<CUlibrary>(made);
    return result;
}

cudaError_t load_file(Machine& machine, CUlibrary* library, const char* file,
                      const JitOptions& options)
{
    if (library == nullptr || file == nullptr) return cudaErrorInvalidValue;
    std::string image;
    const cudaError_t read = read_image(file, image);
    return read == cudaSuccess ? load(machine, library, image.data(), options) : read;
}

Module* library_of(Machine& machine, CUlibrary handle)
{
    Module* const module = module_of(machine, handle);
    return module != nullptr && module->library ? module : nullptr;
}

cudaError_t unload(Machine& machine, CUlibrary handle)
{
    Module* const module = library_of(machine, handle);
    if (module == nullptr) return cudaErrorInvalidResourceHandle;
    machine.host_waits_for_device(this_thread().device);
    machine.unload(*module);
    return cudaSuccess;
}

cudaError_t kernel(Machine& machine, CUkernel* kernel, CUlibrary handle, const char* name)
{
    if (kernel == nullptr || name == nullptr) return cudaErrorInvalidValue;
    Module* const module = library_of(machine, handle);
    if (module == nullptr) return cudaErrorInvalidResourceHandle;
    Function* found = nullptr;
    const cudaError_t result = find_function(machine, *module, name, &found);
    if (result == cudaSuccess) *kernel = reinterpret_cast<CUkernel>(found);
    return result;
}

cudaError_t count(Machine& machine, unsigned* kernels, CUlibrary handle)
{
    Module* const module = library_of(machine, handle);
    if (module == nullptr) return cudaErrorInvalidResourceHandle;
    if (kernels == nullptr) return cudaErrorInvalidValue;
    *kernels = static_cast<unsigned>(kernel_names(machine, *module).size());
    return cudaSuccess;
}

cudaError_t list(Machine& machine, CUkernel* kernels, unsigned max_kernels, CUlibrary handle)
{
    Module* const module = library_of(machine, handle);
    if (module == nullptr) return cudaErrorInvalidResourceHandle;
    if (kernels == nullptr) return cudaErrorInvalidValue;
    std::vector<Function*> found;
    const cudaError_t result = list_functions(machine, *module, found, max_kernels);
    for (Function* function : found) *kernels++ = reinterpret_cast<CUkernel>(function);
    return result;
}

cudaError_t global(Machine& machine, CUlibrary handle, const char* name, CUdeviceptr* address,
                   std::size_t* bytes)
{
    Module* const module = library_of(machine, handle);
    if (module == nullptr) return cudaErrorInvalidResourceHandle;
    Memory* found = nullptr;
    const cudaError_t result = find_global(machine, *module, name, &found);
    if (result != cudaSuccess) return result;
    if (address != nullptr) *address = found->address;
    if (bytes != nullptr) *bytes = found->bytes;
    return cudaSuccess;
}

// Translates the runtime's JIT options, whose numbers agree.
JitOptions options_of(unsigned count, cudaJitOption* options, void** values)
{
    return {count, reinterpret_cast<const CUjit_option*>(options), values};
}

} // namespace

} // namespace lanescope::runtime

using namespace lanescope::runtime;

extern "C" {

// --- Driver API ---

CUresult cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option* options,
                           void** values, unsigned number, CUlibraryOption*, void**, unsigned)
{
    return driver(
        __func__,
        [&](Machine& machine) {
            return load(machine, library, image, JitOptions(number, options, values));
        },
        Needs::driver);
}
CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* file, CUjit_option* options,
                               void** values, unsigned number, CUlibraryOption*, void**, unsigned)
{
    return driver(
        __func__,
        [&](Machine& machine) {
            return load_file(machine, library, file, JitOptions(number, options, values));
        },
        Needs::driver);
}
CUresult cuLibraryUnload(CUlibrary library)
{
    return driver(
        __func__, [&](Machine& machine) { return unload(machine, library); }, Needs::driver);
}
CUresult cuLibraryGetKernel(CUkernel* found, CUlibrary library, const char* name)
{
    return driver(
        __func__, [&](Machine& machine) { return kernel(machine, found, library, name); },
        Needs::driver);
}
CUresult cuLibraryGetKernelCount(unsigned* kernels, CUlibrary library)
{
    return driver(
        __func__, [&](Machine& machine) { return count(machine, kernels, library); },
        Needs::driver);
}
CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned max_kernels, CUlibrary library)
{
    return driver(
        __func__, [&](Machine& machine) { return list(machine, kernels, max_kernels, library); },
        Needs::driver);
}
CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library)
{
    return driver(__func__, [&](Machine& machine) {
        if (module == nullptr) return cudaErrorInvalidValue;
        if (library_of(machine, library) == nullptr) return cudaErrorInvalidResourceHandle;
        *module = reinterpret_cast<CUmodule>(library);
        return cudaSuccess;
    });
}
CUresult cuLibraryGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUlibrary library,
                            const char* name)
{
    return driver(__func__,
                  [&](Machine& machine) { return global(machine, library, name, address, bytes); });
}
CUresult cuKernelGetFunction(CUfunction* function, CUkernel of)
{
    return driver(__func__, [&](Machine& machine) {
        if (function == nullptr) return cudaErrorInvalidValue;
        auto* const handle = reinterpret_cast<CUfunction>(of);
        if (function_of(machine, handle) == nullptr) return cudaErrorInvalidResourceHandle;
        *function = handle;
        return cudaSuccess;
    });
}
CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel of)
{
    return driver(
        __func__,
        [&](Machine& machine) {
            if (library == nullptr) return cudaErrorInvalidValue;
            const Function* const known = function_of(machine, reinterpret_cast<CUfunction>(of));
            if (known == nullptr) return cudaErrorInvalidResourceHandle;
            *library = reinterpret_cast<CUlibrary>(known->module);
            return cudaSuccess;
        },
        Needs::driver);
}

// --- Runtime API ---

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* image, cudaJitOption* options,
                                void** values, unsigned number, cudaLibraryOption*, void**,
                                unsigned)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        return load(machine, library, image, options_of(number, options, values));
    });
}
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* file,
                                    cudaJitOption* options, void** values, unsigned number,
                                    cudaLibraryOption*, void**, unsigned)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        return load_file(machine, library, file, options_of(number, options, values));
    });
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    return call(Call::waits, __func__, [&](Machine& machine) { return unload(machine, library); });
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t* found, cudaLibrary_t library, const char* name)
{
    return call(Call::queues, __func__,
                [&](Machine& machine) { return kernel(machine, found, library, name); });
}
cudaError_t cudaLibraryGetKernelCount(unsigned* kernels, cudaLibrary_t library)
{
    return call(Call::queues, __func__,
                [&](Machine& machine) { return count(machine, kernels, library); });
}
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned max_kernels,
                                        cudaLibrary_t library)
{
    return call(Call::queues, __func__,
                [&](Machine& machine) { return list(machine, kernels, max_kernels, library); });
}
cudaError_t cudaLibraryGetGlobal(void** address, std::size_t* bytes, cudaLibrary_t library,
                                 const char* name)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        return global(machine, library, name, reinterpret_cast<CUdeviceptr*>(address), bytes);
    });
}
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t of, cudaFuncAttribute attribute, int value,
                                            int)
{
    return cudaFuncSetAttribute(of, attribute, value);
}

} // extern "C"
