// The part of subjects that draws: it needs OpenGL, which panels and keys (subject_kind.h) do not.
#pragma once

#include <string>

#include "app/draw/scene/scene.h"
#include "app/draw/subjects/subject_kind.h"

namespace lanescope::app {

// One side of the view, and where it is drawn.
struct SubjectDrawing {
    Scene& scene;
    const SideFrame& side;
    Sheet sheet;
    const SideFrame* beside = nullptr; // the other side of A/B
};

// For subjects drawn with a painter: A/B shows both sides in full, side by side.
struct SubjectPaper {
    const SideFrame& side;
    const Look& look;
    render::Painter& painter;
    render::Box inside;
    const render::Theme& theme;
    float text_px = 0;
    std::string where{};               // SubjectKind::where(), for a single side
    const SideFrame* before = nullptr; // as in Sheet
    float moved = 1;

    void say(const std::string& words) const;
};

// "18  float left = now[i - 1];": a source line of the kernel without indentation; empty if it does
// not exist.
std::string code_line(const SideFrame& side, int line);

// The side must have a picture whose memory is OpenGL's.
Scene::Placement draw_subject(SubjectDrawing drawing);
// Step time of both sides of A/B and where it was measured; empty if unknown.
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
// Draws the change of cost above both sides and of time below them, as far as there is room;
// returns the sheet that remains between them.
Sheet draw_change(Scene& scene, const Sheet& sheet, const Sides& sides, const SideTimes& times);
// Draws each side in full in its half of the sheet.
void draw_whole_sides(Scene& scene, const Sheet& sheet, const Sides& sides);

} // namespace lanescope::app
