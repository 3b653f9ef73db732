// What belongs to the shown code and to nobody's document: where the caret stands, what is being
// looked for, what the mouse points at, how it is laid out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/window/editor/code_sheet.h"
#include "app/window/editor/text_edit.h"

namespace lanescope::app {

struct CodeState {
    CodeSheet sheet;

    // While it is edited, keys are the text's.
    bool editing = false;
    Caret caret;
    std::string seen;      // the text that the caret stands in, as it was last
    bool to_caret = false; // it is to be scrolled to
    bool dragging = false; // the mouse selects
    bool details = false;  // the compiler's own words stand below its sentences
    int page = 20;         // lines that are seen
    std::size_t row_count = 0;

    // Ctrl F.
    bool finding = false;
    std::string needle;
    Caret needle_caret;
    std::size_t match = 0;
    bool to_match = false; // it is to be scrolled to

    // The mouse on the picture: the warp, of the launch, that wrote what it points at, and the
    // lines by which it did. On the code: the line, from 1; 0: none.
    std::optional<std::uint32_t> warp;
    std::vector<int> lit;
    int line = 0;

    int fault = 0;               // the line of the fault that was shown last; 0: none
    int stepped = 0;             // the line that was stepped to last; 0: none
    bool had_counts = false;     // in the last frame …
    std::string of;              // … of this variant
    std::vector<CodeNote> costs; // against the version before …
    std::pair<const void*, const void*> costs_of{}; // … of these two versions

    // Two versions, by variant and number, whose texts and costs are compared.
    using Chosen = std::pair<std::string, int>;
    std::optional<Chosen> first, second;
};

} // namespace lanescope::app
