// A named number that the program determines itself: "sectors_per_load(transpose/naive, size=256)"
// is counted by the lockstep machine, "time_ms(transpose/naive, l2)" is looked up in recorded GPU
// times. Lessons, talks and cards name their numbers this way instead of typing them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compute/experiment/lab/lab.h"

namespace lanescope::app {

// A resolved "LAB/VARIANT", or "LAB" alone with a null variant.
struct Named {
    const labs::Lab* lab = nullptr;
    const labs::Variant* variant = nullptr;
};
using FindNamed = std::function<Named(std::string_view text)>;
// Resolves and throws like labs::find() and find_variant().
Named named_lab(std::string_view text);

struct Quantity {
    std::string metric;
    const labs::Lab* lab = nullptr;
    const labs::Variant* variant = nullptr;
    std::shared_ptr<const labs::Lab> held{};     // labs::held()
    std::map<std::string, std::string> values{}; // values that differ from the lab's
    int line = 0;                                // source line to which counts are limited; 0: all
    std::uint32_t warp = 1;                      // warp of a request metric
    std::string expression{}; // for "number": over the record's parameters and values
    std::string size{};       // for recorded metrics: "l2" or "dram", fits the cache or not

    bool recorded() const { return !size.empty(); }
};

// A metric's name and unit, for messages and the manual: "sectors_per_load", "sectors of 32 B per
// load request".
struct MetricText {
    std::string id;
    std::string unit;
    bool recorded = false;
};
std::vector<MetricText> all_metrics();

// Parses METRIC and its arguments: LAB/VARIANT, then, separated by commas, name=value for the lab's
// parameters, line "text contained in the line", warp N; for "number" a quoted expression; for
// recorded metrics l2 or dram. Throws Error (bad_usage, no_such_thing) that names the missing part.
Quantity read_quantity(std::string_view metric, std::string_view arguments,
                       const FindNamed& find = named_lab);

// First line of the variant's source that contains the text, from 1. Throws Error (no_such_thing).
int line_holding(const labs::Lab& lab, const labs::Variant& variant, std::string_view text);

// A value and its origin: "counted on simt" or "NVIDIA H200, driver …, 2026-11-22, median of 20".
struct Answer {
    double value = 0;
    std::string origin;
    int samples = 0; // of a recorded time that the origin does not mention yet
};

// An expression of quantities and numbers with + - * /, parsed from text.
class Formula {
public:
    Formula() = default;
    // Throws Error (bad_usage, no_such_thing).
    explicit Formula(std::string_view text, const FindNamed& find = named_lab);

    const std::string& text() const { return text_; }
    bool empty() const { return text_.empty(); }
    std::span<const Quantity> quantities() const { return quantities_; }
    // Evaluates with the quantities' values in order.
    double value(std::span<const double> quantities) const;
    std::string unit() const; // for a single quantity; else empty

    // Cache key: the text, and the kernels that it refers to, because a file's kernel may change.
    std::string key() const;

    friend bool operator==(const Formula& a, const Formula& b) { return a.key() == b.key(); }

private:
    struct Step {
        char what = 0; // 'n' number, 'q' quantity, else the operator
        double number = 0;
        std::size_t quantity = 0;
    };
    class Reader;

    std::string text_;
    std::vector<Quantity> quantities_;
    std::vector<Step> steps_; // in postfix order
};

// A condition on a value: "= 4" (within 0.5%), "< 1", "> 1", "<= 1", ">= 1", "0.9 .. 1.1".
struct Condition {
    double low = 0;
    double high = 0;
    bool low_counts = true; // a value equal to the bound satisfies the condition
    bool high_counts = true;
    std::string text{};

    bool holds(double value) const;
    friend bool operator==(const Condition&, const Condition&) = default;
};
// Throws Error (bad_usage).
Condition read_condition(std::string_view text);

// Counts and looks values up. Not thread-safe, except for cancel().
class Measurer {
public:
    // `threads` for the lockstep machine; 0: all cores.
    explicit Measurer(int threads = 0);
    ~Measurer();
    Measurer(const Measurer&) = delete;
    Measurer& operator=(const Measurer&) = delete;

    // Counts each launch only once, for all quantities. Throws Error or device::Cancelled.
    Answer find(const Formula& formula);
    void cancel() noexcept; // callable from any thread: makes find() return soon

private:
    class Launches;
    std::unique_ptr<Launches> launches_;
};

} // namespace lanescope::app
