// Videos from the window: complete, evenly spaced, in the chosen format, cancellable, and never
// partially written.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <set>
#include <thread>
#include <utility>

#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

// Arguments for a session with these capture settings.
std::vector<std::string> recording(const Folder& folder, const json& capture)
{
    const json session{{"lanescope_session", 1},
                       {"lab", "heat"},
                       {"device", engine_under_test()},
                       {"parameters", {{"size", 48}}},
                       {"capture", capture}};
    const auto file = folder / "session.json";
    std::ofstream(file) << session;
    return {"--session", file.string()};
}

// Keeps every core busy to simulate a slow machine.
class Burden {
public:
    Burden()
    {
        for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
            threads_.emplace_back([this] {
                while (!done_.load(std::memory_order_relaxed)) {
                }
            });
    }
    ~Burden()
    {
        done_ = true;
        for (std::thread& thread : threads_) thread.join();
    }
    Burden(const Burden&) = delete;
    Burden& operator=(const Burden&) = delete;

private:
    std::atomic<bool> done_{false};
    std::vector<std::thread> threads_;
};

std::size_t files_in(const std::filesystem::path& folder)
{
    return std::distance(std::filesystem::directory_iterator(folder), {});
}

TEST(Recording, MatchesScreen)
{
    Desk desk({"--lab", "heat", "--set", "size=96"});
    desk.key("r");
    desk.wait_for("frames", [](const json& r) { return r.at("recording") >= 5; });
    desk.key("r");
    const std::string said = desk.wait_for_notice("frames").at("notice");
    const auto video = desk.saved(".mp4");
    ASSERT_FALSE(video.empty());
    const std::string frames = std::to_string(frame_times(video).size()) + " frames";
    EXPECT_TRUE(says(said, frames)) << said << " but " << frames;
}

TEST(Recording, WholeWindow)
{
    const Folder folder;
    Desk desk(recording(folder, {{"format", "png"}, {"seconds", 1}}), 640, 360);
    desk.key("shift+r");
    const std::string said = desk.wait_for_notice("30 frames").at("notice");
    const std::filesystem::path frames = said.substr(6, said.find(':') - 6);
    ASSERT_EQ(files_in(frames), 30u) << said;
    const auto last = render::read_image(frames / "00030.png");
    EXPECT_EQ(last.width, 640);
    EXPECT_EQ(last.height, 360);
    // The panel, including its frames per second, is at its usual place in the video, and does not
    // change; the picture beside it does.
    const auto first = render::read_image(frames / "00001.png");
    EXPECT_EQ(different_pixels(first, last, 450, 180, 620, 340), 0);
    EXPECT_GT(different_pixels(first, last, 0, 40, 420, 360), 0);
    EXPECT_LT(different_pixels(last, desk.screenshot(), 450, 180, 620, 340), 0.01);
}

TEST(Recording, WindowRecordingSurvivesResize)
{
    const Folder folder;
    Desk desk(recording(folder, {{"format", "png"}}), 960, 540);
    desk.key("shift+r");
    desk.wait_for("frames", [](const json& r) { return r.at("recording") >= 3; });
    desk.xdotool({"search", "--name", "Lanescope", "windowsize", "--sync", "640", "480"});
    const auto so_far = desk.fresh_report().at("recording").get<int>();
    desk.wait_for("more frames", [&](const json& r) { return r.at("recording") >= so_far + 5; });
    desk.key("shift+r");
    const std::string said = desk.wait_for_notice("frames").at("notice");
    const std::filesystem::path frames = said.substr(6, said.find(':') - 6);
    ASSERT_GE(files_in(frames), 8u) << said;
    for (const auto& frame : std::filesystem::directory_iterator(frames)) {
        const auto picture = render::read_image(frame.path());
        EXPECT_EQ(picture.width, 960);
        EXPECT_EQ(picture.height, 540);
    }
}

