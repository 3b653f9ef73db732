// Ctrl C during a long launch: the report so far, and the status of a program ended by the signal.
#include <gmock/gmock.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "app/run/program/progress_line.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using testing::HasSubstr;

// Each thread counts far longer than any test lasts.
constexpr const char* long_kernel = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry counts(.param .u64 out)
{
    .reg .pred %p;
    .reg .u32 %i;
    .reg .u64 %n, %out, %at;
    ld.param.u64 %out, [out];
    mov.u32 %i, %tid.x;
    mov.u64 %n, 0;
again:
    add.u64 %n, %n, 1;
    setp.lt.u64 %p, %n, 1000000000000;
    @%p bra again;
    mul.wide.u32 %at, %i, 8;
    add.u64 %at, %at, %out;
    st.global.u64 [%at], %n;
    ret;
}
)";

// A running program whose output goes to files.
class Running {
public:
    Running(const Folder& folder, const std::vector<std::string>& arguments)
        : output_(folder / "output"), errors_(folder / "errors")
    {
        std::vector<std::string> words{program_under_test()};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        process_ = fork();
        if (process_ != 0) return;
        // A test that runs in the background may have inherited an ignored signal.
        signal(SIGINT, SIG_DFL);
        for (const auto& [file, to] : {std::pair{output_, STDOUT_FILENO}, {errors_, STDERR_FILENO}})
            dup2(open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), to);
        execv(argv[0], argv.data());
        _exit(127);
    }
    ~Running()
    {
        if (process_ > 0) kill(process_, SIGKILL), waitpid(process_, nullptr, 0);
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    // Waits until the program handles Ctrl C itself. Returns false if it ends before.
    bool waits_for_handler() const
    {
        for (;;) {
            std::ifstream status(fmt::format("/proc/{}/status", process_));
            std::string word;
            bool running = false;
            while (status >> word) {
                if (word == "State:") status >> word, running = word != "Z";
                if (word != "SigCgt:") continue;
                status >> word;
                if ((std::stoull(word, nullptr, 16) >> (SIGINT - 1) & 1U) != 0) return true;
            }
            if (!running) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }
    void interrupt() const { kill(process_, SIGINT); }
    // 128 + signal, or the exit status.
    int wait()
    {
        int status = 0;
        waitpid(process_, &status, 0);
        process_ = -1;
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    std::string output() const { return read_file(output_); }
    std::string errors() const { return read_file(errors_); }

private:
    std::filesystem::path output_, errors_;
    pid_t process_ = -1;
};

TEST(Interrupt, EmulateReportsWhatHasRun)
{
    const Folder folder;
    std::ofstream(folder / "long.ptx") << long_kernel;
    for (int moment = 0; moment < 12; ++moment) {
        SCOPED_TRACE(moment);
        Running running(folder, {"emulate", (folder / "long.ptx").string(), "--grid", "4",
                                 "--block", "64", "--arg", "u64[64]:zero"});
        ASSERT_TRUE(running.waits_for_handler()) << running.errors();
        std::this_thread::sleep_for(std::chrono::milliseconds(11 * moment));
        running.interrupt();
        EXPECT_EQ(running.wait(), 128 + SIGINT);
        EXPECT_THAT(running.output(), HasSubstr("stopped on request, after 0 of 4 blocks"));
        EXPECT_THAT(running.output(), HasSubstr("counts"));
    }
}

TEST(Interrupt, ProgressNamesBlocksAndTime)
{
    EXPECT_EQ(app::progress_text(0, 400, 2), "0 of 400 blocks (0%)");
    EXPECT_EQ(app::progress_text(100, 400, 2), "100 of 400 blocks (25%), about 6 s left");
    EXPECT_EQ(app::progress_text(1, 2000, 3), "1 of 2,000 blocks (0%), about 1 h 39 min left");
    EXPECT_EQ(app::progress_text(300, 400, 300), "300 of 400 blocks (75%), about 1 min 40 s left");
}

TEST(Interrupt, ProgressOffersSamplesOfLongLaunches)
{
    simt::Progress progress;
    progress.blocks = 400;
    progress.ended = 100;
    EXPECT_EQ(app::progress_line(progress, 60),
              "100 of 400 blocks (25%), about 3 min 0 s left. Ctrl C ends it.");
    progress.could_sample = true;
    EXPECT_EQ(app::progress_line(progress, 60), "100 of 400 blocks (25%), about 3 min 0 s left. "
                                                "Ctrl C ends it; --sample would check only some "
                                                "blocks.");
    EXPECT_EQ(app::progress_line(progress, 3),
              "100 of 400 blocks (25%), about 9 s left. Ctrl C ends it.");
    progress.ended = 0;
    EXPECT_THAT(app::progress_line(progress, 3), HasSubstr("--sample"));
}

} // namespace
} // namespace lanescope::test
