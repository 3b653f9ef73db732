// Allocation (device, pitched, managed, pinned, pooled) and pointer attributes.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "compute/runtime/host_arena.h"
#include "compute/runtime/machine.h"
#include "compute/runtime/pools.h"
#include "compute/runtime/work.h"
#include "compute/simt/machine/memory/memory.h"

namespace lanescope::runtime {

namespace {

cudaError_t allocate(Machine& machine, void** pointer, std::size_t bytes, MemoryKind kind,
                     unsigned flags, const char* name)
{
    if (pointer == nullptr) return cudaErrorInvalidValue;
    if (bytes == 0) {
        *pointer = nullptr;
        return cudaSuccess;
    }
    Memory* const made = machine.allocate(bytes, kind, this_thread().device, name);
    if (made == nullptr) return cudaErrorMemoryAllocation;
    made->flags = flags;
    *pointer = reinterpret_cast<void*>(made->address);
    return cudaSuccess;
}

// Reports why a pointer cannot be freed.
void report_bad_free(Machine& machine, const void* pointer, const char* asked)
{
    const char* const name = called_as(asked);
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    Finding finding{.kind = "invalid_free"};
    finding.call = name;
    finding.site = CallSite::here();
    const auto gone = std::find_if(machine.freed.rbegin(), machine.freed.rend(),
                                   [&](const Freed& each) { return each.address == address; });
    const Memory* const inside = machine.find(pointer);
    if (gone != machine.freed.rend() && inside == nullptr) {
        finding.kind = "double_free";
        finding.other_site = gone->site;
        finding.message =
            fmt::format("{} frees an allocation of {} bytes a second time.", name, gone->bytes);
    } else if (inside != nullptr && inside->address != address) {
        finding.other_site = inside->site;
        finding.message = fmt::format(
            "{} is given an address {} bytes into an allocation of {} bytes, not its start.", name,
            address - inside->address, inside->bytes);
    } else if (inside != nullptr) {
        const bool by_driver = !inside->call.starts_with("cuda");
        finding.other_site = inside->site;
        finding.message = fmt::format(
            "{} is given memory that {} allocated. {}", name, inside->call,
            inside->from_mapping ? "Unmap it with cuMemUnmap."
            : inside->kind == MemoryKind::graphics
                ? (by_driver ? "Unmap it with cuGraphicsUnmapResources."
                             : "Unmap it with cudaGraphicsUnmapResources.")
            : inside->kind == MemoryKind::pinned
                ? (by_driver ? "Free it with cuMemFreeHost." : "Free it with cudaFreeHost.")
                : (by_driver ? "Free it with cuMemFree." : "Free it with cudaFree."));
    } else {
        finding.message = fmt::format("{} is given the pointer {:#x}, which no CUDA call returned.",
                                      name, address);
        if (simt::Memory::device_of(address) >= 0)
            finding.message += " A kernel frees what its malloc or new has allocated.";
    }
    machine.find(finding);
}

// A GPU does not wait for work that may still use pool memory when it is freed (the documentation
// of cudaFree says so): such work is reported.
void report_freed_in_use(Machine& machine, const Memory& memory, const char* asked)
{
    const MemoryUse all{
        .begin = memory.address, .end = memory.address + memory.bytes, .touch = Touch::write};
    const auto use = memory.history.conflict(all, machine.host_clock);
    if (!use) return;
    Finding finding{.kind = "unordered"};
    finding.call = called_as(asked);
    finding.site = CallSite::here();
    finding.other_site = use->site;
    finding.message = fmt::format(
        "{} frees {} bytes from a pool that {} may still {}: for such memory it waits for no "
        "stream. Synchronize the stream first, or use cudaFreeAsync in it.",
        finding.call, memory.bytes, use->what, use->touch == Touch::read ? "read" : "write");
    machine.find(finding);
}

cudaError_t free_memory(Machine& machine, void* pointer, bool pinned, const char* name)
{
    if (pointer == nullptr) return cudaSuccess;
    Memory* const found = machine.find(pointer);
    const bool right_kind = found != nullptr && (found->kind == MemoryKind::pinned) == pinned &&
                            found->kind != MemoryKind::variable && !found->from_mapping &&
                            found->kind != MemoryKind::graphics &&
                            found->kind != MemoryKind::registered;
    if (!right_kind || found->address != reinterpret_cast<std::uint64_t>(pointer)) {
        report_bad_free(machine, pointer, name);
        return cudaErrorInvalidValue;
    }
    if (found->from_pool) report_freed_in_use(machine, *found, name);
    machine.host_waits_for_device(found->device); // freeing waits for all queued work
    machine.release(*found, name);
    return cudaSuccess;
}

constexpr std::size_t pitch_alignment = 512;

std::size_t pitched(std::size_t width)
{
    return (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
}

} // namespace

} // namespace lanescope::runtime

using namespace lanescope::runtime;

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t bytes)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (const cudaError_t wrong = invalidate_unsafe_captures(machine); wrong != cudaSuccess)
            return wrong;
        return allocate(machine, pointer, bytes, MemoryKind::device, 0, "cudaMalloc");
    });
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
            return cudaErrorInvalidValue;
        return allocate(machine, pointer, bytes, MemoryKind::managed, flags, "cudaMallocManaged");
    });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (flags > (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
            return cudaErrorInvalidValue;
        return allocate(machine, pointer, bytes, MemoryKind::pinned, flags | cudaHostAllocMapped,
                        "cudaHostAlloc");
    });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        return allocate(machine, pointer, bytes, MemoryKind::pinned, cudaHostAllocMapped,
                        "cudaMallocHost");
    });
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (pointer == nullptr || pitch == nullptr) return cudaErrorInvalidValue;
        *pitch = pitched(width);
        return allocate(machine, pointer, *pitch * height, MemoryKind::device, 0,
                        "cudaMallocPitch");
    });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched_pointer, cudaExtent extent)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (pitched_pointer == nullptr) return cudaErrorInvalidValue;
        *pitched_pointer = {nullptr, pitched(extent.width), extent.width, extent.height};
        return allocate(machine, &pitched_pointer->ptr,
                        pitched_pointer->pitch * extent.height * extent.depth, MemoryKind::device,
                        0, "cudaMalloc3D");
    });
}

