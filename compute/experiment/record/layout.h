// Formats JSON like hand-written records: a value that fits on one line is written on one.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace lanescope::labs {

std::string laid_out(const nlohmann::ordered_json& json);

// Parses an untrusted record without its comments. Returns a discarded value if it is not JSON, or
// nested deeper than any valid record.
nlohmann::ordered_json record_json(std::string_view text);

// Returns the record with the entry at a JSON pointer ("/buffers/x/fill") replaced: `value` is
// JSON, null removes the entry. Throws Error (bad_usage) for an invalid record, value or pointer.
std::string with_entry(std::string_view record, const std::string& pointer, std::string_view value);

} // namespace lanescope::labs
