// The files that a process within walls sees: every file that it opens is looked up by another
// thread first, and one that is not within is not there for it. Landlock forbids the same; this
// wall says which file was asked for, and stands where the kernel has no Landlock (Linux 5.5).
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "compute/process/walls.h"

namespace lanescope {

class FileView {
public:
    // `askers`: names of programs whose questions are noted; empty: all. Those of compilers are the
    // text's, those of other programs their own.
    explicit FileView(const Walls& walls, std::set<std::string> askers = {});
    // What was watched must have ended.
    ~FileView();
    FileView(const FileView&) = delete;
    FileView& operator=(const FileView&) = delete;

    // From now on the calling thread sees these files alone, and so do those that it starts; until
    // the process ends. False where this kernel has no such wall.
    bool watch_this_thread();

    // The same for a process between fork() and exec(): it hands over what its questions come
    // through, by a socket to the process that looks files up.
    static void watch_and_hand_over(int socket) noexcept;
    // False when nothing came.
    bool take_over(int socket);

    // Files outside that were asked for since the last call, as they were named.
    std::vector<std::string> take_refused();

private:
    static constexpr int not_yet = -2;

    void answer_all(int listener);
    bool is_within(const std::filesystem::path& real) const;
    // Whether the process may open it; notes it if not.
    bool sees(int process, int folder, const std::string& path);
    bool counts(int process) const;
    std::string text_at(int process, std::uint64_t address) const;

    std::vector<std::filesystem::path> within_;
    std::set<std::string> askers_;
    std::mutex mutex_;
    std::vector<std::string> refused_;
    bool own_process_ = false; // the one that is watched
    std::atomic<int> listener_ = not_yet;
    int ending_ = -1; // of the thread: an eventfd
    std::thread thread_;
};

} // namespace lanescope
