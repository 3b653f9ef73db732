// CUDA's "CDP2" interface as declared in cuda_device_runtime_api.h. Kernels that use it run their
// blocks in order, so their launches have the same order on every run.
#include "compute/simt/operations/calls/device_runtime.h"

#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "compute/device/checks.h"
#include "compute/device/kernel_names.h"
#include "compute/simt/machine/memory/symbols.h"
#include "compute/simt/machine/state/device_launches.h"
#include "compute/simt/operations/calls/call_values.h"
#include "compute/simt/operations/memory/addressing.h"

namespace lanescope::simt {

namespace {

// Error numbers of the runtime API.
constexpr std::uint32_t invalid_value = 1, invalid_configuration = 9, launch_pending_count = 69,
                        invalid_device_function = 98;

constexpr std::array<std::pair<std::string_view, DeviceCall>, 15> calls{{
    {"__cudaCDP2GetParameterBufferV2", DeviceCall::parameter_buffer},
    {"__cudaCDP2LaunchDeviceV2", DeviceCall::launch},
    {"__cudaCDP2GetLastError", DeviceCall::last_error},
    {"__cudaCDP2PeekAtLastError", DeviceCall::peek_error},
    {"__cudaCDP2GetDevice", DeviceCall::device_number},
    {"__cudaCDP2GetDeviceCount", DeviceCall::device_count},
    {"__cudaCDP2StreamCreateWithFlags", DeviceCall::create_handle},
    {"__cudaCDP2StreamDestroy", DeviceCall::nothing},
    {"__cudaCDP2StreamWaitEvent", DeviceCall::nothing},
    {"__cudaCDP2EventCreateWithFlags", DeviceCall::create_handle},
    {"__cudaCDP2EventRecord", DeviceCall::nothing},
    {"__cudaCDP2EventRecordWithFlags", DeviceCall::nothing},
    {"__cudaCDP2EventDestroy", DeviceCall::nothing},
    {"__cudaCDP2MemcpyAsync", DeviceCall::copy},
    {"__cudaCDP2MemsetAsync", DeviceCall::fill},
}};

// Stores to a generic address, with the same checks as any store.
template <class T>
void store(Executor& x, const Instruction& in, int lane, Address address, T value)
{
    Access access;
    access.width_bytes = 1;
    access.op = trace::Op::store;
    access.cache = static_cast<std::uint32_t>(x.hits.size() - 1);
    std::array<std::byte, sizeof value> bytes;
    std::memcpy(bytes.data(), &value, sizeof value);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        Addresses at;
        at.lane.fill(address + i);
        at.low = at.all_bits = address + i;
        at.high = address + i + 1;
        ptx::Space space = ptx::Space::none;
        resolve_lowest_lane_space(x, at, 1u << lane, 1, space);
        const Reach found = reach(x, in, access, space, at, 1u << lane);
        *reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(found.base) +
                                      found.offsets[lane]) = bytes[i];
        // The store is not counted, because no instruction of the text made
        // it; only the checks are notified.
        if (x.follower == nullptr) continue;
        x.follower->access(x,
                           {in, access, space, access.op, 1, at.lane.data(), 0, 1u << lane, at.low,
                            at.high, false, true, found.allocation, found.base, nullptr});
    }
}

std::string reason_of(std::uint32_t error, const DeviceLaunches& launches)
{
    switch (error) {
    case invalid_configuration:
        return "cudaErrorInvalidConfiguration: no device launches a grid or block of that size";
    case launch_pending_count:
        return fmt::format("cudaErrorLaunchPendingCountExceeded: {} launches are pending already, "
                           "as many as cudaLimitDevRuntimePendingLaunchCount allows",
                           launches.max_pending);
    case invalid_device_function:
        return "cudaErrorInvalidDeviceFunction: that is not the address of a kernel";
    default: return "cudaErrorInvalidValue: its parameters were not prepared";
    }
}

// Refuses a launch; `name` is the kernel to be launched. The error stays until it is queried; a
// refused `<<<>>>` launch is lost silently.
std::uint32_t refuse(Executor& x, const Instruction& in, int lane, std::uint32_t error,
                     std::string_view name)
{
    DeviceLaunches& launches = *x.launch.launched;
    launches.last_error = error;
    if (launches.lost) return error;
    try {
        x.fault(in, lost_launch, lane, 0,
                fmt::format("launches {}, which is rejected with {}. Nothing calls "
                            "cudaGetLastError() to find out, and the launch's work is missing",
                            name, reason_of(error, launches)));
    } catch (const device::KernelFault& found) {
        launches.lost = found.fault();
    }
    return error;
}

std::string name_of(const Executor& x, int function)
{
    return device::short_name(
        x.launch.program.module->functions[static_cast<std::size_t>(function)].name);
}

