// A number that the program finds out by itself, by its name: "sectors_per_load(transpose/naive,
// size=256)" is counted by the lockstep machine, "time_ms(transpose/naive, l2)" stands in the times
// that were recorded on a GPU. Lessons, talks and cards name their numbers so, and never type them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compute/labs/lab.h"

namespace lanescope::app {

// What a text means by "LAB/VARIANT", or by "LAB" alone: then the variant is null.
struct Named {
    const labs::Lab* lab = nullptr;
    const labs::Variant* variant = nullptr;
};
using FindNamed = std::function<Named(std::string_view text)>;
// As labs::find() and find_variant(), and throws what they throw.
Named named_lab(std::string_view text);

struct Quantity {
    std::string metric;
    const labs::Lab* lab = nullptr;
    const labs::Variant* variant = nullptr;
    std::shared_ptr<const labs::Lab> held{};     // labs::held()
    std::map<std::string, std::string> values{}; // those that differ from the lab's
    int line = 0;             // of the variant's source, whose instructions alone count; 0: all
    std::uint32_t warp = 1;   // of metrics of one request: whose
    std::string expression{}; // of "number": over the record's parameters and values
    std::string size{};       // of a recorded metric: "l2" or "dram", fits the cache or does not

    bool recorded() const { return !size.empty(); }
};

// "sectors_per_load", "sectors of 32 B per load request": what there is, for messages and the
// README.
struct MetricText {
    std::string id;
    std::string unit;
    bool recorded = false;
};
std::vector<MetricText> all_metrics();

// Reads METRIC and what stands in its parentheses: LAB/VARIANT, then with commas between them
// name=value for the lab's parameters, line "text that the line holds", warp N; of number an
// expression in quotes; of recorded metrics l2 or dram. Throws Error (bad_usage, no_such_thing)
// that names what there is not.
Quantity read_quantity(std::string_view metric, std::string_view arguments,
                       const FindNamed& find = named_lab);

// The first line of the variant's source that holds the text, from 1. Throws Error (no_such_thing).
int line_holding(const labs::Lab& lab, const labs::Variant& variant, std::string_view text);

// What was found, and where from: "counted on simt" or "NVIDIA H200, driver …, 2026-11-22, median
// of 20".
struct Answer {
    double value = 0;
    std::string origin;
};

// A sum, a difference, a product or a quotient of quantities and numbers, as text.
class Formula {
public:
    Formula() = default;
    // Throws Error (bad_usage, no_such_thing).
    explicit Formula(std::string_view text, const FindNamed& find = named_lab);

    const std::string& text() const { return text_; }
    bool empty() const { return text_.empty(); }
    std::span<const Quantity> quantities() const { return quantities_; }
    // Of the quantities' values, in their order.
    double value(std::span<const double> quantities) const;
    std::string unit() const; // of a single quantity; else empty

    // What its value hangs on: the text, and which kernels its names mean, for those of a file that
    // may be another one the next time.
    std::string key() const;

    friend bool operator==(const Formula& a, const Formula& b) { return a.key() == b.key(); }

private:
    struct Step {
        char what = 0; // 'n' a number, 'q' a quantity, else the operator
        double number = 0;
        std::size_t quantity = 0;
    };
    class Reader;

    std::string text_;
    std::vector<Quantity> quantities_;
    std::vector<Step> steps_; // operands before their operator
};

// What a value is held against: "= 4" (within half a percent), "< 1", "> 1", "<= 1", ">= 1",
// "0.9 .. 1.1".
struct Condition {
    double low = 0;
    double high = 0;
    bool low_counts = true; // a value that is just that
    bool high_counts = true;
    std::string text{};

    bool holds(double value) const;
    friend bool operator==(const Condition&, const Condition&) = default;
};
// Throws Error (bad_usage).
Condition read_condition(std::string_view text);

// Counts and looks up. Not for two threads at once, but for cancel().
class Measurer {
public:
    // `threads` of the lockstep machine; 0: all cores.
    explicit Measurer(int threads = 0);
    ~Measurer();
    Measurer(const Measurer&) = delete;
    Measurer& operator=(const Measurer&) = delete;

    // A launch is counted once, whatever is asked of it. Throws Error; device::Cancelled.
    Answer find(const Formula& formula);
    void cancel() noexcept; // from any thread: find() ends soon

private:
    class Launches;
    std::unique_ptr<Launches> launches_;
};

} // namespace lanescope::app
