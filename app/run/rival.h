// A/B: the other variant's way to the same state, and how two pictures are put beside each other.
#pragma once

#include <cstdint>
#include <string>

#include "app/document/journal.h"
#include "app/run/stage.h"
#include "render/capture/pixels.h"

namespace lanescope::app {

// What the variant `id` must do to have lived through the same as `journal`: the same start,
// strokes and values, at the same steps of the simulated thing. Where its launches make several
// steps at once, it goes on to the next multiple.
Journal rival_journal(const Journal& journal, const std::string& id);

// Launches of `stage` that bring it to the steps of `leader`, or just past them; 0 when it is
// there.
std::int64_t launches_behind(const Stage& stage, const Stage& leader);

// Launches, at least `wanted`, after which both variants can stand at the same step.
std::int64_t launches_together(const Stage& leader, const Stage& rival, std::int64_t wanted);

// `a` up to the share `divider` of the width, `b` after it, a line between them. Both are of one
// size.
render::Pixels beside(const render::Pixels& a, const render::Pixels& b, float divider);

// Where two fields differ most, and the differences as a picture in memory of `leader`. Both at the
// same step.
struct FieldDifference {
    float largest = 0;
    std::unique_ptr<device::Buffer> values; // in memory that OpenGL draws
    labs::FieldPicture picture;
};
// Nothing unless both show fields of one size, and of no more elements than can be read back within
// a frame. Neither may be mapped.
std::optional<FieldDifference> difference_of(Stage& leader, Stage& rival);

} // namespace lanescope::app
