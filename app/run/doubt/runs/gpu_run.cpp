// The driver assembles the text when it is loaded.
#include "app/run/doubt/runs/gpu_run.h"

#include <fmt/format.h>

#include "app/run/engine/engine.h"
#include "compute/cuda/assembler_level.h"

namespace lanescope::app {

GpuResults gpu_results(const KernelLaunch& launch, int level)
{
    GpuResults results;
    results.name = fmt::format("GPU, ptxas -O{}", level == 4 ? 3 : level);
    const OpenedEngine engine = open_engine("cuda");
    const cuda::AssemblerLevel chosen(level);
    try {
        KernelRun run(*engine.device, launch);
        run.launch(nullptr);
        engine.device->synchronize();
        results.memory = result_memory(launch, ptx::parse(launch.ptx));
        for (ResultMemory& memory : results.memory)
            memory.bytes = memory.is_variable ? run.variable(memory.id) : run.contents(memory.id);
    } catch (const device::KernelFault& fault) {
        results.memory.clear();
        results.fault = fault.what();
    }
    return results;
}

} // namespace lanescope::app
