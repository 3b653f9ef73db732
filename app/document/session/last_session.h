// The screen as it was left, kept where programs keep their state, so that the window opens with it
// again.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/session/session.h"

namespace lanescope::app {

// Keeps lab, variant, parameters and look; the next start begins at step 0. A place that cannot be
// written is no error: the program is being left.
void keep_last_session(const Session& session);

// Nothing when there is none, or when it no longer fits the program.
std::optional<Session> last_session();

// What outlives a crash, a kill or a power cut.
struct Kept {
    Session session; // for the next start
    // Of which file, or of which lab of the program, the session has texts; empty: of none.
    std::string edits_of{};
    bool edited = false;               // texts that no file of the user's has
    std::optional<Session> painting{}; // with all strokes; nothing where a file has them
};

// Keeps them while the program runs: on a thread of its own, of each file or lab the newest counts.
// What waits is written before it goes.
class SessionKeeper {
public:
    SessionKeeper();
    ~SessionKeeper();
    SessionKeeper(const SessionKeeper&) = delete;
    SessionKeeper& operator=(const SessionKeeper&) = delete;
    void keep(Kept kept);
    void finish(); // what waits is written

private:
    class Thread;
    std::unique_ptr<Thread> thread_;
};

// Edited texts that no file of the user's has, of every file and lab they were kept of.
std::vector<Session> stored_edits();
// Of this kernel's file.
std::optional<Session> kept_edits_of(const std::string& kernel_file);

// What was painted in a program that runs no more and did not end by itself. From now on it is kept
// as this program's.
std::optional<Session> unsaved_painting();

// Lies in the state's folder while a video is being written.
struct UnfinishedVideo {
    std::filesystem::path video;   // absolute
    std::filesystem::path partial; // where it is until it is whole
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
// Those of programs that run no more. Their marks are gone then.
std::vector<UnfinishedVideo> unfinished_videos();

// Lies beside the last session while a kernel of the user's own runs for the first time; gone when
// it was validated. Found by the next start, it says that the program ended there.
class FirstRunMarker {
public:
    FirstRunMarker();
    ~FirstRunMarker();
    FirstRunMarker(const FirstRunMarker&) = delete;
    FirstRunMarker& operator=(const FirstRunMarker&) = delete;

    // Whether a program that runs no more left it; then it is taken away.
    static bool found();

private:
    std::filesystem::path file_;
};

// The session with its own kernels as a draft: they are in the editor, and what is shown is the lab
// below them. Nothing where there is none.
std::optional<Session> without_own_kernels(const Session& session);

} // namespace lanescope::app
