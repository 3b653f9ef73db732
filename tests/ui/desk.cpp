// Starts Xvfb and the program, and controls both with xdotool.
#include "tests/ui/desk.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tests/ui/drop.h"
#include "tests/ui/screen.h"

namespace lanescope::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

pid_t start(const std::vector<std::string>& command, const Environment& environment,
            const std::string& folder, const std::string& output, const Limits& limits = {})
{
    const pid_t child = fork();
    if (child != 0) return child;
    const rlimit file{limits.file, limits.file};
    const rlimit memory{limits.memory, limits.memory};
    if (limits.file > 0) setrlimit(RLIMIT_FSIZE, &file);
    if (limits.memory > 0) {
        setrlimit(RLIMIT_AS, &memory);
        // Without this, the address space that threads reserve would depend on the number of cores.
        setenv("MALLOC_ARENA_MAX", "2", 1);
        setenv("LP_NUM_THREADS", "2", 1);
    }
    unsetenv("WAYLAND_DISPLAY");
    for (const auto& [name, value] : environment) {
        if (value == "-")
            unsetenv(name.c_str());
        else
            setenv(name.c_str(), value.c_str(), 1);
    }
    setenv("XDG_STATE_HOME", folder.c_str(), 1);
    setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
    if (chdir(folder.c_str()) != 0) _exit(126);
    if (engine_under_test() == "simt") setenv("CUDA_VISIBLE_DEVICES", "", 1);
    const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    std::vector<char*> argv;
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(127);
}

void end(pid_t process)
{
    if (process <= 0) return;
    kill(process, SIGTERM);
    waitpid(process, nullptr, 0);
}

} // namespace

double different_pixels(const render::ImageFile& a, const render::ImageFile& b, int x0, int y0,
                        int x1, int y1)
{
    int different = 0;
    for (int y = y0; y < y1; ++y)
        for (int x = x0; x < x1; ++x)
            for (int channel = 0; channel < 3; ++channel) {
                const std::size_t at = 4 * (static_cast<std::size_t>(y) * a.width + x) + channel;
                if (std::abs(a.rgba[at] - b.rgba[at]) > 16) {
                    ++different;
                    break;
                }
            }
    return static_cast<double>(different) / ((x1 - x0) * (y1 - y0));
}

bool counted_in_background(const nlohmann::json& report)
{
    return report.at("engine") != "simt" || report.at("uncounted_variants") == 0;
}

bool says(const std::string& text, const std::string& words)
{
    const auto continues = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    // Words starting with a letter or digit match only at a word's start; ".json" matches anywhere.
    const bool begins_word = continues(words.front());
    for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1))
        if (!begins_word || at == 0 || !continues(text[at - 1])) return true;
    return false;
}

namespace {

double ticks_to_seconds(double ticks)
{
    return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// Busy seconds of all processors: user, nice, system, irq, softirq.
double busy_cpu_s()
{
    std::ifstream stat("/proc/stat");
    std::string cpu;
    double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, soft = 0;
    stat >> cpu >> user >> nice >> system >> idle >> waiting >> irq >> soft;
    return ticks_to_seconds(user + nice + system + irq + soft);
}

// CPU seconds of a process and of its children that have ended.
double busy_cpu_s(pid_t process)
{
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(stat, text);
    const std::size_t name_end = text.rfind(')');
    if (name_end == std::string::npos) return 0;
    std::istringstream fields(text.substr(name_end + 2));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped; // skips the fields from `state` to `cmajflt`
    double user = 0, system = 0, children_user = 0, children_system = 0;
    fields >> user >> system >> children_user >> children_system;
    return ticks_to_seconds(user + system + children_user + children_system);
}

} // namespace

OtherWork::OtherWork()
    : since_(Clock::now()), machine_cpu_s_(busy_cpu_s()), own_cpu_s_(busy_cpu_s(getpid()))
{
}

double OtherWork::share(std::initializer_list<pid_t> running) const
{
    double own_cpu_s = busy_cpu_s(getpid()) - own_cpu_s_;
    for (const pid_t process : running)
        if (process > 0) own_cpu_s += busy_cpu_s(process);
    const double all_s = std::chrono::duration<double>(Clock::now() - since_).count() *
                         std::max(1u, std::thread::hardware_concurrency());
    return (busy_cpu_s() - machine_cpu_s_ - own_cpu_s) / all_s;
}

Display::Display(const Screen& screen)
{
    int channel[2];
    if (pipe(channel) != 0) throw std::runtime_error("no pipe");
    server_ = fork();
    if (server_ == 0) {
        const auto pixels = [&](int points) {
            return std::to_string(std::lround(points * screen.scale));
        };
        const std::string size = pixels(screen.width) + "x" + pixels(screen.height) + "x24";
        const std::string number = std::to_string(channel[1]);
        // -noreset, because a reset would discard the setting that set_scale() wrote.
        const int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, STDERR_FILENO);
        execlp("Xvfb", "Xvfb", "-displayfd", number.c_str(), "-screen", "0", size.c_str(),
               "-nolisten", "tcp", "-noreset", nullptr);
        _exit(127);
    }
    close(channel[1]);
    std::string number;
    char digit = 0;
    while (read(channel[0], &digit, 1) == 1 && digit != '\n') number += digit;
    close(channel[0]);
    if (number.empty()) throw std::runtime_error("Xvfb does not start. Install the package xvfb.");
    name_ = ":" + number;
    if (screen.scale != 1 && !screen.wayland) set_scale(name_, screen.scale);
}

