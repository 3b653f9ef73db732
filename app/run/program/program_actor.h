// A program beside the window: built and run by a process of its own, which holds what its launches
// had in memory for as long as it is of use. Publishes frames that never change.
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
    std::filesystem::path file;               // a source, or a program; absolute
    std::map<std::string, std::string> edits; // of sources, by their paths: in place of the files
    int keep_launch = -1;                     // only this one's memory is kept; -1: all launches'
    bool on_gpu = false;

    std::string name() const { return file.filename().string(); }
    friend bool operator==(const ProgramJob&, const ProgramJob&) = default;
};

struct ProgramFrame {
    enum class State : std::uint8_t { running, done, failed, stopped };
    ProgramJob job;
    State state = State::running;
    std::chrono::steady_clock::time_point since{};
    std::string problem{};    // of one that failed: why it could not be built or started
    ProgramResult result{};   // of one that is done
    std::uint64_t number = 0; // of the run, counted from 1

    const ProgramLaunch* launch(int index) const;
    // The launch whose lab that is; null: none of these.
    const ProgramLaunch* launch_of(const std::string& lab) const;
};

class ProgramActor {
public:
    // `news` is called, on the actor's thread, when there is a new frame.
    explicit ProgramActor(std::function<void()> news = {});
    ~ProgramActor(); // ends what runs, and with it all that was kept
    ProgramActor(const ProgramActor&) = delete;
    ProgramActor& operator=(const ProgramActor&) = delete;

    // Runs it, in place of the one that runs.
    void run(ProgramJob job);
    void stop();
    // Null before the first.
    std::shared_ptr<const ProgramFrame> newest() const;

private:
    void loop();
    void perform(ProgramFrame frame);
    void publish(ProgramFrame frame);

    std::function<void()> news_;
    mutable std::mutex mutex_;
    std::condition_variable asked_;
    std::optional<ProgramJob> wanted_;
    bool ends_ = false;
    std::uint64_t runs_ = 0;
    std::shared_ptr<const ProgramFrame> newest_;
    std::shared_ptr<Process> process_;          // that builds and runs now
    std::deque<std::shared_ptr<Process>> kept_; // that hold what earlier runs kept; the thread's
    LoopThread thread_;                         // last: it uses all of the above
};

// The argument at which this program does nothing but run another for a window.
constexpr const char* program_word = "--program-for-window";
int run_program_for_window();

} // namespace lanescope::app
