// A session of a captured launch is saved together with the launch, so that it can be opened after
// the program's folder has been deleted.
#include <unistd.h>

#include <gtest/gtest.h>

#include <fstream>

#include <nlohmann/json.hpp>

#include "app/document/session/session_file.h"
#include "compute/error.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
}

class SessionWithLab : public testing::Test {
protected:
    SessionWithLab()
    {
        fs::remove_all(folder_);
        fs::create_directories(launch_.parent_path());
        fs::copy(fs::path(LANESCOPE_SOURCE_DIR) / "compute/labs/transpose", launch_,
                 fs::copy_options::recursive); // any lab will do
        write(launch_ / "memory_0.bin", std::string("\0\1\2", 3));
        write(launch_ / "headers" / "sizes.h", "#define N 3");
        session_.journal.start.lab = launch_.string();
        session_.journal.start.variant = "naive";
        fs::create_directories(folder_ / "saved");
    }
    ~SessionWithLab() override { fs::remove_all(folder_); }

    // unique to the process, because tests of this file may run at the same time
    fs::path folder_ =
        fs::path(testing::TempDir()) / ("session_with_lab_" + std::to_string(::getpid()));
    fs::path launch_ = folder_ / "program" / "launches" / "003_scale";
    fs::path file_ = folder_ / "saved" / "mine.session";
    Session session_;
};

TEST_F(SessionWithLab, OpensAfterLaunchIsGone)
{
    const fs::path copy = save_session_with_lab(session_, file_);
    fs::remove_all(folder_ / "program");
    const std::string lab = load_session(file_, "").journal.start.lab;
    EXPECT_EQ(fs::canonical(lab), fs::canonical(copy));
    EXPECT_TRUE(labs::is_lab_folder(lab));
    EXPECT_EQ(fs::file_size(copy / "memory_0.bin"), 3U);
    EXPECT_TRUE(fs::exists(copy / "headers" / "sizes.h"));
}

// An edit is stored in the session, over the copy of the launch.
TEST_F(SessionWithLab, KeepsEditedText)
{
    session_.journal.start.lab =
        labs::open_texts({launch_.string(), {}, {{"naive.cu", "// edited"}}}).place;
    const fs::path copy = save_session_with_lab(session_, file_);
    fs::remove_all(folder_ / "program");
    const labs::Lab& lab = labs::find(load_session(file_, "").journal.start.lab);
    EXPECT_EQ(fs::canonical(lab.origin()), fs::canonical(copy));
    EXPECT_EQ(lab.file("naive.cu"), "// edited");
    EXPECT_FALSE(lab.file("tile.cu").empty());
}

// The session's file and the launch's folder may be moved together.
TEST_F(SessionWithLab, OpensFromAnotherFolder)
{
    save_session_with_lab(session_, file_);
    fs::rename(folder_ / "saved", folder_ / "moved");
    std::ifstream file(folder_ / "moved" / "mine.session");
    const std::string lab = nlohmann::json::parse(file).at("lab");
    // MayRead finds the lab as a new process would, without its old path.
    const auto found = MayRead{.folder = folder_ / "moved"}.own(lab);
    ASSERT_TRUE(found);
    EXPECT_TRUE(labs::is_lab_folder(*found));
}

TEST_F(SessionWithLab, RefusesToOverwrite)
{
    const fs::path copy = save_session_with_lab(session_, file_);
    fs::remove(file_);
    EXPECT_THROW(save_session_with_lab(session_, file_), Error);
    EXPECT_FALSE(fs::exists(file_));
    EXPECT_TRUE(fs::exists(copy / "lab.json"));
}

} // namespace
} // namespace lanescope::app
