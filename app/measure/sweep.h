// Sweeps one parameter of a lab: at each value, the counts of a step of each variant, and its time
// if the engine has a clock. Shared by the window and `lanescope sweep`.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compute/cuda/measure/measure.h"
#include "compute/device/device.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::app {

struct SweepPlan {
    const labs::Lab* lab = nullptr;
    std::shared_ptr<const labs::Lab> held; // labs::held()
    const labs::Sweep* sweep = nullptr;
    device::Engine engine = device::Engine::simt;
    std::vector<const labs::Variant*> variants;
    labs::Values base; // all parameters except the swept one
    std::vector<std::string> values;
    std::uint64_t seed = 1;
    std::filesystem::path image;
    int samples = 15; // per point

    std::size_t points() const { return values.size() * variants.size(); }
    friend bool operator==(const SweepPlan&, const SweepPlan&) = default;
};

// `variants` must belong to the sweep; empty: all of its variants. `values` gives the parameters
// that the sweep does not fix.
SweepPlan plan_sweep(const labs::Lab& lab, const labs::Sweep& sweep,
                     std::vector<const labs::Variant*> variants, const labs::Values& values,
                     device::Engine engine);

// "size 4096 elements": values the sweep fixes for its engine; may be empty.
std::string fixed_values(const SweepPlan& plan);

struct SweepPoint {
    std::size_t value = 0;   // index into SweepPlan::values
    std::size_t variant = 0; // index into SweepPlan::variants
    labs::Work work;         // per step
    std::optional<trace::Totals> totals;
    std::optional<cuda::Summary> time; // per step; empty if the engine has no clock
    std::string problem;               // why a count or time is missing
    std::optional<double> number{};    // for sweeps with their own axis

    std::optional<double> gb_per_s() const; // useful bytes per median time
    std::optional<double> ratio(labs::Ratio which) const;
};

// The points of a plan, by value, then by variant. A point that cannot run (too little memory, a
// kernel that cannot be probed) has a problem instead. The device and plan must outlive it.
class SweepPoints {
public:
    SweepPoints(device::Device& device, const SweepPlan& plan);
    ~SweepPoints();
    SweepPoints(const SweepPoints&) = delete;
    SweepPoints& operator=(const SweepPoints&) = delete;

    // Returns the next point; empty after the last one. Throws KernelFault.
    std::optional<SweepPoint> next();

private:
    class Bench;
    device::Device& device_;
    const SweepPlan& plan_;
    std::unique_ptr<Bench> bench_;
    std::size_t made_ = 0;
};

// Runs all points; `done` receives each and returns whether to continue.
void run_sweep(device::Device& device, const SweepPlan& plan,
               const std::function<bool(SweepPoint)>& done);

} // namespace lanescope::app
