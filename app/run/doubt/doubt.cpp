// Runs the versions, chooses the differing element that was stored first, and walks back from it in
// both. The causes are looked for separately: findings of the checks, values that nothing wrote,
// operations that C++ leaves undefined, and rounding.
#include "app/run/doubt/doubt.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/run/debug/slice_comparison.h"
#include "app/run/doubt/causes.h"
#include "app/run/doubt/contraction.h"
#include "app/run/doubt/line_walk.h"
#include "app/run/doubt/runs/gpu_run.h"
#include "app/run/doubt/runs/lane_stream.h"
#include "app/run/kernel/kernel_names.h"
#include "compute/trace/findings.h"

namespace lanescope::app {
namespace {

using simt::Slice;
using simt::SliceNode;
using Kind = SliceNode::Kind;

std::vector<std::string> split_lines(const std::string& text)
{
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string line = text.substr(begin, end - begin);
        line.erase(std::min(line.find("//"), line.size()));
        line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
        line.erase(line.find_last_not_of(" \t\r") + 1);
        lines.push_back(std::move(line));
        begin = end + 1;
    }
    return lines;
}

// Like matched_lines(), but texts that are too long for it are matched line by line.
std::vector<int> lines_of_texts(const std::vector<std::string>& one,
                                const std::vector<std::string>& other)
{
    std::vector<int> lines = matched_lines(one, other);
    if (std::ranges::any_of(lines, [](int line) { return line > 0; })) return lines;
    for (std::size_t i = 1; i < lines.size() && i <= other.size(); ++i)
        lines[i] = static_cast<int>(i);
    return lines;
}

std::string line_of(const std::vector<std::string>& lines, int line)
{
    return trimmed_line(lines, line);
}

simt::Place place_of(const ResultMemory& memory, const DifferentElement& element)
{
    simt::Place place = memory.place;
    place.address += element.index * static_cast<std::size_t>(element.bytes);
    place.bytes = element.bytes;
    return place;
}

// "%r5 = 7, from %r3 = 3, %r4 = 4"
std::string operation_text(const Slice& slice, int index)
{
    const SliceNode& made = node(slice, index);
    std::vector<std::string> operands;
    for (const int source : made.sources) {
        const SliceNode& one = node(slice, source);
        std::string text = named_value(one);
        if (one.kind == Kind::undefined) text = fmt::format("{}, which has no value", one.name);
        if (operands.size() < 8) operands.push_back(std::move(text));
    }
    if (operands.empty()) return named_value(made);
    return fmt::format("{}, from {}", named_value(made), fmt::join(operands, ", "));
}

DoubtSide side_of(const std::string& name, const std::string& value, const Slice& slice)
{
    DoubtSide side;
    side.name = name;
    side.value = value;
    if (slice.nodes.empty() || !slice.written) return side;
    const SliceNode& root = slice.nodes.front();
    side.written = true;
    side.line = root.at.line;
    side.ptx_line = root.at.ptx_line;
    side.store = root.at.ptx;
    side.position = root.position;
    side.block = root.block;
    side.warp = root.warp;
    side.lane = root.lane;
    const int made = maker(slice, 0);
    const SliceNode& by = node(slice, made);
    side.instruction = by.at.ptx.empty() ? root.at.ptx : by.at.ptx;
    side.instruction_line = by.at.ptx.empty() ? root.at.ptx_line : by.at.ptx_line;
    side.operation = operation_text(slice, made);
    return side;
}

// The differing element whose wrong value was stored first.
DifferentElement first_stored(const Differences& found, VersionRun& run)
{
    DifferentElement best = found.first.front();
    std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max();
    for (const DifferentElement& element : found.first) {
        const auto writer = run.slicer().writer(place_of(run.memory()[element.memory], element), 0);
        if (!writer || writer->write.position >= lowest) continue;
        lowest = writer->write.position;
        best = element;
    }
    return best;
}

constexpr const char* given_gpu = "GPU"; // values of --got

// Runs one of several versions. Launches that are refused or do not end are reported with its name,
// because the versions' kernels usually have the same one.
std::unique_ptr<VersionRun> run_named(const std::string& name, const KernelLaunch& launch,
                                      const DoubtLimits& limits)
{
    try {
        return std::make_unique<VersionRun>(launch, limits);
    } catch (const Error& error) {
        throw Error(error.status(), fmt::format("{}: {}", name, error.what()));
    }
}

class Doubting {
public:
    explicit Doubting(const DoubtQuestion& question) : question_(question)
    {
        report_.kernel = demangled(question.first.kernel);
        if (question.kind == DoubtKind::one_text) {
            first_ = std::make_unique<VersionRun>(question.first, question.limits);
            return;
        }
        first_ = run_named(question.first_name, question.first, question.limits);
        second_ = run_named(question.second_name, question.second, question.limits);
    }

