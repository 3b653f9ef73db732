// A name refers to an argument, a module variable, or the image of a texture or surface.
#include "app/run/kernel/kernel_results.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "app/run/kernel/kernel_names.h"
#include "compute/error.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

// Null if it is not a buffer or image of the launch.
const Value* value_named(const KernelLaunch& launch, const std::string& name)
{
    const Value* found = nullptr;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i)
        if (std::to_string(i) == name) found = &launch.arguments[i];
    for (const auto& [other, value] : launch.named)
        if (other == name) found = &value;
    return found != nullptr && found->kind != Value::Kind::bytes ? found : nullptr;
}

const NumberType* type_of(const ptx::Variable& variable)
{
    using ptx::Type;
    switch (variable.type) {
    case Type::s8: return number_type("i8");
    case Type::u16:
    case Type::b16: return number_type("u16");
    case Type::s16: return number_type("i16");
    case Type::u32:
    case Type::b32: return number_type("u32");
    case Type::s32: return number_type("i32");
    case Type::u64:
    case Type::b64: return number_type("u64");
    case Type::s64: return number_type("i64");
    case Type::f32: return number_type("f32");
    case Type::f64: return number_type("f64");
    default: return number_type("u8"); // arrays and structs are bytes in PTX
    }
}

// A texture or surface over another value's image has that image's texels.
const NumberType* type_of(const Value& value, const KernelLaunch& launch)
{
    if (!value.image_of.empty())
        if (const Value* other = value_named(launch, value.image_of)) return other->type;
    return value.type != nullptr ? value.type : number_type("u8");
}

[[noreturn]] void refuse_dump(std::string_view option, std::string_view text,
                              std::string_view problem)
{
    throw Error(ExitStatus::bad_usage, fmt::format("{} cannot be \"{}\".", option, text),
                std::string(problem));
}

std::pair<std::string, std::filesystem::path>
split_dump(std::string_view option, std::string_view text, std::string_view problem)
{
    const std::size_t colon = text.find(':');
    if (colon == text.npos || colon + 1 == text.size()) refuse_dump(option, text, problem);
    return {std::string(text.substr(0, colon)), std::filesystem::path(text.substr(colon + 1))};
}

Bytes bytes_of(const Looked& of, KernelRun& run)
{
    return of.is_variable ? run.variable(of.name) : run.contents(of.name);
}

std::vector<std::string> values_of(const Print& print, KernelRun& run, std::size_t& all)
{
    const Bytes bytes = bytes_of(print.of, run);
    const NumberType& type = *print.of.type;
    all = bytes.size() / type.bytes;
    std::vector<std::string> values;
    for (std::size_t i = 0; i < std::min(all, print.count); ++i)
        values.push_back(type.text(bytes.data() + i * type.bytes));
    return values;
}

} // namespace

Dump parse_dump(std::string_view text, const KernelLaunch& launch)
{
    constexpr std::string_view cure =
        "Write it as INDEX:PATH, where the argument with that index (from 0) is a buffer, texture "
        "or surface, or as NAME:PATH for something given with --let.";
    auto [name, path] = split_dump("--dump", text, cure);
    const Value* value = value_named(launch, name);
    if (value == nullptr) refuse_dump("--dump", text, cure);
    render::require_writable(path);
    return {{std::move(name), false, type_of(*value, launch)}, std::move(path)};
}

Dump parse_variable_dump(std::string_view text, const ptx::Module& module)
{
    // Scopes contain "::", so the path follows the first single colon.
    std::size_t colon = text.find(':');
    while (colon != text.npos && text.substr(colon).starts_with("::"))
        colon = text.find(':', colon + 2);
    if (colon == text.npos || colon == 0 || colon + 1 == text.size())
        refuse_dump("--dump-var", text,
                    "Write it as NAME:PATH, where NAME is a variable of the file.");
    const ptx::Variable& variable = find_variable(module, std::string(text.substr(0, colon)));
    std::filesystem::path path(text.substr(colon + 1));
    render::require_writable(path);
    return {{variable.name, true, type_of(variable)}, std::move(path)};
}

Print parse_print(std::string_view text, const KernelLaunch& launch, const ptx::Module& module)
{
    // Parses from the end: a type, a count, and the rest is the name.
    Print print;
    const NumberType* type = nullptr;
    std::string_view name = text;
    for (int part = 0; part < 2; ++part) {
        const std::size_t colon = name.rfind(':');
        if (colon == name.npos || colon == 0 || name[colon - 1] == ':') break;
        const std::string_view last = name.substr(colon + 1);
        if (const NumberType* found = number_type(last); found != nullptr && part == 0) {
            type = found;
        } else {
            try {
                print.count = parse_count(last);
            } catch (const ValueProblem&) {
                throw Error(
                    ExitStatus::bad_usage, fmt::format("--print cannot be \"{}\".", text),
                    fmt::format("Write it as INDEX, INDEX:COUNT or INDEX:COUNT:TYPE; use the name "
                                "instead of INDEX for --let and variables. TYPE is one of {}.",
                                number_type_names()));
            }
            part = 2;
        }
        name = name.substr(0, colon);
    }
    print.of.name = name;
    if (const Value* value = value_named(launch, print.of.name)) {
        print.of.type = type_of(*value, launch);
    } else if (!name.empty() && name.find_first_not_of("0123456789") == name.npos) {
        throw Error(ExitStatus::bad_usage, fmt::format("--print cannot be \"{}\".", text),
                    "The argument with that index (from 0) must be a buffer, texture or surface.");
    } else {
        const ptx::Variable& variable = find_variable(module, print.of.name);
        print.of = {variable.name, true, type_of(variable)};
        for (const auto& [given, value] : launch.variables)
            if (given == variable.name && value.type != nullptr) print.of.type = value.type;
    }
    if (type != nullptr) print.of.type = type;
    return print;
}

void write_dump(const Dump& dump, KernelRun& run)
{
    const Bytes bytes = bytes_of(dump.of, run);
    render::write_file(dump.path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::string print_text(const Print& print, KernelRun& run)
{
    std::size_t all = 0;
    const std::vector<std::string> values = values_of(print, run, all);
    std::size_t width = 1;
    for (const std::string& value : values) width = std::max(width, value.size());
    const std::size_t columns = std::max<std::size_t>(1, 80 / (width + 2));
    std::string text =
        fmt::format("{}, {} of {} {}:\n", print.of.name, values.size(), all, print.of.type->name);
    for (std::size_t i = 0; i < values.size(); ++i)
        text += fmt::format("{:>{}}{}", values[i], width + 2,
                            (i + 1) % columns == 0 || i + 1 == values.size() ? "\n" : "");
    return text;
}

nlohmann::ordered_json print_json(const Print& print, KernelRun& run)
{
    std::size_t all = 0;
    nlohmann::ordered_json values = nlohmann::ordered_json::array();
    for (const std::string& value : values_of(print, run, all)) {
        // JSON has no infinity or NaN, so those are strings.
        const bool number = value.find_first_of("in") == value.npos;
        values.push_back(number ? nlohmann::ordered_json::parse(value)
                                : nlohmann::ordered_json(value));
    }
    return {{"of", print.of.name},
            {"type", print.of.type->name},
            {"elements", all},
            {"values", std::move(values)}};
}

} // namespace lanescope::app
