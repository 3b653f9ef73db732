// Lets programs that were written for CUDA 12 or older compile unmodified: a header restores what
// CUDA 13 removed or changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::app {

// The header. nvcc includes it before the source; under an older CUDA it is empty.
std::string_view older_cuda_header();

// One sentence for each name in the compiler's output that CUDA 13 removed or changed.
std::vector<std::string> older_cuda_names(std::string_view compiler_output);

} // namespace lanescope::app
