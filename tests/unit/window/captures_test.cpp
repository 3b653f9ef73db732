// Pictures taken strip by strip while the window opens other experiments and steps.
#include <gtest/gtest.h>

#include <glad/gl.h>

#include <chrono>
#include <filesystem>

#include "app/document/document.h"
#include "app/export/saver.h"
#include "app/run/worker.h"
#include "app/window/captures.h"
#include "render/capture/png.h"
#include "render/context/offscreen.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using namespace app;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Like the window's loop, but without panels: the frame is released after each iteration.
class CapturesTest : public testing::Test {
protected:
    CapturesTest()
    {
        document_.folder = folder_.path();
        document_.paused = true;
    }
    void TearDown() override
    {
        captures_.finish();
        EXPECT_NO_THROW(context_.debug_log()->check());
    }

    void open(const std::string& lab, std::int64_t steps, const std::string& compare = {})
    {
        Session session;
        session.device = "simt";
        session.journal.start = {lab, labs::find(lab).variants.front().id, {{"size", "64"}}, 1, ""};
        session.journal.steps = steps;
        session.look.compare = compare;
        document_ = document_of(session);
        document_.folder = folder_.path();
        plan_ = {.opened = worker_.open({lab,
                                         [session] {
                                             return Found{Arrival::session, session};
                                         },
                                         {}}),
                 .running = false,
                 .view = {},
                 .counting = {},
                 .compare = compare,
                 .sweep = {}};
        worker_.tell(plan_);
    }
    CaptureScene scene(std::shared_ptr<const Frame> frame)
    {
        const bool whole = worker_.drawable() && frame->a.picture &&
                           (document_.look.compare.empty() || frame->together);
        return {.document = document_,
                .frame = std::move(frame),
                .drawable = worker_.drawable(),
                .whole = whole,
                .scene = scene_,
                .picture = {3000, 3000}, // eighteen strips in total
                .picture_text_px = 40,
                .window = {3000, 3000},
                .window_text_px = 40,
                .exhibit = [] { return std::nullopt; }};
    }
    CaptureScene scene() { return scene(worker_.newest_held()); }
    void turn(bool draws = true)
    {
        worker_.process_gl_tasks();
        if (draws) captures_.draw(scene());
        if (!captures_.full()) worker_.release_frame();
        worker_.wait(2ms);
    }
    template <class Condition>
    void turn_until(const Condition& condition, bool draws = true)
    {
        const auto end = Clock::now() + 60s;
        while (!condition() && Clock::now() < end) turn(draws);
        ASSERT_TRUE(condition());
    }
    void wait_for_picture()
    {
        turn_until([&] {
            const auto now = worker_.newest();
            return now->opened == plan_.opened && scene().whole && worker_.idle();
        });
        for (int i = 0; i < 3; ++i) turn();
    }
    // Starts a picture and draws its first strips.
    void begin_picture()
    {
        captures_.ask(Taken::picture, scene());
        turn();
        ASSERT_TRUE(captures_.drawing());
    }
    std::vector<std::uint8_t> end_picture()
    {
        turn_until([&] { return !captures_.pending(); });
        for (const app::Outcome& outcome : captures_.finish()) EXPECT_FALSE(outcome.failed);
        const std::filesystem::directory_iterator files(folder_.path());
        const std::filesystem::path written = files->path();
        std::vector<std::uint8_t> pixels = render::read_image(written).rgba;
        std::filesystem::remove(written);
        return pixels;
    }

    const Folder folder_;
    const render::Offscreen context_{{.cuda_ordinal = {}, .debug = true}};
    Worker worker_;
    Plan plan_;
    Document document_;
    Scene scene_;
    Captures captures_;
};

// The first experiment is closed before all strips of its two sides are drawn. Its frame was
// released long before, as in a paused window.
TEST_F(CapturesTest, PictureKeepsItsFrameWhileAnotherLabOpens)
{
    open("heat", 3, "shared_tile");
    wait_for_picture();
    begin_picture();
    const auto undisturbed = end_picture();
    const Document document = document_;

    begin_picture();
    open("rod", 1);
    turn_until([&] { return worker_.newest()->opened == plan_.opened; }, false);
    for (int i = 0; i < 10; ++i) turn(false);
    document_ = document;
    EXPECT_TRUE(captures_.drawing());
    EXPECT_EQ(end_picture(), undisturbed);
}

// A step also leaves the remaining strips unchanged.
TEST_F(CapturesTest, PictureKeepsItsFrameWhileStepping)
{
    open("heat", 3);
    wait_for_picture();
    begin_picture();
    const auto undisturbed = end_picture();

    begin_picture();
    worker_.step(40);
    for (int i = 0; i < 10; ++i) turn(false);
    EXPECT_EQ(worker_.newest()->a.launches, 3);
    EXPECT_EQ(end_picture(), undisturbed);
    turn_until([&] { return worker_.newest()->a.launches == 43; });
}

TEST_F(CapturesTest, ExperimentContinuesAfterFailedPicture)
{
    open("heat", 3);
    wait_for_picture();
    struct Broken {
        std::shared_ptr<const Frame> held;
        Frame frame;
    };
    auto broken = std::make_shared<Broken>(Broken{worker_.newest_held(), *worker_.newest()});
    broken->frame.a.picture->memory = 4000; // not a buffer
    std::shared_ptr<const Frame> frame(broken, &broken->frame);
    broken.reset();
    captures_.ask(Taken::picture, scene(frame));
    worker_.process_gl_tasks();
    EXPECT_THROW(captures_.draw(scene(frame)), render::gl::GlError);
    EXPECT_FALSE(context_.debug_log()->take().empty());
    frame.reset();
    EXPECT_FALSE(captures_.pending());
    worker_.step(1);
    turn_until([&] { return worker_.newest()->a.launches == 4; });
}

// A stepped launch replaces both sides, in files as in the window.
TEST_F(CapturesTest, SteppedLaunchHasNoOtherSide)
{
    open("heat", 3, "shared_tile");
    wait_for_picture();
    Shown shown{.frame = worker_.newest(), .look = document_.look, .text_px = 20};
    EXPECT_EQ(strip_of(scene_, shown).drawings.size(), 2U);
    shown.look.step.on = true;
    EXPECT_EQ(strip_of(scene_, shown).drawings.size(), 1U);
    shown.look.step.page = StepChoice::Page::picture;
    EXPECT_EQ(strip_of(scene_, shown).drawings.size(), 2U);
}

TEST(Saver, NamesPicturesByLabAndVariant)
{
    const Folder folder;
    Saver saver;
    const auto name = [&](const char* ending, const char* about) {
        return saver.new_name(folder.path(), ending, about).filename().string();
    };
    EXPECT_EQ(name(".png", "heat-naive"), "lanescope-heat-naive.png");
    EXPECT_EQ(name(".png", "heat-naive"), "lanescope-heat-naive-2.png") << "still to be written";
    EXPECT_EQ(name("-window.png", "heat-naive"), "lanescope-heat-naive-window.png");
    EXPECT_EQ(name(".png", "../my lab-x"), "lanescope-___my_lab-x.png");
    EXPECT_TRUE(name(".json", "").starts_with("lanescope-20"));
}

} // namespace
} // namespace lanescope::test
