// The launches are followed through the caches, and their time is predicted, once they have ended.
#include "app/commands/shared/caches.h"

#include "compute/counting/gpus.h"
#include <CLI/CLI.hpp>

namespace lanescope::app {

CLI::Option* add_caches_option(CLI::App& command, CachesChoice& choice)
{
    return command
        .add_flag("--caches{cold}", choice.before,
                  "Show which level serves each sector of global memory: L1, L2 or DRAM of the "
                  "simulated GPU (--gpu, else an H100). --caches=cold (default) starts with empty "
                  "caches, --caches=warm after the same launch")
        ->check(CLI::IsMember({"cold", "warm"}));
}

CLI::Option* add_time_option(CLI::App& command, CachesChoice& choice)
{
    return command.add_flag(
        "--time", choice.time,
        "Predict the launch's time on the simulated GPU (--gpu, else an H100), and what limits it. "
        "The caches are those of --caches; without it, as the same launch left them. Needs ptxas "
        "and nvdisasm, but no GPU");
}

bool meets_as_sass(const SassChoice& sass, const CachesChoice& choice)
{
    return sass.meets() || (choice.time && sass.reconverge.empty());
}

std::string device_of(const CachesChoice& choice, const std::string& device)
{
    return choice.wanted() && device == "auto" ? "simt" : device;
}

CacheRecording::CacheRecording(const CachesChoice& choice, device::Device& device) : choice_(choice)
{
    if (choice.wanted())
        recorded_ =
            std::make_unique<RecordedAccesses>(device, choice.shown() ? "--caches" : "--time");
}

std::unique_ptr<CacheReport> CacheRecording::report(const trace::Trace& trace) const
{
    if (!recorded_) return nullptr;
    return std::make_unique<CacheReport>(
        follow_caches(recorded_->launches(), trace, counting::simulated_gpu(),
                      choice_.contents() == name(caches::Before::warm) ? caches::Before::warm
                                                                       : caches::Before::cold));
}

std::unique_ptr<TimeReport> CacheRecording::time(const CacheReport* caches,
                                                 std::string_view ptx) const
{
    if (!choice_.time || caches == nullptr) return nullptr;
    return std::make_unique<TimeReport>(
        predict_time(recorded_->launches(), *caches, ptx, counting::simulated_gpu()));
}

} // namespace lanescope::app
