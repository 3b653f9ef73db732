// A lab's lesson: Markdown as headings, paragraphs, lists and tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/window/panels/style.h"

namespace lanescope::app {

// One block of the text, its inline marks flattened.
struct LessonBlock {
    enum class Kind { heading, paragraph, item, code, row };
    Kind kind = Kind::paragraph;
    std::string text;
    std::vector<std::string> cells; // of a row
};

std::vector<LessonBlock> read_lesson(std::string_view markdown);

void lesson_panel(const PanelStyle& style, const std::vector<LessonBlock>& blocks);

} // namespace lanescope::app
