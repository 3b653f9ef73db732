// posix_spawn with a socket for the input and a file in memory for the output.
#include "compute/process/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

extern char** environ;

namespace lanescope {
namespace {

[[noreturn]] void fail(int code, const std::string& what)
{
    throw std::system_error(code, std::generic_category(), what);
}

struct SpawnActions {
    posix_spawn_file_actions_t actions;
    SpawnActions() { posix_spawn_file_actions_init(&actions); }
    ~SpawnActions() { posix_spawn_file_actions_destroy(&actions); }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;
};

} // namespace

void Process::Descriptor::close() noexcept
{
    if (const int number = std::exchange(number_, -1); number >= 0) ::close(number);
}

void Process::Descriptor::set(int number) noexcept
{
    close();
    number_ = number;
}

Process::Process(const std::vector<std::string>& arguments, Input input)
{
    const std::string& name = arguments.front();
    output_.set(memfd_create("output", MFD_CLOEXEC));
    if (output_.number() < 0) fail(errno, name);
    SpawnActions spawn;
    Descriptor theirs;
    if (input == Input::from_us) {
        // A socket, not a pipe: writing to one that nobody reads can be an error without a signal.
        int ends[2] = {-1, -1};
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail(errno, name);
        input_.set(ends[0]);
        theirs.set(ends[1]);
        posix_spawn_file_actions_adddup2(&spawn.actions, theirs.number(), STDIN_FILENO);
    } else {
        posix_spawn_file_actions_addopen(&spawn.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    posix_spawn_file_actions_adddup2(&spawn.actions, output_.number(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&spawn.actions, output_.number(), STDERR_FILENO);

    std::vector<char*> argv;
    for (const std::string& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    // What is fed by us ends with its input: a terminal's Ctrl C or hang-up is for us alone.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    if (input == Input::from_us) {
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        posix_spawnattr_setpgroup(&attributes, 0);
    }
    const int refused =
        posix_spawnp(&process_, argv[0], &spawn.actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    if (refused == 0) return;
    process_ = -1;
    fail(refused, name);
}

Process::~Process()
{
    kill();
    wait();
}

bool Process::write(std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t sent = send(input_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return true;
}

void Process::end_input()
{
    input_.close();
}

bool Process::read(std::span<std::byte> bytes, std::chrono::steady_clock::time_point until)
{
    while (!bytes.empty()) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        pollfd theirs{.fd = input_.number(), .events = POLLIN, .revents = 0};
        const int found =
            poll(&theirs, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
        if (found == 0) return false;
        if (found < 0 && errno == EINTR) continue;
        const ssize_t came = recv(input_.number(), bytes.data(), bytes.size(), 0);
        if (came < 0 && errno == EINTR) continue;
        if (came <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(came));
    }
    return true;
}

std::chrono::nanoseconds Process::processor_time() const
{
    clockid_t clock{};
    timespec time{};
    if (process_ < 0 || clock_getcpuclockid(process_, &clock) != 0 ||
        clock_gettime(clock, &time) != 0)
        return {};
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

int Process::wait()
{
    if (process_ < 0) return status_;
    // Ended but not yet forgotten, so that kill() never meets a number that is someone else's.
    siginfo_t ended{};
    while (waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOWAIT) < 0 &&
           errno == EINTR) {
    }
    const std::scoped_lock lock(mutex_);
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return status_;
}

void Process::kill() noexcept
{
    const std::scoped_lock lock(mutex_);
    if (process_ > 0) ::kill(process_, SIGKILL);
}

std::string Process::output(std::size_t max_bytes) const
{
    struct stat file {};
    fstat(output_.number(), &file);
    std::string text(std::min(max_bytes, static_cast<std::size_t>(file.st_size)), '\0');
    const ssize_t bytes = pread(output_.number(), text.data(), text.size(), 0);
    text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    return text;
}

Finished run_to_end(const std::vector<std::string>& arguments)
{
    try {
        Process process(arguments);
        const int status = process.wait();
        return {status, process.output()};
    } catch (const std::system_error& error) {
        return {127, arguments.front() + ": " + error.code().message()};
    }
}

} // namespace lanescope
