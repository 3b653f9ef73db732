// Reads the options of a launch: `emulate` runs it, `doubt` runs it in several versions.
#include "app/commands/shared/launch_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/run/editing/own_lab.h"
#include "app/run/editing/own_text.h"
#include "app/run/kernel/kernel_names.h"
#include "compute/device/kernel_names.h"
#include "compute/endings.h"
#include "compute/experiment/source/includes.h"

namespace lanescope::app {
namespace {

std::pair<std::string, std::string> split_assignment(std::string_view option,
                                                     const std::string& text)
{
    const std::size_t equals = text.find('=');
    if (equals == text.npos || equals == 0)
        throw Error(ExitStatus::bad_usage, fmt::format("{} cannot be \"{}\".", option, text),
                    fmt::format("Write it as {} NAME=VALUE, with a value as for --arg.", option));
    return {text.substr(0, equals), text.substr(equals + 1)};
}

// Names must be distinguishable from indices.
std::string checked_name(const std::string& name, const std::string& text)
{
    const bool letter = std::string_view("0123456789").find(name[0]) == std::string_view::npos;
    if (letter && name.find_first_of(",}+:") == name.npos) return name;
    throw Error(ExitStatus::bad_usage, fmt::format("--let cannot be \"{}\".", text),
                "A name begins with a letter and has no comma, colon, plus sign or brace.");
}

Place place_of(const ptx::Variable& variable, bool is_variable)
{
    return {variable.size_bytes(), static_cast<std::size_t>(std::max(variable.alignment, 1)),
            is_variable};
}

// C++ types of the kernel's parameters, from its mangled name; empty if it has none.
std::vector<std::string> parameter_types(const ptx::Function& kernel)
{
    std::vector<std::string> types;
    const std::string whole = device::demangled(kernel.name);
    const std::size_t open = whole.find('(');
    if (whole == kernel.name || open == whole.npos || !whole.ends_with(')')) return types;
    int depth = 0;
    std::string type;
    for (const char c : whole.substr(open + 1)) {
        if ((c == ',' || c == ')') && depth == 0) {
            types.push_back(type.substr(std::min(type.find_first_not_of(' '), type.size())));
            type.clear();
            continue;
        }
        depth += c == '<' || c == '(';
        depth -= c == '>' || c == ')';
        type += c;
    }
    if (types.size() != kernel.parameters.size()) types.clear();
    return types;
}

// The number type of a C++ type; null for others.
const NumberType* number_type_of(const std::string& type)
{
    static const std::map<std::string, std::string_view> names{
        {"int", "i32"},        {"unsigned int", "u32"},   {"unsigned", "u32"},
        {"float", "f32"},      {"double", "f64"},         {"long", "i64"},
        {"long long", "i64"},  {"unsigned long", "u64"},  {"unsigned long long", "u64"},
        {"short", "i16"},      {"unsigned short", "u16"}, {"__half", "f16"},
        {"signed char", "i8"}, {"__nv_bfloat16", "bf16"}};
    const auto found = names.find(type);
    return found == names.end() ? nullptr : number_type(found->second);
}

// Parses a value for a parameter of this type. Integers become floating-point numbers as in C++;
// values of a type with another representation are refused.
Value value_of_type(const std::string& option, const std::string& text, const std::string& type,
                    const std::optional<Place>& place)
{
    const auto refuse = [&](const char* cure) {
        throw Error(
            ExitStatus::bad_usage,
            fmt::format("{} is \"{}\", but the parameter is of type {}.", option, text, type),
            cure);
    };
    const bool is_literal = text.find(':') == text.npos;
    const NumberType* const wanted = number_type_of(type);
    if (wanted != nullptr && wanted->is_float && is_literal &&
        text.find_first_not_of("+-0123456789") == text.npos)
        return parse_value(option, fmt::format("{}:{}", wanted->name, text), place);
    Value value = parse_value(option, text, place);
    if (value.is_struct || value.type == nullptr) return value;
    if (value.kind == Value::Kind::bytes && wanted != nullptr &&
        value.type->is_float != wanted->is_float)
        refuse("Give a number of that type.");
    if (value.kind != Value::Kind::buffer || !type.ends_with('*')) return value;
    std::string of = type.substr(0, type.size() - 1);
    if (of.ends_with(" const")) of.resize(of.size() - 6);
    const NumberType* const elements = number_type_of(of);
    if (elements == nullptr) return value;
    // Zero has the same bits as an integer and as a floating-point number.
    const bool is_zero =
        std::ranges::all_of(value.bytes, [](std::byte one) { return one == std::byte{}; });
    // A file contains raw bits, and 16-bit floating-point numbers are often given as raw bits.
    const bool is_bit_pattern = text.find(":file:") != text.npos || elements->bytes == 2;
    if (elements->bytes != value.type->bytes ||
        (elements->is_float != value.type->is_float && !is_zero && !is_bit_pattern))
        refuse("Give a buffer with elements of that type.");
    return value;
}

void read_values(const LaunchOptions& options, const ptx::Module& module,
                 const ptx::Function& kernel, KernelLaunch& launch)
{
    const std::vector<std::string> types = parameter_types(kernel);
    for (std::size_t i = 0; i < options.arguments.size(); ++i) {
        std::optional<Place> place;
        if (i < kernel.parameters.size()) place = place_of(kernel.parameters[i], false);
        const std::string type = i < types.size() ? types[i] : std::string();
        launch.arguments.push_back(
            value_of_type(fmt::format("Argument {}", i), options.arguments[i], type, place));
    }
    if (options.arguments.size() != kernel.parameters.size())
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} takes {} arguments, but {} were given.", demangled(kernel.name),
                                kernel.parameters.size(), options.arguments.size()),
                    "Give one --arg for each, in order; --param-sizes shows them.");
    for (const std::string& text : options.named) {
        const auto [name, value] = split_assignment("--let", text);
        launch.named.emplace_back(checked_name(name, text), parse_value("--let", value, {}));
    }
    for (const std::string& text : options.variables) {
        const auto [name, value] = split_assignment("--var", text);
        const ptx::Variable& variable = find_variable(module, name);
        launch.variables.emplace_back(variable.name, parse_value(fmt::format("--var {}", name),
                                                                 value, place_of(variable, true)));
    }
}

