// Return values of driver API functions: one line each, the same on a GPU and on the lockstep
// machine. The only invalid handles are null, since others may end the process.
#define OWN_MAIN
#include "programs.h"
#include "driver.h"

static int calls = 0;
static void say(const char* text, CUresult result)
{
    std::printf("%3d %s -> %s\n", ++calls, text, error_name(result));
}
#define SAY(call) say(#call, call)

static const char* const store_ptx = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 variable[8];
.visible .entry store(.param .u64 to, .param .u32 value)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [to];
    ld.param.u32 %r1, [value];
    mov.u32 %r2, %tid.x;
    cvta.to.global.u64 %rd1, %rd1;
    mul.wide.s32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;
    ret;
}
)";

static void before_init()
{
    int count = 0, version = 0;
    CUdevice device;
    CUcontext context = nullptr;
    CUdeviceptr memory;
    SAY(cuDeviceGetCount(&count));
    SAY(cuDeviceGet(&device, 0));
    SAY(cuCtxGetCurrent(&context));
    SAY(cuMemAlloc(&memory, 16));
    SAY(cuCtxSynchronize());
    SAY(cuDriverGetVersion(&version));
    std::printf("%d\n", version >= 12000);
    SAY(cuDriverGetVersion(nullptr));
    SAY(cuInit(1));
    SAY(cuInit(0));
    SAY(cuInit(0));
}

static void errors()
{
    const char* text = "";
    SAY(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text));
    std::printf("%s\n", text);
    SAY(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
    std::printf("%s\n", text);
    SAY(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
    std::printf("%s\n", text);
    SAY(cuGetErrorString(CUDA_ERROR_NOT_FOUND, &text));
    std::printf("%s\n", text);
    SAY(cuGetErrorString(CUDA_ERROR_INVALID_CONTEXT, &text));
    std::printf("%s\n", text);
    SAY(cuGetErrorName((CUresult)12345, &text));
    std::printf("%d\n", text == nullptr);
}

static void devices()
{
    int count = 0, value = 0;
    CUdevice device = -1;
    char name[256];
    size_t bytes = 0;
    CUuuid id;
    SAY(cuDeviceGetCount(&count));
    SAY(cuDeviceGetCount(nullptr));
    SAY(cuDeviceGet(&device, 0));
    SAY(cuDeviceGet(nullptr, 0));
    SAY(cuDeviceGet(&device, -1));
    SAY(cuDeviceGet(&device, 1000));
    SAY(cuDeviceGetName(name, sizeof name, 0));
    SAY(cuDeviceGetName(nullptr, 100, 0));
    SAY(cuDeviceGetName(name, sizeof name, 1000));
    SAY(cuDeviceGetUuid(&id, 0));
    SAY(cuDeviceTotalMem(&bytes, 0));
    SAY(cuDeviceTotalMem(nullptr, 0));
    SAY(cuDeviceTotalMem(&bytes, 1000));
    SAY(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    std::printf("%d\n", value);
    SAY(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0));
    std::printf("%d\n", value);
    SAY(cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    SAY(cuDeviceGetAttribute(&value, (CUdevice_attribute)0, 0));
    SAY(cuDeviceGetAttribute(&value, (CUdevice_attribute)5000, 0));
    SAY(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1000));
    SAY(cuDeviceCanAccessPeer(&value, 0, 0));
    std::printf("%d\n", value);
    SAY(cuDeviceCanAccessPeer(&value, 0, 1000));
    SAY(cuDeviceGetPCIBusId(name, sizeof name, 0));
    SAY(cuDeviceGetPCIBusId(name, sizeof name, 1000));
}

static void contexts()
{
    CUcontext context = nullptr, primary = nullptr, current = nullptr;
    CUdevice device = -1;
    CUdeviceptr memory = 0;
    unsigned flags = 0, version = 0;
    int active = -1;
    size_t value = 0;
    SAY(cuCtxGetCurrent(&current));
    std::printf("%d\n", current == nullptr);
    SAY(cuCtxGetCurrent(nullptr));
    SAY(cuCtxGetDevice(&device));
    SAY(cuCtxPopCurrent(&current));
    SAY(cuCtxSynchronize());
    SAY(cuMemAlloc(&memory, 16));
    SAY(cuDevicePrimaryCtxGetState(0, &flags, &active));
    std::printf("%d\n", active);
    SAY(cuDevicePrimaryCtxRetain(&primary, 0));
    SAY(cuDevicePrimaryCtxRetain(nullptr, 0));
    SAY(cuDevicePrimaryCtxRetain(&primary, 1000));
    SAY(cuDevicePrimaryCtxGetState(0, &flags, &active));
    std::printf("%d\n", active);
    SAY(cuCtxSetCurrent(primary));
    SAY(cuCtxGetDevice(&device));
    SAY(cuCtxGetDevice(nullptr));
    SAY(cuCtxSetCurrent(nullptr));
    SAY(cuCtxCreate(&context, nullptr, 0, 1000));
    SAY(cuCtxCreate(nullptr, nullptr, 0, 0));
    SAY(cuCtxCreate(&context, nullptr, 0x80000000u, 0));
    SAY(cuCtxCreate(&context, nullptr, 0, 0));
    SAY(cuCtxGetCurrent(&current));
    std::printf("%d\n", current == context);
    SAY(cuCtxGetApiVersion(context, &version));
    SAY(cuCtxGetFlags(&flags));
    SAY(cuCtxGetFlags(nullptr));
    SAY(cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE));
    std::printf("%zu\n", value);
    SAY(cuCtxGetLimit(nullptr, CU_LIMIT_MALLOC_HEAP_SIZE));
    SAY(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 16u << 20));
    SAY(cuCtxGetStreamPriorityRange(&active, &device));
    std::printf("%d %d\n", active, device);
    SAY(cuCtxSynchronize());
    SAY(cuCtxPushCurrent(primary));
    SAY(cuCtxPopCurrent(&current));
    std::printf("%d\n", current == primary);
    SAY(cuCtxEnablePeerAccess(context, 0));
    SAY(cuCtxDestroy(context));
    SAY(cuCtxGetCurrent(&current));
    std::printf("%d\n", current == nullptr);
    SAY(cuCtxSetCurrent(primary));
}

