// A result is read when its lane runs again, since instructions that exchange values complete late.
#include "app/run/doubt/runs/lane_stream.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "compute/ptx/instructions/table.h"
#include "compute/simt/machine/state/executor.h"
#include "compute/simt/operations/memory/addressing.h"

namespace lanescope::app {
namespace {

using ptx::Op;
using OperandKind = ptx::Operand::Kind;

void registers_of(const ptx::Operand& operand, std::vector<int>& all)
{
    if (operand.reg >= 0) all.push_back(operand.reg);
    for (const ptx::Operand& element : operand.elements) registers_of(element, all);
}

class Recorder {
public:
    Recorder(VersionRun& run, const LaneTime& time) : run_(run), time_(time) {}

    std::vector<LaneStep> steps()
    {
        simt::Timeline& timeline = run_.timeline();
        if (const auto begin = timeline.find_block(time_.block)) {
            timeline.replay(*begin, end_of(timeline, *begin, time_),
                            [&](simt::Timeline& at) { visit(at); });
            const simt::WalkState& state = timeline.walk().state();
            if (pending_ && state.running && state.running->linear == time_.block)
                complete(state.running->warps[static_cast<std::size_t>(time_.warp)]);
        }
        return std::move(steps_);
    }

private:
    // A step whose result is not known yet.
    struct Pending {
        const simt::Function* function = nullptr;
        std::uint32_t frame = 0; // rows_begin of its frame
        std::vector<int> registers{};
    };

    void visit(simt::Timeline& at)
    {
        if (at.block().linear != time_.block || at.walk().state().warp != time_.warp) return;
        simt::Walk& walk = at.walk();
        if ((walk.path().mask >> time_.lane & 1u) == 0) return;
        simt::Executor& x = walk.executor();
        if (pending_) complete(*x.warp);
        if ((walk.next_mask() >> time_.lane & 1u) == 0 || steps_.size() >= max_lane_steps) return;
        const simt::Instruction& decoded = walk.next_instruction();
        if (decoded.source >= x.function->source->instructions.size()) return;
        const ptx::Instruction& in = x.function->source->instructions[decoded.source];
        LaneStep step;
        step.ptx_line = in.ptx_line;
        step.position = at.position();
        step.reads_memory =
            decoded.kind == simt::HandlerKind::load || decoded.kind == simt::HandlerKind::atomic;
        if (decoded.kind == simt::HandlerKind::store) note_store(x, decoded, in, step);
        steps_.push_back(std::move(step));
        const bool has_result = ptx::form_of(in.op).destinations > 0 && !in.operands.empty() &&
                                in.operands[0].kind != OperandKind::address && in.op != Op::call;
        if (!has_result) return;
        pending_.emplace();
        pending_->function = x.function;
        pending_->frame = x.frame->rows_begin;
        registers_of(in.operands[0], pending_->registers);
        steps_.back().writes_carry = in.has(ptx::Word::cc);
        if (pending_->registers.size() > 1)
            for (const int reg : pending_->registers)
                steps_.back().names.push_back(
                    x.function->source->registers[static_cast<std::size_t>(reg)].name);
    }

    void note_store(simt::Executor& x, const simt::Instruction& decoded, const ptx::Instruction& in,
                    LaneStep& step) const
    {
        const simt::Access& access = x.function->accesses[decoded.extra];
        if (access.kind != simt::AddressKind::frame_param) {
            simt::Addresses addresses;
            simt::form_addresses(x, access, 1u << time_.lane, addresses);
            step.values.push_back(addresses.lane[static_cast<std::size_t>(time_.lane)]);
        }
        std::vector<int> registers;
        for (std::size_t i = 1; i < in.operands.size(); ++i)
            registers_of(in.operands[i], registers);
        for (const int reg : registers)
            step.values.push_back(bits(*x.warp, *x.function, x.frame->rows_begin, reg));
    }