// The block size in a directive of the kernel (__launch_bounds__, __block_size__); empty if none.
std::optional<Dim3> block_directive(const ptx::Function& kernel, const std::string& directive)
{
    const auto found = kernel.directives.find(directive);
    if (found == kernel.directives.end() || found->second.empty()) return {};
    std::array<std::uint32_t, 3> sizes{1, 1, 1};
    for (std::size_t i = 0; i < std::min<std::size_t>(3, found->second.size()); ++i)
        sizes[i] = static_cast<std::uint32_t>(std::max(found->second[i], 1));
    return Dim3{sizes[0], sizes[1], sizes[2]};
}

// Defaults for a missing grid or block: one thread per element of the first buffer, in blocks of
// 256 or the size the kernel was compiled for; otherwise one thread per texel of the first image,
// in 16 × 16.
void choose_extents(const LaunchOptions& options, const ptx::Function& kernel, KernelLaunch& launch)
{
    const auto first = [&](auto&& is) {
        const auto found = std::ranges::find_if(launch.arguments, is);
        return found == launch.arguments.end() ? nullptr : &*found;
    };
    const Value* const buffer =
        first([](const Value& value) { return value.kind == Value::Kind::buffer; });
    const Value* const image =
        first([](const Value& value) { return value.is_image() && value.image_of.empty(); });
    const auto required = block_directive(kernel, "reqntid");
    const auto max_block = block_directive(kernel, "maxntid");
    Dim3 wanted{1, 1, 1};
    launch.block = {1, 1, 1};
    if (buffer != nullptr) {
        wanted.x = static_cast<std::uint32_t>(std::min<std::size_t>(buffer->elements, 1u << 31));
        launch.block.x = std::min<std::uint32_t>(
            {256, wanted.x, max_block ? static_cast<std::uint32_t>(max_block->count()) : 1024});
    } else if (image != nullptr) {
        wanted = {
            static_cast<std::uint32_t>(image->shape.width),
            static_cast<std::uint32_t>(std::max(image->shape.height, 1)),
            static_cast<std::uint32_t>(std::max({image->shape.depth, image->shape.layers, 1}))};
        launch.block = image->shape.height > 0 ? Dim3{16, 16, 1} : Dim3{256, 1, 1};
    }
    if (required) launch.block = *required;
    if (!options.block.empty()) launch.block = parse_dim3("--block", options.block);
    const auto blocks = [](std::uint32_t threads, std::uint32_t block_size) {
        return (threads - 1) / block_size + 1;
    };
    launch.grid = {blocks(wanted.x, launch.block.x), blocks(wanted.y, launch.block.y),
                   blocks(wanted.z, launch.block.z)};
    if (!options.cluster.empty()) launch.cluster = parse_dim3("--cluster", options.cluster);
    // Whole clusters, even if the last one has blocks without work.
    const auto cluster =
        launch.cluster ? launch.cluster : block_directive(kernel, "reqnctapercluster");
    if (cluster) {
        const auto whole = [](std::uint32_t& extent, std::uint32_t cluster_size) {
            extent = (extent - 1) / cluster_size * cluster_size + cluster_size;
        };
        whole(launch.grid.x, std::max(cluster->x, 1u));
        whole(launch.grid.y, std::max(cluster->y, 1u));
        whole(launch.grid.z, std::max(cluster->z, 1u));
    }
    if (!options.grid.empty()) launch.grid = parse_dim3("--grid", options.grid);
}

} // namespace