    DoubtReport report()
    {
        note_findings();
        if (second_ != nullptr) compare_versions();
        if (has_source() && report_.line == 0) note_facts_of_faults();
        if (!question_.expect.empty() && report_.element.empty())
            compare_with_given(question_.expect, "expected");
        if (!question_.got.empty() && report_.element.empty())
            compare_with_given(question_.got, given_gpu);
        if (question_.gpu && report_.element.empty()) compare_with_gpu();
        conclude();
        return std::move(report_);
    }

private:
    bool has_source() const { return question_.kind == DoubtKind::compilations; }

    // --- Causes that the checks find ---

    void note_findings()
    {
        add_findings(question_.first, first_->fault(),
                     second_ ? question_.first_name : std::string());
        if (second_) add_findings(question_.second, second_->fault(), question_.second_name);
    }
    void add_findings(const KernelLaunch& launch, const std::optional<trace::Fault>& fault,
                      const std::string& version)
    {
        std::vector<trace::Fault> all;
        if (fault) all.push_back(*fault);
        for (trace::Fault& each : findings_of(launch, question_.limits))
            all.push_back(std::move(each));
        for (const trace::Fault& each : all) {
            if (trace::is_stop(each.kind)) continue;
            DoubtCause cause;
            cause.kind = each.kind;
            cause.sentence = each.message;
            cause.line = each.line;
            cause.version = version;
            add_cause(std::move(cause));
        }
    }
    // A cause that both versions have is listed once, without a version.
    void add_cause(DoubtCause cause)
    {
        for (DoubtCause& known : report_.causes)
            if (known.kind == cause.kind && known.line == cause.line) {
                if (known.version != cause.version) known.version.clear();
                return;
            }
        report_.causes.push_back(std::move(cause));
    }

    // --- Two versions ---

    void compare_versions()
    {
        const Differences found =
            differences(first_->memory(), second_->memory(), question_.tolerance);
        report_.compared = found.compared;
        report_.different = found.different;
        if (found.different == 0) return;
        const DifferentElement element = first_stored(found, *first_);
        const ResultMemory& memory = first_->memory()[element.memory];
        report_.element = fmt::format("{}[{}]", memory.title, element.index);
        const auto other = std::ranges::find(second_->memory(), memory.id, &ResultMemory::id);
        const Slice one =
            first_->slicer().why(place_of(memory, element), 0, {.with_addresses = true});
        const Slice two =
            second_->slicer().why(place_of(*other, element), 0, {.with_addresses = true});
        report_.sides.push_back(side_of(question_.first_name, element.one, one));
        report_.sides.push_back(side_of(question_.second_name, element.other, two));
        if (has_source())
            compare_compilations(one, two);
        else
            compare_texts(one, two);
        explain_rounding();
    }

