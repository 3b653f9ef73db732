// No work is lost: edits, strokes and recordings are saved on request, confirmed when the window
// closes, and restored after a kill.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

const std::string tutorials = LANESCOPE_SOURCE_DIR "/tests/unit/guess/tutorials/";

std::string text_of(const json& report)
{
    return report.at("code").at("text");
}

// The user's own kernel in the window, with words typed before its first line.
class OwnKernel {
public:
    OwnKernel() : file(folder / "saxpy.cu")
    {
        std::filesystem::copy_file(tutorials + "saxpy.cu", file);
    }
    void edit(Desk& desk, const std::string& words) const
    {
        desk.key("ctrl+e");
        desk.wait_for("the editor",
                      [](const json& r) { return r.at("code").at("editing") == true; });
        desk.key("ctrl+Home");
        desk.xdotool({"type", "--delay", "20", "//" + words});
        desk.key("Return");
        desk.wait_for("the words",
                      [&](const json& r) { return text_of(r).starts_with("//" + words + "\n"); });
        desk.key("Escape");
    }
    const Folder folder;
    const std::filesystem::path file;
};

void expect_asked(Desk& desk, const char* key)
{
    desk.key(key);
    desk.wait_for("the question", [](const json& r) { return r.at("asks_to_close") == true; });
    desk.key("Escape");
    desk.wait_for("no question", [](const json& r) { return r.at("asks_to_close") == false; });
}

// On an otherwise idle computer this takes at most half a second.
void wait_until_kept(const Desk& desk, const std::string& folder,
                     const std::function<bool(const std::string&)>& has)
{
    const auto end = std::chrono::steady_clock::now() + 1min;
    while (std::chrono::steady_clock::now() < end) {
        std::error_code none;
        for (const auto& entry :
             std::filesystem::directory_iterator(desk.folder() / ("lanescope/" + folder), none))
            if (entry.path().extension() == ".json" && has(read_file(entry.path()))) return;
        std::this_thread::sleep_for(20ms);
    }
    FAIL() << "nothing was kept in " << folder;
}

TEST(Saving, AsksAndSavesKernelFile)
{
    const OwnKernel own;
    Desk desk({own.file.string()});
    const std::string before = read_file(own.file);
    own.edit(desk, "mine");
    expect_asked(desk, "ctrl+q");
    EXPECT_EQ(read_file(own.file), before);
    desk.key("ctrl+s");
    const json saved = desk.wait_for_notice("Saved ");
    EXPECT_NE(saved.at("notice").get<std::string>().find(own.file.filename().string()),
              std::string::npos);
    EXPECT_EQ(read_file(own.file), "//mine\n" + before);
    desk.key("ctrl+q");
    EXPECT_EQ(desk.wait_for_end(), 0);
}

// An open dialogue does not prevent closing: the question replaces it and receives the keys.
TEST(Saving, WindowClosesDuringNameEntry)
{
    const OwnKernel own;
    for (const bool edited : {false, true}) {
        Desk desk({own.file.string()});
        if (edited) own.edit(desk, "mine");
        desk.key("ctrl+shift+s");
        desk.wait_for("a dialogue", [](const json& r) { return r.at("dialogue_open") == true; });
        desk.xdotool({"type", "--delay", "20", "of my lecture"});
        desk.key("ctrl+q");
        if (edited) {
            desk.wait_for("the question", [](const json& r) {
                return r.at("asks_to_close") == true && r.at("dialogue_open") == false;
            });
            desk.key("Return");
        }
        EXPECT_EQ(desk.wait_for_end(), 0);
    }
}

// Enter answers the question and does not add a line to the text.
TEST(Saving, WindowClosesDuringTextEdit)
{
    const OwnKernel own;
    Desk desk({own.file.string()});
    own.edit(desk, "mine");
    desk.key("ctrl+e");
    desk.wait_for("the editor", [](const json& r) { return r.at("code").at("editing") == true; });
    desk.key("ctrl+q");
    desk.wait_for("the question", [](const json& r) { return r.at("asks_to_close") == true; });
    desk.key("Return");
    EXPECT_EQ(desk.wait_for_end(), 0);
}

