// Aliases for nvcc --default-stream per-thread: the same functions, except that a null stream is
// the calling thread's default stream.
#pragma once

#include "compute/runtime/machine.h"

namespace lanescope::runtime {

class NullIsOwnStream {
public:
    NullIsOwnStream() { this_thread().null_is_own_stream = true; }
    ~NullIsOwnStream() { this_thread().null_is_own_stream = false; }
    NullIsOwnStream(const NullIsOwnStream&) = delete;
    NullIsOwnStream& operator=(const NullIsOwnStream&) = delete;
};

template <auto function>
struct OnOwnStream;

template <class Result, class... Parameters, Result (*function)(Parameters...)>
struct OnOwnStream<function> {
    static Result call(Parameters... parameters)
    {
        const NullIsOwnStream here;
        return function(parameters...);
    }
};

} // namespace lanescope::runtime

// Uses an ifunc resolved by the loader, which avoids repeating each function's parameters.
#define ON_OWN_STREAM(name, suffix, function)                                                      \
    extern "C" {                                                                                   \
    __attribute__((visibility("hidden"))) auto* lanescope_find_##name##suffix()                    \
    {                                                                                              \
        return &lanescope::runtime::OnOwnStream<&function>::call;                                  \
    }                                                                                              \
    __attribute__((ifunc("lanescope_find_" #name #suffix))) decltype(function) name##suffix;       \
    }
