// Virtual memory management: address ranges, physical memory, and mappings of one to the other.
// Physical memory consists of shared pages, so that it can be mapped at several addresses and next
// to other memory. Adjacent mappings form one allocation: copies and kernels may cross from one
// to the next.

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <vector>

#include <sys/mman.h>

#include <fmt/format.h>

#include "compute/runtime/driver/driver.h"
#include "compute/runtime/reserved_ranges.h"
#include "compute/simt/machine/memory/windows.h"

namespace lanescope::runtime {

namespace {

constexpr std::uint64_t granularity = std::uint64_t{2} << 20;

// Addresses far above those of other allocations.
constexpr std::uint64_t window_bytes = std::uint64_t{1} << 40;
constexpr std::uint64_t window_begin = simt::global_window + 14 * window_bytes;

struct Physical {
    CUmemAllocationProp properties{};
    std::uint64_t bytes = 0;
    void* pages = MAP_FAILED; // shared, so that they can be mapped at several addresses
    // Number of handles returned by cuMemCreate and cuMemRetainAllocationHandle.
    int handles = 1;
    int mappings = 0;

    explicit Physical(std::uint64_t size)
        : bytes(size), pages(mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
    {
        if (pages == MAP_FAILED) throw std::bad_alloc();
    }
    ~Physical() { munmap(pages, bytes); }
    Physical(const Physical&) = delete;
    Physical& operator=(const Physical&) = delete;
};

struct Mapping {
    std::uint64_t bytes = 0;
    Physical* physical = nullptr;
    CUmemAccess_flags access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
};

struct Reservation {
    std::uint64_t begin = 0, bytes = 0;
    std::byte* host = nullptr;
    std::map<std::uint64_t, Mapping> mappings{}; // keyed by address