static void modules(CUfunction* store, CUmodule* module)
{
    CUdeviceptr variable = 0;
    CUfunction none = nullptr;
    CUmodule other = nullptr;
    size_t bytes = 0;
    unsigned count = 0;
    SAY(cuModuleLoadData(module, store_ptx));
    SAY(cuModuleLoadData(&other, nullptr));
    SAY(cuModuleLoadData(nullptr, store_ptx));
    SAY(cuModuleLoadData(&other, ".version 7.0\n.target sm_75\n.address_size 64\n.nonsense\n"));
    SAY(cuModuleLoadData(&other, "no kernels at all"));
    SAY(cuModuleLoad(&other, "/nowhere/kernels.ptx"));
    SAY(cuModuleGetFunction(store, *module, "store"));
    SAY(cuModuleGetFunction(&none, *module, "nothing"));
    SAY(cuModuleGetFunction(&none, *module, nullptr));
    SAY(cuModuleGetFunction(nullptr, *module, "store"));
    SAY(cuModuleGetFunction(&none, nullptr, "store"));
    SAY(cuModuleGetFunctionCount(&count, *module));
    std::printf("%u\n", count);
    SAY(cuModuleGetGlobal(&variable, &bytes, *module, "variable"));
    std::printf("%zu\n", bytes);
    SAY(cuModuleGetGlobal(nullptr, &bytes, *module, "variable"));
    SAY(cuModuleGetGlobal(&variable, nullptr, *module, "variable"));
    SAY(cuModuleGetGlobal(&variable, &bytes, *module, "nothing"));
    SAY(cuModuleUnload(nullptr));
}

