// Videos: the same frames give the same bytes, every frame is included, and a recording that fails
// or is cancelled leaves no file.
#include <gmock/gmock.h>

#include <sys/stat.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "render/capture/file.h"
#include "render/capture/video.h"
#include "tests/unit/render/scene.h"

namespace lanescope::render {
namespace {

using testing::HasSubstr;

Pixels frame(int width, int height, int number)
{
    Pixels pixels{width, height, {}};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (const int value : {x + number, y * 2, number * 20})
                pixels.rgb.push_back(static_cast<std::uint8_t>(value));
    return pixels;
}

void record(const std::filesystem::path& path, int width, int height, int frames, int rate = 30)
{
    VideoWriter writer(path, {width, height, rate});
    for (int i = 0; i < frames; ++i) writer.add(frame(width, height, i));
    writer.finish();
}

// Returns ffprobe's description of the first stream: "width,height,…".
std::string probe(const std::filesystem::path& path)
{
    const std::string command =
        "ffprobe -v error -count_frames -select_streams v -show_entries "
        "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames -of csv=p=0 " +
        path.string();
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string text(400, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), pipe.get()));
    return text;
}

TEST(Video, SameFramesGiveSameFile)
{
    const Folder folder;
    record(folder / "a.mp4", 64, 48, 10);
    record(folder / "b.mp4", 64, 48, 10);
    EXPECT_EQ(read_file(folder / "a.mp4"), read_file(folder / "b.mp4"));
    EXPECT_EQ(probe(folder / "a.mp4"), "h264,64,48,yuv420p,30/1,10\n");
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.mp4", "b.mp4"}));
}

// A file name that ffmpeg would take for a protocol.
TEST(Video, NameWithColonIsFile)
{
    const Folder folder;
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder / "");
    record("10:30.mp4", 64, 48, 3);
    record("pipe:1.gif", 64, 48, 3);
    std::filesystem::current_path(before);
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"10:30.mp4", "pipe:1.gif"}));
}

TEST(Video, RespectsUmask)
{
    const Folder folder;
    const mode_t before = umask(027);
    record(folder / "a.mp4", 64, 48, 3);
    umask(before);
    EXPECT_EQ(std::filesystem::status(folder / "a.mp4").permissions(),
              static_cast<std::filesystem::perms>(0640));
}

TEST(Video, OddSidesGrowByOne)
{
    const Folder folder;
    record(folder / "odd.mp4", 65, 47, 3, 60);
    EXPECT_EQ(probe(folder / "odd.mp4"), "h264,66,48,yuv420p,60/1,3\n");
}

TEST(Video, GifHasEveryFrameAtEvenRate)
{
    const Folder folder;
    record(folder / "a.gif", 60, 40, 10);
    record(folder / "b.gif", 60, 40, 10);
    EXPECT_EQ(read_file(folder / "a.gif"), read_file(folder / "b.gif"));
    EXPECT_THAT(probe(folder / "a.gif"), HasSubstr("gif,60,40"));
    EXPECT_THAT(probe(folder / "a.gif"), HasSubstr(",10\n"));
    const VideoWriter writer(folder / "c.gif", {60, 40, 60});
    EXPECT_DOUBLE_EQ(writer.frames_per_second(), 50);
}

TEST(Video, NumberedPictures)
{
    const Folder folder;
    record(folder / "frame-%03d.png", 20, 10, 3);
    EXPECT_EQ(folder.names(),
              (std::vector<std::string>{"frame-001.png", "frame-002.png", "frame-003.png"}));
    EXPECT_EQ(read_file(folder / "frame-002.png"), encode_png(frame(20, 10, 1)));
}

TEST(Video, CanFinishInBackground)
{
    const Folder folder;
    VideoWriter writer(folder / "a.mp4", {64, 48, 30});
    for (int i = 0; i < 20; ++i) writer.add(frame(64, 48, i));
    EXPECT_FALSE(writer.done());
    writer.end();
    while (!writer.done()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(writer.written(), 20);
    EXPECT_EQ(folder.names(), std::vector<std::string>{"a.mp4"});
}

TEST(Video, CancelledWhileFinishingLeavesNoFile)
{
    const Folder folder;
    {
        VideoWriter writer(folder / "a.mp4", {640, 480, 30});
        for (int i = 0; i < 20; ++i) writer.add(frame(640, 480, i));
        writer.end();
    }
    EXPECT_TRUE(folder.names().empty());
}

TEST(Video, CancelledLeavesNoFile)
{
    const Folder folder;
    for (const char* name : {"a.mp4", "a.gif", "a-%d.png"}) {
        VideoWriter writer(folder / name, {64, 48, 30});
        for (int i = 0; i < 5; ++i) writer.add(frame(64, 48, i));
    }
    EXPECT_TRUE(folder.names().empty());
}

std::string failure(const std::filesystem::path& path, VideoOptions options = {64, 48, 30},
                    ExitStatus status = ExitStatus::bad_usage)
{
    try {
        VideoWriter writer(path, options);
        for (int i = 0; i < 30; ++i) writer.add(frame(options.width, options.height, i));
        writer.finish();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), status);
        return error.what();
    }
    return "nothing was thrown";
}

TEST(Video, ImpossibleRequestsHaveMessage)
{
    const Folder folder;
    EXPECT_THAT(failure(folder / "a.avi"), HasSubstr("End the name with .mp4 or .gif"));
    EXPECT_THAT(failure(folder / "no/such/a.mp4"), HasSubstr("No such file or directory"));
    EXPECT_THAT(failure(folder / "%s.png"), HasSubstr("%05d"));
    EXPECT_THAT(failure(folder / "%d%d.png"), HasSubstr("%05d"));
    EXPECT_THAT(failure(folder / "a.mp4", {1, 48, 30}), HasSubstr("1×48"));
    EXPECT_TRUE(folder.names().empty());
}

TEST(Video, MissingFfmpegSuggestsFix)
{
    const Folder folder;
    const std::string path = std::getenv("PATH");
    setenv("PATH", "/nonexistent", 1);
    const std::string message = failure(folder / "a.mp4", {64, 48, 30}, ExitStatus::no_such_thing);
    setenv("PATH", path.c_str(), 1);
    EXPECT_THAT(message, HasSubstr("not installed"));
    EXPECT_THAT(message, HasSubstr("frames/%05d.png"));
    EXPECT_TRUE(folder.names().empty());
}

// A script takes the place of ffmpeg and fails.
TEST(Video, FfmpegErrorsArePassedOn)
{
    const Folder folder;
    std::filesystem::create_directory(folder / "bin");
    write_file(folder / "bin/ffmpeg", "#!/bin/sh\necho 'No space left on device' >&2\nexit 1\n");
    std::filesystem::permissions(folder / "bin/ffmpeg", std::filesystem::perms::owner_all);
    const std::string path = std::getenv("PATH");
    setenv("PATH", ((folder / "bin").string() + ":" + path).c_str(), 1);
    const std::string message = failure(folder / "a.mp4");
    setenv("PATH", path.c_str(), 1);
    EXPECT_THAT(message, HasSubstr("No space left on device"));
    EXPECT_EQ(folder.names(), std::vector<std::string>{"bin"});
}

TEST(Video, RefusesFramesOfOtherSize)
{
    const Folder folder;
    VideoWriter writer(folder / "a.mp4", {64, 48, 30});
    EXPECT_THROW(writer.add(frame(32, 32, 0)), Error);
}

} // namespace
} // namespace lanescope::render