    std::uint64_t end() const { return begin + bytes; }
    bool contains(std::uint64_t address, std::uint64_t size) const
    {
        return address >= begin && size <= bytes && address - begin <= bytes - size;
    }
};

struct VirtualMemory {
    std::map<std::uint64_t, Reservation> reservations;           // keyed by address
    std::map<std::uint64_t, std::unique_ptr<Physical>> physical; // keyed by handle
    std::uint64_t next_address = window_begin;
    std::uint64_t next_handle = 1;
};
VirtualMemory& virtual_memory()
{
    static auto* const made = new VirtualMemory; // never destroyed: used during process exit
    return *made;
}

bool is_whole(std::uint64_t bytes)
{
    return bytes != 0 && bytes % granularity == 0;
}

Reservation* reservation_of(std::uint64_t address, std::uint64_t bytes)
{
    for (auto& [begin, one] : virtual_memory().reservations)
        if (one.contains(address, bytes)) return &one;
    return nullptr;
}

// Mappings that cover exactly this range; empty if there is a gap or overhang.
std::vector<std::map<std::uint64_t, Mapping>::iterator>
mappings_in(Reservation& in, std::uint64_t address, std::uint64_t bytes)
{
    std::vector<std::map<std::uint64_t, Mapping>::iterator> found;
    std::uint64_t at = address;
    while (at < address + bytes) {
        const auto one = in.mappings.find(at);
        if (one == in.mappings.end()) return {};
        found.push_back(one);
        at += one->second.bytes;
    }
    if (at != address + bytes) return {};
    return found;
}

void drop_if_unused(Physical* physical)
{
    if (physical->handles > 0 || physical->mappings > 0) return;
    std::erase_if(virtual_memory().physical,
                  [&](const auto& one) { return one.second.get() == physical; });
}

// Makes each run of adjacent mappings that the device can access one allocation of the machine.
void update_allocations(Machine& machine, const Reservation& in)
{
    struct Run {
        std::uint64_t bytes = 0;
        int device = 0;
    };
    std::map<std::uint64_t, Run> runs;
    for (const auto& [address, mapping] : in.mappings) {
        if (mapping.access == CU_MEM_ACCESS_FLAGS_PROT_NONE) continue;
        const int device = mapping.physical->properties.location.id;
        if (!runs.empty()) {
            auto& [begin, last] = *runs.rbegin();
            if (begin + last.bytes == address && last.device == device) {
                last.bytes += mapping.bytes;
                continue;
            }
        }
        runs[address] = {mapping.bytes, device};
    }
    std::vector<Memory*> gone;
    for (auto& [address, memory] : machine.memory) {
        if (address < in.begin || address >= in.end()) continue;
        const auto same = runs.find(address);
        if (same != runs.end() && same->second.bytes == memory.bytes)
            runs.erase(same);
        else
            gone.push_back(&memory);
    }
    for (Memory* memory : gone) machine.release(*memory, "cuMemUnmap");
    for (const auto& [address, run] : runs) {
        Memory made;
        made.address = address;
        made.bytes = run.bytes;
        made.device = run.device;
        made.context = &current_context();
        made.call = "cuMemMap";
        made.site = CallSite::here();
        made.from_mapping = true;
        made.buffer = machine.simt().adopt_at(address, {in.host + (address - in.begin), run.bytes});
        machine.devices[static_cast<std::size_t>(run.device)].allocated += run.bytes;
        machine.memory.emplace(address, std::move(made));
    }
}

// Unmaps the range; its addresses stay reserved.
bool close_range(const Reservation& in, std::uint64_t address, std::uint64_t bytes)
{
    return mmap(in.host + (address - in.begin), bytes, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

Physical* physical_of(CUmemGenericAllocationHandle handle)
{
    const auto found = virtual_memory().physical.find(handle);
    return found == virtual_memory().physical.end() || found->second->handles == 0
               ? nullptr
               : found->second.get();
}

bool is_location(const Machine& machine, const CUmemLocation& location)
{
    return location.type == CU_MEM_LOCATION_TYPE_DEVICE && location.id >= 0 &&
           static_cast<std::size_t>(location.id) < machine.devices.size();
}

cudaError_t check_properties(const Machine& machine, const CUmemAllocationProp* is)
{
    if (is == nullptr || is->type != CU_MEM_ALLOCATION_TYPE_PINNED) return cudaErrorInvalidValue;
    if (is->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
        Report::instance().missing("cuMemCreate on the host",
                                   "cuMemCreate gives memory of a device here, not of the host.");
        return cudaErrorNotSupported;
    }
    return is_location(machine, is->location) ? cudaSuccess : cudaErrorInvalidDevice;
}

} // namespace

void explain_reserved(const Machine& machine, std::uint64_t address, Finding& finding)
{
    const Reservation* const in = reservation_of(address, 1);
    if (in == nullptr) return;
    auto mapping = in->mappings.upper_bound(address);
    const bool is_mapped = mapping != in->mappings.begin() &&
                           address - std::prev(mapping)->first < std::prev(mapping)->second.bytes;
    const Freed* const gone = machine.find_freed(address);
    finding.message += fmt::format(" The address is at byte {} of a range of {} bytes that "
                                   "cuMemAddressReserve has reserved. ",
                                   address - in->begin, in->bytes);
    if (is_mapped) {
        finding.message += "Memory is mapped there, but this device may not access it: call "
                           "cuMemSetAccess.";
    } else if (gone != nullptr) {
        finding.message += fmt::format("{} has unmapped the memory there.", gone->call);
        finding.other_site = gone->site;
    } else {
        finding.message += "No memory is mapped there: call cuMemMap, and then cuMemSetAccess.";
    }
}

} // namespace lanescope::runtime

using namespace lanescope::runtime;

extern "C" {

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp* is,
                                       CUmemAllocationGranularity_flags)
{
    return driver(
        __func__,
        [&](Machine& machine) {
            if (bytes == nullptr) return cudaErrorInvalidValue;
            const cudaError_t result = check_properties(machine, is);
            if (result == cudaSuccess) *bytes = granularity;
            return result;
        },
        Needs::driver);
}

CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t alignment,
                             CUdeviceptr, unsigned long long flags)
{
    return driver(
        __func__,
        [&](Machine&) {
            VirtualMemory& all = virtual_memory();
            if (address == nullptr || !is_whole(bytes) || flags != 0 ||
                (alignment & (alignment - 1)) != 0)
                return cudaErrorInvalidValue;
            const std::uint64_t step = std::max<std::uint64_t>(alignment, granularity);
            const std::uint64_t begin = (all.next_address + step - 1) / step * step;
            if (bytes > window_begin + window_bytes - std::min(begin, window_begin + window_bytes))
                return cudaErrorMemoryAllocation;
            void* const host =
                mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (host == MAP_FAILED) return cudaErrorMemoryAllocation;
            all.reservations.emplace(begin,
                                     Reservation{begin, bytes, static_cast<std::byte*>(host)});
            all.next_address = begin + bytes + granularity; // a gap, to catch stray accesses
            *address = begin;
            return cudaSuccess;
        },
        Needs::driver);
}
CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes)
{
    return driver(
        __func__,
        [&](Machine&) {
            auto& all = virtual_memory().reservations;
            const auto found = all.find(address);
            if (found == all.end() || found->second.bytes != bytes ||
                !found->second.mappings.empty())
                return cudaErrorInvalidValue;
            munmap(found->second.host, bytes);
            all.erase(found);
            return cudaSuccess;
        },
        Needs::driver);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     const CUmemAllocationProp* is, unsigned long long flags)
{
    return driver(
        __func__,
        [&](Machine& machine) {
            if (handle == nullptr || !is_whole(bytes) || flags != 0) return cudaErrorInvalidValue;
            const cudaError_t result = check_properties(machine, is);
            if (result != cudaSuccess) return result;
            VirtualMemory& all = virtual_memory();
            std::uint64_t created = bytes;
            for (const auto& [number, one] : all.physical)
                if (one->properties.location.id == is->location.id) created += one->bytes;
            if (created > machine.total_memory()) return cudaErrorMemoryAllocation;
            auto made = std::make_unique<Physical>(bytes);
            made->properties = *is;
            *handle = all.next_handle++;
            all.physical.emplace(*handle, std::move(made));
            return cudaSuccess;
        },
        Needs::driver);
}
CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    return driver(
        __func__,
        [&](Machine&) {
            Physical* const known = physical_of(handle);
            if (known == nullptr) return cudaErrorInvalidValue;
            --known->handles;
            drop_if_unused(known);
            return cudaSuccess;
        },
        Needs::driver);
}
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address)
{
    return driver(
        __func__,
        [&](Machine&) {
            const auto at = reinterpret_cast<std::uint64_t>(address);
            const Reservation* const in = reservation_of(at, 1);
            if (handle == nullptr || in == nullptr) return cudaErrorInvalidValue;
            auto mapping = in->mappings.upper_bound(at);
            if (mapping == in->mappings.begin()) return cudaErrorInvalidValue;
            --mapping;
            if (at - mapping->first >= mapping->second.bytes) return cudaErrorInvalidValue;
            for (const auto& [number, one] : virtual_memory().physical)
                if (one.get() == mapping->second.physical) *handle = number;
            ++mapping->second.physical->handles;
            return cudaSuccess;
        },
        Needs::driver);
}
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* is,
                                                CUmemGenericAllocationHandle handle)
{
    return driver(
        __func__,
        [&](Machine&) {
            const Physical* const known = physical_of(handle);
            if (is == nullptr || known == nullptr) return cudaErrorInvalidValue;
            *is = known->properties;
            return cudaSuccess;
        },
        Needs::driver);
}

CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    return driver(__func__, [&](Machine&) {
        Physical* const known = physical_of(handle);
        Reservation* const in = reservation_of(address, bytes);
        if (known == nullptr || in == nullptr || !is_whole(bytes) || flags != 0 || offset != 0 ||
            address % granularity != 0 || bytes > known->bytes)
            return cudaErrorInvalidValue;
        for (const auto& [begin, mapping] : in->mappings)
            if (begin < address + bytes && address < begin + mapping.bytes)
                return cudaErrorInvalidValue;
        // With an old size of 0, mremap() maps the shared pages a second time.
        if (mremap(known->pages, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                   in->host + (address - in->begin)) == MAP_FAILED)
            return cudaErrorMemoryAllocation;
        ++known->mappings;
        in->mappings[address] = {bytes, known};
        return cudaSuccess;
    });
}
CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes)
{
    return driver(__func__, [&](Machine& machine) {
        Reservation* const in = reservation_of(address, bytes);
        if (in == nullptr) return cudaErrorInvalidValue;
        const auto mappings = mappings_in(*in, address, bytes);
        if (mappings.empty()) return cudaErrorInvalidValue;
        // Waits for earlier work, which may still use the memory.
        for (int device = 0; device < static_cast<int>(machine.devices.size()); ++device)
            machine.host_waits_for_device(device);
        for (const auto mapping : mappings) {
            Physical* const physical = mapping->second.physical;
            in->mappings.erase(mapping);
            --physical->mappings;
            drop_if_unused(physical);
        }
        update_allocations(machine, *in);
        return close_range(*in, address, bytes) ? cudaSuccess : cudaErrorMemoryAllocation;
    });
}

CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc* wanted,
                        std::size_t count)
{
    return driver(__func__, [&](Machine& machine) {
        Reservation* const in = reservation_of(address, bytes);
        if (in == nullptr || wanted == nullptr || count == 0) return cudaErrorInvalidValue;
        const auto mappings = mappings_in(*in, address, bytes);
        if (mappings.empty()) return cudaErrorInvalidValue;
        for (std::size_t i = 0; i < count; ++i) {
            if (!is_location(machine, wanted[i].location)) return cudaErrorInvalidValue;
            for (const auto mapping : mappings)
                if (mapping->second.physical->properties.location.id == wanted[i].location.id)
                    mapping->second.access = wanted[i].flags;
        }
        update_allocations(machine, *in);
        return cudaSuccess;
    });
}
CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location,
                        CUdeviceptr address)
{
    return driver(__func__, [&](Machine& machine) {
        if (flags == nullptr || location == nullptr || !is_location(machine, *location))
            return cudaErrorInvalidValue;
        const Reservation* const in = reservation_of(address, 1);
        if (in == nullptr) return cudaErrorInvalidValue;
        auto mapping = in->mappings.upper_bound(address);
        if (mapping == in->mappings.begin()) return cudaErrorInvalidValue;
        --mapping;
        if (address - mapping->first >= mapping->second.bytes) return cudaErrorInvalidValue;
        *flags = mapping->second.physical->properties.location.id == location->id
                     ? mapping->second.access
                     : CU_MEM_ACCESS_FLAGS_PROT_NONE;
        return cudaSuccess;
    });
}

} // extern "C"
