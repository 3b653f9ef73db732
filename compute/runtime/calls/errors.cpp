// Error names and messages, and the last error of a thread.
#include <utility>

#include "compute/runtime/machine.h"

namespace lanescope::runtime {

const char* error_name(cudaError_t error)
{
    switch (error) {
#define ERROR(name, text)                                                                          \
    case name:                                                                                     \
        return #name;
#include "compute/runtime/errors.def"
#undef ERROR
    default: return "unrecognized error code";
    }
}

const char* error_text(cudaError_t error)
{
    switch (error) {
#define ERROR(name, text)                                                                          \
    case name:                                                                                     \
        return text;
#include "compute/runtime/errors.def"
#undef ERROR
    default: return "unrecognized error code";
    }
}

} // namespace lanescope::runtime

using namespace lanescope::runtime;

extern "C" {

const char* cudaGetErrorName(cudaError_t error)
{
    this_thread().unchecked_error.reset();
    return error_name(error);
}

const char* cudaGetErrorString(cudaError_t error)
{
    this_thread().unchecked_error.reset();
    return error_text(error);
}

cudaError_t cudaGetLastError()
{
    Machine& machine = Machine::instance();
    const CallLock lock(machine);
    ++machine.calls;
    // Resets the last error even if it is sticky, but later calls return a sticky error again.
    const cudaError_t error = std::exchange(this_thread().last_error, cudaSuccess);
    this_thread().unchecked_error.reset();
    return error;
}

cudaError_t cudaPeekAtLastError()
{
    Machine& machine = Machine::instance();
    const CallLock lock(machine);
    ++machine.calls;
    this_thread().unchecked_error.reset();
    return this_thread().last_error;
}

} // extern "C"
