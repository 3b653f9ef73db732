// Builds a debugger's frame, marking changes since the previous position.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "app/run/debug/debugger_texts.h"
#include "compute/simt/debug/expression.h"
#include "compute/simt/debug/inspect.h"
#include "compute/simt/debug/launches.h"
#include "compute/simt/debug/timeline.h"

namespace lanescope::app {

namespace {

// Mask of the lanes for which test(lane) is true.
template <class Test>
std::uint32_t lanes_where(Test test)
{
    std::uint32_t lanes = 0;
    for (std::size_t lane = 0; lane < simt::warp_lanes; ++lane)
        if (test(lane)) lanes |= 1u << lane;
    return lanes;
}

std::uint32_t changed_lanes(const simt::LaneValues& before, const simt::LaneValues& now)
{
    return lanes_where([&](std::size_t lane) { return before.lanes[lane] != now.lanes[lane]; });
}

// In the functions below, `before` is the frame to compare with, or null.

std::vector<DebuggedVariable> variables_of(const simt::Inspector& inspector, int warp,
                                           const DebugFrame* before)
{
    std::vector<DebuggedVariable> all;
    for (simt::VariableView& each : inspector.variables(warp)) {
        DebuggedVariable variable{std::move(each), 0};
        if (before != nullptr) {
            const auto old =
                std::ranges::find(before->variables, variable.name, &DebuggedVariable::name);
            if (old != before->variables.end())
                variable.changed = changed_lanes(old->values, variable.values);
        }
        all.push_back(std::move(variable));
    }
    return all;
}

std::uint32_t changed_lanes(const simt::RegisterView& now, const DebugFrame* before)
{
    if (before == nullptr) return 0;
    const auto old = std::ranges::find(before->registers, now.name, &simt::RegisterView::name);
    return lanes_where([&](std::size_t lane) {
        if ((now.lanes_with >> lane & 1u) == 0) return false;
        return old == before->registers.end() || (old->lanes_with >> lane & 1u) == 0 ||
               old->lanes[lane] != now.lanes[lane];
    });
}

WatchView watch_of(const std::string& expression, const simt::Inspector& inspector, int warp,
                   const DebugFrame* before)
{
    WatchView watch{expression, {}, {}, 0};
    try {
        watch.values = simt::Expression(expression).evaluate(inspector, warp);
    } catch (const Error& error) {
        watch.problem = error.what();
    }
    if (before != nullptr)
        for (const WatchView& old : before->watches)
            if (old.expression == expression)
                watch.changed |= changed_lanes(old.values, watch.values);
    return watch;
}

DebuggedArray array_of(simt::SharedArray layout, std::span<const std::byte> shared,
                       const DebugFrame* before)
{
    DebuggedArray array{std::move(layout), {}, {}};
    if (array.offset + array.bytes <= shared.size()) {
        const auto bytes = shared.subspan(array.offset, array.bytes);
        array.contents.assign(bytes.begin(), bytes.end());
    }
    if (before == nullptr) return array;
    for (const DebuggedArray& old : before->shared) {
        if (old.name != array.name || old.contents.size() != array.contents.size()) continue;
        for (std::size_t at = 0; at + 4 <= array.contents.size(); at += 4)
            if (std::memcmp(old.contents.data() + at, array.contents.data() + at, 4) != 0)
                array.changed.push_back(static_cast<std::uint32_t>(at));
    }
    return array;
}

} // namespace

std::shared_ptr<const DebugFrame> Debugger::frame()
{
    // Compares with the previous position, however often the current one is inspected.
    if (newest_ && (newest_->position != timeline_->position() || newest_->launch != launch_))
        before_ = newest_;
    auto new_frame = std::make_shared<DebugFrame>();
    new_frame->number = ++frames_;
    describe(*new_frame);
    const bool blocked = timeline_->walk().state().running == nullptr;
    if (!blocked && (!timeline_->at_end() || timeline_->fault() != nullptr))
        look_at_block(*new_frame);
    if (new_frame->sentence.empty() && new_frame->stop == Stop::start)
        new_frame->sentence =
            fmt::format("Instruction 0 of launch {} of {}.", launch_ + 1, new_frame->launches);
    newest_ = new_frame;
    return new_frame;
}

// Fills in the stepped lab, text and launch, and the position in the launch.
void Debugger::describe(DebugFrame& frame) const
{
    const simt::Timeline& t = *timeline_;
    frame.stop = stop_;
    frame.sentence = sentence_;
    frame.lab = start_.lab->title;
    frame.variant = start_.variant->title;
    frame.kernel = t.launch().program.kernel;
    frame.text = start_.text;
    frame.text_note = text_note_;
    frame.file = start_.variant->source;
    frame.source = source_;
    frame.ptx = text_->ptx;
    frame.code_lines = text_->code_lines;
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
}

// Fills in the running block: warps, lanes, variables and shared memory.
void Debugger::look_at_block(DebugFrame& frame) const
{
    const simt::Timeline& t = *timeline_;
    const simt::Inspector& inspector = *inspector_;
    const int last_warp = static_cast<int>(t.block().warps.size()) - 1;
    frame.block = inspector.block();
    frame.block_linear = t.block().linear;
    frame.warp = std::min(inspector.warp(), last_warp);
    frame.shown = shown_ && *shown_ <= last_warp ? *shown_ : frame.warp;
    if (const simt::Path& path = t.walk().path(); path.pc >= 0) {
        const simt::Warp& warp = t.block().warps[static_cast<std::size_t>(frame.warp)];
        frame.place =
            inspector.place(*warp.frames[static_cast<std::size_t>(path.frame)].function, path.pc);
        frame.mask = t.walk().next_mask();
    }
    frame.warps = inspector.warps();

    const bool same_block = before_ && before_->block_linear == frame.block_linear &&
                            before_->launch == launch_ && !before_->warps.empty();
    const DebugFrame* const block_before = same_block ? before_.get() : nullptr;
    const DebugFrame* const warp_before =
        same_block && before_->shown == frame.shown ? before_.get() : nullptr;
    frame.variables = variables_of(inspector, frame.shown, warp_before);
    frame.registers = inspector.registers(frame.shown);
    for (const simt::RegisterView& each : frame.registers)
        frame.registers_changed.push_back(changed_lanes(each, warp_before));
    for (const std::string& expression : watches_)
        frame.watches.push_back(watch_of(expression, inspector, frame.shown, warp_before));
    if (!t.at_end()) frame.access = inspector.next_access();
    frame.line_access = line_access_;
    for (simt::SharedArray& each : inspector.shared_arrays())
        frame.shared.push_back(array_of(std::move(each), t.block().shared, block_before));
}

} // namespace lanescope::app
