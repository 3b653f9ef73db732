// Memory functions that take addresses instead of pointers: allocation,
// address queries, copies and fills.
#include <algorithm>
#include <cstring>

#include "compute/runtime/driver/driver.h"

namespace lanescope::runtime {

namespace {

CopyEnd at_address(std::uint64_t address, std::size_t bytes)
{
    CopyEnd end;
    end.pointer = reinterpret_cast<std::byte*>(address);
    end.pitch = bytes;
    return end;
}

CopyWork row_of(const CopyEnd& to, const CopyEnd& from, std::size_t bytes, cudaMemcpyKind kind)
{
    CopyWork work;
    work.to = to;
    work.from = from;
    work.width_bytes = bytes;
    work.kind = kind;
    work.waits = true;
    return work;
}

CopyWork row(std::uint64_t to, std::uint64_t from, std::size_t bytes, cudaMemcpyKind kind)
{
    return row_of(at_address(to, bytes), at_address(from, bytes), bytes, kind);
}

CUresult copy(const char* name, const CopyWork& work)
{
    return driver(name, [&](Machine&) { return queue_copy(work, nullptr, name); });
}

CUresult copy(const char* name, CopyWork work, CUstream stream)
{
    work.waits = false;
    return driver(name, [&](Machine&) { return queue_copy(work, stream, name); });
}

std::uint64_t address_of(const void* pointer)
{
    return reinterpret_cast<std::uint64_t>(pointer);
}

// Source or destination of a 2D or 3D copy descriptor.
struct Side {
    CUmemorytype type{};
    const void* host = nullptr;
    CUdeviceptr device = 0;
    CUarray array = nullptr;
    std::size_t x_bytes = 0, y = 0, z = 0, pitch = 0, rows = 0;
};

bool end_of(const Side& side, CopyEnd& end)
{
    switch (side.type) {
    case CU_MEMORYTYPE_ARRAY:
        end.array = reinterpret_cast<cudaArray_t>(side.array);
        end.x_bytes = side.x_bytes;
        end.y = side.y;
        end.z = side.z;
        return side.array != nullptr;
    case CU_MEMORYTYPE_HOST:
        end.pointer = static_cast<std::byte*>(const_cast<void*>(side.host));
        break;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
        end.pointer = static_cast<std::byte*>(pointer_of(side.device));
        break;
    default: return false;
    }
    if (end.pointer == nullptr) return false;
    end.pitch = side.pitch;
    end.rows = side.rows;
    end.pointer +=
        side.x_bytes + (side.z * std::max<std::size_t>(side.rows, 1) + side.y) * side.pitch;
    return true;
}

cudaMemcpyKind kind_of(CUmemorytype from, CUmemorytype to)
{
    if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
    if (from == CU_MEMORYTYPE_HOST)
        return to == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
    return to == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

// Common part of CUDA_MEMCPY3D and its peer version.
template <class Description>
bool fill_from_3d(const Description& is, CopyWork& work)
{
    const Side from{is.srcMemoryType, is.srcHost, is.srcDevice, is.srcArray, is.srcXInBytes,
                    is.srcY,          is.srcZ,    is.srcPitch,  is.srcHeight};
    const Side to{is.dstMemoryType, is.dstHost, is.dstDevice, is.dstArray, is.dstXInBytes,
                  is.dstY,          is.dstZ,    is.dstPitch,  is.dstHeight};
    work.width_bytes = is.WidthInBytes;
    work.height = is.Height;
    work.depth = is.Depth;
    work.kind = kind_of(is.srcMemoryType, is.dstMemoryType);
    work.waits = true;
    return end_of(from, work.from) && end_of(to, work.to);
}

CUresult copy_plane(const char* name, const CUDA_MEMCPY2D* is, CUstream stream, bool waits)
{
    return driver(name, [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        if (is->WidthInBytes == 0 || is->Height == 0) return cudaSuccess;
        CUDA_MEMCPY3D deep{};
        deep.srcXInBytes = is->srcXInBytes;
        deep.srcY = is->srcY;
        deep.srcMemoryType = is->srcMemoryType;
        deep.srcHost = is->srcHost;
        deep.srcDevice = is->srcDevice;
        deep.srcArray = is->srcArray;
        // The pitch may be zero if rows are contiguous.
        deep.srcPitch = is->srcPitch == 0 ? is->WidthInBytes : is->srcPitch;
        deep.dstXInBytes = is->dstXInBytes;
        deep.dstY = is->dstY;
        deep.dstMemoryType = is->dstMemoryType;
        deep.dstHost = is->dstHost;
        deep.dstDevice = is->dstDevice;
        deep.dstArray = is->dstArray;
        deep.dstPitch = is->dstPitch == 0 ? is->WidthInBytes : is->dstPitch;
        deep.WidthInBytes = is->WidthInBytes;
        deep.Height = is->Height;
        deep.Depth = 1;
        CopyWork work;
        if (!fill_from_3d(deep, work)) return cudaErrorInvalidValue;
        work.waits = waits;
        return queue_copy(work, stream, name);
    });
}

template <class Description>
CUresult copy_deep(const char* name, const Description* is, CUstream stream, bool waits)
{
    return driver(name, [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        if (is->WidthInBytes == 0 || is->Height == 0 || is->Depth == 0) return cudaSuccess;
        CopyWork work;
        if (!fill_from_3d(*is, work)) return cudaErrorInvalidValue;
        work.waits = waits;
        return queue_copy(work, stream, name);
    });
}

CUresult copy_peer(const char* name, CopyWork work, CUcontext to, CUcontext from, CUstream stream)
{
    return driver(name, [&](Machine& machine) {
        const Context* const target = context_of(machine, to);
        const Context* const source = context_of(machine, from);
        if (target == nullptr || source == nullptr) return cudaErrorDeviceUninitialized;
        work.to_device = target->device;
        work.from_device = source->device;
        return queue_copy(work, stream, name);
    });
}

CopyEnd in_array(CUarray array, std::size_t x_bytes)
{
    CopyEnd end;
    end.array = reinterpret_cast<cudaArray_t>(array);
    end.x_bytes = x_bytes;
    return end;
}

// A fill with elements of one, two or four bytes.
struct Fill {
    CUdeviceptr address = 0;
    std::size_t pitch = 0;
    unsigned value = 0, element_bytes = 1;
    std::size_t width = 0, height = 1;
};

CUresult fill(const char* name, const Fill& is, CUstream stream, bool waits)
{
    return driver(name, [&](Machine&) {
        if (is.address % is.element_bytes != 0 ||
            (is.height > 1 && is.pitch % is.element_bytes != 0))
            return cudaErrorInvalidValue;
        FillWork work;
        work.pointer = static_cast<std::byte*>(pointer_of(is.address));
        work.pitch = is.height > 1 ? is.pitch : is.width * is.element_bytes;
        work.width = is.width;
        work.height = is.height;
        work.value = is.value;
        work.element_bytes = is.element_bytes;
        work.waits = waits;
        return queue_fill(work, stream, name);
    });
}

template <class T>
void store(void* to, const T& value)
{
    std::memcpy(to, &value, sizeof value);
}

CUmemorytype type_of(const Memory& memory)
{
    return memory.on_host() && memory.kind != MemoryKind::managed ? CU_MEMORYTYPE_HOST
                                                                  : CU_MEMORYTYPE_DEVICE;
}

cudaError_t pointer_attribute(Memory& memory, CUpointer_attribute wanted, CUdeviceptr address,
                              void* value)
{
    Context& context = memory.context == nullptr ? current_context() : *memory.context;
    switch (wanted) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: store(value, handle_of(context)); break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: store(value, type_of(memory)); break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: store(value, address); break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!memory.on_host()) return cudaErrorInvalidValue;
        store(value, pointer_of(address));
        break;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: store(value, 0); break;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: store(value, memory.address); break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: store(value, memory.kind == MemoryKind::managed); break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: store(value, memory.device); break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: store(value, memory.address); break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: store(value, memory.bytes); break;
    case CU_POINTER_ATTRIBUTE_MAPPED: store(value, true); break;
    default: return cudaErrorNotSupported;
    }
    return cudaSuccess;
}

// Answers an attribute query for a pointer that CUDA does not know.
void no_attribute(CUpointer_attribute wanted, void* value)
{
    switch (wanted) {
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_MAPPED: store(value, false); break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: store(value, -2); break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: store(value, 0); break;
    default: store(value, std::uint64_t{0}); break;
    }
}

CUresult allocate_host(const char* name, void** pointer, std::size_t bytes, unsigned flags)
{
    return driver(name, [&](Machine&) {
        if (pointer == nullptr || bytes == 0) return cudaErrorInvalidValue;
        return cudaHostAlloc(pointer, bytes, flags);
    });
}

CUresult prefetch(const char* name, CUdeviceptr address, std::size_t bytes, cudaMemLocation to,
                  CUstream stream)
{
    return driver(name, [&](Machine&) {
        return cudaMemPrefetchAsync(pointer_of(address), bytes, to, 0, stream);
    });
}

cudaMemLocation location_of(CUdevice device)
{
    if (device == CU_DEVICE_CPU) return {.type = cudaMemLocationTypeHost, .id = 0};
    return {.type = cudaMemLocationTypeDevice, .id = device};
}
cudaMemLocation location_of(const CUmemLocation& location)
{
    return {.type = static_cast<cudaMemLocationType>(location.type), .id = location.id};
}

} // namespace

} // namespace lanescope::runtime

