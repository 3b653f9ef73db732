// The watchdog is a fork that waits for the end of a pipe: it is the parent of the process it
// watches, so that no descendant escapes.
#include "app/run/program/watchdog.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "compute/error.h"
#include "compute/process/temporary_folder.h"

extern char** environ;

namespace lanescope::app {
namespace {

[[noreturn]] void fail(std::string_view what)
{
    throw Error(ExitStatus::device_unavailable, fmt::format("{}: {}.", what, std::strerror(errno)),
                "Close some programs, or free some space.");
}

struct Pipe {
    int reads = -1, writes = -1;
    Pipe()
    {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("Cannot create a pipe");
        reads = ends[0];
        writes = ends[1];
    }
    ~Pipe()
    {
        close_descriptor(reads);
        close_descriptor(writes);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    static void close_descriptor(int& end)
    {
        if (end >= 0) close(end);
        end = -1;
    }
};

// Ignores the terminal's signals: the pipe shows when the main process ends.
void become_watchdog()
{
    setsid();
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_IGN);
}

void wait_for_end(int life)
{
    char byte = 0;
    while (read(life, &byte, 1) < 0 && errno == EINTR) {
    }
}

// Kills all current children of this process.
void end_children()
{
    for (int turn = 0; turn < 100; ++turn) {
        FILE* const list =
            std::fopen(fmt::format("/proc/self/task/{}/children", getpid()).c_str(), "r");
        if (list == nullptr) return;
        int child = 0;
        bool any = false;
        while (std::fscanf(list, "%d", &child) == 1) {
            any = true;
            kill(child, SIGKILL);
        }
        std::fclose(list);
        if (!any) return;
        while (waitpid(-1, nullptr, WNOHANG) > 0) {
        }
        usleep(2000);
    }
}

void limit(int resource, std::uint64_t max)
{
    if (max == 0) return;
    const rlimit both{max, max};
    setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

// A temporary file for a program's captured output.
int kept_file(const char* name)
{
    const int descriptor = memfd_create(name, MFD_CLOEXEC);
    if (descriptor < 0) fail("Cannot create a file in memory");
    return descriptor;
}

std::string contents(int file)
{
    constexpr off_t max_bytes = off_t{64} << 20;
    std::string text(static_cast<std::size_t>(std::min(lseek(file, 0, SEEK_END), max_bytes)), '\0');
    const ssize_t count = pread(file, text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    close(file);
    return text;
}

struct Started {
    int status = 0;
    int refused = 0; // errno if it could not be started
    bool out_of_time = false;
};

// Descriptors passed to a process; -1: none.
struct PassedValue {
    char** argv = nullptr;
    char** envp = nullptr;
    int output = -1;
    int error_output = -1;
    int report = -1;
};

[[noreturn]] void become(const WatchedProcess& wanted, const PassedValue& with, int refusal)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ})
        std::signal(signal, SIG_DFL);
    if (with.output >= 0) dup2(with.output, STDOUT_FILENO);
    if (with.error_output >= 0) dup2(with.error_output, STDERR_FILENO);
    if (with.report >= 0) fcntl(with.report, F_SETFD, 0);
    if (wanted.passed >= 0) fcntl(wanted.passed, F_SETFD, 0);
    limit(RLIMIT_AS, wanted.limits.memory_bytes);
    limit(RLIMIT_FSIZE, wanted.limits.file_bytes);
    limit(RLIMIT_CORE, 1);
    execvpe(with.argv[0], with.argv, with.envp);
    const int refused = errno;
    [[maybe_unused]] const ssize_t wrote = write(refusal, &refused, sizeof refused);
    _exit(127);
}

// Waits until the child ends, its time is up (returns true), or the other end of `life` is closed.
bool wait_times_out(pid_t child, double seconds, int life)
{
    const int ended = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
    const auto begin = std::chrono::steady_clock::now();
    for (;;) {
        int wait_ms = -1;
        if (seconds > 0) {
            const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
            if (spent.count() >= seconds) return true;
            wait_ms = static_cast<int>((seconds - spent.count()) * 1000) + 1;
        }
        std::array<pollfd, 2> watched{pollfd{ended, POLLIN, 0}, pollfd{life, POLLIN, 0}};
        if (poll(watched.data(), watched.size(), wait_ms) < 0 && errno != EINTR) return false;
        if (watched[0].revents != 0 || watched[1].revents != 0) return false;
    }
}

// Main function of the watchdog; it runs until the program, or the process that started it, ends.
[[noreturn]] void keep(const WatchedProcess& wanted, const PassedValue& with, int life,
                       int reported)
{
    become_watchdog();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    Pipe refusal;
    const pid_t child = fork();
    if (child == 0) become(wanted, with, refusal.writes);
    Pipe::close_descriptor(refusal.writes);
    if (with.report >= 0) close(with.report);
    Started started;
    if (child < 0) {
        started.refused = errno;
    } else {
        [[maybe_unused]] const ssize_t came =
            read(refusal.reads, &started.refused, sizeof started.refused);
        started.out_of_time = wait_times_out(child, wanted.limits.seconds, life);
        if (waitpid(child, &started.status, WNOHANG) != child) {
            kill(-child, SIGKILL);
            kill(child, SIGKILL);
            waitpid(child, &started.status, 0);
        }
        kill(-child, SIGKILL);
    }
    end_children();
    [[maybe_unused]] const ssize_t wrote = write(reported, &started, sizeof started);
    _exit(0);
}

// This process's environment, in which `own` replaces entries of the same name. The result points
// into both.
std::vector<char*> environment_with(const std::vector<std::string>& own)
{
    const auto name_of = [](std::string_view entry) {
        return entry.substr(0, entry.find('=') + 1);
    };
    std::vector<char*> entries;
    for (char** entry = environ; *entry != nullptr; ++entry)
        if (std::ranges::none_of(
                own, [&](const std::string& one) { return name_of(one) == name_of(*entry); }))
            entries.push_back(*entry);
    for (const std::string& one : own) entries.push_back(const_cast<char*>(one.c_str()));
    entries.push_back(nullptr);
    return entries;
}

// Waits for the watchdog's final message; meanwhile passes on the data that arrives at `report`,
// until it is closed. Closes `life` to end the process.
Started listen(const WatchedProcess& wanted, int reported, int report, int& life)
{
    constexpr int poll_interval_ms = 50;
    Started started;
    std::array<char, 65536> bytes{};
    bool reporting = wanted.report != nullptr;
    for (bool running = true; running || reporting;) {
        std::array<pollfd, 2> watched{pollfd{running ? reported : -1, POLLIN, 0},
                                      pollfd{reporting ? report : -1, POLLIN, 0}};
        const int wait_ms = wanted.meanwhile ? poll_interval_ms : -1;
        if (poll(watched.data(), watched.size(), wait_ms) < 0 && errno != EINTR) break;
        if (wanted.meanwhile && !wanted.meanwhile()) Pipe::close_descriptor(life);
        if (watched[1].revents != 0) {
            const ssize_t count = read(report, bytes.data(), bytes.size());
            if (count > 0) wanted.report({bytes.data(), static_cast<std::size_t>(count)});
            if (count == 0) reporting = false;
        }
        if (running && watched[0].revents != 0) {
            [[maybe_unused]] const ssize_t came = read(reported, &started, sizeof started);
            running = false;
        }
    }
    return started;
}

} // namespace

