// Copies and fills: each form of the API becomes one description of work.
#include "compute/runtime/work.h"

#include <fmt/format.h>

namespace lanescope::runtime {

cudaError_t queue_copy(const CopyWork& work, cudaStream_t handle, const char* name)
{
    return call(work.waits ? Call::waits : Call::queues, name, [&](Machine& machine) {
        Stream* const stream = machine.stream(handle, this_thread().device);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (const cudaError_t wrong = check(machine, work, name); wrong != cudaSuccess)
            return wrong;
        if (work.width_bytes == 0 || work.height == 0 || work.depth == 0) return cudaSuccess;
        if (work.waits && stream->capture != nullptr) return cudaErrorStreamCaptureUnsupported;
        return queue(machine, *stream, work, name);
    });
}

cudaError_t queue_fill(const FillWork& work, cudaStream_t handle, const char* name)
{
    return call(work.waits ? Call::waits : Call::queues, name, [&](Machine& machine) {
        Stream* const stream = machine.stream(handle, this_thread().device);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (const cudaError_t wrong = check(machine, work, name); wrong != cudaSuccess)
            return wrong;
        FillWork queued = work;
        // The host waits for fills of memory that it can read, and not for those of device memory.
        const Memory* const memory = machine.find(work.pointer);
        queued.waits = work.waits && memory != nullptr && memory->on_host();
        return queue(machine, *stream, queued, name);
    });
}

} // namespace lanescope::runtime

using namespace lanescope::runtime;