using namespace lanescope::runtime;

extern "C" {

// --- Allocation ---

CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes)
{
    return driver("cuMemAlloc", [&](Machine&) {
        if (address == nullptr || bytes == 0) return cudaErrorInvalidValue;
        return cudaMalloc(reinterpret_cast<void**>(address), bytes);
    });
}
CUresult cuMemAllocPitch_v2(CUdeviceptr* address, std::size_t* pitch, std::size_t width,
                            std::size_t height, unsigned element_bytes)
{
    return driver("cuMemAllocPitch", [&](Machine&) {
        const bool element = element_bytes == 4 || element_bytes == 8 || element_bytes == 16;
        if (address == nullptr || !element || width == 0 || height == 0)
            return cudaErrorInvalidValue;
        return cudaMallocPitch(reinterpret_cast<void**>(address), pitch, width, height);
    });
}
CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags)
{
    return driver(__func__, [&](Machine&) {
        if (address == nullptr || bytes == 0) return cudaErrorInvalidValue;
        return cudaMallocManaged(reinterpret_cast<void**>(address), bytes, flags);
    });
}
CUresult cuMemFree_v2(CUdeviceptr address)
{
    return driver("cuMemFree", [&](Machine&) { return cudaFree(pointer_of(address)); });
}
CUresult cuMemAllocHost_v2(void** pointer, std::size_t bytes)
{
    return allocate_host("cuMemAllocHost", pointer, bytes, cudaHostAllocDefault);
}
CUresult cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags)
{
    return allocate_host(__func__, pointer, bytes, flags);
}
CUresult cuMemFreeHost(void* pointer)
{
    return driver(__func__, [&](Machine&) { return cudaFreeHost(pointer); });
}
CUresult cuMemHostRegister_v2(void* pointer, std::size_t bytes, unsigned flags)
{
    return driver("cuMemHostRegister",
                  [&](Machine&) { return cudaHostRegister(pointer, bytes, flags); });
}
CUresult cuMemHostUnregister(void* pointer)
{
    return driver(__func__, [&](Machine&) { return cudaHostUnregister(pointer); });
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* pointer, unsigned flags)
{
    return driver("cuMemHostGetDevicePointer", [&](Machine&) {
        return cudaHostGetDevicePointer(reinterpret_cast<void**>(address), pointer, flags);
    });
}
CUresult cuMemHostGetFlags(unsigned* flags, void* pointer)
{
    return driver(__func__, [&](Machine&) { return cudaHostGetFlags(flags, pointer); });
}
CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total)
{
    return driver("cuMemGetInfo", [&](Machine&) { return cudaMemGetInfo(free, total); });
}

