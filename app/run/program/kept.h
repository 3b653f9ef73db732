// Programs and folders that leave nothing behind: however this process ends, a small process beside
// it sees its end, ends what it had started and removes what it had written.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::app {

// A new folder that is removed with all that it holds when this is destroyed, or this process ends.
class KeptFolder {
public:
    KeptFolder();
    ~KeptFolder();
    KeptFolder(const KeptFolder&) = delete;
    KeptFolder& operator=(const KeptFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    int life_ = -1; // its other end sees this process end
    int keeper_ = -1;
};

struct ProcessLimits {
    double seconds = 0;             // of wall-clock time; 0: none
    std::uint64_t memory_bytes = 0; // of address space; 0: none
    std::uint64_t file_bytes = 0;   // that a file may grow to; 0: none
};

struct KeptProcess {
    std::vector<std::string> arguments;
    std::vector<std::string> environment; // "NAME=value", beside this process's own
    ProcessLimits limits{};
    bool keeps_output = false; // else it writes where this process does
    // Called with what comes through the descriptor that LANESCOPE_REPORT names, as it comes.
    std::function<void(std::string_view)> report{};
};

struct ProcessEnd {
    int status = 0; // its exit status, or 128 + the signal that ended it
    int signal = 0;
    bool out_of_time = false;
    std::string output, error_output; // where it was told to keep them
};

// Runs it to its end. What it has started ends with it. Throws Error when it cannot be started. For
// a process without threads.
ProcessEnd run_kept(const KeptProcess& process);

} // namespace lanescope::app
