// Files written by the window: their names, and writing in the background, since encoding a large
// picture takes longer than a frame.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace lanescope::app {

// Result of writing a file, as a sentence for the user.
struct Outcome {
    std::string text;
    bool failed = false;
    std::uint64_t painted = 0; // the file's value of Document::painted; 0: not a session
    std::map<std::string, std::string> texts{}; // kernel texts now in files, by path
};

class Saver {
public:
    // "lanescope-heat-naive" or, if `about` is empty, "lanescope-20250131-101500", plus the
    // extension, in that folder; a number is inserted if the name is taken, even by a file still to
    // be written.
    std::filesystem::path new_name(const std::filesystem::path& folder, const std::string& ending,
                                   const std::string& about = {});

    // Starts writing; `remark` follows the name in the message.
    void start(const std::filesystem::path& path,
               std::function<void(const std::filesystem::path&)> write, std::string remark = {},
               std::uint64_t painted = 0);
    // True if no more files should be started: those pending hold much memory.
    bool full() const { return in_progress_.size() >= max_pending_saves; }
    // Results since the last call.
    std::vector<Outcome> poll();
    // Waits for all pending files, and returns their results.
    std::vector<Outcome> finish();
    // Age of the oldest pending file; 0 if there is none.
    double seconds() const;

private:
    static constexpr std::size_t max_pending_saves = 4;

    struct Writing {
        std::filesystem::path path;
        std::chrono::steady_clock::time_point since;
        std::future<Outcome> outcome;
    };
    std::vector<Writing> in_progress_;
    std::set<std::filesystem::path> names_; // names handed out, whether the file exists yet or not
};

} // namespace lanescope::app
