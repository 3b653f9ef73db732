// Provides the SASS lowering of kernels for counting.
#include "app/measure/assembled_counts.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "compute/assembled/assembly.h"
#include "compute/assembled/meeting.h"
#include "compute/assembled/tools.h"
#include "compute/counting/gpus.h"
#include "compute/cuda/availability.h"
#include "compute/error.h"
#include "compute/ptx/text/module.h"

namespace lanescope::app {

std::string sass_architecture()
{
    if (const counting::Gpu* const chosen = counting::chosen_gpu()) return chosen->architecture();
    const cuda::Availability gpu = cuda::availability();
    return gpu.available ? fmt::format("sm_{}", gpu.capability) : assembled::default_architecture();
}

std::shared_ptr<const trace::Assembled>
assembled_kernel(std::string_view ptx, std::string_view kernel, std::string_view architecture)
{
    auto lowering = std::make_shared<trace::Assembled>();
    try {
        const auto sass = assembled::assemble(ptx, architecture);
        const ptx::Module module = ptx::parse(ptx);
        *lowering =
            assembled::assembled_sites(module, ptx::sites_of(module, kernel), kernel, *sass);
        if (lowering->sites.empty() && sass->find(kernel) == nullptr)
            lowering->reason = fmt::format("The SASS has no kernel {}.", kernel);
    } catch (const Error& error) {
        lowering->reason = error.what();
    }
    return lowering;
}

trace::Assembler assembler_for(std::string architecture)
{
    struct Known {
        std::string ptx, kernel;
        std::shared_ptr<const trace::Assembled> assembled;
    };
    // Caches the lowering: each launch of a step gets a copy of this function.
    return [architecture = std::move(architecture), all = std::make_shared<std::vector<Known>>()](
               std::string_view ptx, std::string_view kernel) {
        for (const Known& known : *all)
            if (known.kernel == kernel && known.ptx == ptx) return known.assembled;
        auto lowering = assembled_kernel(ptx, kernel, architecture);
        all->push_back({std::string(ptx), std::string(kernel), lowering});
        return lowering;
    };
}

std::string why_not_assembled(const trace::Trace& trace, device::Engine engine)
{
    if (trace.assembled != nullptr && !trace.assembled->reason.empty())
        return trace.assembled->reason;
    return engine == device::Engine::simt
               ? ""
               : "Probes count the PTX's accesses; --device simt counts them as assembled.";
}

std::function<void(ptx::Module&)> meetings_of_sass(std::string architecture)
{
    return [architecture = std::move(architecture)](ptx::Module& module) {
        try {
            assembled::fill_reconvergence_points(module,
                                                 *assembled::assemble(module.text, architecture));
        } catch (const Error&) {
            // Without the SASS, lanes reconverge where the PTX says. Commands that need the SASS
            // report why it is missing.
        }
    };
}

} // namespace lanescope::app
