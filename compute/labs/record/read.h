// The one reader of lab records: lab.json to a Lab with its plans.
#pragma once

#include <string>
#include <string_view>

#include "compute/labs/lab.h"

namespace lanescope::labs {

// `text` is a record, `name` its path for messages, `id` the lab's. Everything but the lab's files
// is set. Throws Error (bad_usage): one sentence with the file, the line or the place in the
// record, the cause and the cure.
Lab read_record(std::string_view text, const std::string& name, std::string id);

} // namespace lanescope::labs
