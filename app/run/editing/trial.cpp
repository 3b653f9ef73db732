// A watchdog ends a trial that takes too long in total. The machine's own limit ends a launch that
// takes too long, and knows the line where it was.
#include "app/run/editing/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <new>

#include "app/document/experiment/journal.h"
#include "app/measure/assembled_counts.h"
#include "app/run/kernel/assumption.h"
#include "compute/assembled/tools.h"
#include "compute/error.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/experiment/record/record.h"
#include "compute/ptx/text/module.h"
#include "compute/ptx/uses/uses.h"
#include "compute/simt/machine/memory/windows.h"
#include "compute/simt/simt_device.h"
#include "compute/thread_time.h"
#include "compute/threads.h"
#include "compute/trace/findings.h"
#include "compute/trace/idle_blocks.h"

namespace lanescope::app {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t max_remembered = 512;

// Cancels the device once the constructing thread has run for the limit, unless it is destroyed
// before. Without threads the machine enforces the limit itself.
class Watchdog {
public:
    Watchdog(device::Device& device, std::chrono::milliseconds limit)
        : thread_([this, &device, limit] {
              const double limit_s = std::chrono::duration<double>(limit).count();
              std::unique_lock lock(mutex_);
              while (!since_.passed(limit_s)) {
                  const double left_s = std::max(limit_s - since_.seconds(), 1e-3);
                  if (changed_.wait_for(lock, std::chrono::duration<double>(left_s),
                                        [this] { return done_; }))
                      return;
              }
              timed_out_ = true;
              device.cancel();
          })
    {
    }
    ~Watchdog() { stop(); }
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
    bool stop()
    {
        {
            const std::scoped_lock lock(mutex_);
            done_ = true;
        }
        changed_.notify_all();
        thread_.join();
        return timed_out_;
    }

private:
    const ThreadWatch since_{};
    std::mutex mutex_;
    std::condition_variable changed_;
    bool done_ = false;
    bool timed_out_ = false;
    LoopThread thread_;
};

TrialResult faulted(Complaint complaint, bool guess)
{
    const std::string sentence = complaint.sentence;
    return {guess ? TextOutcome::Kind::refused : TextOutcome::Kind::fault,
            sentence,
            {std::move(complaint)},
            {}};
}

// Size of a test, as the product of its numbers.
double extent(const std::map<std::string, std::string>& size)
{
    double product = 1;
    for (const auto& [id, text] : size) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (end != text.c_str() && *end == '\0' && value > 1) product *= value;
    }
    return product;
}

} // namespace

// The buffer passed as the kernel's parameter, in a record with one launch.
static std::string buffer_of(const labs::Lab& lab, const labs::Variant& variant, int parameter)
{
    const auto index = static_cast<std::size_t>(parameter);
    for (const labs::Action& action : lab.record->plans[variant.index].step)
        if (action.kind == labs::Action::Kind::launch && index < action.launch.arguments.size())
            return action.launch.arguments[index].name;
    return {};
}

static bool is_in(const std::string& name, const std::vector<std::string>& names)
{
    return std::ranges::find(names, name) != names.end();
}

// True if the address of the access may depend on contents that were guessed.
static bool depends_on_contents(const trace::Fault& fault, const labs::Lab& lab,
                                const labs::Variant& variant)
{
    return is_in(buffer_of(lab, variant, fault.parameter), variant.doubtful);
}

// A kernel that updates an element at an address that it read, as a histogram does, races whatever
// the addresses are. A kernel that only stores there does not race if the addresses are distinct.
static bool updates_location_it_reads(const trace::Fault& fault, const labs::Lab& lab,
                                      const labs::Variant& variant)
{
    const ptx::Module module = ptx::parse(lab.ptx(variant));
    const auto index = static_cast<std::size_t>(fault.parameter);
    for (const ptx::KernelUse& use : ptx::kernel_uses(module))
        if (use.name == fault.kernel && index < use.parameters.size())
            return use.parameters[index].read && use.parameters[index].depends_on_data;
    return true;
}

