// Sandboxed programs try what a compromised compiler might do. Each test names the restriction that
// it needs, and is skipped if the computer's kernel lacks it.
#include "compute/process/walls.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/experiment/lab/lab.h"
#include "compute/process/file_view.h"
#include "compute/process/process.h"
#include "compute/process/search_path.h"
#include "tests/support/older_kernel.h"
#include "tests/support/program.h"

namespace lanescope {
namespace {

namespace fs = std::filesystem;
using test::Folder;
using testing::HasSubstr;
using testing::Not;

#define NEEDS_LANDLOCK()                                                                           \
    if (const KnownWalls known = known_walls(); known.landlock_version == 0)                       \
    GTEST_SKIP() << "No Landlock: " << known.no_landlock

#define NEEDS_FILE_VIEW()                                                                          \
    if (!known_walls().file_view) GTEST_SKIP() << "This kernel answers no open() by a thread."

constexpr std::string_view secret = "nobody-may-read-this";

void write(const fs::path& file, std::string_view text)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

// Output of a shell script in a sandbox that allows running the shell, and reading and writing this
// folder.
Finished run_in(const fs::path& folder, const std::string& script, Walls walls,
                FileView* view = nullptr)
{
    walls.writable.push_back(folder);
    return run_to_end({"sh", "-c", script}, {.walls = &walls, .view = view});
}

Walls shell_walls()
{
    return walls_for_program(find_program("sh").value());
}

TEST(Walls, FileOutsideSandboxCannotBeRead)
{
    NEEDS_LANDLOCK();
    const Folder inside, outside;
    write(outside / "secret", secret);
    write(inside / "own", "own text");
    fs::create_symlink(outside / "secret", inside / "link");
    const std::string file = (outside / "secret").string();
    for (const std::string& path :
         {file, (inside / "link").string(), "/proc/self/root" + file,
          (inside / "..").string() + "/" + outside.path().filename().string() + "/secret"}) {
        const Finished finished = run_in(inside.path(), "cat '" + path + "'", shell_walls());
        EXPECT_NE(finished.status, 0) << path;
        EXPECT_THAT(finished.output, Not(HasSubstr(secret))) << path;
    }
    EXPECT_EQ(
        run_in(inside.path(), "cat '" + (inside / "own").string() + "'", shell_walls()).output,
        "own text");
}

TEST(Walls, NothingOutsideSandboxIsWrittenOrRemoved)
{
    NEEDS_LANDLOCK();
    const Folder inside, outside;
    write(outside / "kept", "as it was");
    const std::string there = outside.path().string();
    for (const std::string& script :
         {"echo x > " + there + "/new", "echo x >> " + there + "/kept", "rm -f " + there + "/kept",
          "mkdir " + there + "/made", "ln -s /etc " + there + "/link", "mv " + there + "/kept .",
          ": > " + there + "/kept"})
        run_in(inside.path(), "cd " + inside.path().string() + "; " + script, shell_walls());
    EXPECT_EQ(outside.entries(), 1U);
    EXPECT_EQ(test::read_file(outside / "kept"), "as it was");
    run_in(inside.path(), "echo x > " + (inside / "new").string(), shell_walls());
    EXPECT_EQ(test::read_file(inside / "new"), "x\n");
}

TEST(Walls, ProgramsOutsideSandboxCannotRun)
{
    NEEDS_LANDLOCK();
    const Folder inside;
    fs::copy_file("/bin/true", inside / "own");
    EXPECT_NE(run_in(inside.path(), (inside / "own").string(), shell_walls()).status, 0)
        << "what was written is not run";
    EXPECT_EQ(run_in(inside.path(), "/bin/true", shell_walls()).status, 0);
}

// Forks, enters the sandbox in the child, and returns the exit status of `work`.
int status_within(const Walls& walls, int (*work)())
{
    const PreparedWalls prepared(walls);
    const pid_t child = fork();
    if (child == 0) _exit(prepared.raise() ? work() : 99);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Walls, NetworkIsUnreachable)
{
    if (!known_walls().seccomp) GTEST_SKIP() << "This kernel has no seccomp.";
    const auto attempts = [] {
        int opened = 0;
        for (const int domain : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK, AF_PACKET})
            for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW})
                if (socket(domain, type, 0) >= 0) ++opened;
        const bool ring = syscall(425 /* io_uring_setup */, 1, nullptr) < 0 && errno == EPERM;
        return opened + (ring ? 0 : 50);
    };
    EXPECT_EQ(status_within({}, attempts), 0);
    const auto allowed = [] { return socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 0 : 1; };
    EXPECT_EQ(status_within({.network = true}, allowed), 0);
}

