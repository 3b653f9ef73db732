// Moves are searches over the timeline: what a move looks for is a question asked before every
// instruction on the way.
#include "app/run/debug/debugger.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "app/document/journal.h"
#include "app/run/debug/shared_declarations.h"
#include "app/run/debug/stepped_text.h"
#include "compute/simt/debug/expression.h"
#include "compute/simt/debug/launches.h"
#include "compute/simt/machine/options.h"
#include "compute/simt/machine/windows.h"
#include "compute/simt/simt_module.h"

namespace lanescope::app {

using simt::Expression;
using simt::Inspector;
using simt::Timeline;

namespace {

constexpr std::uint64_t the_end = ~std::uint64_t{0};
constexpr double longest_first_run_s = 20;

void apply(labs::Experiment& experiment, labs::Values& values, const DebugStart& start,
           const Event& event)
{
    if (const auto* stroke = std::get_if<labs::Stroke>(&event.what)) {
        experiment.paint(*stroke);
    } else if (const auto* change = std::get_if<ParameterChange>(&event.what)) {
        values.set(change->id, change->text);
        experiment.set(values);
    } else {
        experiment.select(labs::find_variant(*start.lab, std::get<VariantChange>(event.what).id));
    }
}

} // namespace

StepBegin begin_of_step(const DebugStart& start, simt::SteppedDevice& device,
                        device::Allocator& allocator)
{
    using Clock = std::chrono::steady_clock;
    constexpr double enough_to_tell_s = 1;
    const labs::Variant* selected = start.first ? start.first : start.variant;
    const labs::Variant& first = start.first ? *start.first : *start.variant;
    const auto afresh = [&](const labs::Variant& variant, const labs::Values& values) {
        return start.lab->start(
            {device, allocator, *start.lab, variant, values, start.seed, start.image});
    };
    labs::Values values = start.values;
    StepBegin begin{afresh(first, values), start.launches_before + 1, {}, values};
    std::size_t done = 0;
    const auto do_events = [&](std::int64_t until) {
        for (; done < start.events.size() && start.events[done].step <= until; ++done)
            apply(*begin.experiment, values, start, start.events[done]);
    };
    const auto since = Clock::now();
    for (std::int64_t i = 0; i < start.launches_before; ++i) {
        const double passed = std::chrono::duration<double>(Clock::now() - since).count();
        const double all =
            i > 0 ? passed / static_cast<double>(i) * static_cast<double>(start.launches_before)
                  : 0;
        if (start.most_seconds_before > 0 && passed > enough_to_tell_s &&
            all > start.most_seconds_before) {
            for (; done < start.events.size(); ++done)
                if (const auto* change = std::get_if<ParameterChange>(&start.events[done].what))
                    values.set(change->id, change->text);
            begin = {afresh(*start.variant, values), 1,
                     fmt::format("Step 1: the {} steps before this one would take {:.0f} s on the "
                                 "lockstep machine.",
                                 start.launches_before, all),
                     values};
            return begin;
        }
        do_events(i);
        begin.experiment->step();
    }
    do_events(start.launches_before);
    for (const Event& event : start.events)
        if (const auto* change = std::get_if<VariantChange>(&event.what);
            change && event.step <= start.launches_before)
            selected = &labs::find_variant(*start.lab, change->id);
    if (selected->id != start.variant->id) begin.experiment->select(*start.variant);
    return begin;
}

struct Debugger::Texts {
    Texts(const simt::Program& program, const ptx::DebugInfo* of_source, std::string_view source)
        : lines(program), info(ptx::read_debug_info(*program.module)),
          ptx(std::make_shared<const std::string>(program.module->text)),
          code_lines(std::make_shared<const std::vector<int>>(lines.lines_with_code()))
    {
        has_variables = !info.functions.empty();
        info.shared = shared_declarations(source);
        arrays = has_variables ? &info : of_source;
    }
    simt::CodeLines lines;
    ptx::DebugInfo info;
    bool has_variables = false;
    const ptx::DebugInfo* arrays = nullptr;
    std::shared_ptr<const std::string> ptx;
    std::shared_ptr<const std::vector<int>> code_lines;
};

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
    simt::SteppedDevice::Replace replace;
    if (start_.text == SteppedText::as_written) {
        if (written.ptx.empty()) {
            start_.text = SteppedText::as_optimised;
            text_note_ = written.problem;
        } else {
            const std::string own(lab.ptx(variant));
            replace = [own, text = written.ptx](std::string_view ptx) {
                return ptx == own ? text : std::string(ptx);
            };
        }
    }
    simt::Options options;
    options.time_limit_s = longest_first_run_s;
    if (start_.checks) options.checks = simt::Checks::all();
    device_ = std::make_unique<simt::SteppedDevice>(options, std::move(replace));
    device_->set_printer([](std::string_view) {});
    allocator_ = std::make_unique<device::PlainAllocator>(*device_);
    if (start_.runs_on) start_.runs_on(device_.get());
    StepBegin begin = begin_of_step(start_, *device_, *allocator_);
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
    } catch (const device::KernelFault&) {
        // It is met again where it happens. Launches behind it are not known.
    }
    if (start_.runs_on) start_.runs_on(nullptr);
    if (device_->launches().empty())
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} launches nothing that can be stepped.", variant.title),
                    "Choose another variant.");
    device_->set_printer([printed = printed_](std::string_view text) {
        constexpr std::size_t most = std::size_t{1} << 20;
        if (printed->size() < most) *printed += text;
    });
    open_launch(0);
    look_ahead();
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

