// The divergence lab's record, and its experiment: a picture whose pixels ask for different work.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "compute/labs/compare.h"
#include "compute/labs/divergence/tasks.h"
#include "compute/labs/one_launch.h"
#include "compute/labs/test_card.h"

namespace lanescope::labs::divergence {
namespace {

constexpr int zoom_period = 400; // steps after which the flight into the set begins again

class Branching : public OneLaunch {
public:
    explicit Branching(const Setup& setup)
        : OneLaunch(setup), size_(setup.values.integer("size")),
          matrix_(setup.values.integer("matrix")), work_(setup.values.integer("work")),
          rounds_(rounds_of_items(size_ * size_, work_, setup.seed)),
          from_(setup.device.allocate(4 * elements())),
          rounds_buffer_(setup.device.allocate(4 * elements())),
          sorted_from_(setup.device.allocate(4 * elements())),
          sorted_rounds_(setup.device.allocate(4 * elements())),
          a_(setup.device.allocate(4 * entries())), b_(setup.device.allocate(4 * entries())),
          to_(setup.shown.buffer(4 * std::max(elements(), entries())))
    {
    }

    Picture picture(std::string_view) override
    {
        begin();
        if (made_by().id == "matrix_edges")
            return FieldPicture{to_.get(), matrix_, matrix_, 0, 0.6F * static_cast<float>(matrix_),
                                "product", ""};
        // Most pixels outside of the set escape early: an eighth of the limit tells them apart.
        const bool mandelbrot = made_by().id == "mandelbrot";
        return FieldPicture{to_.get(),
                            size_,
                            size_,
                            0,
                            mandelbrot ? std::max(1.0F, static_cast<float>(limit_) / 8) : 1.0F,
                            mandelbrot ? "iterations" : "value",
                            ""};
    }

    Result next_result() const override
    {
        const int side = variant().id == "matrix_edges" ? matrix_ : size_;
        return {.buffer = to_.get(), .width = side, .height = side};
    }

    std::vector<Memory> memory() const override
    {
        const std::string& id = variant().id;
        if (id == "matrix_edges")
            return {{"a", a_.get(), 4 * entries()},
                    {"b", b_.get(), 4 * entries()},
                    {"product", to_.get(), 4 * entries()}};
        std::vector<Memory> all{{"to", to_.get(), 4 * elements()}};
        if (id == "mandelbrot") return all;
        const bool sorted = id == "sorted";
        all.push_back({"from", (sorted ? sorted_from_ : from_).get(), 4 * elements()});
        if (sorted || id == "unsorted")
            all.push_back(
                {"rounds", (sorted ? sorted_rounds_ : rounds_buffer_).get(), 4 * elements()});
        return all;
    }

    Check check() override
    {
        begin();
        const int side = made_by().id == "matrix_edges" ? matrix_ : size_;
        const auto got = device::download<float>(device(), to_->address(),
                                                 static_cast<std::size_t>(side) * side);
        if (steps() == 0)
            return compare<float, double>(got, std::vector<double>(got.size()), 0, side);
        return compare<float, double>(got, reference(), tolerance(), side);
    }

    Work work() const override
    {
        const auto count = static_cast<double>(elements());
        const std::string& id = variant().id;
        if (id == "matrix_edges") {
            const double n = matrix_;
            return {.bytes = 12 * n * n, .flops = 2 * n * n * n, .items = n * n, .item = "entries"};
        }
        // How much a pixel of the Mandelbrot set needs is known only afterwards.
        if (id == "mandelbrot")
            return {.bytes = 4 * count, .flops = 0, .items = count, .item = "pixels"};
        if (id == "unsorted" || id == "sorted") {
            const double rounds = std::accumulate(rounds_.begin(), rounds_.end(), 0.0);
            return {.bytes = 12 * count, .flops = 3 * rounds, .items = count, .item = "items"};
        }
        return {.bytes = 8 * count, .flops = 3 * count * work_, .items = count, .item = "pixels"};
    }

protected:
    void fill() override
    {
        const std::vector<float> values = card();
        device::upload<float>(device(), from_->address(), values);
        device::upload<int>(device(), rounds_buffer_->address(), rounds_);
        const Items sorted = longest_first({values, rounds_});
        device::upload<float>(device(), sorted_from_->address(), sorted.values);
        device::upload<int>(device(), sorted_rounds_->address(), sorted.rounds);
        device::upload<float>(device(), a_->address(), matrix(0));
        device::upload<float>(device(), b_->address(), matrix(1));
    }
    void clear() override { device().fill(to_->address(), 0, to_->bytes()); }

