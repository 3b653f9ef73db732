// Runs code on randomly mutated inputs, with limits on the time per input and on the size of an
// allocation. The current input is in a file that survives a crash: fuzz-NAME-SEED-PROCESS in the
// temporary folder or in LANESCOPE_FUZZ_FOLDER.
//
// LANESCOPE_FUZZ_INPUT=FILE runs only the input in that file.
//
// A long run: LANESCOPE_FUZZ_INPUTS=1000000 LANESCOPE_FUZZ_SEED=7 build/sanitize/fuzz_tests
// --gtest_filter=Fuzz.Sessions; start one process per core, each with a different seed.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace lanescope::test {

struct FuzzLimits {
    std::int64_t inputs = 1000; // default number; LANESCOPE_FUZZ_INPUTS overrides it
    int seconds = 20;           // per input; more if the machine is busy
    std::size_t allocation_bytes = std::size_t{256} << 20;
};

class Mutator {
public:
    explicit Mutator(std::uint32_t seed) : random_(seed) {}

    std::mt19937& random() { return random_; }
    std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
    template <class All>
    const auto& any_of(const All& all)
    {
        return all[below(std::size(all))];
    }

    // Returns a number near the limits of a type, or a word or symbol from the program's texts.
    std::string token();
    // Makes one to four changes to characters, words, numbers and longer pieces.
    std::string text(std::string_view from);
    // Makes one to four changes to values, keys and lists.
    nlohmann::ordered_json json(const nlohmann::ordered_json& from);

private:
    std::size_t some_changes();
    void change_text(std::string& text);
    void change_value(nlohmann::ordered_json& value);
    nlohmann::ordered_json value();

    std::mt19937 random_;
};

// Generates inputs with `make` and passes each to `read`, which may throw only Error and reports
// other failures with GoogleTest.
void fuzz(const std::string& name, const FuzzLimits& limits,
          const std::function<std::string(Mutator&)>& make,
          const std::function<void(const std::string&)>& read);

} // namespace lanescope::test
