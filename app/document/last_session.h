// The screen as it was left, stored in the user's state folder, so that the window reopens with it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/session/session.h"

namespace lanescope::app {

// Stores lab, variant, parameters and look; the next start begins at step 0. Ignores write errors,
// since the program is exiting.
void keep_last_session(const Session& session);

// Empty if there is none, or it is incompatible.
std::optional<Session> last_session();

// State that survives a crash, a kill or a power failure.
struct Kept {
    Session session; // restored at the next start
    // File or built-in lab whose sources are in the session; empty if none.
    std::string edits_of{};
    bool edited = false;               // has texts that are in none of the user's files
    std::optional<Session> painting{}; // includes all strokes; empty if they are saved in a file
};

// Writes states in the background, the newest per file or lab. Pending ones are written before it
// is destroyed.
class SessionKeeper {
public:
    SessionKeeper();
    ~SessionKeeper();
    SessionKeeper(const SessionKeeper&) = delete;
    SessionKeeper& operator=(const SessionKeeper&) = delete;
    void keep(Kept kept);
    void finish(); // writes what is pending

private:
    class Thread;
    std::unique_ptr<Thread> thread_;
};

// Unsaved sources of every file and lab.
std::vector<Session> stored_edits();
// Unsaved sources of this kernel file.
std::optional<Session> kept_edits_of(const std::string& kernel_file);

// Strokes painted in a program that did not end normally. They now belong to this program.
std::optional<Session> unsaved_painting();

// Marker in the state folder while a video is being written.
struct UnfinishedVideo {
    std::filesystem::path video;   // absolute path
    std::filesystem::path partial; // its path until it is complete
};
class VideoMarker {
public:
    explicit VideoMarker(const UnfinishedVideo& video);
    ~VideoMarker();
    VideoMarker(const VideoMarker&) = delete;
    VideoMarker& operator=(const VideoMarker&) = delete;

private:
    std::filesystem::path file_;
};
// Videos of programs that no longer run; removes their markers.
std::vector<UnfinishedVideo> unfinished_videos();

// Exists beside the last session while a user's kernel runs for the first time; removed once it is
// validated. If the next start finds it, the program crashed there.
class FirstRunMarker {
public:
    FirstRunMarker();
    ~FirstRunMarker();
    FirstRunMarker(const FirstRunMarker&) = delete;
    FirstRunMarker& operator=(const FirstRunMarker&) = delete;

    // Returns true, and removes the marker, if a program that no longer runs left it.
    static bool found();

private:
    std::filesystem::path file_;
};

// Moves a session's own kernels to a draft: they are in the editor, and the screen shows their base
// lab. Empty if there is no base lab with the variant.
std::optional<Session> without_own_kernels(const Session& session);

} // namespace lanescope::app