    // The flight into the set goes on with every step.
    void prepare() override
    {
        const double flight =
            std::pow(values().real("flight"), static_cast<double>(steps() % zoom_period));
        window_ = window(values().integer("place"), values().real("zoom") * flight, size_);
        limit_ = values().integer("limit");
    }

    Dim3 grid() const override
    {
        if (variant().id == "matrix_edges") return grid_over(variant().tile, matrix_, matrix_);
        if (variant().id == "mandelbrot") return grid_over(variant().tile, size_, size_);
        return grid_over(variant().tile, size_ * size_);
    }

    std::vector<device::Argument> arguments() const override
    {
        const std::string& id = variant().id;
        const int count = size_ * size_;
        if (id == "matrix_edges") return {*a_, *b_, *to_, matrix_};
        if (id == "mandelbrot")
            return {*to_, size_, size_, limit_, window_.center_x, window_.center_y, window_.pixel};
        if (id == "unsorted") return {*from_, *rounds_buffer_, *to_, count};
        if (id == "sorted") return {*sorted_from_, *sorted_rounds_, *to_, count};
        return {*from_, *to_, count, work_};
    }

private:
    std::size_t elements() const { return static_cast<std::size_t>(size_) * size_; }
    std::size_t entries() const { return static_cast<std::size_t>(matrix_) * matrix_; }
    std::vector<float> card() const { return test_card(size_, size_, seed()); }
    std::vector<float> matrix(int which) const
    {
        return test_card(matrix_, matrix_, seed() + which);
    }

    std::vector<double> reference() const
    {
        const std::string& id = made_by().id;
        if (id == "matrix_edges") return product(matrix(0), matrix(1), matrix_);
        std::vector<double> want(elements());
        if (id == "mandelbrot") {
            for (int row = 0; row < size_; ++row)
                for (int column = 0; column < size_; ++column)
                    want[static_cast<std::size_t>(row) * size_ + column] =
                        mandelbrot(window_, size_, size_, column, row, limit_);
            return want;
        }
        Items items{card(), {}};
        if (id == "unsorted" || id == "sorted") {
            items.rounds = rounds_;
            if (id == "sorted") items = longest_first(items);
        }
        for (std::size_t i = 0; i < want.size(); ++i) {
            const float value = items.values[i];
            want[i] = items.rounds.empty() ? worked(value, work_, grows(id, i, value))
                                           : worked(value, items.rounds[i], true);
        }
        return want;
    }

    double tolerance() const
    {
        const std::string& id = made_by().id;
        if (id == "mandelbrot") return 0;
        // A sum of n products below 1.1, each addition rounded at the size that the sum has by
        // then.
        if (id == "matrix_edges") return 0x1p-24 * 1.1 * matrix_ * (matrix_ + 1) / 2;
        // Two roundings a round, of numbers below 2; the rounds themselves pull errors together.
        return 2 * 0x1p-24 * (4.0 * work_ + 1);
    }

