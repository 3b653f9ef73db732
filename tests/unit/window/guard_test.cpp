// An exception in a panel becomes a message; neither that panel nor its neighbours close the
// window.
#include <gtest/gtest.h>

#include <imgui_internal.h>

#include <stdexcept>

#include "app/document/edits.h"
#include "app/window/gui/guard.h"
#include "tests/unit/window/window_fixture.h"

namespace lanescope::test {
namespace {

using namespace app;

std::string describe(const Edits& edits)
{
    const Message* const error = edits.document().log.error();
    return error ? error->text : "";
}

class PanelGuard : public testing::Test {
protected:
    PanelGuard() : edits((room.document().look = {}, room.open("heat", "naive"), room.document()))
    {
    }

    WindowFixture& room = window_fixture();
    Edits edits;
    const ImVec2 size{1280, 720};
};

TEST_F(PanelGuard, PanelErrorBecomesMessageAndScopesClose)
{
    const auto fails = [&](const View&, const Layout&, Commands&) {
        const ImGuiContext& context = *ImGui::GetCurrentContext();
        const int windows = context.CurrentWindowStack.Size;
        const int fonts = context.FontStack.Size;
        guarded_panels(edits, [] {
            ImGui::Begin("panel");
            ImGui::PushID("part");
            ImGui::PushStyleColor(ImGuiCol_Text, 0);
            ImGui::PushFont(nullptr, 30);
            ImGui::BeginChild("child");
            ImGui::BeginTable("table", 2);
            ImGui::BeginGroup();
            throw std::runtime_error("the part of a panel that fails");
        });
        EXPECT_EQ(context.CurrentWindowStack.Size, windows);
        EXPECT_EQ(context.FontStack.Size, fonts);
        EXPECT_EQ(context.ColorStack.Size, 0);
        EXPECT_EQ(context.CurrentTable, nullptr);
    };
    room.draw_panels(size, fails);
    EXPECT_EQ(describe(edits), "the part of a panel that fails");
    EXPECT_TRUE(room.look(size).says("Heat"));
}

// A lab whose folder is deleted while it is shown.
TEST_F(PanelGuard, PanelsOfDeletedLabKeepWindow)
{
    room.document().start.lab = "nosuch";
    room.draw_panels(size, [&](const View& view, const Layout& layout, Commands& commands) {
        guarded_panels(edits, [&] { draw_panels(view, layout, commands); });
    });
    EXPECT_NE(describe(edits).find("There is no lab 'nosuch'."), std::string::npos)
        << describe(edits);
    room.document().start.lab = "heat";
    EXPECT_TRUE(room.look(size).says("Heat"));
}

TEST_F(PanelGuard, SystemErrorsBecomeMessages)
{
    EXPECT_FALSE(guarded(edits, [] { throw std::bad_alloc(); }));
    EXPECT_EQ(describe(edits).find("bad_alloc"), std::string::npos) << describe(edits);
    EXPECT_NE(describe(edits).find("memory"), std::string::npos) << describe(edits);
    EXPECT_TRUE(guarded(edits, [] {}));
}

} // namespace
} // namespace lanescope::test