void Debugger::stopped(Stop stop, std::string sentence)
{
    if (timeline_->at_end() && stop == Stop::moved) {
        stop = timeline_->fault() != nullptr ? Stop::fault : Stop::end;
        sentence = timeline_->fault() != nullptr ? timeline_->fault()->message
                                                 : "The launch has come to its end.";
    }
    stop_ = stop;
    sentence_ = std::move(sentence);
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
    const std::vector<int>& lines = *texts_.at(&timeline_->launch().program)->code_lines;
    for (Breakpoint& each : breakpoints) {
        each.problem.clear();
        if (!std::ranges::binary_search(lines, each.line)) {
            // The next line that has code, as debuggers do.
            const auto next = std::ranges::lower_bound(lines, each.line);
            if (next == lines.end() || *next > each.line + 10)
                each.problem = fmt::format("Line {} has no code.", each.line);
            else
                each.line = *next;
        }
        if (each.condition.empty()) continue;
        try {
            Expression{each.condition}.require_names(*inspector_);
        } catch (const Error& error) {
            each.problem = error.what();
        }
    }
    breakpoints_ = std::move(breakpoints);
}

// --- Moves ---

void Debugger::move(const StepMove& move)
{
    try {
        sentence_.clear();
        stop_ = Stop::moved;
        go(move);
        look_ahead();
    } catch (const device::Cancelled&) {
        line_access_.reset();
        stop_ = Stop::cancelled;
        sentence_ = "Stopped on the way.";
    } catch (const Error& error) {
        stop_ = Stop::refused;
        sentence_ = error.what();
    }
}

