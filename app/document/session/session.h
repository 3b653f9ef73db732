// A session: a JSON file (or the metadata of a PNG) that restores the same screen and the same
// picture.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/document/experiment/journal.h"
#include "app/document/look/look.h"
#include "app/document/look/size.h"
#include "app/document/values/shared.h"
#include "compute/experiment/catalogue/texts.h"
#include "render/capture/png.h"

namespace lanescope::app {

// Size and text size of a picture, so that it can be drawn again.
struct PictureFormat {
    Size size;
    float text_px = 20;
    friend bool operator==(const PictureFormat&, const PictureFormat&) = default;
};

// State to show once the edited texts are validated.
struct Following {
    std::string variant; // a new variant that is not in the current lab yet; empty: none
    std::string file;    // file of its text
    std::string compare; // empty: the other side of A/B is unchanged
    friend bool operator==(const Following&, const Following&) = default;
};

// Texts that have not been validated: the screen still shows older ones.
struct Draft {
    Shared<labs::Texts> texts;
    Following following;
    friend bool operator==(const Draft&, const Draft&) = default;
};

struct Session {
    std::string device = "auto";
    Journal journal; // in a file, it includes the files of a lab that open_texts() made
    Look look;
    std::optional<Draft> draft{};
    // Folder where the window saves files. Only the last session stores it: any other session may
    // be opened on another computer.
    std::string folder{};
    // Absolute path of the .cu file that its sources were read from. Stored only in sessions that
    // the program keeps itself: a foreign session must not name a file to be written.
    std::string kernel_file{};
    std::string include_folders{};          // header search path, separated by colons
    std::optional<PictureFormat> picture{}; // format of the picture that carries this session
    std::string gpu{}; // GPU that the lockstep machine simulates, by its name; empty: the default
};

std::string to_json(const Session& session);

// The session as PNG metadata.
render::PngText as_png_text(const Session& session);

// Throws Error (bad_usage) that names the unknown or wrong entry, with its line; `name` identifies
// the text in messages.
Session session_from_json(std::string_view text, const std::string& name);

// The session in a file's bytes, JSON or PNG; empty for a picture without one. Throws Error
// (bad_usage) for any other or a damaged file; `name` identifies the file in messages.
std::optional<Session> embedded_session(std::string_view bytes, const std::string& name);

// Reads a JSON file, or a PNG that holds a session. Throws Error: no_such_thing if the file cannot
// be read or the PNG has no session.
Session load_session(const std::filesystem::path& file);

// Writes the file atomically. Throws Error on failure.
void save_session(const Session& session, const std::filesystem::path& file);

} // namespace lanescope::app
