// The files of the program (assets/) that go with it into a page.
#pragma once

#include <set>
#include <string>

#include "app/document/session/session.h"

namespace lanescope::app {

// All that the program in a browser may ask for, as a package (assets/package.h).
std::string site_files();

// What it asks for where it shows only labs of these ids: their kernels, lessons and measurements,
// with fonts and notices as far as they are needed.
std::string page_files(const std::set<std::string>& labs);

// The labs that the text of a lecture names, with those that their lessons name.
std::set<std::string> labs_named_in(const std::string& text);

// The session with the PTX of the kernels that it holds as texts, as no browser compiles them.
// Throws what their compilation throws.
Session with_ptx(Session session);

} // namespace lanescope::app