void Debugger::go(const StepMove& move)
{
    Timeline& t = *timeline_;
    using Kind = StepMove::Kind;
    const auto refuse = [&](std::string why) { stopped(Stop::refused, std::move(why)); };
    if (move.kind == Kind::launch) {
        if (move.count < 0 || move.count >= static_cast<std::int64_t>(device_->launches().size()))
            return refuse(
                fmt::format("The step has launches 0 to {}.", device_->launches().size() - 1));
        open_launch(static_cast<std::size_t>(move.count));
        return stopped(Stop::begin, fmt::format("Before launch {} of {}.", move.count + 1,
                                                device_->launches().size()));
    }
    if (t.at_end() && !move.back && move.kind != Kind::position && move.kind != Kind::to_block &&
        move.kind != Kind::last_write) {
        if (t.fault() != nullptr) return stopped(Stop::fault, t.fault()->message);
        return stopped(Stop::end, "The launch has come to its end.");
    }
    if (t.position() == 0 && move.back)
        return stopped(Stop::begin, "This is the begin of the launch.");
    switch (move.kind) {
    case Kind::instruction: {
        const std::uint64_t count =
            static_cast<std::uint64_t>(std::max<std::int64_t>(1, move.count));
        if (move.back)
            t.go_to(t.position() > count ? t.position() - count : 0);
        else
            t.go_to(t.position() > the_end - count ? the_end : t.position() + count);
        return stopped(Stop::moved, {});
    }
    case Kind::position:
        t.go_to(static_cast<std::uint64_t>(std::max<std::int64_t>(0, move.count)));
        return stopped(Stop::moved, {});
    case Kind::line:
        for (std::int64_t i = 0; i < std::max<std::int64_t>(1, move.count); ++i) {
            if (i > 0 && (move.back ? t.position() == 0 : t.at_end())) break;
            step_line(move.back);
        }
        return stopped(Stop::moved, {});
    case Kind::barrier: return to_barrier(move.back);
    case Kind::block: return to_block_end(move.back);
    case Kind::fault: {
        const std::uint64_t here = t.position();
        t.go_to(the_end);
        if (t.fault() != nullptr) return stopped(Stop::fault, t.fault()->message);
        t.go_to(here);
        return stopped(Stop::not_found, "The launch has no fault.");
    }
    case Kind::to_line: {
        const Breakpoint wanted{static_cast<int>(move.count), {}, move.warp, {}};
        const auto& lines = *texts_.at(&t.launch().program)->code_lines;
        if (!std::ranges::binary_search(lines, wanted.line))
            return refuse(fmt::format("Line {} has no code.", wanted.line));
        return search(
            move.back, [&](const Timeline&) { return stops(wanted, nullptr); },
            fmt::format("line {}", wanted.line));
    }
    case Kind::to_warp: {
        if (t.at_end() && !move.back) return;
        const std::uint64_t block = t.at_end() ? 0 : t.block().linear;
        const bool here = !t.at_end();
        const auto warp = static_cast<int>(std::clamp<std::int64_t>(move.count, 0, 1 << 20));
        if (here && warp >= static_cast<int>(t.block().warps.size()))
            return refuse(fmt::format("The block has warps 0 to {}.", t.block().warps.size() - 1));
        if (here && !move.back && t.block().warps[static_cast<std::size_t>(warp)].finished())
            return refuse(
                fmt::format("Warp {} has finished; it can only be met going back.", warp));
        if (here && inspector_->warp() == warp) return stopped(Stop::moved, {});
        return search(
            move.back,
            [&, warp](const Timeline& at) {
                return inspector_->warp() == warp && (!here || at.block().linear == block);
            },
            fmt::format("warp {} of this block", warp));
    }
    case Kind::to_block: {
        const auto begin =
            t.find_block(static_cast<std::uint64_t>(std::max<std::int64_t>(0, move.count)));
        if (!begin)
            return refuse(fmt::format("The grid has blocks 0 to {}.", t.launch().grid.count() - 1));
        t.go_to(*begin);
        return stopped(Stop::moved, {});
    }
    case Kind::condition: {
        const Expression condition(move.text);
        condition.require_names(*inspector_);
        return search(
            move.back, [&](const Timeline&) { return condition.holds(*inspector_); }, move.text);
    }
    case Kind::last_write: return to_last_write(move);
    case Kind::resume: return resume_to_breakpoint(move.back);
    case Kind::launch: return;
    }
}

void Debugger::search(bool back, const Timeline::Probe& probe, const std::string& what)
{
    Timeline& t = *timeline_;
    const std::uint64_t here = t.position();
    const bool found = back ? t.last(0, here, probe) : t.first(here + 1, the_end, probe);
    if (found) return stopped(Stop::moved, fmt::format("Came to {}.", what));
    if (!back && t.fault() != nullptr) return stopped(Stop::fault, t.fault()->message);
    t.go_to(here);
    stopped(Stop::not_found, fmt::format("{} is not met between here and the {} of the launch.",
                                         what, back ? "begin" : "end"));
}

