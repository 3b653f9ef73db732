// A separate desktop per test: a virtual display, the program's window, and a simulated keyboard
// and mouse.
#pragma once

#include <nlohmann/json.hpp>

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "render/capture/png.h"
#include "tests/support/program.h"
#include "tests/ui/wayland.h"

namespace lanescope::test {

// The screen, filled by the program's window.
struct Screen {
    int width = 1280; // in points
    int height = 720;
    double scale = 1; // pixels per point; integer on Wayland
    bool wayland = false;
};

// An X server on a free display, stopped by the destructor. Throws if Xvfb is missing.
class Display {
public:
    explicit Display(const Screen& screen);
    ~Display();
    Display(const Display&) = delete;
    Display& operator=(const Display&) = delete;

    const std::string& name() const { return name_; } // ":99"
    pid_t server() const { return server_; }

private:
    pid_t server_ = -1;
    std::string name_;
};

// Returns the fraction of visibly different pixels in a rectangle of two screenshots.
double different_pixels(const render::ImageFile& a, const render::ImageFile& b, int x0, int y0,
                        int x1, int y1);

// True if background counting is complete. On the lockstep machine it covers every variant; on a
// GPU, variants are counted only when shown, so there is nothing to wait for.
bool counted_in_background(const nlohmann::json& report);

// True if the text contains these words, starting at a word: "15 frames" does not say "5 frames".
bool says(const std::string& text, const std::string& words);

// CPU load from processes other than the test and its children.
class OtherWork {
public:
    OtherWork();
    // CPU load of other processes since construction, as a share of all cores; `running` are our
    // child processes that have not ended.
    double share(std::initializer_list<pid_t> running) const;

private:
    std::chrono::steady_clock::time_point since_;
    double machine_cpu_s_;
    double own_cpu_s_;
};

// Resource limits of the program under test, in bytes; 0: unlimited.
struct Limits {
    std::size_t file = 0;   // maximum file size, to simulate a full disk
    std::size_t memory = 0; // address space
};

// All positions are in points.
class Desk {
public:
    // Starts the program on the engine under test and waits for its first picture.
    explicit Desk(const std::vector<std::string>& arguments, int width = 1280, int height = 720,
                  const Limits& limits = {});
    Desk(const std::vector<std::string>& arguments, const Screen& screen,
         const Limits& limits = {});
    ~Desk();

    void xdotool(const std::vector<std::string>& arguments) const;
    void key(const std::string& keys); // in xdotool's notation: "space", "ctrl+plus"
    void move(int x, int y);
    void press(int button);
    void release(int button);
    void click(int x, int y);
    void drop(const std::filesystem::path& file); // drops a file as a file manager does
    void set_layout(const std::string& layout);   // keyboard layout: "de"

    // The program's latest report about itself.
    nlohmann::json report() const;
    // Waits until the report meets the condition; fails the test on a timeout or if the program has
    // ended.
    nlohmann::json wait_for(const std::string& what,
                            const std::function<bool(const nlohmann::json&)>& condition,
                            std::chrono::seconds at_most = std::chrono::minutes(1));
    // Waits for an error in the strip, or a notice below the picture, that contains these words.
    nlohmann::json wait_for_error(const std::string& words);
    nlohmann::json wait_for_notice(const std::string& words,
                                   std::chrono::seconds at_most = std::chrono::minutes(1));
    // Writes a file to the desk's folder, which is the program's working directory.
    std::filesystem::path write(const std::string& name, const std::string& bytes) const;
    // The file in the desk's folder with this suffix; empty if there is none.
    std::filesystem::path saved(const std::string& ending) const;
    // Waits for a report written after this call.
    nlohmann::json fresh_report();

    render::ImageFile screenshot() const; // in pixels
    // Waits for the program to end and returns its exit status.
    int wait_for_end();
    void send(int signal); // signals the program
    // Starts the program again after it has ended: same display, folder and state, other arguments.
    void start_again(const std::vector<std::string>& arguments);
    bool running();
    // True if other processes used too much CPU for a frame rate to be meaningful.
    bool machine_is_busy() const;

    const Folder& folder() const { return folder_; }

private:
    void focus();
    void wait_for_input();
    void start_program(const std::vector<std::string>& arguments);

    OtherWork other_work_;
    Folder folder_;
    Screen screen_;
    Limits limits_;
    Display display_;
    std::optional<Compositor> compositor_;
    pid_t program_ = -1;
    int status_ = -1;
};

} // namespace lanescope::test
