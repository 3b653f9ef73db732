// Sets up a debugger: the state before the step, its launches, and their texts.
#include "app/run/debug/debugger.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/document/experiment/journal.h"
#include "app/run/debug/debugger_texts.h"
#include "app/run/debug/shared_declarations.h"
#include "app/run/debug/step_start.h"
#include "app/run/debug/stepped_text.h"
#include "compute/simt/debug/expression.h"
#include "compute/simt/debug/launches.h"
#include "compute/simt/machine/state/options.h"
#include "compute/simt/simt_module.h"
#include "compute/trace/findings.h"

namespace lanescope::app {

using simt::Expression;
using simt::Inspector;

Debugger::Texts::Texts(const simt::Program& program, const ptx::DebugInfo* source_info,
                       std::string_view source)
    : lines(program), info(ptx::read_debug_info(*program.module)),
      ptx(std::make_shared<const std::string>(program.module->text)),
      code_lines(std::make_shared<const std::vector<int>>(lines.lines_with_code()))
{
    has_variables = !info.functions.empty();
    info.shared = shared_declarations(source);
    arrays = has_variables ? &info : source_info;
}

Debugger::Debugger(const DebugStart& start)
    : start_(start), printed_(std::make_shared<std::string>())
{
    const labs::Lab& lab = *start_.lab;
    const labs::Variant& variant = *start_.variant;
    source_ = std::make_shared<const std::string>(lab.source(variant));
    const SteppedPtx written = ptx_as_written(lab, variant);
    if (!written.ptx.empty()) {
        const ptx::Module module = ptx::parse(written.ptx);
        written_ = std::make_unique<ptx::DebugInfo>(ptx::read_debug_info(module));
        written_->shared = shared_declarations(*source_);
    }
    if (start_.text == SteppedText::as_written && written.ptx.empty()) {
        start_.text = SteppedText::as_optimised;
        text_note_ = written.problem;
    }
    device_ = stepped_device(start_, written.ptx);
    allocator_ = std::make_unique<device::PlainAllocator>(*device_);
    if (start_.runs_on) start_.runs_on(device_.get());
    StepBegin begin = step_start(start_, *device_, *allocator_);
    experiment_ = std::move(begin.experiment);
    step_ = begin.step;
    step_note_ = std::move(begin.note);
    if (!step_note_.empty()) {
        start_.launches_before = 0;
        start_.events.clear();
        start_.first = nullptr;
        start_.values = std::move(begin.values);
    }
    for (const labs::Experiment::Memory& one : experiment_->memory())
        arrays_.push_back({one.name, one.buffer->address(), one.buffer->bytes()});
    device_->note(true);
    try {
        experiment_->step();
    } catch (const device::KernelFault& found) {
        // The fault is reported when a move reaches it. Launches after it are unknown.
        if (trace::is_stop(found.fault().kind)) endless_ = found.fault().message;
    }
    if (start_.runs_on) start_.runs_on(nullptr);
    if (device_->launches().empty())
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} launches nothing that can be stepped through.", variant.title),
                    "Choose another variant.");
    device_->set_printer([printed = printed_](std::string_view text) {
        constexpr std::size_t max_bytes = std::size_t{1} << 20;
        if (printed->size() < max_bytes) *printed += text;
    });
    open_launch(0);
    line_access_ = look_ahead(stepped_launch(), arrays_);
}

Debugger::~Debugger() = default;

void Debugger::open_launch(std::size_t launch)
{
    inspector_.reset();
    timeline_.reset();
    launch_ = launch;
    printed_->clear();
    timeline_ = device_->timeline(launch);
    const simt::Program& program = timeline_->launch().program;
    std::unique_ptr<Texts>& texts = texts_[&program];
    if (!texts) texts = std::make_unique<Texts>(program, written_.get(), *source_);
    text_ = texts.get();
    inspector_ = std::make_unique<Inspector>(
        *timeline_, texts->lines, texts->has_variables ? &texts->info : nullptr, texts->arrays);
}

void Debugger::cancel() noexcept
{
    device_->cancel();
}

void Debugger::resume() noexcept
{
    device_->resume();
}

int Debugger::shown_warp() const
{
    if (timeline_->walk().state().running == nullptr) return 0;
    const int count = static_cast<int>(timeline_->block().warps.size());
    return shown_ && *shown_ < count ? *shown_ : inspector_->warp();
}

bool Debugger::explore(std::uint64_t instructions)
{
    return timeline_->explore(instructions);
}

void Debugger::set_watches(std::vector<std::string> expressions)
{
    watches_ = std::move(expressions);
}

void Debugger::show_warp(std::optional<int> warp)
{
    shown_ = warp;
}

