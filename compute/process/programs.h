// Whole CUDA programs run where their runtime can be replaced: on Linux.
#pragma once

namespace lanescope {

#if defined(_WIN32) || defined(__EMSCRIPTEN__)
constexpr bool runs_programs = false;
#else
constexpr bool runs_programs = true;
#endif

// Throws Error with the way to run such programs instead. Defined for other systems only.
[[noreturn]] void refuse_programs();

} // namespace lanescope
