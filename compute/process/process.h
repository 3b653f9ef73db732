// Another program, started and ended in one place: compilers, ffmpeg, Python. Arguments go as they
// are: no shell reads them. By hand over fork(), because Debian has no library for it (reproc is
// not packaged), and walls are raised between fork() and exec().
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

class FileView;
struct Walls;

// What it prints, on both streams and in order, is kept in memory, so that it never waits for a
// reader.
class Process {
public:
    enum class Input { none, from_us };

    struct Start {
        Input input = Input::none;
        const Walls* walls = nullptr;       // raised before it starts
        FileView* view = nullptr;           // answers what it and its children open
        bool with_children = false;         // kill() ends those that it has started, too
        bool errors_apart = false;          // from output()
        std::vector<std::string> changes{}; // of its environment, as environment_for_program()
    };

    // Searches PATH, but never the current folder. Throws std::system_error when it cannot be
    // started: errc::no_such_file_or_directory when there is no such program.
    Process(const std::vector<std::string>& arguments, const Start& start);
    explicit Process(const std::vector<std::string>& arguments, Input input = Input::none)
        : Process(arguments, Start{.input = input})
    {
    }
    // Ends it if it still runs.
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    // Waits until it has taken all bytes. False when it takes no more: wait() tells why.
    bool write(std::span<const std::byte> bytes);
    void end_input();
    // Its input is a socket, through which it can answer. Waits for so many bytes of an answer:
    // false when the time is over, or when it ended before.
    bool read(std::span<std::byte> bytes, std::chrono::steady_clock::time_point until);
    // How long processors have worked for it; 0 where it has ended.
    std::chrono::nanoseconds processor_time() const;
    // Its exit status once it has ended, or 128 + the signal that ended it.
    int wait();
    // From any thread: ends it at once.
    void kill() noexcept;
    // What it has printed so far, at the most so many bytes of it.
    std::string output(std::size_t most_bytes = std::size_t{1} << 24) const;
    // What it has printed to standard error, where that is kept apart.
    std::string errors(std::size_t most_bytes = std::size_t{1} << 24) const;

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
    Descriptor errors_; // closed: with the output
    Descriptor input_;
    std::mutex mutex_; // of its number: once it has been waited for, it may be someone else's
    pid_t process_ = -1;
    bool with_children_ = false;
    int status_ = 0;
};

struct Finished {
    int status = 0;       // exit status; 128 + signal when killed; 127 when it could not be started
    std::string output;   // stdout and stderr, in the order written
    std::string errors{}; // stderr, where it is kept apart
};

// Runs a program to its end, without input unless `start` gives it one.
Finished run_to_end(const std::vector<std::string>& arguments,
                    const Process::Start& start = Process::Start());

} // namespace lanescope