    void compare_compilations(const Slice& one, const Slice& two)
    {
        if (!one.written || !two.written) {
            const bool by_first = one.written;
            const DoubtSide& side = report_.sides[by_first ? 0 : 1];
            place_at(side.line, fmt::format("Only {} stores the element.", side.name));
            if (one.written || two.written) note_lane_facts(one, two);
            note_facts_of_faults();
            return;
        }
        const Divergence divergence = divergence_of(one, two);
        const SliceNode& mine = node(one, divergence.one);
        const SliceNode& theirs = node(two, divergence.other);
        place_at(divergence.line,
                 fmt::format("It is {} with {}, but {} with {}.",
                             mine.kind == Kind::undefined ? "without a value" : mine.text(),
                             question_.first_name,
                             theirs.kind == Kind::undefined ? "without a value" : theirs.text(),
                             question_.second_name));
        report_.inputs = divergence.inputs;
        report_.merged = divergence.lines_used;
        set_instructions(mine, theirs);
        note_undefined(one, two, divergence);
        for (DoubtCause& cause : aliasing_causes(one, question_.source))
            add_cause(std::move(cause));
        note_lane_facts(one, two);
        if (auto cause =
                approximation_cause(mine, theirs, question_.first_name, question_.second_name)) {
            cause->line = divergence.line;
            add_cause(std::move(*cause));
        }
    }

    void set_instructions(const SliceNode& mine, const SliceNode& theirs)
    {
        const auto set = [](DoubtSide& side, const SliceNode& from) {
            if (from.at.ptx.empty()) return;
            side.instruction = from.at.ptx;
            side.instruction_line = from.at.ptx_line;
        };
        set(report_.sides[0], mine);
        set(report_.sides[1], theirs);
    }

    void note_undefined(const Slice& one, const Slice& two, const Divergence& divergence)
    {
        if (divergence.undefined < 0) return;
        const bool other = divergence.undefined_is_other;
        const SliceNode& from = node(other ? two : one, divergence.undefined);
        DoubtCause cause;
        cause.kind = "uninitialised";
        cause.sentence = fmt::format("The value comes from {}, which nothing has written.",
                                     from.name.empty() ? "a variable" : from.name);
        cause.line = divergence.line;
        cause.version = other ? question_.second_name : question_.first_name;
        add_cause(std::move(cause));
    }

    void note_lane_facts(const Slice& one, const Slice& two)
    {
        const SliceNode& root = one.written ? one.nodes.front() : two.nodes.front();
        note_lane_facts(
            {root.block, root.warp, root.lane, one.written ? root.position : ~std::uint64_t{0}});
    }

    // The lane of a fault in one version may do something undefined in the other, too.
    void note_facts_of_faults()
    {
        for (const auto* run : {first_.get(), second_.get()}) {
            if (!run->fault()) continue;
            const trace::Fault& fault = *run->fault();
            const Dim3& grid = question_.first.grid;
            const Dim3& block = question_.first.block;
            const auto thread = static_cast<int>(
                fault.thread.x + block.x * (fault.thread.y + block.y * fault.thread.z));
            note_lane_facts(
                {fault.block.x + grid.x * (fault.block.y + std::uint64_t{grid.y} * fault.block.z),
                 thread / simt::warp_lanes, thread % simt::warp_lanes, ~std::uint64_t{0}});
            if (report_.line == 0) place_at(fault.line, fault.message);
        }
    }

    void note_lane_facts(const LaneTime& time)
    {
        const std::vector<LaneFact> facts = lane_facts(*first_, time);
        for (const LaneFact& fact : facts) {
            DoubtCause cause;
            cause.kind = fact.kind;
            cause.sentence = fact.sentence;
            cause.line = fact.line;
            cause.ptx_line = fact.ptx_line;
            add_cause(std::move(cause));
        }
        // The first line that C++ leaves undefined comes before everything that depends on it.
        if (facts.empty() || facts.front().line == 0) return;
        place_at(facts.front().line, report_.sentence);
    }