void Debugger::set_breakpoints(std::vector<Breakpoint> breakpoints)
{
    const std::vector<int>& lines = *text_->code_lines;
    for (Breakpoint& each : breakpoints) {
        each.problem.clear();
        if (!std::ranges::binary_search(lines, each.line)) {
            // Moves to the next line with code, as debuggers do.
            const auto next = std::ranges::lower_bound(lines, each.line);
            if (next == lines.end() || *next > each.line + 10)
                each.problem = fmt::format("Line {} has no code.", each.line);
            else
                each.line = *next;
        }
        if (each.condition.empty() || !each.problem.empty()) continue;
        try {
            Expression{each.condition}.require_names(*inspector_);
        } catch (const Error& error) {
            each.problem = error.what();
        }
    }
    breakpoints_ = std::move(breakpoints);
}

SteppedLaunch Debugger::stepped_launch() const
{
    SteppedLaunch launch{*timeline_, *inspector_, *text_->code_lines, breakpoints_, shown_warp()};
    if (!endless_.empty() && launch_ + 1 == device_->launches().size()) {
        constexpr std::uint64_t max_searched = std::uint64_t{1} << 21;
        launch.end = max_searched;
        launch.endless = endless_;
    }
    return launch;
}

MoveResult Debugger::go_to_launch(std::int64_t launch)
{
    const std::size_t count = device_->launches().size();
    if (launch < 0 || launch >= static_cast<std::int64_t>(count))
        return {Stop::refused, count == 1
                                   ? std::string("The step has one launch, number 0.")
                                   : fmt::format("The step has launches 0 to {}.", count - 1)};
    open_launch(static_cast<std::size_t>(launch));
    return {Stop::begin, fmt::format("Before launch {}; the step has {}.", launch, count)};
}

void Debugger::move(const StepMove& move)
{
    try {
        MoveResult result = move.kind == StepMove::Kind::launch ? go_to_launch(move.count)
                                                                : go(stepped_launch(), move);
        stop_ = result.stop;
        sentence_ = std::move(result.sentence);
        line_access_ = look_ahead(stepped_launch(), arrays_);
    } catch (const device::Cancelled&) {
        line_access_.reset();
        stop_ = Stop::cancelled;
        sentence_ = "Stopped on the way.";
    } catch (const Error& error) {
        stop_ = Stop::refused;
        sentence_ = error.what();
    }
}

void Debugger::forget_refusal()
{
    if (stop_ != Stop::refused) return;
    stop_ = Stop::moved;
    sentence_.clear();
}

simt::LaneValues Debugger::evaluate(const std::string& expression, int warp) const
{
    if (timeline_->at_end() && timeline_->fault() == nullptr)
        throw Error(ExitStatus::bad_usage, "The launch has ended: no lane is running.",
                    "Step back first.");
    const Expression parsed(expression);
    simt::LaneValues values = parsed.evaluate(*inspector_, warp);
    forget_unwritten(parsed, warp, values);
    return values;
}

// Shared memory that the block has not written has no value, like a register that was never set.
void Debugger::forget_unwritten(const simt::Expression& expression, int warp,
                                simt::LaneValues& values) const
{
    constexpr std::uint64_t max_replayed = std::uint64_t{1} << 20;
    if (timeline_->position() - timeline_->block_start(timeline_->position()) > max_replayed)
        return;
    std::array<std::optional<simt::Address>, simt::warp_lanes> addresses;
    bool any = false;
    for (int lane = 0; lane < simt::warp_lanes; ++lane) {
        if ((values.lanes_with >> lane & 1u) == 0) continue;
        const auto at = inspector_->lane_at(warp, lane);
        const auto value = at ? expression.evaluate(*inspector_, *at) : std::nullopt;
        if (!value || !value->address || simt::space_of(*value->address) != ptx::Space::shared)
            continue;
        addresses[static_cast<std::size_t>(lane)] = *value->address - simt::shared_window;
        any = true;
    }
    if (!any) return;
    const std::vector<bool> written = timeline_->written_shared();
    for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
        if (!addresses[lane]) continue;
        const auto begin = written.begin() + static_cast<std::ptrdiff_t>(*addresses[lane]);
        const auto end = begin + static_cast<std::ptrdiff_t>(values.lanes[lane].size());
        if (std::find(begin, end, true) != end) continue;
        values.lanes[lane].clear();
        values.lanes_with &= ~(1u << lane);
    }
}

std::vector<std::byte> Debugger::memory(device::Address address, std::size_t bytes) const
{
    std::vector<std::byte> all(bytes);
    while (!all.empty() && !timeline_->read({ptx::Space::global, address}, all))
        all.resize(all.size() / 2);
    return all;
}

std::string stop_reason(Stop stop)
{
    switch (stop) {
    case Stop::start: return "start";
    case Stop::moved: return "moved";
    case Stop::breakpoint: return "breakpoint";
    case Stop::fault: return "fault";
    case Stop::end: return "end";
    case Stop::begin: return "begin";
    case Stop::not_found: return "not_found";
    case Stop::refused: return "refused";
    case Stop::cancelled: return "cancelled";
    }
    return {};
}

} // namespace lanescope::app
