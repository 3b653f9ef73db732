// A sandbox for a process that works on an untrusted file. It controls which files the process may
// open, whether it has a network, and how much memory and time it may use. Any process may enter
// one: Linux has Landlock for files (5.13), seccomp for system calls, and resource limits. It
// applies to the process and everything that it starts, and cannot be left again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lanescope {

// 0: no limit.
struct Limits {
    std::uint64_t memory_bytes = 0;
    std::uint64_t file_bytes = 0; // per file written
    unsigned processor_s = 0;     // CPU time per process
};

// Links in paths are resolved, and a folder includes everything below it. Missing paths are
// ignored.
struct Walls {
    std::vector<std::filesystem::path> readable{};
    std::vector<std::filesystem::path> runnable{}; // read and executed
    std::vector<std::filesystem::path> writable{}; // read and written
    bool network = false;
    Limits limits{};
};

// Paths an installed program needs to start: itself, the system's programs and libraries, and the
// libraries beside it. None of the user's files.
Walls walls_for_program(const std::filesystem::path& program);

// A sandbox that is ready to be entered: nothing allocates memory between fork() and exec().
class PreparedWalls {
public:
    explicit PreparedWalls(const Walls& walls);
    ~PreparedWalls();
    PreparedWalls(const PreparedWalls&) = delete;
    PreparedWalls& operator=(const PreparedWalls&) = delete;

    // Sandboxes the calling thread and everything that it starts from now on; resource limits apply
    // to the whole process. Returns false and sets errno if a restriction that this kernel supports
    // could not be applied. Safe after fork().
    bool raise() const noexcept;

private:
    int ruleset_ = -1; // Landlock's; -1: not supported by this kernel
    bool network_;
    Limits limits_;
};

// Limits the number of processes of the calling one's user. Ignored where there is no such limit.
void limit_processes(unsigned max_processes) noexcept;

// The parts of the sandbox that this machine supports.
struct KnownWalls {
    int landlock_version = 0;  // version of its interface; 0: not supported
    std::string no_landlock{}; // why it is not supported
    bool seccomp = false;
    bool file_view = false; // open() can be answered by another thread (file_view.h)
};
KnownWalls known_walls();

} // namespace lanescope