Display::~Display()
{
    end(server_);
}

Desk::Desk(const std::vector<std::string>& arguments, int width, int height, const Limits& limits)
    : Desk(arguments, Screen{.width = width, .height = height}, limits)
{
}

Desk::Desk(const std::vector<std::string>& arguments, const Screen& screen, const Limits& limits)
    : screen_(screen), limits_(limits), display_(screen)
{
    if (screen.wayland)
        compositor_.emplace(display_.name(), screen.width, screen.height,
                            static_cast<int>(screen.scale), folder_);
    start_program(arguments);
}

void Desk::start_program(const std::vector<std::string>& arguments)
{
    const Screen& screen = screen_;
    std::vector<std::string> command{program_under_test(),
                                     "--device",
                                     engine_under_test(),
                                     "--size",
                                     std::to_string(screen.width) + "x" +
                                         std::to_string(screen.height),
                                     "--report",
                                     (folder_ / "report.json").string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Environment here{{"DISPLAY", display_.name()}};
    program_ = start(command, compositor_ ? compositor_->environment() : here,
                     folder_.path().string(), (folder_ / "output").string(), limits_);
    wait_for("the first picture", [](const auto& r) { return r.at("first_picture_s") > 0; });
    if (screen.wayland)
        wait_for_input();
    else
        focus();
}

// A scripted program hides its window shortly before it exits. Wine leaves room for a frame, which
// nothing draws here: the mouse needs the window in the corner.
void Desk::focus()
{
    const std::vector<std::string> command{"timeout", "60",          "xdotool",    "search",
                                           "--name",  "Lanescope",   "windowmove", "0",
                                           "0",       "windowfocus", "--sync"};
    int status = 0;
    for (int attempt = 0; attempt < 50; ++attempt) {
        const pid_t child = start(command, {{"DISPLAY", display_.name()}}, folder_.path().string(),
                                  (folder_ / "xdotool").string());
        waitpid(child, &status, 0);
        if (status == 0 || !running()) return;
        std::this_thread::sleep_for(100ms);
    }
    FAIL() << "The window got no focus: " << read_file(folder_ / "xdotool");
}

// Keys go to the window under the mouse, which is weston's and fills the screen. The window is not
// also given the focus by name, since weston sometimes considers it lost after that. Weston tracks
// the mouse by relative motion from an assumed position, which matches the X server's after moving
// against two opposite edges. Until weston is ready, events are lost.
void Desk::wait_for_input()
{
    for (int attempt = 0; attempt < 10; ++attempt) {
        move(0, 0);
        move(screen_.width - 1, screen_.height - 1);
        xdotool({"keydown", "shift"});
        const auto deadline = Clock::now() + 3s;
        bool reached = false;
        while (!reached && Clock::now() < deadline) {
            std::this_thread::sleep_for(20ms);
            const auto now = report();
            reached = now.value("shift", false) && now.at("mouse").at(0) >= screen_.width - 2 &&
                      now.at("mouse").at(1) >= screen_.height - 2;
        }
        xdotool({"keyup", "shift"});
        if (reached) {
            wait_for("no key", [](const auto& r) { return !r.at("shift"); });
            return;
        }
    }
    ADD_FAILURE() << "Mouse and keys do not reach the window. Last report: " << report();
}

Desk::~Desk()
{
    end(program_);
    const std::string said = read_file(folder_ / "output");
    if (testing::Test::HasFailure() && !said.empty()) ADD_FAILURE() << "The program said: " << said;
}

void Desk::xdotool(const std::vector<std::string>& arguments) const
{
    std::vector<std::string> command{"timeout", "60", "xdotool"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const pid_t child = start(command, {{"DISPLAY", display_.name()}}, folder_.path().string(),
                              (folder_ / "xdotool").string());
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0) << "xdotool " << arguments.front() << ": "
                         << read_file(folder_ / "xdotool");
}

void Desk::key(const std::string& keys)
{
    xdotool({"key", keys});
}
void Desk::press(int button)
{
    xdotool({"mousedown", std::to_string(button)});
}
void Desk::release(int button)
{
    xdotool({"mouseup", std::to_string(button)});
}

void Desk::move(int x, int y)
{
    const auto pixels = [&](int points) {
        return std::to_string(std::lround(points * screen_.scale));
    };
    xdotool({"mousemove", "--sync", pixels(x), pixels(y)});
}

// Holds the button until a frame, which software draws slowly, has seen it pressed.
void Desk::click(int x, int y)
{
    move(x, y);
    fresh_report();
    press(1);
    fresh_report();
    release(1);
    fresh_report();
}

void Desk::set_layout(const std::string& layout)
{
    const pid_t child = start({"setxkbmap", layout}, {{"DISPLAY", display_.name()}},
                              folder_.path().string(), (folder_ / "setxkbmap").string());
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0) << "setxkbmap " << layout << ": " << read_file(folder_ / "setxkbmap");
    fresh_report(); // by then the window has processed the change
}

