// Reuses one experiment for as many values as possible, since its input is made only once.
#include "app/measure/sweep.h"

#include <fmt/format.h>

#include <memory>

#include "app/measure/ratios.h"
#include "compute/experiment/catalogue/texts.h"

namespace lanescope::app {
namespace {

const std::map<std::string, std::string>& fixed_by(const labs::Sweep& sweep, device::Engine engine)
{
    return engine == device::Engine::cuda ? sweep.on_gpu : sweep.on_simt;
}

// Leaves the state as it is: all variants are counted in the same step.
trace::Totals count(labs::Experiment& experiment)
{
    trace::Trace trace;
    trace.per_warp = false;
    experiment.recount(trace);
    return trace.totals();
}

// Runs `work`; an Error other than a fault becomes the point's problem.
template <class Work>
bool attempt(SweepPoint& point, Work&& work)
{
    try {
        work();
        return true;
    } catch (const device::KernelFault&) {
        throw;
    } catch (const Error& error) {
        point.problem = error.what();
        return false;
    }
}

} // namespace

// One experiment for as many values as possible.
class SweepPoints::Bench {
public:
    Bench(device::Device& device, const SweepPlan& plan)
        : device_(device), plain_(device), plan_(plan),
          restarts_(plan.lab->find_parameter(plan.sweep->parameter)->restarts)
    {
    }

    labs::Experiment& at(const std::string& value, const labs::Variant& variant)
    {
        if (!experiment_ || value != value_) {
            labs::Values values = plan_.base;
            values.set(plan_.sweep->parameter, value);
            value_ = value;
            if (!experiment_ || restarts_) {
                experiment_.reset(); // frees its memory first
                experiment_ = plan_.lab->start(
                    {device_, plain_, *plan_.lab, variant, values, plan_.seed, plan_.image});
            } else {
                experiment_->set(values);
            }
        }
        experiment_->select(variant);
        return *experiment_;
    }
    void release() { experiment_.reset(); }

private:
    device::Device& device_;
    device::PlainAllocator plain_;
    const SweepPlan& plan_;
    bool restarts_;
    std::string value_;
    std::unique_ptr<labs::Experiment> experiment_;
};

SweepPlan plan_sweep(const labs::Lab& lab, const labs::Sweep& sweep,
                     std::vector<const labs::Variant*> variants, const labs::Values& values,
                     device::Engine engine)
{
    if (variants.empty())
        for (const labs::Variant& variant : lab.variants)
            if (sweep.covers(variant.id)) variants.push_back(&variant);
    SweepPlan plan{&lab,   labs::held(lab), &sweep, engine, std::move(variants),
                   values, sweep.values,    1,      {},     15};
    // Fixes the value of the swept parameter, so that plans which differ only in it are equal.
    plan.base.set(sweep.parameter, sweep.values.front());
    for (const auto& [id, text] : fixed_by(sweep, engine)) plan.base.set(id, text);
    if (engine == device::Engine::simt && plan.values.size() > sweep.simt_values)
        plan.values.resize(sweep.simt_values);
    return plan;
}

std::string fixed_values(const SweepPlan& plan)
{
    std::string words;
    for (const auto& [id, text] : fixed_by(*plan.sweep, plan.engine)) {
        if (plan.base.text(id) != text) continue; // changed by the user
        if (text == "0") continue;                // a value of zero is left out of the text
        const labs::Parameter& parameter = *plan.lab->find_parameter(id);
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", parameter.id, text);
        if (!parameter.unit.empty()) words += ' ' + parameter.unit;
    }
    return words;
}

std::optional<double> SweepPoint::gb_per_s() const
{
    if (!time || !(time->ms.median > 0)) return {};
    return work.bytes / (time->ms.median * 1e6);
}

std::optional<double> SweepPoint::ratio(labs::Ratio which) const
{
    if (!totals) return {};
    return trace::value(to_ratio(which), *totals, work.items);
}

SweepPoints::SweepPoints(device::Device& device, const SweepPlan& plan)
    : device_(device), plan_(plan), bench_(std::make_unique<Bench>(device, plan))
{
}

SweepPoints::~SweepPoints() = default;

std::optional<SweepPoint> SweepPoints::next()
{
    if (made_ == plan_.points()) return {};
    SweepPoint point;
    point.value = made_ / plan_.variants.size();
    point.variant = made_++ % plan_.variants.size();
    labs::Experiment* experiment = nullptr;
    const bool ready = attempt(point, [&] {
        experiment = &bench_->at(plan_.values[point.value], *plan_.variants[point.variant]);
        point.work = experiment->work_per_launch();
        if (!plan_.sweep->number.empty()) point.number = experiment->number(plan_.sweep->number);
    });
    if (!ready) {
        bench_->release();
        return point;
    }
    attempt(point, [&] { point.totals = count(*experiment); });
    if (device_.engine() == device::Engine::cuda)
        attempt(point, [&] {
            const cuda::Work step = [&] { experiment->step(); };
            point.time = cuda::measure(device_, {&step, 1}, {.samples = plan_.samples})[0];
        });
    return point;
}

void run_sweep(device::Device& device, const SweepPlan& plan,
               const std::function<bool(SweepPoint)>& done)
{
    SweepPoints points(device, plan);
    for (auto point = points.next(); point; point = points.next())
        if (!done(std::move(*point))) return;
}

} // namespace lanescope::app
