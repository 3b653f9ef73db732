// Each submission gets its own lab, with its sources and the files that the assignment provides: it
// cannot include the reference. Its result is checked by another lab, which it cannot change.
#include "app/judge/measured.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <new>

#include "app/measure/counted.h"
#include "app/run/editing/complaints.h"
#include "app/run/editing/own_lab.h"
#include "app/run/editing/trial.h"
#include "app/run/engine/engine.h"
#include "compute/cuda/compile/compile.h"
#include "compute/endings.h"
#include "compute/error.h"
#include "compute/experiment/catalogue/files.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/experiment/record/experiment.h"
#include "compute/experiment/record/record.h"
#include "compute/experiment/source/includes.h"
#include "compute/simt/machine/state/options.h"
#include "compute/trace/findings.h"
#include "compute/trace/spaces.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

bool is_source(const std::string& name)
{
    const fs::path ending = fs::path(name).extension();
    for (const char* one :
         {ending::cuda_source, ending::ptx, ".cuh", ".h", ".hpp", ".cpp", ".inl", ".log"})
        if (ending == one) return true;
    return false;
}

// Files of a submission's lab: its sources, and the data files of the assignment's lab.
class SubmittedFiles {
public:
    SubmittedFiles(const Assignment& assignment, const JudgedLab& judged, SubmittedTexts texts)
        : judged_(judged), texts_(std::move(texts))
    {
        for (const std::string& name : assignment.provides)
            texts_[name] = std::string(judged.lab->file(name)); // the assignment's file wins
    }

    std::string_view get(const std::string& name)
    {
        const std::string& source = judged_.variant->source;
        if (name == source) return texts_.at(judged_.file);
        if (name == fs::path(source).replace_extension(ending::ptx)) return compiled_kernel().ptx;
        if (name == fs::path(source).replace_extension(ending::compiler_log))
            return compiled_kernel().log;
        if (is_source(name))
            throw Error(ExitStatus::no_such_thing,
                        fmt::format("The submission has no file {}.", name),
                        "Submit it, or include only the files that the assignment provides.");
        return judged_.lab->file(name);
    }

private:
    const labs::CompiledText& compiled_kernel()
    {
        const std::scoped_lock lock(mutex_);
        if (!compiled_kernel_) {
            const auto find = [this](const std::string& name) -> std::optional<std::string> {
                const auto found = texts_.find(name);
                if (found == texts_.end()) return std::nullopt;
                return found->second;
            };
            compiled_kernel_ = labs::compiled(
                labs::with_headers(texts_.at(judged_.file), judged_.file, find), judged_.file);
        }
        return *compiled_kernel_;
    }

    const JudgedLab& judged_;
    SubmittedTexts texts_;
    std::mutex mutex_;
    std::shared_ptr<const labs::CompiledText> compiled_kernel_;
};

labs::Values values_of(const labs::Lab& lab, const LabSize& size)
{
    labs::Values values(lab);
    for (const auto& [id, text] : size) values.set(id, text);
    return values;
}

// The check that the record has for the variant, changed to compare with the variant `reference`.
std::string check_against(const labs::Lab& lab, const labs::Variant& variant,
                          const std::string& reference, const std::optional<double>& tolerance)
{
    const Json record = Json::parse(lab.file(labs::record_file), nullptr, true, true);
    const Json& row = record["variants"][variant.index];
    Json check = row.contains("check") ? row["check"] : record.value("check", Json::object());
    for (const char* key : {"reference", "each", "options", "variant"}) check.erase(key);
    check["variant"] = reference;
    if (tolerance) check["tolerance"] = *tolerance;
    return check.dump();
}

// Adds a variant "checked" that runs the reference's kernel and compares with the reference.
void add_checked(const Assignment& assignment, JudgedLab& judged, const labs::Lab& lab)
{
    const labs::Variant& reference = labs::find_variant(lab, judged.reference);
    labs::Edited edited =
        labs::with_new_variant(lab, reference.id, "Checked", std::string(lab.source(reference)));
    Json record = Json::parse(edited.texts.files.at(labs::record_file), nullptr, true, true);
    Json& row = record["variants"].back();
    row["check"] = Json::parse(
        check_against(*judged.lab, *judged.variant, reference.id, assignment.tolerance));
    edited.texts.files[labs::record_file] = record.dump(2);
    judged.with_reference = &labs::open_texts(edited.texts);
    judged.checked = edited.variant;
}

