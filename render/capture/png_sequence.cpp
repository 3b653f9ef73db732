// Numbered pictures, for machines without ffmpeg and for programs that need every pixel.
#include <fmt/format.h>

#include <charconv>
#include <string>
#include <vector>

#include "compute/error.h"
#include "render/capture/file.h"
#include "render/capture/png.h"
#include "render/capture/video_sink.h"

namespace lanescope::render {
namespace {

class PngSequence final : public VideoWriter::Sink {
public:
    explicit PngSequence(const std::filesystem::path& pattern) : folder_(pattern.parent_path())
    {
        const std::string name = pattern.filename().string();
        const auto percent = name.find('%');
        const auto end = name.find('d', percent);
        if (end == std::string::npos || name.find('%', percent + 1) != std::string::npos)
            fail_pattern(pattern);
        const std::string digits = name.substr(percent + 1, end - percent - 1);
        if (!digits.empty()) {
            const auto read =
                std::from_chars(digits.data(), digits.data() + digits.size(), digits_);
            if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() || digits_ > 12)
                fail_pattern(pattern);
        }
        before_ = name.substr(0, percent);
        after_ = name.substr(end + 1);
        require_writable(path_of(1));
    }
    ~PngSequence() override
    {
        std::error_code ignored;
        for (const auto& path : written_) std::filesystem::remove(path, ignored);
    }
    void add(const Pixels& frame) override
    {
        const auto path = path_of(++count_);
        write_png(path, frame);
        written_.push_back(path);
    }
    void finish() override { written_.clear(); }

private:
    [[noreturn]] static void fail_pattern(const std::filesystem::path& pattern)
    {
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} has no number format for the frames.", pattern.string()),
                    "Write the number once as %d or %05d.");
    }
    std::filesystem::path path_of(int number) const
    {
        return folder_ / fmt::format("{}{:0{}}{}", before_, number, digits_, after_);
    }

    std::filesystem::path folder_;
    std::string before_;
    std::string after_;
    int digits_ = 0;
    int count_ = 0;
    std::vector<std::filesystem::path> written_; // removed unless finished
};

} // namespace

std::unique_ptr<VideoWriter::Sink> make_png_sequence(const std::filesystem::path& pattern)
{
    return std::make_unique<PngSequence>(pattern);
}

} // namespace lanescope::render
