// Turns facts about a submission (measured.h) and the requirements into verdicts and points. It is
// a pure function: the same facts give the same document.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "app/judge/assignment.h"

namespace lanescope::app {

// A submission as found on disk.
struct Submission {
    std::string name{};
    std::string fingerprint{}; // hash of its sources
    std::string problem{};     // why it cannot be run: too large, not text, …; empty: it can
};

// The document's part about a submission (assets/manual/judge.schema.json). `facts` is the output
// of measured(), or null if there is none, and `problem` the reason. Facts that do not have the
// expected form make the submission "not_judged".
nlohmann::ordered_json submission_json(const Assignment& assignment, const Submission& submission,
                                       const nlohmann::ordered_json& facts,
                                       const std::string& problem, bool timed_out,
                                       std::string_view sandbox);

// A whole document with these submissions, sorted by name.
nlohmann::ordered_json class_json(const nlohmann::ordered_json& assignment,
                                  nlohmann::ordered_json submissions);
nlohmann::ordered_json assignment_json(const Assignment& assignment);

constexpr const char* judge_format = "lanescope-judge";
constexpr int judge_version = 1;

// A document from a file, validated against the schema. Throws Error (no_such_thing, bad_usage)
// with the file and the path of the first invalid value.
nlohmann::ordered_json read_judge_document(const std::filesystem::path& path);

} // namespace lanescope::app
