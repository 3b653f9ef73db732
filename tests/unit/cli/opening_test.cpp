// How dropped files are recognised, and the messages for files that cannot be opened.
#include <gtest/gtest.h>

#include <fstream>

#include "app/run/frame/open_job.h"
#include "tests/support/malformed.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

app::Session lab_session(const std::string& lab)
{
    app::Session session;
    session.journal.start.lab = lab;
    session.journal.start.variant = labs::find(lab).variants.front().id;
    session.journal.steps = 5;
    session.look.view = labs::find(lab).views.front();
    return session;
}

std::string refusal(const std::filesystem::path& file, const std::string& lab)
{
    try {
        app::find_in_file(file, lab_session(lab));
    } catch (const Error& error) {
        return error.what();
    }
    ADD_FAILURE() << file << " was accepted";
    return {};
}

void write(const std::filesystem::path& file, const std::string& bytes)
{
    std::ofstream(file, std::ios::binary) << bytes;
}

TEST(Opening, PictureBecomesImageOfSuitableLab)
{
    const Folder folder;
    write(folder / "photo.jpg", jpeg());
    const app::Found found = app::find_in_file(folder / "photo.jpg", lab_session("rotate"));
    EXPECT_EQ(found.arrival, app::Arrival::restart);
    EXPECT_EQ(found.session.journal.start.image, (folder / "photo.jpg").string());
    EXPECT_EQ(found.session.journal.steps, 0);
    EXPECT_NE(refusal(folder / "photo.jpg", "heat").find("Heat"), std::string::npos);
}

TEST(Opening, SessionIsFoundForAnyLab)
{
    const Folder folder;
    app::save_session(lab_session("transpose"), folder / "any name");
    const app::Found found = app::find_in_file(folder / "any name", lab_session("rotate"));
    EXPECT_EQ(found.arrival, app::Arrival::session);
    EXPECT_EQ(found.session.journal.start.lab, "transpose");
}

TEST(Opening, MalformedPicturesAreRefusedWithMessage)
{
    const Folder folder;
    for (const Malformed& one : malformed_pictures()) {
        write(folder / one.name, one.bytes);
        const std::string said = refusal(folder / one.name, "rotate");
        EXPECT_NE(said.find(one.name), std::string::npos) << said;
        EXPECT_LT(said.size(), 300u) << said;
    }
    EXPECT_NE(refusal(folder.path(), "rotate").find("is a folder"), std::string::npos);
    EXPECT_NE(refusal(folder / "none.png", "rotate").find("no file"), std::string::npos);
}

} // namespace
} // namespace lanescope::test
