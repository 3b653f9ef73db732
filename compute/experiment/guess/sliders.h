// The sliders that all kernels of a file share, with unique names.
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
    // Returns the id of the parameter in expressions.
    std::string add(const std::string& name, Json parameter, const std::string& kernel);
    // Reserves a buffer's name, so that no slider gets it.
    void reserve(const std::string& buffer) { buffers_.insert(buffer); }
    std::vector<Json>& parameters() { return parameters_; }

private:
    std::vector<Json> parameters_;
    std::set<std::string> buffers_;
};

// JSON of an integer parameter in a record.
Json integer_slider(std::int64_t min, std::int64_t max, std::int64_t initial, bool restarts,
                    const char* help);

} // namespace lanescope::labs::guessing