    // Follows the lane that stored the element through both texts. False if that leads elsewhere.
    bool compare_streams(const Slice& one, const Slice& two, const std::vector<int>& lines)
    {
        if (!one.written || !two.written) return false;
        const SliceNode& a = one.nodes.front();
        const SliceNode& b = two.nodes.front();
        if (std::tuple(a.block, a.warp, a.lane) != std::tuple(b.block, b.warp, b.lane))
            return false;
        const StreamDifference found =
            stream_difference(lane_stream(*first_, {a.block, a.warp, a.lane, a.position}),
                              lane_stream(*second_, {b.block, b.warp, b.lane, b.position}), lines);
        using Kind = StreamDifference::Kind;
        if (found.kind == Kind::none || found.kind == Kind::memory) return false;
        report_.line = found.ptx_line;
        report_.sentence =
            found.kind == Kind::path
                ? fmt::format("From here the lane takes a different path than in {}.",
                              question_.second_name)
            : found.kind == Kind::carry
                ? fmt::format("Its result agrees, but its carry is {}, not {} as in {}.", found.one,
                              found.other, question_.second_name)
                : fmt::format("Its result is {:#x}, but {:#x} in {}, and its inputs agree.",
                              found.one, found.other, question_.second_name);
        return true;
    }

    void compare_slices(const Slice& one, const Slice& two, const std::vector<int>& lines)
    {
        FirstWrong wrong;
        if (one.complete && two.complete)
            wrong = first_differing_line({&first_->slicer(), 1, true}, one,
                                         {&second_->slicer(), 1, true}, two, lines,
                                         question_.second_name);
        if (wrong.line > 0) {
            report_.line = wrong.line;
            report_.sentence = wrong.sentence;
        } else if (report_.sides[0].written) {
            report_.line = report_.sides[0].instruction_line;
            report_.sentence = "No earlier value could be compared.";
        }
    }

    void compare_texts(const Slice& one, const Slice& two)
    {
        const std::vector<std::string> mine = split_lines(question_.first.ptx);
        const std::vector<std::string> theirs = split_lines(question_.second.ptx);
        const std::vector<int> lines = lines_of_texts(mine, theirs);
        report_.in_ptx = true;
        if (!compare_streams(one, two, lines)) compare_slices(one, two, lines);
        report_.text = line_of(mine, report_.line);
        const auto there = static_cast<std::size_t>(report_.line);
        if (there >= lines.size() || lines[there] == 0) return;
        const std::string other = line_of(theirs, lines[there]);
        if (other == report_.text) return;
        DoubtCause cause;
        cause.kind = "different_instruction";
        cause.ptx_line = report_.line;
        cause.sentence =
            fmt::format("{} has \"{}\" here, {} has \"{}\" in line {}.", question_.first_name,
                        report_.text, question_.second_name, other, lines[there]);
        cause.culprit = DoubtCulprit::texts;
        add_cause(std::move(cause));
    }

    // True if `other` agrees with the first version in all elements.
    bool agrees_with_first(const KernelLaunch& other)
    {
        const VersionRun run(other, question_.limits);
        return differences(first_->memory(), run.memory(), question_.tolerance).different == 0;
    }

    // Contraction explains a difference if it is gone without it.
    void explain_rounding()
    {
        if (question_.kind != DoubtKind::compilations || question_.without_contraction.empty() ||
            question_.without_contraction == question_.second.ptx)
            return;
        KernelLaunch plain = question_.second;
        plain.ptx = question_.without_contraction;
        if (!agrees_with_first(plain)) return;
        DoubtCause cause;
        cause.kind = "contraction";
        cause.line = report_.line;
        cause.sentence = fmt::format(
            "{} fuses a product and a sum into one fma, which rounds once instead of twice; with "
            "--fmad=false the results are equal.",
            question_.second_name);
        cause.culprit = DoubtCulprit::rounding;
        add_cause(std::move(cause));
    }

    void place_at(int line, std::string sentence)
    {
        report_.line = line;
        report_.sentence = std::move(sentence);
        report_.text = line_of(question_.source, line);
    }

    // --- Values from elsewhere ---

