// In place of pdf.cpp in browsers, where Cairo would be larger than the whole program, and on
// Windows, for which it is not built.
#include "compute/error.h"
#include "render/capture/figure.h"

namespace lanescope::render {

std::unique_ptr<Figure> make_pdf(float, float, Colour)
{
    throw Error(ExitStatus::bad_usage,
                "This version of Lanescope cannot write PDF: only the one for Linux can.",
                "Save it as SVG, which is also a vector format, or save the session and open it in "
                "Lanescope for Linux.");
}

} // namespace lanescope::render
