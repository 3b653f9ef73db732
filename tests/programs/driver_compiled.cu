// Programs that compile kernels to machine code of the device they find while they run: with NVRTC,
// linked or opened by name and path, with nvcc as a process, and from files. Those with a mistake
// are found at its line; the second argument, mended, disables it.
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <dlfcn.h>

#include "programs.h"
#include "driver.h"

// "sm_90" for the device.
static std::string architecture_of_device()
{
    int major = 0, minor = 0;
    cuInit(0);
    cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0);
    cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0);
    return "sm_" + std::to_string(10 * major + minor);
}

struct Compiler {
    decltype(&nvrtcCreateProgram) create = nvrtcCreateProgram;
    decltype(&nvrtcAddNameExpression) add_name = nvrtcAddNameExpression;
    decltype(&nvrtcCompileProgram) compile = nvrtcCompileProgram;
    decltype(&nvrtcGetCUBINSize) code_size = nvrtcGetCUBINSize;
    decltype(&nvrtcGetCUBIN) code = nvrtcGetCUBIN;
    decltype(&nvrtcGetLoweredName) lowered = nvrtcGetLoweredName;
    decltype(&nvrtcDestroyProgram) destroy = nvrtcDestroyProgram;

    Compiler() = default;
    explicit Compiler(void* library)
    {
        const auto find = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
        };
        find(create, "nvrtcCreateProgram");
        find(add_name, "nvrtcAddNameExpression");
        find(compile, "nvrtcCompileProgram");
        find(code_size, "nvrtcGetCUBINSize");
        find(code, "nvrtcGetCUBIN");
        find(lowered, "nvrtcGetLoweredName");
        find(destroy, "nvrtcDestroyProgram");
    }
};

static std::string with_line(const Source& source)
{
    return "#line " + std::to_string(source.line) + " \"" + source.file + "\"\n" + source.text;
}

// Compiles to SASS for the device. `name`: in, an NVRTC name expression; out, the kernel's lowered name.
static std::string machine_code(const Compiler& with, const Source& source,
                                std::vector<const char*> options = {}, std::string* name = nullptr)
{
    const std::string text = with_line(source);
    const std::string architecture = "--gpu-architecture=" + architecture_of_device();
    options.push_back(architecture.c_str());
    nvrtcProgram program = nullptr;
    with.create(&program, text.c_str(), source.file, 0, nullptr, nullptr);
    if (name != nullptr) with.add_name(program, name->c_str());
    std::string code;
    const nvrtcResult result =
        with.compile(program, static_cast<int>(options.size()), options.data());
    std::size_t bytes = 0;
    if (result != NVRTC_SUCCESS) {
        std::printf("%s\n", nvrtcGetErrorString(result));
    } else if (with.code_size(program, &bytes) == NVRTC_SUCCESS) {
        code.resize(bytes);
        with.code(program, code.data());
    }
    if (name != nullptr && result == NVRTC_SUCCESS) {
        const char* lowered = nullptr;
        with.lowered(program, name->c_str(), &lowered);
        *name = lowered;
    }
    with.destroy(&program);
    return code;
}

// Runs a kernel of (int* values, int n) with one block over 64 zeros, and adds up the values.
static int sum_of(CUfunction kernel, int n, int& sum)
{
    CUdeviceptr values;
    OK(cuMemAlloc(&values, 64 * sizeof(int)));
    OK(cuMemsetD32(values, 0, 64));
    void* arguments[] = {&values, &n};
    OK(cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuCtxSynchronize());
    sum = 0;
    for (const int each : values_at<int>(values, 64)) sum += each;
    OK(cuMemFree(values));
    return 0;
}

static int prints_sum(CUfunction kernel, int n, int wanted)
{
    int sum = 0;
    if (sum_of(kernel, n, sum) != 0) return 1;
    std::printf("%d\n", sum);
    return passed(sum == wanted);
}

static const Source number_source = SOURCE(R"(
extern "C" __global__ void number(int* values, int n)
{
    if (threadIdx.x < n) values[threadIdx.x] = threadIdx.x;
}
)");

