// What the kernels of one file share: the sliders, which have one name each.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace lanescope::labs::guessing {

using Json = nlohmann::ordered_json;

class Sliders {
public:
    // The id that stands for the parameter in expressions.
    std::string add(const std::string& name, Json parameter, const std::string& kernel);
    // Buffers have names that no slider has.
    void reserve(const std::string& buffer) { buffers_.insert(buffer); }
    std::vector<Json>& parameters() { return parameters_; }

private:
    std::vector<Json> parameters_;
    std::set<std::string> buffers_;
};

// A whole number as records describe one.
Json whole_number(std::int64_t min, std::int64_t max, std::int64_t initial, bool restarts,
                  const char* help);

} // namespace lanescope::labs::guessing