// --- Address queries ---

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address)
{
    return driver("cuMemGetAddressRange", [&](Machine& machine) {
        const Memory* const found = machine.find(static_cast<std::uint64_t>(address));
        if (found == nullptr) return cudaErrorSymbolNotFound;
        if (base != nullptr) *base = found->address;
        if (bytes != nullptr) *bytes = found->bytes;
        return cudaSuccess;
    });
}
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address)
{
    return driver(__func__, [&](Machine& machine) {
        Memory* const found = machine.find(static_cast<std::uint64_t>(address));
        if (value == nullptr || found == nullptr) return cudaErrorInvalidValue;
        return pointer_attribute(*found, attribute, address, value);
    });
}
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** values,
                                CUdeviceptr address)
{
    return driver(__func__, [&](Machine& machine) {
        if (attributes == nullptr || values == nullptr) return cudaErrorInvalidValue;
        Memory* const found = machine.find(static_cast<std::uint64_t>(address));
        for (unsigned i = 0; i < count; ++i) {
            const bool known = found != nullptr && pointer_attribute(*found, attributes[i], address,
                                                                     values[i]) == cudaSuccess;
            if (!known) no_attribute(attributes[i], values[i]);
        }
        return cudaSuccess;
    });
}
CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute,
                               CUdeviceptr address)
{
    return driver(__func__, [&](Machine& machine) {
        const bool known = machine.find(static_cast<std::uint64_t>(address)) != nullptr;
        return value != nullptr && known && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    });
}

