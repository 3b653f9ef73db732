// Clearing backgrounds instead of drawing them changes no pixel: panels are rendered both ways.
#include <gtest/gtest.h>

#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cmath>

#include "app/window/gui/backgrounds.h"
#include "app/window/panels/panels.h"
#include "render/capture/pixel_reader.h"
#include "tests/unit/window/window_fixture.h"

namespace lanescope::test {
namespace {

using namespace app;

constexpr ImVec2 screen{1280, 720};

// Draws the panels as last laid out, over a colour that no panel uses.
render::Pixels drawn(float scale)
{
    ImDrawData& data = *ImGui::GetDrawData();
    data.FramebufferScale = {scale, scale};
    const auto width = static_cast<int>(std::lround(scale * screen.x));
    const auto height = static_cast<int>(std::lround(scale * screen.y));
    const render::gl::Target target(width, height);
    target.bind();
    glClearColor(1, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(&data);
    return render::read_pixels(target.resolve(), {0, 0, width, height});
}

long cleared()
{
    return std::ranges::count_if(ImGui::GetDrawData()->CmdLists, [](const ImDrawList* list) {
        return !list->CmdBuffer.empty() && list->CmdBuffer.front().UserCallback != nullptr;
    });
}

TEST(Backgrounds, ClearedAndDrawnLookTheSame)
{
    WindowFixture& room = window_fixture();
    room.open("heat", "naive");
    for (const bool sources : {false, true}) {
        if (sources) room.apply(ShowTab{tabs::source});
        for (const float scale : {1.0F, 1.25F, 1.5F, 2.0F}) {
            room.draw_panels(screen, draw_panels);
            const render::Pixels plain = drawn(scale);
            ASSERT_EQ(cleared(), 0);
            clear_backgrounds(*ImGui::GetDrawData());
            const bool has_halves = scale == 1.5F; // edges may cross pixel centres
            EXPECT_GE(cleared(), has_halves ? 0 : sources ? 2 : 1);
            EXPECT_TRUE(drawn(scale).rgb == plain.rgb) << scale;
        }
    }
}

// Translucent, bordered or clipped backgrounds are drawn, not cleared.
TEST(Backgrounds, TranslucentBackgroundsAreDrawn)
{
    struct Case {
        ImU32 colour;
        float rounding;
        ImVec2 to;
        int cleared;
    };
    for (const Case& one : {Case{IM_COL32(20, 30, 40, 255), 0, {200, 200}, 1},
                            Case{IM_COL32(20, 30, 40, 254), 0, {200, 200}, 0},
                            Case{IM_COL32(20, 30, 40, 255), 8, {200, 200}, 0},
                            Case{IM_COL32(20, 30, 40, 255), 0, {40, 40}, 0},
                            Case{IM_COL32(20, 30, 40, 255), 0, {1400, 200}, 0}}) {
        window_fixture().draw_panels(screen, [&](const View&, const Layout&, Commands&) {
            ImGui::GetBackgroundDrawList()->AddRectFilled({10, 10}, one.to, one.colour,
                                                          one.rounding);
        });
        const render::Pixels plain = drawn(1);
        clear_backgrounds(*ImGui::GetDrawData());
        EXPECT_EQ(cleared(), one.cleared) << one.to.x << ' ' << one.rounding;
        EXPECT_TRUE(drawn(1).rgb == plain.rgb) << one.to.x << ' ' << one.rounding;
    }
}

} // namespace
} // namespace lanescope::test
