// Functions of libcuda.so.1, implemented on a SimtDevice.
#include "tests/unit/older_driver/simulated_driver.h"

#include <cuda.h>
#include <dlfcn.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "compute/device/formats.h"
#include "compute/ptx/text/module.h"
#include "compute/simt/simt_device.h"

// The header maps this name to a newer symbol than the one that the program looks up.
#undef cuEventElapsedTime

namespace lanescope::older_driver {
namespace {

using Clock = std::chrono::steady_clock;

struct Array {
    std::shared_ptr<device::Image> image;
    int level = 0;
};
struct Levels {
    std::shared_ptr<device::Image> image;
    CUDA_ARRAY3D_DESCRIPTOR described{};
    std::vector<std::unique_ptr<Array>> arrays;
};
struct Function {
    const device::Kernel* kernel = nullptr;
    int max_dynamic_shared = 48 * 1024;
};
struct LinkState {
    std::string text;
    std::filesystem::path library;
};
struct Module {
    std::unique_ptr<device::Module> loaded;
    std::map<std::string, Function> functions;
};

struct Machine {
    std::mutex mutex;
    std::unique_ptr<simt::SimtDevice> device;
    std::map<CUdeviceptr, std::unique_ptr<device::Buffer>> buffers;
    std::map<const void*, std::unique_ptr<std::byte[]>> pinned;
    std::map<CUtexObject, std::unique_ptr<device::Texture>> textures;
    std::set<std::string> asked;
    std::vector<trace::Totals>* counted = nullptr;
};

Machine& machine()
{
    static Machine one;
    return one;
}

int context_placeholder = 0;
thread_local const void* current = nullptr;

// Locks the machine during one call; refused() is true if there is no current context.
class Call {
public:
    explicit Call(const char* name) : lock_(machine().mutex) { machine().asked.emplace(name); }
    bool refused() const { return current == nullptr; }

private:
    std::lock_guard<std::mutex> lock_;
};

simt::SimtDevice& gpu()
{
    return *machine().device;
}

device::Format format_of(const CUDA_ARRAY3D_DESCRIPTOR& array)
{
    const int count = static_cast<int>(array.NumChannels);
    if (array.Format == CU_AD_FORMAT_UNSIGNED_INT8)
        return *device::format_with(device::ChannelKind::unsigned_integer, count, 1);
    return *device::format_with(device::ChannelKind::real, count, 4);
}

std::shared_ptr<device::Image> image_of(const CUDA_ARRAY3D_DESCRIPTOR& array, int levels)
{
    device::ImageShape shape{static_cast<int>(array.Width), static_cast<int>(array.Height)};
    shape.cube = array.Flags & CUDA_ARRAY3D_CUBEMAP;
    const bool layered = array.Flags & CUDA_ARRAY3D_LAYERED || shape.cube;
    (layered ? shape.layers : shape.depth) = static_cast<int>(array.Depth);
    shape.levels = levels;
    return gpu().allocate_shaped(shape, format_of(array));
}

Array* own(CUarray array)
{
    return reinterpret_cast<Array*>(array);
}

// Byte offset of a level in an image, whose levels are stored one after another.
std::size_t start_of(const device::ImageShape& shape, device::Format format, int level)
{
    std::size_t begin = 0;
    for (int i = 0; i < level; ++i)
        begin += device::image_bytes(device::level_of(shape, i), format);
    return begin;
}

bool is_device_memory(CUdeviceptr address)
{
    const auto after = machine().buffers.upper_bound(address);
    if (after == machine().buffers.begin()) return false;
    const auto& [begin, buffer] = *std::prev(after);
    return address - begin < buffer->bytes();
}

} // namespace

const std::set<std::string>& asked()
{
    return machine().asked;
}

void count_launches(std::vector<trace::Totals>* launches)
{
    machine().counted = launches;
}

} // namespace lanescope::older_driver

using namespace lanescope;
using namespace lanescope::older_driver;