TEST(Walls, OtherProcessesAreUnreachable)
{
    if (!known_walls().seccomp) GTEST_SKIP() << "This kernel has no seccomp.";
    const auto attempts = [] {
        char byte = 0;
        const iovec here{&byte, 1}, there{&byte, 1};
        return process_vm_readv(getppid(), &here, 1, &there, 1, 0) < 0 && errno == EPERM &&
                       syscall(SYS_keyctl, 0, -3) < 0 && errno == EPERM
                   ? 0
                   : 1;
    };
    EXPECT_EQ(status_within({}, attempts), 0);
}

TEST(Walls, LimitsAreEnforced)
{
    const auto endless = [] {
        for (volatile int turn = 0; turn == 0;) {
        }
        return 0;
    };
    EXPECT_EQ(status_within({.limits = {.processor_s = 1}}, endless), 128 + SIGKILL);
    const Folder folder;
    Walls small = shell_walls();
    small.limits.file_bytes = 1 << 20;
    run_in(folder.path(), "exec cat /dev/zero > " + (folder / "large").string(), small);
    EXPECT_LE(fs::file_size(folder / "large"), 1U << 20);
}

TEST(Walls, CannotBeDisabled)
{
    NEEDS_LANDLOCK();
    const Folder inside, outside;
    write(outside / "secret", secret);
    // A sandboxed program may add restrictions; that never gives it more access.
    const std::string again =
        "exec sh -c \"exec sh -c 'cat " + (outside / "secret").string() + "'\"";
    EXPECT_THAT(run_in(inside.path(), again, shell_walls()).output, Not(HasSubstr(secret)));
    if (find_program("unshare")) {
        const std::string alone = "unshare -rm cat " + (outside / "secret").string();
        EXPECT_THAT(run_in(inside.path(), alone, shell_walls()).output, Not(HasSubstr(secret)));
    }
}

TEST(FileView, HidesAndReportsFilesOutsideSandbox)
{
    NEEDS_FILE_VIEW();
    const Folder inside, outside;
    write(outside / "secret", secret);
    write(inside / "own", "own text");
    write(inside / ".hidden", secret);
    fs::create_symlink(outside / "secret", inside / "link");
    test::without_calls(test::landlock_calls(), [&] {
        Walls walls = shell_walls();
        walls.writable.push_back(inside.path());
        for (const fs::path& path :
             {outside / "secret", inside / "link", inside / ".hidden",
              inside.path() / ".." / outside.path().filename() / "secret", outside / "not_there"}) {
            FileView view(walls);
            const Finished finished =
                run_in(inside.path(), "cat '" + path.string() + "'", shell_walls(), &view);
            EXPECT_NE(finished.status, 0) << path;
            EXPECT_THAT(finished.output, HasSubstr("No such file")) << path;
            EXPECT_THAT(view.take_refused_paths(), testing::Contains(path.string()));
            EXPECT_TRUE(view.take_refused_paths().empty());
        }
        // Reading a pipe that has no writer would never end.
        ASSERT_EQ(mkfifo((inside / "pipe").c_str(), 0600), 0);
        FileView pipe_view(walls);
        const Finished from_pipe = run_in(inside.path(), "cat '" + (inside / "pipe").string() + "'",
                                          shell_walls(), &pipe_view);
        EXPECT_THAT(from_pipe.output, HasSubstr("No such file"));
        FileView view(walls);
        EXPECT_EQ(run_in(inside.path(), "cd " + inside.path().string() + " && cat own ./own",
                         shell_walls(), &view)
                      .output,
                  "own textown text");
        EXPECT_THAT(view.take_refused_paths(), testing::IsEmpty());
    });
}

TEST(FileView, SingleThread)
{
    NEEDS_FILE_VIEW();
    const Folder inside, outside;
    write(outside / "secret", secret);
    write(inside / "own", "own text");
    bool watched = false, own = false, foreign = false;
    std::vector<std::string> refused;
    std::thread([&] {
        FileView view({.readable = {inside.path()}});
        watched = view.watch_this_thread();
        own = std::ifstream(inside / "own").good();
        foreign = std::ifstream(outside / "secret").good();
        refused = view.take_refused_paths();
    }).join();
    EXPECT_TRUE(watched);
    EXPECT_TRUE(own);
    EXPECT_FALSE(foreign);
    EXPECT_THAT(refused, testing::ElementsAre((outside / "secret").string()));
    EXPECT_TRUE(std::ifstream(outside / "secret").good()) << "other threads see it";
}

