// The coalescing lab's record, and its experiment: the same picture, fetched in ten different ways.
#include "compute/labs/coalescing/patterns.h"
#include "compute/labs/compare.h"
#include "compute/labs/one_launch.h"

namespace lanescope::labs::coalescing {
namespace {

class Fetching : public OneLaunch {
public:
    explicit Fetching(const Setup& setup)
        : OneLaunch(setup), size_(setup.values.integer("size")),
          to_(setup.shown.buffer(sizeof(float) * size_ * ((size_ + 31) / 32 * 32)))
    {
        allocate();
    }

    void select(const Variant& variant) override
    {
        if (variant.id == this->variant().id) return;
        OneLaunch::select(variant);
        allocate();
    }

    void set(const Values& values) override
    {
        OneLaunch::set(values);
        if (steps() == 0) made_with_ = pattern();
    }

    Picture picture(std::string_view) override
    {
        begin();
        return FieldPicture{to_.get(), made_with_.pitch(), size_, 0, 1, "value", ""};
    }

    Result next_result() const override
    {
        return {.buffer = to_.get(), .width = pattern().pitch(), .height = size_};
    }

    std::vector<Memory> memory() const override
    {
        std::vector<Memory> all{{"from", first_.get(), first_->bytes()}};
        if (second_) all.push_back({"second", second_.get(), second_->bytes()});
        if (order_) all.push_back({"order", order_.get(), order_->bytes()});
        all.push_back({"to", to_.get(), sizeof(float) * pattern().pitch() * size_});
        return all;
    }

    Check check() override
    {
        begin();
        const auto got = device::download<float>(device(), to_->address(),
                                                 std::size_t(made_with_.pitch()) * size_);
        const std::vector<double> want = steps() > 0
                                             ? reference(made_with_, make_inputs(made_with_))
                                             : std::vector<double>(got.size());
        // Brightness rounds three times, sums once, numbers that stay below 2; copies not at all.
        return compare<float, double>(got, want, 3 * 0x1p-24, made_with_.pitch());
    }

    Work work() const override
    {
        return {.bytes = least_bytes(pattern()),
                .flops = 0,
                .items = static_cast<double>(size_) * size_,
                .item = "elements"};
    }

protected:
    void clear() override { device().fill(to_->address(), 0, to_->bytes()); }

    void prepare() override
    {
        made_with_ = pattern();
        if (uploaded_) return;
        uploaded_ = true;
        device::upload<float>(device(), first_->address(), inputs_.first);
        if (second_) device::upload<float>(device(), second_->address(), inputs_.second);
        if (order_) device::upload<int>(device(), order_->address(), inputs_.order);
        inputs_ = {};
        // The padding of a pitched result is shown, and nobody writes it.
        clear();
    }

    Dim3 grid() const override
    {
        const Dim3 tile = variant().tile;
        return tile.y == 1 ? grid_over(tile, std::int64_t{size_} * size_)
                           : grid_over(tile, size_, size_);
    }

    std::vector<device::Argument> arguments() const override
    {
        const std::string& id = variant().id;
        const int count = size_ * size_;
        if (id == "strided") return {*first_, *to_, count, values().integer("stride")};
        if (id == "offset") return {*first_, *to_, count, values().integer("offset")};
        if (id == "random") return {*first_, *order_, *to_, count};
        if (id == "structure_of_arrays") {
            const device::Address red = first_->address();
            const std::uint64_t array_bytes = sizeof(float) * count;
            return {std::array{red, red + array_bytes, red + 2 * array_bytes}, *to_, count};
        }
        if (id == "row_threads" || id == "column_threads") return {*first_, *to_, size_, size_};
        if (id == "unpitched") return {*first_, *second_, *to_, size_, size_};
        if (id == "pitched") return {*first_, *second_, *to_, size_, size_, pattern().pitch()};
        return {*first_, *to_, count};
    }

private:
    Pattern pattern() const
    {
        return {.variant = variant().id,
                .size = size_,
                .stride = values().integer("stride"),
                .offset = values().integer("offset"),
                .seed = seed()};
    }

    // Memory for the variant's inputs, which the next step uploads: they differ too much to be kept
    // for all.
    void allocate()
    {
        inputs_ = make_inputs(pattern());
        const auto buffer = [&](const auto& input) {
            return input.empty() ? nullptr : device().allocate(input.size() * sizeof(input[0]));
        };
        first_ = buffer(inputs_.first);
        second_ = buffer(inputs_.second);
        order_ = buffer(inputs_.order);
        uploaded_ = false;
        if (steps() == 0) made_with_ = pattern();
    }

