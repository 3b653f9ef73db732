// The expressions of a record, evaluated by muParser: names and functions, and the formulas that
// are compiled over them when they are first needed.
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

#include "compute/labs/record/record.h"

namespace lanescope::labs {

// What a function of an expression computes from its arguments.
using Function = std::function<double(std::span<const double>)>;

// Not to be used by two threads at once. A copy has the same names and functions.
class Evaluator {
public:
    Evaluator() = default;
    Evaluator(const Evaluator& other) : numbers_(other.numbers_), functions_(other.functions_) {}
    Evaluator& operator=(const Evaluator&) = delete;
    ~Evaluator();

    // Adds a name, or changes what it stands for. Formulas see names that stand when they are first
    // evaluated.
    void set(std::string_view name, double number);
    void set(std::string_view name, Function function);
    bool has(std::string_view name) const { return numbers_.contains(name); }
    // Throws std::out_of_range for a name that nobody set.
    double number(std::string_view name) const;
    // The numbers of all names, to be given back to `restore`.
    std::vector<double> numbers() const;
    void restore(std::span<const double> numbers);

    // Throws Error (bad_usage) with the formula's place and what is wrong with it.
    double operator()(const Formula& formula);
    // The same for whole numbers: throws for any other.
    std::int64_t whole(const Formula& formula);
    const std::string& operator()(const Choice& choice);

    // The formula for each i below count, x = i % columns, y = i / columns % rows and z above; on
    // all cores.
    std::vector<double> each(const Formula& formula, std::size_t count, std::size_t columns,
                             std::size_t rows) const;

private:
    struct Compiled {
        const double* number = nullptr; // a name alone
        double constant = 0;
        void* parser = nullptr;
    };
    Compiled compile(const Formula& formula);

    std::map<std::string, double, std::less<>> numbers_{};
    std::map<std::string, Function, std::less<>> functions_{};
    std::unordered_map<const Formula*, Compiled> compiled_{};
};

// Whether the name stands in the formula.
bool mentions(const Formula& formula, std::string_view name);

} // namespace lanescope::labs
