// Judges the submissions of a class: finds them, runs each in its own process, on all cores, and
// keeps one document per submission in a folder, so that an interrupted run continues.
//
//   FOLDER/results/NAME.json   one submission's document
//   FOLDER/pages/NAME.html     its page, for the student
//   FOLDER/class.json          all submissions; class.csv, class.html: the table; junit.xml
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/judge/measured.h"
#include "app/judge/sandbox.h"
#include "app/judge/verdict.h"

namespace lanescope::app {

struct FoundSubmission {
    std::string name{};           // the file's stem, or the folder's name
    std::filesystem::path path{}; // a .cu file, or a folder with the assignment's file
};

// Submissions at these paths, sorted by name: each .cu file, each folder with the file `wanted`,
// and each .cu file and folder in any other folder. Throws Error: no_such_thing if there are none;
// bad_usage if two have the same name.
std::vector<FoundSubmission> find_submissions(const std::vector<std::filesystem::path>& paths,
                                              const std::string& wanted);

// Part I of N, from 1: every N-th submission.
struct Shard {
    std::size_t index = 1;
    std::size_t count = 1;
};
// "2/8". Throws Error (bad_usage).
Shard read_shard(std::string_view text);

struct ClassOptions {
    std::filesystem::path folder{}; // destination of all output
    Shard shard{};
    int jobs = 0;        // processes at a time; 0: one per core
    bool again = false;  // also judge submissions that already have a result
    bool hidden = false; // show hidden requirements in pages and junit.xml, too
    Sandbox sandbox = Sandbox::none;
    // Called after each submission, from one thread at a time.
    std::function<void(const nlohmann::ordered_json& submission, bool judged_before)> progress{};
};

// Judges the shard's submissions, writes everything and returns the document. If the program is
// asked to end (process/end_request.h), writes the results so far and returns early.
nlohmann::ordered_json judge_class(const Assignment& assignment,
                                   const std::vector<FoundSubmission>& submissions,
                                   const ClassOptions& options);

// Merges the results of shards, as judge_class() would have written them. Throws Error (bad_usage)
// for results of different assignments, invalid documents, and different verdicts for one name.
nlohmann::ordered_json merge_shards(const std::vector<std::filesystem::path>& folders,
                                    const ClassOptions& options);

} // namespace lanescope::app
