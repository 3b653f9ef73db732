// Polls the file's modification time a few times per second, which needs no system service and
// works on every file system.
#include "app/run/file_watch.h"

#include <chrono>
#include <system_error>
#include <utility>

#include "app/run/editing/own_lab.h"
#include "app/run/editing/own_text.h"
#include "compute/error.h"
#include "compute/threads.h"

namespace lanescope::app {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::milliseconds poll_interval{250};
constexpr int polls_until_gone = 4; // an editor may be replacing it

std::optional<fs::file_time_type> time_of(const fs::path& file)
{
    std::error_code problem;
    const auto time = fs::last_write_time(file, problem);
    if (problem) return std::nullopt;
    return time;
}

// Reads the file's current source. Source that does not compile still replaces the document's: its
// errors are shown in the editor.
std::optional<OwnKernels> read_again(const fs::path& file, const labs::Texts& was)
{
    std::string text;
    try {
        text = read_own_text(file).text;
        if (was.files.contains(text_name(file)) && was.files.at(text_name(file)) == text)
            return std::nullopt;
        return kernels_of_text(file, text);
    } catch (const Error&) {
        if (text.empty()) return std::nullopt;
        OwnKernels own{was, {}};
        own.texts.files[text_name(file)] = std::move(text);
        return own;
    }
}

} // namespace

FileWatch::FileWatch()
{
    if constexpr (has_threads)
        thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

FileWatch::~FileWatch()
{
    thread_.request_stop();
    changed_.notify_all();
}

void FileWatch::follow(fs::path file, labs::Texts texts)
{
    const std::scoped_lock lock(mutex_);
    file_ = file.empty() ? fs::path() : fs::absolute(file);
    texts_ = std::move(texts);
    seen_ = time_of(file_);
    missing_ = 0;
    saved_.reset();
}

std::optional<FileWatch::Saved> FileWatch::poll()
{
    const std::scoped_lock lock(mutex_);
    return std::exchange(saved_, std::nullopt);
}

void FileWatch::watch(const std::stop_token& stop)
{
    std::optional<fs::file_time_type> last;
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        changed_.wait_for(lock, stop, poll_interval, [] { return false; });
        if (file_.empty() || saved_) continue;
        const fs::path file = file_;
        const labs::Texts was = texts_;
        const auto seen = seen_;
        lock.unlock();
        const auto time = time_of(file);
        std::optional<OwnKernels> own;
        // Unchanged twice in a row: the writer has finished.
        if (time && time != seen && time == last) own = read_again(file, was);
        const bool settled = time && time == last;
        last = time;
        lock.lock();
        if (file != file_) continue;
        missing_ = time ? 0 : missing_ + 1;
        if (missing_ == polls_until_gone && seen_) {
            seen_.reset();
            saved_ = Saved{was, was, {}, true};
        }
        if (!settled) continue;
        // The file is back, unchanged.
        std::error_code none;
        if (!own && !seen && fs::file_size(file, none) > 0 && !none) own = OwnKernels{was};
        seen_ = time;
        if (!own) continue;
        texts_ = own->texts;
        saved_ = Saved{was, std::move(own->texts), std::move(own->notes)};
    }
}

} // namespace lanescope::app