Dim3 parse_dim3(const std::string& option, std::string_view text)
{
    std::array<std::uint32_t, 3> sizes{1, 1, 1};
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto [next, error] = std::from_chars(at, end, sizes[i]);
        if (error != std::errc{} || sizes[i] == 0) break;
        if (next == end) return {sizes[0], sizes[1], sizes[2]};
        if (*next != ',') break;
        at = next + 1;
    }
    throw Error(ExitStatus::bad_usage, fmt::format("{} cannot be \"{}\".", option, text),
                "Write it as X, X,Y or X,Y,Z, each at least 1.");
}

std::string read_ptx(const std::filesystem::path& file, const std::vector<std::string>& more_flags)
{
    std::string text = read_own_text(file).text;
    if (file.extension() == ending::ptx) {
        labs::check_ptx(text, text_name(file));
        return text;
    }
    if (file.extension() != ending::cuda_source)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} is neither a .cu nor a .ptx file.", file.string()),
                    "Name a file that ends in .cu or .ptx.");
    return compile_kernel_file(file, text, more_flags);
}

KernelLaunch described_launch(const LaunchOptions& options, std::string text,
                              const ptx::Module& parsed, const ptx::Function& kernel)
{
    KernelLaunch launch;
    launch.ptx = std::move(text);
    launch.kernel = kernel.name;
    launch.shared_bytes = options.shared_bytes;
    if (!options.grid.empty()) parse_dim3("--grid", options.grid);
    if (!options.block.empty()) parse_dim3("--block", options.block);
    if (!options.cluster.empty()) parse_dim3("--cluster", options.cluster);
    read_values(options, parsed, kernel, launch);
    choose_extents(options, kernel, launch);
    return launch;
}

const labs::Variant& kernel_variant(const labs::Lab& lab, const std::string& kernel)
{
    std::vector<std::string> names;
    for (const labs::Variant& one : lab.variants) names.push_back(one.kernel);
    const auto found = kernel.empty() ? names : device::meant(names, kernel);
    if (found.size() == 1)
        return *std::ranges::find(lab.variants, found.front(), &labs::Variant::kernel);
    throw Error(found.empty() ? ExitStatus::no_such_thing : ExitStatus::bad_usage,
                found.empty() ? fmt::format("The file contains no kernel {}.", kernel)
                              : std::string("The file contains several kernels."),
                fmt::format("Choose one with --kernel: {}.", fmt::join(names, ", ")));
}

void add_launch_options(CLI::App& command, LaunchOptions& options)
{
    command.add_option("file", options.file, "FILE.cu or FILE.ptx");
    command.add_option(
        "--kernel", options.kernel,
        "Kernel name, as in the source or in the PTX; not needed if the file has one kernel");
    command.add_option("--grid", options.grid,
                       "Blocks: X[,Y[,Z]] (default: enough for every element of the first buffer)");
    command.add_option(
        "--block", options.block,
        "Threads per block: X[,Y[,Z]] (default: 256 or what the kernel was compiled for)");
    command.add_option("--cluster", options.cluster,
                       "Blocks per cluster: X[,Y[,Z]] (default: what the kernel was compiled for)");
    command.add_option("--shared", options.shared_bytes, "Dynamic shared memory, in bytes");
    const auto add = [&](const char* name, std::vector<std::string>& values, const char* help) {
        command.add_option(name, values, help)->allow_extra_args(false);
    };
    add("--arg", options.arguments,
        "One for each parameter, in order. A number: i32:5, f16:0.5, or as in C++: 5, 5u, 5l, "
        "1.0f, 1.0. A buffer: TYPE[COUNT]:FILL with FILL zero, ramp, const:V, random:SEED (floats "
        "in [0, 1)), file:PATH or numbers (f32[]:1,2,3). A struct: struct:1.0f,2,3u8,{4.0,@1},8*0 "
        "with natural alignment; hex:BYTES; file:PATH. A texture or surface: "
        "tex2d:SOURCE:linear,normalized,wrap or surf2d:SOURCE:rgba8 with SOURCE an image file, "
        "ramp[WxH], zero[WxH], const=V[WxH], random=SEED[WxH], file=PATH[WxH] or @INDEX; "
        "texlayered2d:ramp[WxHxLAYERS], texcube:ramp[WxWx6], …:levels=3,trilinear. The address or "
        "handle of another argument: @INDEX, @NAME, @INDEX+BYTES; null. TYPE is i8 to i64, u8 to "
        "u64, f16, bf16, f32 or f64. A tensor map: tensor_map:@INDEX:f32[WxH]:box=WxH,swizzle=128");
    add("--let", options.named,
        "NAME=VALUE: a buffer, texture or surface that arguments refer to as @NAME");
    add("--var", options.variables,
        "NAME=VALUE: sets a __device__ or __constant__ variable; f32:ramp fills all of it");
}

} // namespace lanescope::app
