// Starts the program with fork and exec, and collects its output.
#include "tests/support/program.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "compute/process/process.h"

namespace lanescope::test {

Folder::Folder()
{
    std::string name = (std::filesystem::temp_directory_path() / "lanescope-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no folder for the test");
    path_ = name;
}

Folder::~Folder()
{
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string program_under_test()
{
    const char* other = std::getenv("LANESCOPE_PROGRAM");
    return other ? other : LANESCOPE_BINARY;
}

std::string engine_under_test()
{
    const char* engine = std::getenv("LANESCOPE_ENGINE");
    return engine ? engine : "simt";
}

std::size_t Folder::entries() const
{
    return std::distance(std::filesystem::directory_iterator(path_), {});
}

std::string read_file(const std::filesystem::path& path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

bool is_installed(const std::string& program)
{
    return run_to_end({"sh", "-c", "command -v " + program}).status == 0;
}

std::vector<double> frame_times(const std::filesystem::path& video)
{
    const std::string command =
        "ffprobe -v error -select_streams v -show_entries frame=pts_time -of csv=p=0 '" +
        video.string() + "' 2>/dev/null";
    FILE* pipe = popen(command.c_str(), "r");
    if (!pipe) return {};
    std::vector<double> times;
    for (double time = 0; std::fscanf(pipe, "%lf%*[^\n]", &time) == 1;) times.push_back(time);
    pclose(pipe);
    return times;
}

void expect_even_frames(const std::filesystem::path& video, std::size_t frames, double per_second)
{
    const std::vector<double> times = frame_times(video);
    EXPECT_EQ(times.size(), frames);
    for (std::size_t i = 0; i < times.size(); ++i)
        ASSERT_NEAR(times[i] - times[0], static_cast<double>(i) / per_second, 1e-4)
            << "frame " << i;
}

namespace {

[[noreturn]] void become_program(const std::vector<std::string>& arguments,
                                 const Environment& environment, const std::string& output,
                                 const std::string& errors)
{
    for (const auto& [name, value] : environment) {
        if (value == "-")
            unsetenv(name.c_str());
        else
            setenv(name.c_str(), value.c_str(), 1);
    }
    const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err = open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    std::string program = program_under_test();
    std::vector<char*> argv{program.data()};
    for (const std::string& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    _exit(127);
}

} // namespace

Outcome run_program(const std::vector<std::string>& arguments, const Environment& environment)
{
    Environment changes{{"DISPLAY", "-"}, {"WAYLAND_DISPLAY", "-"}};
    if (engine_under_test() == "simt") changes["CUDA_VISIBLE_DEVICES"] = "";
    for (const auto& [name, value] : environment) changes[name] = value;
    const Folder folder;
    const std::string output = (folder / "output").string();
    const std::string errors = (folder / "errors").string();
    const pid_t child = fork();
    if (child == 0) become_program(arguments, changes, output, errors);

    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > deadline) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            ADD_FAILURE() << "the program took longer than two minutes";
            break;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(output),
            read_file(errors)};
}

} // namespace lanescope::test
