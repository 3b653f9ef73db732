// The rotate lab's record: one picture, turned, sampled by hand and by the texture units.
#include "compute/labs/rotate/turning.h"

namespace lanescope::labs::rotate {
namespace {

using Kind = Parameter::Kind;
constexpr Dim3 patch{16, 16, 1};

const Registration registration(Lab{
    .id = "rotate",
    .title = "Rotation",
    .question = "What does a texture unit do that a load does not?",
    .order = 15,
    .parameters =
        {{.id = "size", .title = "Size", .unit = "pixels", .kind = Kind::integer, .min = 3, .max = 16384, .initial = 512,
          .restarts = true, .logarithmic = true, .help = "Width and height of the picture, and of the generated chart."},
         {.id = "angle", .title = "Angle", .unit = "°", .kind = Kind::real, .min = -360, .max = 360, .initial = 0,
          .help = "Angle of the first step."},
         {.id = "turn", .title = "Turn", .unit = "° a step", .kind = Kind::real, .min = -10, .max = 10, .initial = 0.5,
          .help = "How much further each step turns."},
         {.id = "zoom", .title = "Zoom", .unit = "times", .kind = Kind::real, .min = 0.25, .max = 128, .initial = 1,
          .logarithmic = true, .help = "Enlargement; from about 16 on single texels and their weights can be seen."},
         {.id = "address_mode", .title = "Address mode", .unit = "", .kind = Kind::choice,
          .choices = {"border", "clamp", "wrap", "mirror"}, .help = "What is seen beyond the edge of the source."},
         {.id = "half_texel_mistake", .title = "Half-texel mistake", .unit = "", .kind = Kind::toggle, .initial = 0,
          .help = "Samples at the corners of pixels instead of their centres, as many examples do."}},
    .variants =
        {{.id = "global_nearest", .title = "Global, nearest", .idea = "One load from a row-by-row buffer.",
          .source = "global_nearest.cu", .kernel = "rotate_global_nearest", .block = patch, .tile = patch},
         {.id = "global_bilinear", .title = "Global, bilinear", .idea = "Four loads and their weights, by hand.",
          .source = "global_bilinear.cu", .kernel = "rotate_global_bilinear", .block = patch, .tile = patch},
         {.id = "texture_point", .title = "Texture, point", .idea = "One instruction finds the texel, edges included.",
          .source = "texture_point.cu", .kernel = "rotate_texture_point", .block = patch, .tile = patch},
         {.id = "texture_linear", .title = "Texture, linear", .idea = "The same instruction fetches four and weighs them.",
          .source = "texture_linear.cu", .kernel = "rotate_texture_linear", .block = patch, .tile = patch},
         {.id = "surface_write", .title = "Surface", .idea = "Read and written through surfaces, with x in bytes.",
          .source = "surface_write.cu", .kernel = "rotate_surface_write", .block = patch, .tile = patch},
         {.id = "linear_copy", .title = "Linear, then copied", .idea = "A plain buffer first, then a copy into the array.",
          .source = "linear_copy.cu", .kernel = "rotate_linear_copy", .block = patch, .tile = patch}},
    .presets =
        {{.title = "Turned by hand", .variant = "global_bilinear", .values = {}},
         {.title = "Texels", .variant = "texture_point", .values = {{"zoom", "32"}, {"turn", "0.1"}}},
         {.title = "Weights", .variant = "texture_linear", .values = {{"zoom", "32"}, {"turn", "0.1"}}},
         {.title = "Half a texel off", .variant = "texture_point",
          .values = {{"zoom", "32"}, {"turn", "0"}, {"half_texel_mistake", "on"}}},
         {.title = "A floor of mirrors", .variant = "texture_linear", .values = {{"zoom", "0.4"}, {"address_mode", "mirror"}}},
         {.title = "45 degrees, measured", .variant = "texture_linear",
          .values = {{"size", "8192"}, {"angle", "45"}, {"turn", "0"}}}},
    .views = {"image"},
    .takes_image = true,
    .tolerance_reason = "Rounding to one of 256 levels costs half a level. Texture units round weights to 1/256 and scale "
                        "coordinates themselves: any value within 1/512 of a texel (and a little more for wide sources) counts.",
    .test_sizes = {{{"size", "3"}, {"angle", "30"}},
                   {{"size", "31"}, {"angle", "45"}, {"address_mode", "mirror"}, {"zoom", "0.4"}},
                   {{"size", "129"}, {"angle", "-77"}, {"address_mode", "wrap"}, {"zoom", "0.7"}},
                   {{"size", "128"}, {"angle", "200"}, {"address_mode", "clamp"}, {"half_texel_mistake", "on"}},
                   {{"size", "100"}, {"angle", "10"}, {"zoom", "20"}}},
    .l2_sized = {{"size", "2048"}, {"angle", "45"}, {"turn", "0"}},
    .dram_sized = {{"size", "8192"}, {"angle", "45"}, {"turn", "0"}},
    .start = [](const Setup& setup) -> std::unique_ptr<Experiment> { return std::make_unique<TurningPicture>(setup); },
});

} // namespace
} // namespace lanescope::labs::rotate