// --- Copies of rows ---

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes)
{
    return copy(__func__, row(to, from, bytes, cudaMemcpyDefault));
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream)
{
    return copy(__func__, row(to, from, bytes, cudaMemcpyDefault), stream);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes)
{
    return copy("cuMemcpyHtoD", row(to, address_of(from), bytes, cudaMemcpyHostToDevice));
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream)
{
    return copy("cuMemcpyHtoDAsync", row(to, address_of(from), bytes, cudaMemcpyHostToDevice),
                stream);
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes)
{
    return copy("cuMemcpyDtoH", row(address_of(to), from, bytes, cudaMemcpyDeviceToHost));
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream)
{
    return copy("cuMemcpyDtoHAsync", row(address_of(to), from, bytes, cudaMemcpyDeviceToHost),
                stream);
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes)
{
    return copy("cuMemcpyDtoD", row(to, from, bytes, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream)
{
    return copy("cuMemcpyDtoDAsync", row(to, from, bytes, cudaMemcpyDeviceToDevice), stream);
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, std::size_t bytes)
{
    return copy_peer(__func__, row(to, from, bytes, cudaMemcpyDeviceToDevice), to_context,
                     from_context, nullptr);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, std::size_t bytes, CUstream stream)
{
    CopyWork work = row(to, from, bytes, cudaMemcpyDeviceToDevice);
    work.waits = false;
    return copy_peer(__func__, work, to_context, from_context, stream);
}
CUresult cuMemcpyHtoA_v2(CUarray to, std::size_t offset, const void* from, std::size_t bytes)
{
    return copy("cuMemcpyHtoA", row_of(in_array(to, offset), at_address(address_of(from), bytes),
                                       bytes, cudaMemcpyHostToDevice));
}
CUresult cuMemcpyHtoAAsync_v2(CUarray to, std::size_t offset, const void* from, std::size_t bytes,
                              CUstream stream)
{
    return copy("cuMemcpyHtoAAsync",
                row_of(in_array(to, offset), at_address(address_of(from), bytes), bytes,
                       cudaMemcpyHostToDevice),
                stream);
}
CUresult cuMemcpyAtoH_v2(void* to, CUarray from, std::size_t offset, std::size_t bytes)
{
    return copy("cuMemcpyAtoH", row_of(at_address(address_of(to), bytes), in_array(from, offset),
                                       bytes, cudaMemcpyDeviceToHost));
}
CUresult cuMemcpyAtoHAsync_v2(void* to, CUarray from, std::size_t offset, std::size_t bytes,
                              CUstream stream)
{
    return copy("cuMemcpyAtoHAsync",
                row_of(at_address(address_of(to), bytes), in_array(from, offset), bytes,
                       cudaMemcpyDeviceToHost),
                stream);
}
CUresult cuMemcpyDtoA_v2(CUarray to, std::size_t offset, CUdeviceptr from, std::size_t bytes)
{
    return copy("cuMemcpyDtoA", row_of(in_array(to, offset), at_address(from, bytes), bytes,
                                       cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, std::size_t offset, std::size_t bytes)
{
    return copy("cuMemcpyAtoD", row_of(at_address(to, bytes), in_array(from, offset), bytes,
                                       cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyAtoA_v2(CUarray to, std::size_t to_offset, CUarray from, std::size_t from_offset,
                         std::size_t bytes)
{
    return copy("cuMemcpyAtoA", row_of(in_array(to, to_offset), in_array(from, from_offset), bytes,
                                       cudaMemcpyDeviceToDevice));
}

// --- 2D and 3D copies ---

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* is)
{
    return copy_plane("cuMemcpy2D", is, nullptr, true);
}
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* is)
{
    return copy_plane("cuMemcpy2DUnaligned", is, nullptr, true);
}
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* is, CUstream stream)
{
    return copy_plane("cuMemcpy2DAsync", is, stream, false);
}
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* is)
{
    return copy_deep("cuMemcpy3D", is, nullptr, true);
}
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* is, CUstream stream)
{
    return copy_deep("cuMemcpy3DAsync", is, stream, false);
}
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* is)
{
    return copy_deep(__func__, is, nullptr, true);
}
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* is, CUstream stream)
{
    return copy_deep(__func__, is, stream, false);
}

