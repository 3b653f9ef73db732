// The lockstep machine compared with PoCL, which runs OpenCL on the CPU without counting: the same
// kernels from the same text, on all cores, alternating. Built if OpenCL's headers and loader are
// found; uses whatever platform is installed.
//   pocl_bench [ROUNDS]      default 7; the minimum over all rounds is reported, as wall time and
//   as CPU time of all cores
// PoCL's code differs between starts, so its figure is the best of several starts.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "assets/assets.h"
#include "compute/simt/simt_device.h"

namespace {

using namespace lanescope;

void check(cl_int status, const char* what)
{
    if (status != CL_SUCCESS) throw std::runtime_error(fmt::format("{}: OpenCL {}", what, status));
}

void replace(std::string& text, std::string_view what, std::string_view instead)
{
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += instead.size())
        text.replace(at, what.size(), instead);
}

// Translates CUDA's keywords to OpenCL C.
std::string opencl_text(std::string_view asset)
{
    std::string text(*assets::find(asset));
    replace(text, "extern \"C\" __global__", "__kernel");
    replace(text, "const float*", "__global const float*");
    replace(text, ", float*", ", __global float*");
    replace(text, "bool insulated", "uchar insulated"); // OpenCL kernels cannot take bool
    return R"(
#define __shared__ __local
#define __syncthreads() barrier(CLK_LOCAL_MEM_FENCE)
#define fmaf fma
#define threadIdx ((int2)((int)get_local_id(0), (int)get_local_id(1)))
#define blockIdx ((int2)((int)get_group_id(0), (int)get_group_id(1)))
#define blockDim ((int2)((int)get_local_size(0), (int)get_local_size(1)))
)" + text;
}

struct Problem {
    std::string title;
    std::string asset; // file name without .cu
    std::string kernel;
    Dim3 grid, block;
    std::vector<std::size_t> buffers; // sizes in floats
    std::vector<int> integers;
    bool is_heat = false; // passes the extra arguments k and boundary
};

std::vector<float> contents(std::size_t count)
{
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<float>(i * 2654435761u % 1000) * 0.001f;
    return values;
}

// An engine that is compared: launches N times and waits.
class Way {
public:
    virtual ~Way() = default;
    virtual void launch(int times) = 0;
    virtual std::vector<float> result() = 0; // contents of the last buffer
};

class OpenCl : public Way {
public:
    explicit OpenCl(const Problem& problem) : problem_(problem)
    {
        cl_platform_id platform = nullptr;
        check(clGetPlatformIDs(1, &platform, nullptr), "platform");
        check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device_, nullptr), "device");
        cl_int status = 0;
        context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
        check(status, "context");
        queue_ = clCreateCommandQueue(context_, device_, 0, &status);
        check(status, "queue");
        build();
        arguments();
    }
    ~OpenCl() override
    {
        for (const cl_mem memory : memory_) clReleaseMemObject(memory);
        clReleaseKernel(kernel_);
        clReleaseProgram(program_);
        clReleaseCommandQueue(queue_);
        clReleaseContext(context_);
    }
    OpenCl(const OpenCl&) = delete;
    OpenCl& operator=(const OpenCl&) = delete;

    std::string name() const
    {
        char text[256] = "";
        clGetDeviceInfo(device_, CL_DEVICE_NAME, sizeof text, text, nullptr);
        char version[256] = "";
        clGetDeviceInfo(device_, CL_DRIVER_VERSION, sizeof version, version, nullptr);
        return fmt::format("{}, version {}", text, version);
    }
    void launch(int times) override
    {
        const std::size_t local[] = {problem_.block.x, problem_.block.y};
        const std::size_t global[] = {std::size_t{problem_.grid.x} * problem_.block.x,
                                      std::size_t{problem_.grid.y} * problem_.block.y};
        for (int i = 0; i < times; ++i)
            check(clEnqueueNDRangeKernel(queue_, kernel_, 2, nullptr, global, local, 0, nullptr,
                                         nullptr),
                  "launch");
        check(clFinish(queue_), "finish");
    }
    std::vector<float> result() override
    {
        std::vector<float> values(problem_.buffers.back());
        check(clEnqueueReadBuffer(queue_, memory_.back(), CL_TRUE, 0, values.size() * 4,
                                  values.data(), 0, nullptr, nullptr),
              "read");
        return values;
    }

private:
    void build()
    {
        const std::string text = opencl_text(problem_.asset + ".cu");
        const char* begin = text.c_str();
        cl_int status = 0;
        program_ = clCreateProgramWithSource(context_, 1, &begin, nullptr, &status);
        check(status, "program");
        if (clBuildProgram(program_, 1, &device_, "", nullptr, nullptr) != CL_SUCCESS) {
            std::string log(65536, '\0');
            clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, log.size(), log.data(),
                                  nullptr);
            throw std::runtime_error(log.c_str());
        }
        kernel_ = clCreateKernel(program_, problem_.kernel.c_str(), &status);
        check(status, "kernel");
    }
    void arguments()
    {
        cl_uint index = 0;
        for (const std::size_t count : problem_.buffers) {
            std::vector<float> values = contents(count);
            cl_int status = 0;
            memory_.push_back(clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                             4 * count, values.data(), &status));
            check(status, "buffer");
            check(clSetKernelArg(kernel_, index++, sizeof(cl_mem), &memory_.back()), "argument");
        }
        for (const int value : problem_.integers)
            check(clSetKernelArg(kernel_, index++, sizeof value, &value), "argument");
        if (!problem_.is_heat) return;
        const float k = 0.2f;
        const cl_uchar insulated = 0;
        check(clSetKernelArg(kernel_, index++, sizeof k, &k), "argument");
        check(clSetKernelArg(kernel_, index++, sizeof insulated, &insulated), "argument");
    }

    const Problem& problem_;
    cl_device_id device_ = nullptr;
    cl_context context_ = nullptr;
    cl_command_queue queue_ = nullptr;
    cl_program program_ = nullptr;
    cl_kernel kernel_ = nullptr;
    std::vector<cl_mem> memory_;
};