cudaError_t cudaFree(void* pointer)
{
    return call(Call::waits, __func__,
                [&](Machine& machine) { return free_memory(machine, pointer, false, "cudaFree"); });
}

cudaError_t cudaFreeHost(void* pointer)
{
    return call(Call::waits, __func__, [&](Machine& machine) {
        return free_memory(machine, pointer, true, "cudaFreeHost");
    });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (pointer == nullptr || bytes == 0 || flags > 15) return cudaErrorInvalidValue;
        if (machine.find(pointer) != nullptr) return cudaErrorHostMemoryAlreadyRegistered;
        Memory made;
        made.address = reinterpret_cast<std::uint64_t>(pointer);
        made.bytes = bytes;
        made.kind = MemoryKind::registered;
        made.device = this_thread().device;
        made.context = &current_context();
        made.flags = flags | cudaHostRegisterMapped;
        made.call = called_as("cudaHostRegister");
        made.site = CallSite::here();
        made.host = {static_cast<std::byte*>(pointer), bytes};
        made.buffer = machine.simt().adopt_at(made.address, made.host);
        const std::uint64_t address = made.address;
        machine.memory.emplace(address, std::move(made));
        return cudaSuccess;
    });
}

cudaError_t cudaHostUnregister(void* pointer)
{
    return call(Call::waits, __func__, [&](Machine& machine) {
        if (pointer == nullptr) return cudaErrorInvalidValue;
        Memory* const found = machine.find(pointer);
        if (found == nullptr || found->kind != MemoryKind::registered ||
            found->address != reinterpret_cast<std::uint64_t>(pointer))
            return cudaErrorHostMemoryNotRegistered;
        machine.host_waits_for_device(found->device);
        machine.release(*found, "cudaHostUnregister");
        return cudaSuccess;
    });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (device == nullptr || flags != 0) return cudaErrorInvalidValue;
        const Memory* const found = machine.find(host);
        if (found == nullptr || !found->on_host()) return cudaErrorInvalidValue;
        *device = host;
        return cudaSuccess;
    });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        const Memory* const found = machine.find(host);
        if (flags == nullptr || found == nullptr ||
            (found->kind != MemoryKind::pinned && found->kind != MemoryKind::registered))
            return cudaErrorInvalidValue;
        *flags = found->flags;
        return cudaSuccess;
    });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        const std::size_t all = machine.total_memory();
        const std::size_t used =
            machine.devices[static_cast<std::size_t>(this_thread().device)].allocated;
        if (total != nullptr) *total = all;
        if (free != nullptr) *free = all - used;
        return cudaSuccess;
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (attributes == nullptr) return cudaErrorInvalidValue;
        // Writes these four fields only: CUDA 12's struct ends here.
        const Memory* const found = machine.find(pointer);
        if (found == nullptr) {
            attributes->type = cudaMemoryTypeUnregistered;
            attributes->device = cudaInvalidDeviceId;
            attributes->devicePointer = nullptr;
            attributes->hostPointer = const_cast<void*>(pointer);
            return cudaSuccess;
        }
        attributes->device = found->device;
        attributes->devicePointer = const_cast<void*>(pointer);
        attributes->hostPointer = found->on_host() ? const_cast<void*>(pointer) : nullptr;
        attributes->type = found->kind == MemoryKind::managed ? cudaMemoryTypeManaged
                           : found->on_host()                 ? cudaMemoryTypeHost
                                                              : cudaMemoryTypeDevice;
        return cudaSuccess;
    });
}

