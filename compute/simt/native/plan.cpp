// A walk through the code: stretches end at whatever is not a step, and where lanes come from
// elsewhere.
#include "compute/simt/native/plan.h"

#include <algorithm>

#include "compute/ptx/control_flow/cfg.h"
#include "compute/simt/decode/liveness.h"

namespace lanescope::simt::native {

namespace {

// Each step is code four times over: a stretch that is longer leaves off what it holds.
constexpr std::size_t most_steps = 256;

bool is_predicate(RowRef row, std::uint8_t bytes)
{
    return bytes == 0 && row != no_row;
}

// False where the instruction is not a form that native code has.
bool read_step(const Program& program, const Function& function, const Instruction& in, Step& step)
{
    if (in.run == nullptr) return false;
    const bool wide = in.kind == HandlerKind::wide;
    if (!wide && in.kind != HandlerKind::arithmetic) return false;
    const Form* form = find_form(in.run, program.isa);
    if (form == nullptr) return false;
    step.form = form;
    step.d = in.d;
    step.source = {in.a, in.b, in.c};
    if (wide) {
        const WideOperands& more = function.wide[in.extra];
        if (more.d3 != no_row || more.d4 != no_row || more.e != no_row) return false;
        step.d2 = more.d2;
        step.inverted = more.inverted;
        for (std::size_t i = 0; i < 3; ++i)
            if ((more.inverted >> i & 1u) != 0 && !is_predicate(step.source[i], form->source[i]))
                return false;
    }
    const bool compares =
        form->operation >= Operation::compare_s32 && form->operation <= Operation::compare_f64;
    if (!compares && (step.d2 != no_row || step.d == no_row)) return false;
    for (std::size_t i = 0; i < form->sources; ++i) {
        const bool optional = compares && i == 2 && form->boolean == rows::Boolean::none;
        if (step.source[i] == no_row && !optional) return false;
    }
    if (in.guarded) {
        step.guard = in.guard;
        step.guard_negated = in.guard_negated;
    }
    return true;
}

std::vector<bool> places_reached(const Function& function)
{
    std::vector<bool> reached(function.code.size() + 1);
    const auto mark = [&](int pc) {
        if (pc >= 0) reached[static_cast<std::size_t>(pc)] = true;
    };
    mark(0);
    for (const Branch& branch : function.branches) {
        mark(branch.target);
        mark(branch.reconvergence);
        for (int target : branch.table) mark(target);
    }
    for (const Call& call : function.calls) mark(call.return_to);
    return reached;
}

// Rows that hold something which is still needed before an instruction.
class LiveRows {
public:
    explicit LiveRows(const Program& program, const Function& function)
        : function_(function), flow_(ptx::control_flow(*program.module, *function.source)),
          liveness_(*function.source, flow_)
    {
        // What a device function gives back lies in registers that nothing in its text reads.
        keeps_all_ = !function.source->is_kernel;
    }
    std::vector<RowRef> before(std::size_t pc) const
    {
        std::vector<RowRef> rows;
        const std::size_t source = function_.code[pc].source;
        for (std::size_t reg = 0; reg < function_.registers.size(); ++reg)
            if (function_.registers[reg] != no_row &&
                (keeps_all_ || liveness_.live_before(source, reg)))
                rows.push_back(function_.registers[reg]);
        // Conversions between registers of different widths hand values on from instruction to
        // instruction of the code.
        constexpr std::uint32_t row_bytes = 4 * warp_lanes;
        for (std::uint32_t i = 0; i < 4; ++i)
            rows.push_back(row_ref(
                static_cast<std::uint32_t>(function_.registers_needed) * row_bytes + i * row_bytes,
                RowBase::frame));
        std::ranges::sort(rows);
        const auto again = std::ranges::unique(rows);
        rows.erase(again.begin(), again.end());
        return rows;
    }

private:
    const Function& function_;
    ptx::ControlFlow flow_;
    Liveness liveness_;
    bool keeps_all_ = false;
};

} // namespace

Plan make_plan(const Program& program, const Function& function)
{
    Plan plan;
    plan.function = &function;
    plan.entry.assign(function.code.size(), false);
    const LiveRows live(program, function);
    const std::vector<bool> reached = places_reached(function);
    const auto open = [&](Item::Kind kind, std::size_t pc) -> Item& {
        Item item;
        item.kind = kind;
        item.begin = static_cast<int>(pc);
        plan.entry[pc] = true;
        plan.items.push_back(std::move(item));
        return plan.items.back();
    };
    const auto close = [&](std::size_t pc) {
        if (plan.items.empty()) return;
        Item& item = plan.items.back();
        item.end = static_cast<int>(pc);
        if (item.kind == Item::Kind::stretch) item.live = live.before(pc);
    };
    for (std::size_t pc = 0; pc < function.code.size(); ++pc) {
        const Instruction& in = function.code[pc];
        Step step;
        if (read_step(program, function, in, step)) {
            const bool goes_on = !plan.items.empty() &&
                                 plan.items.back().kind == Item::Kind::stretch && !reached[pc] &&
                                 plan.items.back().steps.size() < most_steps;
            if (!goes_on) {
                close(pc);
                open(Item::Kind::stretch, pc);
            }
            plan.items.back().steps.push_back(step);
            plan.items.back().counted += in.counted;
            continue;
        }
        close(pc);
        const bool plain = in.run != nullptr && !in.guarded && in.kind == HandlerKind::arithmetic;
        Item& item = open(plain                                   ? Item::Kind::row_function
                          : in.kind == HandlerKind::branch        ? Item::Kind::branch
                          : in.kind == HandlerKind::reconvergence ? Item::Kind::mark
                                                                  : Item::Kind::handler,
                          pc);
        item.counted = in.counted;
    }
    close(function.code.size());
    return plan;
}

} // namespace lanescope::simt::native
