// Warps run one after another. GroupSteps records the wgmma instructions of the first, and each
// later one must execute the same.
#include "compute/simt/operations/matrix/warp_group.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "compute/ptx/instructions/table.h"
#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/operations/cross_lane.h"
#include "compute/simt/operations/handlers.h"
#include "compute/simt/operations/matrix/group_sums.h"
#include "compute/simt/operations/matrix/layout/shared_tile.h"

namespace lanescope::simt {

namespace {

using trace::kind::matrix_order;

const char* const whole_group = "all 128 threads of a warp group must execute it";

int part_of(const Warp& warp)
{
    return warp.index % group_warps * group_part_rows;
}

const Instruction& instruction_of(const PendingProduct& pending)
{
    return pending.function->code[static_cast<std::size_t>(pending.pc)];
}

std::string opcode_of(const Executor& x, const Instruction& in)
{
    return std::string(ptx::form_of(x.source(in).op).name);
}

// Rows of the kernel's frame, also while a function that it calls is running.
template <class T>
T* kernel_row(Warp& warp, RowRef ref)
{
    return reinterpret_cast<T*>(warp.rows.data() + warp.frames.front().rows_begin + ref);
}

// --- The group ---

[[noreturn]] void fault_of_group(const Executor& x, const Instruction& in, std::uint32_t mask,
                                 const std::string& what)
{
    x.fault(in, "warp_sync", lowest_lane(mask), 0, what);
}

void check_complete(const Executor& x, const Instruction& in, std::uint32_t mask)
{
    const auto first = static_cast<std::size_t>(x.warp->index / group_warps * group_warps);
    const std::size_t warps = x.block->warps.size();
    if (first + group_warps > warps || x.warp->lanes != full_mask) {
        std::uint32_t threads = 0;
        for (const Warp& warp : x.block->warps) threads += lane_count(warp.lanes);
        fault_of_group(x, in, mask,
                       fmt::format("executes {} in a warp group that is not complete, because its "
                                   "block has {} threads: {}, and a group starts at a multiple of "
                                   "128",
                                   opcode_of(x, in), threads, whole_group));
    }
    if (mask != full_mask)
        fault_of_group(x, in, mask,
                       fmt::format("executes {} after thread {} of its warp has ended: {}",
                                   opcode_of(x, in),
                                   text(x.thread_index(*x.warp, lowest_lane(~mask))), whole_group));
}

// Forgets steps that all warps of the group have executed.
void shorten(GroupSteps& group, const Block& block, std::size_t first)
{
    constexpr std::size_t max_steps = 4096;
    if (group.steps.size() < max_steps) return;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t i = first; i < first + group_warps; ++i)
        least = std::min(least, block.warps[i].group_steps);
    group.steps.erase(group.steps.begin(),
                      group.steps.begin() + static_cast<std::ptrdiff_t>(least - group.dropped));
    group.dropped = least;
}

// A warp may run ahead of the others until its slice ends, and in several slices if they are short;
// but if one of them never follows, the recorded steps would take all memory.
void check_lead(const Executor& x, const Instruction& in, std::uint32_t mask,
                const GroupSteps& group, std::size_t first)
{
    constexpr std::size_t max_lead = std::size_t{1} << 20;
    if (group.steps.size() < max_lead) return;
    std::size_t last = first;
    for (std::size_t i = first; i < first + group_warps; ++i)
        if (x.block->warps[i].group_steps < x.block->warps[last].group_steps) last = i;
    fault_of_group(x, in, mask,
                   fmt::format("executes {}, and warp {} of its group has not executed the last {} "
                               "wgmma instructions: {}",
                               opcode_of(x, in), last, group.steps.size(), whole_group));
}

// Records that the warp executes the instruction. `a` and `b` are the descriptors of a product.
void step_together(Executor& x, const Instruction& in, std::uint32_t mask, std::uint64_t a = 0,
                   std::uint64_t b = 0)
{
    check_complete(x, in, mask);
    Block& block = *x.block;
    const auto first = static_cast<std::size_t>(x.warp->index / group_warps * group_warps);
    GroupSteps& group = block.groups[first / group_warps];
    const std::uint64_t number = x.warp->group_steps++;
    if (number == group.count()) {
        for (std::size_t i = first; i < first + group_warps; ++i)
            if (block.warps[i].finished())
                fault_of_group(x, in, mask,
                               fmt::format("executes {} after warp {} of its group has ended: {}",
                                           opcode_of(x, in), i, whole_group));
        group.steps.push_back({&in, a, b});
        shorten(group, block, first);
        check_lead(x, in, mask, group, first);
        return;
    }
    const GroupSteps::Step& other = group.steps[static_cast<std::size_t>(number - group.dropped)];
    if (other.instruction != &in)
        fault_of_group(x, in, mask,
                       fmt::format("executes {} where another warp of its group of four has "
                                   "executed a different wgmma instruction: {}",
                                   opcode_of(x, in), whole_group));
    if (other.a != a || other.b != b)
        fault_of_group(x, in, mask,
                       fmt::format("executes {} with the matrix descriptor {:#x}, and another warp "
                                   "of its group with {:#x}: all threads of a warp group must use "
                                   "the same descriptors",
                                   opcode_of(x, in), other.a != a ? a : b,
                                   other.a != a ? other.a : other.b));
}

// --- Operands ---

// The value of a row that must be the same in all lanes.
std::uint64_t uniform_descriptor(const Executor& x, const Instruction& in, RowRef ref)
{
    if (ref == no_row) return 0;
    const auto* row = x.row<const std::uint64_t>(ref);
    for (int lane = 1; lane < warp_lanes; ++lane)
        if (row[lane] != row[0])
            x.fault(in, "warp_sync", lane, 0,
                    fmt::format("uses the matrix descriptor {:#x}, and lane 0 of its warp {:#x}: "
                                "all threads of a warp group must use the same descriptors",
                                row[lane], row[0]));
    return row[0];
}

bool adds_to_d(const Executor& x, const Instruction& in, const GroupProduct& work)
{
    std::uint32_t lanes = *x.row<const std::uint32_t>(work.adds);
    if (work.adds_inverted) lanes = ~lanes;
    if (lanes != 0 && lanes != full_mask)
        x.fault(in, "warp_sync", lowest_lane(~lanes), 0,
                "executes wgmma with a scale-d that differs between the lanes of its warp: it must "
                "be the same in all threads of a warp group");
    return lanes != 0;
}

// Calls use(tile, first row, number of rows, descriptor) for each operand in shared memory.
template <class Use>
void for_tiles(const GroupProduct& work, const PendingProduct& pending, int part, Use use)
{
    if (work.descriptor_a != no_row)
        use(SharedTile(pending.descriptor_a, work.across_a), part, group_part_rows,
            pending.descriptor_a);
    use(SharedTile(pending.descriptor_b, work.across_b), 0, work.shape.n, pending.descriptor_b);
}

void check_bounds(const Executor& x, const Instruction& in, const GroupProduct& work,
                  PendingProduct& pending)
{
    const std::uint64_t end = x.block->shared.size();
    std::size_t number = work.descriptor_a != no_row ? 0 : 1;
    for_tiles(work, pending, part_of(*x.warp),
              [&](const SharedTile& tile, int first, int rows, std::uint64_t bits) {
                  PendingProduct::Extent& extent = pending.extents[number++];
                  extent = {std::numeric_limits<std::uint32_t>::max(), 0};
                  for (int i = 0; i < SharedTile::chunk_count(rows); ++i) {
                      const std::uint32_t at = tile.nth_chunk(first, i);
                      if (std::uint64_t{at} + chunk_bytes > end)
                          x.fault(in, "out_of_bounds", 0, shared_window + at,
                                  fmt::format("reads {} bytes of shared memory at {:#x} for matrix "
                                              "{} (descriptor {:#x}), but its block has {} bytes: "
                                              "the descriptor's address or offsets are wrong",
                                              chunk_bytes, at, number == 1 ? 'a' : 'b', bits, end));
                      extent.low = std::min(extent.low, at);
                      extent.high = std::max(extent.high, at + chunk_bytes);
                  }
              });
}

// Reports the chunks that a product reads to the observers, 32 at a time.
void report_reads(Executor& x, const GroupProduct& work, const PendingProduct& pending)
{
    const Checks& checks = x.launch.options.checks;
    if (!checks.races && !checks.uninitialised) return;
    Access access;
    access.space = ptx::Space::shared;
    access.kind = AddressKind::fixed;
    access.element_bytes = access.width_bytes = chunk_bytes;
    for_tiles(work, pending, part_of(*x.warp),
              [&](const SharedTile& tile, int first, int rows, std::uint64_t) {
                  const int count = SharedTile::chunk_count(rows);
                  for (int begin = 0; begin < count; begin += warp_lanes) {
                      std::array<std::uint64_t, warp_lanes> lanes{};
                      std::uint64_t low = ~std::uint64_t{0}, high = 0;
                      const int end = std::min(count - begin, warp_lanes);
                      for (int i = 0; i < end; ++i) {
                          const std::uint64_t at = tile.nth_chunk(first, begin + i);
                          lanes[static_cast<std::size_t>(i)] = at;
                          low = std::min(low, at);
                          high = std::max(high, at + chunk_bytes);
                      }
                      const AccessEvent event{.instruction = instruction_of(pending),
                                              .access = access,
                                              .space = ptx::Space::shared,
                                              .op = trace::Op::load,
                                              .width_bytes = chunk_bytes,
                                              .lanes = lanes.data(),
                                              .shift = 0,
                                              .mask =
                                                  end == warp_lanes ? full_mask : (1u << end) - 1u,
                                              .low = low,
                                              .high = high,
                                              .contiguous = false,
                                              .first = true,
                                              .allocation = nullptr,
                                              .base = x.block->shared.data(),
                                              .group = nullptr};
                      for (Observer* observer : x.observers) observer->operand_read(x, event);
                  }
              });
}

std::vector<OperandRow> rows_in_registers(const GroupProduct& work, const PendingProduct& pending)
{
    std::vector<OperandRow> rows(group_part_rows);
    const int bits = element_bits(work.a);
    for (int lane = 0; lane < warp_lanes; ++lane)
        for (std::size_t i = 0; i < work.rows_a.size(); ++i) {
            const auto [row, k] = work.first.place(lane, static_cast<int>(i) * work.first.run);
            const std::uint32_t word = pending.a[i][static_cast<std::size_t>(lane)];
            std::memcpy(
                &rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(k * bits / 8)], &word,
                sizeof word);
        }
    return rows;
}