    // Compares the values of one run with others that were not computed here.
    void compare_with(const std::vector<ResultMemory>& values, const std::string& name,
                      VersionRun& run, const std::string& run_name)
    {
        const Differences found = differences(run.memory(), values, question_.tolerance);
        report_.compared = std::max(report_.compared, found.compared);
        if (found.different == 0) return;
        report_.different = found.different;
        const DifferentElement element = first_stored(found, run);
        const ResultMemory& memory = run.memory()[element.memory];
        report_.element = fmt::format("{}[{}]", memory.title, element.index);
        const Slice slice = run.slicer().why(place_of(memory, element), 0);
        report_.sides = {side_of(run_name, element.one, slice), {}};
        report_.sides[1].name = name;
        report_.sides[1].value = element.other;
        report_.in_ptx = !has_source();
        const DoubtSide& side = report_.sides[0];
        report_.line = report_.in_ptx ? side.instruction_line : side.line;
        report_.text = report_.in_ptx ? side.instruction : line_of(question_.source, side.line);
        report_.sentence =
            side.written ? fmt::format("The last instruction that computed it: {}.", side.operation)
                         : std::string("Nothing in the launch writes it.");
        note_undefined_leaves(slice);
        for (DoubtCause& cause : undefined_in_ptx(slice))
            if (cause.culprit != DoubtCulprit::rounding || are_close(element, memory))
                add_cause(std::move(cause));
        explain_contraction(values, run);
        if (report_.causes.empty()) explain_by_one_instruction(values, run);
    }

    // Finds instructions that explain all other values if one was computed differently. The first
    // of them is the first that differs.
    void explain_by_one_instruction(const std::vector<ResultMemory>& values, const VersionRun& run)
    {
        report_.explanations = explaining_mutants(run.launch(), values, question_.tolerance);
        if (report_.explanations.empty() || has_source()) return;
        const Mutant& first = report_.explanations.front();
        report_.line = first.ptx_line;
        report_.text = first.instruction;
        const std::size_t others = report_.explanations.size() - 1;
        report_.sentence =
            fmt::format("Computing \"{}\" instead gives the other values{}.", first.instead,
                        others == 0 ? ""
                                    : fmt::format("; so does a change of {} other instruction{}",
                                                  others, others == 1 ? "" : "s"));
    }

    // True for values that approximations may explain.
    static bool are_close(const DifferentElement& element, const ResultMemory& memory)
    {
        if (memory.type == nullptr || !memory.type->is_float) return false;
        const double one = std::strtod(element.one.c_str(), nullptr);
        const double other = std::strtod(element.other.c_str(), nullptr);
        constexpr double max_relative = 1e-3;
        return std::abs(one - other) <= max_relative * std::max(std::abs(one), std::abs(other));
    }

    void note_undefined_leaves(const Slice& slice)
    {
        for (const SliceNode& each : slice.nodes) {
            if (each.kind != Kind::undefined) continue;
            DoubtCause cause;
            cause.kind = "uninitialised";
            cause.sentence =
                fmt::format("The value depends on {}, which nothing has written.", each.name);
            cause.line = has_source() ? report_.sides[0].line : 0;
            cause.ptx_line = report_.sides[0].ptx_line;
            add_cause(std::move(cause));
            return;
        }
    }

    // True if rounding products and sums in another way that PTX permits gives the other values.
    // The lockstep machine fuses them as ptxas -O3 does.
    void explain_contraction(const std::vector<ResultMemory>& values, const VersionRun& run)
    {
        const ptx::Module module = ptx::parse(run.launch().ptx);
        for (const std::string& text :
             {separately_rounded(module), contracted(module, true), contracted(module, false)}) {
            KernelLaunch other = run.launch();
            other.ptx = text;
            if (text == run.launch().ptx) continue;
            const VersionRun rounded(other, question_.limits);
            if (differences(rounded.memory(), values, question_.tolerance).different > 0) continue;
            DoubtCause cause;
            cause.kind = "contraction";
            cause.line = has_source() ? report_.line : 0;
            cause.ptx_line = report_.sides[0].instruction_line;
            cause.sentence = "PTX lets the assembler fuse products and sums that have no rounding "
                             "modifier; a different choice gives the other results.";
            cause.culprit = DoubtCulprit::rounding;
            add_cause(std::move(cause));
            return;
        }
    }

