// Guesses the kernel's variant and sets its sliders to the launch's numbers. A guessed shape of an
// array is used only if it gives the array's actual size in bytes.
#include "compute/experiment/guess/launch.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <deque>
#include <filesystem>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "compute/device/formats.h"
#include "compute/device/kernel_names.h"
#include "compute/endings.h"
#include "compute/error.h"
#include "compute/experiment/guess/guess.h"
#include "compute/experiment/record/elements.h"
#include "compute/experiment/record/expression.h"
#include "compute/experiment/record/layout.h"
#include "compute/experiment/source/source_text.h"
#include "compute/experiment/source/words.h"
#include "compute/ptx/text/parse_error.h"
#include "compute/ptx/uses/uses.h"

namespace lanescope::labs {
namespace {

using Json = nlohmann::ordered_json;
using Extents = std::vector<std::int64_t>;

template <class T>
T as(const std::vector<std::byte>& bytes)
{
    T value{};
    std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
    return value;
}

std::optional<std::int64_t> integer_of(const std::vector<std::byte>& bytes)
{
    switch (bytes.size()) {
    case 1: return as<std::int8_t>(bytes);
    case 2: return as<std::int16_t>(bytes);
    case 4: return as<std::int32_t>(bytes);
    case 8: return as<std::int64_t>(bytes);
    default: return {};
    }
}

std::optional<double> real_number(const std::vector<std::byte>& bytes)
{
    if (bytes.size() == sizeof(float)) return as<float>(bytes);
    if (bytes.size() == sizeof(double)) return as<double>(bytes);
    return {};
}

std::string hexadecimal(const std::vector<std::byte>& bytes)
{
    std::string text;
    for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<int>(byte));
    return text;
}

Json list_of(const Extents& extents)
{
    Json list = Json::array();
    for (const std::int64_t extent : extents) list.push_back(extent);
    return list;
}

std::int64_t product(const Extents& extents)
{
    std::int64_t all = 1;
    for (const std::int64_t extent : extents) all *= extent;
    return all;
}

// The guess for the kernel without its launch: one variant's keys merged over the lab's, with
// expressions evaluated for this launch.
class Guessed {
public:
    Guessed(std::string_view source, std::string_view ptx, const std::string& file,
            const KeptLaunch& launch)
    {
        Json lab;
        try {
            lab = Json::parse(guess_record(source, ptx, file).record);
        } catch (const Error&) {
            return; // the launch is then drawn without a guess
        }
        for (const Json& variant : lab["variants"]) {
            const Json all = merged(lab, variant);
            if (device::meant({launch.symbol}, all.value("kernel", "")).empty()) continue;
            if (all.value("arguments", Json::array()).size() != launch.arguments.size()) continue;
            guess_ = all;
            read_numbers(lab, launch);
            return;
        }
    }

    const Json& guess() const { return guess_; } // null if there is no guess
    std::string buffer_of(std::size_t argument) const
    {
        if (guess_.is_null()) return {};
        const Json& one = guess_["arguments"][argument];
        const std::string name = one.is_string()   ? one.get<std::string>()
                                 : one.is_object() ? one.value("buffer", "")
                                                   : "";
        return guess_["buffers"].contains(name) ? name : std::string();
    }
    std::optional<double> number(const Json& expression)
    {
        if (expression.is_number()) return expression.get<double>();
        if (!expression.is_string()) return {};
        try {
            formulas_.push_back({expression.get<std::string>(), "the guess"});
            return numbers_(formulas_.back());
        } catch (const Error&) {
            return {};
        }
    }
    std::optional<Extents> extents(const Json& list)
    {
        Extents all;
        for (const Json& one : list) {
            const auto value = number(one);
            if (!value || !(*value >= 1 && *value < 0x1p40)) return {};
            all.push_back(std::llround(*value));
        }
        return all;
    }

private:
    static Json merged(const Json& lab, const Json& variant)
    {
        Json all = lab;
        all.erase("variants");
        all.update(variant);
        return all;
    }
    void read_numbers(const Json& lab, const KeptLaunch& launch)
    {
        std::set<std::string> reals;
        for (const Json& slider : lab.value("parameters", Json::array())) {
            const std::string id = slider["id"];
            const Json& initial = slider["initial"];
            if (slider["kind"] == "real") reals.insert(id);
            numbers_.set(id, initial.is_number()    ? initial.get<double>()
                             : initial.is_boolean() ? static_cast<double>(initial.get<bool>())
                                                    : 0.0);
        }
        for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
            Json is = guess_["arguments"][i];
            if (is.is_object() && is.size() == 1) is = is.front();
            if (!is.is_string() || !numbers_.has(is.get<std::string>())) continue;
            const std::string id = is;
            if (reals.contains(id)) {
                if (const auto real = real_number(launch.arguments[i])) numbers_.set(id, *real);
            } else if (const auto whole = integer_of(launch.arguments[i])) {
                numbers_.set(id, static_cast<double>(*whole));
            }
        }
    }

