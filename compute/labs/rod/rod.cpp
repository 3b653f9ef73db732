// The rod lab's record: the heat equation in one dimension, where a single ghost cell decides about alignment.
#include "compute/labs/rod/line.h"

namespace lanescope::labs::rod {
namespace {

using Kind = Parameter::Kind;
constexpr Dim3 line{256, 1, 1};

const Registration registration(Lab{
    .id = "rod",
    .title = "Heat in a rod",
    .question = "What can one extra cell at the front of an array cost?",
    .order = 5,
    .parameters =
        {{.id = "size", .title = "Cells", .unit = "cells", .kind = Kind::integer, .min = 3, .max = 268435456, .initial = 4096,
          .restarts = true, .logarithmic = true, .help = "Cells along the rod, without the ghosts at its ends."},
         {.id = "diffusion", .title = "Diffusion number", .unit = "", .kind = Kind::real, .min = 0, .max = 0.6, .initial = 0.4,
          .help = "Diffusivity times time step over cell length squared; stable up to 0.5."},
         {.id = "left", .title = "Left end", .unit = "°C", .kind = Kind::real, .min = 0, .max = 100, .initial = 60,
          .restarts = true, .help = "Temperature at which the left end is held."},
         {.id = "right", .title = "Right end", .unit = "°C", .kind = Kind::real, .min = 0, .max = 100, .initial = 10,
          .restarts = true, .help = "Temperature at which the right end is held."},
         {.id = "steps_per_frame", .title = "Steps a frame", .unit = "steps", .kind = Kind::integer, .min = 1, .max = 1000,
          .initial = 20, .logarithmic = true, .help = "How many launches the window makes between two pictures."}},
    .variants =
        {{.id = "naive", .title = "Naive", .idea = "Three loads from global memory for each cell.", .source = "naive.cu",
          .kernel = "rod_naive", .block = line, .tile = line},
         {.id = "shared", .title = "Shared", .idea = "A block loads its cells and two neighbours once.", .source = "shared.cu",
          .kernel = "rod_shared", .block = line, .tile = line},
         {.id = "shared_aligned", .title = "Shared, aligned", .idea = "Padding in front of the ghost restores the alignment.",
          .source = "shared_aligned.cu", .kernel = "rod_shared_aligned", .block = line, .tile = line}},
    .presets = {{.title = "The numbers of the lecture", .variant = "shared", .values = {{"size", "2048000"}}},
                {.title = "The same, aligned", .variant = "shared_aligned", .values = {{"size", "2048000"}}},
                {.title = "A short rod", .variant = "naive", .values = {{"size", "256"}}},
                {.title = "Blowing up", .variant = "", .values = {{"diffusion", "0.52"}}}},
    .views = {"curve"},
    .tolerance_reason = "Single precision rounds three times a step, each time by at most half a unit in the last place of "
                        "100 °C, and a stable scheme does not amplify what it rounded before.",
    .test_sizes = {{{"size", "3"}}, {{"size", "31"}}, {{"size", "257"}}, {{"size", "1024"}}, {{"size", "70001"}}},
    .l2_sized = {{"size", "4194304"}},
    .dram_sized = {{"size", "134217728"}},
    .start = [](const Setup& setup) -> std::unique_ptr<Experiment> { return std::make_unique<LineExperiment>(setup); },
});

} // namespace
} // namespace lanescope::labs::rod
