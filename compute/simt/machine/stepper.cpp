// Stepping runs the same handlers in the same order as a launch does, one at a time.
#include "compute/simt/machine/stepper.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "compute/ptx/text/lines.h"
#include "compute/simt/decode/liveness.h"
#include "compute/simt/operations/addressing.h"

namespace lanescope::simt {

namespace {

const Instruction& next_instruction(Executor& x)
{
    return x.function->code[static_cast<std::size_t>(x.path().pc)];
}

} // namespace

Stepper::Stepper(SimtDevice& device, const device::Kernel& kernel, const device::Launch& launch)
    : device_(device), launch_(device.prepare(kernel, launch)), executor_(launch_), checks_(launch_)
{
    if (launch_.options.checks.any()) executor_.observers.push_back(executor_.follower = &checks_);
    begin_block(executor_, block_, next_block_++);
}

bool Stepper::enter_next()
{
    for (;;) {
        bool moved = false;
        const int count = static_cast<int>(block_.warps.size());
        for (int i = 0; i < count; ++i) {
            const int index = (warp_ + i) % count;
            Warp& warp = block_.warps[static_cast<std::size_t>(index)];
            if (warp.finished()) continue;
            int path = choose_path(warp);
            if (path < 0 && resolve_lanes(executor_, warp)) path = choose_path(warp);
            if (path < 0) continue;
            if (index != warp_) slice_begin_ = warp.warp_instructions;
            warp_ = index;
            executor_.enter(warp, path);
            if (next_instruction(executor_).counted != 0 && !executor_.path().counted) return true;
            step_path(executor_); // a reconvergence mark, or what has just parted its lanes
            moved = true;
            break;
        }
        if (moved) continue;
        if (!block_.finished()) fault_stuck(executor_);
        if (next_block_ == launch_.grid.count()) {
            finished_ = true;
            return false;
        }
        begin_block(executor_, block_, next_block_++);
        warp_ = 0;
        slice_begin_ = 0;
    }
}

void Stepper::step_entered()
{
    launch_.check_cancelled();
    Warp& warp = *executor_.warp;
    step_path(executor_);
    ++steps_;
    if (warp.warp_instructions - slice_begin_ >= warp_slice) {
        end_slice(executor_, warp);
        warp_ = (warp_ + 1) % static_cast<int>(block_.warps.size());
        slice_begin_ = block_.warps[static_cast<std::size_t>(warp_)].warp_instructions;
    }
    enter_next();
}

void Stepper::step_instruction()
{
    if (finished_ || !enter_next()) return;
    step_entered();
}

void Stepper::step_line()
{
    if (finished_ || !enter_next()) return;
    const StepPosition start = position();
    const std::uint64_t block = block_.linear;
    for (;;) {
        step_entered();
        if (finished_ || block_.linear != block || warp_ != start.warp) return;
        const StepPosition now = position();
        if (now.line != start.line || now.file != start.file ||
            now.callers.size() != start.callers.size())
            return;
    }
}

void Stepper::step_to_barrier()
{
    if (finished_ || !enter_next()) return;
    const int warp = warp_;
    const std::uint64_t block = block_.linear;
    const std::uint64_t rounds = block_.barrier_rounds;
    while (!finished_ && block_.linear == block && warp_ == warp && block_.barrier_rounds == rounds)
        step_entered();
}

void Stepper::choose_warp(int warp)
{
    if (warp < 0 || warp >= static_cast<int>(block_.warps.size()))
        throw device::LaunchError(
            fmt::format("There is no warp {}.", warp),
            fmt::format("The block has warps 0 to {}.", block_.warps.size() - 1));
    warp_ = warp;
    slice_begin_ = block_.warps[static_cast<std::size_t>(warp)].warp_instructions;
    if (!finished_) enter_next();
}

StepPosition Stepper::position()
{
    StepPosition position;
    if (finished_ || !enter_next()) return position;
    const ptx::Instruction& source = executor_.source(next_instruction(executor_));
    const ptx::SourceLine line = ptx::source_line(*launch_.program.module, source);
    position.block = block_.index;
    position.warp = warp_;
    position.active = executor_.path().mask;
    position.exited = executor_.warp->exited;
    position.function = executor_.function->name;
    for (int node = executor_.path().parent; node >= 0;
         node = executor_.warp->paths[static_cast<std::size_t>(node)].parent) {
        const Path& path = executor_.warp->paths[static_cast<std::size_t>(node)];
        if (path.child_frame >= 0)
            position.callers.push_back(
                executor_.warp->frames[static_cast<std::size_t>(path.frame)].function->name);
    }
    position.file = line.file;
    position.line = line.line;
    position.ptx_line = source.ptx_line;
    position.ptx =
        launch_.program.module->text.substr(source.text_begin, source.text_end - source.text_begin);
    return position;
}

std::vector<RegisterView> Stepper::registers()
{
    std::vector<RegisterView> views;
    if (finished_ || !enter_next()) return views;
    const Function& function = *executor_.function;
    const Liveness liveness(*function.source,
                            ptx::control_flow(*launch_.program.module, *function.source));
    const std::size_t at = next_instruction(executor_).source;
    for (std::size_t i = 0; i < function.registers.size(); ++i) {
        const ptx::Register& source = function.source->registers[i];
        if (!liveness.live_before(at, i) || function.registers[i] == no_row) continue;
        RegisterView view{source.name, source.type, {}};
        const std::byte* row = executor_.row<const std::byte>(function.registers[i]);
        const bool predicate = source.type == ptx::Type::pred;
        const std::size_t bytes = ptx::size_bytes(source.type) > 4 ? 8 : 4;
        const std::size_t stride = ptx::size_bytes(source.type) == 16 ? 16 : bytes;
        for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
            if (predicate)
                view.lanes[lane] = *reinterpret_cast<const std::uint32_t*>(row) >> lane & 1u;
            else
                std::memcpy(&view.lanes[lane], row + lane * stride, bytes);
        }
        views.push_back(std::move(view));
    }
    return views;
}