static void memory()
{
    CUdeviceptr memory = 0, other = 0, base = 0;
    size_t pitch = 0, bytes = 0, all = 0;
    void* pinned = nullptr;
    char host[64] = {};
    unsigned flags = 0;
    CUmemorytype type{};
    SAY(cuMemAlloc(&memory, 1024));
    SAY(cuMemAlloc(nullptr, 1024));
    SAY(cuMemAlloc(&other, 0));
    SAY(cuMemAlloc(&other, (size_t)1 << 50));
    SAY(cuMemAllocPitch(&other, &pitch, 100, 10, 4));
    SAY(cuMemFree(other));
    SAY(cuMemAllocPitch(&other, &pitch, 100, 10, 3));
    SAY(cuMemAllocManaged(&other, 64, CU_MEM_ATTACH_GLOBAL));
    SAY(cuMemFree(other));
    SAY(cuMemAllocManaged(&other, 0, CU_MEM_ATTACH_GLOBAL));
    SAY(cuMemAllocManaged(&other, 64, 77));
    SAY(cuMemGetInfo(&bytes, &all));
    SAY(cuMemGetAddressRange(&base, &bytes, memory + 100));
    std::printf("%d %zu\n", base == memory, bytes);
    SAY(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
    std::printf("%d\n", type == CU_MEMORYTYPE_DEVICE);
    SAY(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)host));
    SAY(cuPointerGetAttribute(nullptr, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
    SAY(cuPointerGetAttribute(&pinned, CU_POINTER_ATTRIBUTE_HOST_POINTER, memory));
    SAY(cuMemcpyHtoD(memory, host, 64));
    SAY(cuMemcpyHtoD(memory, host, 0));
    SAY(cuMemcpyHtoD(0, host, 64));
    SAY(cuMemcpyHtoD(memory, nullptr, 64));
    SAY(cuMemcpyDtoH(host, memory, 64));
    SAY(cuMemcpyDtoH(nullptr, memory, 64));
    SAY(cuMemcpyDtoH(host, 0, 64));
    SAY(cuMemcpyDtoD(memory + 512, memory, 64));
    SAY(cuMemcpyDtoD(memory, 0, 64));
    SAY(cuMemcpy(memory, memory + 512, 64));
    SAY(cuMemsetD8(memory, 1, 1024));
    SAY(cuMemsetD8(memory, 1, 0));
    SAY(cuMemsetD8(memory, 1, 2048));
    SAY(cuMemsetD16(memory + 1, 1, 4));
    SAY(cuMemsetD32(memory + 2, 1, 4));
    SAY(cuMemsetD32(0, 1, 4));
    SAY(cuMemsetD2D32(memory, 64, 1, 8, 8));
    SAY(cuMemcpy2D(nullptr));
    SAY(cuMemHostAlloc(&pinned, 64, CU_MEMHOSTALLOC_PORTABLE));
    SAY(cuMemHostGetFlags(&flags, pinned));
    SAY(cuMemHostGetDevicePointer(&other, pinned, 0));
    SAY(cuMemHostGetDevicePointer(&other, pinned, 5));
    SAY(cuMemFreeHost(pinned));
    SAY(cuMemFreeHost(nullptr));
    SAY(cuMemHostAlloc(&pinned, 64, 0x100));
    SAY(cuMemHostAlloc(nullptr, 64, 0));
    SAY(cuMemFree(memory + 256));
    SAY(cuMemFree(memory));
    SAY(cuMemFree(memory));
    SAY(cuMemFree((CUdeviceptr)host));
}

static void CUDA_CB nothing(void*) {}

static void streams()
{
    CUstream stream = nullptr, other = nullptr;
    CUevent begin = nullptr, end = nullptr, untimed = nullptr;
    CUcontext context = nullptr;
    unsigned flags = 0;
    int priority = 0;
    float ms = 0;
    SAY(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    SAY(cuStreamCreate(nullptr, 0));
    SAY(cuStreamCreate(&other, 77));
    SAY(cuStreamCreateWithPriority(&other, 0, -1));
    SAY(cuStreamGetPriority(other, &priority));
    std::printf("%d\n", priority);
    SAY(cuStreamDestroy(other));
    SAY(cuStreamGetFlags(stream, &flags));
    std::printf("%u\n", flags);
    SAY(cuStreamGetFlags(stream, nullptr));
    SAY(cuStreamGetCtx(stream, &context));
    SAY(cuStreamQuery(stream));
    SAY(cuStreamQuery(nullptr));
    SAY(cuStreamSynchronize(stream));
    SAY(cuStreamSynchronize(nullptr));
    SAY(cuStreamDestroy(nullptr));
    SAY(cuEventCreate(&begin, CU_EVENT_DEFAULT));
    SAY(cuEventCreate(&end, CU_EVENT_BLOCKING_SYNC));
    SAY(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    SAY(cuEventCreate(nullptr, 0));
    SAY(cuEventQuery(begin));
    SAY(cuEventElapsedTime(&ms, begin, end));
    SAY(cuEventRecord(begin, stream));
    SAY(cuEventRecord(end, stream));
    SAY(cuEventRecord(untimed, stream));
    SAY(cuEventRecord(nullptr, stream));
    SAY(cuEventSynchronize(end));
    SAY(cuEventElapsedTime(&ms, begin, end));
    SAY(cuEventElapsedTime(nullptr, begin, end));
    SAY(cuEventElapsedTime(&ms, begin, untimed));
    SAY(cuStreamWaitEvent(stream, end, 0));
    SAY(cuStreamWaitEvent(stream, nullptr, 0));
    SAY(cuLaunchHostFunc(stream, nothing, nullptr));
    SAY(cuLaunchHostFunc(stream, nullptr, nullptr));
    SAY(cuStreamSynchronize(stream));
    SAY(cuEventDestroy(begin));
    SAY(cuEventDestroy(end));
    SAY(cuEventDestroy(untimed));
    SAY(cuEventDestroy(nullptr));
    SAY(cuStreamDestroy(stream));
}

static void launches(CUfunction store)
{
    CUdeviceptr memory = 0;
    unsigned value = 5;
    int is = 0;
    CUcontext mine = nullptr, other = nullptr;
    CUstream foreign = nullptr;
    void* arguments[] = {&memory, &value};
    void* no_end[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &memory, CU_LAUNCH_PARAM_END};
    SAY(cuMemAlloc(&memory, 4096));
    SAY(cuLaunchKernel(store, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    SAY(cuLaunchKernel(nullptr, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    SAY(cuLaunchKernel(store, 0, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    SAY(cuLaunchKernel(store, 1, 1, 1, 0, 1, 1, 0, nullptr, arguments, nullptr));
    SAY(cuLaunchKernel(store, 1, 1, 1, 1025, 1, 1, 0, nullptr, arguments, nullptr));
    SAY(cuLaunchKernel(store, 1, 70000, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    SAY(cuLaunchKernel(store, 1, 1, 1, 1, 1, 65, 0, nullptr, arguments, nullptr));
    SAY(cuLaunchKernel(store, 1, 1, 1, 32, 1, 1, 50000, nullptr, arguments, nullptr));
    SAY(cuLaunchKernel(store, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
    SAY(cuLaunchKernel(store, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, no_end));
    SAY(cuLaunchCooperativeKernel(store, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments));
    SAY(cuLaunchCooperativeKernel(store, 1000000, 1, 1, 1024, 1, 1, 0, nullptr, arguments));
    SAY(cuFuncGetAttribute(&is, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, store));
    std::printf("%d\n", is);
    SAY(cuFuncGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, store));
    SAY(cuFuncGetAttribute(&is, (CUfunction_attribute)500, store));
    SAY(cuFuncGetAttribute(&is, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr));
    SAY(cuFuncSetAttribute(store, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000));
    SAY(cuFuncSetAttribute(store, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20));
    SAY(cuFuncSetAttribute(store, CU_FUNC_ATTRIBUTE_NUM_REGS, 4));
    SAY(cuLaunchKernel(store, 1, 1, 1, 32, 1, 1, 50000, nullptr, arguments, nullptr));
    SAY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&is, store, 1024, 0));
    std::printf("%d\n", is);
    SAY(cuOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, store, 1024, 0));
    SAY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&is, store, 0, 0));
    SAY(cuCtxSynchronize());
    // Another context knows neither the kernel nor its stream.
    SAY(cuCtxGetCurrent(&mine));
    SAY(cuCtxCreate(&other, nullptr, 0, 0));
    SAY(cuLaunchKernel(store, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    SAY(cuStreamCreate(&foreign, 0));
    SAY(cuCtxSetCurrent(mine));
    SAY(cuLaunchKernel(store, 1, 1, 1, 32, 1, 1, 0, foreign, arguments, nullptr));
    SAY(cuCtxDestroy(other));
    SAY(cuMemFree(memory));
}

static void images()
{
    CUDA_ARRAY_DESCRIPTOR is{8, 8, CU_AD_FORMAT_FLOAT, 1};
    CUarray array = nullptr;
    CUtexObject texture = 0;
    CUDA_RESOURCE_DESC resource{};
    CUDA_TEXTURE_DESC description{};
    float host[8] = {};
    SAY(cuArrayCreate(&array, &is));
    SAY(cuArrayCreate(&array, nullptr));
    SAY(cuArrayGetDescriptor(&is, array));
    SAY(cuArrayGetDescriptor(nullptr, array));
    SAY(cuMemcpyHtoA(array, 0, host, sizeof host));
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    SAY(cuTexObjectCreate(&texture, &resource, &description, nullptr));
    SAY(cuTexObjectCreate(nullptr, &resource, &description, nullptr));
    SAY(cuTexObjectDestroy(texture));
    SAY(cuArrayDestroy(array));
    is.NumChannels = 3;
    SAY(cuArrayCreate(&array, &is));
}

int main()
{
    CUfunction store = nullptr;
    CUmodule module = nullptr;
    before_init();
    errors();
    devices();
    contexts();
    modules(&store, &module);
    memory();
    streams();
    launches(store);
    images();
    SAY(cuModuleUnload(module));
    SAY(cuDevicePrimaryCtxRelease(0));
    SAY(cuDevicePrimaryCtxRelease(0));
}
