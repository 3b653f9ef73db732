// Video through ffmpeg: raw frames go to its standard input, and the file gets its final name only
// after ffmpeg has exited successfully.
#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "compute/endings.h"
#include "compute/error.h"
#include "compute/process/files.h"
#include "compute/process/process.h"
#include "compute/process/search_path.h"
#include "compute/process/walls.h"
#include "render/capture/file.h"
#include "render/capture/video_sink.h"

namespace lanescope::render {
namespace {

std::vector<std::string> arguments_for(VideoKind kind, const VideoOptions& options, double rate,
                                       const std::string& output)
{
    std::vector<std::string> words{
        "ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-xerror", "-y",
        // If the program is killed, the last frame may be incomplete: ffmpeg discards it.
        "-fflags", "+discardcorrupt", "-f", "rawvideo", "-pixel_format", "rgb24", "-video_size",
        fmt::format("{}x{}", options.width, options.height), "-framerate",
        fmt::format("{:g}", rate), "-i", "pipe:0"};
    const auto add = [&](std::initializer_list<const char*> more) {
        words.insert(words.end(), more.begin(), more.end());
    };
    if (kind == VideoKind::mp4) {
        const int more_columns = options.width % 2,
                  more_rows = options.height % 2; // H.264 needs even dimensions
        if (more_columns + more_rows > 0) {
            words.push_back("-vf");
            words.push_back(fmt::format("pad={}:{},fillborders=right={}:bottom={}:mode=smear",
                                        options.width + more_columns, options.height + more_rows,
                                        more_columns, more_rows));
        }
        // A fixed number of threads gives the same bits on every machine.
        add({"-c:v", "libx264", "-preset", "medium", "-crf", "17", "-pix_fmt", "yuv420p",
             "-threads", "2", "-movflags", "+faststart", "-f", "mp4"});
    } else {
        // One palette per frame, so that frames can be encoded as they arrive.
        add({"-vf",
             "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1:dither=sierra2_"
             "4a",
             "-f", "gif"});
    }
    add({"-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1"});
    words.push_back(output);
    return words;
}

// Sandbox for ffmpeg: it may read its own files and write to the video's folder. Returns none for a
// snap package, because the snap's own sandbox needs rights that ours would remove.
std::optional<Walls> walls_for(const std::string& program, const std::filesystem::path& video)
{
    const auto found = find_program(program);
    std::error_code none;
    if (!found || std::filesystem::canonical(*found, none).filename() == "snap") return {};
    Walls walls = walls_for_program(*found);
    walls.readable.emplace_back("/usr/share");
    walls.writable.push_back(std::filesystem::absolute(video).parent_path());
    return walls;
}

class Ffmpeg final : public VideoWriter::Sink {
public:
    Ffmpeg(const std::filesystem::path& path, VideoKind kind, const VideoOptions& options,
           double rate)
        : path_(path), partial_(partial_of(path))
    {
        require_writable(path);
        // Without "file:", ffmpeg would take a name such as "a:b.mp4" for a protocol.
        const auto words = arguments_for(kind, options, rate, "file:" + partial_.string());
        const std::optional<Walls> walls = walls_for(words.front(), partial_);
        try {
            process_.emplace(words, Process::Start{.input = Process::Input::from_parent,
                                                   .walls = walls ? &*walls : nullptr});
        } catch (const std::system_error& error) {
            if (error.code() != std::errc::no_such_file_or_directory) fail(error.code().message());
            throw Error(ExitStatus::no_such_thing,
                        "The program ffmpeg, which makes videos, is not installed.",
                        fmt::format("Install it ({}), or write numbered pictures with -o "
                                    "frames/%05d.png.",
                                    ffmpeg_installation()));
        }
    }
    ~Ffmpeg() override
    {
        process_.reset();
        std::error_code ignored;
        std::filesystem::remove(partial_, ignored);
    }

    void add(const Pixels& frame) override
    {
        if (process_->write(std::as_bytes(std::span(frame.rgb)))) return;
        process_->wait();
        fail(complaints());
    }

    void finish() override
    {
        process_->end_input();
        if (process_->wait() != 0) fail(complaints());
        replace_file(partial_, path_);
    }

    void cancel() override { process_->kill(); }

private:
    std::string complaints() const
    {
        constexpr std::size_t max_bytes = 2000;
        std::string text = process_->output(max_bytes);
        while (!text.empty() && text.back() == '\n') text.pop_back();
        return text.empty() ? "it gave no reason" : text;
    }

    [[noreturn]] void fail(const std::string& reason) const
    {
        for (const int code : full_disk_errors()) {
            const std::string words = std::generic_category().message(code);
            if (reason.find(words) != std::string::npos)
                throw Error(ExitStatus::bad_usage,
                            fmt::format("{} cannot be written: {}.", path_.string(), words),
                            "Free some space, or write to another disk.");
        }
        throw Error(
            ExitStatus::bad_usage,
            fmt::format("ffmpeg could not write {}: {}.", path_.string(), reason),
            "Check the disk's free space, or write numbered pictures with -o frames/%05d.png.");
    }

    std::filesystem::path path_;
    std::filesystem::path partial_;
    std::optional<Process> process_;
};

} // namespace

std::filesystem::path partial_of(const std::filesystem::path& video)
{
    if (video.extension() == ending::png) return {};
    return video.parent_path() / fmt::format(".{}.partial", video.filename().string());
}

std::string ffmpeg_installation()
{
    return package_installation("ffmpeg");
}

std::unique_ptr<VideoWriter::Sink> make_ffmpeg(const std::filesystem::path& path, VideoKind kind,
                                               const VideoOptions& options,
                                               double frames_per_second)
{
    return std::make_unique<Ffmpeg>(path, kind, options, frames_per_second);
}

} // namespace lanescope::render
