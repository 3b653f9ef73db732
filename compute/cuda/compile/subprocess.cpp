// posix_spawn with one pipe.
#include "compute/cuda/compile/subprocess.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compute/error.h"

extern char** environ;

namespace lanescope::cuda {

Finished run_program(const std::vector<std::string>& arguments)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        throw Error(ExitStatus::bad_usage,
                    std::string("No pipe for another program: ") + std::strerror(errno) + ".",
                    "Close some programs.");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);

    std::vector<char*> argv;
    for (const std::string& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    pid_t child = 0;
    const int refused = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);

    Finished finished;
    if (refused != 0) {
        close(ends[0]);
        return {127, arguments[0] + ": " + std::strerror(refused)};
    }
    char bytes[4096];
    for (;;) {
        const ssize_t count = read(ends[0], bytes, sizeof bytes);
        if (count > 0)
            finished.output.append(bytes, static_cast<std::size_t>(count));
        else if (count == 0 || errno != EINTR)
            break;
    }
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return finished;
}

} // namespace lanescope::cuda
