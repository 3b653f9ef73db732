// Resources shared by equal occupants, one bar each: the share of every occupant, the rest, and the
// resource that is used up first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "render/views/paint/painter.h"

namespace lanescope::render {

struct SlotsRow {
    std::string title; // "registers"
    std::string unit;  // "B" is displayed as KiB if that is shorter
    std::int32_t capacity = 0;
    std::int32_t taken = 0; // per occupant
    std::int32_t asked = 0; // part of `taken` that was requested; the rest is rounding up
    std::int32_t fits = 0;  // max. occupants if this were the only resource; INT32_MAX: unlimited
    std::string mark{};     // name of the capacity, which occupants may exceed: "needed"; empty:
                            // a limit
};

struct SlotsData {
    std::vector<SlotsRow> rows;
    std::string occupant;       // "block"
    std::int32_t occupants = 0; // allowed by the scarcest resource
};

void draw_slots(Painter& painter, const Box& box, const SlotsData& data, const Theme& theme,
                float text_px);

} // namespace lanescope::render
