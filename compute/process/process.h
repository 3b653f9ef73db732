// Starts and ends other programs: compilers, ffmpeg, Python. Arguments are passed unchanged: no
// shell reads them. Uses the system directly, because Debian has no library for it (reproc is not
// packaged) and the sandbox is entered between fork() and exec().
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace lanescope {

class FileView;
struct Walls;

// wait()'s results for a process that was killed, or used more CPU time than its sandbox allows:
// 128 + SIGKILL and 128 + SIGXCPU, on systems without signals, too.
constexpr int status_of_killed = 128 + 9, status_of_processor_limit = 128 + 24;

// A child process. Its output on both streams is collected in memory, in order, so that it never
// blocks on a reader.
class Process {
public:
    enum class Input { none, from_parent };

    struct Start {
        Input input = Input::none;
        const Walls* walls = nullptr;       // sandbox for the program
        FileView* view = nullptr;           // decides which files it and its children may open
        bool kill_children = false;         // kill() also kills its children
        bool separate_stderr = false;       // keeps stderr out of output()
        std::vector<std::string> changes{}; // passed to environment_for_program()
    };

    // Searches PATH, but never the current folder. Throws std::system_error if the program cannot
    // be started: errc::no_such_file_or_directory if it does not exist.
    Process(const std::vector<std::string>& arguments, const Start& start);
    explicit Process(const std::vector<std::string>& arguments, Input input = Input::none)
        : Process(arguments, Start{.input = input})
    {
    }
    // Kills the child if it is still running.
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    // Blocks until all bytes are written. Returns false if the child no longer reads; wait() then
    // returns the reason.
    bool write(std::span<const std::byte> bytes);
    void end_input();
    // Reads an answer of bytes.size() bytes from the socket that is the child's input. Returns
    // false at the deadline, or if the child ended first.
    bool read(std::span<std::byte> bytes, std::chrono::steady_clock::time_point until);
    // CPU time of the child so far; 0 once it has ended.
    std::chrono::nanoseconds processor_time() const;
    // Waits for the child to end. Returns its exit status, or 128 + the signal that ended it.
    int wait();
    // Kills the child at once. Thread-safe.
    void kill() noexcept;
    // Kills the child without waiting, for use at program exit: freeing a compiler's memory
    // takes 3 ms. The system reaps it.
    void leave() noexcept;
    // Output of the process so far, limited to `max_bytes`.
    std::string output(std::size_t max_bytes = std::size_t{1} << 24) const;
    // Standard error of the process, if captured separately.
    std::string errors(std::size_t max_bytes = std::size_t{1} << 24) const;

private:
    class Descriptor {
    public:
        Descriptor() = default;
        explicit Descriptor(std::intptr_t number) : number_(number) {}
        Descriptor(const Descriptor&) = delete;
        Descriptor& operator=(const Descriptor&) = delete;
        ~Descriptor() { close(); }
        void close() noexcept;
        void set(std::intptr_t number) noexcept;
        int number() const { return static_cast<int>(number_); }
        void* handle() const { return reinterpret_cast<void*>(number_); } // on Windows

    private:
        std::intptr_t number_ = -1;
    };

    Descriptor output_;
    Descriptor errors_; // closed unless stderr is captured separately
    Descriptor input_;
    std::mutex mutex_;           // guards the process ID, which may be reused after waiting
    std::intptr_t process_ = -1; // process ID, or a handle on Windows
    Descriptor job_;             // Windows' group of the process and its children
    bool kill_children_ = false;
    int status_ = 0;
};

struct Finished {
    int status = 0;       // exit status; 128 + signal if killed; 127 if it could not be started
    std::string output;   // stdout and stderr, in the order written
    std::string errors{}; // stderr, if captured separately
};

// Runs a program to its end, without input unless `start` gives it one.
Finished run_to_end(const std::vector<std::string>& arguments,
                    const Process::Start& start = Process::Start());

} // namespace lanescope
