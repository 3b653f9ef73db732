// Calls muParser through its C interface: no exception or std::string crosses into a library that
// may use a different libstdc++ than the program.
#include "compute/experiment/record/expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <mutex>

#include <fmt/format.h>
#include <muParserDLL.h>

#include "compute/error.h"
#include "compute/experiment/inputs/parallel.h"
#include "compute/read_number.h"
#include "compute/text.h"

namespace lanescope::labs {
namespace {

double modulo(double a, double b)
{
    return std::fmod(a, b);
}

double ceil_div(double a, double b)
{
    return std::ceil(a / b);
}

double rounded_to_float(double a)
{
    return static_cast<float>(a);
}

double clamped(double a, double low, double high)
{
    return std::min(std::max(a, low), high);
}

double call(void* function, const double* arguments, int count)
{
    return (*static_cast<const Function*>(function))({arguments, static_cast<std::size_t>(count)});
}

// Limits of a formula: the time to parse and evaluate it grows with its length.
constexpr std::size_t max_formula_bytes = 4096;
constexpr std::size_t max_formula_depth = 100;
constexpr std::size_t max_shown = 60; // bytes of a formula that a message quotes

constexpr int product_precedence = 6; // muParser's precedence of * and /
constexpr int left = 0;

// muParser keeps its locale and its error text in globals.
std::mutex& muparser_mutex()
{
    static std::mutex one_at_a_time;
    return one_at_a_time;
}

// muParser quotes the rest of a formula in an array of 2048 characters, however long that rest is.
std::string problem_of(void* parser, const std::string& formula)
{
    constexpr std::size_t longest = 1000;
    if (formula.size() > longest)
        return fmt::format("there is a mistake at character {}.", mupGetErrorPos(parser) + 1);
    const std::scoped_lock lock(muparser_mutex());
    return mupGetErrorMsg(parser);
}

void* make_parser()
{
    void* const parser = mupCreate(muBASETYPE_FLOAT);
    mupDefineFun1(
        parser, "floor", [](double a) { return std::floor(a); }, 1);
    mupDefineFun1(
        parser, "ceil", [](double a) { return std::ceil(a); }, 1);
    mupDefineFun1(parser, "f32", rounded_to_float, 1);
    mupDefineFun2(parser, "mod", modulo, 1);
    mupDefineFun2(parser, "ceil_div", ceil_div, 1);
    mupDefineFun3(parser, "clamp", clamped, 1);
    mupDefineOprt(parser, "%", modulo, product_precedence, left, 1);
    mupDefineConst(parser, "pi", std::acos(-1.0));
    return parser;
}

std::string beginning_of(const std::string& text)
{
    return shortened(text, max_shown);
}

[[noreturn]] void refuse_formula(const Formula& formula, const std::string& why,
                                 const std::string& cure)
{
    throw Error(ExitStatus::bad_usage,
                fmt::format("{}: the expression \"{}\" cannot be read: {}", formula.where,
                            beginning_of(formula.text), why),
                cure);
}

// muParser would treat "size = 5" as an assignment, which changes the value for all formulas.
bool assigns(std::string_view text)
{
    for (std::size_t at = text.find('='); at != std::string_view::npos;
         at = text.find('=', at + 1)) {
        if (text.substr(at).starts_with("==")) {
            ++at;
            continue;
        }
        const char before = at == 0 ? ' ' : text[at - 1];
        if (before != '<' && before != '>' && before != '!') return true;
    }
    return false;
}

std::size_t depth_of(std::string_view text)
{
    std::size_t depth = 0;
    std::size_t max_depth = 0;
    for (const char c : text) {
        if (c == '(') max_depth = std::max(max_depth, ++depth);
        if (c == ')' && depth > 0) --depth;
    }
    return max_depth;
}

void check_form(const Formula& formula)
{
    if (formula.text.size() > max_formula_bytes)
        refuse_formula(formula, fmt::format("it has more than {} characters.", max_formula_bytes),
                       "Move parts of it to \"values\".");
    if (depth_of(formula.text) > max_formula_depth)
        refuse_formula(formula, fmt::format("it is nested more than {} deep.", max_formula_depth),
                       "Move parts of it to \"values\".");
    if (formula.text.find('\0') != std::string::npos || assigns(formula.text))
        refuse_formula(formula, "an expression cannot assign.", "To compare, use \"==\".");
}

bool is_in_name(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

} // namespace

Evaluator::~Evaluator()
{
    for (const auto& [formula, compiled] : compiled_)
        if (compiled.parser) mupRelease(compiled.parser);
}

void Evaluator::set(std::string_view name, double number)
{
    const auto found = numbers_.find(name);
    if (found == numbers_.end())
        numbers_.emplace(name, number);
    else
        found->second = number;
}

void Evaluator::set(std::string_view name, Function function)
{
    functions_.insert_or_assign(std::string(name), std::move(function));
}

double Evaluator::number(std::string_view name) const
{
    const auto found = numbers_.find(name);
    if (found == numbers_.end())
        throw std::out_of_range(fmt::format("no number '{}' in this record", name));
    return found->second;
}

std::vector<double> Evaluator::numbers() const
{
    std::vector<double> all;
    all.reserve(numbers_.size());
    for (const auto& [name, number] : numbers_) all.push_back(number);
    return all;
}

void Evaluator::restore(std::span<const double> numbers)
{
    auto from = numbers.begin();
    for (auto& [name, number] : numbers_) {
        if (from == numbers.end()) break;
        number = *from++;
    }
}

Evaluator::Compiled Evaluator::compile(const Formula& formula)
{
    Compiled compiled;
    const std::string& text = formula.text;
    const auto [end, error] =
        read_number(text.data(), text.data() + text.size(), compiled.constant);
    if (error == std::errc{} && end == text.data() + text.size()) return compiled;
    if (const auto name = numbers_.find(text); name != numbers_.end()) {
        compiled.number = &name->second;
        return compiled;
    }
    check_form(formula);
    {
        const std::scoped_lock lock(muparser_mutex());
        compiled.parser = make_parser();
    }
    for (auto& [name, number] : numbers_) mupDefineVar(compiled.parser, name.c_str(), &number);
    for (auto& [name, function] : functions_)
        mupDefineMultFunUserData(compiled.parser, name.c_str(), call, &function, 0);
    mupSetExpr(compiled.parser, text.c_str());
    mupEval(compiled.parser);
    if (mupError(compiled.parser)) {
        const std::string why = problem_of(compiled.parser, text);
        mupRelease(compiled.parser);
        std::string known;
        for (const auto& [name, number] : numbers_) known += (known.empty() ? "" : ", ") + name;
        refuse_formula(formula, shortened(why, 200),
                       fmt::format("Available names: {}.", shortened(known, 1000)));
    }
    return compiled;
}

double Evaluator::operator()(const Formula& formula)
{
    auto found = compiled_.find(&formula);
    if (found == compiled_.end()) found = compiled_.emplace(&formula, compile(formula)).first;
    const Compiled& compiled = found->second;
    if (compiled.parser) return mupEval(compiled.parser);
    return compiled.number ? *compiled.number : compiled.constant;
}

std::int64_t Evaluator::whole(const Formula& formula)
{
    const double number = (*this)(formula);
    if (number != std::floor(number) || std::abs(number) > 0x1p53)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}: \"{}\" is {}, where a whole number is needed.", formula.where,
                                beginning_of(formula.text), number),
                    "Use floor(), ceil() or ceil_div(), or name a type such as {\"f32\": …}.");
    return static_cast<std::int64_t>(number);
}