bool is_due_to_guess(const trace::Fault& fault, const labs::Lab& lab, const labs::Variant& variant)
{
    if (!variant.is_guessed()) return false;
    const bool outside = fault.kind == trace::kind::out_of_bounds,
               misaligned = fault.kind == trace::kind::misaligned;
    if (fault.kind == trace::kind::race)
        return fault.parameter >= 0 && depends_on_contents(fault, lab, variant) &&
               !updates_location_it_reads(fault, lab, variant);
    if (!outside && !misaligned) return false;
    if (fault.parameter >= 0 && depends_on_contents(fault, lab, variant)) return true;
    // Pointers in a struct, or inside a buffer, cannot be guessed: they are null or point nowhere.
    constexpr std::uint64_t near_null = 65536;
    const bool global = simt::space_of(fault.address) == ptx::Space::global;
    if (fault.parameter < 0 && global && (misaligned || fault.address < near_null))
        return !variant.doubtful.empty();
    // An access before the start of the buffer is wrong whatever its size.
    return outside && fault.parameter >= 0 && fault.needed_bytes > 0 &&
           is_in(buffer_of(lab, variant, fault.parameter), variant.guessed_sizes);
}

Complaint complaint_about(const trace::Fault& fault, const labs::Lab& lab,
                          const labs::Variant& variant, bool warning)
{
    const std::string file = std::filesystem::path(fault.file).filename().string();
    Complaint complaint{.file = file.empty() ? variant.source : file,
                        .line = fault.line,
                        .warning = warning,
                        .sentence = fault.message,
                        .detail = fault.kind};
    if (!is_due_to_guess(fault, lab, variant)) return complaint;
    const std::string where = fmt::format("{}:{}", complaint.file, fault.line);
    const std::string buffer =
        fault.parameter < 0 ? std::string() : buffer_of(lab, variant, fault.parameter);
    std::string what;
    if (fault.kind == trace::kind::race ||
        (fault.kind == trace::kind::misaligned && !buffer.empty()))
        what = fmt::format("{} {}, whose contents or row pitch were guessed: the guess may be "
                           "wrong.",
                           fault.kind == trace::kind::race ? "two threads access one element of"
                                                           : "an access is misaligned in",
                           buffer);
    else if (fault.parameter < 0)
        what = fmt::format("the kernel follows a pointer. What {} holds was guessed: the guess "
                           "may be wrong.",
                           fmt::join(variant.doubtful, ", "));
    else
        what = fmt::format(
            "the kernel accesses memory beyond {}, whose {} guessed: the guess may "
            "be wrong.{}",
            buffer,
            depends_on_contents(fault, lab, variant) ? "size and contents were" : "size was",
            fault.needed_bytes == 0
                ? std::string()
                : fmt::format(" This access needs {} bytes there.", fault.needed_bytes));
    complaint.sentence = fmt::format(
        "At {} {} Describe it in lab.json, or with lanescope emulate --arg. If it is right: {}",
        where, what, fault.message);
    return complaint;
}

std::optional<Complaint> nothing_written(const trace::Trace& trace, const labs::Variant& variant)
{
    if (!variant.is_guessed()) return {};
    const trace::Site* skipped = nullptr;
    for (std::size_t i = 0; i < trace.sites.size() && i < trace.counts.size(); ++i) {
        const trace::Site& site = trace.sites[i];
        if (site.op == trace::Op::load || site.op == trace::Op::branch ||
            (site.space != trace::Space::global && site.space != trace::Space::generic))
            continue;
        if (trace.counts[i].requests > 0) return {};
        if (!skipped) skipped = &site;
    }
    if (!skipped) return {};
    return Complaint{.file = variant.source,
                     .line = skipped->line,
                     .warning = true,
                     .sentence = "Nothing was written: with the assumed launch no thread stores to "
                                 "memory. The guess may be wrong.",
                     .detail = "nothing_written"};
}

simt::Options Trials::careful_options(std::chrono::milliseconds budget)
{
    simt::Options options;
    options.checks = simt::Checks::all();
    options.time_limit_s = std::chrono::duration<double>(budget).count();
    options.survives_doubtful_results = true;
    // A typical step is a few ms of work: waking more threads costs more than they save.
    constexpr unsigned max_threads = 4;
    options.threads = static_cast<int>(std::min(cores(), max_threads));
    return options;
}

simt::Options Trials::predicting_options(std::chrono::milliseconds limit, int threads)
{
    simt::Options options;
    options.time_limit_s = std::chrono::duration<double>(limit).count();
    options.survives_doubtful_results = true;
    options.threads = threads;
    options.meetings = meetings_of_sass(assembled::default_architecture());
    return options;
}

