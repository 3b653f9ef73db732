// What the mouse points at lights up elsewhere: of an element of the picture the lines that wrote
// it, of such a line the elements that were written.
#pragma once

#include <string>
#include <vector>

#include "app/run/frame.h"
#include "app/window/editor/code_state.h"
#include "app/window/layout.h"
#include "app/window/panels/style.h"

namespace lanescope::app {

struct Interaction;
struct Document;

// Whether the pointed-at warp stored by a line.
enum class Lit : std::uint8_t { no, wrote };
Lit lit(const CodeState& state, const SideFrame& side, const SourceLine* line);
// All lines by which it stored, from 1.
std::vector<int> written_by(const CodeState& state, const SideFrame& side);

// The warp that stored the element under the mouse; nothing where no warp is known.
std::optional<std::uint32_t> pointed_warp(const Area& picture, const Document& document,
                                          const Frame& frame, const Interaction& ui);
// Darkens the elements that were not written, while the mouse points at a line that writes.
void light_elements(const PanelStyle& style, const Area& picture, const Document& document,
                    const Frame& frame, const Interaction& ui);

} // namespace lanescope::app
