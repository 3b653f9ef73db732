// Inputs that are changed at random, each with a limit of time and of the largest allocation. What
// was tried last lies in a file, so that a crash leaves its input: fuzz-NAME-SEED in the folder for
// temporary files, or that of LANESCOPE_FUZZ_FOLDER.
//
// LANESCOPE_FUZZ_INPUT=FILE tries that input again.
//
// A long run: LANESCOPE_FUZZ_INPUTS=1000000 LANESCOPE_FUZZ_SEED=7 build/sanitize/fuzz_tests
// --gtest_filter=Fuzz.Sessions; as many processes at once as there are cores, each with its seed.
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
    std::int64_t inputs = 1000; // in a usual run
    int seconds = 20;           // for one input; more on a machine that does other things, too
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

    // Numbers at the borders of types, words and marks of the program's texts.
    std::string token();
    // One to four changes of characters, words, numbers and stretches.
    std::string text(std::string_view from);
    // One to four changes of values, keys and lists.
    nlohmann::ordered_json json(const nlohmann::ordered_json& from);

private:
    std::size_t some_changes();
    void change_text(std::string& text);
    void change_value(nlohmann::ordered_json& value);
    nlohmann::ordered_json value();

    std::mt19937 random_;
};

// Makes inputs and tries each. `read` may throw Error and nothing else, and reports what else is
// wrong as tests do.
void fuzz(const std::string& name, const FuzzLimits& limits,
          const std::function<std::string(Mutator&)>& make,
          const std::function<void(const std::string&)>& read);

} // namespace lanescope::test
