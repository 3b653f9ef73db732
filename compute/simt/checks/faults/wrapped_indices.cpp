// The index that a lane used follows from its address. The exact one is computed from the launch,
// the thread's coordinates and registers; it is trusted only if its low 32 bits are the index used,
// so a register that has changed since does no harm.
#include "compute/simt/checks/faults/wrapped_indices.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "compute/ptx/text/module.h"
#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

namespace {

constexpr std::int64_t signed_end = std::int64_t{1} << 31;
constexpr std::int64_t unsigned_end = std::int64_t{1} << 32;

struct Wrapped {
    std::int64_t exact = 0;
    std::int64_t used = 0;
    std::string sum{}; // "50000 × 50000 + 7"
};

// The little-endian number of `bytes` bytes in the kernel's parameters.
std::uint64_t parameter(const LaunchState& launch, int index, std::int64_t offset,
                        std::size_t bytes)
{
    const Program& program = launch.program;
    const auto i = static_cast<std::size_t>(index);
    std::uint64_t value = 0;
    if (i >= program.parameter_sizes.size() || offset < 0 ||
        static_cast<std::uint64_t>(offset) + bytes > program.parameter_sizes[i])
        return 0;
    std::memcpy(&value,
                launch.parameters.data() + program.parameter_offsets[i] +
                    static_cast<std::size_t>(offset),
                bytes);
    return value;
}

std::optional<std::uint32_t> component(const Dim3& of, std::string_view axis)
{
    if (axis == ".x") return of.x;
    if (axis == ".y") return of.y;
    if (axis == ".z") return of.z;
    return {};
}

std::optional<std::uint32_t> special(const Executor& x, std::string_view name, int lane)
{
    const auto of = [&](std::string_view vector,
                        const Dim3& value) -> std::optional<std::uint32_t> {
        return name.starts_with(vector) ? component(value, name.substr(vector.size()))
                                        : std::nullopt;
    };
    if (const auto tid = of("tid", x.thread_index(*x.warp, lane))) return tid;
    if (const auto ntid = of("ntid", x.launch.block)) return ntid;
    if (const auto ctaid = of("ctaid", x.block->index)) return ctaid;
    return of("nctaid", x.launch.grid);
}

// Value of each leaf for one lane, as a signed number; empty where unknown.
using Values = std::vector<std::optional<std::int64_t>>;

std::optional<std::int64_t> value_of(const Executor& x, const ptx::IndexLeaf& leaf, int lane)
{
    using Kind = ptx::IndexLeaf::Kind;
    std::optional<std::uint32_t> bits;
    if (leaf.kind == Kind::special) bits = special(x, leaf.special, lane);
    if (leaf.kind == Kind::parameter)
        bits = static_cast<std::uint32_t>(parameter(x.launch, leaf.parameter, leaf.offset, 4));
    if (leaf.kind == Kind::reg) {
        const RowRef row = x.function->registers[static_cast<std::size_t>(leaf.reg)];
        if (row != no_row) bits = x.row<std::uint32_t>(row)[lane];
    }
    if (!bits) return {};
    return static_cast<std::int32_t>(*bits);
}

// Exact value of a term; empty if a leaf is unknown or the product exceeds 64 bits.
std::optional<std::int64_t> product(const ptx::IndexTerm& term, const Values& values)
{
    std::int64_t all = term.factor;
    for (const int leaf : term.leaves) {
        const auto& value = values[static_cast<std::size_t>(leaf)];
        if (!value || __builtin_mul_overflow(all, *value, &all)) return {};
    }
    return all;
}

std::optional<std::int64_t> exact_sum(const ptx::WidenedIndex& index, const Values& values)
{
    std::int64_t sum = 0;
    for (const ptx::IndexTerm& term : index.terms) {
        const auto one = product(term, values);
        if (!one || __builtin_add_overflow(sum, *one, &sum)) return {};
    }
    return sum;
}

bool has_same_low_bits(std::int64_t a, std::int64_t b)
{
    return static_cast<std::uint32_t>(a) == static_cast<std::uint32_t>(b);
}

bool contains_register(const ptx::WidenedIndex& index, const ptx::IndexTerm& term)
{
    return std::ranges::any_of(term.leaves, [&](int leaf) {
        return index.leaves[static_cast<std::size_t>(leaf)].kind == ptx::IndexLeaf::Kind::reg;
    });
}

// Registers may be overwritten before the access. If a single register is added to the known
// terms, its value follows from the index that was used.
void solve(const ptx::WidenedIndex& index, std::int64_t used, Values& values)
{
    const ptx::IndexTerm* unknown = nullptr;
    std::int64_t rest = 0;
    for (const ptx::IndexTerm& term : index.terms) {
        if (contains_register(index, term)) {
            if (unknown != nullptr || term.leaves.size() != 1 || term.factor != 1) return;
            unknown = &term;
            continue;
        }
        const auto one = product(term, values);
        if (!one || __builtin_add_overflow(rest, *one, &rest)) return;
    }
    if (unknown == nullptr) return;
    values[static_cast<std::size_t>(unknown->leaves.front())] = static_cast<std::int32_t>(
        static_cast<std::uint32_t>(used) - static_cast<std::uint32_t>(rest));
}

std::string written(const ptx::WidenedIndex& index, const Values& values)
{
    std::string text;
    // Products first, as they are in programs.
    std::vector<const ptx::IndexTerm*> terms;
    for (const ptx::IndexTerm& term : index.terms)
        if (product(term, values).value_or(0) != 0) terms.push_back(&term);
    std::ranges::stable_sort(terms, std::ranges::greater{},
                             [](const ptx::IndexTerm* term) { return term->leaves.size(); });
    for (const ptx::IndexTerm* term : terms) {
        std::string one;
        const auto times = [&](std::int64_t factor) {
            one += one.empty() ? "" : " × ";
            one += factor < 0 ? fmt::format("({})", factor) : fmt::format("{}", factor);
        };
        for (const int leaf : term->leaves) times(*values[static_cast<std::size_t>(leaf)]);
        if (term->factor != 1 || term->leaves.empty()) times(term->factor);
        text += text.empty() ? "" : " + ";
        text += one;
    }
    return text;
}

// The index with which the lane accessed `address`; empty if the address is not a multiple of the
// scale.
std::optional<std::int64_t> used_index(const LaunchState& launch, const ptx::WidenedIndex& index,
                                       std::uint64_t address)
{
    const std::uint64_t pointer = parameter(launch, index.pointer, index.pointer_offset, 8);
    const auto distance =
        static_cast<std::int64_t>(address - pointer - static_cast<std::uint64_t>(index.offset));
    if (distance % index.scale != 0) return {};
    const std::int64_t used = distance / index.scale;
    const std::int64_t low = index.is_signed ? -signed_end : 0;
    const std::int64_t end = index.is_signed ? signed_end : unsigned_end;
    if (used < low || used >= end) return {};
    return used;
}

std::optional<Wrapped> wrapped(const Executor& x, const ptx::WidenedIndex& index, int lane,
                               std::uint64_t address)
{
    const auto used = used_index(x.launch, index, address);
    if (!used) return {};
    Values values;
    for (const ptx::IndexLeaf& leaf : index.leaves) values.push_back(value_of(x, leaf, lane));
    auto exact = exact_sum(index, values);
    if (!exact || !has_same_low_bits(*exact, *used)) {
        solve(index, *used, values);
        exact = exact_sum(index, values);
    }
    if (!exact || !has_same_low_bits(*exact, *used)) return {};
    if (*exact < (index.is_signed ? signed_end : unsigned_end)) return {};
    return Wrapped{*exact, *used, written(index, values)};
}

std::string sentence(const Wrapped& found)
{
    const std::string sum = found.sum.size() < 120 ? found.sum + " = " : "";
    return fmt::format("{}{} does not fit in 32 bits and became {}", sum, found.exact, found.used);
}

constexpr std::string_view remedy =
    "compute it in 64 bits, for example with one factor cast to size_t";

bool is_in_kernel(const Executor& x)
{
    return x.function == &x.launch.program.entry();
}

const Allocation* buffer_of(const LaunchState& launch, const ptx::WidenedIndex& index)
{
    return launch.memory.find(parameter(launch, index.pointer, index.pointer_offset, 8));
}

// True if the buffer has more than 2^31 elements.
bool is_large_enough(const Allocation* buffer, std::int64_t scale)
{
    return buffer != nullptr &&
           buffer->bytes() / static_cast<std::uint64_t>(scale) > std::uint64_t{signed_end};
}

} // namespace

