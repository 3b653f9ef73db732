// Written by a background thread, so that a slow disk delays no frame; a marker file tells the next
// program that this one did not end normally.
#include "app/document/last_session.h"

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <utility>

#include "app/document/document.h"
#include "compute/error.h"
#include "compute/process/files.h"
#include "compute/process/own_program.h"
#include "compute/threads.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;

// Empty if the user has no home folder.
fs::path in_state_folder(const char* name)
{
    const fs::path folder = state_folder();
    return folder.empty() ? folder : folder / name;
}

fs::path state_file()
{
    return in_state_folder("last_session.json");
}

fs::path mark_file()
{
    return in_state_folder("trying");
}

// Names the file by an FNV-1a hash, since a path may be anything.
fs::path edits_file(const std::string& of)
{
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char one : of) hash = (hash ^ static_cast<unsigned char>(one)) * 0x100000001b3;
    return in_state_folder("edits") / fmt::format("{:016x}.json", hash);
}

fs::path painting_file(int pid)
{
    return in_state_folder("painting") / fmt::format("{}.json", pid);
}

// Files in folders that are named after processes which no longer run.
std::vector<fs::path> files_of_ended_processes(const char* folder)
{
    std::vector<fs::path> left;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(in_state_folder(folder), none)) {
        const std::string name = entry.path().filename().string();
        int pid = 0;
        std::from_chars(name.data(), name.data() + name.size(), pid);
        if (pid > 0 && !is_running(pid)) left.push_back(entry.path());
    }
    return left;
}

// Ignores locations that cannot be written.
void write_state(const fs::path& file, const Session& session)
{
    if (file.empty()) return;
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    try {
        save_session(session, file);
    } catch (const std::exception&) {
        return; // best effort
    }
}

std::optional<Session> read_state(const fs::path& file)
{
    std::error_code ignored;
    if (file.empty() || !fs::exists(file, ignored)) return {};
    try {
        return session_from_json(render::read_file(file), file.filename().string());
    } catch (const std::exception&) {
        return {}; // written by another version, for example
    }
}

Session from_start(Session session)
{
    session.journal.events.clear();
    session.journal.steps = 0;
    session.look.lecture = false;
    session.look.panels.whole = false;
    return session;
}

} // namespace

void keep_last_session(const Session& session)
{
    write_state(state_file(), from_start(session));
}

std::optional<Session> last_session()
{
    return read_state(state_file());
}

std::vector<Session> stored_edits()
{
    std::vector<Session> all;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(in_state_folder("edits"), none))
        if (auto session = read_state(entry.path())) all.push_back(std::move(*session));
    return all;
}

std::optional<Session> kept_edits_of(const std::string& kernel_file)
{
    auto session = read_state(edits_file(kernel_file));
    if (session && session->kernel_file != kernel_file) session.reset();
    return session;
}

std::optional<Session> unsaved_painting()
{
    for (const fs::path& file : files_of_ended_processes("painting")) {
        auto session = read_state(file);
        std::error_code ignored;
        if (session)
            fs::rename(file, painting_file(process_id()), ignored);
        else
            fs::remove(file, ignored);
        if (session) return session;
    }
    return {};
}

VideoMarker::VideoMarker(const UnfinishedVideo& video)
{
    static std::atomic<int> count = 0;
    const fs::path folder = in_state_folder("videos");
    if (folder.empty()) return;
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    file_ = folder / fmt::format("{}-{}", process_id(), count++);
    std::ofstream(file_) << video.video.string() << '\n' << video.partial.string() << '\n';
}

VideoMarker::~VideoMarker()
{
    std::error_code ignored;
    if (!file_.empty()) fs::remove(file_, ignored);
}

std::vector<UnfinishedVideo> unfinished_videos()
{
    std::vector<UnfinishedVideo> all;
    for (const fs::path& file : files_of_ended_processes("videos")) {
        std::ifstream mark(file);
        std::string video;
        std::string partial;
        std::error_code ignored;
        if (std::getline(mark, video) && std::getline(mark, partial) &&
            fs::exists(partial, ignored))
            all.push_back({video, partial});
        fs::remove(file, ignored);
    }
    return all;
}

class SessionKeeper::Thread {
public:
    Thread() : thread_([this] { run(); }) {}
    ~Thread()
    {
        {
            const std::scoped_lock lock(mutex_);
            quit_requested_ = true;
        }
        changed_.notify_all();
        thread_.join();
        if constexpr (!has_threads) write_waiting();
    }
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;
    void keep(Kept kept)
    {
        {
            const std::scoped_lock lock(mutex_);
            std::erase_if(waiting_, [&](const Kept& one) { return one.edits_of == kept.edits_of; });
            waiting_.push_back(std::move(kept));
        }
        changed_.notify_all();
    }

private:
    void run()
    {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return !waiting_.empty() || quit_requested_; });
            if (waiting_.empty()) return;
            lock.unlock();
            write_waiting();
            lock.lock();
        }
    }

    void write_waiting()
    {
        std::vector<Kept> all;
        {
            const std::scoped_lock lock(mutex_);
            all = std::exchange(waiting_, {});
        }
        for (const Kept& kept : all) write(kept);
    }

    static void write(const Kept& kept)
    {
        std::error_code ignored;
        if (kept.painting)
            write_state(painting_file(process_id()), *kept.painting);
        else
            fs::remove(painting_file(process_id()), ignored);
        if (!kept.edits_of.empty() && kept.edited)
            write_state(edits_file(kept.edits_of), from_start(kept.session));
        else if (!kept.edits_of.empty())
            fs::remove(edits_file(kept.edits_of), ignored);
        keep_last_session(kept.session);
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Kept> waiting_; // newest state per file or lab, in request order
    bool quit_requested_ = false;
    LoopThread thread_; // last member, because it uses all of the above
};

SessionKeeper::SessionKeeper() : thread_(std::make_unique<Thread>()) {}

SessionKeeper::~SessionKeeper() = default;

void SessionKeeper::keep(Kept kept)
{
    thread_->keep(std::move(kept));
}

void SessionKeeper::finish()
{
    thread_ = std::make_unique<Thread>(); // the old thread writes what is pending
}

FirstRunMarker::FirstRunMarker() : file_(mark_file())
{
    if (file_.empty()) return;
    std::error_code ignored;
    fs::create_directories(file_.parent_path(), ignored);
    std::ofstream(file_) << process_id() << '\n';
}

FirstRunMarker::~FirstRunMarker()
{
    std::error_code ignored;
    if (!file_.empty()) fs::remove(file_, ignored);
}

bool FirstRunMarker::found()
{
    const fs::path file = mark_file();
    int pid = 0;
    if (file.empty() || !(std::ifstream(file) >> pid) || pid <= 0) return false;
    if (is_running(pid)) return false; // another window is running such a kernel now
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