void Desk::drop(const std::filesystem::path& file)
{
    drop_files(display_.name(), {file});
}

nlohmann::json Desk::report() const
{
    const auto parsed = nlohmann::json::parse(read_file(folder_ / "report.json"), nullptr, false);
    return parsed.is_object() ? parsed : nlohmann::json{{"first_picture_s", 0}};
}

nlohmann::json Desk::wait_for(const std::string& what,
                              const std::function<bool(const nlohmann::json&)>& condition,
                              std::chrono::seconds at_most)
{
    const auto deadline = Clock::now() + at_most;
    nlohmann::json now = report();
    while (!condition(now)) {
        const bool ended = !running();
        if (ended && condition(report())) return report();
        if (ended || Clock::now() > deadline) {
            ADD_FAILURE() << (ended ? "The program ended before " : "Time was not enough for ")
                          << what << ". Last report: " << now;
            return now;
        }
        std::this_thread::sleep_for(20ms);
        now = report();
    }
    return now;
}

nlohmann::json Desk::wait_for_error(const std::string& words)
{
    return wait_for("an error about " + words, [&](const auto& r) {
        return r.at("error").template get<std::string>().find(words) != std::string::npos;
    });
}

nlohmann::json Desk::wait_for_notice(const std::string& words, std::chrono::seconds at_most)
{
    const auto reported = [&](const auto& r) {
        return says(r.at("notice").template get<std::string>(), words);
    };
    return wait_for("the notice " + words, reported, at_most);
}

std::filesystem::path Desk::write(const std::string& name, const std::string& bytes) const
{
    const auto path = folder_ / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
}

std::filesystem::path Desk::saved(const std::string& ending) const
{
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
        if (entry.path().filename().string().starts_with("lanescope-") &&
            entry.path().string().ends_with(ending))
            return entry.path();
    return {};
}

nlohmann::json Desk::fresh_report()
{
    const auto written = report().value("reports", 0);
    return wait_for("a report", [&](const auto& r) { return r.value("reports", 0) > written + 1; });
}

render::ImageFile Desk::screenshot() const
{
    return picture_of_screen(display_.name());
}

bool Desk::running()
{
    if (program_ > 0 && waitpid(program_, &status_, WNOHANG) == program_) program_ = -1;
    return program_ > 0;
}

bool Desk::machine_is_busy() const
{
    constexpr double much = 0.2;
    return other_work_.share(
               {program_, display_.server(), compositor_ ? compositor_->server() : -1}) > much;
}

void Desk::send(int signal)
{
    if (running()) // pid -1 would signal every process
        kill(program_, signal);
    else
        ADD_FAILURE() << "The program ended before it was sent signal " << signal << ".";
}

void Desk::start_again(const std::vector<std::string>& arguments)
{
    ASSERT_FALSE(running());
    std::filesystem::remove(folder_ / "report.json");
    start_program(arguments);
}

int Desk::wait_for_end()
{
    const auto deadline = Clock::now() + 60s;
    while (running() && Clock::now() < deadline) std::this_thread::sleep_for(20ms);
    EXPECT_LE(program_, 0) << "the program does not end: " << report();
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
}

} // namespace lanescope::test
