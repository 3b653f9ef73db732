// Runs the program as a user would, in a separate process, and captures its output.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lanescope::test {

struct Outcome {
    int status = -1; // exit status, or 128 + signal
    std::string output;
    std::string errors;
};

// Changes to the environment, by variable: a value, or "-" to remove the variable.
using Environment = std::map<std::string, std::string>;

// Runs without a display and, unless the engine under test is cuda, without a GPU
// (CUDA_VISIBLE_DEVICES is empty); `environment` overrides both. Fails the test if the program
// has not ended after two minutes.
Outcome run_program(const std::vector<std::string>& arguments, const Environment& environment = {});

// The program under test: the one built with the tests, or LANESCOPE_PROGRAM (e.g. one with
// sanitizers).
std::string program_under_test();
// Engine for tests of the window: LANESCOPE_ENGINE, or "simt".
std::string engine_under_test();

// A temporary folder that exists for the lifetime of the object.
class Folder {
public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    const std::filesystem::path& path() const { return path_; }
    std::size_t entries() const;

private:
    std::filesystem::path path_;
};

std::string read_file(const std::filesystem::path& path);

// True if the program is in PATH.
bool is_installed(const std::string& program);

// Presentation time of each frame of a video in seconds, from ffprobe; empty without ffprobe.
std::vector<double> frame_times(const std::filesystem::path& video);
// Fails the test unless there are exactly `frames` frames at intervals of 1 / per_second.
void expect_even_frames(const std::filesystem::path& video, std::size_t frames, double per_second);

} // namespace lanescope::test
