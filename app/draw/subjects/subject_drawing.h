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

    void say(const std::string& words) const;
};

// The side must have a picture, and OpenGL its memory.
Scene::Placement draw_subject(SubjectDrawing drawing);
// What a step of either side of A/B takes, and where that was measured; empty: not known.
struct SideTimes {
    PaidChange change{};
    std::string origin{};
};
// Both sides of A/B whole, with the change of what they cost over them; for what is painted.
Scene::Placement draw_whole_sides(const SubjectDrawing& drawing, const SideTimes& times);

} // namespace lanescope::app
