// What subjects are drawn with, apart from what panels and keys know of them: OpenGL is behind it.
#pragma once

#include <string>

#include "app/draw/scene.h"
#include "app/draw/subjects/subject_kind.h"

namespace lanescope::app {

// One side of what is shown, and where it is drawn.
struct SubjectDrawing {
    Scene& scene;
    const SideFrame& side;
    Sheet sheet;
    const SideFrame* beside = nullptr; // the other side of A/B
};

// The same for what a painter draws: A/B shows both sides whole, beside each other.
struct SubjectPaper {
    const SideFrame& side;
    const Look& look;
    render::Painter& painter;
    render::Box inside;
    const render::Theme& theme;
    float text_px = 0;
    std::string where{};               // SubjectKind::where(), of what stands alone
    const SideFrame* before = nullptr; // as in Sheet
    float moved = 1;

    void say(const std::string& words) const;
};

// "18  float left = now[i - 1];": a line of the kernel's source without its indentation; empty
// where it has no such line.
std::string code_line(const SideFrame& side, int line);

// The side must have a picture, and OpenGL its memory.
Scene::Placement draw_subject(SubjectDrawing drawing);
// What a step of either side of A/B takes, and where that was measured; empty: not known.
struct SideTimes {
    PaidChange change{};
    std::string origin{};
};
struct Sides {
    const SideFrame& a;
    const SideFrame& b;
    const SideFrame* before_a = nullptr; // as in Sheet
    const SideFrame* before_b = nullptr;
};
// Over both sides the change of what they cost, below them that of their times, as far as there is
// room; gives the sheet of what is left between.
Sheet draw_change(Scene& scene, const Sheet& sheet, const Sides& sides, const SideTimes& times);
// Each side whole in its half of the sheet.
void draw_whole_sides(Scene& scene, const Sheet& sheet, const Sides& sides);

} // namespace lanescope::app