    Json guess_;
    Evaluator numbers_;
    std::deque<Formula> formulas_; // deque: the evaluator finds formulas by address
};

class Recorder {
public:
    Recorder(std::string_view source, std::string_view ptx, std::string file,
             const KeptLaunch& launch)
        : file_(std::move(file)), launch_(launch), guessed_(source, ptx, file_, launch),
          buffer_of_memory_(launch.memory.size())
    {
        ptx::Module module;
        try {
            module = ptx::parse(ptx);
        } catch (const ptx::ParseError& error) {
            throw Error(ExitStatus::bad_usage, fmt::format("{}: {}", file_, error.what()));
        }
        for (ptx::KernelUse& use : ptx::kernel_uses(module))
            if (use.name == launch.symbol) use_ = std::move(use);
        if (use_.name.empty() || use_.parameters.size() != launch.arguments.size())
            throw Error(ExitStatus::bad_usage, fmt::format("{} has no kernel {}.", file_,
                                                           device::short_name(launch.symbol)));
        const SourceText text = read_source(source);
        if (const SourceKernel* kernel = text.find(device::base_name(launch.symbol));
            kernel && kernel->parameters.size() == launch.arguments.size())
            parameters_ = kernel->parameters;
        for (const auto& argument : launch.arguments)
            if (argument.size() <= 8)
                if (const auto value = integer_of(argument); value && *value >= 2)
                    sizes_.push_back(*value);
    }

    std::string record();

private:
    const KeptLaunch::Memory* memory_at(std::uint64_t address) const
    {
        const KeptLaunch::Memory* next = nullptr;
        for (const KeptLaunch::Memory& one : launch_.memory) {
            if (address >= one.address && address < one.address + one.bytes) return &one;
            if (address == one.address + one.bytes) next = &one;
        }
        return next;
    }
    std::string free_name(std::string wanted);
    std::string name_of(std::size_t argument) const;
    std::string type_of(std::size_t argument, std::uint64_t bytes);
    std::optional<Extents> extents_in_python(std::size_t argument, std::int64_t count) const;
    Extents extents_of(std::size_t argument, std::int64_t count, bool flat);
    void add_buffer(const KeptLaunch::Memory& memory, std::string name, std::string type,
                    Extents extents);
    void add_images();
    void add_variables();
    Json argument(std::size_t index);
    void choose_result();
    Json views();
    Json plain_view(const std::string& of) const;

    std::string file_;
    const KeptLaunch& launch_;
    Guessed guessed_;
    ptx::KernelUse use_;
    std::vector<SourceParameter> parameters_; // empty: names unknown
    std::vector<std::int64_t> sizes_;         // numbers among the arguments
    std::set<std::string> names_{"nothing"};
    struct Buffer {
        std::string name, type;
        Extents extents;
    };
    std::vector<std::optional<Buffer>> buffer_of_memory_;
    std::vector<std::size_t> first_argument_; // per memory allocation
    std::vector<std::string> image_names_;
    Json buffers_ = Json::object(), images_ = Json::object(), before_ = Json::array();
    Json constants_ = Json::object(), variables_ = Json::object(), memory_ = Json::array();
    std::string result_, result_guessed_;
};