const std::string& Evaluator::operator()(const Choice& choice)
{
    for (const auto& [condition, word] : choice.cases)
        if ((*this)(condition) != 0) return word;
    return choice.otherwise;
}

std::vector<double> Evaluator::each(const Formula& formula, std::size_t count, std::size_t columns,
                                    std::size_t rows) const
{
    std::vector<double> all(count);
    columns = std::max<std::size_t>(1, columns);
    rows = std::max<std::size_t>(1, rows);
    const auto work = [&](std::size_t begin, std::size_t end) {
        Evaluator own(*this);
        for (const char* name : {"i", "x", "y", "z"}) own.set(name, 0.0);
        double& i = own.numbers_.find("i")->second;
        double& x = own.numbers_.find("x")->second;
        double& y = own.numbers_.find("y")->second;
        double& z = own.numbers_.find("z")->second;
        for (std::size_t at = begin; at < end; ++at) {
            i = static_cast<double>(at);
            x = static_cast<double>(at % columns);
            y = static_cast<double>(at / columns % rows);
            z = static_cast<double>(at / columns / rows);
            all[at] = own(formula);
        }
    };
    work(0, std::min<std::size_t>(count, 1)); // errors in the formula are thrown here
    in_parallel(count, work, 4096);
    return all;
}

bool mentions(const Formula& formula, std::string_view name)
{
    const std::string& text = formula.text;
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        const bool begins = at == 0 || !is_in_name(text[at - 1]);
        const std::size_t end = at + name.size();
        if (begins && (end == text.size() || !is_in_name(text[end]))) return true;
    }
    return false;
}

} // namespace lanescope::labs
