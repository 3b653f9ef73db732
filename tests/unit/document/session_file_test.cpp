// An untrusted session may only read files in its own folder and files that the user has opened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "app/document/session/session_file.h"
#include "compute/error.h"

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SessionFile : public testing::Test {
protected:
    SessionFile()
        : top_(fs::canonical(fs::temp_directory_path()) /
               ("lanescope_session_file_" + std::to_string(getpid())))
    {
        fs::create_directories(top_ / "mine" / "pictures");
        fs::create_directories(top_ / "other" / "tiny");
        for (const char* name : {"mine/near.png", "mine/pictures/deep.png", "other/far.png"})
            std::ofstream(top_ / name) << "a picture";
        std::ofstream(top_ / "other" / "tiny" / "lab.json") << "{}";
        fs::create_symlink(top_ / "other" / "far.png", top_ / "mine" / "link.png");
        fs::create_symlink(top_ / "other", top_ / "mine" / "door");
    }
    ~SessionFile() override { fs::remove_all(top_); }

    Session load(const std::string& image, const std::string& chosen = {}) const
    {
        std::ofstream(top_ / "mine" / "session.json")
            << R"({"lanescope_session": 1, "lab": "rotate", "image": ")" << image << "\"}";
        return load_session(top_ / "mine" / "session.json", chosen);
    }
    static std::string refusal(const std::function<void()>& action)
    {
        try {
            action();
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), ExitStatus::bad_usage) << error.what();
            return error.what();
        }
        ADD_FAILURE() << "It was read.";
        return {};
    }

    const fs::path top_;
};

TEST_F(SessionFile, ReadsOwnFolder)
{
    const std::string near = (top_ / "mine" / "near.png").string();
    EXPECT_EQ(load("near.png").journal.start.image, near);
    EXPECT_EQ(load(near).journal.start.image, near) << "as the window writes it";
    EXPECT_EQ(load("pictures/../near.png").journal.start.image, near);
    EXPECT_EQ(load("pictures/deep.png").journal.start.image,
              (top_ / "mine" / "pictures" / "deep.png").string());
    EXPECT_EQ(load("").journal.start.image, "");
}

TEST_F(SessionFile, RefusesPicturesOutsideItsFolder)
{
    for (const std::string& name :
         {(top_ / "other" / "far.png").string(), std::string("../other/far.png"),
          std::string("link.png"), std::string("door/far.png"), std::string("/etc/passwd"),
          std::string("..")}) {
        const std::string why = refusal([&] { load(name); });
        EXPECT_THAT(why, HasSubstr("own folder")) << name;
        EXPECT_THAT(why, HasSubstr("Copy it beside the session")) << name;
        EXPECT_THAT(why, HasSubstr("session.json, line ")) << name;
    }
}

// Following the advice in the error message works.
TEST_F(SessionFile, FindsCopyBesideSession)
{
    const fs::path far = top_ / "other" / "far.png";
    fs::copy_file(far, top_ / "mine" / "far.png");
    EXPECT_EQ(load(far.string()).journal.start.image, (top_ / "mine" / "far.png").string());
}

TEST_F(SessionFile, ReadsFilesOpenedByUser)
{
    const std::string far = (top_ / "other" / "far.png").string();
    EXPECT_EQ(load(far, far).journal.start.image, far);
    refusal([&] { load((top_ / "other" / "tiny").string(), far); });
}

TEST_F(SessionFile, RefusesLabsOutsideFolder)
{
    const MayRead may{top_ / "mine"};
    EXPECT_EQ(may.lab("heat"), "heat");
    EXPECT_EQ(may.lab("no_such_lab"), "no_such_lab") << "who looks for it says so";
    for (const std::string& name : {(top_ / "other" / "tiny").string(),
                                    std::string("../other/tiny"), std::string("door/tiny")})
        EXPECT_THAT(refusal([&] { (void)may.lab(name); }), HasSubstr("beside the session")) << name;
    fs::copy(top_ / "other" / "tiny", top_ / "mine" / "tiny", fs::copy_options::recursive);
    EXPECT_EQ(may.lab((top_ / "other" / "tiny").string()), (top_ / "mine" / "tiny").string());
    EXPECT_EQ(may.lab("tiny"), (top_ / "mine" / "tiny").string());
}

// The user may save pictures anywhere, but a session may only name its own folder for that.
TEST_F(SessionFile, WritesNoOtherFolder)
{
    const auto folder = [&](const fs::path& named) {
        std::ofstream(top_ / "mine" / "session.json")
            << R"({"lanescope_session": 1, "lab": "rotate", "folder": ")" << named.string()
            << "\"}";
        return load_session(top_ / "mine" / "session.json", {}).folder;
    };
    EXPECT_EQ(folder(top_ / "mine"), top_ / "mine");
    EXPECT_EQ(folder(top_ / "mine" / "pictures"), top_ / "mine" / "pictures");
    for (const fs::path& named : {top_ / "other", top_ / "mine" / "door", top_ / "mine" / "..",
                                  top_, fs::path("/"), fs::path("/etc"), top_ / "nowhere"})
        EXPECT_EQ(folder(named), "") << named;
}

} // namespace
} // namespace lanescope::app
