// Which heatmaps can be drawn over the picture, their names on screen, and the views' colours.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/document/look/look.h"
#include "app/document/look/maps.h"
#include "app/run/frame/frame.h"
#include "render/views/paint/theme.h"

namespace lanescope::app {

struct MapOverlay;

// "no heatmap", "sectors / ideal, stores": a map's title.
std::string map_title(const std::string& name, trace::Scope of = trace::Scope::all);

// Why the map cannot be drawn on this side, as a sentence shown instead of its scale; empty if it
// can, or if that is not known yet. `totals` belong to the side's variant; null if nothing was
// counted.
std::string map_problem(const SideFrame& side, const std::string& map, const trace::Totals* totals,
                        trace::Scope of = trace::Scope::all);
// The next or previous map in the order of map_names() among those that can be drawn, or among all
// if none can.
std::string map_after(const SideFrame& side, const trace::Totals* totals, const std::string& map,
                      int by, trace::Scope of = trace::Scope::all);
// The next scope of the map: all accesses, then each kind that the variant makes.
trace::Scope scope_after(const trace::Totals* totals, const std::string& map, trace::Scope of);

// "loads 1.00×, stores 8.00×": the map's value over the launch by kind of access, or by the level
// that served it; empty if there is only one kind, or the map has none.
std::string map_parts(const SideFrame& side, const trace::Totals& totals, const std::string& map);

// The views' colours for a theme.
const render::Theme& view_theme(Theme theme);

// The selected map, if it has been counted. The scale is fixed, so that variants can be compared by
// eye, unless the look asks for auto range; totals per warp always use auto range. Both sides of
// A/B share the scale.
std::optional<MapOverlay> map_overlay(const SideFrame& side, const Look& look,
                                      const SideFrame* beside = nullptr);

} // namespace lanescope::app
