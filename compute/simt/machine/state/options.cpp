// Reads the default for native code from the environment once; the program can override it.
#include "compute/simt/machine/state/options.h"

#include <atomic>
#include <cstdlib>
#include <utility>

namespace lanescope::simt {

namespace {

NativeCode by_environment()
{
    const char* named = std::getenv("LANESCOPE_NATIVE");
    for (const auto& [name, use] : {std::pair{"never", NativeCode::never},
                                    {"warm", NativeCode::warm},
                                    {"always", NativeCode::always},
                                    {"sometimes", NativeCode::sometimes}})
        if (named != nullptr && std::string_view(named) == name) return use;
    return NativeCode::warm;
}

std::atomic<NativeCode>& usual()
{
    static std::atomic<NativeCode> use{by_environment()};
    return use;
}

} // namespace

bool usual_precise_checks()
{
    static const bool precise = [] {
        const char* named = std::getenv("LANESCOPE_CHECKS");
        return named != nullptr && std::string_view(named) == "precise";
    }();
    return precise;
}

NativeCode usual_native_code()
{
    return usual().load(std::memory_order_relaxed);
}

void set_usual_native_code(NativeCode use)
{
    usual().store(use, std::memory_order_relaxed);
}

} // namespace lanescope::simt
