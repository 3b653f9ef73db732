// Runs the program as a user would, in a process of its own, and keeps what it said.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lanescope::test {

struct Outcome {
    int status = -1; // exit status; 128 + signal when a signal ended it
    std::string output;
    std::string errors;
};

// Changes to the environment: a value, or nothing at all for an empty optional.
using Environment = std::map<std::string, std::string>;

// Without a display and, unless the engine under test is cuda, without a GPU (CUDA_VISIBLE_DEVICES
// is empty), if `environment` does not say otherwise. A variable with the value "-" is removed.
// Fails the test when the program takes longer than two minutes.
Outcome run_program(const std::vector<std::string>& arguments, const Environment& environment = {});

// The program under test: the one that was built with the tests, or what LANESCOPE_PROGRAM names
// (one with sanitizers, say).
std::string program_under_test();
// What windows compute on: LANESCOPE_ENGINE, or "simt".
std::string engine_under_test();

// A fresh folder that is removed at the end of its scope.
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

// Whether PATH has the program.
bool is_installed(const std::string& program);

// When each frame of a video is shown, in seconds, as ffprobe says; empty without ffprobe.
std::vector<double> frame_times(const std::filesystem::path& video);
// Fails the test unless there are exactly so many frames, at equal distances of 1 / per_second.
void expect_even_frames(const std::filesystem::path& video, std::size_t frames, double per_second);

} // namespace lanescope::test