void Debugger::step_line(bool back)
{
    Timeline& t = *timeline_;
    const auto same = [](const simt::CodeLines::Line& a, const simt::CodeLines::Line& b) {
        return a == b || b.line == 0;
    };
    if (!back) {
        const std::uint64_t block = t.block().linear;
        const int warp = inspector_->warp();
        const auto line = inspector_->line();
        const int depth = inspector_->call_depth();
        t.first(t.position() + 1, the_end, [&](const Timeline& at) {
            if (at.block().linear != block) return true;
            if (at.block().warps[static_cast<std::size_t>(warp)].finished()) return true;
            if (inspector_->warp() != warp) return false;
            if (inspector_->line().line == 0) return false; // in a function without lines
            return !same(line, inspector_->line()) || inspector_->call_depth() != depth;
        });
        return;
    }
    // The last begin of a line of the warp: its instruction before that was on another one.
    std::uint64_t limit = t.position();
    std::optional<std::uint64_t> block;
    int warp = 0;
    if (!t.at_end()) {
        block = t.block().linear;
        warp = inspector_->warp();
    }
    for (int attempt = 0; attempt < 2; ++attempt) {
        if (!block) {
            t.go_to(limit - 1);
            block = t.block().linear;
            warp = inspector_->warp();
        }
        const std::uint64_t lowest = t.block_begin(limit > 0 ? limit - 1 : 0);
        for (std::uint64_t window = 1024;; window *= 8) {
            const std::uint64_t begin = limit - lowest > window ? limit - window : lowest;
            std::optional<std::uint64_t> found;
            std::optional<std::pair<simt::CodeLines::Line, int>> previous;
            t.replay(begin, limit, [&](Timeline& at) {
                if (at.block().linear != *block || inspector_->warp() != warp) return;
                const std::pair now{inspector_->line(), inspector_->call_depth()};
                if (previous && now.first.line == 0) return; // part of the line that calls it
                const bool begins =
                    previous ? !same(previous->first, now.first) || previous->second != now.second
                             : begin == lowest;
                if (begins) found = at.position();
                if (!previous || now.first.line != 0 || previous->second != now.second)
                    previous = now;
            });
            if (found) return t.go_to(*found);
            if (begin == lowest) break;
        }
        // The warp has not run before in this block: whoever ran last.
        if (limit == 0) return t.go_to(0);
        block.reset();
    }
    t.go_to(limit - 1);
}

void Debugger::to_barrier(bool back)
{
    Timeline& t = *timeline_;
    if (t.at_end()) {
        t.back();
        return stopped(Stop::moved, {});
    }
    const std::uint64_t here = t.position();
    const std::uint64_t block = t.block().linear;
    const std::uint64_t rounds = t.block().barrier_rounds;
    const int warp = inspector_->warp();
    if (back) {
        const bool found = t.last(t.block_begin(here), here, [&](const Timeline& at) {
            return at.block().linear == block && at.block().barrier_rounds < rounds &&
                   inspector_->warp() == warp;
        });
        if (found) return stopped(Stop::moved, "At the barrier.");
        t.go_to(t.block_begin(here));
        return stopped(Stop::moved, "No barrier lies between here and the begin of the block.");
    }
    t.first(here + 1, the_end, [&](const Timeline& at) {
        if (at.block().linear != block) return true;
        return at.block().barrier_rounds > rounds &&
               (inspector_->warp() == warp ||
                at.block().warps[static_cast<std::size_t>(warp)].finished());
    });
    if (!t.at_end() && t.block().linear == block)
        return stopped(Stop::moved, "Behind the barrier.");
    stopped(Stop::moved, "The block has met at no further barrier.");
}

void Debugger::to_block_end(bool back)
{
    Timeline& t = *timeline_;
    const std::uint64_t here = t.position();
    if (back) {
        const std::uint64_t begin = t.block_begin(here);
        t.go_to(begin < here ? begin : t.block_begin(here - 1));
        return stopped(Stop::moved, {});
    }
    const std::uint64_t block = t.block().linear;
    std::optional<std::uint64_t> end = t.block_end(here);
    for (std::uint64_t stretch = 1024; !end;
         stretch = std::min<std::uint64_t>(2 * stretch, 1 << 20)) {
        t.go_to(t.known() + stretch);
        end = t.block_end(here);
        if (t.complete()) break;
    }
    t.go_to(end.value_or(the_end));
    stopped(Stop::moved, fmt::format("Block {} has ended.", block));
}