std::string Recorder::free_name(std::string wanted)
{
    const std::string base = wanted = guessing::id_of(wanted);
    for (int number = 2; !names_.insert(wanted).second; ++number)
        wanted = fmt::format("{}_{}", base, number);
    return wanted;
}

std::string Recorder::name_of(std::size_t argument) const
{
    if (!parameters_.empty() && !parameters_[argument].name.empty())
        return parameters_[argument].name;
    if (argument < launch_.parameter_names.size()) return launch_.parameter_names[argument];
    return fmt::format("argument_{}", argument);
}

// The type that the source declares, otherwise the type as which the kernel reads it.
std::string Recorder::type_of(std::size_t argument, std::uint64_t bytes)
{
    const auto fits = [&](const std::string& type) {
        const auto element = find_element(type);
        return element && bytes % element->bytes == 0;
    };
    if (const std::string name = guessed_.buffer_of(argument); !name.empty())
        if (const Json& type = guessed_.guess()["buffers"][name]["type"]; type.is_string())
            if (fits(type)) return type;
    if (!parameters_.empty())
        if (const auto known = guessing::elements_of(parameters_[argument].type))
            if (fits(known->type)) return known->type;
    const ptx::ParameterUse& use = use_.parameters[argument];
    const std::string type = use.real_elements        ? use.element_bytes == 8   ? "f64"
                                                        : use.element_bytes == 2 ? "f16"
                                                                                 : "f32"
                             : use.element_bytes == 1 ? "u8"
                             : use.element_bytes == 2 ? "i16"
                             : use.element_bytes == 8 ? "i64"
                                                      : "i32";
    return fits(type) ? type : "u8";
}

// Numba passes an array as seven parameters: allocation, owner, number of elements, element size,
// address, shape, and strides in bytes. Supports only contiguous row-major arrays.
std::optional<Extents> Recorder::extents_in_python(std::size_t argument, std::int64_t count) const
{
    const auto number = [&](std::size_t index) -> std::int64_t {
        if (index >= launch_.arguments.size() || launch_.arguments[index].size() != 8) return -1;
        return integer_of(launch_.arguments[index]).value_or(-1);
    };
    if (!device::is_numba_name(launch_.symbol) || argument < 4 || number(argument - 2) != count)
        return {};
    for (std::size_t dimensions = 1; dimensions <= 3; ++dimensions) {
        Extents extents;
        std::int64_t stride = number(argument - 1);
        for (std::size_t i = dimensions; i > 0; --i) {
            if (number(argument + dimensions + i) != stride) break;
            extents.push_back(number(argument + i));
            stride *= extents.back();
        }
        if (extents.size() == dimensions && product(extents) == count) return extents;
    }
    return {};
}

// The guessed extents if they give this element count; otherwise rows, if two numbers of the launch
// (or one number and its grid) determine their length; otherwise one row.
Extents Recorder::extents_of(std::size_t argument, std::int64_t count, bool flat)
{
    if (const std::string name = guessed_.buffer_of(argument); !name.empty()) {
        const auto extents = guessed_.extents(guessed_.guess()["buffers"][name]["extent"]);
        if (extents && product(*extents) == count) return *extents;
    }
    if (const auto extents = extents_in_python(argument, count)) return *extents;
    if (flat || (launch_.block.y == 1 && launch_.grid.y == 1)) return {count};
    for (const std::int64_t width : sizes_)
        for (const std::int64_t height : sizes_)
            if (width * height == count) return {width, height};
    const std::int64_t threads = std::int64_t{launch_.grid.x} * launch_.block.x;
    for (const std::int64_t width : sizes_)
        if (width <= threads && width > threads - launch_.block.x && count % width == 0)
            return {width, count / width};
    if (threads > 1 && count == threads * launch_.grid.y * launch_.block.y)
        return {threads, count / threads};
    return {count};
}