TEST(Saving, KeepsExternalChanges)
{
    const OwnKernel own;
    Desk desk({own.file.string()});
    own.edit(desk, "mine");
    // The file changes just before saving, too late for the window to have noticed.
    std::ofstream(own.file) << "// theirs\n";
    desk.key("ctrl+s");
    desk.wait_for("an answer", [](const json& r) {
        return r.at("error").get<std::string>().find("another program") != std::string::npos ||
               text_of(r).starts_with("// theirs");
    });
    EXPECT_EQ(read_file(own.file), "// theirs\n");
}

TEST(Saving, RepeatedSaveAsWritesNewFile)
{
    Desk desk({"--lab", "heat", "--set", "size=96"});
    for (int i = 0; i < 2; ++i) {
        desk.key("ctrl+shift+s");
        desk.fresh_report();
        desk.key("Return");
        desk.wait_for("a session", [&](const json& r) {
            return std::ranges::count_if(std::filesystem::directory_iterator(desk.folder().path()),
                                         [](const auto& entry) {
                                             return entry.path().extension() == ".json" &&
                                                    entry.path().filename().string().starts_with(
                                                        "lanescope-");
                                         }) == i + 1 &&
                   r.at("error") == "";
        });
        std::this_thread::sleep_for(1100ms); // file names contain the time in seconds
    }
    desk.key("ctrl+shift+s");
    desk.fresh_report();
    desk.key("ctrl+a");
    desk.xdotool({"type", "--delay", "30", "of my lecture"});
    desk.key("Return");
    desk.wait_for_notice("of my lecture.json");
    EXPECT_TRUE(std::filesystem::exists(desk.folder() / "of my lecture.json"));
}

// Strokes count as unsaved until they have been written.
TEST(Saving, StrokesAreSavedOnceWritten)
{
    Desk desk({"--lab", "heat", "--set", "size=48"});
    desk.write("taken.json", "{}");
    desk.key("space");
    desk.key("Return");
    desk.wait_for("a stroke", [](const json& r) { return !r.at("session").at("events").empty(); });
    const auto save_as = [&](const std::string& name) {
        desk.key("ctrl+shift+s");
        desk.fresh_report();
        desk.key("ctrl+a");
        desk.xdotool({"type", "--delay", "30", name});
        desk.key("Return");
    };
    save_as("taken");
    desk.wait_for_error("already exists");
    expect_asked(desk, "ctrl+q");
    EXPECT_EQ(read_file(desk.folder() / "taken.json"), "{}");
    save_as("free");
    desk.wait_for_notice("free.json");
    desk.key("ctrl+q");
    EXPECT_EQ(desk.wait_for_end(), 0);
}

TEST(Saving, EditsOfEveryFileSurviveKill)
{
    const OwnKernel one;
    const OwnKernel other;
    Desk desk({one.file.string()});
    one.edit(desk, "first");
    desk.drop(other.file);
    desk.wait_for("the other file", [](const json& r) {
        return r.at("opening") == false && !text_of(r).starts_with("//first");
    });
    expect_asked(desk, "ctrl+q");
    other.edit(desk, "second");
    wait_until_kept(desk, "edits", [](const std::string& text) {
        return text.find("//second\\n") != std::string::npos;
    });
    desk.send(SIGKILL);
    EXPECT_EQ(desk.wait_for_end(), 128 + SIGKILL);
    desk.start_again({one.file.string()});
    desk.wait_for("the first's", [](const json& r) { return text_of(r).starts_with("//first\n"); });
    desk.key("ctrl+q");
    desk.wait_for("the question", [](const json& r) { return r.at("asks_to_close") == true; });
    desk.key("Return");
    EXPECT_EQ(desk.wait_for_end(), 0);
    desk.start_again({other.file.string()});
    desk.wait_for("the second's",
                  [](const json& r) { return text_of(r).starts_with("//second\n"); });
    EXPECT_FALSE(read_file(other.file).starts_with("//second"));
}

