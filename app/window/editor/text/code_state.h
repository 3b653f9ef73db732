// Interaction state of the code view that is not part of a document: caret, search, hovered
// element, layout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/window/editor/text/code_sheet.h"
#include "app/window/editor/text/text_edit.h"

namespace lanescope::app {

struct CodeState {
    CodeSheet sheet;

    // While editing, keys go to the text.
    bool editing = false;
    Caret caret;
    std::string seen;      // text at the last update of the caret
    bool to_caret = false; // scroll to it in the next frame
    bool dragging = false; // the mouse is selecting
    bool details = false;  // show the compiler's original messages below the sentences
    int page = 20;         // number of visible lines
    std::size_t row_count = 0;

    // Search (Ctrl F).
    bool finding = false;
    std::string needle;
    Caret needle_caret;
    std::size_t match = 0;
    bool to_match = false; // scroll to it in the next frame

    // With the mouse on the picture: the warp that wrote the element under it, and the lines that
    // stored the element. With the mouse on the code: the line under it, from 1; 0: none.
    std::optional<std::uint32_t> warp;
    std::vector<int> highlighted;
    int line = 0;

    int fault = 0;                                  // line of the last fault shown; 0: none
    int stepped = 0;                                // line of the last step; 0: none
    bool had_counts = false;                        // in the previous frame …
    std::string of;                                 // … for this variant
    std::vector<CodeNote> costs;                    // compared with the previous version …
    std::pair<const void*, const void*> costs_of{}; // … for these two versions

    // Two versions, each by variant and number, whose texts and costs are compared.
    using Chosen = std::pair<std::string, int>;
    std::optional<Chosen> first, second;
};

} // namespace lanescope::app
