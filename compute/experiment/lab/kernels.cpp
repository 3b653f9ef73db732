// Loads a lab's PTX on demand, so that variants that are never opened are never compiled.
#include "compute/experiment/lab/kernels.h"

#include <filesystem>

#include <fmt/format.h>

#include "compute/device/kernel_names.h"
#include "compute/endings.h"
#include "compute/experiment/source/includes.h"

namespace lanescope::labs {

const device::Kernel& Kernels::get(std::string_view source, std::string_view kernel)
{
    const device::Module& all = module(source);
    const std::string wanted(kernel);
    const std::vector<std::string> names = device::meant(all.kernel_names(), wanted);
    if (names.size() > 1)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} has several kernels named {}.", source, kernel),
                    "Name one with its template arguments, as in \"scale<float>\".");
    return all.kernel(names.empty() ? wanted : names.front());
}

const device::Module& Kernels::module(std::string_view source)
{
    auto found = modules_.find(source);
    if (found == modules_.end()) {
        const std::string ptx =
            std::filesystem::path(source).replace_extension(ending::ptx).string();
        const std::string_view text = lab_.file(ptx);
        check_ptx(text, ptx);
        found = modules_.emplace(source, device_.load(text)).first;
    }
    return *found->second;
}

} // namespace lanescope::labs
