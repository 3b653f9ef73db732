// Facts about this processor that system-call filters need.
#pragma once

#include <linux/audit.h>

#include <cstdint>

namespace lanescope {

#if defined(__x86_64__)
constexpr std::uint32_t own_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t own_architecture = AUDIT_ARCH_AARCH64;
#endif

} // namespace lanescope