std::vector<OperandRow> rows_in_memory(const Executor& x, const SharedTile& tile, int first,
                                       int count)
{
    std::vector<OperandRow> rows(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
        tile.read_row(x.block->shared.data(), first + i, rows[static_cast<std::size_t>(i)].data());
    return rows;
}

// --- Products ---

// Performs the product. `in` is the instruction that the warp is executing.
void finish_product(Executor& x, const Instruction& in, const PendingProduct& pending)
{
    const GroupProduct& work = product_of(pending);
    Warp& warp = *x.warp;
    const GroupSums sums(
        work,
        work.descriptor_a == no_row
            ? rows_in_registers(work, pending)
            : rows_in_memory(x, SharedTile(pending.descriptor_a, work.across_a), part_of(warp),
                             group_part_rows),
        rows_in_memory(x, SharedTile(pending.descriptor_b, work.across_b), 0, work.shape.n));
    const bool halves = work.result.element == MatrixElement::f16;
    const bool in_kernel = pending.function == warp.frames.front().function;
    for (int i = 0; i < work.result.elements(); ++i) {
        stop_when_due(x, in, 0);
        const RowRef ref = work.rows_d[static_cast<std::size_t>(halves ? i / 2 : i)];
        auto* const row =
            in_kernel ? kernel_row<std::uint32_t>(warp, ref) : x.row<std::uint32_t>(ref);
        const int shift = halves ? i % 2 * 16 : 0;
        const std::uint32_t field = halves ? 0xffffu << shift : ~0u;
        for (int lane = 0; lane < warp_lanes; ++lane) {
            const auto [line, column] = work.result.place(lane, i);
            const std::uint32_t c = pending.adds ? (row[lane] & field) >> shift : 0;
            row[lane] = (row[lane] & ~field) | sums.sum(line, column, c) << shift;
        }
    }
}

void report_end(Executor& x)
{
    for (Observer* observer : x.observers) observer->object_passes(x, group_products, full_mask);
}

// Performs the earliest `count` products.
void finish_earliest(Executor& x, const Instruction& in, std::size_t count)
{
    std::vector<PendingProduct>& products = x.warp->products;
    for (std::size_t i = 0; i < count; ++i) {
        finish_product(x, in, products[i]);
        report_end(x);
    }
    products.erase(products.begin(), products.begin() + static_cast<std::ptrdiff_t>(count));
}

void check_fence(const Executor& x, const Instruction& in, const GroupProduct& work)
{
    if (!x.launch.options.checks.races) return;
    if (x.warp->fenced == Fenced::never)
        x.fault(in, matrix_order, 0, 0,
                "executes wgmma.mma_async without a wgmma.fence before it: it may read its "
                "registers before they are written. wgmma.fence.sync.aligned (warpgroup_arrive) "
                "must come before the first product");
    if (x.warp->fenced == Fenced::before_wait && work.unfenced >= 0)
        x.fault(in, matrix_order, 0, 0,
                fmt::format(
                    "executes wgmma.mma_async with register {}, which other instructions "
                    "have used since the last wgmma.fence: wgmma.fence.sync.aligned "
                    "(warpgroup_arrive) must come in between",
                    x.function->source->registers[static_cast<std::size_t>(work.unfenced)].name));
}

constexpr std::size_t max_pending = 256; // pending products per warp

void issue_product(Executor& x, const Instruction& in, std::uint32_t mask)
{
    PendingProduct pending;
    pending.function = x.function;
    pending.pc = x.pc_of(in);
    const GroupProduct& work = product_of(pending);
    check_complete(x, in, mask);
    pending.descriptor_a = uniform_descriptor(x, in, work.descriptor_a);
    pending.descriptor_b = uniform_descriptor(x, in, work.descriptor_b);
    step_together(x, in, mask, pending.descriptor_a, pending.descriptor_b);
    pending.adds = adds_to_d(x, in, work);
    pending.group = x.warp->product_groups;
    check_fence(x, in, work);
    check_bounds(x, in, work, pending);
    for (std::size_t i = 0; i < work.rows_a.size(); ++i)
        std::copy_n(x.row<const std::uint32_t>(work.rows_a[i]), warp_lanes, pending.a[i].data());
    report_reads(x, work, pending);
    // Products do not outlive the frame of a called function.
    if (x.frame != x.warp->frames.data()) {
        finish_earliest(x, in, x.warp->products.size());
        finish_product(x, in, pending);
        report_end(x);
        return;
    }
    x.warp->products.push_back(pending);
    // A loop may never wait. Performs the earliest ones, since a GPU may do so at any time.
    if (x.warp->products.size() > max_pending) finish_earliest(x, in, max_pending / 2);
}

void fence_registers(Executor& x, const Instruction& in, std::uint32_t mask)
{
    step_together(x, in, mask);
    x.warp->fenced = Fenced::yes;
}

void commit_products(Executor& x, const Instruction& in, std::uint32_t mask)
{
    step_together(x, in, mask);
    ++x.warp->product_groups;
}

// Operands::values[0]: number of groups that may stay pending.
void wait_for_products(Executor& x, const Instruction& in, std::uint32_t mask)
{
    step_together(x, in, mask);
    Warp& warp = *x.warp;
    const auto allowed = static_cast<std::uint64_t>(x.function->operands[in.extra].values[0]);
    const auto first = std::ranges::find_if(warp.products, [&](const PendingProduct& one) {
        return one.group + allowed >= warp.product_groups;
    });
    finish_earliest(x, in, static_cast<std::size_t>(first - warp.products.begin()));
    if (warp.fenced == Fenced::yes) warp.fenced = Fenced::before_wait;
}

// setmaxnreg. Operands::values[0]: the number of registers; values[1]: it requests more.
void limit_registers(Executor& x, const Instruction& in, std::uint32_t mask)
{
    step_together(x, in, mask);
    const Operands& operands = x.function->operands[in.extra];
    const auto wanted = static_cast<std::uint32_t>(operands.values[0]);
    const auto& directives = x.launch.program.entry().source->directives;
    std::uint32_t now = x.warp->max_registers;
    if (const auto given = directives.find("maxnreg"); now == 0 && given != directives.end())
        now = static_cast<std::uint32_t>(given->second.front());
    const bool more = operands.values[1] != 0;
    if (now != 0 && (more ? wanted < now : wanted > now))
        x.fault(in, "launch_failure", 0, 0,
                fmt::format("executes setmaxnreg.{0} with {1} registers while it has {2}: {0} must "
                            "not {3} their number",
                            more ? "inc" : "dec", wanted, now, more ? "reduce" : "raise"));
    x.warp->max_registers = wanted;
}

template <void (*act)(Executor&, const Instruction&, std::uint32_t)>
Flow act_with_whole_group(Executor& x, const Instruction& in, std::uint32_t mask)
{
    if (must_wait(x, in, mask)) return Flow::reload;
    act(x, in, mask);
    return Flow::next;
}

// --- Registers of pending products ---

template <class Use>
void for_registers(const ptx::Operand& operand, Use use)
{
    if (operand.reg >= 0) use(operand.reg);
    for (const ptx::Operand& element : operand.elements) for_registers(element, use);
}

bool has_register(const ptx::Operand& operand, int reg)
{
    bool found = false;
    for_registers(operand, [&](int one) { found = found || one == reg; });
    return found;
}

struct EarlyUse {
    int reg = -1;
    bool writes = false;
    bool is_operand_a = false;
};

// The first register of the product that the instruction must not use yet; reg -1: none.
EarlyUse early_use(const ptx::Instruction& source, const ptx::Instruction& product)
{
    const bool writes = ptx::form_of(source.op).destinations > 0 && !source.operands.empty() &&
                        source.operands[0].kind != ptx::Operand::Kind::address;
    // Products with the same accumulators are executed in order.
    const bool ordered = source.op == ptx::Op::wgmma;
    EarlyUse early;
    const auto look_at = [&](const ptx::Operand& operand, bool target) {
        for_registers(operand, [&](int reg) {
            if (early.reg >= 0) return;
            const bool accumulates = has_register(product.operands[0], reg);
            const bool multiplies = target &&
                                    product.operands[1].kind == ptx::Operand::Kind::vector &&
                                    has_register(product.operands[1], reg);
            if (accumulates || multiplies) early = {reg, target, !accumulates};
        });
    };
    for (std::size_t i = writes || ordered ? 1 : 0; i < source.operands.size(); ++i)
        look_at(source.operands[i], false);
    if (writes && !ordered) look_at(source.operands[0], true);
    return early;
}

// Comes before an instruction that may use registers of a pending product. Compilers copy
// accumulators between the asm statements of CUDA C++; assemblers remove these copies, so they
// finish the product instead.
Flow look_for_early_use(Executor& x, const Instruction& in, std::uint32_t)
{
    Warp& warp = *x.warp;
    if (warp.products.empty() || x.frame != warp.frames.data()) return Flow::next;
    const ptx::Instruction& source = x.source(in);
    for (std::size_t i = 0; i < warp.products.size(); ++i) {
        const Instruction& product = instruction_of(warp.products[i]);
        const EarlyUse early = early_use(source, x.source(product));
        if (early.reg < 0) continue;
        if (ptx::form_of(source.op).unit == ptx::Unit::move && !early.writes) {
            finish_earliest(x, in, warp.products.size());
            return Flow::next;
        }
        if (!x.launch.options.checks.races) continue;
        x.fault(
            in, matrix_order, 0, 0,
            fmt::format("{} register {}, {} by the wgmma.mma_async at {} that it has not waited "
                        "for: wgmma.commit_group and wgmma.wait_group (warpgroup_wait) must "
                        "come before",
                        early.writes ? "writes" : "reads",
                        x.function->source->registers[static_cast<std::size_t>(early.reg)].name,
                        early.is_operand_a ? "which is read"
                        : early.writes     ? "which is also written"
                                           : "which is written",
                        place_text(*x.launch.program.module, x.source(product))));
    }
    return Flow::next;
}

bool reads_between(const PendingProduct& pending, int part, std::uint64_t low, std::uint64_t high)
{
    if (std::ranges::none_of(pending.extents, [&](const PendingProduct::Extent& extent) {
            return extent.low < high && extent.high > low;
        }))
        return false;
    bool found = false;
    for_tiles(product_of(pending), pending, part,
              [&](const SharedTile& tile, int first, int rows, std::uint64_t) {
                  for (int i = 0; i < SharedTile::chunk_count(rows) && !found; ++i) {
                      const std::uint64_t at = tile.nth_chunk(first, i);
                      found = at < high && at + chunk_bytes > low;
                  }
              });
    return found;
}

} // namespace