    void complete(const simt::Warp& warp)
    {
        for (const int reg : pending_->registers)
            steps_.back().values.push_back(bits(warp, *pending_->function, pending_->frame, reg));
        std::uint32_t carries = 0;
        std::memcpy(&carries, warp.rows.data() + pending_->frame + pending_->function->carry_row,
                    sizeof carries);
        steps_.back().carry = (carries >> time_.lane & 1u) != 0;
        pending_.reset();
    }

    std::uint64_t bits(const simt::Warp& warp, const simt::Function& function, std::uint32_t frame,
                       int reg) const
    {
        const auto index = static_cast<std::size_t>(reg);
        const simt::RowRef row = function.registers[index];
        if (row == simt::no_row || (row & 3u) != 0) return 0;
        const ptx::Type type = function.source->registers[index].type;
        const std::byte* const from = warp.rows.data() + frame + (row & ~3u);
        if (type == ptx::Type::pred) {
            std::uint32_t word = 0;
            std::memcpy(&word, from, 4);
            return word >> time_.lane & 1u;
        }
        const auto stride = static_cast<std::size_t>(std::max(4, ptx::size_bytes(type)));
        std::uint64_t value = 0;
        std::memcpy(&value, from + static_cast<std::size_t>(time_.lane) * stride,
                    std::min<std::size_t>(8, stride));
        return value;
    }

    VersionRun& run_;
    LaneTime time_;
    std::vector<LaneStep> steps_;
    std::optional<Pending> pending_;
};

} // namespace

namespace {

// The first register that both steps write, but with different values: compared by name if they
// list the same registers in another order, else by position.
std::optional<std::pair<std::uint64_t, std::uint64_t>> differing_value(const LaneStep& one,
                                                                       const LaneStep& other)
{
    const bool is_reordered =
        one.names != other.names && std::ranges::is_permutation(one.names, other.names) &&
        one.values.size() == one.names.size() && other.values.size() == other.names.size();
    for (std::size_t i = 0; i < std::min(one.values.size(), other.values.size()); ++i) {
        std::size_t there = i;
        if (is_reordered)
            there = static_cast<std::size_t>(std::ranges::find(other.names, one.names[i]) -
                                             other.names.begin());
        if (one.values[i] != other.values[there])
            return std::pair{one.values[i], other.values[there]};
    }
    return std::nullopt;
}

} // namespace

std::vector<LaneStep> lane_stream(VersionRun& run, const LaneTime& time)
{
    return Recorder(run, time).steps();
}

StreamDifference stream_difference(const std::vector<LaneStep>& one,
                                   const std::vector<LaneStep>& other,
                                   const std::vector<int>& lines)
{
    using Kind = StreamDifference::Kind;
    const std::set<int> matched(lines.begin(), lines.end());
    const auto there = [&](int line) {
        const auto index = static_cast<std::size_t>(line);
        return index < lines.size() ? lines[index] : 0;
    };
    const LaneStep* last = nullptr;
    std::size_t j = 0;
    for (const LaneStep& mine : one) {
        if (there(mine.ptx_line) == 0) continue;
        while (j < other.size() && !matched.contains(other[j].ptx_line)) ++j;
        const bool diverged = j >= other.size() || other[j].ptx_line != there(mine.ptx_line);
        if (diverged) {
            const LaneStep& at = last != nullptr ? *last : mine;
            return {Kind::path, at.ptx_line, at.position, 0, 0};
        }
        const LaneStep& theirs = other[j++];
        if (const auto values = differing_value(mine, theirs)) {
            // The same values in other registers were not read from other memory.
            const bool is_memory =
                mine.reads_memory && !std::ranges::is_permutation(mine.values, theirs.values);
            return {is_memory ? Kind::memory : Kind::value, mine.ptx_line, mine.position,
                    values->first, values->second};
        }
        if ((mine.writes_carry || theirs.writes_carry) && mine.carry != theirs.carry)
            return {Kind::carry, mine.ptx_line, mine.position, mine.carry, theirs.carry};
        last = &mine;
    }
    return {};
}

} // namespace lanescope::app
