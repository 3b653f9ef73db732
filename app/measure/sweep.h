// One parameter of a lab through its values: at each, what a step of each variant counts, and what
// it takes where the engine has a clock. The window and `lanescope sweep` share it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compute/cuda/measure/measure.h"
#include "compute/device/device.h"
#include "compute/labs/lab.h"

namespace lanescope::app {

struct SweepPlan {
    const labs::Lab* lab = nullptr;
    std::shared_ptr<const labs::Lab> held; // labs::held()
    const labs::Sweep* sweep = nullptr;
    device::Engine engine = device::Engine::simt;
    std::vector<const labs::Variant*> variants;
    labs::Values base; // of all parameters but the swept one
    std::vector<std::string> values;
    std::uint64_t seed = 1;
    std::filesystem::path image;
    int samples = 15; // of each point's time

    std::size_t points() const { return values.size() * variants.size(); }
    friend bool operator==(const SweepPlan&, const SweepPlan&) = default;
};

// `variants` must be among those that the sweep is about; empty: all of those. Takes from `values`
// what the sweep does not fix for the engine.
SweepPlan plan_sweep(const labs::Lab& lab, const labs::Sweep& sweep,
                     std::vector<const labs::Variant*> variants, const labs::Values& values,
                     device::Engine engine);

// "size 4096 elements": what the sweep fixes for its engine; empty where it fixes nothing.
std::string fixed_values(const SweepPlan& plan);

struct SweepPoint {
    std::size_t value = 0;   // index into SweepPlan::values
    std::size_t variant = 0; // index into SweepPlan::variants
    labs::Work work;         // of one step
    std::optional<trace::Totals> totals;
    std::optional<cuda::Summary> time; // of one step; none where the engine has no clock
    std::string problem;               // why something is missing
    std::optional<double> number{};    // of the sweep's axis, where it has one

    std::optional<double> gb_per_s() const; // useful bytes over the median time
    std::optional<double> ratio(labs::Ratio which) const;
};

// A plan's points, value by value, variant by variant. What cannot be run (too little memory, a
// kernel that takes no probes) becomes a point's problem. Both must outlive it.
class SweepPoints {
public:
    SweepPoints(device::Device& device, const SweepPlan& plan);
    ~SweepPoints();
    SweepPoints(const SweepPoints&) = delete;
    SweepPoints& operator=(const SweepPoints&) = delete;

    // None after the last. Throws KernelFault.
    std::optional<SweepPoint> next();

private:
    class Bench;
    device::Device& device_;
    const SweepPlan& plan_;
    std::unique_ptr<Bench> bench_;
    std::size_t made_ = 0;
};

// All of them; `done` takes each and says whether to go on.
void run_sweep(device::Device& device, const SweepPlan& plan,
               const std::function<bool(SweepPoint)>& done);

} // namespace lanescope::app
