// A driver older than the CUDA runtime in this program: 13.0's refuses every driver before 580. The
// calls that the program makes are then answered by that driver's own library, libcuda.so.1, opened
// when the program runs; with a newer driver, or none, the runtime answers as ever.
//
// The linker leads every such call through runtime.cpp (--wrap, in compute/CMakeLists.txt), so that
// nobody who calls the runtime needs to know. LANESCOPE_CUDA=driver takes this way with any driver.
#pragma once

namespace lanescope::cuda {

// The oldest that is asked: CUDA 10.0 (driver 410) brought compute capability 7.5 and PTX 6.3,
// which most kernels of the labs are written down to. Those with lines of inlined functions need
// PTX 7.2, which is CUDA 11.2 (driver 460).
inline constexpr int oldest_driver = 10000;

// Whether calls go to the driver and not to the runtime.
bool driver_answers();

} // namespace lanescope::cuda
