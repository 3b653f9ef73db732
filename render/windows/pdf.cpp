// PDF is not available in browsers: Cairo is larger than the whole program.
#include "compute/error.h"
#include "render/capture/figure.h"

namespace lanescope::render {

std::unique_ptr<Figure> make_pdf(float, float, Colour)
{
    throw Error(ExitStatus::bad_usage, "A browser cannot write PDF.",
                "Save it as SVG, which is also a vector format, or save the session and use the "
                "desktop version of Lanescope.");
}

} // namespace lanescope::render
