// Watches a kernel's file that the user edits in another editor, and reads it again when it is
// saved.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "compute/experiment/catalogue/texts.h"

namespace lanescope::app {

class FileWatch {
public:
    FileWatch();
    ~FileWatch();
    FileWatch(const FileWatch&) = delete;
    FileWatch& operator=(const FileWatch&) = delete;

    // Watches this file, whose contents are these sources; an empty path ends watching.
    void follow(std::filesystem::path file, labs::Texts texts);

    // The sources to load, by name, after the file was saved. They include a record if the lab's
    // record is still the one guessed for `was`: a record that the user improved is kept.
    struct Saved {
        labs::Texts was;
        labs::Texts is;
        std::vector<std::string> notes;
        bool gone = false; // the file no longer exists; `is` has the sources it had
    };
    std::optional<Saved> poll();

private:
    void watch(const std::stop_token& stop);

    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::filesystem::path file_;
    labs::Texts texts_;
    std::optional<std::filesystem::file_time_type> seen_;
    int missing_ = 0; // consecutive polls that did not find it
    std::optional<Saved> saved_;
    std::jthread thread_; // last member, because it uses all of the above
};

} // namespace lanescope::app