TrialResult Trials::stopped(const labs::Variant& variant, std::vector<Complaint> complaints) const
{
    return {TextOutcome::Kind::stopped,
            fmt::format("{} was stopped after {} s on the lockstep machine.", variant.title,
                        std::chrono::duration<double>(budget_).count()),
            std::move(complaints),
            {}};
}

Trials::Trials(std::chrono::milliseconds budget) : Trials(budget, careful_options(budget)) {}

Trials::Trials(std::chrono::milliseconds budget, const simt::Options& options)
    : budget_(budget), device_(simt::make_device(options))
{
    device_->set_printer([](std::string_view) {}); // only the experiment on screen prints
}

Trials::~Trials() = default;

void Trials::cancel() noexcept
{
    abandoned_ = true;
    device_->cancel();
}

void Trials::resume() noexcept
{
    abandoned_ = false;
    device_->resume();
}

static labs::Values values_of(const labs::Lab& lab, const TrialStart& start)
{
    labs::Values values(lab);
    for (const auto& [id, text] : start.values)
        if (lab.find_parameter(id)) values.set(id, text);
    return values;
}

TrialResult Trials::attempt(const labs::Lab& lab, const labs::Variant& variant,
                            const TrialStart& start)
{
    Watchdog watchdog(*device_, budget_ * 3 / 2);
    TrialResult tried;
    std::string assumed;
    try {
        const labs::Values values = values_of(lab, start);
        device::PlainAllocator shown(*device_);
        trace::Trace trace;
        trace.per_warp = false;
        const auto experiment =
            lab.start({*device_, shown, lab, variant, values, start.seed, start.image});
        assumed = assumption_line(assumptions(lab, variant, values, experiment->shape()));
        experiment->step(&trace);
        experiment->picture(lab.views.front());
        watchdog.stop();
        for (const trace::Fault& fault : trace.faults)
            tried.complaints.push_back(complaint_about(fault, lab, variant, true));
        if (auto nothing = nothing_written(trace, variant))
            tried.complaints.push_back(std::move(*nothing));
        if (const auto idle = trace::idle_blocks(trace))
            tried.complaints.push_back({.file = variant.source,
                                        .warning = true,
                                        .sentence = idle->sentence,
                                        .detail = std::string(trace::kind::idle_blocks)});
        auto cost = std::make_shared<StepCost>();
        cost->asked = cost->values = as_texts(lab, values);
        cost->totals = trace.totals();
        cost->trace = std::make_shared<const trace::Trace>(std::move(trace));
        tried.cost = std::move(cost);
        tried.work_per_launch = experiment->work_per_launch();
    } catch (const device::Cancelled&) {
        const bool late = watchdog.stop();
        if (abandoned_ || !late) throw;
        device_->resume();
        tried = stopped(variant, {});
    } catch (const device::KernelFault& error) {
        const trace::Fault& fault = error.fault();
        if (trace::effect_of(fault.kind) == trace::Effect::exceeds_limit)
            tried = stopped(variant, {complaint_about(fault, lab, variant, false)});
        else
            tried = faulted(complaint_about(fault, lab, variant, false),
                            is_due_to_guess(fault, lab, variant));
    } catch (const std::bad_alloc&) {
        tried = stopped(variant, {});
        tried.sentence = "Not enough memory to validate the code at this size.";
    } catch (const std::exception& error) {
        tried = {TextOutcome::Kind::refused,
                 error.what(),
                 {{.file = variant.source, .sentence = error.what()}},
                 {}};
    }
    if (watchdog.stop() && !abandoned_) device_->resume();
    tried.assumed = std::move(assumed);
    return tried;
}

TrialResult Trials::attempt_reduced(const labs::Lab& lab, const labs::Variant& variant,
                                    const TrialStart& start)
{
    std::string words;
    TrialResult tried = attempt(lab, variant, reduced(lab, start, words));
    if (tried.cost && !words.empty()) {
        auto cost = std::make_shared<StepCost>(*tried.cost);
        cost->reduced = words;
        cost->asked = start.values;
        tried.cost = std::move(cost);
    }
    return tried;
}