// --- Fills ---

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, std::size_t count)
{
    return fill("cuMemsetD8", {to, 0, value, 1, count}, nullptr, true);
}
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, std::size_t count)
{
    return fill("cuMemsetD16", {to, 0, value, 2, count}, nullptr, true);
}
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, std::size_t count)
{
    return fill("cuMemsetD32", {to, 0, value, 4, count}, nullptr, true);
}
CUresult cuMemsetD2D8_v2(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                         std::size_t height)
{
    return fill("cuMemsetD2D8", {to, pitch, value, 1, width, height}, nullptr, true);
}
CUresult cuMemsetD2D16_v2(CUdeviceptr to, std::size_t pitch, unsigned short value,
                          std::size_t width, std::size_t height)
{
    return fill("cuMemsetD2D16", {to, pitch, value, 2, width, height}, nullptr, true);
}
CUresult cuMemsetD2D32_v2(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                          std::size_t height)
{
    return fill("cuMemsetD2D32", {to, pitch, value, 4, width, height}, nullptr, true);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream)
{
    return fill(__func__, {to, 0, value, 1, count}, stream, false);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t count, CUstream stream)
{
    return fill(__func__, {to, 0, value, 2, count}, stream, false);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream stream)
{
    return fill(__func__, {to, 0, value, 4, count}, stream, false);
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, std::size_t pitch, unsigned char value,
                           std::size_t width, std::size_t height, CUstream stream)
{
    return fill(__func__, {to, pitch, value, 1, width, height}, stream, false);
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, std::size_t pitch, unsigned short value,
                            std::size_t width, std::size_t height, CUstream stream)
{
    return fill(__func__, {to, pitch, value, 2, width, height}, stream, false);
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                            std::size_t height, CUstream stream)
{
    return fill(__func__, {to, pitch, value, 4, width, height}, stream, false);
}