WatchedFolder::WatchedFolder()
{
    std::string pattern = (system_temporary_folder() / "lanescope-XXXXXX").string();
    Pipe life;
    if (mkdtemp(pattern.data()) == nullptr) fail("Cannot create a folder for compiled files");
    path_ = pattern;
    std::fflush(nullptr);
    keeper_ = fork();
    if (keeper_ < 0) {
        std::filesystem::remove_all(path_);
        fail("Cannot start a process");
    }
    if (keeper_ == 0) {
        become_watchdog();
        Pipe::close_descriptor(life.writes);
        wait_for_end(life.reads);
        std::error_code ignored;
        for (int turn = 0; turn < 50 && std::filesystem::exists(path_, ignored); ++turn) {
            std::filesystem::remove_all(path_, ignored);
            if (ignored) usleep(20'000); // a process may still be writing into the folder
        }
        _exit(0);
    }
    life_ = std::exchange(life.writes, -1);
}

WatchedFolder::~WatchedFolder()
{
    close(life_);
    while (waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

ProcessEnd run_watched(const WatchedProcess& wanted)
{
    std::vector<char*> argv;
    for (const std::string& argument : wanted.arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    Pipe life, reported, report;
    std::vector<std::string> own = wanted.environment;
    if (wanted.report) own.push_back(fmt::format("LANESCOPE_REPORT={}", report.writes));
    std::vector<char*> envp = environment_with(own);
    PassedValue with{.argv = argv.data(), .envp = envp.data()};
    if (wanted.keeps_output) {
        with.output = kept_file("output");
        with.error_output = kept_file("error_output");
    }
    if (wanted.report) with.report = report.writes;

    std::fflush(nullptr);
    const pid_t keeper = fork();
    if (keeper < 0) fail("Cannot start a process");
    if (keeper == 0) {
        close(life.writes);
        close(reported.reads);
        close(report.reads);
        keep(wanted, with, life.reads, reported.writes);
    }
    Pipe::close_descriptor(life.reads);
    Pipe::close_descriptor(reported.writes);
    Pipe::close_descriptor(report.writes);
    const Started started = listen(wanted, reported.reads, report.reads, life.writes);
    while (waitpid(keeper, nullptr, 0) < 0 && errno == EINTR) {
    }
    ProcessEnd end;
    end.out_of_time = started.out_of_time;
    if (WIFSIGNALED(started.status)) end.signal = WTERMSIG(started.status);
    end.status = end.signal != 0 ? 128 + end.signal : WEXITSTATUS(started.status);
    if (with.output >= 0) end.output = contents(with.output);
    if (with.error_output >= 0) end.error_output = contents(with.error_output);
    if (started.refused != 0)
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("{} cannot be started: {}.", wanted.arguments.front(),
                                std::strerror(started.refused)),
                    "Choose a program that can run here.");
    return end;
}

} // namespace lanescope::app
