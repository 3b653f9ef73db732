// Resources that equal occupants share, a bar each: what every occupant takes, what is left over,
// and which resource is used up first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "render/views/paint/painter.h"

namespace lanescope::render {

struct SlotsRow {
    std::string title; // "registers"
    std::string unit;  // "B" is written as KiB where that is shorter
    std::int32_t capacity = 0;
    std::int32_t taken = 0; // by one occupant
    std::int32_t asked = 0; // what it needs of that; the rest is rounding
    std::int32_t fits = 0;  // occupants that this resource alone has room for; INT32_MAX: any
};

struct SlotsData {
    std::vector<SlotsRow> rows;
    std::string occupant;       // "block"
    std::int32_t occupants = 0; // what the scarcest resource has room for
};

void draw_slots(Painter& painter, const Box& box, const SlotsData& data, const Theme& theme,
                float text_px);

} // namespace lanescope::render
