// Sets the host's rounding mode for the lifetime of a scope. Values reach the arithmetic only
// through memory, and both ends of the scope are memory barriers, so no operation can move out of
// it.
#pragma once

#include "compute/simt/operations/rows/lanes.h"

#if !defined(__x86_64__) && !defined(__wasm__)
#include <cfenv>
#endif

namespace lanescope::simt::rows::LANESCOPE_ISA {

#if defined(__x86_64__)

template <Rounding Mode>
class RoundingScope {
public:
    explicit RoundingScope(void* results) : results_(results)
    {
        asm volatile("%vstmxcsr %0" : "=m"(before_) : : "memory");
        constexpr u32 field = Mode == Rounding::rm   ? 0x2000
                              : Mode == Rounding::rp ? 0x4000
                                                     : 0x6000;
        const u32 during = (before_ & ~0x6000u) | field;
        asm volatile("%vldmxcsr %0" : : "m"(during), "r"(results_) : "memory");
    }
    ~RoundingScope() { asm volatile("%vldmxcsr %0" : : "m"(before_), "r"(results_) : "memory"); }
    RoundingScope(const RoundingScope&) = delete;
    RoundingScope& operator=(const RoundingScope&) = delete;

private:
    void* results_;
    u32 before_ = 0;
};

#elif defined(__wasm__)

// Only one mode is available; directed.h emulates the others.
template <Rounding Mode>
class RoundingScope {
public:
    explicit RoundingScope(void*) {}
};

#else

template <Rounding Mode>
class RoundingScope {
public:
    explicit RoundingScope(void* results) : results_(results), before_(std::fegetround())
    {
        std::fesetround(Mode == Rounding::rm   ? FE_DOWNWARD
                        : Mode == Rounding::rp ? FE_UPWARD
                                               : FE_TOWARDZERO);
        asm volatile("" : : "r"(results_) : "memory");
    }
    ~RoundingScope()
    {
        asm volatile("" : : "r"(results_) : "memory");
        std::fesetround(before_);
    }
    RoundingScope(const RoundingScope&) = delete;
    RoundingScope& operator=(const RoundingScope&) = delete;

private:
    void* results_;
    int before_;
};

#endif

template <>
class RoundingScope<Rounding::rn> {
public:
    explicit RoundingScope(void*) {}
};

// Calls `make` with the rounding mode as a template argument; no mode means nearest.
template <Rounding Mode>
struct RoundingTag {
    static constexpr Rounding mode = Mode;
};
template <class Make>
RowFunction for_rounding(Rounding rounding, Make make)
{
    switch (rounding) {
    case Rounding::none:
    case Rounding::rn: return make(RoundingTag<Rounding::rn>{});
    case Rounding::rz: return make(RoundingTag<Rounding::rz>{});
    case Rounding::rm: return make(RoundingTag<Rounding::rm>{});
    case Rounding::rp: return make(RoundingTag<Rounding::rp>{});
    default: return nullptr;
    }
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