// --- Pools: every allocation is separate; a pool is only a label. ---

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(pointer, bytes, nullptr, stream);
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    return call(Call::queues, "cudaMallocAsync", [&](Machine& machine) {
        Stream* const on = machine.stream(stream, this_thread().device);
        if (on == nullptr) return cudaErrorInvalidResourceHandle;
        if (pool != nullptr && !is_pool(pool)) return cudaErrorInvalidValue;
        if (pointer == nullptr) return cudaErrorInvalidValue;
        const cudaError_t made =
            allocate(machine, pointer, bytes, MemoryKind::device, 0, "cudaMallocAsync");
        if (made != cudaSuccess || bytes == 0) return made;
        Memory& memory = *machine.find(*pointer);
        memory.from_pool = true;
        if (on->capture != nullptr) // the graph allocates when it is launched
            return capture(machine, *on, AllocateWork{bytes, memory.address});
        // Uses of the memory in other streams must be ordered after this allocation.
        const Clock& clock = machine.begin_work(*on);
        MemoryUse use{
            .begin = memory.address, .end = memory.address + memory.bytes, .touch = Touch::write};
        use.timeline = on->timeline;
        use.tick = clock.at(on->timeline);
        use.what = fmt::format("{} in {}", called_as("cudaMallocAsync"), on->words());
        use.site = memory.site;
        machine.note(memory, use, clock, called_as("cudaMallocAsync"));
        return cudaSuccess;
    });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        Stream* const on = machine.stream(stream, this_thread().device);
        if (on == nullptr) return cudaErrorInvalidResourceHandle;
        if (pointer == nullptr) return cudaSuccess;
        Memory* const found = machine.find(pointer);
        if (found == nullptr || found->kind != MemoryKind::device ||
            found->address != reinterpret_cast<std::uint64_t>(pointer)) {
            report_bad_free(machine, pointer, "cudaFreeAsync");
            return cudaErrorInvalidValue;
        }
        if (on->capture != nullptr) return capture(machine, *on, FreeWork{found->address});
        const Clock& clock = machine.begin_work(*on);
        MemoryUse use{
            .begin = found->address, .end = found->address + found->bytes, .touch = Touch::write};
        use.timeline = on->timeline;
        use.tick = clock.at(on->timeline);
        use.what = fmt::format("{} in {}", called_as("cudaFreeAsync"), on->words());
        use.site = CallSite::here();
        machine.note(*found, use, clock, called_as("cudaFreeAsync"));
        machine.release(*found, "cudaFreeAsync");
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (pool == nullptr || properties == nullptr) return cudaErrorInvalidValue;
        if (properties->location.type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
        if (properties->location.id < 0 ||
            properties->location.id >= static_cast<int>(machine.devices.size()))
            return cudaErrorInvalidDevice;
        *pool = new_pool();
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    return call(Call::queues, __func__,
                [&](Machine&) { return destroy_pool(pool) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (pool == nullptr) return cudaErrorInvalidValue;
        if (device < 0 || device >= static_cast<int>(machine.devices.size()))
            return cudaErrorInvalidDevice;
        *pool = default_pool(device);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device)
{
    return cudaDeviceGetDefaultMemPool(pool, device);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (device < 0 || device >= static_cast<int>(machine.devices.size()))
            return cudaErrorInvalidDevice;
        return is_pool(pool) ? cudaSuccess : cudaErrorInvalidValue;
    });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value)
{
    return call(Call::queues, __func__, [&](Machine&) {
        if (!is_pool(pool) || value == nullptr) return cudaErrorInvalidValue;
        return set_pool_attribute(pool, attribute, value);
    });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (!is_pool(pool) || value == nullptr) return cudaErrorInvalidValue;
        return get_pool_attribute(machine, pool, attribute, value);
    });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t)
{
    return call(Call::queues, __func__,
                [&](Machine&) { return is_pool(pool) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access,
                                 std::size_t count)
{
    return call(Call::queues, __func__, [&](Machine&) {
        return is_pool(pool) && (access != nullptr || count == 0) ? cudaSuccess
                                                                  : cudaErrorInvalidValue;
    });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* location)
{
    return call(Call::queues, __func__, [&](Machine&) {
        if (!is_pool(pool) || flags == nullptr || location == nullptr) return cudaErrorInvalidValue;
        *flags = cudaMemAccessFlagsProtReadWrite;
        return cudaSuccess;
    });
}

// --- Advice about managed memory does not affect results. ---

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise, cudaMemLocation)
{
    return call(Call::queues, "cudaMemAdvise", [&](Machine& machine) {
        const Memory* const found = machine.find(pointer);
        return found != nullptr && found->kind == MemoryKind::managed && bytes > 0
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream)
{
    return call(Call::queues, "cudaMemPrefetchAsync", [&](Machine& machine) {
        const Memory* const found = machine.find(pointer);
        if (machine.stream(stream, this_thread().device) == nullptr)
            return cudaErrorInvalidResourceHandle;
        if (location.type == cudaMemLocationTypeDevice &&
            (location.id < 0 || location.id >= static_cast<int>(machine.devices.size())))
            return cudaErrorInvalidDevice;
        return found != nullptr && found->kind == MemoryKind::managed && bytes > 0 && flags == 0
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, std::size_t, unsigned)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (machine.stream(stream, this_thread().device) == nullptr)
            return cudaErrorInvalidResourceHandle;
        const Memory* const found = machine.find(pointer);
        return found != nullptr && found->kind == MemoryKind::managed ? cudaSuccess
                                                                      : cudaErrorInvalidValue;
    });
}

} // extern "C"
