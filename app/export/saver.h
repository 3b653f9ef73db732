// Files that the window writes: their names, and the writing beside the frames, because encoding a
// large picture takes longer than a frame.
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

// What became of a file, as a sentence.
struct Outcome {
    std::string text;
    bool failed = false;
    std::uint64_t painted = 0; // Document::painted that the file has; 0: it is none of a session
    std::map<std::string, std::string> texts{}; // kernels' that files have now, by their paths
};

class Saver {
public:
    // "lanescope-20250131-101500" and the ending, in that folder; a number follows where that is
    // taken, if only by a file that is still to be written.
    std::filesystem::path new_name(const std::filesystem::path& folder, const std::string& ending);

    // Begins to write; `remark` follows the name when that is told.
    void start(const std::filesystem::path& path,
               std::function<void(const std::filesystem::path&)> write, std::string remark = {},
               std::uint64_t painted = 0);
    // No more should be begun now: what waits to be written holds much memory.
    bool full() const { return under_way_.size() >= max_pending_saves; }
    // Those that have ended since the last call.
    std::vector<Outcome> poll();
    // Waits for all of them.
    std::vector<Outcome> finish();
    // How long the oldest has been under way; 0 when there is none.
    double seconds() const;

private:
    static constexpr std::size_t max_pending_saves = 4;

    struct Writing {
        std::filesystem::path path;
        std::chrono::steady_clock::time_point since;
        std::future<Outcome> outcome;
    };
    std::vector<Writing> under_way_;
    std::set<std::filesystem::path> names_; // given out, whether there is a file yet or not
};

} // namespace lanescope::app
