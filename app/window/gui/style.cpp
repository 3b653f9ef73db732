// Breaks text into lines.
#include "app/window/gui/style.h"

namespace lanescope::app {

std::string broken_into_lines(ImFont* font, float size_px, std::string_view words, float room)
{
    std::string broken;
    std::string line;
    while (!words.empty()) {
        const std::size_t end = std::min(words.find_first_of(" \n"), words.size());
        const std::string word(words.substr(0, end));
        const std::string longer = line.empty() ? word : line + ' ' + word;
        if (!line.empty() && width_of(font, size_px, longer) > room) {
            broken += line + '\n';
            line = word;
        } else {
            line = longer;
        }
        if (end < words.size() && words[end] == '\n') {
            broken += line + '\n';
            line.clear();
        }
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return broken + line;
}

} // namespace lanescope::app
