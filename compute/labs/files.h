// Where the files of a lab come from: the program, a folder, texts. What is compiled from a .cu is
// compiled once for each text.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "compute/labs/lab.h"

namespace lanescope::labs {

// What the text is compiled to by the compiler that compile_with() was given. Whoever asks for the
// same meanwhile waits for it; errors of the text are kept as well and thrown again. From any
// thread.
std::shared_ptr<const CompiledText> compiled(std::string_view text,
                                             const std::filesystem::path& name,
                                             const std::filesystem::path& folder = {});

// Compiles everything anew: the compiler finds other headers from now on.
void forget_compiled();

Files embedded_files(std::string id);
Files folder_files(const std::filesystem::path& folder);
// Those of `texts`, and below them those of `base`, which may be null.
Files files_of(std::shared_ptr<const Texts> texts, const Lab* base);

} // namespace lanescope::labs
