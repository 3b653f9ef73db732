// Where the files of a lab come from: embedded in the program, a folder, or sources in memory. Each
// .cu source is compiled only once.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "compute/experiment/lab/lab.h"

namespace lanescope::labs {

// Output of the compiler given to compile_with(). Concurrent requests for the same source wait for
// it; errors in the source are cached and rethrown. Thread-safe.
std::shared_ptr<const CompiledText> compiled(std::string_view text,
                                             const std::filesystem::path& name,
                                             const std::filesystem::path& folder = {});

// Discards compiled sources, because the headers that the compiler finds have changed.
void clear_compiled_cache();

Files embedded_files(std::string id);
Files folder_files(const std::filesystem::path& folder);
// Files in `texts`; all others come from `base`, which may be null.
Files files_of(std::shared_ptr<const Texts> texts, const Lab* base);

} // namespace lanescope::labs
