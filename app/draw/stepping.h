// The stepping mode as a picture: a debugger's frame, or the answer to "why", in words and cells.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/document/look/look.h"
#include "render/views/slice_tree.h"
#include "render/views/stepping.h"

namespace lanescope::app {

struct DebugFrame;
class Scene;
struct Sheet;
struct WhyTree;

// Replaces the picture while a launch is stepped through.
struct SteppedShown {
    std::shared_ptr<const DebugFrame> frame{}; // null: being prepared
    std::shared_ptr<const WhyTree> why{};      // null: not asked
    friend bool operator==(const SteppedShown&, const SteppedShown&) = default;
};

// Areas that can be pointed at.
struct SteppedHits {
    std::vector<render::SteppingHit> launch;
    std::vector<render::SliceHit> why;
};

// True if it replaces the picture.
inline bool covers_picture(const StepChoice& step)
{
    return step.on && step.page != StepChoice::Page::picture;
}

render::SteppingView stepping_view(const DebugFrame& frame, const Look& look);
render::SliceView slice_view(const WhyTree& tree, const StepChoice& step);
// The tree's nodes in display order, each once.
std::vector<int> nodes_in_order(const WhyTree& tree);

SteppedHits draw_stepping(Scene& scene, const Sheet& sheet, const SteppedShown& stepped);

} // namespace lanescope::app
