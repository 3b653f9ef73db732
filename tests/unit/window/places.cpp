// Compares texts by the bounding boxes of their glyphs.
#include "tests/unit/window/places.h"

#include <fmt/format.h>

#include <algorithm>

namespace lanescope::test {
namespace {

// True if two visible texts overlap by more than a corner of a letter.
bool collide(const SeenText& a, const SeenText& b)
{
    const float min_overlap = 0.15F * std::min(a.size, b.size);
    return std::min(a.ink.right(), b.ink.right()) - std::max(a.ink.x, b.ink.x) > min_overlap &&
           std::min(a.ink.bottom(), b.ink.bottom()) - std::max(a.ink.y, b.ink.y) > min_overlap;
}

} // namespace

std::string describe(const SeenText& text)
{
    return fmt::format("\"{}\" ({}, {:.0f} px at {:.0f}, {:.0f}; {:.0f} × {:.0f})", text.words,
                       text.window, text.size, text.ink.x, text.ink.y, text.ink.width,
                       text.ink.height);
}

std::vector<std::string> faults_of(const Seen& seen, ImVec2 size)
{
    std::vector<std::string> faults;
    std::vector<const SeenText*> visible;
    for (const SeenText& text : seen.texts) {
        if (text.hidden) continue;
        visible.push_back(&text);
        if (!text.cut.empty()) faults.push_back(describe(text) + " is cut: " + text.cut);
        if (text.ink.x < -1 || text.ink.right() > size.x + 1)
            faults.push_back(describe(text) + " leaves the window");
    }
    std::ranges::sort(visible, {}, [](const SeenText* text) { return text->ink.y; });
    for (std::size_t i = 0; i < visible.size(); ++i)
        for (std::size_t j = i + 1; j < visible.size(); ++j) {
            if (visible[j]->ink.y > visible[i]->ink.bottom()) break;
            if (collide(*visible[i], *visible[j]))
                faults.push_back(describe(*visible[i]) + " lies over " + describe(*visible[j]));
        }
    return faults;
}

} // namespace lanescope::test
