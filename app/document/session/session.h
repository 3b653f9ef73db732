// A session: a JSON file (or the metadata of a PNG) that gives the same screen and the same picture
// again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/document/journal.h"
#include "app/document/look.h"
#include "app/document/shared.h"
#include "app/document/size.h"
#include "compute/labs/texts.h"
#include "render/capture/png.h"

namespace lanescope::app {

// How large a picture is, and its text, so that it can be drawn again.
struct PictureFormat {
    Size size;
    float text_px = 20;
    friend bool operator==(const PictureFormat&, const PictureFormat&) = default;
};

// What is to be looked at when the texts that are edited are validated.
struct Following {
    std::string variant; // that was begun and is not in the shown lab yet; empty: none
    std::string file;    // its text's
    std::string compare; // the other side of A/B; empty: as it is
    friend bool operator==(const Following&, const Following&) = default;
};

// Texts that have not been validated: what is shown is of older ones.
struct Draft {
    Shared<labs::Texts> texts;
    Following following;
    friend bool operator==(const Draft&, const Draft&) = default;
};

struct Session {
    std::string device = "auto";
    Journal journal; // of a lab of texts: the file holds them all
    Look look;
    std::optional<Draft> draft{};
    // Where the window saves files. Only the last session says so: others may be read elsewhere.
    std::string folder{};
    // The .cu that its texts were read from, absolute. Only what the program keeps itself says so:
    // a session from elsewhere must not name a file that is written.
    std::string kernel_file{};
    std::string include_folders{};          // searched for its headers, with colons between them
    std::optional<PictureFormat> picture{}; // of the one that carries this session
};

std::string to_json(const Session& session);

// The session as a PNG carries it.
render::PngText as_png_text(const Session& session);

// Throws Error (bad_usage) that names what is unknown or wrong, with its line; `name` is how it
// calls the text.
Session session_from_json(std::string_view text, const std::string& name);

// The session that a file's bytes hold, JSON or PNG; nothing for a picture without one. Throws
// Error (bad_usage) for what is neither, or damaged; `name` is how it calls the file.
std::optional<Session> session_inside(std::string_view bytes, const std::string& name);

// Reads a JSON file, or a PNG that holds a session. Throws Error: no_such_thing when the file
// cannot be read or the PNG holds none.
Session load_session(const std::filesystem::path& file);

// Writes the file whole or not at all. Throws Error when it cannot.
void save_session(const Session& session, const std::filesystem::path& file);

} // namespace lanescope::app
