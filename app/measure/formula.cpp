// Parses formulas and conditions: two levels of operators, numbers, quantities and parentheses.
#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <limits>

#include "app/measure/quantity.h"
#include "compute/error.h"
#include "compute/text.h"

namespace lanescope::app {
namespace {

constexpr int max_depth = 100;        // limit of nested parentheses
constexpr std::size_t max_shown = 60; // bytes of a formula that a message quotes

[[noreturn]] void refuse(std::string cause, std::string cure)
{
    throw Error(ExitStatus::bad_usage, std::move(cause), std::move(cure));
}

std::string beginning_of(std::string_view text)
{
    return shortened(trimmed(text), max_shown);
}

double number_in(std::string_view text, std::string_view whole)
{
    const std::string copy(trimmed(text));
    char* end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    if (copy.empty() || *end != '\0' || !std::isfinite(value))
        refuse(fmt::format("\"{}\" in \"{}\" is not a number.", beginning_of(copy),
                           beginning_of(whole)),
               "Write it with a decimal point, such as 0.5.");
    return value;
}

} // namespace

class Formula::Reader {
public:
    Reader(Formula& formula, const FindNamed& find)
        : formula_(formula), find_(find), text_(formula.text_)
    {
    }

    void read()
    {
        sum();
        skip();
        if (at_ < text_.size()) unexpected();
    }

private:
    void sum()
    {
        product();
        for (char op = next(); op == '+' || op == '-'; op = next()) {
            ++at_;
            product();
            formula_.steps_.push_back({op});
        }
    }

    void product()
    {
        operand();
        for (char op = next(); op == '*' || op == '/'; op = next()) {
            ++at_;
            operand();
            formula_.steps_.push_back({op});
        }
    }

    void operand()
    {
        const char first = next();
        if (first == '(') {
            if (++depth_ > max_depth)
                refuse(fmt::format("The formula \"{}\" is nested more than {} deep.",
                                   beginning_of(text_), max_depth),
                       "Write it with fewer parentheses.");
            ++at_;
            sum();
            --depth_;
            if (next() != ')') unexpected();
            ++at_;
        } else if (std::isdigit(static_cast<unsigned char>(first)) || first == '.') {
            const std::size_t begin = at_;
            while (at_ < text_.size() &&
                   (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.'))
                ++at_;
            formula_.steps_.push_back(
                {'n', number_in(std::string_view(text_).substr(begin, at_ - begin), text_)});
        } else if (std::isalpha(static_cast<unsigned char>(first))) {
            quantity();
        } else {
            unexpected();
        }
    }

    void quantity()
    {
        const std::size_t begin = at_;
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
            ++at_;
        const std::string name = text_.substr(begin, at_ - begin);
        if (next() != '(')
            refuse(fmt::format("\"{}\" in \"{}\" names no variant.", beginning_of(name),
                               beginning_of(text_)),
                   "Write it as METRIC(LAB/VARIANT).");
        const std::size_t open = ++at_;
        bool quoted = false;
        for (; at_ < text_.size() && (quoted || text_[at_] != ')'); ++at_)
            if (text_[at_] == '"') quoted = !quoted;
        if (at_ == text_.size())
            refuse(fmt::format("The parenthesis after \"{}\" in \"{}\" is not closed.",
                               beginning_of(name), beginning_of(text_)),
                   "Close it with \")\".");
        formula_.steps_.push_back({'q', 0, formula_.quantities_.size()});
        formula_.quantities_.push_back(
            read_quantity(name, std::string_view(text_).substr(open, at_ - open), find_));
        ++at_;
    }

    void skip()
    {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    char next()
    {
        skip();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    [[noreturn]] void unexpected() const
    {
        refuse(
            fmt::format("The formula \"{}\" is invalid at \"{}\".", beginning_of(text_),
                        beginning_of(std::string_view(text_).substr(std::min(at_, text_.size())))),
            "It may contain numbers, + - * / ( ) and METRIC(LAB/VARIANT).");
    }

    Formula& formula_;
    const FindNamed& find_;
    const std::string& text_;
    std::size_t at_ = 0;
    int depth_ = 0; // number of open parentheses
};

Formula::Formula(std::string_view text, const FindNamed& find) : text_(trimmed(text))
{
    Reader(*this, find).read();
}

std::string Formula::key() const
{
    std::string key = text_;
    for (const Quantity& quantity : quantities_)
        if (quantity.held) key += '\0' + quantity.lab->place;
    return key;
}

double Formula::value(std::span<const double> quantities) const
{
    std::vector<double> stack;
    for (const Step& step : steps_) {
        if (step.what == 'n' || step.what == 'q') {
            stack.push_back(step.what == 'n' ? step.number : quantities[step.quantity]);
            continue;
        }
        const double right = stack.back();
        stack.pop_back();
        double& left = stack.back();
        switch (step.what) {
        case '+': left += right; break;
        case '-': left -= right; break;
        case '*': left *= right; break;
        default: left /= right; break;
        }
    }
    return stack.empty() ? 0 : stack.back();
}

std::string Formula::unit() const
{
    if (steps_.size() != 1 || quantities_.size() != 1) return {};
    for (const MetricText& metric : all_metrics())
        if (metric.id == quantities_.front().metric) return metric.unit;
    return {};
}

Condition read_condition(std::string_view text)
{
    constexpr double never = std::numeric_limits<double>::infinity();
    constexpr double about = 0.005; // relative to the number
    const std::string_view words = trimmed(text);
    Condition condition{-never, never, true, true, std::string(words)};
    const auto after = [&](std::size_t length) { return number_in(words.substr(length), words); };
    if (const std::size_t dots = words.find(".."); dots != std::string_view::npos) {
        condition.low = number_in(words.substr(0, dots), words);
        condition.high = after(dots + 2);
        if (condition.low > condition.high)
            refuse(fmt::format("The range \"{}\" is empty.", words), "Put the lower number first.");
    } else if (words.starts_with("<=")) {
        condition.high = after(2);
    } else if (words.starts_with(">=")) {
        condition.low = after(2);
    } else if (words.starts_with('<')) {
        condition.high = after(1);
        condition.high_counts = false;
    } else if (words.starts_with('>')) {
        condition.low = after(1);
        condition.low_counts = false;
    } else if (words.starts_with('=')) {
        const double wanted = after(1);
        condition.low = wanted - about * std::abs(wanted);
        condition.high = wanted + about * std::abs(wanted);
    } else {
        refuse(fmt::format("\"{}\" is not a condition.", words),
               "Write \"= 4\", \"< 1\", \"> 1\", \"<= 1\", \">= 1\" or \"0.9 .. 1.1\".");
    }
    return condition;
}

bool Condition::holds(double value) const
{
    return (value > low || (low_counts && value == low)) &&
           (value < high || (high_counts && value == high));
}

} // namespace lanescope::app
