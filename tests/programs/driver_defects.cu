// Driver API programs with one defect each, and the same without it (second argument: mended).
// The line of a finding ends with a comment: the program's name and the finding's kind.
#include "programs.h"
#include "driver.h"

static const char* const nothing_ptx = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry store(.param .u64 to, .param .u32 n)
{
    .reg .pred %p;
    .reg .b32 %r<3>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [to];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.s32 %p, %r2, %r1;
    @%p bra done;
    cvta.to.global.u64 %rd1, %rd1;
    mul.wide.s32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
done:
    ret;
}
)";

PROGRAM(driver_past_end)
{
    const Loaded loaded(compiled(SOURCE(R"(
extern "C" __global__ void shift(int* values, int n)
{
    const int i = threadIdx.x;
    const int next = i < n ? values[i + 1] : 0; // driver_past_end: out_of_bounds
    __syncthreads();
    if (i < n) values[i] = next;
}
)")),
                        "shift");
    OK(loaded.status);
    CUdeviceptr values;
    OK(cuMemAlloc(&values, 32 * sizeof(int)));
    OK(cuMemsetD32(values, 1, 32));
    int n = mended ? 31 : 32;
    void* arguments[] = {&values, &n};
    OK(cuLaunchKernel(loaded.kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuCtxSynchronize());
    OK(cuMemFree(values));
    return 0;
}

// PTX without line information: the finding names the launch.
PROGRAM(driver_text_past_end)
{
    const Loaded loaded(nothing_ptx, "store");
    OK(loaded.status);
    CUdeviceptr values;
    OK(cuMemAlloc(&values, 32 * sizeof(int)));
    int n = mended ? 32 : 40;
    void* arguments[] = {&values, &n};
    CUresult launched = CUDA_SUCCESS;
    launched = cuLaunchKernel(loaded.kernel, 1, 1, 1, 64, 1, 1, 0, 0, arguments, 0); // driver_text_past_end: out_of_bounds
    OK(launched);
    OK(cuCtxSynchronize());
    OK(cuMemFree(values));
    return 0;
}

PROGRAM(driver_double_free)
{
    const Loaded loaded(nothing_ptx, "store");
    OK(loaded.status);
    CUdeviceptr values;
    OK(cuMemAlloc(&values, 1024));
    OK(cuMemFree(values));
    if (mended) return 0;
    return cuMemFree(values); // driver_double_free: double_free
}

PROGRAM(driver_free_inside)
{
    const Loaded loaded(nothing_ptx, "store");
    OK(loaded.status);
    CUdeviceptr values;
    OK(cuMemAlloc(&values, 1024));
    if (mended) return cuMemFree(values);
    return cuMemFree(values + 256); // driver_free_inside: invalid_free
}

PROGRAM(driver_copy_too_long)
{
    const Loaded loaded(nothing_ptx, "store");
    OK(loaded.status);
    CUdeviceptr values;
    OK(cuMemAlloc(&values, 1000));
    const std::vector<char> host(1004);
    CUresult copied = CUDA_SUCCESS;
    copied = cuMemcpyHtoD(values, host.data(), mended ? 1000 : 1004); // driver_copy_too_long: out_of_bounds
    if (copied != CUDA_SUCCESS) std::printf("%s\n", error_name(copied));
    OK(cuMemFree(values));
    return 0;
}

PROGRAM(driver_fill_too_long)
{
    const Loaded loaded(nothing_ptx, "store");
    OK(loaded.status);
    CUdeviceptr values;
    OK(cuMemAlloc(&values, 1000));
    CUresult filled = CUDA_SUCCESS;
    filled = cuMemsetD32(values, 0, mended ? 250 : 251); // driver_fill_too_long: out_of_bounds
    if (filled != CUDA_SUCCESS) std::printf("%s\n", error_name(filled));
    OK(cuMemFree(values));
    return 0;
}

PROGRAM(driver_leak)
{
    OK(cuInit(0));
    CUcontext context;
    OK(cuCtxCreate(&context, nullptr, 0, 0));
    CUdeviceptr values = 0;
    cuMemAlloc(&values, 4096); // driver_leak: leak
    if (mended) OK(cuMemFree(values));
    OK(cuCtxDestroy(context));
    return 0;
}

PROGRAM(driver_streams_unordered)
{
    const Loaded loaded(nothing_ptx, "store");
    OK(loaded.status);
    CUstream one, other;
    CUevent over;
    OK(cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&over, CU_EVENT_DISABLE_TIMING));
    CUdeviceptr values;
    OK(cuMemAlloc(&values, 128));
    OK(cuMemsetD8Async(values, 0, 128, one));
    OK(cuEventRecord(over, one));
    if (mended) OK(cuStreamWaitEvent(other, over, 0));
    int n = 32;
    void* arguments[] = {&values, &n};
    CUresult launched = CUDA_SUCCESS;
    launched = cuLaunchKernel(loaded.kernel, 1, 1, 1, 32, 1, 1, 0, other, arguments, 0); // driver_streams_unordered: unordered
    OK(launched);
    OK(cuCtxSynchronize());
    OK(cuMemFree(values));
    OK(cuEventDestroy(over));
    OK(cuStreamDestroy(one));
    OK(cuStreamDestroy(other));
    return 0;
}

PROGRAM(driver_too_many_threads)
{
    const Loaded loaded(nothing_ptx, "store");
    OK(loaded.status);
    CUdeviceptr values;
    OK(cuMemAlloc(&values, 128));
    int n = 32;
    void* arguments[] = {&values, &n};
    CUresult launched = CUDA_SUCCESS;
    launched = cuLaunchKernel(loaded.kernel, 1, 1, 1, mended ? 1024 : 1025, 1, 1, 0, 0, arguments, 0); // driver_too_many_threads: launch
    if (launched != CUDA_SUCCESS) std::printf("%s\n", error_name(launched));
    OK(cuMemFree(values));
    return 0;
}

PROGRAM(driver_unchecked)
{
    const Loaded loaded(nothing_ptx, "store");
    OK(loaded.status);
    CUdeviceptr values = 0;
    cuMemAlloc(&values, mended ? 128 : 0); // driver_unchecked: unchecked_error
    CUdeviceptr more = 0;
    OK(cuMemAlloc(&more, 128));
    OK(cuMemFree(more));
    if (values != 0) OK(cuMemFree(values));
    return 0;
}

// Contexts do not share memory.
PROGRAM(driver_other_context)
{
    OK(cuInit(0));
    CUcontext first, second;
    CUdeviceptr values;
    OK(cuCtxCreate(&first, nullptr, 0, 0));
    OK(cuMemAlloc(&values, 128));
    OK(cuCtxCreate(&second, nullptr, 0, 0));
    if (mended) OK(cuCtxSetCurrent(first));
    CUmodule module;
    CUfunction store;
    OK(cuModuleLoadData(&module, nothing_ptx));
    OK(cuModuleGetFunction(&store, module, "store"));
    int n = 32;
    void* arguments[] = {&values, &n};
    CUresult launched = CUDA_SUCCESS;
    launched = cuLaunchKernel(store, 1, 1, 1, 32, 1, 1, 0, 0, arguments, 0); // driver_other_context: other_context
    OK(launched);
    const CUresult status = cuCtxSynchronize();
    if (status != CUDA_SUCCESS) std::printf("%s\n", error_name(status));
    if (status != CUDA_SUCCESS) return 1;
    OK(cuMemFree(values));
    OK(cuCtxDestroy(second));
    OK(cuCtxDestroy(first));
    return 0;
}

PROGRAM(driver_managed_race)
{
    const Loaded loaded(nothing_ptx, "store");
    OK(loaded.status);
    CUdeviceptr values;
    OK(cuMemAllocManaged(&values, 128, CU_MEM_ATTACH_GLOBAL));
    int n = 32;
    void* arguments[] = {&values, &n};
    OK(cuLaunchKernel(loaded.kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    if (mended) OK(cuCtxSynchronize());
    const int last = reinterpret_cast<volatile int*>(values)[31]; // driver_managed_race: host_race
    OK(cuCtxSynchronize());
    OK(cuMemFree(values));
    return last != 31;
}

PROGRAM(driver_bad_ptx)
{
    const Loaded loaded(nothing_ptx, "store");
    OK(loaded.status);
    const char* const broken = ".version 7.0\n.target sm_75\n.address_size 64\n.global .u32 = ;\n";
    CUmodule module = nullptr;
    CUresult status = CUDA_SUCCESS;
    status = cuModuleLoadData(&module, mended ? nothing_ptx : broken); // driver_bad_ptx: bad_ptx
    if (status != CUDA_SUCCESS) std::printf("%s\n", error_name(status));
    if (status == CUDA_SUCCESS) OK(cuModuleUnload(module));
    return 0;
}

// A range of addresses with memory mapped at its start.
struct MappedRange {
    CUdeviceptr begin = 0;
    std::size_t piece = 0;
    CUmemGenericAllocationHandle memory = 0;
    CUmemAllocationProp properties{};
    CUresult map()
    {
        properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
        for (const CUresult result :
             {cuMemGetAllocationGranularity(&piece, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
              cuMemAddressReserve(&begin, 2 * piece, 0, 0, 0), cuMemCreate(&memory, piece, &properties, 0),
              cuMemMap(begin, piece, 0, memory, 0)})
            if (result != CUDA_SUCCESS) return result;
        return CUDA_SUCCESS;
    }
    CUresult allow()
    {
        CUmemAccessDesc access{};
        access.location = properties.location;
        access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        return cuMemSetAccess(begin, piece, &access, 1);
    }
    CUresult drop(bool is_mapped = true)
    {
        if (is_mapped) cuMemUnmap(begin, piece);
        cuMemRelease(memory);
        return cuMemAddressFree(begin, 2 * piece);
    }
};

// The second half of the range has no memory.
PROGRAM(driver_not_mapped)
{
    const Loaded loaded(compiled(SOURCE(R"(
extern "C" __global__ void set(int* values, long long first)
{
    values[first + threadIdx.x] = 1; // driver_not_mapped: out_of_bounds
}
)")),
                        "set");
    OK(loaded.status);
    MappedRange range;
    OK(range.map());
    OK(range.allow());
    long long first = mended ? 0 : static_cast<long long>(range.piece / sizeof(int));
    void* arguments[] = {&range.begin, &first};
    OK(cuLaunchKernel(loaded.kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuCtxSynchronize());
    return range.drop() != CUDA_SUCCESS;
}

// Mapped memory is accessible only after cuMemSetAccess.
PROGRAM(driver_no_access)
{
    const Loaded loaded(compiled(SOURCE(R"(
extern "C" __global__ void set(int* values)
{
    values[threadIdx.x] = 1; // driver_no_access: out_of_bounds
}
)")),
                        "set");
    OK(loaded.status);
    MappedRange range;
    OK(range.map());
    if (mended) OK(range.allow());
    void* arguments[] = {&range.begin};
    OK(cuLaunchKernel(loaded.kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuCtxSynchronize());
    return range.drop() != CUDA_SUCCESS;
}

// The memory is unmapped before the kernel that writes it.
PROGRAM(driver_unmapped)
{
    const Loaded loaded(compiled(SOURCE(R"(
extern "C" __global__ void set(int* values)
{
    values[threadIdx.x] = 1; // driver_unmapped: out_of_bounds
}
)")),
                        "set");
    OK(loaded.status);
    MappedRange range;
    OK(range.map());
    OK(range.allow());
    if (!mended) OK(cuMemUnmap(range.begin, range.piece));
    void* arguments[] = {&range.begin};
    OK(cuLaunchKernel(loaded.kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuCtxSynchronize());
    return range.drop(mended) != CUDA_SUCCESS;
}