std::optional<AddressView> Stepper::addresses()
{
    if (finished_ || !enter_next()) return std::nullopt;
    const Instruction& in = next_instruction(executor_);
    const bool touches = in.kind == HandlerKind::load || in.kind == HandlerKind::store ||
                         in.kind == HandlerKind::atomic;
    if (!touches) return std::nullopt;
    std::uint32_t mask = executor_.path().mask;
    if (in.guarded) {
        const std::uint32_t guard = *executor_.row<std::uint32_t>(in.guard);
        mask &= in.guard_negated ? ~guard : guard;
    }
    const Access& access = executor_.function->accesses[in.extra];
    AddressView view{access.op, access.space, access.width_bytes, mask, {}};
    if (mask == 0) return view;
    Addresses at;
    form_addresses(executor_, access, mask, at);
    view.lanes = at.lane;
    return view;
}

std::shared_ptr<const Stepper::State> Stepper::save()
{
    auto state = std::make_shared<State>(State{
        block_, checks_, next_block_, warp_, steps_, finished_, launch_.memory.heap(), {}, {}, {}});
    const auto keep = [](std::span<const std::byte> bytes,
                         const State::Bytes& before) -> State::Bytes {
        if (before && std::ranges::equal(*before, bytes)) return before;
        return std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
    };
    for (const Allocation* allocation : launch_.memory.allocations()) {
        State::Bytes before;
        if (last_)
            if (const auto found = last_->memory.find(allocation->begin);
                found != last_->memory.end())
                before = found->second;
        state->memory[allocation->begin] = keep({allocation->host, allocation->bytes()}, before);
        if (!allocation->written.empty()) state->written[allocation->begin] = allocation->written;
    }
    const std::vector<ImageData> images = launch_.images.surfaces();
    for (std::size_t i = 0; i < images.size(); ++i)
        state->images.push_back(keep(images[i].texels, last_ && i < last_->images.size()
                                                           ? last_->images[i]
                                                           : State::Bytes{}));
    last_ = state;
    return state;
}

void Stepper::restore(const State& state)
{
    block_ = state.block;
    checks_ = state.checks;
    next_block_ = state.next_block;
    warp_ = state.warp;
    steps_ = state.steps;
    finished_ = state.finished;
    slice_begin_ = block_.warps[static_cast<std::size_t>(warp_)].warp_instructions;
    launch_.memory.restore(state.heap);
    executor_.hits.assign(executor_.hits.size(), Region{});
    for (const auto& [address, bytes] : state.memory)
        if (!bytes->empty())
            std::ranges::copy(*bytes, launch_.memory.range(address, bytes->size()).begin());
    for (const auto& [address, written] : state.written)
        launch_.memory.restore_written(address, written);
    const std::vector<ImageData> images = launch_.images.surfaces();
    for (std::size_t i = 0; i < images.size() && i < state.images.size(); ++i)
        std::ranges::copy(*state.images[i], images[i].texels.begin());
}

} // namespace lanescope::simt