namespace {

CopyEnd linear(const void* pointer, std::size_t pitch, std::size_t rows = 0)
{
    CopyEnd end;
    end.pointer = static_cast<std::byte*>(const_cast<void*>(pointer));
    end.pitch = pitch;
    end.rows = rows;
    return end;
}

CopyEnd in_array(cudaArray_const_t array, std::size_t x_bytes, std::size_t y, std::size_t z = 0)
{
    CopyEnd end;
    end.array = const_cast<cudaArray_t>(array);
    end.x_bytes = x_bytes;
    end.y = y;
    end.z = z;
    return end;
}

CopyWork flat(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, bool waits)
{
    CopyWork work;
    work.to = linear(to, bytes);
    work.from = linear(from, bytes);
    work.width_bytes = bytes;
    work.kind = kind;
    work.waits = waits;
    return work;
}

CopyWork plane(const CopyEnd& to, const CopyEnd& from, std::size_t width, std::size_t height,
               cudaMemcpyKind kind, bool waits)
{
    CopyWork work;
    work.to = to;
    work.from = from;
    work.width_bytes = width;
    work.height = height;
    work.kind = kind;
    work.waits = waits;
    return work;
}

FillWork fill(void* pointer, std::size_t pitch, std::size_t rows, int value, std::size_t width,
              std::size_t height, std::size_t depth, bool waits)
{
    FillWork work;
    work.pointer = static_cast<std::byte*>(pointer);
    work.pitch = pitch;
    work.rows = rows;
    work.value = static_cast<unsigned char>(value);
    work.width = width;
    work.height = height;
    work.depth = depth;
    work.waits = waits;
    return work;
}

void report_beyond_symbol(Machine& machine, const void* symbol, std::size_t bytes,
                          std::size_t offset, std::uint64_t size, bool writes, const char* name)
{
    std::string variable = "a variable";
    for (const auto& module : machine.modules)
        if (const auto found = module->symbols.find(symbol); found != module->symbols.end())
            variable = found->second.name;
    Finding finding{.kind = "out_of_bounds"};
    finding.call = called_as(name);
    finding.site = CallSite::here();
    finding.message =
        fmt::format("{} {} {} bytes at offset {} of {}, which has {} bytes.", finding.call,
                    writes ? "writes" : "reads", bytes, offset, variable, size);
    machine.find(finding);
}

cudaError_t copy_symbol(const void* symbol, void* other, std::size_t bytes, std::size_t offset,
                        cudaMemcpyKind kind, bool to_symbol, bool waits, cudaStream_t stream,
                        const char* name)
{
    std::uint64_t address = 0;
    const cudaError_t found = call(Call::queues, name, [&](Machine& machine) {
        std::uint64_t size = 0;
        address = machine.symbol_address(symbol, this_thread().device, &size);
        if (address == 0) return cudaErrorInvalidSymbol;
        if (offset > size || bytes > size - offset) {
            report_beyond_symbol(machine, symbol, bytes, offset, size, to_symbol, name);
            return cudaErrorInvalidValue;
        }
        const bool wrong = to_symbol
                               ? kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost
                               : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost;
        return wrong ? cudaErrorInvalidMemcpyDirection : cudaSuccess;
    });
    if (found != cudaSuccess) return found;
    auto* const place = reinterpret_cast<std::byte*>(address) + offset;
    return queue_copy(to_symbol ? flat(place, other, bytes, kind, waits)
                                : flat(other, place, bytes, kind, waits),
                      stream, name);
}

// Arrays are measured in elements, linear memory in bytes.
CopyWork described(const cudaMemcpy3DParms& copy, bool waits)
{
    CopyWork work;
    ArrayInfo info;
    std::size_t element = 1;
    for (cudaArray_t array : {copy.srcArray, copy.dstArray})
        if (array != nullptr && array_info(array, info)) element = info.element_bytes;
    const auto end = [&](cudaArray_t array, const cudaPitchedPtr& pointer, const cudaPos& at) {
        if (array != nullptr) return in_array(array, at.x * element, at.y, at.z);
        return linear(static_cast<std::byte*>(pointer.ptr) + at.x +
                          (at.z * pointer.ysize + at.y) * pointer.pitch,
                      pointer.pitch, pointer.ysize);
    };
    work.from = end(copy.srcArray, copy.srcPtr, copy.srcPos);
    work.to = end(copy.dstArray, copy.dstPtr, copy.dstPos);
    const bool arrays = copy.srcArray != nullptr || copy.dstArray != nullptr;
    work.width_bytes = copy.extent.width * (arrays ? element : 1);
    work.height = copy.extent.height;
    work.depth = copy.extent.depth;
    work.kind = copy.kind;
    work.waits = waits;
    return work;
}

cudaError_t copy_3d(const cudaMemcpy3DParms* copy, bool waits, cudaStream_t stream,
                    const char* name)
{
    // An empty copy is valid, even if its description is incomplete.
    if (copy != nullptr && copy->extent.width * copy->extent.height * copy->extent.depth == 0)
        return call(Call::queues, name, [](Machine&) { return cudaSuccess; });
    const bool sources =
        copy != nullptr && (copy->srcArray != nullptr) != (copy->srcPtr.ptr != nullptr);
    const bool targets =
        copy != nullptr && (copy->dstArray != nullptr) != (copy->dstPtr.ptr != nullptr);
    if (!sources || !targets)
        return call(Call::queues, name, [](Machine&) { return cudaErrorInvalidValue; });
    return queue_copy(described(*copy, waits), stream, name);
}

cudaError_t copy_peer(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                      bool waits, cudaStream_t stream, const char* name)
{
    const cudaError_t devices = call(Call::plain, name, [&](Machine& machine) {
        const auto known = [&](int device) {
            return device >= 0 && device < static_cast<int>(machine.devices.size());
        };
        return known(to_device) && known(from_device) ? cudaSuccess : cudaErrorInvalidDevice;
    });
    if (devices != cudaSuccess) return devices;
    CopyWork work = flat(to, from, bytes, cudaMemcpyDeviceToDevice, waits);
    work.to_device = to_device;
    work.from_device = from_device;
    return queue_copy(work, stream, name);
}

} // namespace

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind)
{
    return queue_copy(flat(to, from, bytes, kind, true), nullptr, __func__);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return queue_copy(flat(to, from, bytes, kind, false), stream, __func__);
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           std::size_t bytes)
{
    return copy_peer(to, to_device, from, from_device, bytes, true, nullptr, __func__);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream)
{
    return copy_peer(to, to_device, from, from_device, bytes, false, stream, __func__);
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind)
{
    return queue_copy(
        plane(linear(to, to_pitch), linear(from, from_pitch), width, height, kind, true), nullptr,
        __func__);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream)
{
    return queue_copy(
        plane(linear(to, to_pitch), linear(from, from_pitch), width, height, kind, false), stream,
        __func__);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind)
{
    return queue_copy(plane(in_array(to, x, y), linear(from, pitch), width, height, kind, true),
                      nullptr, __func__);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream)
{
    return queue_copy(plane(in_array(to, x, y), linear(from, pitch), width, height, kind, false),
                      stream, __func__);
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from,
                                  std::size_t x, std::size_t y, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind)
{
    return queue_copy(plane(linear(to, pitch), in_array(from, x, y), width, height, kind, true),
                      nullptr, __func__);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from,
                                       std::size_t x, std::size_t y, std::size_t width,
                                       std::size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    return queue_copy(plane(linear(to, pitch), in_array(from, x, y), width, height, kind, false),
                      stream, __func__);
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y,
                                     cudaArray_const_t from, std::size_t from_x, std::size_t from_y,
                                     std::size_t width, std::size_t height, cudaMemcpyKind kind)
{
    return queue_copy(
        plane(in_array(to, to_x, to_y), in_array(from, from_x, from_y), width, height, kind, true),
        nullptr, __func__);
}
// Copies rows of an array, as the API before CUDA 10 did.
cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                              std::size_t bytes, cudaMemcpyKind kind)
{
    ArrayInfo info;
    const std::size_t row = array_info(to, info) ? info.width * info.element_bytes : 0;
    const std::size_t width = row != 0 && bytes > row ? row : bytes;
    return queue_copy(plane(in_array(to, x, y), linear(from, width), width,
                            width == 0 ? 0 : bytes / width, kind, true),
                      nullptr, __func__);
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind)
{
    ArrayInfo info;
    const std::size_t row = array_info(from, info) ? info.width * info.element_bytes : 0;
    const std::size_t width = row != 0 && bytes > row ? row : bytes;
    return queue_copy(plane(linear(to, width), in_array(from, x, y), width,
                            width == 0 ? 0 : bytes / width, kind, true),
                      nullptr, __func__);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* copy)
{
    return copy_3d(copy, true, nullptr, __func__);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* copy, cudaStream_t stream)
{
    return copy_3d(copy, false, stream, __func__);
}
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* peer)
{
    if (peer == nullptr) return copy_3d(nullptr, true, nullptr, __func__);
    const cudaMemcpy3DParms copy{
        peer->srcArray, peer->srcPos, peer->srcPtr, peer->dstArray,
        peer->dstPos,   peer->dstPtr, peer->extent, cudaMemcpyDeviceToDevice};
    return copy_3d(&copy, true, nullptr, __func__);
}
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* peer, cudaStream_t stream)
{
    if (peer == nullptr) return copy_3d(nullptr, false, stream, __func__);
    const cudaMemcpy3DParms copy{
        peer->srcArray, peer->srcPos, peer->srcPtr, peer->dstArray,
        peer->dstPos,   peer->dstPtr, peer->extent, cudaMemcpyDeviceToDevice};
    return copy_3d(&copy, false, stream, __func__);
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes)
{
    return queue_fill(fill(pointer, bytes, 0, value, bytes, 1, 1, true), nullptr, __func__);
}
cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t bytes, cudaStream_t stream)
{
    return queue_fill(fill(pointer, bytes, 0, value, bytes, 1, 1, false), stream, __func__);
}
cudaError_t cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width,
                         std::size_t height)
{
    return queue_fill(fill(pointer, pitch, 0, value, width, height, 1, true), nullptr, __func__);
}
cudaError_t cudaMemset2DAsync(void* pointer, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream)
{
    return queue_fill(fill(pointer, pitch, 0, value, width, height, 1, false), stream, __func__);
}
cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent)
{
    return queue_fill(fill(pointer.ptr, pointer.pitch, pointer.ysize, value, extent.width,
                           extent.height, extent.depth, true),
                      nullptr, __func__);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent,
                              cudaStream_t stream)
{
    return queue_fill(fill(pointer.ptr, pointer.pitch, pointer.ysize, value, extent.width,
                           extent.height, extent.depth, false),
                      stream, __func__);
}