TEST(Recording, PictureRecordingSurvivesResize)
{
    const Folder folder;
    Desk desk(recording(folder, {{"format", "png"}}), 960, 540);
    desk.key("r");
    desk.wait_for("frames", [](const json& r) { return r.at("recording") >= 3; });
    desk.xdotool({"search", "--name", "Lanescope", "windowsize", "--sync", "640", "480"});
    const auto so_far = desk.fresh_report().at("recording").get<int>();
    desk.wait_for("more frames", [&](const json& r) { return r.at("recording") >= so_far + 5; });
    desk.key("r");
    const std::string said = desk.wait_for_notice("frames").at("notice");
    EXPECT_EQ(desk.fresh_report().at("recording"), 0) << "told to stop, it stops";
    const std::filesystem::path frames = said.substr(6, said.find(':') - 6);
    ASSERT_GE(files_in(frames), 8u) << said;
    std::set<std::pair<int, int>> sizes;
    for (const auto& frame : std::filesystem::directory_iterator(frames)) {
        const auto picture = render::read_image(frame.path());
        sizes.emplace(picture.width, picture.height);
    }
    EXPECT_EQ(sizes.size(), 1u) << "frames of one video have one size";
}

TEST(Recording, TenSecondsAt60FpsHave600FramesOnSlowMachine)
{
    const Folder folder;
    Desk desk(recording(folder, {{"rate", 60}, {"seconds", 10}}), 640, 360);
    {
        const Burden burden;
        desk.key("r");
        desk.wait_for_notice("600 frames", 4min);
    }
    const auto video = desk.saved(".mp4");
    ASSERT_FALSE(video.empty());
    if (frame_times(video).empty()) GTEST_SKIP() << "no ffprobe";
    expect_even_frames(video, 600, 60);
}

TEST(Recording, GifAndNumberedPictures)
{
    const Folder folder;
    {
        Desk desk(recording(folder, {{"format", "gif"}, {"rate", 60}, {"seconds", 1}}), 640, 360);
        desk.key("r");
        desk.wait_for_notice("50 frames, 1.0 s at 50 per second");
        expect_even_frames(desk.saved(".gif"), 50, 50);
    }
    Desk desk(recording(folder, {{"format", "png"}, {"seconds", 1}}), 640, 360);
    desk.key("r");
    const std::string said = desk.wait_for_notice("30 frames").at("notice");
    EXPECT_EQ(files_in(said.substr(6, said.find(':') - 6)), 30u) << said;
}

// Number of files and subfolders, including the folder of recordings, which is created if missing.
std::ptrdiff_t entries_below(const std::filesystem::path& folder)
{
    std::filesystem::create_directories(folder / "lanescope" / "videos");
    return std::ranges::distance(std::filesystem::recursive_directory_iterator(folder));
}

TEST(Recording, CancelledWhileFinishingLeavesNoFile)
{
    const Folder folder;
    Desk desk(recording(folder, {{"format", "png"}, {"scale", 4}}));
    const std::ptrdiff_t before = entries_below(desk.folder().path());
    desk.key("r");
    desk.wait_for(
        "frames", [](const json& r) { return r.at("recording") >= 6; }, 4min);
    desk.xdotool({"key", "r", "key", "shift+Escape"});
    desk.wait_for_notice("cancelled");
    EXPECT_TRUE(desk.running());
    for (int i = 0; i < 500 && entries_below(desk.folder().path()) > before; ++i)
        std::this_thread::sleep_for(10ms);
    EXPECT_EQ(entries_below(desk.folder().path()), before);
}

TEST(Recording, FullDiskIsReportedAndLeavesNoFile)
{
    const Folder folder;
    constexpr std::size_t room = 50'000;
    Desk desk(recording(folder, {{"scale", 2}}), 1280, 720, {.file = room});
    const std::ptrdiff_t before = entries_below(desk.folder().path());
    desk.key("r");
    const std::string said = desk.wait_for_error(".mp4").at("error");
    EXPECT_NE(said.find("File too large. Free some space"), std::string::npos) << said;
    desk.key("Escape");
    desk.key("s");
    desk.wait_for_error("Cannot write");
    EXPECT_EQ(entries_below(desk.folder().path()), before);
    desk.key("Escape");
    const auto steps = desk.fresh_report().at("steps").get<std::int64_t>();
    desk.wait_for("more steps", [&](const json& r) { return r.at("steps") > steps + 5; });
}

} // namespace
} // namespace lanescope::test
