// Generates samples; each depends only on its index and the seed.
#include "compute/labs/histogram/stream.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <memory>
#include <stdexcept>

#include "compute/experiment/inputs/image_file.h"
#include "compute/experiment/inputs/parallel.h"
#include "compute/experiment/inputs/test_card.h"
#include "compute/experiment/record/named.h"

namespace lanescope::labs::histogram {
namespace {

// Value of sample i, in [0, 1).
using Source = std::function<double(std::uint64_t)>;

Source picture(std::uint64_t seed, const std::filesystem::path& file)
{
    std::vector<float> card;
    if (file.empty()) {
        card = test_card(512, 512, seed);
    } else {
        const Rgba8Image image = read_image(file);
        for (std::size_t i = 0; i < image.pixels.size(); i += 4)
            card.push_back((0.299F * image.pixels[i] + 0.587F * image.pixels[i + 1] +
                            0.114F * image.pixels[i + 2]) /
                           256);
    }
    auto shared = std::make_shared<const std::vector<float>>(std::move(card));
    return [shared](std::uint64_t i) { return (*shared)[i % shared->size()]; };
}

Source find_source(const std::string& name, std::uint64_t stream, std::uint64_t seed,
                   const std::filesystem::path& file)
{
    if (name == "image") return picture(seed, file);
    if (name == "uniform") return [=](std::uint64_t i) { return scrambled_unit(stream + i); };
    if (name == "normal")
        // The mean of four uniform numbers approximates a bell curve.
        return [=](std::uint64_t i) {
            const std::uint64_t bits = scramble(stream + i);
            return static_cast<double>((bits & 0xffff) + (bits >> 16 & 0xffff) +
                                       (bits >> 32 & 0xffff) + (bits >> 48)) /
                   0x40000;
        };
    if (name == "skewed")
        return [=](std::uint64_t i) {
            const double unit = scrambled_unit(stream + i);
            return unit * unit * unit * unit;
        };
    if (name == "four values")
        return [=](std::uint64_t i) {
            return static_cast<double>(scramble(stream + i) & 3) / 4 + 0.125;
        };
    if (name == "one value") return [](std::uint64_t) { return 1.0 / 3; };
    throw std::out_of_range("there is no stream named " + name);
}

template <class Sample>
std::vector<Sample> draw(const Source& source, int count, int levels)
{
    std::vector<Sample> samples(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] =
            static_cast<Sample>(std::clamp(static_cast<int>(source(i) * levels), 0, levels - 1));
    return samples;
}

} // namespace

Stream make_stream(const std::string& name, int count, int bins, std::uint64_t seed,
                   const std::filesystem::path& image)
{
    const Source source = find_source(name, scramble(seed), seed, image);
    Stream stream;
    require_fit(bins > 256 || std::has_single_bit(static_cast<unsigned>(bins)),
                "bins that are a power of two, or more than 256");
    if (bins <= 256) {
        stream.shift = std::countr_zero(static_cast<unsigned>(256 / bins));
        stream.bytes = draw<std::uint8_t>(source, count, 256);
    } else {
        stream.sample_bytes = 4;
        stream.words = draw<std::uint32_t>(source, count, bins);
    }
    return stream;
}

std::vector<std::uint32_t> count(const Stream& stream, int bins)
{
    require_fit(stream.sample_bytes != 1 || 256U >> stream.shift <= static_cast<unsigned>(bins),
                "the bins of its stream");
    std::vector<std::uint32_t> counts(fitting_count({static_cast<std::size_t>(bins)}));
    for (const std::uint8_t sample : stream.bytes) ++counts[sample >> stream.shift];
    for (const std::uint32_t sample : stream.words) ++counts.at(sample >> stream.shift);
    return counts;
}

} // namespace lanescope::labs::histogram
