// Which of the heatmaps over the picture can be drawn, and how they are called on screen; and the
// colours around them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/document/look.h"
#include "app/document/maps.h"
#include "app/run/frame.h"
#include "render/views/paint/theme.h"

namespace lanescope::app {

struct MapOverlay;

// "no heatmap", "sectors / ideal, stores": a map's name in words.
std::string map_title(const std::string& name, trace::Scope of = trace::Scope::all);

// Why the map has nothing to draw on this side, in a sentence for the place of its scale; empty
// where it can be drawn or that is not known yet. `totals` are those of the side's variant; null:
// nothing was counted.
std::string map_problem(const SideFrame& side, const std::string& map, const trace::Totals* totals,
                        trace::Scope of = trace::Scope::all);
// The map that follows, or comes before, in the order of map_names(), of those that can be drawn;
// where none can, of all.
std::string map_after(const SideFrame& side, const trace::Totals* totals, const std::string& map,
                      int by, trace::Scope of = trace::Scope::all);
// What the map covers next: all, then each kind of access that the variant makes there.
trace::Scope scope_after(const trace::Totals* totals, const std::string& map, trace::Scope of);

// "loads 1.00×, stores 8.00×": what the map's number is made of, over the launch, by kind of
// access; empty where there is one kind alone, or the map has none.
std::string map_parts(const trace::Totals& totals, const std::string& map);

// The views' colours for a theme.
const render::Theme& view_theme(Theme theme);

// The map that the look asks for, as far as it has been counted. The scale is fixed, so that
// variants can be compared by eye, unless the look wants auto range; a warp's own sums
// always have it so, where they are counted. The other side of A/B, if there is one, has the same.
std::optional<MapOverlay> map_overlay(const SideFrame& side, const Look& look,
                                      const SideFrame* beside = nullptr);

} // namespace lanescope::app
