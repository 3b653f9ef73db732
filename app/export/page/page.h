// The program in a browser as files: one self-contained page, or a folder for a web server.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace lanescope::app {

// A part of a page: text that shows before the program runs, a still picture, and the file that the
// program opens when the picture is tapped.
struct PagePart {
    std::string title;
    std::string words; // HTML
    std::string still; // bytes of a PNG; empty: none
    std::string file_name;
    std::string file;       // empty: the session is in the picture
    bool has_beats = false; // shows buttons for PageDown and PageUp
};

// Throws Error (no_such_thing) if the browser build of the program is not beside this one, as do
// the functions below.
void require_browser_program();

// `labs` are the ids of the labs included.
std::string page_of(const std::string& title, const std::vector<PagePart>& parts,
                    const std::set<std::string>& labs);

// Writes a site with the whole program and no session.
void write_site(const std::filesystem::path& folder);

} // namespace lanescope::app
