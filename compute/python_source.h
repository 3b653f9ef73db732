// Recognises Python source files by their name.
#pragma once

#include <filesystem>

namespace lanescope {

inline bool is_python_source(const std::filesystem::path& file)
{
    return file.extension() == ".py";
}

} // namespace lanescope
