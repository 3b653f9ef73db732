// fork() with a socket for the input and a file in memory for the output.
#include "compute/process/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>

#include "compute/process/file_view.h"
#include "compute/process/search_path.h"
#include "compute/process/walls.h"

namespace lanescope {
namespace {

[[noreturn]] void fail(int code, const std::string& what)
{
    throw std::system_error(code, std::generic_category(), what);
}

std::vector<char*> pointers_to(const std::vector<std::string>& words)
{
    std::vector<char*> pointers;
    for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

std::string contents(int number, std::size_t max_bytes)
{
    struct stat file {};
    fstat(number, &file);
    std::string text(std::min(max_bytes, static_cast<std::size_t>(file.st_size)), '\0');
    const ssize_t bytes = pread(number, text.data(), text.size(), 0);
    text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    return text;
}

// Moves a descriptor above 2: if a standard stream is closed, a new descriptor gets its number.
int avoid_standard_streams(int number)
{
    if (number < 0 || number > STDERR_FILENO) return number;
    const int higher = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(number);
    return higher;
}

// Everything a child needs for exec(): prepared before fork(), after which it must not allocate.
struct ExecPlan {
    const char* program;
    char* const* arguments;
    char* const* environment;
    int input, output, errors; // descriptors
    bool leads_group;
    const PreparedWalls* walls; // null: none
    int view;                   // socket to the supervisor that answers its calls; -1: none
};

// Runs in the child: becomes the program, or writes errno to `refusal` and exits.
[[noreturn]] void become(const ExecPlan& wanted, int refusal) noexcept
{
    if (wanted.leads_group) setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    dup2(wanted.input, STDIN_FILENO);
    dup2(wanted.output, STDOUT_FILENO);
    dup2(wanted.errors, STDERR_FILENO);
    const bool walled = wanted.walls == nullptr || wanted.walls->raise();
    if (walled) {
        if (wanted.view >= 0) FileView::watch_and_hand_over(wanted.view);
        execve(wanted.program, wanted.arguments, wanted.environment);
    }
    const int refused = errno;
    [[maybe_unused]] const ssize_t wrote = write(refusal, &refused, sizeof refused);
    _exit(127);
}

} // namespace

void Process::Descriptor::close() noexcept
{
    if (const auto number = std::exchange(number_, -1); number >= 0)
        ::close(static_cast<int>(number));
}

void Process::Descriptor::set(std::intptr_t number) noexcept
{
    close();
    number_ = number;
}

Process::Process(const std::vector<std::string>& arguments, const Start& start)
    : kill_children_(start.kill_children)
{
    const std::string& name = arguments.front();
    const auto program = find_program(name);
    if (!program) fail(ENOENT, name);
    const std::string path = program->string();
    const std::vector<std::string> environment = environment_for_program(start.changes);
    const auto argv = pointers_to(arguments), envp = pointers_to(environment);
    std::optional<PreparedWalls> walls;
    if (start.walls) walls.emplace(*start.walls);

    const auto connect = [&](Descriptor& ours, Descriptor& theirs) {
        int ends[2] = {-1, -1};
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail(errno, name);
        ours.set(avoid_standard_streams(ends[0]));
        theirs.set(avoid_standard_streams(ends[1]));
    };
    const auto keep = [&](Descriptor& file) {
        file.set(avoid_standard_streams(memfd_create("output", MFD_CLOEXEC)));
        if (file.number() < 0) fail(errno, name);
    };
    keep(output_);
    if (start.separate_stderr) keep(errors_);
    Descriptor child_input, refusal, child_refusal, view, child_view;
    // A socket, not a pipe: writing to a closed socket can fail without raising SIGPIPE.
    if (start.input == Input::from_parent)
        connect(input_, child_input);
    else
        child_input.set(avoid_standard_streams(open("/dev/null", O_RDONLY | O_CLOEXEC)));
    if (start.view) connect(view, child_view);
    connect(refusal, child_refusal);

    const ExecPlan wanted{.program = path.c_str(),
                          .arguments = argv.data(),
                          .environment = envp.data(),
                          .input = child_input.number(),
                          .output = output_.number(),
                          .errors = (start.separate_stderr ? errors_ : output_).number(),
                          // A child that we feed exits when its input ends; the terminal's SIGINT
                          // and SIGHUP are only for this process.
                          .leads_group = start.input == Input::from_parent || start.kill_children,
                          .walls = walls ? &*walls : nullptr,
                          .view = child_view.number()};
    process_ = fork();
    if (process_ == 0) become(wanted, child_refusal.number());
    if (process_ < 0) fail(errno, name);
    // The child calls setpgid(), too, whichever runs first.
    if (wanted.leads_group) setpgid(static_cast<pid_t>(process_), static_cast<pid_t>(process_));
    child_view.close();
    child_refusal.close();
    if (start.view) start.view->take_over(view.number());
    int refused = 0;
    ssize_t received = 0;
    while ((received = recv(refusal.number(), &refused, sizeof refused, 0)) < 0 && errno == EINTR) {
    }
    if (received <= 0) return; // exec() succeeded and closed the socket
    wait();
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
        const ssize_t received = recv(input_.number(), bytes.data(), bytes.size(), 0);
        if (received < 0 && errno == EINTR) continue;
        if (received <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(received));
    }
    return true;
}

std::chrono::nanoseconds Process::processor_time() const
{
    clockid_t clock{};
    timespec time{};
    if (process_ < 0 || clock_getcpuclockid(static_cast<pid_t>(process_), &clock) != 0 ||
        clock_gettime(clock, &time) != 0)
        return {};
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

int Process::wait()
{
    if (process_ < 0) return status_;
    // Waits without reaping, so that kill() never hits a process that reuses the id.
    siginfo_t ended{};
    while (waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOWAIT) < 0 &&
           errno == EINTR) {
    }
    const std::scoped_lock lock(mutex_);
    int status = 0;
    waitpid(static_cast<pid_t>(process_), &status, 0);
    process_ = -1;
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return status_;
}

void Process::kill() noexcept
{
    const std::scoped_lock lock(mutex_);
    const auto process = static_cast<pid_t>(process_);
    if (process > 0) ::kill(kill_children_ ? -process : process, SIGKILL);
}

void Process::leave() noexcept
{
    kill();
    const std::scoped_lock lock(mutex_);
    process_ = -1;
}

std::string Process::output(std::size_t max_bytes) const
{
    return contents(output_.number(), max_bytes);
}

std::string Process::errors(std::size_t max_bytes) const
{
    return contents(errors_.number(), max_bytes);
}

} // namespace lanescope