void Debugger::to_last_write(const StepMove& move)
{
    Timeline& t = *timeline_;
    if (t.at_end() && t.fault() == nullptr)
        return stopped(Stop::refused,
                       "At the end of the launch no lane has variables: step back first.");
    const int warp = move.warp.value_or(shown_warp());
    const auto lane = inspector_->lane_at(warp, move.lane);
    if (!lane)
        return stopped(Stop::refused,
                       fmt::format("Lane {} of warp {} runs no more.", move.lane, warp));
    const Expression expression(move.text);
    const auto value = expression.evaluate(*inspector_, *lane);
    if (!value) return stopped(Stop::not_found, fmt::format("{} has no value here.", move.text));
    const std::uint64_t here = t.position();
    if (value->address && simt::space_of(*value->address) != ptx::Space::local) {
        const ptx::Space space = simt::space_of(*value->address);
        const simt::Place place{space, *value->address - simt::window(space),
                                static_cast<int>(std::max<std::size_t>(1, value->type->bytes)), 0,
                                t.block().linear};
        const auto found = t.last_write(place, here);
        if (!found)
            return stopped(
                Stop::not_found,
                fmt::format("{} has not been written in this launch before.", move.text));
        t.go_to(found->position);
        return stopped(Stop::moved, fmt::format("Lane {} of warp {} writes {} here.", found->lane,
                                                found->warp, move.text));
    }
    // In a register, or in the lane's own memory: where its value changed last.
    const std::vector<std::byte> now = value->bytes;
    const std::uint64_t block = t.block().linear;
    const std::uint64_t begin = t.block_begin(here);
    std::optional<std::uint64_t> before;
    const bool found = t.last(begin, here, [&](const Timeline& at) {
        if (at.block().linear != block || inspector_->warp() != warp) return false;
        const auto there = inspector_->lane_at(warp, move.lane);
        if (!there) return false;
        try {
            const auto old = expression.evaluate(*inspector_, *there);
            return !old || old->bytes != now;
        } catch (const Error&) {
            return true; // its scope had not begun
        }
    });
    if (!found)
        return stopped(Stop::not_found,
                       fmt::format("{} has had this value from the begin.", move.text));
    stopped(Stop::moved, fmt::format("{} becomes {} here.", move.text,
                                     value->type ? simt::text_of(*value->type, now) : ""));
}

bool Debugger::stops(const Breakpoint& breakpoint, const Expression* condition) const
{
    if (breakpoint.warp && inspector_->warp() != *breakpoint.warp) return false;
    const simt::CodeLines& lines = inspector_->lines();
    const auto& walk = timeline_->walk();
    const simt::Path& path = walk.path();
    const simt::Warp& warp = timeline_->block().warps[static_cast<std::size_t>(inspector_->warp())];
    const simt::Function& function = *warp.frames[static_cast<std::size_t>(path.frame)].function;
    const auto line = lines.of(function, path.pc);
    if (line.line != breakpoint.line || line.file != lines.kernel_file()) return false;
    // The begin of what the line became: a stretch of instructions without those of other lines.
    if (path.pc > 0 && lines.of(function, path.pc - 1) == line) return false;
    return condition == nullptr || condition->holds(*inspector_);
}

void Debugger::resume_to_breakpoint(bool back)
{
    std::vector<std::pair<const Breakpoint*, std::optional<Expression>>> all;
    for (const Breakpoint& each : breakpoints_) {
        if (!each.problem.empty()) continue;
        std::optional<Expression> condition;
        if (!each.condition.empty()) condition.emplace(each.condition);
        all.emplace_back(&each, std::move(condition));
    }
    Timeline& t = *timeline_;
    const std::uint64_t here = t.position();
    const auto probe = [&](const Timeline&) {
        return std::ranges::any_of(all, [&](const auto& one) {
            return stops(*one.first, one.second ? &*one.second : nullptr);
        });
    };
    bool found = false;
    if (all.empty()) {
        t.go_to(back ? 0 : the_end);
    } else if (back) {
        found = t.last(0, here, probe);
        if (!found) t.go_to(0);
    } else {
        found = t.first(here + 1, the_end, probe);
    }
    if (found)
        return stopped(Stop::breakpoint,
                       fmt::format("Breakpoint at line {}.", inspector_->line().line));
    if (back) return stopped(Stop::begin, "This is the begin of the launch.");
    stopped(Stop::moved, {});
}

// --- What is to be seen ---

