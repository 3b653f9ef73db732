// The content of a tab: plots, bars or a listing, the accompanying words, and the same data as a
// table. The window, exports and commands draw exhibits with the same code.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "app/export/table.h"
#include "render/views/plot/bar_chart.h"
#include "render/views/plot/listing.h"
#include "render/views/plot/plot.h"

namespace lanescope::app {

struct Exhibit {
    struct Part {
        std::variant<render::Plot, render::BarChart, render::Listing> what;
        float share = 1;      // fraction of the width when side by side
        float min_width = 21; // in em: narrower parts are stacked
    };

    std::string name;  // for file names: "sweep"
    std::string title; // "Heat equation: step times"
    std::string words; // one sentence: what was measured and how
    std::vector<Part> parts;
    Table table{{}};
};

// Heights in pixels.
struct PartSizes {
    float plot = 0; // height of one plot
    float text = 0; // height of a line of text
};

// Height of the parts at this width, side by side if there is room.
float parts_height(const std::vector<Exhibit::Part>& parts, float width, const PartSizes& sizes);

// Draws into a box of that height.
void draw_parts(render::Painter& painter, const render::Box& box,
                const std::vector<Exhibit::Part>& parts, const PartSizes& sizes,
                const render::Theme& theme);

// The whole exhibit as a page: title, words, parts.
struct Page {
    float width = 0;
    float height = 0;
    float text_px = 0;
};
Page page_of(render::Painter& painter, const Exhibit& exhibit, float width);
void draw_page(render::Painter& painter, const Page& page, const Exhibit& exhibit,
               const render::Theme& theme);

} // namespace lanescope::app
