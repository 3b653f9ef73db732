// Position of each memory space in the machine's virtual addresses, so that the space of a generic
// address can be derived. Global addresses are generic addresses; other spaces have addresses from
// 0, and cvta adds the window's base.
#pragma once

#include <cstdint>

#include "compute/device/device.h"
#include "compute/ptx/text/module.h"

namespace lanescope::simt {

using device::Address;

constexpr Address window_bytes = Address{1} << 28;
constexpr Address shared_window = Address{1} << 32;
constexpr Address local_window = Address{2} << 32;
constexpr Address constant_window = Address{3} << 32;
constexpr Address param_window = Address{4} << 32;
constexpr Address code_window = Address{5} << 32; // functions, for indirect calls
constexpr Address global_window = Address{0x70} << 40;

// The base that cvta adds for a space; 0 for global.
constexpr Address window(ptx::Space space)
{
    switch (space) {
    case ptx::Space::shared: return shared_window;
    case ptx::Space::local: return local_window;
    case ptx::Space::constant: return constant_window;
    case ptx::Space::param: return param_window;
    default: return 0;
    }
}

// Space of a generic address. Addresses outside every window count as global (and fault there).
constexpr ptx::Space space_of(Address generic)
{
    const Address base = generic & ~(window_bytes - 1);
    if (base == shared_window) return ptx::Space::shared;
    if (base == local_window) return ptx::Space::local;
    if (base == constant_window) return ptx::Space::constant;
    if (base == param_window) return ptx::Space::param;
    return ptx::Space::global;
}

} // namespace lanescope::simt