// --- Device variables, addressed by their host symbols ---

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                               std::size_t offset, cudaMemcpyKind kind)
{
    return copy_symbol(symbol, const_cast<void*>(from), bytes, offset, kind, true, true, nullptr,
                       __func__);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_symbol(symbol, const_cast<void*>(from), bytes, offset, kind, true, false, stream,
                       __func__);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                 std::size_t offset, cudaMemcpyKind kind)
{
    return copy_symbol(symbol, to, bytes, offset, kind, false, true, nullptr, __func__);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_symbol(symbol, to, bytes, offset, kind, false, false, stream, __func__);
}
cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (pointer == nullptr) return cudaErrorInvalidValue;
        std::uint64_t bytes = 0;
        const std::uint64_t address = machine.symbol_address(symbol, this_thread().device, &bytes);
        if (address == 0) return cudaErrorInvalidSymbol;
        *pointer = reinterpret_cast<void*>(address);
        return cudaSuccess;
    });
}
cudaError_t cudaGetSymbolSize(std::size_t* size, const void* symbol)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (size == nullptr) return cudaErrorInvalidValue;
        std::uint64_t bytes = 0;
        if (machine.symbol_address(symbol, this_thread().device, &bytes) == 0)
            return cudaErrorInvalidSymbol;
        *size = bytes;
        return cudaSuccess;
    });
}

} // extern "C"
