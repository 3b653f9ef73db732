// Video by the program ffmpeg: raw frames go to its standard input, its complaints come back, and
// the finished file gets its name only when ffmpeg is content.
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <mutex>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "compute/error.h"
#include "render/capture/file.h"
#include "render/capture/video_sink.h"

extern char** environ;

namespace lanescope::render {
namespace {

class Descriptor {
public:
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept
    {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor()
    {
        if (number_ >= 0) close(number_);
    }
    int number() const { return number_; }

private:
    int number_;
};

struct SpawnActions {
    posix_spawn_file_actions_t actions;
    SpawnActions() { posix_spawn_file_actions_init(&actions); }
    ~SpawnActions() { posix_spawn_file_actions_destroy(&actions); }
};

std::vector<std::string> arguments_for(VideoKind kind, const VideoOptions& options, double rate,
                                       const std::string& output)
{
    std::vector<std::string> words{"ffmpeg",
                                   "-hide_banner",
                                   "-loglevel",
                                   "error",
                                   "-nostdin",
                                   "-xerror",
                                   "-y",
                                   "-f",
                                   "rawvideo",
                                   "-pixel_format",
                                   "rgb24",
                                   "-video_size",
                                   fmt::format("{}x{}", options.width, options.height),
                                   "-framerate",
                                   fmt::format("{:g}", rate),
                                   "-i",
                                   "pipe:0"};
    const auto add = [&](std::initializer_list<const char*> more) {
        words.insert(words.end(), more.begin(), more.end());
    };
    if (kind == VideoKind::mp4) {
        const int more_columns = options.width % 2,
                  more_rows = options.height % 2; // H.264 needs even sides
        if (more_columns + more_rows > 0) {
            words.push_back("-vf");
            words.push_back(fmt::format("pad={}:{},fillborders=right={}:bottom={}:mode=smear",
                                        options.width + more_columns, options.height + more_rows,
                                        more_columns, more_rows));
        }
        // A fixed number of threads keeps the bits the same on every machine.
        add({"-c:v", "libx264", "-preset", "medium", "-crf", "17", "-pix_fmt", "yuv420p",
             "-threads", "2", "-movflags", "+faststart", "-f", "mp4"});
    } else {
        // A palette for each frame: nothing has to wait for the end.
        add({"-vf",
             "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1:dither=sierra2_"
             "4a",
             "-f", "gif"});
    }
    add({"-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1"});
    words.push_back(output);
    return words;
}

class Ffmpeg final : public VideoWriter::Sink {
public:
    Ffmpeg(const std::filesystem::path& path, VideoKind kind, const VideoOptions& options,
           double rate)
        : path_(path),
          partial_(path.parent_path() / fmt::format(".{}.partial", path.filename().string()))
    {
        require_writable(path);
        complaints_ = Descriptor(memfd_create("ffmpeg", MFD_CLOEXEC));
        int ends[2] = {-1, -1};
        if (complaints_.number() < 0 ||
            socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            fail(std::generic_category().message(errno));
        input_ = Descriptor(ends[0]);
        const Descriptor theirs(ends[1]);
        start(arguments_for(kind, options, rate, partial_.string()), theirs.number());
    }
    ~Ffmpeg() override
    {
        cancel();
        if (process_ > 0) wait();
        std::error_code ignored;
        std::filesystem::remove(partial_, ignored);
    }

    void add(const Pixels& frame) override
    {
        std::span<const std::uint8_t> rest(frame.rgb);
        while (!rest.empty()) {
            // Not write(): a broken pipe must be an error here, not a signal that ends the program.
            const ssize_t sent = send(input_.number(), rest.data(), rest.size(), MSG_NOSIGNAL);
            if (sent < 0 && errno == EINTR) continue;
            if (sent < 0) {
                wait();
                fail(complaints());
            }
            rest = rest.subspan(static_cast<std::size_t>(sent));
        }
    }

    void finish() override
    {
        input_ = Descriptor();
        const int status = wait();
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail(complaints());
        std::error_code code;
        std::filesystem::rename(partial_, path_, code);
        if (code) fail(code.message());
    }

    void cancel() override
    {
        const std::scoped_lock lock(process_mutex_);
        if (process_ > 0) kill(process_, SIGKILL);
    }

private:
    void start(std::vector<std::string> words, int frames)
    {
        std::vector<char*> pointers;
        for (auto& word : words) pointers.push_back(word.data());
        pointers.push_back(nullptr);
        SpawnActions spawn;
        posix_spawn_file_actions_adddup2(&spawn.actions, frames, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&spawn.actions, complaints_.number(), STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&spawn.actions, complaints_.number(), STDERR_FILENO);
        const int status =
            posix_spawnp(&process_, "ffmpeg", &spawn.actions, nullptr, pointers.data(), environ);
        if (status == 0) return;
        process_ = -1;
        if (status != ENOENT) fail(std::generic_category().message(status));
        throw Error(
            ExitStatus::no_such_thing, "The program ffmpeg, which makes videos, is not installed.",
            "Install it (apt install ffmpeg), or write numbered pictures with -o frames/%05d.png.");
    }

    int wait()
    {
        // Ended but not yet forgotten, so that cancel() never meets a number that is someone
        // else's.
        siginfo_t ended{};
        while (waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOWAIT) < 0 &&
               errno == EINTR) {
        }
        const std::scoped_lock lock(process_mutex_);
        int status = 0;
        waitpid(process_, &status, 0);
        process_ = -1;
        return status;
    }

    std::string complaints() const
    {
        std::string text(2000, '\0');
        const ssize_t bytes = pread(complaints_.number(), text.data(), text.size(), 0);
        text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
        while (!text.empty() && text.back() == '\n') text.pop_back();
        return text.empty() ? "it gave no reason" : text;
    }

    [[noreturn]] void fail(const std::string& reason) const
    {
        for (const int code : {ENOSPC, EFBIG, EDQUOT}) {
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
    Descriptor complaints_; // a file in memory, so that ffmpeg never waits for a reader
    Descriptor input_;
    std::mutex process_mutex_;
    pid_t process_ = -1;
};

} // namespace

std::unique_ptr<VideoWriter::Sink> make_ffmpeg(const std::filesystem::path& path, VideoKind kind,
                                               const VideoOptions& options,
                                               double frames_per_second)
{
    return std::make_unique<Ffmpeg>(path, kind, options, frames_per_second);
}

} // namespace lanescope::render
