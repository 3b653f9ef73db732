// Expressions of a record, evaluated by muParser: names and functions, and formulas that are
// compiled on first use.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compute/experiment/record/record.h"

namespace lanescope::labs {

// Implements a function of an expression.
using Function = std::function<double(std::span<const double>)>;

// Not thread-safe. A copy has the same names and functions.
class Evaluator {
public:
    Evaluator() = default;
    Evaluator(const Evaluator& other) : numbers_(other.numbers_), functions_(other.functions_) {}
    Evaluator& operator=(const Evaluator&) = delete;
    ~Evaluator();

    // Sets the value of a name. Formulas see the names that exist when they are first evaluated.
    void set(std::string_view name, double number);
    void set(std::string_view name, Function function);
    bool has(std::string_view name) const { return numbers_.contains(name); }
    // Throws std::out_of_range for unknown names.
    double number(std::string_view name) const;
    // Values of all names, for restore().
    std::vector<double> numbers() const;
    void restore(std::span<const double> numbers);

    // Throws Error (bad_usage) with the formula's location and the mistake in it.
    double operator()(const Formula& formula);
    // Same, for integers: throws for any other number.
    std::int64_t whole(const Formula& formula);
    const std::string& operator()(const Choice& choice);

    // Evaluates the formula for each i below count, on all cores, with x = i % columns, y = i /
    // columns % rows and z = i / columns / rows.
    std::vector<double> each(const Formula& formula, std::size_t count, std::size_t columns,
                             std::size_t rows) const;

private:
    struct Compiled {
        const double* number = nullptr; // the formula is a single name
        double constant = 0;
        void* parser = nullptr;
    };
    Compiled compile(const Formula& formula);

    std::map<std::string, double, std::less<>> numbers_{};
    std::map<std::string, Function, std::less<>> functions_{};
    std::unordered_map<const Formula*, Compiled> compiled_{};
};

// True if the name occurs in the formula.
bool mentions(const Formula& formula, std::string_view name);

} // namespace lanescope::labs
