// Texts and bytes inside files of markup: SVG, HTML, Markdown.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::render {

// Text that stands for itself, in elements and in attributes.
std::string escape(std::string_view text);

// The same for Markdown: nothing in it is markup, a link, HTML, or the end of a table's cell.
std::string markdown_text(std::string_view text);

// Control characters, which XML and LaTeX do not allow, but for tabs and ends of lines, as U+FFFD.
std::string without_controls(std::string_view text);

std::string base64(std::string_view bytes);

} // namespace lanescope::render