void open_reference(const Assignment& assignment, JudgedLab& judged)
{
    const labs::CheckPlan& check = judged.lab->record->plans[judged.variant->index].check;
    const bool by_variant = !check.variant.empty() && check.variant != judged.variant->id;
    const bool by_formula = !check.reference.empty() || check.each.has_value();
    const labs::Lab* lab = judged.lab;
    judged.reference = assignment.reference;
    if (judged.reference.ends_with(ending::cuda_source)) {
        const std::string text = render::read_file(judged.reference, labs::max_text_bytes);
        const labs::Edited edited =
            labs::with_new_variant(*lab, judged.variant->id, "Reference", text);
        lab = &labs::open_texts(edited.texts);
        judged.reference = edited.variant;
    }
    if (judged.reference.empty() && by_variant) judged.reference = check.variant;
    if (!judged.reference.empty()) {
        lab->ptx(labs::find_variant(*lab, judged.reference)); // throws if it does not compile
        judged.with_reference = lab;
        if (!by_formula) add_checked(assignment, judged, *lab);
    }
    judged.has_check = by_formula || !judged.checked.empty();
}

struct MeasuredRun {
    const Assignment& assignment;
    const JudgedLab& judged;
    const labs::Lab& lab; // the submission's lab
    const LabSize& size;
};

simt::Options judging_options(const JudgeLimits& limits)
{
    simt::Options options;
    options.threads = 1; // one thread: every core judges a submission of its own
    options.checks = simt::Checks::all();
    options.step_budget = limits.warp_instructions;
    options.time_limit_s = limits.launch_seconds;
    options.survives_doubtful_results = true;
    return options;
}

labs::Setup setup_of(device::Device& device, device::Allocator& memory, const labs::Lab& lab,
                     const labs::Variant& variant, const MeasuredRun& run)
{
    return {device, memory, lab, variant, values_of(lab, run.size), run.assignment.seed, {}};
}

std::size_t shared_bytes(const labs::Experiment::Shape& shape)
{
    return shape.dynamic_shared_bytes +
           (shape.kernel ? shape.kernel->attributes().static_shared_bytes : 0);
}

// JSON has neither NaN nor infinity.
Json number_or_null(double value)
{
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json place_of(const trace::Fault& fault, const labs::Lab& lab, const labs::Variant& variant)
{
    const Complaint complaint = complaint_about(fault, lab, variant, true);
    return {{"kind", fault.kind},
            {"message", complaint.sentence},
            {"file", complaint.file},
            {"line", complaint.line}};
}

// Counts the result's elements, and those that no store and no atomic operation reached.
void add_coverage(Json& facts, const trace::Trace& trace)
{
    const auto& owners = trace.footprint.owners;
    if (owners.empty()) return;
    bool any_atomic = false;
    for (std::size_t i = 0; i < trace.counts.size(); ++i) {
        const trace::Site& site = trace.sites[i % trace.sites.size()];
        any_atomic |= (site.op == trace::Op::atomic || site.op == trace::Op::reduction) &&
                      site.space != trace::Space::shared && trace.counts[i].executions > 0;
    }
    const auto is_updated = [&](std::uint64_t address) {
        // Without ranges, as in steps of several launches, atomics may have reached any element.
        return any_atomic &&
               (trace.touched.empty() || std::ranges::any_of(trace.touched, [&](const auto& one) {
                    return address >= one.updated.begin && address < one.updated.end;
                }));
    };
    std::size_t unwritten = 0;
    for (std::size_t i = 0; i < owners.size(); ++i)
        if (owners[i] == 0 &&
            !is_updated(trace.footprint.address +
                        i * static_cast<std::uint64_t>(trace.footprint.element_bytes)))
            ++unwritten;
    facts["elements"] = owners.size();
    facts["unwritten"] = unwritten;
}

bool adds_floats(const std::string& ptx)
{
    return ptx.find(".add") != ptx.npos &&
           (ptx.find(".f16") != ptx.npos || ptx.find(".f32") != ptx.npos ||
            ptx.find(".f64") != ptx.npos || ptx.find(".bf16") != ptx.npos);
}

// Reasons why the result may depend on the order of threads.
Json orders_in(const trace::Trace& trace)
{
    Json reasons = Json::array();
    const auto add = [&](std::string sentence) {
        if (std::ranges::find(reasons, Json(sentence)) == reasons.end())
            reasons.push_back(std::move(sentence));
    };
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        const trace::Site& site = trace.sites[i];
        if ((site.op == trace::Op::atomic || site.op == trace::Op::reduction) &&
            trace.counts[i].executions > 0 && adds_floats(site.ptx))
            add(fmt::format("Line {} adds floating-point numbers atomically: sums are rounded in "
                            "the order in which threads arrive.",
                            site.line));
    }
    for (const trace::Fault& fault : trace.faults)
        if (fault.kind == trace::kind::either_value || fault.kind == trace::kind::volatile_order)
            add(fault.message);
    return reasons;
}

