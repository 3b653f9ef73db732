// Starts and ends other programs: compilers, ffmpeg, Nsight Compute. Arguments are passed without a
// shell. Uses posix_spawn directly, because Debian has no library for it (reproc is not packaged).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace lanescope {

// A child process. Its output on both streams is collected in memory, in order, so that it never
// blocks on a reader.
class Process {
public:
    enum class Input { none, from_us };

    // Searches PATH like a shell. Throws std::system_error if it can't be started:
    // errc::no_such_file_or_directory if the program doesn't exist.
    explicit Process(const std::vector<std::string>& arguments, Input input = Input::none);
    // Kills it if it is still running.
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    // Blocks until all bytes are written. Returns false if the child no longer reads; wait() tells
    // why.
    bool write(std::span<const std::byte> bytes);
    void end_input();
    // Reads an answer of bytes.size() bytes from the child's input, which is a socket. Returns
    // false at the deadline, or if the child ended first.
    bool read(std::span<std::byte> bytes, std::chrono::steady_clock::time_point until);
    // CPU time of the child so far; 0 once it has ended.
    std::chrono::nanoseconds processor_time() const;
    // Waits for its end. Returns the exit status, or 128 + the signal that ended it.
    int wait();
    // Kills it at once. Thread-safe.
    void kill() noexcept;
    // Its output so far, limited to `most_bytes`.
    std::string output(std::size_t most_bytes = std::size_t{1} << 24) const;

private:
    class Descriptor {
    public:
        Descriptor() = default;
        explicit Descriptor(int number) : number_(number) {}
        Descriptor(const Descriptor&) = delete;
        Descriptor& operator=(const Descriptor&) = delete;
        ~Descriptor() { close(); }
        void close() noexcept;
        void set(int number) noexcept;
        int number() const { return number_; }

    private:
        int number_ = -1;
    };

    Descriptor output_;
    Descriptor input_;
    std::mutex mutex_; // guards the process id, which may be reused after waiting
    pid_t process_ = -1;
    int status_ = 0;
};

struct Finished {
    int status = 0;     // exit status; 128 + signal if killed; 127 if it could not be started
    std::string output; // stdout and stderr, in the order written
};

// Runs a program to completion, without input.
Finished run_to_end(const std::vector<std::string>& arguments);

} // namespace lanescope
