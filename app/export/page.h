// The program in a browser as files: one page that holds all that it needs, or a folder for a
// server.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace lanescope::app {

// A part of a page: words that are there before anything runs, a still picture, and the file that
// the program opens when the picture is tapped.
struct PagePart {
    std::string title;
    std::string words; // HTML
    std::string still; // a PNG's bytes; empty: none
    std::string file_name;
    std::string file;       // empty: the picture holds the session
    bool has_beats = false; // which are gone through by PageDown, PageUp
};

// Throws Error (no_such_thing) where the program built for browsers is not beside this one, as the
// functions below do.
void require_browser_program();

// With these labs, by their ids, and no others.
std::string page_of(const std::string& title, const std::vector<PagePart>& parts,
                    const std::set<std::string>& labs);

// The whole program, without a session.
void write_site(const std::filesystem::path& folder);

} // namespace lanescope::app