class Machine : public Way {
public:
    Machine(const Problem& problem, bool counted)
        : counted_(counted), module_(device_->load(*assets::find(problem.asset + ".ptx"))),
          kernel_(module_->kernel(problem.kernel))
    {
        launch_.grid = problem.grid;
        launch_.block = problem.block;
        for (const std::size_t count : problem.buffers) {
            buffers_.push_back(device_->allocate(4 * count));
            device::upload<float>(*device_, buffers_.back()->address(), contents(count));
            launch_.arguments.emplace_back(*buffers_.back());
        }
        for (const int value : problem.integers) launch_.arguments.emplace_back(value);
        if (!problem.is_heat) return;
        launch_.arguments.emplace_back(0.2f);
        launch_.arguments.emplace_back(std::uint8_t{0});
    }
    void launch(int times) override
    {
        for (int i = 0; i < times; ++i) {
            trace::Trace trace;
            launch_.trace = counted_ ? &trace : nullptr;
            device_->launch(kernel_, launch_);
        }
    }
    std::vector<float> result() override
    {
        const device::Buffer& last = *buffers_.back();
        return device::download<float>(*device_, last.address(), last.bytes() / 4);
    }

private:
    const bool counted_;
    std::unique_ptr<device::Device> device_ = simt::make_device();
    std::unique_ptr<device::Module> module_;
    const device::Kernel& kernel_;
    device::Launch launch_;
    std::vector<std::unique_ptr<device::Buffer>> buffers_;
};

// Milliseconds per launch.
struct Times {
    double clock = 1e9;
    double cores = 1e9; // CPU time, summed over all cores
};

double seconds_of(clockid_t which)
{
    timespec now{};
    clock_gettime(which, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void measure(Way& way, Times& least)
{
    constexpr int batches = 12, times = 10;
    for (int batch = 0; batch < batches; ++batch) {
        const double clock = seconds_of(CLOCK_MONOTONIC);
        const double cores = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        way.launch(times);
        least.clock = std::min(least.clock, 1e3 / times * (seconds_of(CLOCK_MONOTONIC) - clock));
        least.cores =
            std::min(least.cores, 1e3 / times * (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cores));
    }
}

void compare(const Problem& problem, int rounds)
{
    OpenCl opencl(problem);
    Machine plain(problem, false), counted(problem, true);
    Way* const ways[] = {&opencl, &plain, &counted};
    Times times[3];
    for (Way* way : ways) way->launch(30);
    const auto wanted = opencl.result(), got = plain.result();
    float difference = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        difference = std::max(difference, std::abs(wanted[i] - got[i]));
    for (int round = 0; round < rounds; ++round)
        for (int k = 0; k < 3; ++k) measure(*ways[(k + round) % 3], times[(k + round) % 3]);
    const char* const names[] = {"OpenCL", "simt plain", "simt counted"};
    for (int k = 0; k < 3; ++k)
        fmt::print("{:28} {:13} {:8.3f} ms ({:5.2f} × OpenCL)   all cores {:8.3f} ms ({:5.2f} ×)\n",
                   problem.title, names[k], times[k].clock, times[0].clock / times[k].clock,
                   times[k].cores, times[0].cores / times[k].cores);
    fmt::print("{:28} results differ by {:.1e} at most\n", "", difference);
    std::fflush(stdout);
}

} // namespace

int main(int count, char** arguments)
{
    const int rounds = count > 1 ? std::atoi(arguments[1]) : 7;
    constexpr std::size_t square = 256 * 256, plate = 512 * 512;
    const std::vector<std::size_t> matrices(3, square);
    const Problem problems[] = {
        {"multiply 256 (simt_bench)",
         "tests/bench/simt_bench",
         "multiply",
         {16, 16, 1},
         {16, 16, 1},
         matrices,
         {256}},
        {"matmul/naive 256",
         "compute/labs/matmul/naive",
         "matmul_naive",
         {8, 32, 1},
         {32, 8, 1},
         matrices,
         {256, 256, 256}},
        {"heat/naive 512²",
         "compute/labs/heat/naive",
         "heat_naive",
         {16, 64, 1},
         {32, 8, 1},
         {plate, plate},
         {512, 512},
         true},
    };
    try {
        fmt::print("{}\n", OpenCl(problems[0]).name());
        for (const Problem& problem : problems) compare(problem, std::max(rounds, 1));
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 4;
    }
    return 0;
}
