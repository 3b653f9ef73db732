// The assembler's account of a kernel, for whoever counts.
#include "app/measure/assembled_counts.h"

#include <fmt/format.h>

#include "compute/assembled/assembly.h"
#include "compute/assembled/meeting.h"
#include "compute/assembled/tools.h"
#include "compute/cuda/availability.h"
#include "compute/error.h"
#include "compute/ptx/text/module.h"

namespace lanescope::app {

std::string sass_architecture()
{
    const cuda::Availability gpu = cuda::availability();
    return gpu.available ? fmt::format("sm_{}", gpu.capability)
                         : std::string(assembled::default_architecture);
}

AssembledOrNot assembled_kernel(std::string_view ptx, std::string_view kernel,
                                std::string_view architecture)
try {
    const auto sass = assembled::assemble(ptx, architecture);
    const ptx::Module module = ptx::parse(ptx);
    auto made = std::make_shared<trace::Assembled>(
        assembled::assembled_sites(module, ptx::sites_of(module, kernel), kernel, *sass));
    if (made->sites.empty() && sass->find(kernel) == nullptr)
        return {nullptr, fmt::format("The SASS has no kernel {}.", kernel)};
    return {std::move(made), {}};
} catch (const Error& error) {
    return {nullptr, error.what()};
}

std::string missing_sass()
{
    return assembled::find_tools().missing;
}

std::function<void(ptx::Module&)> meetings_of_sass(std::string architecture)
{
    return [architecture = std::move(architecture)](ptx::Module& module) {
        try {
            assembled::set_meetings(module, *assembled::assemble(module.text, architecture));
        } catch (const Error&) {
            // They meet where the PTX says, and whoever asked for the SASS is told why.
        }
    };
}

} // namespace lanescope::app
