// A device that records its launches in addition to running them, so that they can be stepped
// through.
#include "compute/simt/debug/launches.h"

#include <algorithm>
#include <utility>

#include "compute/ptx/text/parser.h"

namespace lanescope::simt {

namespace {

// Variables that launches share, so that a kernel of another text would not see them.
bool has_variables(const ptx::Module& module)
{
    return std::ranges::any_of(
        module.variables, [](const ptx::Variable& one) { return one.space != ptx::Space::shared; });
}

} // namespace

// The replaced text's module, which also keeps the given text's kernels.
class SteppedDevice::ReplacedModule : public device::Module {
public:
    ReplacedModule(std::unique_ptr<device::Module> replaced, std::unique_ptr<device::Module> given,
                   std::shared_ptr<Given> pairs)
        : replaced_(std::move(replaced)), given_(std::move(given)), pairs_(std::move(pairs))
    {
        for (const std::string& name : kernel_names())
            (*pairs_)[&replaced_->kernel(name)] = &given_->kernel(name);
    }
    ~ReplacedModule() override
    {
        for (const std::string& name : kernel_names()) pairs_->erase(&replaced_->kernel(name));
    }
    ReplacedModule(const ReplacedModule&) = delete;
    ReplacedModule& operator=(const ReplacedModule&) = delete;

    const device::Kernel& kernel(std::string_view name) const override
    {
        return replaced_->kernel(name);
    }
    std::vector<std::string> kernel_names() const override { return replaced_->kernel_names(); }
    device::Variable variable(std::string_view name) const override
    {
        return replaced_->variable(name);
    }

private:
    std::unique_ptr<device::Module> replaced_, given_;
    std::shared_ptr<Given> pairs_;
};

SteppedDevice::SteppedDevice(const Options& options, PtxTransform replace)
    : SimtDevice(options), transform_(std::move(replace))
{
}

std::unique_ptr<device::Module> SteppedDevice::load(std::string_view ptx)
{
    if (!transform_) return SimtDevice::load(ptx);
    const std::string replaced = transform_(ptx);
    if (replaced == ptx || has_variables(ptx::parse(ptx))) return SimtDevice::load(replaced);
    return std::make_unique<ReplacedModule>(SimtDevice::load(replaced), SimtDevice::load(ptx),
                                            given_);
}

std::shared_ptr<DeviceLaunches> SteppedDevice::run_one(const device::Kernel& kernel,
                                                       const device::Launch& launch,
                                                       const LaunchOrigin& asked)
{
    if (launch_hook_) return launch_hook_(kernel, launch);
    if (noting_) {
        auto noted = std::make_unique<NotedLaunch>();
        noted->kernel = &kernel;
        noted->launch = launch;
        noted->launch.trace = nullptr;
        noted->parameter_names.assign(launch.parameter_names.begin(), launch.parameter_names.end());
        noted->launch.parameter_names = noted->parameter_names;
        const LaunchState state = prepare(kernel, noted->launch);
        const MemoryState* last = launches_.empty() ? nullptr : &launches_.back()->before;
        noted->before = PagedMemory(state).capture(last, nullptr, true);
        launches_.push_back(std::move(noted));
    } else if (const auto found = given_->find(&kernel); found != given_->end()) {
        return SimtDevice::run_one(*found->second, launch, asked);
    }
    return SimtDevice::run_one(kernel, launch, asked);
}

void SteppedDevice::note(bool on)
{
    noting_ = on;
    launches_.clear();
}

std::unique_ptr<Timeline> SteppedDevice::timeline(std::size_t launch,
                                                  const TimelineOptions& options)
{
    const NotedLaunch& noted = *launches_.at(launch);
    const LaunchState state = prepare(*noted.kernel, noted.launch);
    PagedMemory(state).restore(noted.before, nullptr, nullptr);
    return std::make_unique<Timeline>(*this, *noted.kernel, noted.launch, options);
}

} // namespace lanescope::simt
