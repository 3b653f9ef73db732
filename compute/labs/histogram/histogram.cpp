// The histogram lab's record, and its experiment: a stream of samples, counted anew in every step.
#include <algorithm>
#include <bit>

#include "compute/labs/compare.h"
#include "compute/labs/histogram/stream.h"
#include "compute/labs/one_launch.h"

namespace lanescope::labs::histogram {
namespace {

// As many threads as 132 multiprocessors hold at once: enough for the largest GPUs, and few enough
// blocks that adding up their private histograms costs little. The same on every device, so that
// counts are too.
constexpr std::uint32_t most_threads = 132 * 2048;

const std::vector<std::string> bin_choices{"16",  "32",   "64",   "128", "256",
                                           "512", "1024", "2048", "4096"};

class Counting : public OneLaunch {
public:
    explicit Counting(const Setup& setup)
        : OneLaunch(setup), size_(setup.values.integer("size")),
          bins_(std::stoi(setup.values.text("bins"))),
          stream_(make_stream(setup.values.text("source"), size_, bins_, setup.seed, setup.image)),
          sample_bytes_(stream_.sample_bytes), shift_(stream_.shift), want_(count(stream_, bins_)),
          samples_(setup.device.allocate(static_cast<std::size_t>(size_) * sample_bytes_)),
          counts_(setup.shown.buffer(sizeof(std::uint32_t) * bins_))
    {
        select(setup.variant);
    }

    void select(const Variant& variant) override
    {
        Variant chosen = variant;
        if (sample_bytes_ == 4) chosen.kernel += "_wide";
        select_kernel(variant, kernels().of(chosen));
    }

    Picture picture(std::string_view) override
    {
        begin();
        const std::uint32_t highest = std::ranges::max(want_);
        return BarsPicture{counts_.get(), bins_, 1.05F * static_cast<float>(highest), "samples",
                           "value"};
    }

    Result next_result() const override { return {.buffer = counts_.get(), .width = bins_}; }

    std::vector<Memory> memory() const override
    {
        return {{"counts", counts_.get(), counts_->bytes()},
                {"samples", samples_.get(), samples_->bytes()}};
    }

    Check check() override
    {
        begin();
        const auto got = device::download<std::uint32_t>(device(), counts_->address(), bins_);
        if (steps() > 0) return compare<std::uint32_t, std::uint32_t>(got, want_, 0, bins_);
        return compare<std::uint32_t, std::uint32_t>(got, std::vector<std::uint32_t>(bins_), 0,
                                                     bins_);
    }

    Work work() const override
    {
        return {.bytes = static_cast<double>(size_) * sample_bytes_ + 4.0 * bins_,
                .flops = 0,
                .items = static_cast<double>(size_),
                .item = "samples"};
    }

protected:
    void fill() override
    {
        if (sample_bytes_ == 1)
            device::upload<std::uint8_t>(device(), samples_->address(), stream_.bytes);
        else
            device::upload<std::uint32_t>(device(), samples_->address(), stream_.words);
        stream_ = {};
    }
    void clear() override { device().fill(counts_->address(), 0, counts_->bytes()); }
    void prepare() override { clear(); }

