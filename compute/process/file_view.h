// Controls which files a sandboxed process sees: another thread looks up every file that the
// process opens, and files outside the sandbox seem not to exist. Landlock forbids the same files;
// the view can also report which file was requested, and works on kernels without Landlock (since
// Linux 5.5).
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
    // `askers`: names of the programs whose refused requests are recorded; empty: all. A compiler
    // opens files for the source, other programs for themselves.
    explicit FileView(const Walls& walls, std::set<std::string> askers = {});
    // The watched processes must have ended before destruction.
    ~FileView();
    FileView(const FileView&) = delete;
    FileView& operator=(const FileView&) = delete;

    // From now on, until the process ends, the calling thread and all threads that it starts see
    // only these files. Returns false if this kernel does not support that.
    bool watch_this_thread();

    // The same for a child between fork() and exec(): it sends its listener through a socket to the
    // process that answers.
    static void watch_and_hand_over(int socket) noexcept;
    // Returns false if no listener arrives.
    bool take_over(int socket);

    // Files outside the sandbox that were requested since the last call, as named in the request.
    std::vector<std::string> take_refused_paths();

private:
    static constexpr int not_yet = -2;

    void answer_all(int listener);
    bool is_within(const std::filesystem::path& real) const;
    // True if the process may open the file; records a refusal.
    bool may_open(int process, int folder, const std::string& path);
    bool counts(int process) const;
    std::string text_at(int process, std::uint64_t address) const;

    std::vector<std::filesystem::path> within_;
    std::set<std::string> askers_;
    std::mutex mutex_;
    std::vector<std::string> refused_;
    bool watches_own_process_ = false; // this process is the watched one
    std::atomic<int> listener_ = not_yet;
    int ending_ = -1; // eventfd that ends the thread
    std::thread thread_;
};

} // namespace lanescope
