// The transpose lab's record, and its experiment: a matrix, turned into another one in every step.
#include <fmt/format.h>

#include "compute/labs/compare.h"
#include "compute/labs/one_launch.h"
#include "compute/labs/test_card.h"

namespace lanescope::labs::transpose {
namespace {

class Turning : public OneLaunch {
public:
    explicit Turning(const Setup& setup)
        : OneLaunch(setup), width_(setup.values.integer("size")),
          height_(setup.values.integer("height") == 0 ? width_ : setup.values.integer("height")),
          from_(setup.device.allocate(bytes())), to_(setup.shown.buffer(bytes()))
    {
    }

    Picture picture(std::string_view) override
    {
        begin();
        const auto [width, height] = shape_of(made_by());
        return FieldPicture{to_.get(), width, height, 0, 1, "value", ""};
    }

    Result next_result() const override
    {
        const auto [width, height] = shape_of(variant());
        return {.buffer = to_.get(), .width = width, .height = height};
    }

    std::vector<Memory> memory() const override
    {
        return {{"to", to_.get(), bytes()}, {"from", from_.get(), bytes()}};
    }

    Check check() override
    {
        begin();
        const std::vector<float> from = input();
        const bool turned = turns(made_by());
        std::vector<float> want(from.size());
        for (std::size_t y = 0; y < static_cast<std::size_t>(height_); ++y)
            for (std::size_t x = 0; x < static_cast<std::size_t>(width_); ++x)
                want[turned ? x * height_ + y : y * width_ + x] = from[y * width_ + x];
        if (steps() == 0) want.assign(want.size(), 0);
        const auto got = device::download<float>(device(), to_->address(), want.size());
        return compare<float, float>(got, want, 0, turned ? height_ : width_);
    }

    Work work() const override
    {
        const double elements = static_cast<double>(width_) * height_;
        return {.bytes = 8 * elements, .flops = 0, .items = elements, .item = "elements"};
    }

protected:
    void fill() override { device::upload<float>(device(), from_->address(), input()); }
    void clear() override { device().fill(to_->address(), 0, bytes()); }
    Dim3 grid() const override { return grid_over(variant().tile, width_, height_); }
    std::vector<device::Argument> arguments() const override
    {
        return {*from_, *to_, width_, height_};
    }

private:
    static bool turns(const Variant& variant) { return variant.id != "copy"; }
    std::pair<int, int> shape_of(const Variant& variant) const
    {
        return turns(variant) ? std::pair{height_, width_} : std::pair{width_, height_};
    }
    std::size_t bytes() const { return sizeof(float) * width_ * height_; }
    std::vector<float> input() const { return test_card(width_, height_, seed()); }

    int width_;
    int height_;
    std::unique_ptr<device::Buffer> from_;
    std::unique_ptr<device::Buffer> to_;
};

using Kind = Parameter::Kind;

const Registration registration(Lab{
    .id = "transpose",
    .title = "Matrix transpose",
    .question = "Rows or columns: who waits when both must be walked?",
    .order = 40,
    .parameters = {{.id = "size",
                    .title = "Columns",
                    .unit = "elements",
                    .kind = Kind::integer,
                    .min = 1,
                    .max = 16384,
                    .initial = 512,
                    .restarts = true,
                    .logarithmic = true,
                    .help = "Columns of the matrix; also its rows, unless given."},
                   {.id = "height",
                    .title = "Rows",
                    .unit = "elements",
                    .kind = Kind::integer,
                    .min = 0,
                    .max = 16384,
                    .initial = 0,
                    .restarts = true,
                    .help = "Rows of the matrix; 0 makes it square."}},
    .variants = {{.id = "copy",
                  .title = "Copy",
                  .idea = "Nothing is turned: the roof.",
                  .source = "copy.cu",
                  .kernel = "transpose_copy",
                  .block = {64, 8, 1},
                  .tile = {256, 8, 1}},
                 {.id = "naive",
                  .title = "Naive",
                  .idea = "Rows are read, columns are written: 32 sectors a store.",
                  .source = "naive.cu",
                  .kernel = "transpose_naive",
                  .block = {32, 8, 1},
                  .tile = {32, 32, 1}},
                 {.id = "tile",
                  .title = "Tile",
                  .idea = "Shared memory turns the tile, with 32 lanes in one bank.",
                  .source = "tile.cu",
                  .kernel = "transpose_tile",
                  .block = {32, 8, 1},
                  .tile = {32, 32, 1}},
                 {.id = "tile_padded",
                  .title = "Tile, padded",
                  .idea = "One unused column moves each row one bank further.",
                  .source = "tile_padded.cu",
                  .kernel = "transpose_tile_padded",
                  .block = {32, 8, 1},
                  .tile = {32, 32, 1}},
                 {.id = "tile_swizzled",
                  .title = "Tile, swizzled",
                  .idea = "Column XOR row: no conflict and no space wasted.",
                  .source = "tile_swizzled.cu",
                  .kernel = "transpose_tile_swizzled",
                  .block = {32, 8, 1},
                  .tile = {32, 32, 1}},
                 {.id = "tile_float4",
                  .title = "Tile, float4",
                  .idea = "Four by four elements turn in registers; all accesses move 16 bytes.",
                  .source = "tile_float4.cu",
                  .kernel = "transpose_tile_float4",
                  .block = {16, 16, 1},
                  .tile = {64, 64, 1}}},
    .presets = {{.title = "One lane, one bank", .variant = "tile", .values = {{"size", "256"}}},
                {.title = "Padding", .variant = "tile_padded", .values = {{"size", "256"}}},
                {.title = "Rows that start anywhere",
                 .variant = "naive",
                 .values = {{"size", "1023"}}},
                {.title = "Larger than the L2 cache",
                 .variant = "tile_float4",
                 .values = {{"size", "16384"}}}},
    .views = {"field"},
    .sweeps = {{.title = "Size of the matrix",
                .parameter = "size",
                .values = {"64", "100", "128", "200", "256", "500", "512", "1000", "1024", "2000",
                           "2048", "4096", "8192"},
                .ratios = {Ratio::sectors_per_store, Ratio::wavefronts_over_ideal},
                .on_gpu = {{"height", "0"}},
                .on_simt = {{"height", "0"}},
                .simt_values = 9}},
    .tolerance_reason = "Elements are moved, never computed with: every bit must arrive.",
    .test_sizes = {{{"size", "3"}},
                   {{"size", "31"}, {"height", "33"}},
                   {{"size", "257"}, {"height", "129"}},
                   {{"size", "100"}, {"height", "68"}},
                   {{"size", "256"}}},
    .l2_sized = {{"size", "2048"}},
    .dram_sized = {{"size", "16384"}},
    .start = [](const Setup& setup) -> std::unique_ptr<Experiment> {
        return std::make_unique<Turning>(setup);
    },
});

} // namespace
} // namespace lanescope::labs::transpose
