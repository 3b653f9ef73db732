// One pass over the code: stretches end at instructions that are not steps, and at jump targets.
#include "compute/simt/native/plan.h"

#include <algorithm>

#include "compute/ptx/control_flow/cfg.h"
#include "compute/ptx/uses/widened_indices.h"
#include "compute/simt/decode/flow/liveness.h"
#include "compute/simt/native/activation.h"

namespace lanescope::simt::native {

namespace {

bool is_predicate(RowRef row, std::uint8_t bytes)
{
    return bytes == 0 && row != no_row;
}

} // namespace

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
    const bool is_comparison = compares(*form);
    if (!is_comparison && (step.d2 != no_row || step.d == no_row)) return false;
    for (std::size_t i = 0; i < form->sources; ++i)
        if (step.source[i] == no_row) return false;
    // Lanes that a guard excludes must not count as divisions by zero.
    if (in.guarded && is_integer_division(form->operation)) return false;
    step.pc = static_cast<int>(&in - function.code.data());
    if (in.guarded) {
        step.guard = in.guard;
        step.guard_negated = in.guard_negated;
    }
    return true;
}

namespace {

// Slot of a load that a region may contain (32 words, through a
// register); no_index for other loads.
std::uint32_t load_slot(const Function& function, const Instruction& in)
{
    if (in.kind != HandlerKind::load || in.guarded) return no_index;
    const Access& access = function.accesses[in.extra];
    const bool fits = access.group != no_index && access.elements == 1 && access.mover.words &&
                      !access.synchronising && access.values[0] != no_row &&
                      access.offset >= -(1 << 30) && access.offset < (1 << 30);
    if (!fits) return no_index;
    if (access.batch == no_index) return max_slots - 1; // valid only in its own region
    const std::uint32_t batch = access.batch & ~joins;
    return batch < max_slots - 1 ? batch : no_index;
}

bool leads(const Access& access)
{
    return access.batch == no_index || (access.batch & joins) == 0;
}

std::vector<bool> branch_targets(const Function& function)
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

// The registers that explain an access whose index wrapped.
std::vector<Liveness::Read> reads_of_explanations(const ptx::Function& function)
{
    std::vector<Liveness::Read> reads;
    for (const ptx::WidenedIndex& index : ptx::widened_indices(function))
        for (const ptx::IndexLeaf& leaf : index.leaves)
            if (leaf.kind == ptx::IndexLeaf::Kind::reg)
                reads.push_back({index.instruction, leaf.reg});
    return reads;
}

// Rows that are live before an instruction, also if only the explanation of a fault reads them.
class LiveRows {
public:
    explicit LiveRows(const Program& program, const Function& function)
        : function_(function), flow_(ptx::control_flow(*program.module, *function.source)),
          liveness_(*function.source, flow_, reads_of_explanations(*function.source))
    {
        // A device function returns values in registers that nothing in its own text reads.
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
        // Rows in which conversions between register widths pass values from one instruction to the
        // next.
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

namespace {

bool writes(const std::vector<Step>& steps, RowRef row)
{
    return std::ranges::any_of(steps,
                               [&](const Step& step) { return step.d == row || step.d2 == row; });
}

// Builds the region that starts with the load at `pc`; null if there is none.
std::unique_ptr<LoadRegion> region_at(const Program& program, const Function& function,
                                      const std::vector<bool>& reached, std::size_t pc)
{
    const std::size_t first = pc;
    auto region = std::make_unique<LoadRegion>();
    bool own_slot = false; // a load outside any batch already uses the single slot for such loads
    for (; pc < function.code.size() && region->steps.size() < max_steps; ++pc) {
        if (pc != first && reached[pc]) break;
        const Instruction& in = function.code[pc];
        Step step;
        if (read_step(program, function, in, step)) {
            region->counted += in.counted;
            region->steps.push_back(step);
            continue;
        }
        const std::uint32_t slot = load_slot(function, in);
        if (slot == no_index) break;
        const Access& access = function.accesses[in.extra];
        const bool alone = access.batch == no_index;
        // All addresses must be available when the region starts.
        if (leads(access) && (writes(region->steps, access.address) || (alone && own_slot))) break;
        own_slot = own_slot || alone;
        region->counted += in.counted;
        step.d = access.values[0];
        step.slot = slot;
        step.offset = static_cast<std::int32_t>(access.offset);
        region->steps.push_back(step);
        region->loads.push_back({&in, slot, region->counted, leads(access), false});
    }
    region->begin = static_cast<int>(first);
    region->end = static_cast<int>(pc);
    if (region->loads.empty() || !region->loads.front().leads) return nullptr;
    for (LoadRegion::Load& load : region->loads) {
        const Access& access = function.accesses[load.instruction->extra];
        if (access.batch == no_index) continue;
        load.whole_batch = std::ranges::all_of(
            function.batches[access.batch & ~joins].loads, [&](std::uint32_t at) {
                return at >= first && at < pc &&
                       load_slot(function, function.code[at]) == load.slot;
            });
    }
    std::vector<std::uint32_t> own;
    for (const LoadRegion::Load& load : region->loads) {
        if (load.leads) {
            region->leaders.push_back(load);
            own.push_back(load.slot);
        }
        if (load.leads || !load.whole_batch) region->batch_reports.push_back(load);
        if (std::ranges::find(own, load.slot) == own.end() &&
            std::ranges::find(region->relied, load.slot) == region->relied.end())
            region->relied.push_back(load.slot);
    }
    return region;
}

} // namespace

namespace {

std::uint32_t straight_steps(const Function& function, const Plan& plan)
{
    if (!function.source->is_kernel || !function.unset.empty()) return 0;
    if (plan.octets.empty() || plan.octets.front()->begin != 0) return 0;
    std::uint32_t steps = plan.octets.front()->counted;
    bool ends = false;
    for (auto pc = static_cast<std::size_t>(plan.octets.front()->end); pc < function.code.size();
         ++pc) {
        const Instruction& in = function.code[pc];
        const bool is_end = in.kind == HandlerKind::exit && !in.guarded;
        if (!is_end && in.kind != HandlerKind::reconvergence) return 0;
        if (!ends) steps += in.counted;
        ends = ends || is_end;
    }
    return ends ? steps : 0;
}

} // namespace

Plan make_plan(const Program& program, const Function& function)
{
    Plan plan;
    plan.function = &function;
    plan.entry.assign(function.code.size(), false);
    const LiveRows live(program, function);
    std::vector<bool> reached = branch_targets(function);
    for (std::size_t pc = 0; pc < function.code.size(); ++pc) {
        const Instruction& in = function.code[pc];
        if (load_slot(function, in) == no_index || !leads(function.accesses[in.extra])) continue;
        auto region = region_at(program, function, reached, pc);
        if (region == nullptr) continue;
        const auto end = static_cast<std::size_t>(region->end);
        region->live = live.before(end);
        plan.regions.push_back(std::move(region));
        pc = end - 1;
    }
    plan.octets = octet_regions(program, function, reached);
    // An item starts after each region.
    for (const auto& region : plan.regions) reached[static_cast<std::size_t>(region->end)] = true;
    for (const auto& region : plan.octets) {
        const auto end = static_cast<std::size_t>(region->end);
        reached[static_cast<std::size_t>(region->begin)] = reached[end] = true;
        region->live = live.before(end);
        for (const OctetAccess& access : region->accesses)
            if (access.instruction->kind == HandlerKind::store)
                for (std::size_t i = 0; i < access.access->elements; ++i)
                    region->live.push_back(access.access->values[i]);
        std::ranges::sort(region->live);
        if (region->by_lanes) region->by_lanes->live = region->live;
    }
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
            const bool continues = !plan.items.empty() &&
                                   plan.items.back().kind == Item::Kind::stretch && !reached[pc] &&
                                   plan.items.back().steps.size() < max_steps;
            if (!continues) {
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
    plan.straight_steps = straight_steps(function, plan);
    return plan;
}

} // namespace lanescope::simt::native
