// The heat lab's record: an explicit five-point stencil on a plate, and the ladder from naive to temporal blocking.
#include "compute/labs/heat/plate.h"

namespace lanescope::labs::heat {
namespace {

using Kind = Parameter::Kind;

const Registration registration(Lab{
    .id = "heat",
    .title = "Heat on a plate",
    .question = "How often must a cell be fetched, when five cells need it?",
    .order = 10,
    .parameters =
        {{.id = "size", .title = "Size", .unit = "cells", .kind = Kind::integer, .min = 3, .max = 16384, .initial = 512,
          .restarts = true, .logarithmic = true, .help = "Cells across the plate; also up it, unless a height is given."},
         {.id = "height", .title = "Height", .unit = "cells", .kind = Kind::integer, .min = 0, .max = 16384, .initial = 0,
          .restarts = true, .help = "Cells up the plate; 0 makes it as high as it is wide."},
         {.id = "diffusion", .title = "Diffusion number", .unit = "", .kind = Kind::real, .min = 0, .max = 0.5,
          .initial = 0.2, .help = "Diffusivity times time step over cell area; stable up to 0.25."},
         {.id = "boundary", .title = "Boundary", .unit = "", .kind = Kind::choice, .choices = {"fixed", "insulated"},
          .help = "The rim keeps its temperature, or lets no heat through."},
         {.id = "steps_per_frame", .title = "Steps a frame", .unit = "steps", .kind = Kind::integer, .min = 1, .max = 1000,
          .initial = 2, .logarithmic = true, .help = "How many launches the window makes between two pictures."}},
    .variants =
        {{.id = "naive", .title = "Naive", .idea = "One thread a cell; every neighbour from global memory.",
          .source = "naive.cu", .kernel = "heat_naive", .block = {32, 8, 1}, .tile = {32, 8, 1}},
         {.id = "shared_tile", .title = "Shared tile", .idea = "A block loads its cells and a rim once, into shared memory.",
          .source = "shared_tile.cu", .kernel = "heat_shared_tile", .block = {32, 16, 1}, .tile = {32, 16, 1}},
         {.id = "register_march", .title = "Register march",
          .idea = "A thread walks up a column and keeps three cells in registers.", .source = "register_march.cu",
          .kernel = "heat_register_march", .block = {64, 4, 1}, .tile = {64, 64, 1}},
         {.id = "float4", .title = "float4", .idea = "Four columns and four rows a thread, 16 bytes a load.",
          .source = "float4.cu", .kernel = "heat_float4", .block = {32, 8, 1}, .tile = {128, 32, 1}},
         {.id = "temporal", .title = "Temporal", .idea = "Four steps for one trip to memory, in registers.",
          .source = "temporal.cu", .kernel = "heat_temporal", .block = {32, 4, 1}, .tile = {120, 128, 1}, .steps = 4}},
    .presets =
        {{.title = "Naive, small plate", .variant = "naive", .values = {{"size", "256"}}},
         {.title = "A rim that insulates", .variant = "", .values = {{"boundary", "insulated"}}},
         {.title = "Just stable", .variant = "", .values = {{"diffusion", "0.25"}}},
         {.title = "Blowing up", .variant = "", .values = {{"diffusion", "0.26"}}},
         {.title = "Larger than the L2 cache", .variant = "float4", .values = {{"size", "8192"}}}},
    .views = {"field", "surface"},
    .tolerance_reason = "Single precision rounds about four times a step, each time by at most half a unit in the last place "
                        "of 100 °C, and a stable scheme does not amplify what it rounded before.",
    .test_sizes = {{{"size", "3"}},
                   {{"size", "31"}, {"height", "33"}},
                   {{"size", "257"}, {"height", "129"}},
                   {{"size", "512"}},
                   {{"size", "100"}, {"height", "61"}, {"boundary", "insulated"}}},
    .l2_sized = {{"size", "2048"}},
    .dram_sized = {{"size", "8192"}},
    .start = [](const Setup& setup) -> std::unique_ptr<Experiment> { return std::make_unique<PlateExperiment>(setup); },
});

} // namespace
} // namespace lanescope::labs::heat