    int size_;
    int matrix_;
    int work_;
    int limit_ = 1;
    Window window_;
    std::vector<int> rounds_;
    std::unique_ptr<device::Buffer> from_;
    std::unique_ptr<device::Buffer> rounds_buffer_;
    std::unique_ptr<device::Buffer> sorted_from_;
    std::unique_ptr<device::Buffer> sorted_rounds_;
    std::unique_ptr<device::Buffer> a_;
    std::unique_ptr<device::Buffer> b_;
    std::unique_ptr<device::Buffer> to_;
};

using Kind = Parameter::Kind;
constexpr Dim3 line{256, 1, 1};
constexpr Dim3 patch{32, 8, 1};

std::vector<std::string> places()
{
    const auto names = place_names();
    return {names.begin(), names.end()};
}

const Registration registration(Lab{
    .id = "divergence",
    .title = "Divergence",
    .question = "What does a warp do when its lanes want different things?",
    .order = 25,
    .parameters = {{.id = "size",
                    .title = "Size",
                    .unit = "pixels",
                    .kind = Kind::integer,
                    .min = 3,
                    .max = 8192,
                    .initial = 256,
                    .restarts = true,
                    .logarithmic = true,
                    .help = "Width and height of the picture."},
                   {.id = "work",
                    .title = "Work",
                    .unit = "rounds",
                    .kind = Kind::integer,
                    .min = 1,
                    .max = 1000,
                    .initial = 64,
                    .restarts = true,
                    .logarithmic = true,
                    .help = "Rounds of arithmetic on each side of the branch."},
                   {.id = "place",
                    .title = "Place",
                    .unit = "",
                    .kind = Kind::choice,
                    .choices = places(),
                    .help = "Where the Mandelbrot picture looks."},
                   {.id = "zoom",
                    .title = "Zoom",
                    .unit = "times",
                    .kind = Kind::real,
                    .min = 0.5,
                    .max = 200,
                    .initial = 1,
                    .logarithmic = true,
                    .help = "Enlargement of the Mandelbrot picture."},
                   {.id = "flight",
                    .title = "Zoom a step",
                    .unit = "times",
                    .kind = Kind::real,
                    .min = 1,
                    .max = 1.02,
                    .initial = 1.005,
                    .help = "How much further each step looks into the Mandelbrot set."},
                   {.id = "limit",
                    .title = "Limit",
                    .unit = "iterations",
                    .kind = Kind::integer,
                    .min = 1,
                    .max = 4096,
                    .initial = 256,
                    .logarithmic = true,
                    .help = "Iterations after which a pixel counts as part of the set."},
                   {.id = "matrix",
                    .title = "Matrix",
                    .unit = "rows",
                    .kind = Kind::integer,
                    .min = 1,
                    .max = 2048,
                    .initial = 100,
                    .restarts = true,
                    .logarithmic = true,
                    .help = "Size of the matrices whose edges diverge."}},
    .variants = {{.id = "lane_parity",
                  .title = "Lane parity",
                  .idea = "Every warp walks both ways, half empty.",
                  .source = "lane_parity.cu",
                  .kernel = "divergence_lane_parity",
                  .block = line,
                  .tile = line},
                 {.id = "data_dependent",
                  .title = "Data dependent",
                  .idea = "Warps diverge where the picture has edges.",
                  .source = "data_dependent.cu",
                  .kernel = "divergence_data_dependent",
                  .block = line,
                  .tile = line},
                 {.id = "warp_aligned",
                  .title = "Warp aligned",
                  .idea = "Whole warps decide: as many threads each way, no divergence.",
                  .source = "warp_aligned.cu",
                  .kernel = "divergence_warp_aligned",
                  .block = line,
                  .tile = line},
                 {.id = "block_aligned",
                  .title = "Block aligned",
                  .idea = "Whole blocks decide.",
                  .source = "block_aligned.cu",
                  .kernel = "divergence_block_aligned",
                  .block = line,
                  .tile = line},
                 {.id = "mandelbrot",
                  .title = "Mandelbrot",
                  .idea = "A warp is as slow as its slowest pixel.",
                  .source = "mandelbrot.cu",
                  .kernel = "divergence_mandelbrot",
                  .block = patch,
                  .tile = patch},
                 {.id = "unsorted",
                  .title = "Unsorted work",
                  .idea = "Items of very different length, as they come.",
                  .source = "items.cu",
                  .kernel = "divergence_items",
                  .block = line,
                  .tile = line},
                 {.id = "sorted",
                  .title = "Sorted work",
                  .idea = "The same kernel and items, which now lie in memory by length.",
                  .source = "items.cu",
                  .kernel = "divergence_items",
                  .block = line,
                  .tile = line},
                 {.id = "matrix_edges",
                  .title = "Matrix edges",
                  .idea = "Tiles that stick out of the matrix diverge when they load.",
                  .source = "matrix_edges.cu",
                  .kernel = "divergence_matrix_edges",
                  .block = {16, 16, 1},
                  .tile = {16, 16, 1}}},
    .presets = {{.title = "Both ways", .variant = "lane_parity", .values = {}},
                {.title = "Either way", .variant = "warp_aligned", .values = {}},
                {.title = "Into the seahorses",
                 .variant = "mandelbrot",
                 .values = {{"place", "seahorses"}, {"limit", "1024"}}},
                {.title = "Work as it comes", .variant = "unsorted", .values = {}},
                {.title = "Work by length", .variant = "sorted", .values = {}},
                {.title = "A matrix of 100 rows, tiles of 16",
                 .variant = "matrix_edges",
                 .values = {{"matrix", "100"}}}},
    .views = {"field"},
    .sweeps = {{.title = "Work in each branch",
                .parameter = "work",
                .values = {"1", "2", "4", "8", "16", "32", "64", "128", "256"},
                .variants = {"lane_parity", "data_dependent", "warp_aligned", "block_aligned",
                             "unsorted", "sorted"},
                .ratios = {Ratio::lanes_per_instruction, Ratio::instructions_per_item},
                .on_gpu = {{"size", "2048"}},
                .on_simt = {{"size", "128"}}},
               {.title = "Iterations of Mandelbrot",
                .parameter = "limit",
                .values = {"8", "16", "32", "64", "128", "256", "512", "1024"},
                .variants = {"mandelbrot"},
                .ratios = {Ratio::lanes_per_instruction, Ratio::instructions_per_item},
                .on_gpu = {{"size", "2048"}, {"flight", "1"}},
                .on_simt = {{"size", "128"}, {"flight", "1"}}},
               {.title = "Size of the matrix",
                .parameter = "matrix",
                .values = {"16", "17", "24", "31", "32", "33", "40", "48", "56", "63", "64", "65",
                           "80", "96", "112", "128"},
                .variants = {"matrix_edges"},
                .ratios = {Ratio::lanes_per_instruction, Ratio::instructions_per_item},
                .on_gpu = {{"size", "256"}},
                .on_simt = {{"size", "128"}}}},
    .tolerance_reason = "Each round rounds twice and pulls errors together; the product sums as "
                        "many roundings as it has rows. "
                        "Mandelbrot counts are compared exactly, with a reference of the same "
                        "precision: the edge depends on every bit.",
    .test_sizes = {{{"size", "3"}, {"work", "5"}, {"matrix", "3"}},
                   {{"size", "31"}, {"work", "64"}, {"matrix", "33"}},
                   {{"size", "129"}, {"work", "10"}, {"matrix", "100"}, {"place", "elephants"}},
                   {{"size", "128"}, {"work", "16"}, {"matrix", "64"}, {"place", "seahorses"}}},
    .l2_sized = {{"size", "1024"}, {"matrix", "512"}},
    .dram_sized = {{"size", "4096"}, {"matrix", "2048"}},
    .start = [](const Setup& setup) -> std::unique_ptr<Experiment> {
        return std::make_unique<Branching>(setup);
    },
});

} // namespace
} // namespace lanescope::labs::divergence
