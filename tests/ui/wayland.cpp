// Starts weston. GLFW 3.3 supports only one window system per build: its Wayland build then
// replaces the one that the program was linked with.
#include "tests/ui/wayland.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/ui/desk.h"

namespace lanescope::test {
namespace {

const std::string other_glfw = LANESCOPE_WAYLAND_GLFW;

template <class Function>
Function* function_of(const char* library, const char* name)
{
    void* const opened = dlopen(library, RTLD_NOW);
    return opened == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(opened, name));
}

// True if EGL has no display for the compositor that the environment names, which is GLFW's, too.
// False if that cannot be determined.
bool egl_has_no_display()
{
    const auto connect =
        function_of<void*(const char*)>("libwayland-client.so.0", "wl_display_connect");
    const auto get_display = function_of<void*(void*)>("libEGL.so.1", "eglGetDisplay");
    if (connect == nullptr || get_display == nullptr) return false;
    void* const compositor = connect(nullptr);
    return compositor != nullptr && get_display(compositor) == nullptr;
}

// A driver's EGL may support X11 but not Wayland. Checked in a separate process, because drivers
// start threads.
bool opengl_has_no_wayland()
{
    const Folder folder;
    const Display display(Screen{.wayland = true});
    const Compositor compositor(display.name(), 640, 480, 1, folder);
    const pid_t child = fork();
    if (child == 0) {
        for (const char* name : {"XDG_RUNTIME_DIR", "WAYLAND_DISPLAY"})
            setenv(name, compositor.environment().at(name).c_str(), 1);
        _exit(egl_has_no_display() ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

} // namespace

std::string wayland_is_missing()
{
    if (!is_installed("weston")) return "There is no weston.";
    if (!other_glfw.empty() && !std::filesystem::exists(other_glfw))
        return "There is no GLFW for Wayland. Run app/setup.sh.";
    static const bool no_wayland = opengl_has_no_wayland();
    return no_wayland ? "This machine's OpenGL has no Wayland platform." : "";
}

Compositor::Compositor(const std::string& display, int width, int height, int scale,
                       const Folder& folder)
{
    // Weston shows no shell, only the program's window. The window is as large as the screen, so
    // that weston aligns their upper left corners, without the frame that GLFW draws.
    const std::string settings = (folder / "weston.ini").string();
    std::ofstream(settings) << "[core]\nidle-time=0\n"
                               "[shell]\npanel-position=none\nlocking=false\nanimation=none\n"
                               "startup-animation=none\nclose-animation=none\n";
    const std::string socket = "lanescope-test";
    environment_ = {
        {"DISPLAY", "-"}, {"XDG_RUNTIME_DIR", folder.path().string()}, {"WAYLAND_DISPLAY", socket}};
    if (!other_glfw.empty()) environment_["LD_PRELOAD"] = other_glfw;
    server_ = fork();
    if (server_ == 0) {
        setenv("DISPLAY", display.c_str(), 1);
        setenv("XDG_RUNTIME_DIR", folder.path().c_str(), 1);
        const int log = open((folder / "weston.log").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
        execlp("weston", "weston", "--backend=x11-backend.so", "--use-pixman",
               ("--config=" + settings).c_str(), ("--socket=" + socket).c_str(),
               ("--width=" + std::to_string(width)).c_str(),
               ("--height=" + std::to_string(height)).c_str(),
               ("--scale=" + std::to_string(scale)).c_str(), nullptr);
        _exit(127);
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!std::filesystem::exists(folder / socket)) {
        if (waitpid(server_, nullptr, WNOHANG) == server_ ||
            std::chrono::steady_clock::now() > deadline)
            throw std::runtime_error("weston does not start: " + read_file(folder / "weston.log"));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

Compositor::~Compositor()
{
    kill(server_, SIGTERM);
    waitpid(server_, nullptr, 0);
}

} // namespace lanescope::test
