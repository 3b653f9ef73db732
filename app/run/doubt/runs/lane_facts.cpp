// Replays the lane's block, and looks at the operands of each of its instructions.
#include "app/run/doubt/runs/lane_facts.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "compute/ptx/debug/dwarf.h"
#include "compute/ptx/instructions/table.h"
#include "compute/simt/debug/inspect.h"
#include "compute/simt/machine/state/executor.h"
#include "compute/simt/operations/memory/addressing.h"

namespace lanescope::app {
namespace {

using ptx::Op;
using ptx::Type;
using ptx::Word;
using OperandKind = ptx::Operand::Kind;

constexpr std::size_t max_facts = 16;

bool is_signed(Type type)
{
    return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

std::int64_t signed_value(std::uint64_t bits, int bytes)
{
    const int shift = 64 - 8 * bytes;
    return static_cast<std::int64_t>(bits << shift) >> shift;
}

// Registers of a function that some instruction reads as signed numbers, also through moves.
std::vector<bool> signed_registers(const ptx::Function& function)
{
    std::vector<bool> is(function.registers.size(), false);
    const auto reads_signed = [](const ptx::Instruction& in) {
        switch (in.op) {
        case Op::setp:
        case Op::set:
        case Op::min:
        case Op::max:
        case Op::abs:
        case Op::div:
        case Op::rem:
        case Op::shr: return is_signed(in.modifiers.source());
        case Op::mul:
        case Op::mad: return in.has(Word::wide) && is_signed(in.modifiers.type());
        case Op::cvt: return is_signed(in.modifiers.source());
        default: return false;
        }
    };
    const auto mark = [&](const ptx::Operand& operand) {
        if (operand.kind != OperandKind::reg || operand.reg < 0) return false;
        const auto index = static_cast<std::size_t>(operand.reg);
        if (is[index]) return false;
        is[index] = true;
        return true;
    };
    bool changed = true;
    while (changed) {
        changed = false;
        for (const ptx::Instruction& in : function.instructions) {
            const bool moved = (in.op == Op::mov) && in.operands.size() == 2 &&
                               in.operands[0].kind == OperandKind::reg && in.operands[0].reg >= 0 &&
                               is[static_cast<std::size_t>(in.operands[0].reg)];
            if (moved) changed |= mark(in.operands[1]);
            if (reads_signed(in))
                for (std::size_t i = 1; i < in.operands.size(); ++i)
                    changed |= mark(in.operands[i]);
        }
    }
    return is;
}

class Watch {
public:
    Watch(VersionRun& run, const LaneTime& time)
        : run_(run), time_(time), lines_(run.timeline().launch().program),
          debug_(ptx::read_debug_info(*run.timeline().launch().program.module)),
          inspector_(run.timeline(), lines_, &debug_, nullptr)
    {
    }

    std::vector<LaneFact> facts()
    {
        simt::Timeline& timeline = run_.timeline();
        const std::optional<std::uint64_t> begin = timeline.find_block(time_.block);
        if (begin)
            timeline.replay(*begin, end_of(timeline, *begin, time_),
                            [&](simt::Timeline& at) { look(at); });
        return std::move(facts_);
    }

private:
    void look(simt::Timeline& at)
    {
        if (facts_.size() >= max_facts || at.block().linear != time_.block) return;
        simt::Walk& walk = at.walk();
        if (walk.state().warp != time_.warp || (walk.next_mask() >> time_.lane & 1u) == 0) return;
        simt::Executor& x = walk.executor();
        const simt::Instruction& decoded = walk.next_instruction();
        if (decoded.source >= x.function->source->instructions.size()) return;
        const ptx::Instruction& in = x.function->source->instructions[decoded.source];
        now_ = {&x, &decoded, &in, at.position()};
        switch (in.op) {
        case Op::add:
        case Op::sub:
        case Op::mul:
        case Op::mad: overflow(); break;
        case Op::shl:
        case Op::shr: shift(); break;
        case Op::div:
        case Op::rem: division(); break;
        case Op::cvt: conversion(); break;
        case Op::ld:
        case Op::st:
        case Op::atom:
        case Op::red: access(); break;
        default: break;
        }
        if (in.op == Op::add && in.modifiers.type() != Type::none &&
            ptx::size_bytes(in.modifiers.type()) == 8 && in.operands[0].reg >= 0)
            sums_[{x.frame->rows_begin, in.operands[0].reg}] = {value(in.operands[1]),
                                                                value(in.operands[2])};
    }

    // An operand's bits in the lane; 0 for operands without a value.
    std::uint64_t value(const ptx::Operand& operand) const
    {
        if (operand.kind == OperandKind::immediate) return operand.bits;
        if (operand.kind != OperandKind::reg || operand.reg < 0) return 0;
        return bits(operand.reg);
    }
    std::uint64_t bits(int reg) const
    {
        const auto index = static_cast<std::size_t>(reg);
        const simt::RowRef row = now_.x->function->registers[index];
        const Type type = now_.x->function->source->registers[index].type;
        if (row == simt::no_row || type == Type::pred) return 0;
        const std::size_t stride = static_cast<std::size_t>(std::max(4, ptx::size_bytes(type)));
        std::uint64_t bits = 0;
        std::memcpy(&bits,
                    now_.x->row<const std::byte>(row) +
                        static_cast<std::size_t>(time_.lane) * stride,
                    std::min<std::size_t>(8, stride));
        return bits;
    }

    void overflow()
    {
        const ptx::Instruction& in = *now_.in;
        const Type type = in.modifiers.type();
        if (type != Type::s32 && type != Type::s64) return;
        if (in.has(Word::wide) || in.has(Word::hi) || in.has(Word::sat)) return;
        if (in.operands[0].kind != OperandKind::reg || in.operands[0].reg < 0) return;
        std::vector<bool>& used = signed_[now_.x->function->source];
        if (used.empty()) used = signed_registers(*now_.x->function->source);
        if (!used[static_cast<std::size_t>(in.operands[0].reg)]) return;
        const int bytes = ptx::size_bytes(type);
        const std::int64_t a = signed_value(value(in.operands[1]), bytes);
        const std::int64_t b = signed_value(value(in.operands[2]), bytes);
        const bool product = in.op == Op::mul || in.op == Op::mad;
        std::int64_t result = 0;
        bool over = false;
        if (product)
            over = __builtin_mul_overflow(a, b, &result);
        else
            over = in.op == Op::add ? __builtin_add_overflow(a, b, &result)
                                    : __builtin_sub_overflow(a, b, &result);
        if (in.op == Op::mad && !over)
            over =
                __builtin_add_overflow(result, signed_value(value(in.operands[3]), bytes), &result);
        if (bytes == 4 && !over)
            over = result != signed_value(static_cast<std::uint64_t>(result), 4);
        if (!over) return;
        const char* const sign = product ? "·" : in.op == Op::add ? "+" : "−";
        note("signed_overflow",
             fmt::format("{} {} {} does not fit in a signed integer of {} bits. C++ leaves signed "
                         "overflow undefined.",
                         a, sign, b, 8 * bytes));
    }

    void shift()
    {
        const ptx::Instruction& in = *now_.in;
        const auto width = static_cast<std::uint64_t>(8 * ptx::size_bytes(in.modifiers.type()));
        const std::uint64_t amount = value(in.operands[2]) & 0xffffffffu;
        if (amount < width) return;
        note("wide_shift", fmt::format("It shifts {} bits by {}. C++ leaves this undefined; PTX "
                                       "shifts all bits out.",
                                       width, static_cast<std::int32_t>(amount)));
    }

    void division()
    {
        const ptx::Instruction& in = *now_.in;
        const Type type = in.modifiers.type();
        if (type == Type::f32 || type == Type::f64) return;
        const int bytes = ptx::size_bytes(type);
        const std::int64_t divisor = signed_value(value(in.operands[2]), bytes);
        const std::int64_t dividend = signed_value(value(in.operands[1]), bytes);
        if (divisor == 0)
            note("zero_division", "It divides by zero. C++ and PTX leave the result undefined.");
        else if (is_signed(type) && divisor == -1 &&
                 dividend == signed_value(std::uint64_t{1} << (8 * bytes - 1), bytes))
            note("signed_overflow",
                 fmt::format("{} / −1 does not fit. C++ leaves signed overflow undefined.",
                             dividend));
    }

    void conversion()
    {
        const ptx::Instruction& in = *now_.in;
        const Type from = in.modifiers.source();
        const Type to = in.modifiers.type();
        const bool integer = to >= Type::u8 && to <= Type::s64;
        if (!integer || (from != Type::f32 && from != Type::f64)) return;
        double real = 0;
        const std::uint64_t raw = value(in.operands[1]);
        if (from == Type::f64) {
            std::memcpy(&real, &raw, 8);
        } else {
            float single = 0;
            std::memcpy(&single, &raw, 4);
            real = single;
        }
        const int bits = 8 * ptx::size_bytes(to);
        const double high = std::ldexp(1.0, is_signed(to) ? bits - 1 : bits);
        const double low = is_signed(to) ? -high : 0;
        const double whole = std::trunc(real);
        if (!std::isnan(real) && whole >= low && whole < high) return;
        note(
            "conversion_range",
            fmt::format("It converts {} to {} integer of {} bits. C++ leaves this undefined; PTX "
                        "{}.",
                        real, is_signed(to) ? "a signed" : "an unsigned", bits,
                        std::isnan(real) ? "gives 0 or the highest bit" : "gives the nearest one"));
    }

    // An access to local memory whose address was computed from one array, but is in another.
    void access()
    {
        const simt::HandlerKind kind = now_.decoded->kind;
        if (kind != simt::HandlerKind::load && kind != simt::HandlerKind::store &&
            kind != simt::HandlerKind::atomic)
            return;
        const simt::Access& access = now_.x->function->accesses[now_.decoded->extra];
        if (access.kind == simt::AddressKind::frame_param) return;
        simt::Addresses at;
        simt::form_addresses(*now_.x, access, 1u << time_.lane, at);
        simt::Address address = at.lane[static_cast<std::size_t>(time_.lane)];
        if (access.space == ptx::Space::local) address += simt::local_window;
        if (simt::space_of(address) != ptx::Space::local) return;
        for (const ptx::Operand& operand : now_.in->operands) {
            if (operand.kind != OperandKind::address || operand.reg < 0) continue;
            const auto sum = sums_.find({now_.x->frame->rows_begin, operand.reg});
            if (sum == sums_.end()) continue;
            for (const std::uint64_t base : {sum->second.first, sum->second.second})
                if (outside_array(base, address, access.width_bytes)) return;
        }
    }

    // Notes an access outside the array that begins at `base`; false if none does, or it is inside.
    bool outside_array(simt::Address base, simt::Address address, int bytes)
    {
        if (simt::space_of(base) != ptx::Space::local) return false;
        const ptx::DebugFunction* const function = debug_.find(now_.x->function->name);
        const auto lane = inspector_.lane_at(time_.warp, time_.lane);
        if (function == nullptr || !lane) return false;
        for (const ptx::SourceVariable& variable : function->variables) {
            if (!variable.type || variable.type->kind != ptx::SourceType::Kind::array ||
                variable.type->bytes == 0 ||
                !variable.in_scope(static_cast<int>(now_.decoded->source)))
                continue;
            const auto named = inspector_.named(*lane, variable.name);
            if (!named || named->address != base) continue;
            const std::uint64_t offset = address - base; // wraps below the array
            if (offset < variable.type->bytes &&
                variable.type->bytes - offset >= static_cast<std::uint64_t>(bytes))
                return false;
            const auto element = static_cast<std::int64_t>(
                variable.type->element ? std::max<std::size_t>(1, variable.type->element->bytes)
                                       : 1);
            note("local_index",
                 fmt::format("It {} {}[{}], but the array has {} elements. C++ leaves this "
                             "undefined.",
                             now_.in->op == Op::ld ? "reads" : "writes", variable.name,
                             static_cast<std::int64_t>(offset) / element,
                             variable.type->bytes / static_cast<std::size_t>(element)));
            return true;
        }
        return false;
    }

    void note(const char* kind, std::string sentence)
    {
        const auto line = lines_.of(*now_.x->function, now_.x->pc_of(*now_.decoded));
        if (!known_.insert({kind, line.line > 0 ? line.line : -now_.in->ptx_line}).second) return;
        LaneFact fact;
        fact.kind = kind;
        fact.sentence = std::move(sentence);
        fact.line = line.line;
        fact.ptx_line = now_.in->ptx_line;
        fact.position = now_.position;
        fact.instruction = lines_.program().module->text.substr(
            now_.in->text_begin, now_.in->text_end - now_.in->text_begin);
        facts_.push_back(std::move(fact));
    }

    struct Now {
        simt::Executor* x = nullptr;
        const simt::Instruction* decoded = nullptr;
        const ptx::Instruction* in = nullptr;
        std::uint64_t position = 0;
    };

    VersionRun& run_;
    LaneTime time_;
    simt::CodeLines lines_;
    ptx::DebugInfo debug_;
    simt::Inspector inspector_;
    Now now_;
    std::map<const ptx::Function*, std::vector<bool>> signed_;
    // Operands of the last 64-bit sum in each register, keyed by frame and register.
    std::map<std::pair<std::uint32_t, int>, std::pair<std::uint64_t, std::uint64_t>> sums_;
    std::set<std::pair<std::string, int>> known_;
    std::vector<LaneFact> facts_;
};

} // namespace

std::uint64_t end_of(const simt::Timeline& timeline, std::uint64_t begin, const LaneTime& time)
{
    const std::uint64_t end = timeline.block_end(begin).value_or(timeline.known());
    return time.position < end ? time.position + 1 : end;
}

std::vector<LaneFact> lane_facts(VersionRun& run, const LaneTime& time)
{
    return Watch(run, time).facts();
}

} // namespace lanescope::app
