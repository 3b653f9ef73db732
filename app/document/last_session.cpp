// See last_session.h.
#include "app/document/last_session.h"

#include <cstdlib>

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;

fs::path state_file()
{
    if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state)
        return fs::path(state) / "lanescope" / "last_session.json";
    if (const char* home = std::getenv("HOME"); home && *home)
        return fs::path(home) / ".local" / "state" / "lanescope" / "last_session.json";
    return {};
}

} // namespace

void keep_last_session(const Session& session)
{
    const fs::path file = state_file();
    if (file.empty()) return;
    Session kept = session;
    kept.journal.events.clear();
    kept.journal.steps = 0;
    kept.look.lecture = false;
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    try {
        save_session(kept, file);
    } catch (const Error&) {
        return; // a comfort, not a promise
    }
}

std::optional<Session> last_session()
{
    const fs::path file = state_file();
    std::error_code ignored;
    if (file.empty() || !fs::exists(file, ignored)) return {};
    try {
        return load_session(file);
    } catch (const Error&) {
        return {}; // of another version, say
    }
}

} // namespace lanescope::app
