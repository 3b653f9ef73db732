// A document of `judge` as pages, tables and JUnit XML. The only inputs are the document and, for a
// submission's page, its source.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace lanescope::app {

// Page for the student: points, requirements, faults at their source lines, and counts per line.
// Leaves out hidden requirements and the points for them, unless `hidden` is set.
std::string submission_page(const nlohmann::ordered_json& assignment,
                            const nlohmann::ordered_json& submission, std::string_view source,
                            bool hidden);
// Table of the class for the lecturer, with hidden requirements.
std::string class_page(const nlohmann::ordered_json& document);
std::string class_csv(const nlohmann::ordered_json& document);
// A test suite per submission, a test case per requirement.
std::string junit_xml(const nlohmann::ordered_json& document, bool hidden);
// Gradescope's results.json of a document with one submission.
nlohmann::ordered_json gradescope_json(const nlohmann::ordered_json& document);
// Table of the class for the terminal, with the first requirement that each submission missed.
std::string class_text(const nlohmann::ordered_json& document);

// "wrong result", from "wrong_result".
std::string verdict_words(std::string_view verdict);

} // namespace lanescope::app