PROGRAM(driver_compiled_linked_compiler)
{
    const Loaded loaded(machine_code({}, number_source), "number");
    OK(loaded.status);
    return prints_sum(loaded.kernel, 64, 2016);
}

PROGRAM(driver_compiled_opened_compiler)
{
    Dl_info linked{};
    dladdr(reinterpret_cast<void*>(nvrtcVersion), &linked);
    void* const by_path = dlopen(linked.dli_fname, RTLD_NOW);
    const char* const slash = std::strrchr(linked.dli_fname, '/');
    void* const by_name = dlopen(slash == nullptr ? linked.dli_fname : slash + 1, RTLD_LAZY);
    if (by_path == nullptr || by_path != by_name) return passed(false);
    const Loaded loaded(machine_code(Compiler(by_path), number_source), "number");
    OK(loaded.status);
    return prints_sum(loaded.kernel, 10, 45);
}

PROGRAM(driver_compiled_template)
{
    std::string name = "scaled<3, int>";
    const std::string code = machine_code({}, SOURCE(R"(
template <int factor, class T> __global__ void scaled(T* values, int n)
{
    if (threadIdx.x < n) values[threadIdx.x] = BIAS + factor * threadIdx.x;
}
)"),
                                          {"-DBIAS=1", "-std=c++17", "-default-device"}, &name);
    const Loaded loaded(code, name.c_str());
    OK(loaded.status);
    std::printf("%s\n", name.c_str());
    return prints_sum(loaded.kernel, 4, 22);
}