TEST(KnownWalls, OlderLinuxKernelsHaveFewer)
{
    test::without_calls(test::landlock_calls(), [] {
        const KnownWalls known = known_walls();
        EXPECT_EQ(known.landlock_version, 0);
        EXPECT_FALSE(known.no_landlock.empty());
        const Folder folder;
        EXPECT_EQ(run_in(folder.path(), "echo runs", shell_walls()).output, "runs\n");
    });
    test::without_calls(test::file_view_calls(), [] {
        EXPECT_FALSE(known_walls().file_view);
        FileView view({});
        EXPECT_FALSE(view.watch_this_thread());
        EXPECT_TRUE(std::ifstream("/etc/passwd").good());
    });
}

class Variable {
public:
    Variable(const char* name, const std::string& value) : name_(name)
    {
        if (const char* before = std::getenv(name)) before_ = before;
        setenv(name, value.c_str(), 1);
    }
    ~Variable()
    {
        if (before_)
            setenv(name_, before_->c_str(), 1);
        else
            unsetenv(name_);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

// Makes an untrusted folder the current one.
class Here {
public:
    explicit Here(const fs::path& folder) : before_(fs::current_path())
    {
        fs::current_path(folder);
    }
    ~Here() { fs::current_path(before_); }
    Here(const Here&) = delete;
    Here& operator=(const Here&) = delete;

private:
    fs::path before_;
};

TEST(SearchPath, NeverIncludesCurrentFolder)
{
    const Folder folder;
    write(folder / "helper", "#!/bin/sh\necho a stranger\n");
    fs::create_directories(folder / "bin");
    fs::permissions(folder / "helper", fs::perms::owner_all);
    fs::copy_file(folder / "helper", folder / "bin" / "helper");
    const Here here(folder.path());
    for (const char* path : {"", ".", ":/usr/bin", "/usr/bin:", "/usr/bin::/bin", "./", "bin",
                             "./bin:/usr/bin", "..:.", "~/bin:bin"}) {
        const Variable set("PATH", path);
        EXPECT_FALSE(find_program("helper")) << path;
        EXPECT_EQ(run_to_end({"helper"}).status, 127) << path;
    }
    const Variable set("PATH", ".:" + (folder / "bin").string());
    EXPECT_EQ(run_to_end({"helper"}).output, "a stranger\n");
}

// Without a file to open, the program asks about an empty path.
TEST(LabFolder, EmptyPathIsNotCurrentFolder)
{
    const Folder folder;
    write(folder / "lab.json", "{}");
    const Here here(folder.path());
    EXPECT_TRUE(labs::is_lab_folder("."));
    EXPECT_FALSE(labs::is_lab_folder(""));
}

TEST(SearchPath, ChildrenGetNoRelativeFolders)
{
    const Variable path("PATH", ".:/usr/bin::bin:/bin:");
    const Variable libraries("LD_LIBRARY_PATH", ":.:lib");
    const Variable python("PYTHONPATH", "/x");
    const std::string all = run_to_end({"env"}, {.changes = {"PYTHON*", "ADDED=1"}}).output;
    EXPECT_THAT(all, HasSubstr("PATH=/usr/bin:/bin\n"));
    EXPECT_THAT(all, Not(HasSubstr("LD_LIBRARY_PATH")));
    EXPECT_THAT(all, Not(HasSubstr("PYTHONPATH")));
    EXPECT_THAT(all, HasSubstr("ADDED=1\n"));
}

TEST(Process, SeparatesStderrFromStdout)
{
    const Finished finished =
        run_to_end({"sh", "-c", "echo out; echo err >&2"}, {.separate_stderr = true});
    EXPECT_EQ(finished.output, "out\n");
    EXPECT_EQ(finished.errors, "err\n");
}

TEST(Process, KillsDescendants)
{
    const Folder folder;
    {
        Process process(
            {"sh", "-c", "sleep 30 & echo $! > " + (folder / "pid").string() + "; wait"},
            {.kill_children = true});
        while (test::read_file(folder / "pid").empty())
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const pid_t child = std::stoi(test::read_file(folder / "pid"));
    for (int turn = 0; turn < 400 && kill(child, 0) == 0; ++turn)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::ifstream status("/proc/" + std::to_string(child) + "/stat");
    std::string number, name, state = "gone";
    status >> number >> name >> state;
    EXPECT_THAT(state, testing::AnyOf("gone", "Z"));
}

} // namespace
} // namespace lanescope