    void compare_with_given(const std::vector<std::string>& texts, const std::string& name)
    {
        VersionRun& run = second_ ? *second_ : *first_;
        Expected given;
        for (const std::string& text : texts) add_expected(text, run.memory(), given);
        compare_with(with_expected(run.memory(), given), name, run,
                     second_ ? question_.second_name : question_.first_name);
    }

    void compare_with_gpu()
    {
        VersionRun& run = second_ ? *second_ : *first_;
        const std::string machine = "the lockstep machine";
        const GpuResults plain = gpu_results(run.launch(), 0);
        const GpuResults optimised = gpu_results(run.launch(), 4);
        for (const auto* results : {&plain, &optimised})
            if (!results->fault.empty()) {
                DoubtCause cause;
                cause.kind = "gpu_fault";
                cause.sentence = results->fault;
                cause.version = results->name;
                add_cause(std::move(cause));
            }
        compare_with(optimised.memory, optimised.name, run, machine);
        if (report_.element.empty()) {
            compare_with(plain.memory, plain.name, run, machine);
            gpu_plain_alone_ = !report_.element.empty();
            return;
        }
        const bool same =
            differences(plain.memory, optimised.memory, question_.tolerance).different == 0;
        gpu_plain_agrees_ =
            differences(run.memory(), plain.memory, question_.tolerance).different == 0;
        DoubtSide side;
        side.name = plain.name;
        side.value = same                ? report_.sides[1].value
                     : gpu_plain_agrees_ ? report_.sides[0].value
                                         : std::string("another value");
        report_.sides.push_back(std::move(side));
    }

    // --- The verdict ---

    const DoubtCause* cause_of(DoubtCulprit culprit) const
    {
        const auto found = std::ranges::find(report_.causes, culprit, &DoubtCause::culprit);
        return found == report_.causes.end() ? nullptr : &*found;
    }

    void conclude()
    {
        const auto fused = std::ranges::find(report_.causes, "contraction", &DoubtCause::kind);
        const DoubtCause* const rounding =
            fused != report_.causes.end() ? &*fused : cause_of(DoubtCulprit::rounding);
        const DoubtCause* const kernel = cause_of(DoubtCulprit::kernel);
        const DoubtCause* const open = cause_of(DoubtCulprit::open);
        const DoubtCause* const texts = cause_of(DoubtCulprit::texts);
        const auto set = [&](DoubtCulprit culprit, std::string verdict) {
            report_.culprit = culprit;
            report_.verdict = std::move(verdict);
        };
        if (!report_.differs() && kernel == nullptr) return set(DoubtCulprit::none, same_results());
        // Contraction was tried, so it explains the difference whatever else the kernel does.
        if (report_.differs() && rounding != nullptr && rounding->kind == "contraction")
            return set(DoubtCulprit::rounding,
                       "Both are right: they round differently. Compile with --fmad=false to round "
                       "alike.");
        if (kernel != nullptr)
            return set(DoubtCulprit::kernel,
                       fmt::format("{} leaves its result undefined{} ({}).", kernel_name(),
                                   at(*kernel), words_of(kernel->kind)));
        if (report_.differs() && rounding != nullptr)
            return set(DoubtCulprit::rounding,
                       "Both are right within the error that PTX allows for approximations.");
        if (open != nullptr)
            return set(DoubtCulprit::open, fmt::format("PTX leaves the result undefined{} ({}).",
                                                       at(*open), words_of(open->kind)));
        if (texts != nullptr)
            return set(DoubtCulprit::texts,
                       fmt::format("The two texts specify different results in line {}. Both were "
                                   "computed as PTX defines; the one that does not match its "
                                   "source was miscompiled.",
                                   texts->ptx_line));
        if (question_.kind == DoubtKind::texts)
            return set(
                DoubtCulprit::texts,
                "The two texts specify different results, and both were computed as PTX defines.");
        if (question_.gpu && report_.sides.size() > 2)
            return set(DoubtCulprit::assembler, gpu_verdict());
        if (gpu_plain_alone_)
            return set(DoubtCulprit::assembler,
                       "ptxas -O0 is wrong, or the GPU is: ptxas -O3 and the lockstep machine "
                       "agree, and no undefined behaviour was found.");
        if (report_.sides.size() == 2 && report_.sides[1].name == given_gpu)
            return set(DoubtCulprit::assembler,
                       "ptxas, or the GPU: no undefined behaviour was found, so by the PTX manual "
                       "the lockstep machine's value is right.");
        if (report_.sides.size() == 2 && report_.sides[1].name == "expected")
            return set(DoubtCulprit::expectation,
                       "No undefined behaviour was found: by the PTX manual the lockstep machine's "
                       "value is right. A GPU that computes the expected one was given wrong "
                       "machine code, or the expectation is wrong.");
        set(DoubtCulprit::compiler,
            "The compiler: no undefined behaviour was found, so both compilations should give the "
            "same result.");
    }

