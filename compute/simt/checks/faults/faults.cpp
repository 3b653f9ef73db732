// Wording of faults. Every message names the kernel, source line, block and thread, then the cause.
#include "compute/simt/checks/faults/faults.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "compute/device/kernel_names.h"
#include "compute/process/memory.h"
#include "compute/ptx/text/lines.h"
#include "compute/simt/checks/faults/wrapped_indices.h"
#include "compute/simt/machine/state/cluster.h"

namespace lanescope::simt {

namespace {

std::string space_name(const Executor& x, ptx::Space space)
{
    switch (space) {
    case ptx::Space::shared: return shared_name(x);
    case ptx::Space::local: return "its local memory";
    case ptx::Space::constant: return "constant memory";
    case ptx::Space::param: return "the kernel's parameters";
    default: return "global memory";
    }
}

constexpr std::uint64_t far_away = std::uint64_t{1} << 36;

// Number of bytes by which a 64-bit or 32-bit address is below 0; 0 if it is not, or too far below.
std::uint64_t bytes_before(std::uint64_t address)
{
    constexpr std::uint64_t round = std::uint64_t{1} << 32;
    const std::uint64_t before = std::uint64_t{0} - address;
    if (before < window_bytes) return before;
    return address < round && round - address < window_bytes ? round - address : 0;
}

constexpr std::string_view points_at_copy = "and the pointer made to point at the copy";

std::string describe_wild_address(std::uint64_t address)
{
    return is_mapped(address) ? "which is an address of the host: the data there must be copied, " +
                                    std::string(points_at_copy)
                              : "which is nowhere near a buffer: the pointer itself is wrong";
}

} // namespace

std::string byte_count(std::uint64_t bytes)
{
    return bytes == 1 ? "1 byte" : fmt::format("{} bytes", bytes);
}

int parameter_of(const LaunchState& launch, const Allocation& allocation)
{
    for (std::size_t i = 0; i < launch.program.parameter_sizes.size(); ++i) {
        if (launch.program.parameter_sizes[i] != sizeof(Address)) continue;
        Address value = 0;
        std::memcpy(&value, launch.parameters.data() + launch.program.parameter_offsets[i],
                    sizeof value);
        if (value >= allocation.begin && value <= allocation.end) return static_cast<int>(i);
    }
    return -1;
}

namespace {

// Describes an address near null, and names a full device heap as a possible cause.
std::string describe_null(const Memory& memory)
{
    std::string text = "which is a null pointer or close to one";
    if (const std::size_t request = memory.failed_heap_request(); request != 0)
        text += fmt::format(
            "; malloc({}) has returned null, because the device heap of {} is full: check "
            "malloc's result for null, free memory, or enlarge the heap before the first launch "
            "with cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes)",
            request, byte_count(memory.heap_limit()));
    return text;
}

// Names the index if the address is a small negative number of elements from a pointer that the
// kernel was given, computed in unsigned 32 bits.
std::string negative_index(const LaunchState& launch, std::uint64_t address,
                           std::uint64_t element_bytes)
{
    constexpr std::uint64_t round = std::uint64_t{1} << 32;
    constexpr std::uint64_t max_negative = 64;
    for (std::size_t i = 0; i < launch.program.parameter_sizes.size(); ++i) {
        if (launch.program.parameter_sizes[i] != sizeof(Address)) continue;
        Address pointer = 0;
        std::memcpy(&pointer, launch.parameters.data() + launch.program.parameter_offsets[i],
                    sizeof pointer);
        const std::uint64_t negative = pointer + round * element_bytes - address;
        if (launch.memory.find(pointer) == nullptr || negative == 0 ||
            negative % element_bytes != 0 || negative / element_bytes > max_negative)
            continue;
        return fmt::format(": its index {} is what -{} becomes in an unsigned number",
                           round - negative / element_bytes, negative / element_bytes);
    }
    return {};
}

std::string describe_global_address(const LaunchState& launch, std::uint64_t address)
{
    if (address < std::max<std::size_t>(65536, launch.memory.failed_heap_request()))
        return describe_null(launch.memory);
    if (space_of(address) == ptx::Space::shared)
        return "which is an address of shared memory: such a pointer is valid only in its own "
               "block, and must not be passed to another grid";
    if (space_of(address) == ptx::Space::local)
        return "which is an address of local memory: such a pointer is valid only in its own "
               "thread, and must not be passed to another grid";
    const int other = Memory::device_of(address);
    if (other != launch.memory.device() && other >= 0 && other < launch.devices)
        return fmt::format(
            "which is memory of device {}, and the kernel runs on device {}: copy it "
            "(cudaMemcpyPeer), or call cudaDeviceEnablePeerAccess first",
            other, launch.memory.device());
    if (const Memory::Released* gone = launch.memory.released(address))
        return gone->heap ? fmt::format("in allocation {} of the device heap, which has been freed",
                                        -gone->number)
                          : fmt::format("in buffer {}, which has been released", gone->number);
    const Allocation* nearest = launch.memory.nearest(address);
    if (nearest == nullptr) return "but there is no live buffer";
    const std::string buffer = describe(launch, *nearest);
    if (address >= nearest->end) {
        const std::uint64_t past = address - nearest->end;
        if (past > far_away) return describe_wild_address(address);
        if (past == 0) return fmt::format("just past the end of {}", buffer);
        return fmt::format("{} past the end of {}", byte_count(past), buffer);
    }
    if (address < nearest->begin && nearest->begin - address > far_away)
        return describe_wild_address(address);
    if (address < nearest->begin)
        return fmt::format("{} before the start of {}", byte_count(nearest->begin - address),
                           buffer);
    return fmt::format("so that its last bytes lie past the end of {}", buffer);
}

} // namespace

std::string verb(trace::Op op)
{
    switch (op) {
    case trace::Op::load: return "reads";
    case trace::Op::store: return "writes";
    default: return "atomically updates";
    }
}

std::string place_text(const ptx::Module& module, const ptx::Instruction& instruction)
{
    const ptx::SourceLine source = ptx::source_line(module, instruction);
    if (source.line == 0) return fmt::format("PTX line {}", instruction.ptx_line);
    const std::size_t slash = source.file.find_last_of('/');
    return fmt::format("{}:{}",
                       slash == std::string::npos ? source.file : source.file.substr(slash + 1),
                       source.line);
}

namespace {

// The address that the operand, a variable of the module, contributes to the instruction: a
// constant operand or the address of a memory access. 0: neither.
Address variable_address(const LaunchState& launch, const Function& function,
                         const Instruction& instruction, const ptx::Operand& operand)
{
    const auto offset = static_cast<Address>(operand.offset);
    const bool accesses = instruction.kind == HandlerKind::load ||
                          instruction.kind == HandlerKind::store ||
                          instruction.kind == HandlerKind::atomic;
    if (accesses) {
        const Access& access = function.accesses[instruction.extra];
        return access.kind == AddressKind::fixed ? static_cast<Address>(access.offset) - offset : 0;
    }
    const RowRef row = instruction.a;
    if (static_cast<RowBase>(row & 3u) != RowBase::constants) return 0;
    Address value = 0;
    std::memcpy(&value, launch.constant_rows.data() + (row & ~3u), sizeof value);
    return value - offset;
}

// Name of the .global variable that is the allocation, if the kernel names it.
std::optional<std::string> variable_of(const LaunchState& launch, const Allocation& allocation)
{
    const auto& variables = launch.program.module->variables;
    for (const Function& function : launch.program.functions)
        for (const Instruction& instruction : function.code) {
            if (instruction.source >= function.source->instructions.size()) continue;
            for (const ptx::Operand& operand :
                 function.source->instructions[instruction.source].operands) {
                const auto found =
                    operand.symbol.empty()
                        ? variables.end()
                        : std::ranges::find(variables, operand.symbol, &ptx::Variable::name);
                if (found == variables.end() || found->space != ptx::Space::global ||
                    found->size_bytes() != allocation.bytes())
                    continue;
                const Address at = variable_address(launch, function, instruction, operand);
                if (at == allocation.begin) return device::short_name(found->name);
            }
        }
    return std::nullopt;
}

} // namespace

std::string describe(const LaunchState& launch, const Allocation& allocation)
{
    if (const int i = parameter_of(launch, allocation); i >= 0) {
        const auto index = static_cast<std::size_t>(i);
        const bool named =
            index < launch.parameter_names.size() && !launch.parameter_names[index].empty();
        return fmt::format("the buffer passed as parameter {} ({})",
                           named ? launch.parameter_names[index] : std::to_string(i),
                           byte_count(allocation.bytes()));
    }
    const std::string bytes = byte_count(allocation.bytes());
    if (const auto variable = variable_of(launch, allocation))
        return fmt::format("the variable {} ({})", *variable, bytes);
    return allocation.heap
               ? fmt::format("allocation {} of the device heap ({})", -allocation.number, bytes)
               : fmt::format("buffer {} ({})", allocation.number, bytes);
}

Extent space_extent(const Executor& x, ptx::Space space)
{
    switch (space) {
    case ptx::Space::shared: return {x.launch.shared_bytes, x.shared_block().shared.data()};
    case ptx::Space::constant: return {x.launch.constants.size(), x.launch.constants.data()};
    case ptx::Space::param:
        return {x.launch.parameters.size(), const_cast<std::byte*>(x.launch.parameters.data())};
    case ptx::Space::local: return {local_end(*x.warp), nullptr};
    default: return {};
    }
}

Dim3 Executor::thread_index(const Warp& of, int lane) const
{
    const auto linear = static_cast<std::uint32_t>(of.index * warp_lanes + lane);
    const Dim3 size = launch.block;
    return {linear % size.x, linear / size.x % size.y, linear / (size.x * size.y)};
}

namespace {

bool has_line(const ptx::Module& module, const ptx::Instruction& source)
{
    return ptx::source_line(module, source).line != 0;
}

const ptx::Instruction& nearest_with_line(const ptx::Module& module, const Function& function,
                                          const Instruction& instruction)
{
    const auto& all = function.source->instructions;
    for (std::size_t i = instruction.source; i < all.size(); ++i)
        if (has_line(module, all[i])) return all[i];
    for (std::size_t i = instruction.source; i-- > 0;)
        if (has_line(module, all[i])) return all[i];
    return all[instruction.source];
}

} // namespace

std::string place_text(const ptx::Module& module, const Function& function,
                       const Instruction& instruction)
{
    return place_text(module, nearest_with_line(module, function, instruction));
}

void Executor::fault(const Instruction& instruction, trace::FindingKind kind, int lane,
                     Address address, const std::string& what, int parameter,
                     std::uint64_t needed_bytes) const
{
    trace::Fault fault = fault_at(*function, instruction, *warp, lane, kind, what);
    fault.address = address;
    fault.parameter = parameter;
    fault.needed_bytes = needed_bytes;
    throw device::KernelFault(std::move(fault));
}

namespace {

// The instruction whose place a fault names. In a function without line information, such as one of
// the device library, it is the nearest call that has a line.
const ptx::Instruction& named_source(const ptx::Module& module, const Function& of,
                                     const Instruction& instruction, const Warp& by)
{
    const ptx::Instruction& own = nearest_with_line(module, of, instruction);
    const auto current = static_cast<std::size_t>(by.current);
    if (has_line(module, own) || current >= by.paths.size() ||
        by.frames[static_cast<std::size_t>(by.paths[current].frame)].function != &of)
        return own;
    for (int i = by.current; i >= 0; i = by.paths[static_cast<std::size_t>(i)].parent) {
        const Path& path = by.paths[static_cast<std::size_t>(i)];
        if (path.call < 0 || path.pc < 1) continue;
        const Function& caller = *by.frames[static_cast<std::size_t>(path.frame)].function;
        const Instruction& call = caller.code[static_cast<std::size_t>(path.pc - 1)];
        const ptx::Instruction& source = caller.source->instructions[call.source];
        if (has_line(module, source)) return source;
    }
    return own;
}

} // namespace

trace::Fault Executor::fault_at(const Function& of, const Instruction& instruction, const Warp& by,
                                int lane, trace::FindingKind kind, const std::string& what) const
{
    const ptx::Instruction& source = named_source(*launch.program.module, of, instruction, by);
    const ptx::SourceLine position = ptx::source_line(*launch.program.module, source);
    trace::Fault fault;
    fault.kind = kind.name();
    fault.kernel = launch.program.kernel;
    fault.file = position.file;
    fault.line = position.line;
    fault.block = block->index;
    fault.thread = thread_index(by, lane);
    fault.message = fmt::format(
        "In kernel {} at {}, thread {} of block {} {}.", device::short_name(fault.kernel),
        place_text(*launch.program.module, source), text(fault.thread), text(fault.block), what);
    return fault;
}

void throw_out_of_bounds(const Executor& x, const Instruction& in, const Access& access,
                         ptx::Space space, int lane, std::uint64_t address, const Extent& extent)
{
    throw_span_out_of_bounds(x, in, access.op, space, lane, address, access.width_bytes, extent);
}

void throw_span_out_of_bounds(const Executor& x, const Instruction& in, trace::Op op,
                              ptx::Space space, int lane, std::uint64_t address,
                              std::uint64_t bytes, const Extent& extent)
{
    const Address generic =
        space == ptx::Space::shared ? shared_generic(x, address) : address + window(space);
    std::string where;
    int parameter = -1;
    std::uint64_t needed = 0;
    if (space == ptx::Space::global) {
        const std::string wrap = wrapped_index_text(x, in, lane, address);
        where =
            wrap.empty() ? describe_global_address(x.launch, address) : "because its index " + wrap;
        if (op == trace::Op::load && bytes == sizeof(Address) && where.ends_with(points_at_copy))
            where +=
                ". An object with virtual functions has such a pointer: construct the object in "
                "a kernel";
        if (const Allocation* nearest = x.launch.memory.nearest(address)) {
            parameter = parameter_of(x.launch, *nearest);
            if (address >= nearest->begin && address - nearest->begin < far_away)
                needed = address - nearest->begin + bytes;
            where += negative_index(x.launch, address, bytes);
        }
    } else if (extent.end == 0)
        where = "but there is none";
    else if (address >= extent.end && address < window_bytes / 2)
        where = address == extent.end
                    ? fmt::format("just past the end of its {}", byte_count(extent.end))
                    : fmt::format("{} past the end of its {}", byte_count(address - extent.end),
                                  byte_count(extent.end));
    else if (const std::uint64_t before = bytes_before(address); before != 0)
        where = fmt::format("{} before its start", byte_count(before));
    else if (address >= extent.end)
        where = fmt::format("far from its {}", byte_count(extent.end));
    else
        where = fmt::format("so that the last bytes lie past the end of its {}",
                            byte_count(extent.end));
    x.fault(in, "out_of_bounds", lane, generic,
            fmt::format("{} {} of {} at {:#x}, {}", verb(op), byte_count(bytes),
                        space_name(x, space), space == ptx::Space::global ? generic : address,
                        where),
            parameter, needed);
}

void throw_far_offset(const Executor& x, const Instruction& in, const Access& access, int lane,
                      std::uint64_t address)
{
    const ptx::Instruction& source = x.source(in);
    const auto place = std::ranges::find_if(source.operands, [](const ptx::Operand& operand) {
        return operand.kind == ptx::Operand::Kind::address &&
               operand.offset != static_cast<std::int32_t>(operand.offset);
    });
    x.fault(
        in, "out_of_bounds", lane, address + window(access.space),
        fmt::format("{} {} through an offset of {} bytes: offsets in PTX are signed 32-bit numbers",
                    verb(access.op), space_name(x, access.space), place->offset));
}

void throw_read_only(const Executor& x, const Instruction& in, const Access& access,
                     ptx::Space space, int lane, std::uint64_t address)
{
    x.fault(in, "read_only", lane, address + window(space),
            fmt::format("{} {} of {}, which is read-only", verb(access.op),
                        byte_count(access.width_bytes), space_name(x, space)));
}

void throw_misaligned(const Executor& x, const Instruction& in, const Access& access,
                      ptx::Space space, int lane, std::uint64_t address)
{
    const Allocation* const in_memory =
        space == ptx::Space::global ? x.launch.memory.find(address) : nullptr;
    x.fault(in, "misaligned", lane, address + window(space),
            fmt::format("{} {} of {} at {:#x}, an address that is not a multiple of {}",
                        verb(access.op), byte_count(access.width_bytes), space_name(x, space),
                        address, access.width_bytes),
            in_memory == nullptr ? -1 : parameter_of(x.launch, *in_memory));
}

} // namespace lanescope::simt
