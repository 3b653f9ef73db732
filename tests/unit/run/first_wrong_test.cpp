// Twenty kernels, each with a planted mistake: in nearly all of them, the earliest wrong value that
// leads to a wrong element is on the line of the mistake.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "app/run/debug/why.h"
#include "app/run/editing/compiling.h"
#include "compute/experiment/catalogue/texts.h"

namespace lanescope::app {
namespace {

struct Planted {
    const char* lab;
    const char* variant;
    const char* right;
    const char* wrong;
    std::map<std::string, std::string> values;
};

const std::vector<Planted> mistakes{
    {"heat", "naive", "now[left] + now[right]", "now[left] + now[left]", {{"size", "48"}}},
    {"heat", "naive", "fmaf(-4.0f, here", "fmaf(-3.0f, here", {{"size", "48"}}},
    {"heat", "naive", "? i + width : i", "? i + 1 : i", {{"size", "48"}}},
    {"heat",
     "shared_tile",
     "row[min(x + 1, width - 1)]",
     "row[min(x, width - 1)]",
     {{"size", "70"}}},
    {"heat", "shared_tile", "now[max(y - 1, 0) *", "now[max(y, 0) *", {{"size", "70"}}},
    {"heat",
     "shared_tile",
     "tile[ty][tx - 1] + tile[ty][tx + 1]",
     "tile[ty][tx - 1] + tile[ty][tx]",
     {{"size", "70"}}},
    {"transpose",
     "tile",
     "from[(y + r) * width + x]",
     "from[y * width + x]",
     {{"size", "64"}, {"height", "64"}}},
    {"transpose",
     "tile",
     "cells[threadIdx.x][threadIdx.y + r]",
     "cells[threadIdx.y + r][threadIdx.x]",
     {{"size", "64"}, {"height", "64"}}},
    {"transpose",
     "naive",
     "from[y * width + x]",
     "from[first * width + x]",
     {{"size", "64"}, {"height", "64"}}},
    {"reduction",
     "strided",
     "part[at] += part[at + offset]",
     "part[at] += part[at + 1]",
     {{"count", "1000"}}},
    {"reduction", "strided", "from[i] : 0.0f", "from[i] : 1.0f", {{"count", "1000"}}},
    {"reduction", "first_add", "sum += from[i + block]", "sum += from[i]", {{"count", "1000"}}},
    {"reduction", "first_add", "half > 0", "half > 1", {{"count", "1000"}}},
    {"scan", "hillis_steele", "rows[now][t - offset]", "rows[now][t - 1]", {{"count", "600"}}},
    {"scan", "hillis_steele", "t >= offset", "t > offset", {{"count", "600"}}},
    {"scan", "shuffles", "warp_sums[warp - 1]", "warp_sums[0]", {{"count", "600"}}},
    {"scan", "shuffles", "lane >= offset", "lane > offset", {{"count", "600"}}},
    {"matmul", "naive", "b[k * columns + column]", "b[k * columns + row]", {{"size", "40"}}},
    {"matmul", "tile_16", "b_tile[k][tx]", "b_tile[tx][k]", {{"size", "40"}}},
    {"matmul", "naive", "k < depth", "k < depth - 1", {{"size", "40"}}},
};

TEST(FirstWrong, NamesPlantedLine)
{
    compile_labs_with_cuda();
    int named = 0;
    std::string missed;
    for (const Planted& one : mistakes) {
        const labs::Lab& lab = labs::find(one.lab);
        const labs::Variant& original = labs::find_variant(lab, one.variant);
        std::string text(lab.source(original));
        const std::size_t at = text.find(one.right);
        ASSERT_NE(at, std::string::npos) << one.right;
        const auto line =
            1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        text.replace(at, std::strlen(one.right), one.wrong);
        const labs::Edited edited = labs::with_edited_variant(lab, one.variant, text);
        const labs::Lab& changed = labs::open_texts(edited.texts);
        const labs::Variant& wrong = labs::find_variant(changed, edited.variant);
        labs::Values values(changed);
        for (const auto& [id, value] : one.values) values.set(id, value);
        DebugStart start{
            .lab = &changed, .variant = &wrong, .values = values, .text = SteppedText::as_written};
        Explainer explainer(start);
        DebugStart other = start;
        other.variant = &labs::find_variant(changed, wrong.edited);
        Explainer reference(other);
        const auto element = explainer.first_difference(reference);
        if (!element) {
            missed +=
                fmt::format("{}/{} \"{}\": no element differs\n", one.lab, one.variant, one.wrong);
            continue;
        }
        const FirstWrong found =
            explainer.first_wrong(explainer.element(element->first, element->second), &reference);
        if (found.line == line)
            ++named;
        else
            missed += fmt::format("{}/{} \"{}\", line {}: named {} ({}) {}\n", one.lab, one.variant,
                                  one.wrong, line, found.line, found.source, found.sentence);
    }
    EXPECT_GE(named, 18) << missed;
    RecordProperty("named", named);
    if (!missed.empty()) fmt::print("not named:\n{}", missed);
}

} // namespace
} // namespace lanescope::app