void Recorder::add_buffer(const KeptLaunch::Memory& memory, std::string name, std::string type,
                          Extents extents)
{
    name = free_name(std::move(name));
    Json buffer{{"type", type}, {"extent", list_of(extents)}};
    // Every step starts with the launch's initial memory.
    if (memory.written && !memory.file.empty()) {
        const std::string start = free_name(name + "_before");
        buffers_[start] = buffer;
        buffers_[start]["fill"] = {{"file", memory.file}};
        before_.push_back({{"copy", start}, {"to", name}});
    } else if (!memory.file.empty()) {
        buffer["fill"] = {{"file", memory.file}};
    }
    buffer["address"] = fmt::format("{:#x}", memory.address);
    buffers_[name] = std::move(buffer);
    memory_.push_back(name);
    buffer_of_memory_[static_cast<std::size_t>(&memory - launch_.memory.data())] =
        Buffer{std::move(name), std::move(type), std::move(extents)};
}

void Recorder::add_images()
{
    for (const KeptLaunch::Image& image : launch_.images) {
        std::string name = fmt::format("image_{}", image_names_.size());
        for (std::size_t i = 0; i < launch_.arguments.size(); ++i)
            if (launch_.arguments[i].size() == 8 &&
                as<std::uint64_t>(launch_.arguments[i]) == image.handle)
                name = name_of(i);
        name = free_name(name);
        Extents extents{image.width};
        if (image.height > 0) extents.push_back(image.height);
        Json made{{"format", image.format}, {"extent", list_of(extents)}};
        made["fill"] = {{"file", image.file}};
        images_[name] = std::move(made);
        if (image.surface) {
            const std::string start = free_name(name + "_before");
            const auto format = device::format_named(image.format);
            buffers_[start] = {{"type", "u8"},
                               {"extent", Json::array({product(extents) *
                                                       device::bytes_per_pixel(format.value())})},
                               {"fill", {{"file", image.file}}}};
            before_.push_back({{"copy", start}, {"to", name}});
        }
        image_names_.push_back(std::move(name));
    }
}

void Recorder::add_variables()
{
    for (const KeptLaunch::Variable& variable : launch_.variables) {
        const std::string name = free_name(device::base_name(variable.name));
        const bool words = variable.bytes % 4 == 0;
        buffers_[name] = {{"type", words ? "f32" : "u8"},
                          {"extent", Json::array({words ? variable.bytes / 4 : variable.bytes})},
                          {"fill", {{"file", variable.file}}}};
        (variable.constant ? constants_ : variables_)[variable.name] = name;
    }
}

Json Recorder::argument(std::size_t index)
{
    const std::vector<std::byte>& bytes = launch_.arguments[index];
    const Json raw{{"bytes", hexadecimal(bytes)}};
    const ptx::Type declared = use_.parameters[index].type;
    if (bytes.size() == 8 && declared != ptx::Type::f64) {
        const auto word = as<std::uint64_t>(bytes);
        for (std::size_t i = 0; i < launch_.images.size(); ++i) {
            const KeptLaunch::Image& image = launch_.images[i];
            if (image.handle != word) continue;
            if (image.surface) return image_names_[i];
            Json texture{
                {"texture", image_names_[i]}, {"filter", image.filter}, {"address", image.address}};
            if (image.normalized_coordinates) texture["normalized_coordinates"] = true;
            if (image.normalized_reads) texture["normalized_reads"] = true;
            return texture;
        }
        if (const KeptLaunch::Memory* const memory = memory_at(word)) {
            const auto& buffer =
                buffer_of_memory_[static_cast<std::size_t>(memory - launch_.memory.data())];
            const std::uint64_t offset = word - memory->address;
            const std::size_t element = find_element(buffer->type)->bytes;
            if (offset == 0) return buffer->name;
            if (offset % element == 0)
                return {{"buffer", buffer->name}, {"offset", offset / element}};
            return raw;
        }
    }
    const auto real = real_number(bytes);
    if (declared == ptx::Type::f32 && real && std::isfinite(*real))
        return {{"f32", fmt::format("{}", as<float>(bytes))}};
    if (declared == ptx::Type::f64 && real && std::isfinite(*real))
        return {{"f64", fmt::format("{}", as<double>(bytes))}};
    const auto whole = integer_of(bytes);
    if (declared == ptx::Type::u32 && whole) return {{"i32", fmt::format("{}", *whole)}};
    return raw;
}

