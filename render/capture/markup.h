// Escapes text and encodes bytes for markup files: SVG, HTML, Markdown.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::render {

// Escapes text for use in elements and attributes.
std::string escape(std::string_view text);

// The same for Markdown: the result contains no markup, link or HTML, and fits into a table cell.
std::string markdown_text(std::string_view text);

// Replaces control characters other than tabs and line ends, which XML and LaTeX do not allow, by
// U+FFFD.
std::string without_controls(std::string_view text);

std::string base64(std::string_view bytes);

} // namespace lanescope::render