TEST(Saving, StrokesSurviveKill)
{
    Desk desk({"--lab", "heat", "--set", "size=48"});
    desk.key("space");
    desk.wait_for("the pause", [](const json& r) { return r.at("paused") == true; });
    desk.move(400, 300);
    desk.fresh_report();
    desk.press(1);
    const json painted = desk.wait_for(
        "a stroke", [](const json& r) { return !r.at("session").at("events").empty(); });
    desk.release(1);
    const json before = desk.fresh_report().at("session").at("events");
    wait_until_kept(desk, "painting", [&](const std::string& text) {
        return json::parse(text).value("events", json()) == before;
    });
    desk.send(SIGKILL);
    desk.wait_for_end();
    desk.start_again({});
    const json after = desk.wait_for("the strokes", [&](const json& r) {
        return r.contains("session") && r.at("session").at("events") == before;
    });
    EXPECT_TRUE(says(after.at("notice"), "Recovered your painting")) << after.at("notice");
    expect_asked(desk, "ctrl+q");
}

json video_session(const std::string& format)
{
    return {{"lanescope_session", 1},
            {"lab", "heat"},
            {"device", engine_under_test()},
            {"parameters", {{"size", 48}}},
            {"capture", {{"format", format}}}};
}

TEST(Saving, VideoSurvivesSignals)
{
    if (!is_installed("ffmpeg")) GTEST_SKIP() << "no ffmpeg";
    const Folder folder;
    std::ofstream(folder / "session.json") << video_session("mp4");
    const std::vector<std::string> arguments{"--session", (folder / "session.json").string()};
    Desk desk(arguments, 640, 360);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGKILL}) {
        desk.key("r");
        desk.wait_for("frames", [](const json& r) { return r.at("recording") >= 20; });
        desk.send(signal);
        EXPECT_EQ(desk.wait_for_end(), 128 + signal);
        desk.start_again(arguments);
        if (signal == SIGKILL) desk.wait_for_notice("Recovered");
        const auto video = desk.saved(".mp4");
        ASSERT_FALSE(video.empty()) << signal;
        // SIGKILL may lose up to the last half second.
        EXPECT_GE(frame_times(video).size(), signal == SIGKILL ? 5u : 20u) << signal;
        std::filesystem::remove(video);
        for (const auto& entry : std::filesystem::directory_iterator(desk.folder().path()))
            EXPECT_FALSE(entry.path().string().ends_with(".partial")) << entry.path();
    }
}

TEST(Saving, EscKeepsFinishedVideo)
{
    const Folder folder;
    json session = video_session("png");
    session["capture"]["scale"] = 4;
    std::ofstream(folder / "session.json") << session;
    Desk desk({"--session", (folder / "session.json").string()});
    desk.key("r");
    desk.wait_for(
        "frames", [](const json& r) { return r.at("recording") >= 6; }, 4min);
    desk.xdotool({"key", "r", "key", "Escape"});
    desk.wait_for_notice("frames", 4min);
}

TEST(Saving, RequestedFilesAreWrittenBeforeExit)
{
    Desk desk({"--lab", "heat", "--set", "size=96"});
    desk.xdotool({"key", "s", "key", "ctrl+s", "key", "ctrl+q"});
    EXPECT_EQ(desk.wait_for_end(), 0);
    EXPECT_FALSE(desk.saved(".png").empty());
    EXPECT_FALSE(desk.saved(".json").empty());
}

// A lab on disk whose folder takes a while to write, and whose kernel takes seconds to compile if
// LONG is defined and SHORT is not.
class LargeLab {
public:
    static constexpr std::uintmax_t max_bytes = std::uintmax_t{64} << 20;

