// What names and C++ types of a kernel are in a record.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "compute/labs/guess/source_text.h"

namespace lanescope::labs::guessing {

// What an array of a C++ type is in a record: elements, and how many of them one of the type is.
struct Elements {
    std::string type;
    int each = 1;
    bool pixel = false; // of three or four bytes
};
// Nothing for a type that records do not know.
std::optional<Elements> elements_of(std::string_view type);
// What an array of such structures is: its words. Nothing where a field's type is not known.
std::optional<Elements> element_type_of_struct(const SourceStructure& structure);
// Which of the words are real numbers; the others begin as 0.
std::vector<bool> real_words(const SourceStructure& structure);
bool is_real(std::string_view type);
int bytes_of_type(std::string_view type);
// Of a C++ type, as sizeof says; nothing for one that records do not know.
std::optional<int> bytes_of(std::string_view type);

// "waves" of "wave": what a buffer of a record begins with.
std::string describe_fill(const nlohmann::ordered_json& fill);

// "Block sum" of block_sum and blockSum.
std::string title_of(std::string_view name);
std::string id_of(std::string_view name);
// A product of an expression; those of a name or a number need no brackets.
std::string times(int factor, const std::string& expression);

} // namespace lanescope::labs::guessing
