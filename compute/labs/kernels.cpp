// Loading a lab's PTX on demand: a student who never opens a variant never waits for its
// compilation.
#include "compute/labs/kernels.h"

#include <filesystem>

namespace lanescope::labs {

const device::Kernel& Kernels::get(std::string_view source, std::string_view kernel)
{
    auto found = modules_.find(source);
    if (found == modules_.end()) {
        const std::string ptx = std::filesystem::path(source).replace_extension(".ptx").string();
        found = modules_.emplace(source, device_.load(lab_.file(ptx))).first;
    }
    return found->second->kernel(kernel);
}

} // namespace lanescope::labs