    int size_;
    Inputs inputs_; // until they are uploaded
    bool uploaded_ = false;
    Pattern made_with_; // of the last step
    std::unique_ptr<device::Buffer> first_;
    std::unique_ptr<device::Buffer> second_;
    std::unique_ptr<device::Buffer> order_;
    std::unique_ptr<device::Buffer> to_;
};

using Kind = Parameter::Kind;
constexpr Dim3 line{256, 1, 1};
constexpr Dim3 patch{32, 8, 1};

const Registration registration(Lab{
    .id = "coalescing",
    .title = "Coalescing",
    .question = "A warp wants 32 numbers: how much memory has to move?",
    .order = 20,
    .parameters = {{.id = "size",
                    .title = "Size",
                    .unit = "elements",
                    .kind = Kind::integer,
                    .min = 3,
                    .max = 8192,
                    .initial = 512,
                    .restarts = true,
                    .logarithmic = true,
                    .help = "Rows and columns of the picture."},
                   {.id = "stride",
                    .title = "Stride",
                    .unit = "elements",
                    .kind = Kind::integer,
                    .min = 1,
                    .max = largest_stride,
                    .initial = 2,
                    .help = "Distance of the elements that neighbouring lanes read, in strided."},
                   {.id = "offset",
                    .title = "Offset",
                    .unit = "elements",
                    .kind = Kind::integer,
                    .min = 0,
                    .max = largest_offset,
                    .initial = 1,
                    .help = "Where the first lane starts, in offset."}},
    .variants = {{.id = "row_threads",
                  .title = "Row threads",
                  .idea = "A warp is a piece of a row.",
                  .source = "row_threads.cu",
                  .kernel = "coalescing_row_threads",
                  .block = patch,
                  .tile = patch},
                 {.id = "column_threads",
                  .title = "Column threads",
                  .idea = "A warp is a piece of a column.",
                  .source = "column_threads.cu",
                  .kernel = "coalescing_column_threads",
                  .block = patch,
                  .tile = {8, 32, 1}},
                 {.id = "strided",
                  .title = "Strided",
                  .idea = "Lanes read elements that lie a stride apart.",
                  .source = "strided.cu",
                  .kernel = "coalescing_strided",
                  .block = line,
                  .tile = line},
                 {.id = "offset",
                  .title = "Offset",
                  .idea = "Neighbours, but not from the beginning of a sector.",
                  .source = "offset.cu",
                  .kernel = "coalescing_offset",
                  .block = line,
                  .tile = line},
                 {.id = "random",
                  .title = "Random",
                  .idea = "A permutation: one sector for each lane.",
                  .source = "random.cu",
                  .kernel = "coalescing_random",
                  .block = line,
                  .tile = line},
                 {.id = "same",
                  .title = "All lanes the same",
                  .idea = "One element for the whole warp.",
                  .source = "same.cu",
                  .kernel = "coalescing_same",
                  .block = line,
                  .tile = line},
                 {.id = "array_of_structures",
                  .title = "Array of structures",
                  .idea = "Three numbers of eight, 32 bytes apart.",
                  .source = "array_of_structures.cu",
                  .kernel = "coalescing_array_of_structures",
                  .block = line,
                  .tile = line},
                 {.id = "structure_of_arrays",
                  .title = "Structure of arrays",
                  .idea = "Each number in an array of its own.",
                  .source = "structure_of_arrays.cu",
                  .kernel = "coalescing_structure_of_arrays",
                  .block = line,
                  .tile = line},
                 {.id = "unpitched",
                  .title = "Unpitched rows",
                  .idea = "Rows without gaps start anywhere in a sector.",
                  .source = "unpitched.cu",
                  .kernel = "coalescing_unpitched",
                  .block = patch,
                  .tile = patch},
                 {.id = "pitched",
                  .title = "Pitched rows",
                  .idea = "Padding starts every row at a line.",
                  .source = "pitched.cu",
                  .kernel = "coalescing_pitched",
                  .block = patch,
                  .tile = patch}},
    .presets =
        {{.title = "Every second element", .variant = "strided", .values = {{"stride", "2"}}},
         {.title = "A sector for each lane", .variant = "strided", .values = {{"stride", "8"}}},
         {.title = "One element off", .variant = "offset", .values = {{"offset", "1"}}},
         {.title = "A sector off", .variant = "offset", .values = {{"offset", "8"}}},
         {.title = "1023 columns", .variant = "unpitched", .values = {{"size", "1023"}}},
         {.title = "1023 columns, pitched", .variant = "pitched", .values = {{"size", "1023"}}}},
    .views = {"field"},
    .sweeps =
        {{.title = "Strided read",
          .parameter = "stride",
          .values = {"1", "2", "3", "4", "5", "6", "7", "8", "12", "16", "24", "32", "48", "64"},
          .variants = {"strided"},
          .on_gpu = {{"size", "4096"}},
          .on_simt = {{"size", "256"}}},
         {.title = "Shifted read",
          .parameter = "offset",
          .values = {"0", "1", "2", "4", "7", "8", "9", "12", "16", "24", "31", "32"},
          .variants = {"offset"},
          .on_gpu = {{"size", "4096"}},
          .on_simt = {{"size", "256"}}},
         {.title = "Rows of any length",
          .parameter = "size",
          .values = {"256", "260", "264", "272", "288", "319", "320", "321", "352", "383", "384"},
          .variants = {"row_threads", "unpitched", "pitched"}}},
    .tolerance_reason =
        "Copies must arrive bit for bit; a brightness rounds three times numbers below 2.",
    .test_sizes = {{{"size", "3"}},
                   {{"size", "31"}, {"stride", "7"}, {"offset", "3"}},
                   {{"size", "129"}, {"stride", "64"}, {"offset", "64"}},
                   {{"size", "256"}, {"stride", "8"}}},
    // Not powers of two, so that a pitch makes a difference.
    .l2_sized = {{"size", "1023"}},
    .dram_sized = {{"size", "4095"}},
    .start = [](const Setup& setup) -> std::unique_ptr<Experiment> {
        return std::make_unique<Fetching>(setup);
    },
});

} // namespace
} // namespace lanescope::labs::coalescing