// --- Stream writes ---

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr to, cuuint32_t value, unsigned)
{
    return fill("cuStreamWriteValue32", {to, 0, value, 4, 1}, stream, false);
}
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr to, cuuint32_t value, unsigned flags)
{
    return cuStreamWriteValue32_v2(stream, to, value, flags);
}

// --- Managed memory ---

CUresult cuMemPrefetchAsync(CUdeviceptr address, std::size_t bytes, CUdevice to, CUstream stream)
{
    return prefetch(__func__, address, bytes, location_of(to), stream);
}
CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, std::size_t bytes, CUmemLocation to, unsigned,
                               CUstream stream)
{
    return prefetch("cuMemPrefetchAsync", address, bytes, location_of(to), stream);
}
CUresult cuMemAdvise(CUdeviceptr address, std::size_t bytes, CUmem_advise advice, CUdevice device)
{
    return driver(__func__, [&](Machine&) {
        return cudaMemAdvise(pointer_of(address), bytes, static_cast<cudaMemoryAdvise>(advice),
                             location_of(device));
    });
}
CUresult cuMemAdvise_v2(CUdeviceptr address, std::size_t bytes, CUmem_advise advice,
                        CUmemLocation location)
{
    return driver("cuMemAdvise", [&](Machine&) {
        return cudaMemAdvise(pointer_of(address), bytes, static_cast<cudaMemoryAdvise>(advice),
                             location_of(location));
    });
}
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, std::size_t bytes,
                                unsigned flags)
{
    return driver(__func__, [&](Machine&) {
        return cudaStreamAttachMemAsync(stream, pointer_of(address), bytes, flags);
    });
}

// --- Pools ---

CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream stream)
{
    return driver(__func__, [&](Machine&) {
        return cudaMallocAsync(reinterpret_cast<void**>(address), bytes, stream);
    });
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool,
                                 CUstream stream)
{
    return driver(__func__, [&](Machine&) {
        return cudaMallocFromPoolAsync(reinterpret_cast<void**>(address), bytes, pool, stream);
    });
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
    return driver(__func__, [&](Machine&) { return cudaFreeAsync(pointer_of(address), stream); });
}
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device)
{
    return driver(
        __func__, [&](Machine&) { return cudaDeviceGetDefaultMemPool(pool, device); },
        Needs::driver);
}
CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device)
{
    return driver(
        __func__, [&](Machine&) { return cudaDeviceGetMemPool(pool, device); }, Needs::driver);
}
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
    return driver(
        __func__, [&](Machine&) { return cudaDeviceSetMemPool(device, pool); }, Needs::driver);
}
CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* is)
{
    return driver(
        __func__,
        [&](Machine&) {
            return cudaMemPoolCreate(pool, reinterpret_cast<const cudaMemPoolProps*>(is));
        },
        Needs::driver);
}
CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    return driver(
        __func__, [&](Machine&) { return cudaMemPoolDestroy(pool); }, Needs::driver);
}
CUresult cuMemPoolTrimTo(CUmemoryPool pool, std::size_t bytes)
{
    return driver(
        __func__, [&](Machine&) { return cudaMemPoolTrimTo(pool, bytes); }, Needs::driver);
}
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* access, std::size_t count)
{
    return driver(
        __func__,
        [&](Machine&) {
            return cudaMemPoolSetAccess(pool, reinterpret_cast<const cudaMemAccessDesc*>(access),
                                        count);
        },
        Needs::driver);
}
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value)
{
    return driver(
        __func__,
        [&](Machine&) {
            return cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value);
        },
        Needs::driver);
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value)
{
    return driver(
        __func__,
        [&](Machine&) {
            return cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value);
        },
        Needs::driver);
}

} // extern "C"
