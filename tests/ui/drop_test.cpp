// Files dropped on the window: valid ones open; for others the strip shows a message, and the
// window keeps running.
#include <gtest/gtest.h>

#include "tests/support/malformed.h"
#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

const std::vector<std::string> small_plate{"--lab", "heat", "--set", "size=96"};

// The current session, as the window would save it.
std::string session_of(Desk& desk)
{
    return desk.fresh_report().at("session").dump(2) + "\n";
}

void expect_refusal(Desk& desk, const std::filesystem::path& file, const std::string& lab)
{
    desk.drop(file);
    const std::string name = file.filename().string();
    const json after = desk.wait_for_error(name);
    EXPECT_LT(after.at("error").get<std::string>().size(), 400u) << after.at("error");
    EXPECT_EQ(after.at("session").at("lab"), lab) << name;
    EXPECT_EQ(after.at("paused"), false) << name;
}

TEST(Drop, SessionOpensAsSaved)
{
    Desk desk(small_plate);
    desk.key("3");
    desk.key("t");
    desk.wait_for("variant 3", [](const json& r) { return r.at("variant") == "register_march"; });
    desk.key("space");
    desk.wait_for("the pause", [](const json& r) { return r.at("paused") == true; });
    desk.key("ctrl+s");
    desk.wait_for_notice(".json");
    const auto file = desk.saved(".json");
    const json was = desk.fresh_report();
    const auto looked = desk.screenshot();
    desk.key("ctrl+Next");
    desk.wait_for("another lab", [](const json& r) {
        return r.at("session").at("lab") != "heat" && r.at("steps") > 0;
    });
    desk.drop(file);
    const json is = desk.wait_for("the kept step", [&](const json& r) {
        return r.at("session").at("lab") == "heat" && r.at("steps") == was.at("steps");
    });
    EXPECT_EQ(is.at("session"), was.at("session"));
    EXPECT_EQ(is.at("error"), "");
    desk.fresh_report();
    EXPECT_LT(different_pixels(looked, desk.screenshot(), 240, 0, 940, 680), 0.0001);
}

TEST(Drop, PictureOpensItsSession)
{
    Desk desk(small_plate);
    const auto picture = desk.folder() / "drawn before.png";
    const Outcome outcome = run_program({"shot", "transpose/naive", "--set", "size=64", "--device",
                                         "simt", "--size", "160x120", "-o", picture.string()});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    desk.drop(picture);
    desk.wait_for("the picture's lab",
                  [](const json& r) { return r.at("session").at("lab") == "transpose"; });
    EXPECT_EQ(desk.report().at("session").at("parameters").at("size"), "64");
}

TEST(Drop, PictureBecomesImageOfRotateLab)
{
    Desk desk({"--lab", "rotate", "--set", "size=96"});
    const auto before = desk.screenshot();
    const auto photo = desk.write("photo.jpg", jpeg());
    desk.drop(photo);
    desk.wait_for("the image", [](const json& r) {
        // Wine's name of the folder is another.
        return r.at("session").at("image").get<std::string>().ends_with("photo.jpg") &&
               r.at("steps") > 2;
    });
    EXPECT_EQ(desk.report().at("error"), "");
    EXPECT_NE(before.rgba, desk.screenshot().rgba);
}

TEST(Drop, MalformedSessionsChangeNothing)
{
    Desk desk(small_plate);
    const auto all = malformed_sessions(session_of(desk));
    ASSERT_EQ(all.size(), 50u);
    for (std::size_t i = 0; i < all.size(); ++i)
        expect_refusal(desk, desk.write("broken" + std::to_string(i) + ".json", all[i].bytes),
                       "heat");
    const auto steps = desk.report().at("steps").get<std::int64_t>();
    desk.wait_for("more steps", [&](const json& r) { return r.at("steps") > steps + 20; });
}

TEST(Drop, MalformedPicturesChangeNothing)
{
    Desk desk({"--lab", "rotate", "--set", "size=96"});
    for (const Malformed& one : malformed_pictures())
        expect_refusal(desk, desk.write(one.name, one.bytes), "rotate");
    std::filesystem::create_directory(desk.folder() / "folder.png");
    expect_refusal(desk, desk.folder() / "folder.png", "rotate");
    expect_refusal(desk, desk.folder() / "not there.png", "rotate");
    const auto steps = desk.report().at("steps").get<std::int64_t>();
    desk.wait_for("more steps", [&](const json& r) { return r.at("steps") > steps + 5; });
}

// The session refers to a deleted picture, so its lab cannot start and the current lab stays.
TEST(Drop, CurrentSessionStaysIfDroppedOneFails)
{
    Desk desk(small_plate);
    json session = desk.fresh_report().at("session");
    session["lab"] = "rotate";
    session["variant"] = "global_nearest";
    session["parameters"] = json::object();
    session["view"] = "image";
    session["image"] = "/nowhere/gone.png";
    desk.drop(desk.write("gone.json", session.dump(2)));
    desk.wait_for_error("gone.png");
    EXPECT_EQ(desk.fresh_report().at("session").at("lab"), "heat");
    const auto steps = desk.report().at("steps").get<std::int64_t>();
    desk.wait_for("more steps", [&](const json& r) { return r.at("steps") > steps + 20; });
}

} // namespace
} // namespace lanescope::test