    static std::string words_of(std::string kind)
    {
        std::ranges::replace(kind, '_', ' ');
        return kind;
    }
    std::string kernel_name() const { return has_source() ? "Your code" : "The kernel"; }
    std::string at(const DoubtCause& cause) const
    {
        if (cause.line > 0) return fmt::format(" in line {}", cause.line);
        return cause.ptx_line > 0 ? fmt::format(" in PTX line {}", cause.ptx_line) : std::string();
    }
    std::string same_results() const
    {
        const char* const others = question_.gpu || !question_.got.empty() ? " with the GPU"
                                   : question_.expect.empty()              ? ""
                                                              : " with the expected values";
        if (question_.kind == DoubtKind::one_text)
            return fmt::format("The lockstep machine agrees{}, and no undefined behaviour was "
                               "found.",
                               others);
        return fmt::format("{} and {} give the same results{}, and no undefined behaviour was "
                           "found.",
                           question_.first_name, question_.second_name,
                           *others != '\0' ? std::string(", which agree") + others : std::string());
    }
    std::string gpu_verdict() const
    {
        return gpu_plain_agrees_
                   ? "ptxas: its -O3 code gives a different result from its -O0 code and the "
                     "lockstep "
                     "machine, and no undefined behaviour was found."
                   : "ptxas or the lockstep machine: the GPU's code differs at -O0 and -O3, and no "
                     "undefined behaviour was found.";
    }

    const DoubtQuestion& question_;
    DoubtReport report_;
    std::unique_ptr<VersionRun> first_, second_;
    bool gpu_plain_agrees_ = false;
    bool gpu_plain_alone_ = false;
};

} // namespace

DoubtReport doubt(const DoubtQuestion& question)
{
    return Doubting(question).report();
}

bool still_differs(const DoubtQuestion& question)
{
    const VersionRun first(question.first, question.limits);
    if (question.kind != DoubtKind::one_text) {
        const VersionRun second(question.second, question.limits);
        return first.fault().has_value() != second.fault().has_value() ||
               differences(first.memory(), second.memory(), question.tolerance).different > 0;
    }
    if (!question.gpu) return false;
    const GpuResults results = gpu_results(question.first, 4);
    return differences(first.memory(), results.memory, question.tolerance).different > 0;
}

std::string_view name_of(DoubtCulprit culprit)
{
    switch (culprit) {
    case DoubtCulprit::none: return "none";
    case DoubtCulprit::kernel: return "kernel";
    case DoubtCulprit::rounding: return "rounding";
    case DoubtCulprit::compiler: return "nvcc";
    case DoubtCulprit::assembler: return "ptxas";
    case DoubtCulprit::texts: return "texts";
    case DoubtCulprit::expectation: return "expectation";
    case DoubtCulprit::open: return "open";
    }
    return "none";
}

} // namespace lanescope::app
