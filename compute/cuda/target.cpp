// Compares the number and suffix of a PTX target with a compute capability.
#include "compute/cuda/target.h"

#include <charconv>

#include <fmt/format.h>

namespace lanescope::cuda {

std::string target_problem(std::string_view target, const device::Properties& gpu)
{
    int number = 0;
    const std::size_t digits = target.find_first_of("0123456789");
    if (digits == target.npos) return {};
    const char* const end = target.data() + target.size();
    const char* const rest = std::from_chars(target.data() + digits, end, number).ptr;
    const char suffix = rest == end ? ' ' : *rest;
    const int capability = gpu.compute_major * 10 + gpu.compute_minor;
    const bool runs = suffix == 'a'   ? capability == number
                      : suffix == 'f' ? capability >= number && gpu.compute_major == number / 10
                                      : capability >= number;
    if (runs) return {};
    return fmt::format("This kernel needs compute capability {}.{}{}, and {} has {}.{}.",
                       number / 10, number % 10,
                       suffix == 'a'   ? " exactly"
                       : suffix == 'f' ? " or a later one of its family"
                                       : "",
                       gpu.name, gpu.compute_major, gpu.compute_minor);
}

} // namespace lanescope::cuda