Address prepare(Executor& x, const Instruction& in, const Call& call, int lane)
{
    DeviceLaunches& launches = *x.launch.launched;
    const int function = function_at(call_argument<std::uint64_t>(x, call, 0, lane),
                                     x.launch.program.module->functions.size());
    if (function < 0 ||
        !x.launch.program.module->functions[static_cast<std::size_t>(function)].is_kernel) {
        refuse(x, in, lane, invalid_device_function, "a kernel");
        return 0;
    }
    DeviceLaunch made;
    made.function = function;
    made.grid = call_argument<Dim3>(x, call, 1, lane);
    made.block = call_argument<Dim3>(x, call, 2, lane);
    made.shared_bytes = call_argument<std::uint32_t>(x, call, 3, lane);
    std::size_t bytes = 0;
    for (const ptx::Variable& parameter :
         x.launch.program.module->functions[static_cast<std::size_t>(function)].parameters)
        bytes = aligned(bytes, parameter.alignment) + parameter.size_bytes();
    made.parameters.resize(bytes);
    made.buffer = x.launch.memory.allocate_heap(std::max<std::size_t>(bytes, 8));
    if (made.buffer == 0) {
        refuse(x, in, lane, launch_pending_count, name_of(x, function));
        return 0;
    }
    x.launch.memory.mark_written(made.buffer, std::max<std::size_t>(bytes, 8));
    launches.prepared[made.buffer] = made;
    return made.buffer;
}

std::uint32_t launch(Executor& x, const Instruction& in, const Call& call, int lane)
{
    DeviceLaunches& launches = *x.launch.launched;
    const auto found = launches.prepared.find(call_argument<std::uint64_t>(x, call, 0, lane));
    if (found == launches.prepared.end()) return refuse(x, in, lane, invalid_value, "a kernel");
    DeviceLaunch made = std::move(found->second);
    launches.prepared.erase(found);
    if (!made.parameters.empty()) {
        const auto from = x.launch.memory.range(made.buffer, made.parameters.size());
        std::memcpy(made.parameters.data(), from.data(), from.size());
    }
    x.launch.memory.release_heap(made.buffer);
    x.hits.assign(x.hits.size(), Region{});
    const device::LaunchLimits limits;
    const auto outside = [](Dim3 size, Dim3 max) {
        return size.count() == 0 || size.x > max.x || size.y > max.y || size.z > max.z;
    };
    if (outside(made.grid, limits.grid) || outside(made.block, limits.block) ||
        made.block.count() > limits.threads_per_block)
        return refuse(x, in, lane, invalid_configuration, name_of(x, made.function));
    if (static_cast<std::size_t>(launches.depth) >= launches.max_pending ||
        launches.asked.size() >= launches.max_pending)
        return refuse(x, in, lane, launch_pending_count, name_of(x, made.function));
    made.stream = call_argument<std::uint64_t>(x, call, 1, lane);
    constexpr std::uint64_t tail = 3, fire_and_forget = 4; // cudaStreamTailLaunch, …
    made.order = made.stream == tail              ? DeviceLaunch::Order::tail
                 : made.stream == fire_and_forget ? DeviceLaunch::Order::fire_and_forget
                                                  : DeviceLaunch::Order::stream;
    made.parent_block = x.block->index;
    made.parent_thread = x.thread_index(*x.warp, lane);
    launches.asked.push_back(std::move(made));
    return 0;
}

std::uint32_t move_memory(Executor& x, const Instruction& in, const Call& call, int lane,
                          DeviceLaunch::Work work)
{
    if (x.launch.launched->asked.size() >= x.launch.launched->max_pending)
        return refuse(x, in, lane, launch_pending_count,
                      work == DeviceLaunch::Work::copy ? "a copy" : "a fill");
    DeviceLaunch made;
    made.work = work;
    made.to = call_argument<std::uint64_t>(x, call, 0, lane);
    made.from = call_argument<std::uint64_t>(x, call, 1, lane);
    made.value = static_cast<std::uint8_t>(made.from);
    made.bytes = call_argument<std::uint64_t>(x, call, 2, lane);
    made.parent_block = x.block->index;
    made.parent_thread = x.thread_index(*x.warp, lane);
    x.launch.launched->asked.push_back(made);
    return 0;
}

void run(Executor& x, const Instruction& in, const Call& call, int lane)
{
    DeviceLaunches& launches = *x.launch.launched;
    const auto result = [&](std::uint32_t error) { write_result(x, call, lane, error); };
    switch (call.device) {
    case DeviceCall::parameter_buffer:
        write_result(x, call, lane, prepare(x, in, call, lane));
        break;
    case DeviceCall::launch: result(launch(x, in, call, lane)); break;
    case DeviceCall::last_error:
        launches.lost.reset();
        result(std::exchange(launches.last_error, 0));
        break;
    case DeviceCall::peek_error:
        launches.lost.reset();
        result(launches.last_error);
        break;
    case DeviceCall::device_number:
    case DeviceCall::device_count:
        store<std::uint32_t>(x, in, lane, call_argument<std::uint64_t>(x, call, 0, lane),
                             call.device == DeviceCall::device_count);
        result(0);
        break;
    case DeviceCall::create_handle:
        store<std::uint64_t>(x, in, lane, call_argument<std::uint64_t>(x, call, 0, lane),
                             0x100 + ++launches.streams);
        result(0);
        break;
    case DeviceCall::copy: result(move_memory(x, in, call, lane, DeviceLaunch::Work::copy)); break;
    case DeviceCall::fill: result(move_memory(x, in, call, lane, DeviceLaunch::Work::fill)); break;
    case DeviceCall::nothing:
    case DeviceCall::none: result(0); break;
    }
}

} // namespace

DeviceCall device_call(std::string_view name)
{
    for (const auto& [known, call] : calls)
        if (known == name) return call;
    return DeviceCall::none;
}

void call_device_runtime(Executor& x, const Instruction& in, const Call& call, std::uint32_t mask)
{
    for (; mask != 0; mask &= mask - 1) run(x, in, call, lowest_lane(mask));
}

} // namespace lanescope::simt
