// Validates documents against the part of JSON Schema (2020-12) that judge.schema.json uses: type,
// enum, const, properties, required, additionalProperties, items, minimum, maximum, minItems,
// pattern, $ref to $defs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace lanescope::app {

// Empty if the document is valid; otherwise the path of the first invalid value, and the reason.
// Throws std::logic_error for a keyword that is not listed above.
std::string schema_problem(const nlohmann::ordered_json& schema,
                           const nlohmann::ordered_json& document);

// The schema in assets/manual/judge.schema.json.
const nlohmann::ordered_json& judge_schema();

} // namespace lanescope::app