    Dim3 grid() const override
    {
        Dim3 grid = grid_over(variant().tile, size_);
        grid.x = std::min(grid.x, most_threads / variant().block.x);
        return grid;
    }
    std::vector<device::Argument> arguments() const override
    {
        if (variant().id == "partitioned" || variant().id == "interleaved")
            return {*samples_, size_, *counts_, shift_};
        return {*samples_, size_, *counts_, bins_, shift_};
    }

private:
    int size_;
    int bins_;
    Stream stream_; // until it is uploaded
    int sample_bytes_;
    int shift_;
    std::vector<std::uint32_t> want_;
    std::unique_ptr<device::Buffer> samples_;
    std::unique_ptr<device::Buffer> counts_;
};

using Kind = Parameter::Kind;
constexpr Dim3 small_tile{256 * 64, 1, 1}; // 64 samples a thread at the least

const Registration registration(Lab{
    .id = "histogram",
    .title = "Histogram",
    .question = "What happens when thousands of threads want to add to the same few numbers?",
    .order = 30,
    .parameters = {{.id = "size",
                    .title = "Samples",
                    .unit = "samples",
                    .kind = Kind::integer,
                    .min = 1,
                    .max = 536870912,
                    .initial = 262144,
                    .restarts = true,
                    .logarithmic = true,
                    .help = "How many samples are counted in a step."},
                   {.id = "bins",
                    .title = "Bins",
                    .unit = "",
                    .kind = Kind::choice,
                    .initial = 4,
                    .choices = bin_choices,
                    .restarts = true,
                    .help = "Up to 256 bins samples are bytes; beyond, they are 32-bit words."},
                   {.id = "source",
                    .title = "Source",
                    .unit = "",
                    .kind = Kind::choice,
                    .initial = 0,
                    .choices = sources(),
                    .restarts = true,
                    .help = "A picture, or a stream with this distribution."}},
    .variants = {{.id = "partitioned",
                  .title = "Partitioned",
                  .idea = "A stretch of the input for each thread; bins in global memory.",
                  .source = "partitioned.cu",
                  .kernel = "histogram_partitioned",
                  .block = {256, 1, 1},
                  .tile = small_tile},
                 {.id = "interleaved",
                  .title = "Interleaved",
                  .idea = "Neighbouring threads take neighbouring samples.",
                  .source = "interleaved.cu",
                  .kernel = "histogram_interleaved",
                  .block = {256, 1, 1},
                  .tile = small_tile},
                 {.id = "shared",
                  .title = "Shared",
                  .idea = "A private histogram for each block, in shared memory.",
                  .source = "shared.cu",
                  .kernel = "histogram_shared",
                  .block = {256, 1, 1},
                  .tile = small_tile},
                 {.id = "per_warp",
                  .title = "Per warp",
                  .idea = "A private histogram for each warp.",
                  .source = "per_warp.cu",
                  .kernel = "histogram_per_warp",
                  .block = {512, 1, 1},
                  .tile = {512 * 64, 1, 1}},
                 {.id = "aggregated",
                  .title = "Aggregated",
                  .idea = "Lanes with the same bin send one of them.",
                  .source = "aggregated.cu",
                  .kernel = "histogram_aggregated",
                  .block = {256, 1, 1},
                  .tile = small_tile},
                 {.id = "vector_loads",
                  .title = "Vector loads",
                  .idea = "Samples arrive 16 bytes at a time.",
                  .source = "vector_loads.cu",
                  .kernel = "histogram_vector_loads",
                  .block = {512, 1, 1},
                  .tile = {512 * 64, 1, 1}},
                 {.id = "per_lane",
                  .title = "Per lane",
                  .idea = "A copy of every bin for each lane, in a bank of its own.",
                  .source = "per_lane.cu",
                  .kernel = "histogram_per_lane",
                  .block = {1024, 1, 1},
                  .tile = {1024 * 64, 1, 1}}},
    .presets = {{.title = "A picture, 256 bins",
                 .variant = "partitioned",
                 .values = {{"source", "image"}, {"bins", "256"}}},
                {.title = "Everybody wants one bin",
                 .variant = "interleaved",
                 .values = {{"source", "one value"}}},
                {.title = "One bin, privatised",
                 .variant = "shared",
                 .values = {{"source", "one value"}}},
                {.title = "One bin, aggregated",
                 .variant = "aggregated",
                 .values = {{"source", "one value"}}},
                {.title = "2048 bins",
                 .variant = "per_lane",
                 .values = {{"source", "uniform"}, {"bins", "2048"}}}},
    .views = {"bars"},
    .sweeps = {{.title = "Number of bins",
                .parameter = "bins",
                .values = bin_choices,
                .ratios = {Ratio::wavefronts_over_ideal, Ratio::instructions_per_item},
                .on_gpu = {{"size", "67108864"}},
                .on_simt = {{"size", "131072"}}},
               {.title = "Distribution of the samples",
                .parameter = "source",
                .values = sources(),
                .ratios = {Ratio::wavefronts_over_ideal, Ratio::instructions_per_item},
                .on_gpu = {{"size", "67108864"}},
                .on_simt = {{"size", "131072"}}}},
    .takes_image = true,
    .tolerance_reason = "Counts are whole numbers: they are right or wrong.",
    .test_sizes = {{{"size", "1"}},
                   {{"size", "1023"}, {"bins", "16"}},
                   {{"size", "70001"}, {"bins", "256"}, {"source", "uniform"}},
                   {{"size", "20011"}, {"bins", "64"}, {"source", "one value"}},
                   {{"size", "70003"}, {"bins", "2048"}, {"source", "skewed"}},
                   {{"size", "40000"}, {"bins", "4096"}, {"source", "normal"}}},
    .l2_sized = {{"size", "33554432"}, {"source", "uniform"}},
    .dram_sized = {{"size", "268435456"}, {"source", "uniform"}},
    .start = [](const Setup& setup) -> std::unique_ptr<Experiment> {
        return std::make_unique<Counting>(setup);
    },
});

} // namespace
} // namespace lanescope::labs::histogram