    LargeLab()
    {
        std::filesystem::copy(LANESCOPE_SOURCE_DIR "/assets/new_lab", place,
                              std::filesystem::copy_options::recursive);
        json record = json::parse(read_file(place / "lab.json"));
        record["buffers"]["large"] = {
            {"type", "u8"}, {"extent", {max_bytes}}, {"fill", {{"file", "large.bin"}}}};
        std::ofstream(place / "lab.json") << record.dump(1);
        std::ofstream(place / "large.bin").close();
        std::filesystem::resize_file(place / "large.bin", max_bytes);
        std::ofstream(place / "naive.cu", std::ios::app) << R"(
#if defined(LONG) && !defined(SHORT)
#define TEN(text) text text text text text text text text text text
extern "C" __global__ void takes_long(float* x)
{
    TEN(TEN(TEN(TEN(TEN(*x = *x * *x + 1;)))))
}
#endif
)";
    }
    const Folder folder;
    const std::filesystem::path place = folder / "large";
};

// While a compiler is running, the window exits without waiting for its threads in general: their
// writes are complete only if it waits for them explicitly.
TEST(Saving, FolderIsWrittenBeforeExit)
{
    const LargeLab lab;
    Desk desk({"--lab", lab.place.string()});
    desk.key("ctrl+e");
    desk.wait_for("the editor", [](const json& r) { return r.at("code").at("editing") == true; });
    desk.key("ctrl+Home");
    desk.xdotool({"type", "--delay", "20", "#define LONG"});
    desk.key("Return");
    desk.key("Escape");
    desk.wait_for("a compiler at work", [](const json& r) {
        return text_of(r).starts_with("#define LONG\n") &&
               r.at("code").at("standing") == "Compiling …";
    });
    desk.key("ctrl+shift+s");
    desk.fresh_report();
    desk.key("Return");
    // Until the dialogue closes, it receives the keys.
    for (int i = 0; i < 100 && desk.running(); ++i) desk.key("ctrl+q");
    EXPECT_EQ(desk.wait_for_end(), 0);

    const auto saved = desk.folder() / "large_lab";
    for (const auto& entry : std::filesystem::directory_iterator(lab.place)) {
        const auto name = entry.path().filename();
        ASSERT_TRUE(std::filesystem::exists(saved / name)) << name;
        EXPECT_GE(file_size(saved / name), file_size(entry)) << name;
    }
    for (const auto& entry : std::filesystem::directory_iterator(saved))
        EXPECT_FALSE(entry.path().filename().string().starts_with(".")) << entry.path();
    EXPECT_TRUE(read_file(saved / "naive_edited.cu").starts_with("#define LONG\n"));
    const Outcome run =
        run_program({"run", (saved / "naive_edited").string(), "-D", "SHORT", "--steps", "1"});
    EXPECT_EQ(run.status, 0) << run.errors;
}

// An encoder that never reads its input: the window keeps running and can be closed.
TEST(Saving, HangingEncoderDoesNotBlockWindow)
{
    const Folder folder;
    std::ofstream(folder / "ffmpeg") << "#!/bin/sh\nexec sleep 600\n";
    chmod((folder / "ffmpeg").c_str(), 0755);
    std::ofstream(folder / "session.json") << video_session("mp4");
    const std::string path = std::getenv("PATH");
    setenv("PATH", (folder.path().string() + ":" + path).c_str(), 1);
    Desk desk({"--session", (folder / "session.json").string()}, 640, 360);
    setenv("PATH", path.c_str(), 1);
    desk.key("shift+r");
    desk.wait_for("frames that wait", [](const json& r) { return r.at("recording") >= 8; });
    const auto frames = desk.fresh_report().at("frames").get<int>();
    desk.wait_for("frames of the window",
                  [&](const json& r) { return r.at("frames").get<int>() > frames + 30; });
    desk.key("shift+r");
    desk.key("t");
    desk.wait_for("another theme",
                  [](const json& r) { return r.at("session").at("theme") == "light"; });
    desk.key("ctrl+q");
    EXPECT_EQ(desk.wait_for_end(), 0);
}

} // namespace
} // namespace lanescope::test
