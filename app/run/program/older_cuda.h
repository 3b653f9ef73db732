// Programs that were written for CUDA 12 or older: what CUDA 13 removed or changed is given back to
// their sources by a header, so that they compile as they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::app {

// The header. nvcc includes it before the source; under an older CUDA it is empty.
std::string_view older_cuda_header();

// Sentences on what CUDA 13 changed, for each such name in what the compiler printed.
std::vector<std::string> older_cuda_names(std::string_view compiler_output);

} // namespace lanescope::app
