// JSON as people write records: what fits on a line stands on one.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace lanescope::labs {

std::string laid_out(const nlohmann::ordered_json& json);

// A record that nobody has read yet, with its comments left out: discarded where it is no JSON, or
// nested more deeply than any record that is read.
nlohmann::ordered_json record_json(std::string_view text);

// The record with another entry at the JSON pointer ("/buffers/x/fill"): `value` is JSON, null
// takes the entry away. Throws Error (bad_usage) for a record or a value that is no JSON, and for a
// pointer to nowhere.
std::string with_entry(std::string_view record, const std::string& pointer, std::string_view value);

} // namespace lanescope::labs