TrialStart Trials::reduced(const labs::Lab& lab, const TrialStart& start, std::string& words) const
{
    TrialStart smaller = start;
    const auto largest = std::ranges::max_element(lab.test_sizes, {}, extent);
    if (largest == lab.test_sizes.end()) return smaller;
    for (const auto& [id, text] : *largest) {
        std::string& value = smaller.values[id];
        if (value == text) continue;
        value = text;
        const labs::Parameter* const parameter = lab.find_parameter(id);
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ",
                             parameter ? parameter->title : id, text);
    }
    return smaller;
}

Trials::Key Trials::key_of(const labs::Lab& lab, const labs::Variant& variant,
                           const TrialStart& start)
{
    const labs::Lab& owner =
        variant.edited.empty() && lab.texts && !lab.texts->files.contains(variant.source)
            ? labs::find(lab.origin())
            : lab;
    return {owner.place, variant.id, start};
}

void Trials::remember(const Key& key, const std::shared_ptr<const StepCost>& cost)
{
    if (counted_.size() >= max_remembered) counted_.clear();
    counted_[key] = cost;
}

TrialResult Trials::run(const labs::Lab& lab, const labs::Variant& variant, const TrialStart& start,
                        const labs::Variant* like)
{
    if (!variant.runs_on(device::Engine::simt)) return {};
    if (like) count(lab, *like, start);
    const auto large = std::pair(lab.origin(), start);
    TrialResult tried;
    if (!too_large_.contains(large)) tried = attempt(lab, variant, start);
    if (too_large_.contains(large) || tried.kind == TextOutcome::Kind::stopped)
        tried = attempt_reduced(lab, variant, start);
    if (tried.cost) remember(key_of(lab, variant, start), tried.cost);
    return tried;
}

std::shared_ptr<const StepCost> Trials::count(const labs::Lab& lab, const labs::Variant& variant,
                                              const TrialStart& start)
{
    const Key key = key_of(lab, variant, start);
    if (const auto known = counted_.find(key); known != counted_.end()) return known->second;
    if (!variant.runs_on(device::Engine::simt)) return {};
    const auto large = std::pair(lab.origin(), start);
    TrialResult tried;
    if (!too_large_.contains(large)) {
        const ThreadWatch since;
        tried = attempt(lab, variant, start);
        const bool slow = since.passed(std::chrono::duration<double>(budget_).count());
        if (too_large_.size() >= max_remembered) too_large_.clear();
        if (tried.kind == TextOutcome::Kind::stopped || slow) too_large_.insert(large);
    }
    if (too_large_.contains(large)) tried = attempt_reduced(lab, variant, start);
    remember(key, tried.cost);
    return tried.cost;
}

TimeReport Trials::predict(const labs::Lab& lab, const labs::Variant& variant,
                           const TrialStart& start)
{
    constexpr std::uint64_t max_words = std::uint64_t{1} << 23; // 64 MiB
    const counting::Gpu& gpu = counting::simulated_gpu();
    TimeReport report{.gpu = std::string(gpu.name)};
    if (const assembled::Tools tools = assembled::find_tools(); !tools.complete()) {
        report.unavailable = tools.missing;
        return report;
    }
    Watchdog watchdog(*device_, budget_ * 3 / 2);
    try {
        device::PlainAllocator shown(*device_);
        trace::Trace trace;
        trace.per_warp = false;
        const labs::Values values = values_of(lab, start);
        const auto experiment =
            lab.start({*device_, shown, lab, variant, values, start.seed, start.image});
        const RecordedAccesses recorded(*device_, "A prediction", max_words);
        experiment->step(&trace);
        watchdog.stop();
        const CacheReport caches =
            follow_caches(recorded.launches(), trace, gpu, caches::Before::warm);
        report = predict_time(recorded.launches(), caches, lab.ptx(variant), gpu);
    } catch (const device::Cancelled&) {
        const bool late = watchdog.stop();
        if (abandoned_ || !late) throw;
        report.unavailable = "Following the step through the caches took too long.";
    } catch (const std::bad_alloc&) {
        report.unavailable = "Not enough memory to follow the step through the caches.";
    } catch (const std::exception& error) {
        report.unavailable = error.what();
    }
    if (watchdog.stop() && !abandoned_) device_->resume();
    return report;
}

} // namespace lanescope::app