// Chooses the array that the kernel wrote; if there are several, the one that would be shown for
// the kernel alone.
void Recorder::choose_result()
{
    const Buffer* best = nullptr;
    const std::string guessed =
        guessed_.guess().is_null() || !guessed_.guess()["result"].is_string()
            ? std::string()
            : guessed_.guess()["result"].get<std::string>();
    for (const bool written : {true, false}) {
        for (std::size_t i = 0; i < launch_.memory.size(); ++i) {
            const auto& buffer = buffer_of_memory_[i];
            if (!buffer || launch_.memory[i].written != written) continue;
            const bool named = first_argument_[i] < launch_.arguments.size() &&
                               guessed_.buffer_of(first_argument_[i]) == guessed;
            if (best == nullptr || named) best = &*buffer;
            if (named && !guessed.empty()) break;
        }
        if (written && best == nullptr)
            for (std::size_t i = 0; i < launch_.images.size(); ++i)
                if (launch_.images[i].surface && result_.empty()) result_ = image_names_[i];
        if (best != nullptr || !result_.empty()) break;
    }
    result_guessed_ = guessed;
    if (best != nullptr) {
        result_ = best->name;
    } else if (result_.empty()) {
        // A kernel without memory needs something to display.
        buffers_["nothing"] = {{"type", "i32"}, {"extent", Json::array({64})}, {"fill", 0}};
        result_ = "nothing";
    }
}

Json Recorder::plain_view(const std::string& of) const
{
    if (images_.contains(of)) return {{"image", of}};
    const Json& buffer = buffers_[of];
    const bool real = guessing::is_real(buffer["type"].get<std::string>());
    const char* const kind = buffer["extent"].size() > 1                         ? "field"
                             : real || buffer["extent"].front().get<int>() > 512 ? "curve"
                                                                                 : "bars";
    Json view{{kind, of}, {"draw", "elements"}, {"quantity", of}};
    if (buffer["extent"].size() == 3)
        view["extent"] =
            Json::array({buffer["extent"][0], buffer["extent"][1].get<std::int64_t>() *
                                                  buffer["extent"][2].get<std::int64_t>()});
    return view;
}

Json Recorder::views()
{
    // A single number makes no picture: display its input instead.
    if (!images_.contains(result_) && buffers_[result_]["extent"] == Json::array({1}))
        for (std::size_t i = 0; i < launch_.memory.size(); ++i)
            if (const auto& buffer = buffer_of_memory_[i];
                buffer && product(buffer->extents) > 1 && !launch_.memory[i].file.empty())
                return Json::array({plain_view(buffer->name)});
    Json all = Json::array();
    if (!guessed_.guess().is_null())
        for (Json view : guessed_.guess()["views"]) {
            bool whole = images_.contains(result_)
                             ? view.contains("image") && !view.contains("draw")
                             : view.value("draw", "") == "elements";
            bool shows_result = false;
            for (auto& [key, value] : view.items()) {
                if (value == Json(result_guessed_) && key != "quantity") {
                    value = result_;
                    shows_result = true;
                }
                if (key == "quantity") value = result_;
                if (key == "extent") {
                    const auto extents = guessed_.extents(value);
                    const std::int64_t elements =
                        images_.contains(result_)
                            ? 0
                            : product(buffers_[result_]["extent"].get<Extents>());
                    whole &= extents && product(*extents) > 0 && elements % product(*extents) == 0;
                    if (extents) value = list_of(*extents);
                }
                if (key == "low" || key == "high") {
                    const auto number = guessed_.number(value);
                    whole &= number.has_value();
                    if (number) value = *number;
                }
            }
            const bool rows = images_.contains(result_) || buffers_[result_]["extent"].size() > 1 ||
                              view.contains("extent") ||
                              (!view.contains("field") && !view.contains("surface"));
            if (whole && shows_result && rows) all.push_back(std::move(view));
        }
    // If the result turns out to have rows, don't draw it as a curve.
    const bool flat_guess =
        !all.empty() && (all.front().contains("curve") || all.front().contains("bars"));
    if (all.empty() ||
        (flat_guess && !images_.contains(result_) && buffers_[result_]["extent"].size() > 1))
        return Json::array({plain_view(result_)});
    return all;
}

