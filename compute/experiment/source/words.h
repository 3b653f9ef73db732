// Translates a kernel's names and C++ types to the names and types of records.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "compute/experiment/source/source_text.h"

namespace lanescope::labs::guessing {

// Record element type of an array of a C++ type, and the number of elements per C++ value.
struct Elements {
    std::string type;
    int each = 1;
    bool pixel = false; // an element of three or four bytes
};
// Returns nullopt for types that records don't support.
std::optional<Elements> elements_of(std::string_view type);
// Elements that make up such structs: doubles, 4-byte words or bytes. nullopt if a type is unknown.
std::optional<Elements> element_type_of_struct(const SourceStructure& structure);
// Per element: true if it holds a real number. Integers start as 0.
std::vector<bool> real_words(const SourceStructure& structure);
bool is_real(std::string_view type);
int bytes_of_type(std::string_view type);
// sizeof a C++ type; nullopt if records don't support it.
std::optional<int> bytes_of(std::string_view type);

// "waves" for "wave": description of a buffer's initial contents.
std::string describe_fill(const nlohmann::ordered_json& fill);

// "Block sum" for block_sum and blockSum.
std::string title_of(std::string_view name);
std::string id_of(std::string_view name);
// Product with an expression; brackets are omitted around a single name or number.
std::string times(int factor, const std::string& expression);

} // namespace lanescope::labs::guessing
