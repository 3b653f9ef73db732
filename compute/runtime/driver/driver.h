// The driver API: the same machine under its other names. A function here checks what only this
// interface has (cuInit, the current context, handles of its own) and hands on to the runtime's,
// whose error has the same number.
#pragma once

// All versions of a function are declared under the names that the library exports.
#ifndef __CUDA_API_VERSION_INTERNAL
#define __CUDA_API_VERSION_INTERNAL
#endif
#include <cuda.h>

#include "compute/runtime/work.h"

namespace lanescope::runtime {

// What a call needs before it does anything.
enum class Needs : std::uint8_t { nothing, driver, context };

// As the number that this interface has for it.
CUresult driver_result(cudaError_t error);
// Why the call cannot be answered; cudaSuccess: it can.
cudaError_t driver_prepared(Machine& machine, Needs needs);

// While it lives, whatever is told has this name.
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

// Answers a function by a body that gives a cudaError_t.
template <class Body>
CUresult driver(const char* name, Body body, Needs needs = Needs::context)
{
    const Answering as(name);
    Machine& machine = Machine::instance();
    const auto lock = lock_for_call(machine);
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

// --- Handles: pointers to what they stand for; null for what is none ---
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

// What a program wants to know about its compilation.
struct JitOptions {
    char* error_log = nullptr;
    std::size_t error_log_bytes = 0;
    char* info_log = nullptr;
    std::size_t info_log_bytes = 0;

    JitOptions() = default;
    JitOptions(unsigned count, const CUjit_option* options, void** values);
    void tell(const std::string& error) const;
};

// Loads device code of any form into the context; null: of none, for whichever context uses it.
cudaError_t load_module(Machine& machine, const void* image, Context* context,
                        const JitOptions& options, Module** made);
// A file's bytes, and a zero behind them.
cudaError_t read_image(const char* file, std::string& into);
// The function of that name; the same handle each time.
cudaError_t find_function(Machine& machine, Module& module, const char* name, Function** found);
cudaError_t find_global(Machine& machine, Module& module, const char* name, Memory** found);
std::vector<std::string> kernel_names(Machine& machine, Module& module);
// Every kernel's handle, up to so many.
cudaError_t list_functions(Machine& machine, Module& module, std::vector<Function*>& functions,
                           std::size_t most);

// For descriptions of arrays and textures. False for what the runtime has no word for.
bool channels_of(CUarray_format format, unsigned count, cudaChannelFormatDesc& channels);

} // namespace lanescope::runtime