std::string Recorder::record()
{
    first_argument_.assign(launch_.memory.size(), launch_.arguments.size());
    for (std::size_t i = 0; i < launch_.arguments.size(); ++i) {
        if (launch_.arguments[i].size() != 8 || use_.parameters[i].type == ptx::Type::f64) continue;
        const KeptLaunch::Memory* const memory = memory_at(as<std::uint64_t>(launch_.arguments[i]));
        if (memory == nullptr) continue;
        const auto at = static_cast<std::size_t>(memory - launch_.memory.data());
        if (buffer_of_memory_[at]) continue;
        first_argument_[at] = i;
        const std::string type = type_of(i, memory->bytes);
        const auto count = static_cast<std::int64_t>(memory->bytes / find_element(type)->bytes);
        add_buffer(
            *memory, name_of(i), type,
            extents_of(i, count, memory->address != as<std::uint64_t>(launch_.arguments[i])));
    }
    for (const KeptLaunch::Memory& memory : launch_.memory) {
        if (buffer_of_memory_[static_cast<std::size_t>(&memory - launch_.memory.data())]) continue;
        const char* const type = memory.bytes % 4 == 0 ? "f32" : "u8";
        add_buffer(memory, "pointed_to", type,
                   {static_cast<std::int64_t>(memory.bytes / find_element(type)->bytes)});
    }
    add_images();
    add_variables();

    const std::string kernel = device::short_name(launch_.symbol);
    const std::string title = guessing::title_of(kernel);
    Json variant{{"id", guessing::id_of(kernel)},
                 {"title", title},
                 {"idea", fmt::format("As launched by {}.", launch_.program)},
                 {"kernel", launch_.symbol},
                 {"block", {launch_.block.x, launch_.block.y, launch_.block.z}},
                 {"grid", {launch_.grid.x, launch_.grid.y, launch_.grid.z}}};
    if (launch_.cluster)
        variant["cluster"] = {launch_.cluster->x, launch_.cluster->y, launch_.cluster->z};
    if (launch_.shared_bytes > 0) variant["shared"] = launch_.shared_bytes;
    variant["arguments"] = Json::array();
    for (std::size_t i = 0; i < launch_.arguments.size(); ++i)
        variant["arguments"].push_back(argument(i));
    choose_result();
    Json lab{
        {"title", fmt::format("{}, launch {}", title, launch_.index)},
        {"question", fmt::format("What did launch {} of {} do?", launch_.index, launch_.program)},
        {"file", file_},
        {"buffers", buffers_}};
    if (!images_.empty()) lab["images"] = images_;
    if (!constants_.empty()) lab["constants"] = constants_;
    if (!variables_.empty()) lab["variables"] = variables_;
    if (!before_.empty()) lab["before"] = before_;
    lab["result"] = result_;
    if (!memory_.empty()) lab["memory"] = memory_;
    std::uint64_t bytes = 0;
    for (const KeptLaunch::Memory& memory : launch_.memory) bytes += memory.bytes;
    lab["work"] = {{"bytes", bytes},
                   {"flops", 0},
                   {"items", launch_.grid.count() * launch_.block.count()},
                   {"item", "threads"}};
    lab["views"] = views();
    const bool real = buffers_.contains(result_) &&
                      guessing::is_real(buffers_[result_]["type"].get<std::string>());
    lab["check"] = {
        {"variant", variant["id"]},
        {"tolerance", real ? "64 * 2^(-24)" : "0"},
        {"reason",
         real ? "Sums in a different order round differently; the tolerance is 64 rounding "
                "errors (2^-24 each) of the largest value."
              : "Whole numbers are exact."}};
    lab["variants"] = Json::array({std::move(variant)});
    lab["test_sizes"] = Json::array({Json::object()});
    return laid_out(lab);
}

} // namespace

std::string as_written_file(const std::string& source)
{
    return std::filesystem::path(source).stem().string() + "_as_written" + ending::ptx;
}

std::string record_of_launch(std::string_view source, std::string_view ptx, const std::string& file,
                             const KeptLaunch& launch)
{
    return Recorder(source, ptx, file, launch).record();
}

} // namespace lanescope::labs
