// Chooses unused names, and writes each file on a separate thread.
#include "app/export/saver.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "compute/threads.h"

namespace lanescope::app {

namespace fs = std::filesystem;

namespace {

// Part of a file's name that every file system accepts; a lab's id may be any text.
std::string portable(std::string text)
{
    constexpr std::size_t max_bytes = 80;
    const auto is_portable = [](unsigned char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               c == '-' || c == '_';
    };
    if (text.size() > max_bytes) text.resize(max_bytes);
    std::ranges::replace_if(
        text, [&](char c) { return !is_portable(static_cast<unsigned char>(c)); }, '_');
    return text;
}

} // namespace

fs::path Saver::new_name(const fs::path& folder, const std::string& ending,
                         const std::string& about)
{
    const std::string base = about.empty() ? fmt::format("lanescope-{:%Y%m%d-%H%M%S}",
                                                         fmt::localtime(std::time(nullptr)))
                                           : "lanescope-" + portable(about);
    fs::path path = folder / (base + ending);
    for (int i = 2; fs::exists(path) || names_.contains(path); ++i)
        path = folder / fmt::format("{}-{}{}", base, i, ending);
    names_.insert(path);
    return path;
}

void Saver::start(const fs::path& path, std::function<void(const fs::path&)> write,
                  std::string remark, std::uint64_t painted)
{
    auto work = [path, write = std::move(write), remark = std::move(remark), painted]() -> Outcome {
        try {
            write(path);
            return {"Saved " + path.string() + remark, false, painted};
        } catch (const std::exception& error) {
            return {error.what(), true};
        }
    };
    in_progress_.push_back(
        {path, std::chrono::steady_clock::now(), start_in_background(std::move(work))});
}

std::vector<Outcome> Saver::poll()
{
    std::vector<Outcome> ended;
    std::erase_if(in_progress_, [&](Writing& writing) {
        if (writing.outcome.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
            return false;
        ended.push_back(writing.outcome.get());
        names_.erase(writing.path);
        return true;
    });
    return ended;
}

std::vector<Outcome> Saver::finish()
{
    for (const Writing& writing : in_progress_) writing.outcome.wait();
    return poll();
}

double Saver::seconds() const
{
    if (in_progress_.empty()) return 0;
    const auto passed = std::chrono::steady_clock::now() - in_progress_.front().since;
    return std::chrono::duration<double>(passed).count();
}

} // namespace lanescope::app
