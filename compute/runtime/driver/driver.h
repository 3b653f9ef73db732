// The driver API over the same machine. A function checks what only this API has (cuInit, the
// current context, its own handles) and forwards to the runtime's function, whose errors have the
// same numbers.
#pragma once

// Declares all versions of a function under the names that the library exports.
#ifndef __CUDA_API_VERSION_INTERNAL
#define __CUDA_API_VERSION_INTERNAL
#endif
#include <cuda.h>

#include "compute/runtime/work.h"

namespace lanescope::runtime {

// A call needs nothing, an initialised driver, or also a current context.
enum class Needs : std::uint8_t { nothing, driver, context };

// Translates a runtime error to this API's number.
CUresult driver_result(cudaError_t error);
// Returns why the call cannot proceed, or cudaSuccess.
cudaError_t driver_prepared(Machine& machine, Needs needs);

// RAII: findings reported in this scope carry this API name.
class Answering {
public:
    explicit Answering(const char* name) : before_(this_thread().driver_call)
    {
        this_thread().driver_call = name;
        this_thread().error_reported = false;
    }
    ~Answering() { this_thread().driver_call = before_; }
    Answering(const Answering&) = delete;
    Answering& operator=(const Answering&) = delete;

private:
    const char* before_;
};

// Implements an API function with a body that returns a cudaError_t.
template <class Body>
CUresult driver(const char* name, Body body, Needs needs = Needs::context)
{
    const Answering as(name);
    Machine& machine = Machine::instance();
    const CallLock lock(machine);
    cudaError_t result = driver_prepared(machine, needs);
    if (result == cudaSuccess) {
        try {
            result = body(machine);
        } catch (...) {
            result = caught(name);
        }
    }
    if (!this_thread().error_reported) leave(result, name, false);
    return driver_result(result);
}

// --- Handles: pointers to the objects they name; null if invalid ---
Context* context_of(Machine& machine, CUcontext handle);
Module* module_of(Machine& machine, const void* handle);
Function* function_of(Machine& machine, CUfunction handle);
inline CUcontext handle_of(Context& context)
{
    return reinterpret_cast<CUcontext>(&context);
}
inline void* pointer_of(CUdeviceptr address)
{
    return reinterpret_cast<void*>(address);
}

// --- Modules (modules.cpp) ---

// JIT options and the log buffers a program passes in.
struct JitOptions {
    char* error_log = nullptr;
    std::size_t error_log_bytes = 0;
    char* info_log = nullptr;
    std::size_t info_log_bytes = 0;

    JitOptions() = default;
    JitOptions(unsigned count, const CUjit_option* options, void** values);
    void write_logs(const std::string& error) const;
};

// Loads device code of any form into `context`; null loads it for whichever context uses it.
cudaError_t load_module(Machine& machine, const void* image, Context* context,
                        const JitOptions& options, Module** made);
// Reads a file and appends a zero byte.
cudaError_t read_image(const char* file, std::string& into);
// Finds a function by name; returns the same handle every time.
cudaError_t find_function(Machine& machine, Module& module, const char* name, Function** found);
cudaError_t find_global(Machine& machine, Module& module, const char* name, Memory** found);
std::vector<std::string> kernel_names(Machine& machine, Module& module);
// Lists the kernels' handles, up to a maximum.
cudaError_t list_functions(Machine& machine, Module& module, std::vector<Function*>& functions,
                           std::size_t max_count);

// Translates channel formats of arrays and textures; false if the runtime has no equivalent.
bool channels_of(CUarray_format format, unsigned count, cudaChannelFormatDesc& channels);

} // namespace lanescope::runtime
