// A desk of its own for each test: a virtual display, the program's window on it, and hands for
// keyboard and mouse.
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

// The screen that the program's window fills.
struct Screen {
    int width = 1280; // in points
    int height = 720;
    double scale = 1; // pixels in a point; whole numbers on Wayland
    bool wayland = false;
};

// An X server on a free display, ended with the object. Throws when there is no Xvfb.
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

// Share of the pixels of two screens that differ visibly, within a rectangle.
double different_pixels(const render::ImageFile& a, const render::ImageFile& b, int x0, int y0,
                        int x1, int y1);

// Whether all that is counted beside what is shown is there: every variant, by the lockstep
// machine; on a GPU a variant is counted when it is shown.
bool counted_beside(const nlohmann::json& report);

// Whether a text says these words: "5 frames" is not in "15 frames".
bool says(const std::string& text, const std::string& words);

// How much of the processors others take, beside the test and what it started.
class OtherWork {
public:
    OtherWork();
    // Since this was made, of all processors; `running` are the processes that we started and that
    // have not ended.
    double share(std::initializer_list<pid_t> running) const;

private:
    std::chrono::steady_clock::time_point since_;
    double everyone_s_;
    double we_s_;
};

// What the program may use at the most, in bytes; 0: anything.
struct Limits {
    std::size_t file = 0;   // of one file, as on a full disk
    std::size_t memory = 0; // of addresses
};

// All places are in points.
class Desk {
public:
    // Starts the program on the engine under test and waits for its first picture.
    explicit Desk(const std::vector<std::string>& arguments, int width = 1280, int height = 720,
                  const Limits& limits = {});
    Desk(const std::vector<std::string>& arguments, const Screen& screen,
         const Limits& limits = {});
    ~Desk();

    void xdotool(const std::vector<std::string>& arguments) const;
    void key(const std::string& keys); // as xdotool names them: "space", "ctrl+plus"
    void move(int x, int y);
    void press(int button);
    void release(int button);
    void click(int x, int y);
    void drop(const std::filesystem::path& file); // as from a file manager
    void set_layout(const std::string& layout);   // of the keyboard: "de"

    // What the program last reported about itself.
    nlohmann::json report() const;
    // Waits until the report fulfils the condition; fails the test when that takes longer, or when
    // the program has ended.
    nlohmann::json wait_for(const std::string& what,
                            const std::function<bool(const nlohmann::json&)>& condition,
                            std::chrono::seconds at_most = std::chrono::minutes(1));
    // Waits for an error in the strip, or a notice below the picture, with these words in it.
    nlohmann::json wait_for_error(const std::string& words);
    nlohmann::json wait_for_notice(const std::string& words,
                                   std::chrono::seconds at_most = std::chrono::minutes(1));
    // A new file in the desk's folder, where the program runs.
    std::filesystem::path write(const std::string& name, const std::string& bytes) const;
    // What was saved in the desk's folder and ends like this; empty when there is none.
    std::filesystem::path saved(const std::string& ending) const;
    // Waits for reports that were written after this call.
    nlohmann::json fresh_report();

    render::ImageFile screenshot() const; // in pixels
    // Waits for the program to end; its exit status.
    int wait_for_end();
    void send(int signal); // to the program
    // The program again, with other arguments, where it has ended: same display, folder and state.
    void start_again(const std::vector<std::string>& arguments);
    bool running();
    // So much of the processors has gone to others that a rate says nothing about the program.
    bool beside_other_work() const;

    const Folder& folder() const { return folder_; }

private:
    void focus();
    void reach_through_compositor();
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
