// Support for drivers older than the CUDA runtime in this program: the runtime of 13.0 refuses
// drivers before 580. The program's calls then go to the driver library, libcuda.so.1, opened at
// run time; with a newer driver, or none, the runtime answers as usual.
//
// The linker routes every such call through runtime.cpp (--wrap, in compute/CMakeLists.txt), so
// that callers of the runtime are unaffected. LANESCOPE_CUDA=driver selects this path with any
// driver.
#pragma once

namespace lanescope::cuda {

// The oldest supported driver: CUDA 10.0 (driver 410) introduced compute capability 7.5 and PTX
// 6.3, to which most lab kernels are downgraded. Kernels with line information of inlined functions
// need PTX 7.2, that is CUDA 11.2 (driver 460).
inline constexpr int oldest_driver = 10000;

// True if calls go to the driver instead of the runtime.
bool driver_answers();

} // namespace lanescope::cuda
