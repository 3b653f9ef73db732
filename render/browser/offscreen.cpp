// No offscreen contexts: a page has a single context, its window's.
#include "render/context/offscreen.h"

namespace lanescope::render {

struct Offscreen::Egl {};
struct SoftwareContext::Functions {};

SoftwareContext::~SoftwareContext() = default;

Offscreen::Offscreen(const OffscreenOptions&)
{
    throw Error(ExitStatus::device_unavailable, "A browser can only draw in its window.",
                "Save the picture from the window (S).");
}

Offscreen::~Offscreen() = default;

} // namespace lanescope::render
