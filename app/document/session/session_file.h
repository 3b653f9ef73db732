// Sessions in untrusted files: such a file may read only pictures and labs in its own folder, and
// those that the user has opened.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/document/session/session.h"

namespace lanescope::app {

struct MayRead {
    std::filesystem::path folder; // the session's folder, in which names are looked up
    std::string image{};          // a picture elsewhere, chosen by the user; empty: none

    // Finds a file or folder by name in the session's folder; no link may lead out of it. For a
    // path elsewhere, finds the file of the same name beside the session, where the user may have
    // put a copy. Empty if there is none.
    std::optional<std::filesystem::path> own(const std::string& name) const;
    // True if the path, with all links followed, is the folder itself or something in it.
    bool holds(const std::filesystem::path& path) const;
    // The path of a picture that the session may read. Throws Error (bad_usage) for any other.
    std::string picture(const std::string& name) const;
    // Returns the id of a built-in or already open lab, or the path of a lab in the session's
    // folder.
    std::string lab(const std::string& name) const;
};

// Like embedded_session(), restricted to what `may` allows.
std::optional<Session> embedded_session(std::string_view bytes, const std::string& name,
                                        const MayRead& may);

// Like load_session(); `image` is a picture elsewhere, chosen by the user.
Session load_session(const std::filesystem::path& file, const std::string& image);

// Like save_session(), with a copy of the lab's folder beside the file, which the saved session
// then opens: for labs whose folder is temporary, such as a launch's. Returns the copy's path.
std::filesystem::path save_session_with_lab(Session session, const std::filesystem::path& file);

} // namespace lanescope::app
