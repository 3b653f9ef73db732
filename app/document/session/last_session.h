// The screen as it was left, kept where programs keep their state, so that the window opens with it
// again.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "app/document/session/session.h"

namespace lanescope::app {

// Keeps lab, variant, parameters and look; the next start begins at step 0. A place that cannot be
// written is no error: the program is being left.
void keep_last_session(const Session& session);

// Nothing when there is none, or when it no longer fits the program.
std::optional<Session> last_session();

// Keeps them while the program runs, so that what is being typed outlives a crash: on a thread of
// its own, the newest counts. What waits is written before it goes.
class SessionKeeper {
public:
    SessionKeeper();
    ~SessionKeeper();
    SessionKeeper(const SessionKeeper&) = delete;
    SessionKeeper& operator=(const SessionKeeper&) = delete;
    void keep(Session session);
    void finish(); // what waits is written

private:
    class Thread;
    std::unique_ptr<Thread> thread_;
};

// Lies beside the last session while a kernel of the user's own runs for the first time; gone when
// it was validated. Found by the next start, it says that the program ended there.
class TryingMark {
public:
    TryingMark();
    ~TryingMark();
    TryingMark(const TryingMark&) = delete;
    TryingMark& operator=(const TryingMark&) = delete;

    // Whether a program that runs no more left it; then it is taken away.
    static bool found();

private:
    std::filesystem::path file_;
};

// The session with its own kernels as a draft: they are in the editor, and what is shown is the lab
// below them. Nothing where there is none.
std::optional<Session> without_own_kernels(const Session& session);

} // namespace lanescope::app