Json lines_of(const trace::Trace& trace, const std::string& file)
{
    std::map<int, trace::Counts> lines;
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        const trace::Site& site = trace.sites[i];
        if (site.line <= 0 || fs::path(site.file).filename() != file) continue;
        trace::Counts counts = trace.counts[i];
        if (!trace::costs_passes(site.space)) counts.wavefronts = counts.ideal_wavefronts = 0;
        lines[site.line] += counts;
    }
    Json all = Json::array();
    for (const auto& [line, counts] : lines)
        all.push_back({{"line", line},
                       {"executions", counts.executions},
                       {"lanes", counts.lanes},
                       {"requests", counts.requests},
                       {"sectors", counts.sectors},
                       {"ideal_sectors", counts.ideal_sectors},
                       {"wavefronts", counts.wavefronts},
                       {"ideal_wavefronts", counts.ideal_wavefronts}});
    return all;
}

// Result of the reference's steps, and its counts.
struct ReferenceRun {
    std::unique_ptr<device::Device> device;
    std::unique_ptr<device::PlainAllocator> memory;
    std::unique_ptr<labs::RecordedExperiment> experiment;
    std::map<std::string, double> counts{};
};

std::unique_ptr<ReferenceRun> run_reference(const MeasuredRun& run)
{
    if (!run.judged.with_reference) return nullptr;
    const labs::Lab& lab = *run.judged.with_reference;
    const std::string& id = run.judged.checked.empty() ? run.judged.reference : run.judged.checked;
    auto reference = std::make_unique<ReferenceRun>();
    reference->device = open_engine("simt", {.threads = 1}).device;
    reference->memory = std::make_unique<device::PlainAllocator>(*reference->device);
    reference->experiment = std::make_unique<labs::RecordedExperiment>(
        setup_of(*reference->device, *reference->memory, lab, labs::find_variant(lab, id), run));
    trace::Trace trace;
    trace.per_warp = false;
    reference->experiment->step(&trace);
    reference->counts = counted_values(trace, reference->experiment->work_per_launch(),
                                       shared_bytes(reference->experiment->shape()));
    for (int step = 1; step < run.assignment.steps; ++step) reference->experiment->step(nullptr);
    return reference;
}

// Runs the submission's steps on a separate machine.
struct SubmissionRun {
    std::unique_ptr<device::Device> device;
    std::unique_ptr<device::PlainAllocator> memory;
    std::unique_ptr<labs::RecordedExperiment> experiment;
    trace::Trace first{}; // trace of the first step, with the warnings of all steps