std::string wrapped_index_text(const Executor& x, const Instruction& in, int lane,
                               std::uint64_t address)
{
    if (!is_in_kernel(x)) return {};
    const auto index = ptx::widened_index(*x.function->source, static_cast<int>(in.source));
    if (!index) return {};
    const auto found = wrapped(x, *index, lane, address);
    return found ? fmt::format("{}: {}", sentence(*found), remedy) : std::string();
}

bool WrappedIndices::may_stay_inside(const LaunchState& launch)
{
    const Program& program = launch.program;
    for (std::size_t i = 0; i < program.parameter_sizes.size(); ++i)
        for (std::size_t at = 0; at + 8 <= program.parameter_sizes[i]; at += 8)
            if (is_large_enough(launch.memory.find(parameter(launch, static_cast<int>(i),
                                                             static_cast<std::int64_t>(at), 8)),
                                1))
                return true;
    return false;
}

WrappedIndices::WrappedIndices(const LaunchState& launch)
{
    for (ptx::WidenedIndex& index : ptx::widened_indices(*launch.program.entry().source))
        if (is_large_enough(buffer_of(launch, index), index.scale))
            indices_.push_back(std::move(index));
}

void WrappedIndices::access(Executor& x, const AccessEvent& event)
{
    if (event.space != ptx::Space::global || !is_in_kernel(x)) return;
    const auto index = std::ranges::find(indices_, static_cast<int>(event.instruction.source),
                                         &ptx::WidenedIndex::instruction);
    if (index == indices_.end() || warnings_.is_known(&event.instruction, x.block->linear)) return;
    const Allocation* const buffer = buffer_of(x.launch, *index);
    if (buffer == nullptr) return;
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        const std::uint64_t address = event.address(lane);
        const auto found = wrapped(x, *index, lane, address);
        if (!found || address < buffer->begin || address >= buffer->end) continue;
        // The exact index must be an element of the same buffer; otherwise the program may not have
        // intended it.
        std::uint64_t distance = 0, intended = 0;
        if (__builtin_mul_overflow(static_cast<std::uint64_t>(found->exact) -
                                       static_cast<std::uint64_t>(found->used),
                                   static_cast<std::uint64_t>(index->scale), &distance) ||
            __builtin_add_overflow(address, distance, &intended) || intended >= buffer->end)
            continue;
        warnings_.add(
            &event.instruction, x.block->linear,
            x.fault_at(*x.function, event.instruction, *x.warp, lane, "wrapped_index",
                       fmt::format("{} element {} of {} instead of element {}, because "
                                   "its index {}: {}",
                                   verb(event.op), found->used, describe(x.launch, *buffer),
                                   found->exact, sentence(*found), remedy)));
        return;
    }
}

} // namespace lanescope::simt
