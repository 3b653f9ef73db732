// Sessions in files that may come from somebody else: such a file reads nothing but the pictures
// and labs of its own folder, and those that the user has opened himself.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/document/session/session.h"

namespace lanescope::app {

struct MayRead {
    std::filesystem::path folder; // of the session; names are looked for in it
    std::string image{};          // a picture elsewhere that the user chose; empty: none

    // The file or folder of that name in the folder, with no link in between that leads out of it.
    // Of a path that lies elsewhere, the one of the same name beside the session: so that a copy
    // there is found. Nothing where there is none.
    std::optional<std::filesystem::path> own(const std::string& name) const;
    // Whether the path is the folder itself or leads to something in it, with all links followed.
    bool holds(const std::filesystem::path& path) const;
    // What the session may read by this name. Throws Error (bad_usage) with the cure.
    std::string picture(const std::string& name) const;
    // An id of the program's labs, one that is open already, or the path of the session's own.
    std::string lab(const std::string& name) const;
};

// As session_inside(), of a session that may read no more than that.
std::optional<Session> session_inside(std::string_view bytes, const std::string& name,
                                      const MayRead& may);

// As load_session(); `image` is a picture elsewhere that the user chose.
Session load_session(const std::filesystem::path& file, const std::string& image);

// As save_session(), with a copy of the lab's folder beside the file, which is what the session
// then opens: for a lab whose folder does not stay, as a launch's. Gives the copy's path.
std::filesystem::path save_session_with_lab(Session session, const std::filesystem::path& file);

} // namespace lanescope::app
