// Reads lab records: turns lab.json into a Lab with its plans. No other code parses records.
#pragma once

#include <string>
#include <string_view>

#include "compute/experiment/lab/lab.h"

namespace lanescope::labs {

// `text` is a record, `name` its path for messages, `id` the lab's id. Sets everything except the
// lab's files. Throws Error (bad_usage): one sentence with the file, the line or position in the
// record, the cause and a suggested fix.
Lab read_record(std::string_view text, const std::string& name, std::string id);

} // namespace lanescope::labs