extern "C" {

void* __real_dlopen(const char* name, int flags);
void* __wrap_dlopen(const char* name, int flags)
{
    const std::string_view file = name ? name : "";
    const bool simulated = file.starts_with("libcuda.so") || file.find("libcupti.so") != file.npos;
    return __real_dlopen(simulated ? nullptr : name, flags);
}

CUresult cuInit(unsigned)
{
    const Call call("cuInit");
    if (!machine().device) machine().device = simt::make_device({.threads = 2});
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version)
{
    *version = simulated_version;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count)
{
    const Call call("cuDeviceGetCount");
    if (!machine().device) return CUDA_ERROR_NOT_INITIALIZED;
    *count = 1;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int most, CUdevice)
{
    std::strncpy(name, "a simulated GPU", static_cast<std::size_t>(most));
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice)
{
    *bytes = std::size_t{8} << 30;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice)
{
    const std::map<CUdevice_attribute, int> values{
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 8},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 6},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 2},
        {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 3 << 20},
        {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 1536},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 102400},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 101376}};
    const auto found = values.find(attribute);
    if (found == values.end()) return CUDA_ERROR_INVALID_VALUE;
    *value = found->second;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device)
{
    const Call call("cuDevicePrimaryCtxRetain");
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    *context = reinterpret_cast<CUcontext>(&context_placeholder);
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    current = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context)
{
    *context = static_cast<CUcontext>(const_cast<void*>(current));
    return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit, std::size_t)
{
    const Call call("cuCtxSetLimit");
    return call.refused() ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr* pointer, std::size_t bytes)
{
    const Call call("cuMemAlloc");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    auto buffer = gpu().allocate(bytes);
    *pointer = buffer->address();
    machine().buffers[*pointer] = std::move(buffer);
    return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr pointer)
{
    const Call call("cuMemFree");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    return machine().buffers.erase(pointer) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemAllocHost(void** pointer, std::size_t bytes)
{
    const Call call("cuMemAllocHost");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    auto memory = std::make_unique<std::byte[]>(bytes);
    *pointer = memory.get();
    machine().pinned[*pointer] = std::move(memory);
    return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void* pointer)
{
    const Call call("cuMemFreeHost");
    return machine().pinned.erase(pointer) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetInfo(std::size_t* free, std::size_t* all)
{
    const Call call("cuMemGetInfo");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    *free = *all = std::size_t{64} << 20;
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream)
{
    const Call call("cuMemcpyHtoDAsync");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    gpu().upload(to, {static_cast<const std::byte*>(from), bytes});
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream)
{
    const Call call("cuMemcpyDtoHAsync");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    gpu().download({static_cast<std::byte*>(to), bytes}, from);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream)
{
    const Call call("cuMemcpyDtoDAsync");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    gpu().copy(to, from, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream)
{
    const Call call("cuMemsetD8Async");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    gpu().fill(to, value, bytes);
    return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr pointer)
{
    const Call call("cuPointerGetAttribute");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    if (attribute != CU_POINTER_ATTRIBUTE_MEMORY_TYPE) return CUDA_ERROR_NOT_SUPPORTED;
    if (is_device_memory(pointer))
        *static_cast<CUmemorytype*>(value) = CU_MEMORYTYPE_DEVICE;
    else if (machine().pinned.contains(reinterpret_cast<const void*>(pointer)))
        *static_cast<CUmemorytype*>(value) = CU_MEMORYTYPE_HOST;
    else
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

// Copies whole levels, tightly packed, between an array and linear memory.
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* copy, CUstream)
{
    const Call call("cuMemcpy3DAsync");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    const bool reads = copy->srcMemoryType == CU_MEMORYTYPE_ARRAY;
    const Array& array = *own(reads ? copy->srcArray : copy->dstArray);
    const device::Image& image = *array.image;
    const device::ImageShape shape = device::shape_of(image);
    const device::ImageShape part = device::level_of(shape, array.level);
    const std::size_t bytes = copy->WidthInBytes * copy->Height * copy->Depth;
    const std::size_t pitch = reads ? copy->dstPitch : copy->srcPitch;
    const std::size_t rows = reads ? copy->dstHeight : copy->srcHeight;
    if (bytes != device::image_bytes(part, image.format()) || pitch != copy->WidthInBytes ||
        rows != copy->Height)
        return CUDA_ERROR_INVALID_VALUE;
    std::vector<std::byte> all(device::image_bytes(shape, image.format()));
    const auto level = std::span(all).subspan(start_of(shape, image.format(), array.level), bytes);
    gpu().download(all, image);
    if (reads && copy->dstMemoryType == CU_MEMORYTYPE_HOST)
        std::memcpy(copy->dstHost, level.data(), bytes);
    else if (reads)
        gpu().upload(copy->dstDevice, level);
    else if (copy->srcMemoryType == CU_MEMORYTYPE_HOST)
        std::memcpy(level.data(), copy->srcHost, bytes);
    else
        gpu().download(level, copy->srcDevice);
    if (!reads) gpu().upload(image, all);
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags)
{
    const Call call("cuStreamCreate");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    if (flags != CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    *stream = reinterpret_cast<CUstream>(new char);
    return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream)
{
    delete reinterpret_cast<char*>(stream);
    return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream)
{
    return current ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuStreamSynchronize(CUstream)
{
    return current ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

// Work runs when it is queued, so there is nothing to wait for.
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned)
{
    return current ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuEventCreate(CUevent* event, unsigned)
{
    const Call call("cuEventCreate");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    *event = reinterpret_cast<CUevent>(new Clock::time_point);
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event)
{
    delete reinterpret_cast<Clock::time_point*>(event);
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream)
{
    const Call call("cuEventRecord");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    *reinterpret_cast<Clock::time_point*>(event) = Clock::now();
    return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent)
{
    return current ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuEventSynchronize(CUevent)
{
    return current ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuEventElapsedTime(float* ms, CUevent begin, CUevent end)
{
    *ms = std::chrono::duration<float, std::milli>(*reinterpret_cast<Clock::time_point*>(end) -
                                                   *reinterpret_cast<Clock::time_point*>(begin))
              .count();
    return CUDA_SUCCESS;
}

CUresult cuArray3DCreate(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* described)
{
    const Call call("cuArray3DCreate");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    *array = reinterpret_cast<CUarray>(new Array{image_of(*described, 1)});
    return CUDA_SUCCESS;
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR* described, CUarray array)
{
    const Call call("cuArray3DGetDescriptor");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    *described = {};
    const device::Format format = own(array)->image->format();
    const bool bytes = device::has_integer_channels(format);
    described->Format = bytes ? CU_AD_FORMAT_UNSIGNED_INT8 : CU_AD_FORMAT_FLOAT;
    described->NumChannels = static_cast<unsigned>(device::channels(format));
    return CUDA_SUCCESS;
}

CUresult cuArrayDestroy(CUarray array)
{
    const Call call("cuArrayDestroy");
    delete own(array);
    return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* array, const CUDA_ARRAY3D_DESCRIPTOR* described,
                                unsigned levels)
{
    const Call call("cuMipmappedArrayCreate");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    auto* made = new Levels{image_of(*described, static_cast<int>(levels)), *described, {}};
    for (int level = 0; level < static_cast<int>(levels); ++level)
        made->arrays.push_back(std::make_unique<Array>(Array{made->image, level}));
    *array = reinterpret_cast<CUmipmappedArray>(made);
    return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray array)
{
    const Call call("cuMipmappedArrayDestroy");
    delete reinterpret_cast<Levels*>(array);
    return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayGetLevel(CUarray* array, CUmipmappedArray from, unsigned level)
{
    const Call call("cuMipmappedArrayGetLevel");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    *array = reinterpret_cast<CUarray>(reinterpret_cast<Levels*>(from)->arrays.at(level).get());
    return CUDA_SUCCESS;
}

CUresult cuSurfObjectCreate(CUsurfObject* surface, const CUDA_RESOURCE_DESC* resource)
{
    const Call call("cuSurfObjectCreate");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    if (resource->resType != CU_RESOURCE_TYPE_ARRAY) return CUDA_ERROR_INVALID_VALUE;
    *surface = own(resource->res.array.hArray)->image->surface();
    return CUDA_SUCCESS;
}

CUresult cuSurfObjectDestroy(CUsurfObject)
{
    return CUDA_SUCCESS;
}

CUresult cuTexObjectCreate(CUtexObject* texture, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC* wanted, const CUDA_RESOURCE_VIEW_DESC*)
{
    const Call call("cuTexObjectCreate");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    const bool levels = resource->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    const device::Image& image =
        levels ? *reinterpret_cast<Levels*>(resource->res.mipmap.hMipmappedArray)->image
               : *own(resource->res.array.hArray)->image;
    const auto filter = [](CUfilter_mode mode) {
        return mode == CU_TR_FILTER_MODE_LINEAR ? device::Filter::linear : device::Filter::point;
    };
    device::Sampling sampling;
    for (std::size_t i = 0; i < sampling.address.size(); ++i)
        sampling.address[i] =
            wanted->addressMode[i] == CU_TR_ADDRESS_MODE_WRAP     ? device::AddressMode::wrap
            : wanted->addressMode[i] == CU_TR_ADDRESS_MODE_CLAMP  ? device::AddressMode::clamp
            : wanted->addressMode[i] == CU_TR_ADDRESS_MODE_MIRROR ? device::AddressMode::mirror
                                                                  : device::AddressMode::border;
    sampling.filter = filter(wanted->filterMode);
    sampling.normalized_coordinates = wanted->flags & CU_TRSF_NORMALIZED_COORDINATES;
    const bool bytes = device::has_integer_channels(image.format());
    sampling.normalized_reads = bytes && !(wanted->flags & CU_TRSF_READ_AS_INTEGER);
    auto made = gpu().shaped_texture(image, sampling, filter(wanted->mipmapFilterMode));
    *texture = made->handle();
    machine().textures[*texture] = std::move(made);
    return CUDA_SUCCESS;
}

CUresult cuTexObjectDestroy(CUtexObject texture)
{
    const Call call("cuTexObjectDestroy");
    machine().textures.erase(texture);
    return CUDA_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count,
                            CUjit_option* options, void** values)
{
    const Call call("cuModuleLoadDataEx");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    const std::string_view text = static_cast<const char*>(image);
    try {
        const ptx::Module parsed = ptx::parse(text);
        if (parsed.version_major * 10 + parsed.version_minor > newest_ptx)
            return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
        for (const ptx::Function& function : parsed.functions)
            if (function.refusal) throw device::LaunchError(function.refusal->what);
        auto made = std::make_unique<Module>();
        made->loaded = gpu().load(text);
        *module = reinterpret_cast<CUmodule>(made.release());
        return CUDA_SUCCESS;
    } catch (const Error& error) {
        for (unsigned i = 0; i < count; ++i)
            if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
                std::strcpy(static_cast<char*>(values[i]), error.what());
        return CUDA_ERROR_INVALID_PTX;
    }
}

// The machine implements the device runtime itself, so linking only needs to keep the PTX.
CUresult cuLinkCreate(unsigned, CUjit_option*, void**, CUlinkState* state)
{
    const Call call("cuLinkCreate");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    *state = reinterpret_cast<CUlinkState>(new LinkState);
    return CUDA_SUCCESS;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, std::size_t bytes,
                       const char*, unsigned, CUjit_option*, void**)
{
    const Call call("cuLinkAddData");
    if (type != CU_JIT_INPUT_PTX) return CUDA_ERROR_INVALID_VALUE;
    reinterpret_cast<LinkState*>(state)->text.assign(static_cast<const char*>(data), bytes);
    return CUDA_SUCCESS;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path, unsigned,
                       CUjit_option*, void**)
{
    const Call call("cuLinkAddFile");
    if (type != CU_JIT_INPUT_LIBRARY) return CUDA_ERROR_INVALID_VALUE;
    reinterpret_cast<LinkState*>(state)->library = path;
    return std::filesystem::exists(path) ? CUDA_SUCCESS : CUDA_ERROR_FILE_NOT_FOUND;
}

CUresult cuLinkComplete(CUlinkState state, void** code, std::size_t* bytes)
{
    const Call call("cuLinkComplete");
    LinkState& linked = *reinterpret_cast<LinkState*>(state);
    if (linked.library.filename() != "libcudadevrt.a") return CUDA_ERROR_INVALID_IMAGE;
    *code = linked.text.data();
    *bytes = linked.text.size();
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    const Call call("cuLinkDestroy");
    delete reinterpret_cast<LinkState*>(state);
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module)
{
    const Call call("cuModuleUnload");
    delete reinterpret_cast<Module*>(module);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name)
{
    const Call call("cuModuleGetFunction");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    auto& from = *reinterpret_cast<Module*>(module);
    try {
        Function& found = from.functions[name];
        found.kernel = &from.loaded->kernel(name);
        *function = reinterpret_cast<CUfunction>(&found);
        return CUDA_SUCCESS;
    } catch (const Error&) {
        return CUDA_ERROR_NOT_FOUND;
    }
}

CUresult cuModuleGetGlobal(CUdeviceptr* pointer, std::size_t* bytes, CUmodule module,
                           const char* name)
{
    const Call call("cuModuleGetGlobal");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    try {
        const device::Variable found = reinterpret_cast<Module*>(module)->loaded->variable(name);
        *pointer = found.address;
        *bytes = found.bytes;
        return CUDA_SUCCESS;
    } catch (const Error&) {
        return CUDA_ERROR_NOT_FOUND;
    }
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function)
{
    const Call call("cuFuncGetAttribute");
    const device::KernelAttributes attributes =
        reinterpret_cast<Function*>(function)->kernel->attributes();
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = attributes.registers; return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = static_cast<int>(attributes.static_shared_bytes);
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = static_cast<int>(attributes.local_bytes);
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = attributes.max_threads_per_block;
        return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    const Call call("cuFuncSetAttribute");
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        return CUDA_ERROR_INVALID_VALUE;
    reinterpret_cast<Function*>(function)->max_dynamic_shared = value;
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction handle, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream, void** arguments,
                        void** extra)
{
    const Call call("cuLaunchKernel");
    if (call.refused()) return CUDA_ERROR_INVALID_CONTEXT;
    const auto& function = *reinterpret_cast<Function*>(handle);
    if (extra || static_cast<int>(shared) > function.max_dynamic_shared)
        return CUDA_ERROR_INVALID_VALUE;
    device::Launch launch{.grid = {gx, gy, gz}, .block = {bx, by, bz}};
    launch.dynamic_shared_bytes = shared;
    for (const std::size_t bytes : function.kernel->parameter_sizes()) {
        const auto* from = static_cast<const std::byte*>(*arguments++);
        launch.arguments.emplace_back(std::vector<std::byte>(from, from + bytes));
    }
    trace::Trace trace;
    trace.per_warp = false;
    if (machine().counted) launch.trace = &trace;
    try {
        gpu().launch(*function.kernel, launch);
        if (machine().counted) machine().counted->push_back(trace.totals());
    } catch (const device::KernelFault&) {
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    } catch (const device::LaunchError&) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                   CUstream stream, void** arguments)
{
    machine().asked.emplace("cuLaunchCooperativeKernel");
    return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, arguments, nullptr);
}

CUresult cuGraphicsMapResources(unsigned, CUgraphicsResource*, CUstream)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGraphicsUnmapResources(unsigned, CUgraphicsResource*, CUstream)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGraphicsUnregisterResource(CUgraphicsResource)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGraphicsResourceGetMappedPointer(CUdeviceptr*, std::size_t*, CUgraphicsResource)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGraphicsSubResourceGetMappedArray(CUarray*, CUgraphicsResource, unsigned, unsigned)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

} // extern "C"
