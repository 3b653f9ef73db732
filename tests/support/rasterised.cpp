// Runs rsvg-convert and pdftoppm, and compares their pictures.
#include "tests/support/rasterised.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "compute/process/process.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

// Mean of a square of pixels.
double mean(const render::ImageFile& image, int left, int top, int side, int channel)
{
    double sum = 0;
    for (int y = top; y < top + side; ++y)
        for (int x = left; x < left + side; ++x)
            sum += image.rgba[static_cast<std::size_t>(4 * (y * image.width + x) + channel)];
    return sum / (side * side);
}

} // namespace

std::string rasteriser_of(const std::filesystem::path& figure)
{
    const std::string program = figure.extension() == ".svg" ? "rsvg-convert" : "pdftoppm";
    return is_installed(program) ? program : "";
}

render::ImageFile rasterised(const std::filesystem::path& figure)
{
    const std::filesystem::path stem = figure.string() + ".shown";
    const std::filesystem::path png = stem.string() + ".png";
    const auto arguments =
        figure.extension() == ".svg"
            ? std::vector<std::string>{"rsvg-convert", "-o", png.string(), figure.string()}
            : std::vector<std::string>{"pdftoppm",    "-png",          "-r",         "96",
                                       "-singlefile", figure.string(), stem.string()};
    const Finished finished = run_to_end(arguments);
    EXPECT_EQ(finished.status, 0) << figure << ": " << finished.output;
    EXPECT_EQ(finished.output, "") << figure;
    if (finished.status != 0) return {};
    render::ImageFile image = render::read_image(png);
    std::filesystem::remove(png);
    return image;
}

std::string text_of(const std::filesystem::path& pdf)
{
    const Finished finished = run_to_end({"pdftotext", "-layout", pdf.string(), "-"});
    EXPECT_EQ(finished.status, 0) << finished.output;
    return finished.output;
}

double difference(const render::ImageFile& one, const render::ImageFile& other, int times)
{
    if (one.width != other.width || one.height != other.height || one.rgba.empty())
        return std::numeric_limits<double>::infinity();
    double sum = 0;
    int count = 0;
    for (int y = 0; y + times <= one.height; y += times)
        for (int x = 0; x + times <= one.width; x += times)
            for (int channel = 0; channel < 3; ++channel, ++count)
                sum +=
                    std::abs(mean(one, x, y, times, channel) - mean(other, x, y, times, channel));
    return sum / count;
}

double missing(const render::ImageFile& one, const render::ImageFile& other)
{
    if (one.width != other.width || one.height != other.height || one.rgba.empty())
        return std::numeric_limits<double>::infinity();
    constexpr int side = 4, aside = 2 * side;
    const auto not_found = [&](const render::ImageFile& here, const render::ImageFile& there) {
        double sum = 0;
        int count = 0;
        for (int y = 0; y + side <= here.height; y += side)
            for (int x = 0; x + side <= here.width; x += side, ++count) {
                double min_difference = std::numeric_limits<double>::infinity();
                for (int at = std::max(0, x - aside); at <= std::min(here.width - side, x + aside);
                     at += side / 2) {
                    double here_and_there = 0;
                    for (int channel = 0; channel < 3; ++channel)
                        here_and_there += std::abs(mean(here, x, y, side, channel) -
                                                   mean(there, at, y, side, channel));
                    min_difference = std::min(min_difference, here_and_there / 3);
                }
                sum += min_difference;
            }
        return sum / count;
    };
    return std::max(not_found(one, other), not_found(other, one));
}

} // namespace lanescope::test
