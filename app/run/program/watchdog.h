// Runs programs and makes folders that leave nothing behind: a watchdog process cleans up after
// this process, however it ends.
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

// A new folder that is deleted with its contents when this is destroyed, or this process ends.
class WatchedFolder {
public:
    WatchedFolder();
    ~WatchedFolder();
    WatchedFolder(const WatchedFolder&) = delete;
    WatchedFolder& operator=(const WatchedFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    int life_ = -1; // closes when this process ends, which the watchdog notices
    int keeper_ = -1;
};

struct ProcessLimits {
    double seconds = 0;             // wall-clock limit; 0: none
    std::uint64_t memory_bytes = 0; // address space limit; 0: none
    std::uint64_t file_bytes = 0;   // file size limit; 0: none
};

struct WatchedProcess {
    std::vector<std::string> arguments;
    std::vector<std::string> environment; // "NAME=value", added to this process's own
    ProcessLimits limits{};
    bool keeps_output = false; // capture output; otherwise it goes where this process's goes
    int passed = -1;           // a descriptor that stays open in the process; -1: none
    // Called at least every 50 ms while the process runs; returns false to end it.
    std::function<bool()> meanwhile{};
    // Receives what is written to the descriptor named by LANESCOPE_REPORT, as it arrives.
    std::function<void(std::string_view)> report{};
};

struct ProcessEnd {
    int status = 0; // exit status, or 128 + signal
    int signal = 0;
    bool out_of_time = false;
    bool on_request = false;          // of this program's user
    std::string output, error_output; // if captured
};

// Runs the program to its end, together with everything it starts. Throws Error if it cannot be
// started. Only for processes without threads.
ProcessEnd run_watched(const WatchedProcess& process);

} // namespace lanescope::app