    SubmissionRun(const MeasuredRun& run, const simt::Options& options)
    {
        device = open_engine("simt", options).device;
        memory = std::make_unique<device::PlainAllocator>(*device);
        experiment = std::make_unique<labs::RecordedExperiment>(
            setup_of(*device, *memory, run.lab, *run.judged.variant, run));
        first.per_warp = false;
        first.records_touches = true;
        const labs::Experiment::Result result = experiment->next_result();
        if (result.buffer || result.image) first.footprint = result.footprint();
        experiment->step(&first);
        for (int step = 1; step < run.assignment.steps; ++step) {
            trace::Trace trace;
            trace.per_warp = false;
            experiment->step(&trace);
            for (const trace::Fault& fault : trace.faults)
                if (std::ranges::none_of(first.faults, [&](const trace::Fault& known) {
                        return known.kind == fault.kind && known.line == fault.line;
                    }))
                    first.faults.push_back(fault);
        }
    }
};

void add_result(Json& facts, const MeasuredRun& run, SubmissionRun& submitted,
                ReferenceRun* reference)
{
    if (!run.judged.has_check) return;
    const labs::Check check = run.judged.checked.empty()
                                  ? submitted.experiment->check()
                                  : reference->experiment->check(submitted.experiment->result());
    facts["correct"] = check.correct;
    facts["max_error"] = number_or_null(check.max_error);
    facts["tolerance"] = number_or_null(check.tolerance);
    if (!check.correct) facts["message"] = check.message;
}

// A sentence about another order of threads that gives a different result; empty if none does.
std::string order_with_other_result(const MeasuredRun& run, SubmissionRun& submitted)
{
    constexpr std::uint64_t orders = 16;
    simt::Options options = judging_options(run.assignment.limits);
    options.checks = {};
    options.keep_going = 0;
    for (options.order = 1; options.order <= orders; ++options.order) {
        try {
            SubmissionRun again(run, options);
            if (again.experiment->result() == submitted.experiment->result()) continue;
        } catch (const device::KernelFault& fault) {
            return fmt::format("In a different order of threads that CUDA permits (number {}), it "
                               "faults: {}",
                               options.order, fault.what());
        }
        return fmt::format("Another order of threads that CUDA permits (number {}) gives a "
                           "different result.",
                           options.order);
    }
    return {};
}

void add_order_dependence(Json& facts, const MeasuredRun& run, SubmissionRun& submitted)
{
    Json reasons = orders_in(submitted.first);
    if (std::string sentence = order_with_other_result(run, submitted); !sentence.empty())
        reasons.push_back(std::move(sentence));
    facts["order"] = std::move(reasons);
}

bool asks_for(const Assignment& assignment, Requirement::Kind kind)
{
    return std::ranges::find(assignment.requirements, kind, &Requirement::kind) !=
           assignment.requirements.end();
}

struct RunFacts {
    Json facts{};
    Json lines{};
};

RunFacts run_at(const MeasuredRun& run)
{
    RunFacts result;
    Json& facts = result.facts;
    facts = {{"size", size_text(run.size)},
             {"outcome", "finished"},
             {"message", ""},
             {"fault", nullptr},
             {"warnings", Json::array()},
             {"correct", nullptr},
             {"max_error", nullptr},
             {"tolerance", nullptr},
             {"elements", nullptr},
             {"unwritten", nullptr},
             {"order", Json::array()},
             {"counts", Json::object()},
             {"reference_counts", Json::object()}};
    const labs::Variant& variant = *run.judged.variant;
    const auto ended = [&](const char* outcome, const std::string& message) {
        facts["outcome"] = outcome;
        facts["message"] = message;
    };
    const auto reference = run_reference(run); // its errors are the assignment's
    try {
        SubmissionRun submitted(run, judging_options(run.assignment.limits));
        for (const trace::Fault& fault : submitted.first.faults)
            facts["warnings"].push_back(place_of(fault, run.lab, variant));
        facts["counts"] = counted_values(submitted.first, submitted.experiment->work_per_launch(),
                                         shared_bytes(submitted.experiment->shape()));
        if (reference) facts["reference_counts"] = reference->counts;
        add_coverage(facts, submitted.first);
        add_result(facts, run, submitted, reference.get());
        if (asks_for(run.assignment, Requirement::Kind::deterministic))
            add_order_dependence(facts, run, submitted);
        result.lines = lines_of(submitted.first, run.judged.file);
    } catch (const device::KernelFault& error) {
        const trace::Fault& fault = error.fault();
        const Json place = place_of(fault, run.lab, variant);
        ended(trace::is_stop(fault.kind) ? "stopped" : "fault", place["message"]);
        if (is_due_to_guess(fault, run.lab, variant)) facts["outcome"] = "refused";
        facts["fault"] = {
            {"kind", place["kind"]}, {"file", place["file"]}, {"line", place["line"]}};
    } catch (const std::bad_alloc&) {
        ended("stopped", "It needs more memory than the assignment allows.");
    } catch (const Error& error) {
        ended("refused", error.what());
    }
    return result;
}