const GroupProduct& product_of(const PendingProduct& pending)
{
    const Function& function = *pending.function;
    const Operands& operands = function.operands[instruction_of(pending).extra];
    return function.products[static_cast<std::size_t>(operands.values[0])];
}

std::optional<PendingRead> pending_read(const Block& block, std::uint64_t low, std::uint64_t high)
{
    for (std::size_t i = 0; i < block.warps.size(); ++i)
        for (const PendingProduct& pending : block.warps[i].products)
            if (reads_between(pending, part_of(block.warps[i]), low, high))
                return PendingRead{i, &pending};
    return std::nullopt;
}

void leave_group(const Executor& x, const Instruction& in, std::uint32_t mask)
{
    const Warp& warp = *x.warp;
    const GroupSteps& group = x.block->groups[static_cast<std::size_t>(warp.index / group_warps)];
    if (warp.group_steps >= group.count()) return;
    fault_of_group(
        x, in, mask,
        fmt::format("ends without executing a wgmma instruction that another warp of its "
                    "group of four has executed: {}",
                    whole_group));
}

Handlers warp_group_handlers(GroupAction action)
{
    switch (action) {
    case GroupAction::multiply: return same<act_with_whole_group<issue_product>>();
    case GroupAction::fence: return same<act_with_whole_group<fence_registers>>();
    case GroupAction::commit: return same<act_with_whole_group<commit_products>>();
    case GroupAction::registers: return same<act_with_whole_group<limit_registers>>();
    case GroupAction::wait: return same<act_with_whole_group<wait_for_products>>();
    default: return same<look_for_early_use>();
    }
}

} // namespace lanescope::simt
