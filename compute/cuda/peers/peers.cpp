// Table of peers: one function and file per peer, one row each.
#include "compute/cuda/peers/peers.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compute/cuda/availability.h"
#include "compute/cuda/driver/older_driver.h"

namespace lanescope::cuda {

std::unique_ptr<Peer> make_cub_histogram(CudaDevice& device, const Task& task);
std::unique_ptr<Peer> make_cub_radix_sort(CudaDevice& device, const Task& task);
std::unique_ptr<Peer> make_cub_reduce(CudaDevice& device, const Task& task);
std::unique_ptr<Peer> make_cub_scan(CudaDevice& device, const Task& task);
std::unique_ptr<Peer> make_cub_select(CudaDevice& device, const Task& task);
std::unique_ptr<Peer> make_cub_transform_add(CudaDevice& device, const Task& task);
std::unique_ptr<Peer> make_cublas_geam(CudaDevice& device, const Task& task);
std::unique_ptr<Peer> make_cublas_gemm(CudaDevice& device, const Task& task);
std::unique_ptr<Peer> make_cublas_sgemm(CudaDevice& device, const Task& task);
std::unique_ptr<Peer> make_cusparse_spmv(CudaDevice& device, const Task& task);

namespace {

struct Known {
    std::string_view name;
    std::unique_ptr<Peer> (*make)(CudaDevice&, const Task&);
    bool needs_runtime = false; // compiled into this program and launched by its CUDA runtime
};
constexpr Known known[] = {
    {"cub_histogram", make_cub_histogram, true},
    {"cub_radix_sort", make_cub_radix_sort, true},
    {"cub_reduce", make_cub_reduce, true},
    {"cub_scan", make_cub_scan, true},
    {"cub_select", make_cub_select, true},
    {"cub_transform_add", make_cub_transform_add, true},
    {"cublas_geam", make_cublas_geam},
    {"cublas_gemm", make_cublas_gemm},
    {"cublas_sgemm", make_cublas_sgemm},
    {"cusparse_spmv", make_cusparse_spmv},
};

} // namespace

const device::Buffer& Task::buffer(std::string_view name) const
{
    requested_.emplace(name);
    if (const device::Buffer* buffer = buffers_(name)) return *buffer;
    throw device::LaunchError(
        fmt::format("The library call needs a buffer '{}' that the record does not provide.", name),
        fmt::format("Add it to the peer's arguments: \"takes\": {{\"{}\": buffer, …}}.", name));
}

double Task::number(std::string_view name) const
{
    requested_.emplace(name);
    try {
        return numbers_(name);
    } catch (const std::out_of_range&) {
        throw device::LaunchError(
            fmt::format("The library call needs a number '{}' that the record does not provide.",
                        name),
            fmt::format("Add it to the peer's arguments: \"takes\": {{\"{}\": expression, …}}.",
                        name));
    }
}

std::int64_t Task::whole(std::string_view name) const
{
    const double value = number(name);
    if (value != std::floor(value) || !(std::abs(value) <= 0x1p53))
        throw device::LaunchError(
            fmt::format("The library call's argument '{}' is {}.", name, value),
            "It must be a whole number.");
    return static_cast<std::int64_t>(value);
}

int Task::whole_int(std::string_view name) const
{
    const std::int64_t value = whole(name);
    if (std::abs(value) > std::numeric_limits<int>::max())
        throw device::LaunchError(
            fmt::format("The library call's argument '{}' is {}.", name, value),
            "It must fit in 32 bits: choose a smaller size.");
    return static_cast<int>(value);
}

std::vector<std::string_view> peer_names()
{
    std::vector<std::string_view> names;
    for (const Known& one : known) names.push_back(one.name);
    return names;
}

std::unique_ptr<Peer> make_peer(std::string_view name, CudaDevice& device, const Task& task)
{
    for (const Known& one : known) {
        if (one.name != name) continue;
        if (one.needs_runtime && driver_answers())
            throw device::DeviceError(
                fmt::format("{} {}", name, needs_newer_driver(driver_version_text())),
                "Update the driver to compare with CUB; everything else runs with this one.");
        return one.make(device, task);
    }
    throw Error(ExitStatus::no_such_thing,
                fmt::format("There is no library call '{}' to compare with.", name),
                fmt::format("Available: {}.", fmt::join(peer_names(), ", ")));
}

} // namespace lanescope::cuda