Json compiled(const labs::Lab& lab, const JudgedLab& judged)
{
    Json facts{{"ok", true}, {"message", ""}, {"line", 0}};
    try {
        const std::string_view text = lab.source(*judged.variant);
        if (text.find_first_not_of(" \t\r\n") == text.npos)
            throw Error(ExitStatus::bad_usage, fmt::format("{} is empty.", judged.file));
        lab.ptx(*judged.variant);
    } catch (const cuda::CompileError& error) {
        const Complaint first = complaints_in(error.log(), judged.file).front();
        facts = {{"ok", false}, {"message", first.sentence}, {"line", first.line}};
    } catch (const Error& error) {
        if (error.status() == ExitStatus::device_unavailable) throw; // no compiler
        facts = {{"ok", false}, {"message", error.what()}, {"line", 0}};
    }
    return facts;
}

} // namespace

JudgedLab open_judged_lab(const Assignment& assignment)
{
    try {
        JudgedLab judged;
        judged.lab = is_kernel_file(assignment.lab)
                         ? &labs::open_texts(read_kernels(assignment.lab).texts)
                         : &labs::find(assignment.lab);
        judged.variant = assignment.variant.empty()
                             ? &judged.lab->variants.front()
                             : &labs::find_variant(*judged.lab, assignment.variant);
        judged.file = assignment.file.empty() ? judged.variant->source : assignment.file;
        open_reference(assignment, judged);
        for (const LabSize& size : assignment.all_sizes()) values_of(*judged.lab, size);
        for (const std::string& name : assignment.provides) judged.lab->file(name);
        if (!judged.has_check && asks_for(assignment, Requirement::Kind::result))
            throw Error(ExitStatus::bad_usage,
                        "neither a reference nor a check defines the right result.",
                        "Add \"reference\", a variant's id or a .cu file, or a check to lab.json.");
        return judged;
    } catch (const Error& error) {
        throw Error(error.status(), fmt::format("{}: {}", assignment.path.string(), error.what()));
    }
}

Json measured(const Assignment& assignment, const SubmittedTexts& texts)
{
    const JudgedLab judged = open_judged_lab(assignment);
    if (!texts.contains(judged.file))
        return {{"compiled",
                 {{"ok", false},
                  {"message", fmt::format("There is no file {} in the submission.", judged.file)},
                  {"line", 0}}},
                {"runs", Json::array()},
                {"lines", Json::array()}};
    labs::Lab lab = *judged.lab;
    const auto files = std::make_shared<SubmittedFiles>(assignment, judged, texts);
    lab.files = [files](std::string_view name) { return files->get(std::string(name)); };
    Json facts{
        {"compiled", compiled(lab, judged)}, {"runs", Json::array()}, {"lines", Json::array()}};
    if (!facts["compiled"]["ok"].get<bool>()) return facts;
    for (const LabSize& size : assignment.all_sizes()) {
        RunFacts run = run_at({assignment, judged, lab, size});
        facts["runs"].push_back(std::move(run.facts));
        // Lines only come from the assignment's sizes, because the student's page shows them.
        const bool shown = std::ranges::find(assignment.sizes, size) != assignment.sizes.end();
        if (shown && facts["lines"].empty() && run.lines.is_array())
            facts["lines"] = std::move(run.lines);
    }
    return facts;
}

} // namespace lanescope::app
