// Selects the program's files (assets/) for a page.
#pragma once

#include <set>
#include <string>

#include "app/document/session/session.h"

namespace lanescope::app {

// All files the browser build may need, as a package (assets/package.h).
std::string site_files();

// The files needed for labs with these ids: their kernels, lessons and measurements, and the fonts
// and notices required.
std::string page_files(const std::set<std::string>& labs);

// Labs named in a lecture, including those named in their lessons.
std::set<std::string> labs_named_in(const std::string& text);

// Adds the PTX of the kernels that the session contains as text, since browsers cannot compile.
// Throws the compiler's errors.
Session with_ptx(Session session);

} // namespace lanescope::app