// A cache on disk: what one process writes, another loads.
PROGRAM(driver_compiled_file)
{
    char name[] = "/tmp/compiled-XXXXXX";
    const int file = mkstemp(name);
    if (file < 0) return 1;
    const std::string code = machine_code({}, number_source);
    std::ofstream(name, std::ios::binary) << code;
    const Loaded primary(code, "number");
    OK(primary.status);
    CUmodule module;
    CUlibrary library;
    CUkernel kernel;
    CUfunction function;
    OK(cuModuleLoad(&module, name));
    OK(cuModuleGetFunction(&function, module, "number"));
    int first = 0, second = 0;
    if (sum_of(function, 64, first) != 0) return 1;
    OK(cuModuleUnload(module));
    OK(cuLibraryLoadFromFile(&library, name, nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cuLibraryGetKernel(&kernel, library, "number"));
    OK(cuKernelGetFunction(&function, kernel));
    if (sum_of(function, 10, second) != 0) return 1;
    OK(cuLibraryUnload(library));
    std::remove(name);
    std::printf("%d %d\n", first, second);
    return passed(first == 2016 && second == 45);
}

// The driver links machine code that is compiled separately.
PROGRAM(driver_compiled_objects)
{
    std::string use = machine_code({}, SOURCE(R"(
extern "C" __device__ int square(int x);
extern "C" __global__ void squares(int* values, int n)
{
    if (threadIdx.x < n) values[threadIdx.x] = square(threadIdx.x);
}
)"),
                                   {"-rdc=true"});
    std::string square = machine_code({}, SOURCE(R"(
extern "C" __device__ int square(int x) { return x * x; }
)"),
                                      {"--relocatable-device-code=true"});
    CUcontext context;
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    CUlinkState link;
    void* image = nullptr;
    std::size_t bytes = 0;
    OK(cuLinkCreate(0, nullptr, nullptr, &link));
    for (std::string* code : {&use, &square})
        OK(cuLinkAddData(link, CU_JIT_INPUT_CUBIN, code->data(), code->size(), "code", 0, nullptr,
                         nullptr));
    OK(cuLinkComplete(link, &image, &bytes));
    CUmodule module;
    CUfunction function;
    OK(cuModuleLoadData(&module, image));
    OK(cuLinkDestroy(link));
    OK(cuModuleGetFunction(&function, module, "squares"));
    const int status = prints_sum(function, 5, 30);
    OK(cuModuleUnload(module));
    OK(cuDevicePrimaryCtxRelease(0));
    return status;
}

// NVRTC's messages and errors reach the program unchanged.
PROGRAM(driver_compiled_errors)
{
    const char* const text = "__global__ void wrong(int* x) { x[0] = y; }";
    nvrtcProgram program = nullptr;
    nvrtcCreateProgram(&program, text, "wrong.cu", 0, nullptr, nullptr);
    const std::string option = "-arch=" + architecture_of_device();
    const char* options[] = {option.c_str(), "--no-such-option"};
    std::printf("%s\n", nvrtcGetErrorString(nvrtcCompileProgram(program, 1, options)));
    std::size_t bytes = 0;
    nvrtcGetProgramLogSize(program, &bytes);
    std::string log(bytes, '\0');
    nvrtcGetProgramLog(program, log.data());
    std::printf("%s", log.c_str());
    std::printf("%s\n", nvrtcGetErrorString(nvrtcGetCUBINSize(program, &bytes)));
    nvrtcDestroyProgram(&program);
    nvrtcCreateProgram(&program, "__global__ void none() {}", "none.cu", 0, nullptr, nullptr);
    const nvrtcResult refused = nvrtcCompileProgram(program, 2, options);
    std::printf("%s\n", nvrtcGetErrorString(refused));
    nvrtcDestroyProgram(&program);
    return passed(refused == NVRTC_ERROR_INVALID_OPTION);
}

// Runs nvcc as a process, the way PyCUDA does, to make machine code and a fat binary.
PROGRAM(driver_compiled_by_nvcc)
{
    char folder[] = "/tmp/compiled-XXXXXX";
    if (mkdtemp(folder) == nullptr) return 1;
    const std::string in = folder + std::string("/code.cu"), out = folder + std::string("/code.bin");
    std::ofstream(in) << number_source.text;
    OK(cuInit(0));
    CUcontext context;
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    int sum[2] = {};
    const std::string real = architecture_of_device(), virtual_one = "compute_" + real.substr(3);
    const std::string forms[] = {" -cubin -arch=" + real,
                                 " -fatbin -gencode arch=" + virtual_one + ",code=" + real};
    for (int i = 0; i < 2; ++i) {
        const std::string command = "nvcc" + forms[i] + " -o " + out + " " + in;
        if (std::system(command.c_str()) != 0) return passed(false);
        CUmodule module;
        CUfunction function;
        OK(cuModuleLoad(&module, out.c_str()));
        OK(cuModuleGetFunction(&function, module, "number"));
        if (sum_of(function, 64 - i, sum[i]) != 0) return 1;
        OK(cuModuleUnload(module));
    }
    OK(cuDevicePrimaryCtxRelease(0));
    std::remove(in.c_str());
    std::remove(out.c_str());
    std::remove(folder);
    std::printf("%d %d\n", sum[0], sum[1]);
    return passed(sum[0] == 2016 && sum[1] == 1953);
}

// --- With a mistake ---

PROGRAM(driver_compiled_past_end)
{
    const Loaded loaded(machine_code({}, SOURCE(R"(
extern "C" __global__ void fill(int* values, int n)
{
    if (threadIdx.x <= n)
        values[threadIdx.x + 1] = 1; // driver_compiled_past_end: out_of_bounds
}
)")),
                        "fill");
    OK(loaded.status);
    int sum = 0;
    return sum_of(loaded.kernel, mended ? 40 : 64, sum);
}

PROGRAM(driver_compiled_race)
{
    const Loaded loaded(machine_code({}, SOURCE(R"(
extern "C" __global__ void turned(int* values, int n)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x; // driver_compiled_race: race
    if (n > 0) __syncthreads();
    values[threadIdx.x] = tile[63 - threadIdx.x];
}
)")),
                        "turned");
    OK(loaded.status);
    int sum = 0;
    return sum_of(loaded.kernel, mended ? 1 : 0, sum);
}
