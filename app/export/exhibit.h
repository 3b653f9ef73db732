// What a tab of the window shows: plots, bars or a listing, the words that belong to them, and the
// same as a table. The window, exports and commands draw exhibits by the same code.
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
        float share = 1;      // of the width, where parts stand side by side
        float min_width = 21; // in heights of the text: below it they stand one above the other
    };

    std::string name;  // for file names: "sweep"
    std::string title; // "Heat equation: step times"
    std::string words; // what was measured and how, in a sentence
    std::vector<Part> parts;
    Table table{{}};
};

// In pixels.
struct PartSizes {
    float plot = 0; // how high one is
    float text = 0; // the height of a line
};

// How high the parts are at this width, side by side where there is room.
float parts_height(const std::vector<Exhibit::Part>& parts, float width, const PartSizes& sizes);

// In a box of that height.
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
