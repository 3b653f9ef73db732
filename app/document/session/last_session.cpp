// See last_session.h.
#include "app/document/session/last_session.h"

#include <signal.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <thread>
#include <utility>

#include "app/document/document.h"
#include "compute/error.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;

// Empty where the user has no home.
fs::path in_state_folder(const char* name)
{
    if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state)
        return fs::path(state) / "lanescope" / name;
    if (const char* home = std::getenv("HOME"); home && *home)
        return fs::path(home) / ".local" / "state" / "lanescope" / name;
    return {};
}

fs::path state_file()
{
    return in_state_folder("last_session.json");
}

fs::path mark_file()
{
    return in_state_folder("trying");
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
    kept.look.panels.whole = false;
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
        return session_from_json(render::read_file(file), file.filename().string());
    } catch (const Error&) {
        return {}; // of another version, say
    }
}

class SessionKeeper::Thread {
public:
    Thread() : thread_([this] { run(); }) {}
    ~Thread()
    {
        {
            const std::scoped_lock lock(mutex_);
            quits_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;
    void keep(Session session)
    {
        {
            const std::scoped_lock lock(mutex_);
            waiting_ = std::move(session);
        }
        changed_.notify_all();
    }

private:
    void run()
    {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return waiting_ || quits_; });
            if (!waiting_) return;
            const Session session = *std::exchange(waiting_, {});
            lock.unlock();
            keep_last_session(session);
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Session> waiting_;
    bool quits_ = false;
    std::thread thread_; // last: it uses all of the above
};

SessionKeeper::SessionKeeper() : thread_(std::make_unique<Thread>()) {}

SessionKeeper::~SessionKeeper() = default;

void SessionKeeper::keep(Session session)
{
    thread_->keep(std::move(session));
}

void SessionKeeper::finish()
{
    thread_ = std::make_unique<Thread>(); // the old one writes what it has
}

TryingMark::TryingMark() : file_(mark_file())
{
    if (file_.empty()) return;
    std::error_code ignored;
    fs::create_directories(file_.parent_path(), ignored);
    std::ofstream(file_) << getpid() << '\n';
}

TryingMark::~TryingMark()
{
    std::error_code ignored;
    if (!file_.empty()) fs::remove(file_, ignored);
}

bool TryingMark::found()
{
    const fs::path file = mark_file();
    pid_t pid = 0;
    if (file.empty() || !(std::ifstream(file) >> pid) || pid <= 0) return false;
    if (kill(pid, 0) == 0 || errno != ESRCH) return false; // another window tries one now
    std::error_code ignored;
    fs::remove(file, ignored);
    return true;
}

std::optional<Session> without_own_kernels(const Session& session)
{
    const labs::Lab& lab = labs::find(session.journal.start.lab);
    if (!lab.texts) return session;
    if (lab.texts->base.empty()) return {};
    const labs::Lab& below = labs::find(lab.origin());
    Session plain = session;
    Start& start = plain.journal.start;
    start.lab = below.place;
    const labs::Variant* const edited = lab.find_variant(start.variant);
    const std::string origin = edited ? edited->edited : "";
    const labs::Variant* const known = below.find_variant(origin.empty() ? start.variant : origin);
    if (!known) return {};
    if (!plain.draft) {
        plain.draft = {*lab.texts, {}};
        if (!below.find_variant(start.variant))
            plain.draft->following = {start.variant, edited->source, {}};
    }
    start.variant = known->id;
    std::erase_if(start.parameters,
                  [&](const auto& one) { return !below.find_parameter(one.first); });
    if (!below.find_variant(plain.look.compare)) plain.look.compare.clear();
    plain.journal.events.clear();
    plain.journal.steps = 0;
    return plain;
}

} // namespace lanescope::app
