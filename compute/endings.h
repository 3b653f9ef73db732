// File name extensions that identify the type of a file, each defined only here.
#pragma once

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace lanescope::ending {

inline constexpr const char* cuda_source = ".cu";
inline constexpr const char* ptx = ".ptx";
inline constexpr const char* compiler_log = ".ptx.log"; // replaces the extension of cuda_source
inline constexpr const char* session = ".json";
inline constexpr const char* lecture = ".lecture";
inline constexpr const char* png = ".png"; // a picture with its session embedded
inline constexpr const char* svg = ".svg";
inline constexpr const char* pdf = ".pdf";
inline constexpr const char* csv = ".csv";
inline constexpr const char* markdown = ".md";
inline constexpr const char* latex = ".tex";
inline constexpr const char* powerpoint = ".pptx";
inline constexpr const char* mp4 = ".mp4";
inline constexpr const char* gif = ".gif";

inline bool is_one_of(const std::filesystem::path& file, std::span<const std::string_view> endings)
{
    return std::ranges::find(endings, file.extension().string()) != endings.end();
}

// Joins the extensions into a phrase: ".svg, .pdf or .png".
inline std::string listed(std::span<const std::string_view> endings)
{
    std::string text;
    for (std::size_t i = 0; i < endings.size(); ++i) {
        if (i > 0) text += i + 1 < endings.size() ? ", " : " or ";
        text += endings[i];
    }
    return text;
}

} // namespace lanescope::ending