std::optional<LineAccess> Debugger::access_here() const
{
    const auto access = inspector_->next_access();
    if (!access || access->mask == 0) return {};
    const auto first = static_cast<std::size_t>(std::countr_zero(access->mask));
    const bool shared = access->space == ptx::Space::shared ||
                        (access->space == ptx::Space::none &&
                         simt::space_of(access->lanes[first]) == ptx::Space::shared);
    const bool global = access->space == ptx::Space::global ||
                        (access->space == ptx::Space::none &&
                         simt::space_of(access->lanes[first]) == ptx::Space::global);
    if (!shared && !global) return {};
    LineAccess made;
    made.site.line = inspector_->line().line;
    made.site.op = access->op;
    made.site.width_bytes = access->width_bytes;
    made.site.space = made.request.space = shared ? trace::Space::shared : trace::Space::global;
    made.request.active = access->mask;
    made.request.addresses = access->lanes;
    if (shared && access->space == ptx::Space::none)
        for (std::uint64_t& address : made.request.addresses)
            address -= simt::window(ptx::Space::shared);
    if (global)
        for (const Array& one : arrays_)
            if (access->lanes[first] >= one.begins &&
                access->lanes[first] < one.begins + one.bytes) {
                made.memory = one.name;
                made.begins = one.begins;
            }
    return made;
}

// An access comes some instructions after the begin of its line. Stands where it stood.
void Debugger::look_ahead()
{
    constexpr std::uint64_t farthest = 512;
    line_access_.reset();
    Timeline& t = *timeline_;
    if (t.at_end() || t.walk().state().running == nullptr) return;
    const std::uint64_t here = t.position();
    const std::uint64_t block = t.block().linear;
    const int warp = inspector_->warp();
    const auto line = inspector_->line();
    t.first(here, here + farthest, [&](const Timeline& at) {
        if (at.block().linear != block) return true;
        if (inspector_->warp() != warp)
            return at.block().warps[static_cast<std::size_t>(warp)].finished();
        if (inspector_->line().line != 0 && inspector_->line() != line) return true;
        line_access_ = access_here();
        return line_access_.has_value();
    });
    t.go_to(here);
}

simt::LaneValues Debugger::evaluate(const std::string& expression, int warp) const
{
    if (timeline_->at_end() && timeline_->fault() == nullptr)
        throw Error(ExitStatus::bad_usage, "At the end of the launch no lane runs any more.",
                    "Step back first.");
    return Expression(expression).evaluate(*inspector_, warp);
}

std::vector<std::byte> Debugger::memory(device::Address address, std::size_t bytes) const
{
    std::vector<std::byte> all(bytes);
    while (!all.empty() && !timeline_->read({ptx::Space::global, address}, all))
        all.resize(all.size() / 2);
    return all;
}

