// Runs a program beside the window. A separate process builds and runs it, and keeps the memory of
// its launches as long as needed. Publishes immutable frames.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "app/run/program/program_run.h"
#include "compute/process/process.h"
#include "compute/threads.h"

namespace lanescope::app {

struct ProgramJob {
    std::filesystem::path file;               // a source or a compiled program; absolute
    std::map<std::string, std::string> edits; // edited sources by path, used instead of the files
    int keep_launch = -1;                     // index of the only launch to keep; -1: all
    bool on_gpu = false;

    std::string name() const { return file.filename().string(); }
    friend bool operator==(const ProgramJob&, const ProgramJob&) = default;
};

struct ProgramFrame {
    enum class State : std::uint8_t { running, done, failed, stopped };
    ProgramJob job;
    State state = State::running;
    std::chrono::steady_clock::time_point since{};
    std::string problem{};    // if it failed: why it could not be built or started
    ProgramResult result{};   // once it has finished
    std::uint64_t number = 0; // number of the run, from 1

    const ProgramLaunch* launch(int index) const;
    // The launch that became that lab; null if none.
    const ProgramLaunch* launch_of(const std::string& lab) const;
};

class ProgramActor {
public:
    // `news` is called on the actor's thread when there is a new frame.
    explicit ProgramActor(std::function<void()> news = {});
    ~ProgramActor(); // ends the running program and drops everything kept
    ProgramActor(const ProgramActor&) = delete;
    ProgramActor& operator=(const ProgramActor&) = delete;

    // Runs the job, and ends the one that is running.
    void run(ProgramJob job);
    void stop();
    // Null until there is a frame.
    std::shared_ptr<const ProgramFrame> newest() const;

private:
    void loop();
    void perform(ProgramFrame frame);
    void publish(ProgramFrame frame);

    std::function<void()> news_;
    mutable std::mutex mutex_;
    std::condition_variable requested_;
    std::optional<ProgramJob> wanted_;
    bool ends_ = false;
    std::uint64_t runs_ = 0;
    std::shared_ptr<const ProgramFrame> newest_;
    std::shared_ptr<Process> process_;          // building or running now
    std::deque<std::shared_ptr<Process>> kept_; // processes that hold what earlier runs kept; used
                                                // by the thread only
    LoopThread thread_;                         // last member, because it uses all of the above
};

// Argument that makes this program run another one for a window.
constexpr const char* program_word = "--program-for-window";
int run_program_for_window();

} // namespace lanescope::app
