// The manual is the folder assets/manual of the source tree.
#include "app/window/manual.h"

#include "compute/cuda/compile/toolkit.h"

namespace lanescope::app {

std::filesystem::path manual_page()
{
    const std::filesystem::path page = cuda::program_folder() / "manual" / "README.md";
    std::error_code ignored;
    return std::filesystem::exists(page, ignored) ? page : std::filesystem::path();
}

} // namespace lanescope::app
