// A kernel's file that the user edits with an editor of his own: looked at beside the window, and
// read again when it was saved.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "compute/labs/texts.h"

namespace lanescope::app {

class FileWatch {
public:
    FileWatch();
    ~FileWatch();
    FileWatch(const FileWatch&) = delete;
    FileWatch& operator=(const FileWatch&) = delete;

    // From now on this file, which gave these texts; an empty path: none.
    void follow(std::filesystem::path file, labs::Texts texts);

    // Texts by name that the document should have, because the file was saved. The record is among
    // them where it still is the one that was guessed for `was`: a record that somebody improved
    // stays.
    struct Saved {
        labs::Texts was;
        labs::Texts is;
        std::vector<std::string> notes;
        bool gone = false; // there is no such file any more; `is` are the last texts that it had
    };
    std::optional<Saved> poll();

private:
    void watch(const std::stop_token& stop);

    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::filesystem::path file_;
    labs::Texts texts_;
    std::optional<std::filesystem::file_time_type> seen_;
    int missing_ = 0; // looks in a row that did not find it
    std::optional<Saved> saved_;
    std::jthread thread_; // last: it uses all of the above
};

} // namespace lanescope::app
