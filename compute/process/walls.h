// Walls around a process that works on a stranger's file: which files it may open, no network, and
// how much it may use. Linux has them without privileges: Landlock for files (5.13), seccomp for
// system calls, and resource limits. They hold for the process and all that it starts, and nothing
// takes them down again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lanescope {

// 0: no limit.
struct Limits {
    std::uint64_t memory_bytes = 0;
    std::uint64_t file_bytes = 0; // of each file that it writes
    unsigned processor_s = 0;     // of each process
};

// Paths stand for what they lead to, links resolved, and folders for all below them. Those that do
// not exist are ignored.
struct Walls {
    std::vector<std::filesystem::path> readable{};
    std::vector<std::filesystem::path> runnable{}; // read and executed
    std::vector<std::filesystem::path> writable{}; // read and written
    bool network = false;
    Limits limits{};
};

// What an installed program needs to start: itself, the system's programs and libraries, and the
// libraries beside it. Nothing of the user's.
Walls walls_for_program(const std::filesystem::path& program);

// Walls that are ready to be raised, so that nothing needs memory between fork() and exec().
class PreparedWalls {
public:
    explicit PreparedWalls(const Walls& walls);
    ~PreparedWalls();
    PreparedWalls(const PreparedWalls&) = delete;
    PreparedWalls& operator=(const PreparedWalls&) = delete;

    // Around the calling thread and all that it starts from now on; limits are of the process.
    // False, with errno, where a wall that this kernel has was not raised. Safe after fork().
    bool raise() const noexcept;

private:
    int ruleset_ = -1; // of Landlock; -1: this kernel has none
    bool network_;
    Limits limits_;
};

// Which walls this machine has.
struct KnownWalls {
    int landlock_version = 0;  // of its interface; 0: none
    std::string no_landlock{}; // why there is none
    bool seccomp = false;
    bool file_view = false; // open() can be answered by another thread (file_view.h)
};
KnownWalls known_walls();

} // namespace lanescope
