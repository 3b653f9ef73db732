// Cross-highlighting: the mouse on an element highlights the source lines that wrote it; the mouse
// on such a line highlights the elements that it wrote.
#pragma once

#include <string>
#include <vector>

#include "app/run/frame/frame.h"
#include "app/window/editor/text/code_state.h"
#include "app/window/gui/layout.h"
#include "app/window/gui/style.h"

namespace lanescope::app {

struct Interaction;
struct Document;

// True (`wrote`) if the hovered warp stored from a line.
enum class Highlight : std::uint8_t { no, wrote };
Highlight highlight_of(const CodeState& state, const SideFrame& side, const SourceLine* line);
// All lines from which the warp stored, from 1.
std::vector<int> written_by(const CodeState& state, const SideFrame& side);

// The warp that stored the element under the mouse; empty if unknown.
std::optional<std::uint32_t> pointed_warp(const Area& picture, const Document& document,
                                          const Frame& frame, const Interaction& ui);
// Darkens the elements that were not written, while the mouse is on a line that writes.
void darken_unwritten(const PanelStyle& style, const Area& picture, const Document& document,
                      const Frame& frame, const Interaction& ui);

} // namespace lanescope::app
