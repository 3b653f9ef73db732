// Every form of copy becomes a copy of rows of bytes.
#include "compute/runtime/work.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "compute/runtime/counts_as_bytes.h"
#include "compute/runtime/graphics.h"
#include "compute/simt/machine/memory/memory.h"

namespace lanescope::runtime {

namespace {

std::uint64_t address(const void* pointer)
{
    return reinterpret_cast<std::uint64_t>(pointer);
}

std::uint64_t bytes_spanned(const CopyEnd& end, const CopyWork& work)
{
    if (work.height == 0 || work.depth == 0 || work.width_bytes == 0) return 0;
    const std::uint64_t rows =
        (work.depth - 1) * std::max<std::uint64_t>(end.rows, 1) + work.height - 1;
    return rows * end.pitch + work.width_bytes;
}

bool is_device(const Memory* memory)
{
    return memory != nullptr &&
           (memory->kind == MemoryKind::device || memory->kind == MemoryKind::variable ||
            memory->kind == MemoryKind::graphics);
}

// True if the range is within the allocation that contains its start; reports a finding if not.
bool fits(Machine& machine, const CopyEnd& end, const CopyWork& work, const char* name, bool writes)
{
    const Memory* const memory = machine.find(end.pointer);
    if (memory == nullptr) return true;
    const std::uint64_t offset = address(end.pointer) - memory->address;
    const std::uint64_t bytes = bytes_spanned(end, work);
    if (offset + bytes <= memory->bytes) return true;
    Finding finding{.kind = "out_of_bounds"};
    finding.call = name;
    finding.site = CallSite::here();
    finding.other_site = memory->site;
    finding.message = fmt::format(
        "{} {} {} bytes at offset {} in an allocation of {} bytes by {}: {} bytes past its end.",
        name, writes ? "writes" : "reads", bytes, offset, memory->bytes, memory->call,
        offset + bytes - memory->bytes);
    machine.find(finding);
    return false;
}

void report_wrong_direction(Machine& machine, const char* name, std::string_view sentence)
{
    Finding finding{.kind = "copy_direction"};
    finding.call = name;
    finding.site = CallSite::here();
    finding.message = fmt::format("{} {}", name, sentence);
    machine.find(finding);
}

// Reports memory that has been freed; returns whether it was.
bool report_freed(Machine& machine, const char* name, const void* pointer, bool writes)
{
    const Freed* const gone = machine.find_freed(address(pointer));
    if (gone == nullptr) return false;
    Finding finding{.kind = "copy_direction"};
    finding.call = name;
    finding.site = CallSite::here();
    finding.message = fmt::format("{} is given freed {} memory as its {}.", name,
                                  gone->kind == MemoryKind::device ? "device" : "host",
                                  writes ? "target" : "source");
    machine.explain_replay(address(pointer), finding);
    machine.find(finding);
    return true;
}

// Reports a pointer from an earlier map of an OpenGL resource; returns whether it is one.
bool report_stale(Machine& machine, const char* name, const void* pointer, bool writes)
{
    Finding finding{.kind = "unmapped_resource"};
    finding.call = name;
    finding.site = CallSite::here();
    finding.message =
        fmt::format("{} {} memory that is not mapped.", name, writes ? "writes" : "reads");
    if (!graphics::explain_stale(address(pointer), finding)) return false;
    machine.find(std::move(finding));
    return true;
}

std::string_view kind_phrase()
{
    return this_thread().driver_call == nullptr ? "its cudaMemcpyKind says" : "takes";
}

std::string_view direction_of(Machine& machine, const CopyWork& work)
{
    const bool from_device =
        work.from.array != nullptr || is_device(machine.find(work.from.pointer)) ||
        work.kind == cudaMemcpyDeviceToHost || work.kind == cudaMemcpyDeviceToDevice;
    const bool to_device = work.to.array != nullptr || is_device(machine.find(work.to.pointer)) ||
                           work.kind == cudaMemcpyHostToDevice ||
                           work.kind == cudaMemcpyDeviceToDevice;
    if (from_device) return to_device ? "device to device" : "device to host";
    return to_device ? "host to device" : "host to host";
}

// One side of a copy as bytes; `texels` holds those of an array during the copy.
struct Side {
    std::byte* base = nullptr;
    std::size_t pitch = 0, rows = 0;
    std::vector<std::byte> texels;
};

Side side_of(Machine& machine, const CopyEnd& end, const CopyWork& work)
{
    Side side;
    if (end.array == nullptr) {
        side.base = machine.bytes_of(end.pointer, bytes_spanned(end, work));
        side.pitch = end.pitch;
        side.rows = std::max<std::size_t>(end.rows, 1);
        return side;
    }
    ArrayInfo info;
    array_info(end.array, info);
    read_array(machine, end.array, side.texels);
    side.pitch = info.width * info.element_bytes;
    side.rows = std::max<std::size_t>(info.height, 1);
    side.base = side.texels.data() + (end.z * side.rows + end.y) * side.pitch + end.x_bytes;
    return side;
}

void note_use(Machine& machine, Stream& stream, const Clock& clock, const void* pointer,
              std::uint64_t bytes, Touch touch, const char* name, const CallSite& site)
{
    Memory* const memory = machine.find(pointer);
    if (memory == nullptr || bytes == 0) return;
    MemoryUse use{.begin = address(pointer), .end = address(pointer) + bytes, .touch = touch};
    use.timeline = stream.timeline;
    use.tick = clock.at(stream.timeline);
    use.what = fmt::format("{} in {}", name, stream.words());
    use.site = site;
    machine.note(*memory, use, clock, name);
    if (touch == Touch::write) note_result_used(*memory);
    if (touch == Touch::write && memory->kind == MemoryKind::graphics)
        graphics::check_write(machine, *memory, use, name);
}

// Warns about bytes copied to the host that nothing has written. It is only a warning, because
// valid programs copy partly filled buffers; gaps of a few bytes are padding of structs.
void warn_of_unwritten(Machine& machine, const CopyWork& work, const char* name,
                       const CallSite& site)
{
    constexpr std::size_t largest_padding = 3;
    if (work.from.array != nullptr || work.to.array != nullptr) return;
    Memory* const memory = machine.find(work.from.pointer);
    const bool is_watched = memory != nullptr && (memory->kind == MemoryKind::device ||
                                                  memory->kind == MemoryKind::graphics);
    if (!is_watched || is_device(machine.find(work.to.pointer))) return;
    std::uint64_t bytes = 0, begin = 0, end = 0;
    const std::size_t rows = std::max<std::size_t>(work.from.rows, 1);
    for (std::size_t z = 0; z < work.depth; ++z)
        for (std::size_t y = 0; y < work.height; ++y) {
            const auto row = machine.simt().unwritten(address(work.from.pointer) +
                                                          (z * rows + y) * work.from.pitch,
                                                      work.width_bytes, largest_padding);
            if (row.bytes == 0) continue;
            if (bytes == 0) begin = row.begin;
            bytes += row.bytes;
            end = row.end;
        }
    if (bytes == 0) return;
    const std::uint64_t all = work.width_bytes * work.height * work.depth;
    const bool is_whole = all == memory->bytes && address(work.from.pointer) == memory->address;
    const auto left_out =
        is_whole ? left_out_elements(memory->writer, {all, begin - memory->address, bytes})
                 : std::nullopt;
    Finding finding{.kind = "unwritten_copy"};
    finding.call = name;
    finding.site = site;
    finding.other_site = memory->site;
    finding.message = fmt::format(
        "{} copies {} bytes to the host, and {} of them were never written, or only with undefined "
        "values: {}bytes {} to {} of "
        "the allocation of {} bytes by {}. {}",
        name, all, bytes == all ? std::string("all") : fmt::format("{}", bytes),
        bytes == end - begin ? "" : "they are among ", begin - memory->address,
        end - 1 - memory->address, memory->bytes, memory->call,
        left_out.value_or("Launch enough blocks for all elements, or copy only those that were "
                          "written."));
    machine.find(finding);
    find_counts_as_bytes(machine, *memory, {begin, end}, fmt::format("a later {}", name));
}

void note_part(Machine& machine, const void* target, std::uint64_t bytes, const char* name,
               const CallSite& site)
{
    if (Memory* const memory = machine.find(target);
        memory != nullptr && memory->address == address(target))
        note_written_part(*memory, bytes, name, site);
}

cudaError_t perform_copy(Machine& machine, Stream& stream, const CopyWork& work, const char* name)
{
    // A peer copy that the host waits for is ordered with all work of both devices.
    if (work.waits)
        for (const int device : {work.to_device, work.from_device})
            if (device >= 0) machine.join_device(device, stream.clock);
    const Clock& clock = machine.begin_work(stream);
    if (stream.in->fault != cudaSuccess) return cudaSuccess;
    machine.unprotect_memory();
    const CallSite site = CallSite::here();
    const auto begin = std::chrono::steady_clock::now();
    warn_of_unwritten(machine, work, name, site);
    {
        const Side from = side_of(machine, work.from, work);
        Side to = side_of(machine, work.to, work);
        for (std::size_t z = 0; z < work.depth; ++z)
            for (std::size_t y = 0; y < work.height; ++y) {
                std::byte* const target = to.base + (z * to.rows + y) * to.pitch;
                std::memmove(target, from.base + (z * from.rows + y) * from.pitch,
                             work.width_bytes);
                if (work.to.array == nullptr && is_device(machine.find(work.to.pointer)))
                    machine.simt().mark_written(
                        address(work.to.pointer) + (z * to.rows + y) * to.pitch, work.width_bytes);
            }
        if (work.to.array != nullptr) write_array(machine, work.to.array, to.texels);
    }
    if (work.to.array == nullptr && work.height == 1 && work.depth == 1)
        note_part(machine, work.to.pointer, work.width_bytes, name, site);
    if (work.from.array == nullptr)
        note_use(machine, stream, clock, work.from.pointer, bytes_spanned(work.from, work),
                 Touch::read, name, site);
    if (Memory* const memory =
            work.from.array == nullptr ? machine.find(work.from.pointer) : nullptr) {
        const bool to_host = work.to.array == nullptr && !is_device(machine.find(work.to.pointer));
        if (to_host && work.height == 1 && work.depth == 1)
            note_result_copied(*memory, address(work.from.pointer), work.width_bytes, name, site);
        else
            note_result_used(*memory);
    }
    if (work.to.array == nullptr)
        note_use(machine, stream, clock, work.to.pointer, bytes_spanned(work.to, work),
                 Touch::write, name, site);
    CopyRecord record;
    record.call = name;
    record.direction = direction_of(machine, work);
    record.bytes = work.width_bytes * work.height * work.depth;
    record.stream = stream.name;
    record.device = stream.device;
    record.machine_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    record.order = {stream.timeline, clock.ticks()};
    record.site = site;
    const bool rows_follow =
        work.height * work.depth == 1 || (work.depth == 1 && work.from.pitch == work.width_bytes &&
                                          work.to.pitch == work.width_bytes);
    if (record.direction == "device to host" && work.from.array == nullptr &&
        work.to.array == nullptr && rows_follow)
        graphics::note_host_copy(
            {work.to.pointer, address(work.from.pointer), record.bytes, record.call, site});
    Report::instance().copy(record);
    // The host waits for copies of pageable memory, except small ones to the device.
    const bool pageable =
        (work.from.array == nullptr && machine.find(work.from.pointer) == nullptr) ||
        (work.to.array == nullptr && machine.find(work.to.pointer) == nullptr);
    if (work.waits || pageable)
        machine.host_waits_for(stream);
    else
        machine.protect_memory();
    return cudaSuccess;
}

template <class Element>
void fill_with(std::byte* row, const FillWork& work)
{
    const auto value = static_cast<Element>(work.value);
    for (std::size_t i = 0; i < work.width; ++i)
        std::memcpy(row + i * sizeof value, &value, sizeof value);
}

void fill_row(std::byte* row, const FillWork& work)
{
    switch (work.element_bytes) {
    case 1: std::memset(row, static_cast<int>(work.value & 0xffU), work.width); break;
    case 2: fill_with<std::uint16_t>(row, work); break;
    default: fill_with<std::uint32_t>(row, work); break;
    }
}

cudaError_t perform_fill(Machine& machine, Stream& stream, const FillWork& work, const char* name)
{
    const Clock& clock = machine.begin_work(stream);
    if (stream.in->fault != cudaSuccess) return cudaSuccess;
    machine.unprotect_memory();
    const std::size_t row_bytes = work.width * work.element_bytes;
    const std::size_t pitch = work.height > 1 || work.depth > 1 ? work.pitch : row_bytes;
    const std::size_t rows = std::max<std::size_t>(work.rows, 1);
    if (row_bytes == 0 || work.height == 0 || work.depth == 0) return cudaSuccess;
    const std::size_t all = ((work.depth - 1) * rows + work.height - 1) * pitch + row_bytes;
    std::byte* const base = machine.bytes_of(work.pointer, all);
    for (std::size_t z = 0; z < work.depth; ++z)
        for (std::size_t y = 0; y < work.height; ++y) {
            std::byte* const row = base + (z * rows + y) * pitch;
            fill_row(row, work);
            machine.simt().mark_written(address(work.pointer) + (z * rows + y) * pitch, row_bytes);
        }
    note_use(machine, stream, clock, work.pointer, all, Touch::write, name, CallSite::here());
    if (work.height == 1 && work.depth == 1)
        note_part(machine, work.pointer, row_bytes, name, CallSite::here());
    // The first of several padded rows stands for all.
    if (Memory* const memory = machine.find(work.pointer); memory != nullptr)
        note_fill(*memory, address(work.pointer),
                  address(work.pointer) + (pitch == row_bytes ? all : row_bytes),
                  work.element_bytes == 1 ? work.value & 0xffU : 0, name, CallSite::here());
    if (work.waits)
        machine.host_waits_for(stream);
    else
        machine.protect_memory();
    return cudaSuccess;
}

// Runs on a separate thread, since callbacks must not call CUDA.
cudaError_t perform_host(Machine& machine, Stream& stream, const HostWork& work)
{
    machine.begin_work(stream);
    machine.unprotect_memory();
    std::thread([&] {
        this_thread().in_host_function = true;
        if (work.function != nullptr)
            work.function(work.data);
        else
            work.callback(work.handle, cudaSuccess, work.data);
    }).join();
    // The function may have notified any thread that the work before it is complete.
    machine.host_waits_for(stream);
    return cudaSuccess;
}

cudaError_t perform_record(Machine& machine, Stream& stream, const RecordWork& work)
{
    auto* const event = reinterpret_cast<Event*>(work.event);
    if (!machine.events.contains(event)) return cudaErrorInvalidResourceHandle;
    event->clock = machine.begin_work(stream);
    event->recorded = true;
    event->when = std::chrono::steady_clock::now();
    event->capture = nullptr;
    return cudaSuccess;
}

cudaError_t perform_wait(Machine& machine, Stream& stream, const WaitWork& work)
{
    auto* const event = reinterpret_cast<Event*>(work.event);
    if (!machine.events.contains(event)) return cudaErrorInvalidResourceHandle;
    if (event->recorded) stream.clock.join(event->clock);
    return cudaSuccess;
}

} // namespace

cudaError_t check(Machine& machine, const CopyWork& work, const char* asked)
{
    const char* const name = called_as(asked);
    if (static_cast<int>(work.kind) < 0 || work.kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (work.width_bytes == 0 || work.height == 0 || work.depth == 0) return cudaSuccess;
    for (const CopyEnd* end : {&work.to, &work.from}) {
        const bool writes = end == &work.to;
        if (end->array != nullptr) {
            ArrayInfo info;
            if (!array_info(end->array, info)) return cudaErrorInvalidResourceHandle;
            if (end->x_bytes + work.width_bytes > info.width * info.element_bytes ||
                end->y + work.height > std::max<std::size_t>(info.height, 1) ||
                end->z + work.depth > std::max<std::size_t>(info.depth, 1))
                return cudaErrorInvalidValue;
            continue;
        }
        if (end->pointer == nullptr) return cudaErrorInvalidValue;
        if ((work.height > 1 || work.depth > 1) && end->pitch < work.width_bytes)
            return cudaErrorInvalidPitchValue;
        const Memory* const memory = machine.find(end->pointer);
        if (memory == nullptr && report_stale(machine, name, end->pointer, writes))
            return cudaErrorInvalidValue;
        if (memory == nullptr && report_freed(machine, name, end->pointer, writes))
            return cudaErrorInvalidValue;
        if (memory == nullptr && simt::Memory::device_of(address(end->pointer)) >= 0) {
            report_wrong_direction(
                machine, name,
                fmt::format("is given {:#x} as its {}, an address of the device where no call of "
                            "the host has allocated memory. The host cannot copy what a kernel's "
                            "malloc or new has allocated.",
                            address(end->pointer), writes ? "target" : "source"));
            return cudaErrorInvalidValue;
        }
        const bool device_wanted =
            work.kind == cudaMemcpyDeviceToDevice ||
            work.kind == (writes ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
        const bool host_wanted =
            work.kind == cudaMemcpyHostToHost ||
            work.kind == (writes ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
        if (device_wanted && memory == nullptr) {
            report_wrong_direction(machine, name,
                                   fmt::format("is given host memory as its {}, but {} device "
                                               "memory.",
                                               writes ? "target" : "source", kind_phrase()));
            return cudaErrorInvalidValue;
        }
        if (host_wanted && is_device(memory)) // the copy uses the actual locations of the memory
            report_wrong_direction(
                machine, name,
                fmt::format("is given device memory as its {}, but {} host memory.",
                            writes ? "target" : "source", kind_phrase()));
        if (!fits(machine, *end, work, name, writes)) return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t check(Machine& machine, const FillWork& work, const char* asked)
{
    const char* const name = called_as(asked);
    if (work.width == 0 || work.height == 0 || work.depth == 0) return cudaSuccess;
    const Memory* const memory = machine.find(work.pointer);
    if (memory == nullptr) {
        if (report_stale(machine, name, work.pointer, true)) return cudaErrorInvalidValue;
        if (report_freed(machine, name, work.pointer, true)) return cudaErrorInvalidValue;
        if (work.pointer != nullptr)
            report_wrong_direction(
                machine, name,
                "is given memory that is not the device's. Pass a pointer from cudaMalloc.");
        return cudaErrorInvalidValue;
    }
    if ((work.height > 1 || work.depth > 1) && work.pitch < work.width * work.element_bytes)
        return cudaErrorInvalidValue;
    CopyWork as_copy{
        .width_bytes = work.width * work.element_bytes, .height = work.height, .depth = work.depth};
    const CopyEnd end{.pointer = work.pointer, .pitch = work.pitch, .rows = work.rows};
    return fits(machine, end, as_copy, name, true) ? cudaSuccess : cudaErrorInvalidValue;
}

namespace {

// A node allocates when it is added, so that its address is known. After a launch of
// the graph that freed the memory, the next launch allocates again, at the same
// address, in memory kept for that purpose.
cudaError_t allocate_again(Machine& machine, const Stream& stream, const AllocateWork& work)
{
    if (machine.find(work.address) != nullptr) return cudaSuccess;
    static auto* const kept = new std::map<std::uint64_t, std::vector<std::byte>>;
    std::vector<std::byte>& bytes = (*kept)[work.address];
    bytes.resize(work.bytes);
    Memory made;
    made.address = work.address;
    made.bytes = work.bytes;
    made.device = stream.device;
    made.context = stream.in;
    made.call = "cudaGraphAddMemAllocNode";
    made.site = CallSite::here();
    made.buffer = machine.simt().adopt_at(work.address, bytes);
    machine.devices[static_cast<std::size_t>(stream.device)].allocated += work.bytes;
    machine.memory.emplace(work.address, std::move(made));
    return cudaSuccess;
}

} // namespace

cudaError_t perform(Machine& machine, Stream& stream, const Work& work, const char* name)
{
    struct Perform {
        Machine& machine;
        Stream& stream;
        const char* name;
        cudaError_t operator()(const EmptyWork&) { return cudaSuccess; }
        cudaError_t operator()(const LaunchRequest& some)
        {
            return machine.launch(some, stream, name);
        }
        cudaError_t operator()(const CopyWork& some)
        {
            return perform_copy(machine, stream, some, name);
        }
        cudaError_t operator()(const FillWork& some)
        {
            return perform_fill(machine, stream, some, name);
        }
        cudaError_t operator()(const HostWork& some) { return perform_host(machine, stream, some); }
        cudaError_t operator()(const RecordWork& some)
        {
            return perform_record(machine, stream, some);
        }
        cudaError_t operator()(const WaitWork& some) { return perform_wait(machine, stream, some); }
        cudaError_t operator()(const GraphWork& some)
        {
            return runtime::perform(machine, stream, *some.graph);
        }
        cudaError_t operator()(const ConditionalWork& some)
        {
            return runtime::perform(machine, stream, *some.conditional);
        }
        cudaError_t operator()(const AllocateWork& some)
        {
            return allocate_again(machine, stream, some);
        }
        cudaError_t operator()(const FreeWork& some)
        {
            if (Memory* memory = machine.find(some.address))
                machine.release(*memory, "a node of a graph");
            return cudaSuccess;
        }
    };
    return std::visit(Perform{machine, stream, name}, work);
}

namespace {

// Returns true if the call that queues the work returns only after the work is complete.
bool host_waits_for(Machine& machine, const Work& work)
{
    if (const auto* const fill = std::get_if<FillWork>(&work)) return fill->waits;
    const auto* const copy = std::get_if<CopyWork>(&work);
    if (copy == nullptr) return false;
    const auto pageable = [&](const CopyEnd& end) {
        return end.array == nullptr && machine.find(end.pointer) == nullptr;
    };
    return copy->waits || pageable(copy->to) || pageable(copy->from);
}

} // namespace

cudaError_t queue(Machine& machine, Stream& stream, Work work, const char* name)
{
    if (stream.capture != nullptr) return capture(machine, stream, std::move(work));
    if (const cudaError_t wrong = invalidate_captures_before(machine, stream); wrong != cudaSuccess)
        return wrong;
    const auto* const wait = std::get_if<WaitWork>(&work);
    const auto* const record = std::get_if<RecordWork>(&work);
    const void* const awaited = wait == nullptr ? nullptr : wait->event;
    if (machine.follows_delayed(stream, awaited)) {
        if (!host_waits_for(machine, work)) {
            const char* const called = called_as(name);
            machine.delayed.push_back({&stream, record == nullptr ? nullptr : record->event,
                                       awaited,
                                       [&machine, &stream, work = std::move(work), called] {
                                           return perform(machine, stream, work, called);
                                       },
                                       CallSite::here()});
            return cudaSuccess;
        }
        machine.run_delayed(true);
    }
    machine.may_delay = std::holds_alternative<LaunchRequest>(work);
    const cudaError_t result = perform(machine, stream, work, called_as(name));
    machine.may_delay = false;
    return result;
}

} // namespace lanescope::runtime