std::shared_ptr<const DebugFrame> Debugger::frame()
{
    auto made = std::make_shared<DebugFrame>();
    DebugFrame& frame = *made;
    const Timeline& t = *timeline_;
    // What has changed is told against the place before, however often this one is looked at.
    if (newest_ && (newest_->position != t.position() || newest_->launch != launch_))
        before_ = newest_;
    const Texts& texts = *texts_.at(&t.launch().program);
    frame.number = ++frames_;
    frame.stop = stop_;
    frame.sentence = sentence_;
    frame.lab = start_.lab->title;
    frame.variant = start_.variant->title;
    frame.kernel = t.launch().program.kernel;
    frame.text = start_.text;
    frame.text_note = text_note_;
    frame.file = start_.variant->source;
    frame.source = source_;
    frame.ptx = texts.ptx;
    frame.code_lines = texts.code_lines;
    frame.step = step_;
    frame.step_note = step_note_;
    frame.launch = launch_;
    frame.launches = device_->launches().size();
    frame.grid = t.launch().grid;
    frame.block_shape = t.launch().block;
    frame.position = t.position();
    frame.known = t.known();
    frame.complete = t.complete();
    frame.at_end = t.at_end();
    if (t.fault() != nullptr) frame.fault = *t.fault();
    if (t.complete() && t.found_fault()) frame.fault_at = t.known();
    frame.marks = t.marks();
    frame.held_bytes = t.held_bytes();
    frame.breakpoints = breakpoints_;
    frame.printed = *printed_;
    const bool blocked = t.walk().state().running == nullptr;
    if (!blocked && (!t.at_end() || t.fault() != nullptr)) {
        const Inspector& inspector = *inspector_;
        const bool same_block = before_ && before_->block_linear == t.block().linear &&
                                before_->launch == launch_ && !before_->warps.empty();
        frame.block = inspector.block();
        frame.block_linear = t.block().linear;
        frame.warp = std::min(inspector.warp(), static_cast<int>(t.block().warps.size()) - 1);
        frame.shown =
            shown_ && *shown_ < static_cast<int>(t.block().warps.size()) ? *shown_ : frame.warp;
        if (t.walk().path().pc >= 0) {
            const simt::Warp& warp = t.block().warps[static_cast<std::size_t>(frame.warp)];
            const simt::Path& path = t.walk().path();
            frame.place = inspector.place(
                *warp.frames[static_cast<std::size_t>(path.frame)].function, path.pc);
            frame.mask = t.walk().next_mask();
        }
        frame.warps = inspector.warps();
        const bool comparable = same_block && before_->shown == frame.shown;
        for (simt::VariableView& each : inspector.variables(frame.shown)) {
            DebuggedVariable variable{std::move(each), 0};
            if (comparable) {
                const auto old =
                    std::ranges::find(before_->variables, variable.name, &DebuggedVariable::name);
                for (int lane = 0; old != before_->variables.end() && lane < simt::warp_lanes;
                     ++lane) {
                    const auto l = static_cast<std::size_t>(lane);
                    if (old->values.lanes[l] != variable.values.lanes[l])
                        variable.changed |= 1u << lane;
                }
            }
            frame.variables.push_back(std::move(variable));
        }
        frame.registers = inspector.registers(frame.shown);
        for (const simt::RegisterView& each : frame.registers) {
            std::uint32_t changed = 0;
            if (comparable) {
                const auto old =
                    std::ranges::find(before_->registers, each.name, &simt::RegisterView::name);
                for (int lane = 0; lane < simt::warp_lanes; ++lane) {
                    const auto l = static_cast<std::size_t>(lane);
                    if ((each.lanes_with >> lane & 1u) == 0) continue;
                    if (old == before_->registers.end() || (old->lanes_with >> lane & 1u) == 0 ||
                        old->lanes[l] != each.lanes[l])
                        changed |= 1u << lane;
                }
            }
            frame.registers_changed.push_back(changed);
        }
        for (const std::string& expression : watches_) {
            WatchView watch{expression, {}, {}, 0};
            try {
                watch.values = Expression(expression).evaluate(inspector, frame.shown);
            } catch (const Error& error) {
                watch.problem = error.what();
            }
            if (comparable)
                for (const WatchView& old : before_->watches)
                    if (old.expression == expression)
                        for (int lane = 0; lane < simt::warp_lanes; ++lane) {
                            const auto l = static_cast<std::size_t>(lane);
                            if (old.values.lanes[l] != watch.values.lanes[l])
                                watch.changed |= 1u << lane;
                        }
            frame.watches.push_back(std::move(watch));
        }
        if (!t.at_end()) frame.access = inspector.next_access();
        frame.line_access = line_access_;
        for (simt::SharedArray& each : inspector.shared_arrays()) {
            DebuggedArray array{std::move(each), {}, {}};
            const auto& shared = t.block().shared;
            if (array.offset + array.bytes <= shared.size())
                array.contents.assign(shared.begin() + static_cast<std::ptrdiff_t>(array.offset),
                                      shared.begin() +
                                          static_cast<std::ptrdiff_t>(array.offset + array.bytes));
            if (same_block)
                for (const DebuggedArray& old : before_->shared) {
                    if (old.name != array.name || old.contents.size() != array.contents.size())
                        continue;
                    for (std::size_t at = 0; at + 4 <= array.contents.size(); at += 4)
                        if (std::memcmp(old.contents.data() + at, array.contents.data() + at, 4) !=
                            0)
                            array.changed.push_back(static_cast<std::uint32_t>(at));
                }
            frame.shared.push_back(std::move(array));
        }
    }
    if (frame.sentence.empty() && frame.stop == Stop::start)
        frame.sentence =
            fmt::format("Instruction 0 of launch {} of {}.", launch_ + 1, frame.launches);
    newest_ = made;
    return made;
}

StepMove move_of_warp(const StepMove& move, const DebugFrame& frame, int warp)
{
    const bool waits = !frame.at_end && warp >= 0 && warp != frame.warp &&
                       warp < std::ssize(frame.warps) &&
                       !frame.warps[static_cast<std::size_t>(warp)].finished;
    if (!waits) return move;
    return {.kind = StepMove::Kind::to_warp, .back = move.back, .count = warp};
}

std::string in_words(Stop stop)
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
