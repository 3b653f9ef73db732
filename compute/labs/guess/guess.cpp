// A kernel's signature to a record, one kernel after the other; what all of them say alike is said
// once, for the lab.
#include "compute/labs/guess/guess.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "compute/device/kernel_names.h"
#include "compute/error.h"
#include "compute/labs/guess/roles.h"
#include "compute/labs/guess/source_text.h"
#include "compute/labs/record/layout.h"
#include "compute/ptx/text/module.h"
#include "compute/ptx/text/parse_error.h"
#include "compute/ptx/uses/uses.h"

namespace lanescope::labs {
namespace {

using Json = nlohmann::ordered_json;

// Names that expressions have already.
constexpr std::string_view taken =
    "steps events pi x y z i e min max floor ceil mod clamp sqrt log2 sin cos f32 "
    "multiprocessors shared_per_multiprocessor shared_per_block "
    "stroke_u stroke_v stroke_radius stroke_erases";

// What an array of a C++ type is in a record: elements, and how many of them one of the type is.
struct Elements {
    std::string type;
    int each = 1;
    bool pixel = false; // of three or four bytes
};
std::optional<Elements> elements_of(std::string_view type)
{
    static const std::map<std::string, Elements, std::less<>> known = {
        {"float", {"f32"}},
        {"double", {"f64"}},
        {"int", {"i32"}},
        {"signed int", {"i32"}},
        {"int32_t", {"i32"}},
        {"unsigned int", {"u32"}},
        {"unsigned", {"u32"}},
        {"uint", {"u32"}},
        {"uint32_t", {"u32"}},
        {"char", {"i8"}},
        {"signed char", {"i8"}},
        {"int8_t", {"i8"}},
        {"unsigned char", {"u8"}},
        {"uchar", {"u8"}},
        {"uint8_t", {"u8"}},
        {"bool", {"u8"}},
        {"short", {"i16"}},
        {"int16_t", {"i16"}},
        {"unsigned short", {"u16"}},
        {"uint16_t", {"u16"}},
        {"long", {"i64"}},
        {"long long", {"i64"}},
        {"long long int", {"i64"}},
        {"int64_t", {"i64"}},
        {"unsigned long", {"u64"}},
        {"unsigned long long", {"u64"}},
        {"size_t", {"u64"}},
        {"unsigned long long int", {"u64"}},
        {"uint64_t", {"u64"}},
        {"half", {"f16"}},
        {"__half", {"f16"}},
        {"uchar4", {"bytes4", 1, true}},
        {"uchar3", {"u8", 3, true}},
        {"float2", {"f32", 2}},
        {"float3", {"f32", 3}},
        {"float4", {"f32", 4}},
        {"double2", {"f64", 2}},
        {"int2", {"i32", 2}},
        {"int3", {"i32", 3}},
        {"int4", {"i32", 4}},
        {"uint2", {"u32", 2}},
        {"uint4", {"u32", 4}},
        {"cuComplex", {"f32", 2}},
        {"cuFloatComplex", {"f32", 2}},
        {"__nv_bfloat16", {"u16"}}};
    const auto found = known.find(type);
    if (found == known.end()) return std::nullopt;
    return found->second;
}

bool is_real(std::string_view type)
{
    return type.starts_with('f');
}

int bytes_of_type(std::string_view type)
{
    if (type == "bytes4") return 4;
    const auto bits = type.substr(1);
    return bits == "8" ? 1 : bits == "16" ? 2 : bits == "64" ? 8 : 4;
}

// "Block sum" of block_sum and blockSum.
std::string title_of(std::string_view name)
{
    std::string title;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        const auto upper = [&](std::size_t k) {
            return std::isupper(static_cast<unsigned char>(name[k])) != 0;
        };
        if (c == '_' || c == '<' || c == '>' || c == ',' || c == '-' || c == ' ') {
            if (!title.empty() && title.back() != ' ') title += ' ';
            continue;
        }
        if (i > 0 && upper(i) && !upper(i - 1) && title.back() != ' ') title += ' ';
        title += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    while (!title.empty() && title.back() == ' ') title.pop_back();
    if (title.empty()) return "Kernel";
    title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
    return title;
}

std::string id_of(std::string_view name)
{
    std::string id;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            id += c;
        else if (!id.empty() && id.back() != '_')
            id += '_';
    while (!id.empty() && id.back() == '_') id.pop_back();
    return id.empty() ? "kernel" : id;
}

// A product of an expression; those of a name or a number need no brackets.
std::string times(int factor, const std::string& expression)
{
    if (factor == 1) return expression;
    const bool plain = expression.find_first_of(" +-*/") == std::string::npos;
    return plain ? fmt::format("{} * {}", factor, expression)
                 : fmt::format("{} * ({})", factor, expression);
}

// What the whole guess shares: the sliders, which have one name each.
class Lab {
public:
    // The id that stands for the parameter in expressions.
    std::string add(const std::string& name, Json parameter, const std::string& kernel)
    {
        std::string id = is_one_of(name, taken) || buffers_.contains(name) ? name + "_value" : name;
        for (Json& known : parameters_) {
            if (known["id"] != id) continue;
            if (known["kind"] == parameter["kind"]) return id;
            id += "_" + kernel;
        }
        Json whole{{"id", id}, {"title", name}};
        whole.update(parameter);
        parameters_.push_back(std::move(whole));
        return id;
    }
    // Buffers have names that no slider has.
    void reserve(const std::string& buffer) { buffers_.insert(buffer); }
    std::vector<Json>& parameters() { return parameters_; }

private:
    std::vector<Json> parameters_;
    std::set<std::string> buffers_;
};

Json whole_number(std::int64_t min, std::int64_t max, std::int64_t initial, bool restarts,
                  const char* help)
{
    return {{"kind", "integer"},  {"min", std::min(min, initial)}, {"max", std::max(max, initial)},
            {"initial", initial}, {"restarts", restarts},          {"logarithmic", max > 1000},
            {"help", help}};
}

class Kernel {
public:
    Kernel(Lab& lab, const SourceText& source, const ptx::KernelUse& use,
           const std::map<std::string, const ptx::Variable*>& tables)
        : lab_(lab), source_(source), use_(use), name_(device::short_name(use.name)),
          base_(name_.substr(0, name_.find('<')))
    {
        if (const auto scope = base_.rfind("::"); scope != std::string::npos)
            base_.erase(0, scope + 2);
        text_ = source.find(base_);
        if (text_) body_ = text_->body;
        for (const SourceLaunch& launch : source.launches)
            if (launch.kernel == base_) launch_ = &launch;
        read_parameters();
        find_block();
        find_extents();
        find_tables(tables);
        for (std::size_t i = 0; i < parameters_.size(); ++i) arguments_.push_back(argument(i));
        arrange();
        choose_result();
        draw();
    }

    const std::string& name() const { return name_; }
    std::string types() const
    {
        std::string all;
        for (const Parameter& one : parameters_) all += one.type + (one.pointer ? "*," : ",");
        return all;
    }
    const std::string& result() const { return result_; }
    const Json& test_sizes() const { return sizes_; }
    bool takes_image() const { return takes_image_; }
    // The size that is worth a sweep; empty: none.
    const std::string& size() const { return size_; }
    bool flat() const { return !two_dimensional_; }
    bool is_exact() const { return drawn_ && !is_real(drawn_->elements.type); }

    Json variant() const
    {
        Json one{{"id", id_of(name_)}, {"title", title_of(name_)}, {"idea", signature()}};
        one["kernel"] = name_;
        one["buffers"] = buffers_;
        one["block"] = block_;
        if (!tile_.empty()) one["tile"] = tile_;
        if (grid_.empty())
            one["over"] = over_;
        else
            one["grid"] = grid_;
        if (!shared_.empty()) one["shared"] = shared_;
        one["arguments"] = arguments_;
        if (!constants_.empty()) one["constants"] = constants_;
        if (!before_.empty()) one["before"] = before_;
        if (!passes_.empty()) one["passes"] = passes_;
        if (!swap_.empty()) one["swap"] = swap_;
        if (!changes_.empty()) one["changes"] = changes_;
        one["result"] = result_;
        if (!memory_.empty()) one["memory"] = memory_;
        one["work"] = work();
        one["views"] = views_;
        return one;
    }

private:
    struct Parameter {
        std::string name{};
        std::string type{};
        bool pointer = false;
        bool is_const = false;
        const ptx::ParameterUse* use = nullptr;
        Role role = Role::none;
        std::string id{}; // of the slider, or the buffer's name
        // Of pointers.
        Elements elements{"f32"};
        int channels = 1;
        std::vector<std::string> extents{};
        bool writes() const { return use->written || use->updated; }
    };

    bool has(std::string_view text) const { return body_.find(text) != std::string::npos; }

    void read_parameters()
    {
        // A mangled name has the types, with those of the template filled in.
        std::vector<std::string> mangled;
        const std::string whole = device::demangled(use_.name);
        SourceText types;
        if (whole != use_.name && whole.ends_with(')')) {
            const std::size_t open = whole.find('(', whole.find(base_));
            types = read_source("__global__ void k" + whole.substr(open) + "{}");
        }
        const SourceKernel* const of_name = types.find("k");
        for (std::size_t i = 0; i < use_.parameters.size(); ++i) {
            Parameter one{.name = fmt::format("p{}", i), .use = &use_.parameters[i]};
            const SourceParameter* said =
                text_ && i < text_->parameters.size() ? &text_->parameters[i] : nullptr;
            const SourceParameter* exact =
                of_name && i < of_name->parameters.size() ? &of_name->parameters[i] : nullptr;
            if (said && !said->name.empty()) one.name = said->name;
            if (const SourceParameter* best = exact ? exact : said) {
                one.pointer = best->pointer;
                one.is_const = best->is_const;
                // A demangled type alone has no name: the last word is the type's.
                one.type = best == exact ? type_alone(*exact) : best->type;
            } else {
                one.pointer = one.use->is_address();
            }
            if (said &&
                (said->type == "cudaTextureObject_t" || said->type == "cudaSurfaceObject_t"))
                one.type = said->type, one.pointer = false;
            if (one.type.empty() && !one.pointer)
                one.type = one.use->type == ptx::Type::f32   ? "float"
                           : one.use->type == ptx::Type::f64 ? "double"
                           : one.use->bytes == 8             ? "long long"
                                                             : "int";
            if (one.pointer) {
                one.elements = elements(one);
                if (!one.elements.pixel && one.elements.type == "u8")
                    one.channels = channels_of(one.name);
                one.id = one.name == "i" ? one.name + "_" : one.name;
            } else if (!is_real_number(one)) {
                one.role = role_of(one.name);
            }
            parameters_.push_back(std::move(one));
        }
        for (const Parameter& one : parameters_)
            if (one.pointer) lab_.reserve(one.id);
    }

    static std::string type_alone(const SourceParameter& said)
    {
        if (said.name.empty() || said.name == "const") return said.type;
        return said.type.empty() ? said.name : said.type + ' ' + said.name;
    }

    Elements elements(const Parameter& one) const
    {
        if (const auto known = elements_of(one.type)) return *known;
        const std::size_t bytes = one.use->element_bytes;
        if (one.use->real_elements) return {bytes == 8 ? "f64" : "f32"};
        return {bytes == 1   ? "u8"
                : bytes == 2 ? "i16"
                : bytes == 8 ? "i64"
                : bytes == 4 ? "i32"
                             : "f32"};
    }

    static bool is_real_number(const Parameter& one)
    {
        return !one.pointer && (one.type == "float" || one.type == "double");
    }
    static bool is_whole(const Parameter& one)
    {
        const auto known = one.pointer ? std::nullopt : elements_of(one.type);
        return known && known->each == 1 && !is_real(known->type) && !known->pixel;
    }

    // Whether the text says name[… + 2] or name[… + 3]: a byte is one of three or four of a pixel.
    int channels_of(const std::string& name) const
    {
        int most = 1;
        const std::string open = name + "[";
        for (std::size_t at = body_.find(open); at != std::string::npos;
             at = body_.find(open, at + 1)) {
            const std::size_t end = body_.find(']', at);
            if (end == std::string::npos || end < 2) break;
            const std::string_view index =
                std::string_view(body_).substr(at + open.size(), end - at - open.size());
            if (index.ends_with("+2")) most = std::max(most, 3);
            if (index.ends_with("+3")) most = 4;
        }
        return most;
    }

    // A constant of the text that one of the words names and the kernel uses.
    std::optional<int> constant_named(std::string_view words, std::string_view except = {}) const
    {
        for (const auto& [name, value] : source_.constants)
            if (named(name, words) && !named(name, except) && value >= 1 && value <= 1 << 20 &&
                has_word(body_, name))
                return static_cast<int>(value);
        return std::nullopt;
    }

    // Sizes of the shared arrays that the text declares, innermost last.
    std::vector<int> shared_sizes() const
    {
        std::vector<int> sizes;
        const std::size_t at = body_.find("__shared__");
        if (at == std::string::npos) return sizes;
        const std::string_view rest =
            std::string_view(body_).substr(at, std::min(body_.find(';', at), body_.size()) - at);
        for (std::size_t open = rest.find('['); open != std::string_view::npos;
             open = rest.find('[', open + 1)) {
            const std::size_t close = rest.find(']', open);
            if (close == std::string_view::npos) break;
            const auto size = constant(rest.substr(open + 1, close - open - 1), source_.constants);
            if (size && *size >= 1) sizes.push_back(static_cast<int>(*size));
        }
        return sizes;
    }

    void find_block()
    {
        two_dimensional_ = use_.thread_axes[1] || use_.block_axes[1];
        three_dimensional_ = use_.thread_axes[2] || use_.block_axes[2];
        const auto side_of = [](int size) { // of a tile with a rim or a padding column
            for (const int side : {32, 16, 8})
                if (size >= side && size <= side + 8) return side;
            return 0;
        };
        std::vector<int> block;
        if (use_.block[0] > 0) {
            block = {use_.block[0]};
            if (two_dimensional_) block.push_back(std::max(use_.block[1], 1));
        } else if (launch_ && !launch_->block.empty() && launch_->block.size() <= 3 &&
                   std::ranges::all_of(launch_->block,
                                       [](double n) { return n >= 1 && n <= 1024; })) {
            for (const double n : launch_->block) block.push_back(static_cast<int>(n));
            if (two_dimensional_ && block.size() == 1) block.push_back(1);
        } else if (!use_.thread_axes[0] && !use_.thread_axes[1]) {
            block = {1};
        } else if (three_dimensional_) {
            block = {8, 8, 4};
        } else if (two_dimensional_) {
            const auto tile = constant_named("tile block bdim", "rows");
            const auto rows = constant_named("rows", "num height");
            const std::vector<int> sizes = shared_sizes();
            if (tile && rows && *tile <= 32 && *rows <= 32) {
                block = {*tile, *rows};
                tile_ = {*tile, *tile};
            } else if (tile && *tile <= 32)
                block = {*tile, *tile};
            else if (sizes.size() == 2 && side_of(sizes[1]) > 0)
                block = {side_of(sizes[1]), std::max(side_of(sizes[0]), 1)};
            else
                block = {16, 16};
        } else {
            const auto threads = constant_named("thread block bdim tile");
            const std::vector<int> sizes = shared_sizes();
            int size = threads && *threads <= 1024 ? *threads : 256;
            if (!threads && sizes.size() == 1)
                for (const int power : {1024, 512, 256, 128, 64, 32})
                    if (sizes[0] >= power && sizes[0] < 2 * power) {
                        size = power;
                        break;
                    }
            if (body_.find("warpSize") != std::string::npos && size < 32) size = 32;
            block = {size};
        }
        while (product(block) > use_.most_threads && block.back() > 1) block.back() /= 2;
        threads_ = product(block);
        block_ = block;
        // "blockIdx.x * (blockDim.x * 2)": each thread has two elements.
        if (!two_dimensional_ && (has("blockDim.x*2") || has("2*blockDim.x")) && use_.block_axes[0])
            tile_ = {2 * block[0]};
        if (use_.dynamic_shared) {
            const std::size_t at = body_.find("extern __shared__");
            int bytes = 4;
            if (at != std::string::npos) {
                const std::size_t begin = at + std::string_view("extern __shared__").size();
                const std::size_t open = body_.find('[', begin);
                std::string type = body_.substr(begin, std::max(open, begin) - begin);
                type.erase(0, type.find_first_not_of(' '));
                if (const auto last = type.rfind(' '); last != std::string::npos) type.resize(last);
                if (const auto known = elements_of(type))
                    bytes = known->each * bytes_of_type(known->type);
                if (type == "double" || type == "T") bytes = 8;
            }
            // Twice as many elements as threads serve a rim, two halves and pairs, too.
            shared_ = fmt::format("2 * {} * {}", threads_, bytes);
        }
    }

    static int product(const std::vector<int>& all)
    {
        int product = 1;
        for (const int one : all) product *= one;
        return product;
    }

    std::optional<double> said_at_launch(std::size_t index) const
    {
        return launch_ && index < launch_->arguments.size() ? launch_->arguments[index]
                                                            : std::nullopt;
    }

    static bool is_size(Role role)
    {
        return role == Role::width || role == Role::height || role == Role::depth ||
               role == Role::count || role == Role::inner || role == Role::none;
    }

    // The slider of a size; the same one for the same name.
    std::string size_slider(const std::string& name, std::int64_t initial, bool flat)
    {
        const std::int64_t most = quadratic_ ? 16384 : flat ? 1 << 22 : 4096;
        const std::string id = lab_.add(
            name, whole_number(1, most, initial, true, "A size: how many elements there are."),
            base_);
        if (size_.empty()) size_ = id;
        return id;
    }

    std::int64_t first_size(std::size_t index, std::int64_t otherwise) const
    {
        const double said = said_at_launch(index).value_or(0);
        const double most = two_dimensional_ ? 512 : 1 << 16;
        return said >= 1 && said <= most ? static_cast<std::int64_t>(said) : otherwise;
    }

    // Which numbers bound which axis, what is left of the sizes, and what each array is then.
    void find_extents()
    {
        const bool images = std::ranges::any_of(parameters_, [](const Parameter& one) {
            return one.pointer && (one.elements.pixel || one.channels > 1);
        });
        std::vector<std::size_t> of_axis[3];
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
            const Parameter& one = parameters_[i];
            if (!is_whole(one) || !is_size(one.role) || is_round(one)) continue;
            if (has("for(") && (has("<" + one.name + ";") || has("<" + one.name + "&&")))
                loops_.push_back(i);
            for (std::size_t axis = 0; axis < 3; ++axis)
                if (one.use->bounds[axis]) of_axis[axis].push_back(i);
        }
        const auto role_in = [&](const std::vector<std::size_t>& all,
                                 Role role) -> std::optional<std::size_t> {
            for (const std::size_t i : all)
                if (parameters_[i].role == role) return i;
            return std::nullopt;
        };
        const auto any_with = [&](Role role) -> std::optional<std::size_t> {
            for (std::size_t i = 0; i < parameters_.size(); ++i)
                if (is_whole(parameters_[i]) && parameters_[i].role == role &&
                    !is_round(parameters_[i]))
                    return i;
            return std::nullopt;
        };
        const auto use_as = [&](std::size_t i, std::int64_t initial) {
            Parameter& one = parameters_[i];
            if (one.id.empty())
                one.id = size_slider(one.name, first_size(i, initial), !two_dimensional_);
            sizes_used_.insert(i);
            return one.id;
        };
        const bool product_of_matrices = has_inner();
        if (two_dimensional_) {
            const std::int64_t across = product_of_matrices ? 128 : 256;
            const std::int64_t along = product_of_matrices ? 96 : 192;
            std::optional<std::size_t> x = role_in(of_axis[0], Role::width);
            if (!x && !of_axis[0].empty()) x = of_axis[0].back();
            std::optional<std::size_t> y = role_in(of_axis[1], Role::height);
            if (!y && !of_axis[1].empty()) y = of_axis[1].front();
            if (!x) x = any_with(Role::width);
            if (!y) y = any_with(Role::height);
            if (!x) x = any_with(Role::count);
            if (!y) y = x;
            if (!x) x = y;
            if (x) {
                const bool square = x == y;
                x_ = use_as(*x, square ? (product_of_matrices ? 96 : 256) : across);
                y_ = use_as(*y, along);
            } else if (const auto side =
                           constant_size("width cols columns nx dim n size",
                                         "tile block mask filter radius kernel bin thread")) {
                x_ = std::to_string(*side);
                y_ = std::to_string(constant_size("height rows ny",
                                                  "tile block mask filter radius kernel bin thread")
                                        .value_or(*side));
            } else {
                // Nothing bounds the threads: whole blocks, and arrays as large as those.
                x_ = padded(size_slider("width", 256, false), block_[0]);
                y_ = padded(size_slider("height", 192, false),
                            block_.size() > 1 ? block_[1].get<int>() : 1);
            }
            over_ = {x_, y_};
            if (three_dimensional_) {
                std::optional<std::size_t> z =
                    of_axis[2].empty() ? any_with(Role::depth) : of_axis[2].front();
                z_ = z ? use_as(*z, 32) : "32";
                over_.push_back(z_);
            }
        } else {
            std::vector<std::size_t> bounds = of_axis[0];
            const auto wide = role_in(bounds, Role::width);
            const auto high = role_in(bounds, Role::height);
            quadratic_ = !use_.strides && std::ranges::any_of(bounds, [&](std::size_t i) {
                return std::ranges::find(loops_, i) != loops_.end();
            });
            const bool sums = named(base_, "hist reduc sum dot scan");
            const std::int64_t initial = quadratic_ ? 512 : sums ? 4096 : 1024;
            const bool single_block = !use_.block_axes[0];
            if (wide && high) {
                x_ = use_as(*wide, 256);
                y_ = use_as(*high, 192);
                over_ = {fmt::format("{} * {}", x_, y_)};
            } else if (single_block && use_.thread_axes[0]) {
                // One block of as many threads as there are elements.
                std::optional<std::size_t> n =
                    bounds.empty() ? any_with(Role::count) : std::optional(bounds.front());
                if (n && !strided_by_block()) {
                    Parameter& one = parameters_[*n];
                    one.id = lab_.add(
                        one.name,
                        whole_number(
                            1, 1024, first_size(*n, 256) <= 1024 ? first_size(*n, 256) : 256, true,
                            "A size: how many elements there are, at most a block's threads."),
                        base_);
                    size_ = one.id;
                    sizes_used_.insert(*n);
                    x_ = one.id;
                    block_ = Json::array({x_});
                    threads_ = 1024;
                } else if (n) {
                    x_ = use_as(*n, 1024);
                } else {
                    x_ = std::to_string(threads_);
                }
                over_ = {x_};
                grid_ = Json::array({1});
                if (!shared_.empty())
                    shared_ = fmt::format("2 * {} * 4",
                                          block_[0].is_string() ? x_ : std::to_string(threads_));
            } else if (!bounds.empty()) {
                std::size_t n = bounds.front();
                for (const std::size_t i : bounds)
                    if (parameters_[i].role == Role::count) n = i;
                if (images && parameters_[n].role != Role::width) {
                    // A picture has rows.
                    x_ = size_slider("width", 256, false);
                    y_ = size_slider("height", 192, false);
                    parameters_[n].id = fmt::format("{} * {}", x_, y_);
                    sizes_used_.insert(n);
                    over_ = {parameters_[n].id};
                } else {
                    x_ = use_as(n, initial);
                    over_ = {x_};
                }
            } else if (const auto n = any_with(Role::count)) {
                x_ = use_as(*n, initial);
                over_ = {x_};
            } else if (const auto n =
                           constant_size("n size len count width elements",
                                         "tile block mask filter radius kernel bin thread")) {
                x_ = std::to_string(*n);
                over_ = {x_};
            } else if (!use_.thread_axes[0] && !use_.block_axes[0]) {
                x_ = "1";
                over_ = {x_};
            } else {
                const int tile = tile_.empty() ? block_[0].get<int>() : tile_[0].get<int>();
                const std::string size = size_slider("size", initial, true);
                x_ = is_bitonic() ? fmt::format("max({}, 2 ^ ceil(log2({})))", tile, size)
                                  : padded(size, tile);
                over_ = {x_};
            }
        }
        // Sizes that no axis has are walked through, or the second of a row of threads.
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
            Parameter& one = parameters_[i];
            if (!is_whole(one) || sizes_used_.contains(i) || is_round(one)) continue;
            const bool walked = std::ranges::find(loops_, i) != loops_.end();
            const bool stretches = std::ranges::any_of(parameters_, [&](const Parameter& other) {
                return other.pointer && (other.use->flowing >> i & 1);
            });
            if (one.role == Role::pitch && stretches && x_ != "") {
                one.id = x_;
                sizes_used_.insert(i);
            } else if (is_size(one.role) && (one.role != Role::none || (walked && stretches)) &&
                       (walked || stretches)) {
                inner_ = use_as(i, two_dimensional_ ? 64 : 16);
                inner_index_ = i;
            }
        }
        for (std::size_t i = 0; i < parameters_.size(); ++i)
            if (parameters_[i].pointer) extend(i);
        for (const std::size_t i : sizes_used_) test_size(i);
        if (sizes_.empty()) sizes_ = Json::array({Json::object()});
    }

    // C = A · B: two inputs, one result, and a third size or one that is walked through.
    bool has_inner() const
    {
        return two_dimensional_ && !loops_.empty() &&
               (named(base_, "mul gemm mm matmul product") || any_role(Role::inner));
    }
    bool any_role(Role role) const
    {
        return std::ranges::any_of(
            parameters_, [&](const Parameter& one) { return !one.pointer && one.role == role; });
    }
    // "for (i = threadIdx.x; i < n; i += blockDim.x)"
    bool strided_by_block() const { return has("+=blockDim.x"); }

    std::optional<int> constant_size(std::string_view words, std::string_view except) const
    {
        const auto best = [&](std::string_view exactly) -> std::optional<int> {
            for (const auto& [name, value] : source_.constants)
                if (is_one_of(name, exactly) && value >= 2 && value <= 1 << 20 &&
                    has_word(body_, name))
                    return static_cast<int>(value);
            return std::nullopt;
        };
        if (const auto exact = best(words)) return exact;
        // A function that the kernel calls may know it.
        for (const auto& [name, value] : source_.constants)
            if (is_one_of(name, words) && value >= 2 && value <= 4096)
                return static_cast<int>(value);
        std::string longer; // words of one letter stand in any name
        for (std::size_t begin = 0; begin < words.size();) {
            const std::size_t end = std::min(words.find(' ', begin), words.size());
            if (end - begin > 2) longer += std::string(words.substr(begin, end - begin)) + " ";
            begin = end + 1;
        }
        return constant_named(longer, except);
    }

    static std::string padded(const std::string& size, int block)
    {
        return block == 1 ? size : fmt::format("ceil_div({}, {}) * {}", size, block, block);
    }

    void extend(std::size_t index)
    {
        Parameter& one = parameters_[index];
        const int each = one.elements.each * (one.elements.pixel ? 1 : one.channels);
        const auto flows = [&](std::size_t i) { return (one.use->flowing >> i & 1) != 0; };
        const auto flows_in = [&](const std::string& id) {
            for (std::size_t i = 0; i < parameters_.size(); ++i)
                if (!id.empty() && parameters_[i].id == id && flows(i)) return true;
            return false;
        };
        if (is_mask(one)) {
            one.extents = mask_extents();
        } else if (one.use->updated && !two_dimensional_data(one) && bins()) {
            one.extents = {*bins()};
        } else if (single(one)) {
            one.extents = {"1"};
        } else if (one.use->by_block && !two_dimensional_) {
            one.extents = {blocks()};
        } else if (two_dimensional_) {
            const bool inner = inner_index_ && flows(*inner_index_);
            const bool across = flows_in(x_);
            const bool along = flows_in(y_);
            if (inner && !across)
                one.extents = {inner_, y_};
            else if (inner)
                one.extents = {x_, fmt::format("max({}, {})", y_, inner_)};
            else if (!inner_.empty() && across && !one.writes())
                one.extents = {x_, inner_};
            else if (along && !across)
                one.extents = {y_, x_};
            else
                one.extents = {x_, y_};
            if (three_dimensional_) one.extents.push_back(z_);
        } else if (!y_.empty()) {
            one.extents = {x_, y_};
        } else if (inner_index_ && flows(*inner_index_)) {
            one.extents = {inner_, x_};
        } else if (!inner_.empty() && flows_in(x_)) {
            one.extents = {x_, inner_};
        } else {
            one.extents = {x_};
        }
        if (!tile_.empty() && !two_dimensional_ && one.extents.size() == 1 &&
            one.extents[0] == x_ && !has_size())
            one.extents = {x_};
        one.extents.front() = times(each, one.extents.front());
    }

    bool has_size() const { return !sizes_used_.empty(); }
    bool two_dimensional_data(const Parameter& one) const
    {
        return two_dimensional_ && !named(one.name, "hist bin count");
    }

    static bool is_mask(const Parameter& one)
    {
        return one.pointer && !one.writes() &&
               named(one.name, "mask filter kernel weight coef gauss stencil");
    }
    // Of a mask, and of the __constant__ arrays that are one.
    std::vector<std::string> mask_extents()
    {
        std::string side = "5";
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
            Parameter& one = parameters_[i];
            if (one.pointer || (one.role != Role::window && one.role != Role::radius)) continue;
            one.id = slider(i);
            side = one.role == Role::window ? one.id : fmt::format("2 * {} + 1", one.id);
        }
        if (const auto width = constant_named("mask_ filter_ kernel_ mask filter ksize", "radius"))
            side = std::to_string(*width);
        else if (const auto radius = constant_named("radius"))
            side = std::to_string(2 * *radius + 1);
        if (!two_dimensional_) return {side};
        return {side, side};
    }

    // Of an array that atomics count in.
    std::optional<std::string> bins()
    {
        for (std::size_t i = 0; i < parameters_.size(); ++i)
            if (!parameters_[i].pointer && parameters_[i].role == Role::bins) {
                parameters_[i].id = slider(i);
                return parameters_[i].id;
            }
        if (const auto known = constant_named("bin bucket hist")) return std::to_string(*known);
        const bool counts = std::ranges::any_of(parameters_, [](const Parameter& one) {
            return one.pointer && one.use->updated && !one.use->by_nothing && !one.use->by_block;
        });
        if (!counts) return std::nullopt;
        const std::vector<int> sizes = shared_sizes();
        return std::to_string(sizes.size() == 1 ? sizes[0] : 256);
    }

    // Only its first element is written.
    bool single(const Parameter& one) const
    {
        return one.writes() && one.use->by_nothing &&
               (has(one.name + "[0]") || has("*" + one.name + "=") || has("*" + one.name + "+=") ||
                has("(" + one.name + ","));
    }

    std::string blocks() const
    {
        return fmt::format("ceil_div({}, {})", over_.at(0).get<std::string>(),
                           tile_.empty() ? block_[0].dump() : tile_[0].dump());
    }

    void test_size(std::size_t index)
    {
        if (sizes_.empty()) sizes_ = Json::array({Json::object(), Json::object(), Json::object()});
        const std::string& id = parameters_[index].id;
        if (id.empty() || id.find(' ') != std::string::npos) return;
        const bool first = id == x_;
        const int small = first ? 33 : 17;
        const int large = two_dimensional_ || quadratic_ ? (first ? 65 : 70)
                          : grid_.empty()                ? 1000
                                                         : 256;
        sizes_[0][id] = 1;
        sizes_[1][id] = small;
        sizes_[2][id] = large;
    }

    // Of a number that is no size.
    std::string slider(std::size_t index)
    {
        Parameter& one = parameters_[index];
        if (!one.id.empty()) return one.id;
        const auto said = said_at_launch(index);
        if (is_real_number(one)) {
            Slider range = slider_of(one.name, base_, body_);
            const bool bytes = std::ranges::any_of(parameters_, [](const Parameter& other) {
                return other.pointer && other.elements.type == "u8";
            });
            if (bytes && named(one.name, "thresh")) range = {0, 255, 100};
            if (said) {
                range.initial = *said;
                range.min = std::min(range.min, *said < 0 ? 2 * *said : *said);
                range.max = std::max(range.max, 2 * *said);
            }
            return lab_.add(one.name,
                            {{"kind", "real"},
                             {"min", range.min},
                             {"max", range.max},
                             {"initial", range.initial},
                             {"help", fmt::format("The argument {} of {}.", one.name, base_)}},
                            base_);
        }
        if (one.type == "bool")
            return lab_.add(one.name,
                            {{"kind", "toggle"},
                             {"initial", true},
                             {"help", fmt::format("The argument {} of {}.", one.name, base_)}},
                            base_);
        std::int64_t min = 0;
        std::int64_t max = 100;
        std::int64_t initial = 1;
        bool restarts = false;
        switch (one.role) {
        case Role::iterations: min = 1, max = 2000, initial = 100; break;
        case Role::radius: min = 0, max = 32, initial = 3, restarts = true; break;
        case Role::window: min = 1, max = 63, initial = 5, restarts = true; break;
        case Role::bins: min = 1, max = 4096, initial = 64, restarts = true; break;
        case Role::seed: min = 0, max = 1000, initial = 1; break;
        case Role::count:
        case Role::width:
        case Role::height:
        case Role::inner:
        case Role::depth: min = 1, max = 4096, initial = 16; break;
        default: break;
        }
        if (named(one.name, "thresh")) max = 255, initial = 100;
        if (said && std::abs(*said) < 1e9) {
            initial = static_cast<std::int64_t>(*said);
            min = std::min(min, initial);
            max = std::max(max, 2 * initial);
        }
        return lab_.add(one.name,
                        whole_number(min, max, initial, restarts, "An argument of the kernel."),
                        base_);
    }

    Json argument(std::size_t index)
    {
        Parameter& one = parameters_[index];
        if (one.pointer) return one.id;
        if (one.type == "cudaTextureObject_t" || one.type == "cudaSurfaceObject_t")
            return picture(one);
        if (sizes_used_.contains(index)) return one.id;
        if (is_round(one)) return one.name;
        const auto known = elements_of(one.type);
        if (known && known->each > 1) {
            Json members = Json::array();
            for (int i = 0; i < known->each; ++i) {
                const std::string part = fmt::format("{}_{}", one.name, "xyzw"[i]);
                members.push_back(
                    {{known->type, lab_.add(part,
                                            {{"kind", "real"},
                                             {"min", -4},
                                             {"max", 4},
                                             {"initial", 0.5},
                                             {"help", "A part of an argument of the kernel."}},
                                            base_)}});
            }
            return {{"struct", members}};
        }
        if (!known) return {{"struct", Json::array({{{"i32", 0}}})}};
        if (one.role == Role::channels) return channels();
        const bool real = is_real_number(one);
        if (role_of(one.name) == Role::time && (real || !has("<" + one.name + ";"))) {
            if (real) return {{known->type, "steps * 0.05"}};
            return "steps";
        }
        if (one.role == Role::parity) return "mod(steps, 2)";
        return slider(index);
    }

    int channels() const
    {
        int most = 3;
        for (const Parameter& one : parameters_)
            if (one.pointer && one.channels > 1) most = one.channels;
        return most;
    }

    Json picture(Parameter& one)
    {
        const bool surface = one.type == "cudaSurfaceObject_t";
        const std::string format = surface && !has("uchar4") ? "r32f"
                                   : has("uchar4")           ? "rgba8"
                                   : has("float4")           ? "rgba32f"
                                                             : "r32f";
        one.id = one.name;
        const std::string width = x_.empty() ? "256" : x_;
        images_[one.id] = {{"format", format},
                           {"extent", Json::array({width, y_.empty() ? width : y_})}};
        if (!surface)
            images_[one.id]["fill"] = format == "rgba8" ? Json("image") : Json("test_card");
        if (surface) return one.id;
        return {{"texture", one.id},
                {"filter", "linear"},
                {"address", 1},
                {"normalized_coordinates", has("+0.5f)/") || has("/width") || has("/(float)")},
                {"normalized_reads", format == "rgba8" && has("tex2D<float4>")}};
    }

    // __constant__ arrays that the kernel reads: weights that sum to 1, or ones.
    void find_tables(const std::map<std::string, const ptx::Variable*>& tables)
    {
        for (const auto& [name, variable] : tables) {
            if (!has_word(body_, name)) continue;
            const auto declared = source_.arrays.find(name);
            const auto known =
                declared == source_.arrays.end() ? std::nullopt : elements_of(declared->second);
            const std::string type = known ? known->type : "f32";
            const std::size_t count =
                variable->size_bytes() / static_cast<std::size_t>(bytes_of_type(type));
            if (count < 1) continue;
            const std::string buffer = name + "_values";
            Json fill{{"each", is_real(type) ? fmt::format("1 / {}", count) : "1"}};
            buffers_[buffer] = {{"type", type}, {"extent", Json::array({count})}, {"fill", fill}};
            constants_[name] = buffer;
        }
    }

    // What the memory holds at the start, and what happens between steps.
    void arrange()
    {
        const bool on = goes_on(base_) && !is_bitonic();
        bool first = true;
        for (Parameter& one : parameters_) {
            if (!one.pointer) continue;
            Json extent = Json::array();
            for (const std::string& size : one.extents) extent.push_back(size);
            Json buffer{{"type", one.elements.type}, {"extent", extent}};
            const bool reads = one.use->read || one.use->updated;
            if (is_counted(one)) {
                before_.push_back({{"clear", one.id}});
            } else if (one.use->read || !one.writes()) {
                const Json fill = fill_of(one, first);
                if (!is_mask(one)) first = false;
                if (!one.writes()) {
                    buffer["fill"] = fill;
                } else if (on) {
                    buffer["fill"] = fill;
                    changes_.push_back(one.id);
                } else if (reads) {
                    // It begins afresh with every step, so that a step always gives the same.
                    const std::string start = one.id + "_before";
                    buffers_[start] = buffer;
                    buffers_[start]["fill"] = fill;
                    before_.push_back({{"copy", start}, {"to", one.id}});
                }
            }
            buffers_[one.id] = buffer;
            memory_.push_back(one.id);
        }
        exchange(on);
        if (is_bitonic()) {
            const std::string n = over_.at(0).get<std::string>();
            passes_ =
                Json::array({{{"for", "k"},
                              {"from", 2},
                              {"while", fmt::format("k <= {}", n)},
                              {"next", "2 * k"},
                              {"do", Json::array({{{"for", "j"},
                                                   {"from", "k / 2"},
                                                   {"while", "j >= 1"},
                                                   {"next", "j / 2"},
                                                   {"do", Json::array({Json::object()})}}})}}});
        }
    }

    // The network of a bitonic sort, whose rounds are launches with another j and k each.
    bool is_bitonic() const
    {
        const auto whole_named = [&](const char* name) {
            return std::ranges::any_of(parameters_, [&](const Parameter& one) {
                return one.name == name && is_whole(one);
            });
        };
        return !two_dimensional_ && has("^j") && whole_named("j") && whole_named("k");
    }

    bool is_round(const Parameter& one) const
    {
        return is_bitonic() && (one.name == "j" || one.name == "k");
    }

    bool is_counted(const Parameter& one) const { return one.use->updated && !goes_on(base_); }

    // Two arrays, or three, that change places because the next step reads what this one wrote.
    void exchange(bool on)
    {
        std::vector<Parameter*> from;
        Parameter* to = nullptr;
        for (Parameter& one : parameters_) {
            if (!one.pointer || is_mask(one)) continue;
            if (one.use->written && !one.use->read)
                to = to ? to : &one;
            else if (one.use->read && !one.writes())
                from.push_back(&one);
        }
        if (!to) return;
        std::erase_if(from, [&](const Parameter* one) {
            return one->extents != to->extents || one->elements.type != to->elements.type;
        });
        if (from.empty()) return;
        const bool names = named(to->name, "new next after") &&
                           named(from.back()->name, "old cur now prev before u");
        if (!on && !names) return;
        Parameter* now = from.front();
        Parameter* before = nullptr;
        for (Parameter* one : from) {
            if (named(one->name, "prev old last"))
                before = one;
            else
                now = one;
        }
        if (before && before != now && from.size() > 1) swap_.push_back({before->id, now->id});
        if (from.size() == 1) now = from.front();
        swap_.push_back({now->id, to->id});
        buffers_[to->id]["fill"] = buffers_[now->id]["fill"];
        swapped_ = now->id;
        if (swap_.size() == 1) swap_ = swap_.front();
    }

    Json fill_of(const Parameter& one, bool first)
    {
        const std::string& type = one.elements.type;
        const bool flat = one.extents.size() < 2;
        const bool at_rest =
            named(one.name, "vel acc force") || is_one_of(one.name, "v vx vy vz ax ay az");
        if (is_mask(one)) {
            const std::string count =
                one.extents.size() > 1 ? fmt::format("({}) ^ 2", one.extents[0]) : one.extents[0];
            return {{"each", is_real(type) ? fmt::format("1 / ({})", count) : "1"}};
        }
        if (one.elements.pixel || one.channels > 1) {
            takes_image_ = true;
            if (one.elements.type == "bytes4") return "image";
            return {{"generator", "image"},
                    {"channels", one.elements.pixel ? 3 : one.channels},
                    {"columns", y_.empty() ? "256" : x_}};
        }
        if (named(base_, "life automaton conway") && !is_real(type))
            return {{"generator", "random"}, {"high", 1.5}};
        if (type == "u8" && !flat) {
            takes_image_ = true;
            return "image";
        }
        if (is_real(type) && !flat && one.elements.each == 1)
            return first ? Json("test_card") : Json{{"generator", "test_card"}, {"seed", 1}};
        if (named(base_, "hist")) {
            if (type == "u8") return {{"generator", "image"}, {"columns", 64}};
            const auto top = bins();
            if (!is_real(type) && top)
                return {{"each", fmt::format("floor({} * clamp(0.5 + 0.16 * (sin(i * 12.9898) + "
                                             "sin(i * 78.233) + sin(i * 37.719)), 0, 0.999))",
                                             *top)}};
        }
        if (!is_real(type)) {
            if (named(one.name, "idx index perm order map") && type == "i32") return "permutation";
            if (flat && named(base_, "scan sum reduc"))
                return {{"generator", "random"}, {"high", 10}};
            if (flat && first && !named(base_, "sort max min"))
                return {{"generator", "ramp"}, {"high", 100}};
            if (flat && named(base_, "sort max min"))
                return {{"generator", "random"}, {"high", 100}};
            if (flat) return {{"generator", "wave"}, {"high", 50}};
            return {{"generator", "test_card"}, {"scale", 100}};
        }
        if (one.elements.each > 1)
            return at_rest ? Json(0) : Json{{"generator", "random"}, {"low", -1}, {"high", 1}};
        if (at_rest) return 0;
        if (named(base_, "sort reduc sum scan max min hist body"))
            return first ? Json("random") : Json{{"generator", "random"}, {"seed", 1}};
        const bool alone = std::ranges::count_if(parameters_, [](const Parameter& other) {
                               return other.pointer && other.use->read && !is_mask(other);
                           }) == 1;
        if (alone || !first) return "wave";
        return "ramp";
    }

    void choose_result()
    {
        const Parameter* best = nullptr;
        for (const Parameter& one : parameters_)
            if (one.pointer && one.writes() &&
                !(best && named(one.name, "vel state rng seed error flag")))
                best = &one;
        if (!best)
            for (const Parameter& one : parameters_)
                if (one.pointer && !one.is_const) best = &one;
        if (!best)
            for (const Parameter& one : parameters_)
                if (one.pointer) best = &one;
        if (best) {
            result_ = best->id;
            drawn_ = best;
            if (!swapped_.empty()) result_ = swapped_;
        } else if (!images_.empty()) {
            result_ = images_.items().begin().key();
        } else {
            // A kernel that writes nothing: there is at least something to look at.
            buffers_["nothing"] = {{"type", "i32"}, {"extent", Json::array({64})}, {"fill", 0}};
            result_ = "nothing";
        }
    }

    void draw()
    {
        Json view = Json::object();
        const auto add = [&](const char* kind, const std::string& of) {
            Json one{{kind, of}, {"draw", "elements"}, {"quantity", of}};
            one.update(view);
            views_.push_back(std::move(one));
        };
        if (!drawn_) {
            if (images_.contains(result_))
                views_.push_back({{"image", result_}});
            else
                add("bars", result_);
            return;
        }
        const Parameter& one = *drawn_;
        const bool flat = one.extents.size() < 2;
        const bool real = is_real(one.elements.type);
        if (one.extents == std::vector<std::string>{"1"}) {
            // One number is no picture: what it was made of is drawn.
            for (const Parameter& other : parameters_)
                if (other.pointer && !other.writes() && other.extents.size() == 1)
                    return add("curve", other.id);
        }
        const bool coloured = one.elements.pixel || one.channels > 1 ||
                              (one.elements.type == "u32" && !flat &&
                               named(one.name, "image img pixel rgba color colour bitmap out"));
        if (coloured && (!flat || !y_.empty())) {
            view["extent"] = Json::array({x_, y_.empty() ? "1" : y_});
            return add("image", result_);
        }
        if (flat) {
            if (!real && one.use->updated && one.elements.each == 1) return add("bars", result_);
            return add("curve", result_);
        }
        if (one.elements.type == "u8" && !named(base_, "life automaton conway"))
            view = {{"low", 0}, {"high", 255}};
        if (one.extents.size() == 3)
            view["extent"] = Json::array(
                {one.extents[0], fmt::format("{} * {}", one.extents[1], one.extents[2])});
        add("field", result_);
        if (real) add("surface", result_);
    }

    Json work() const
    {
        std::string bytes;
        std::string items = "1";
        for (const Parameter& one : parameters_) {
            if (!one.pointer) continue;
            std::string count;
            for (const std::string& size : one.extents)
                count += (count.empty() ? "" : " * ") +
                         (size.find(' ') == std::string::npos ? size : "(" + size + ")");
            const int moved = bytes_of_type(one.elements.type) *
                              ((one.use->read ? 1 : 0) + (one.writes() ? 1 : 0));
            if (moved > 0)
                bytes += fmt::format("{}{} * {}", bytes.empty() ? "" : " + ", moved, count);
        }
        std::string count;
        for (const Json& size : over_) {
            const std::string text = size.get<std::string>();
            count += (count.empty() ? "" : " * ") +
                     (text.find(' ') == std::string::npos ? text : "(" + text + ")");
        }
        return {{"bytes", bytes.empty() ? "0" : bytes},
                {"flops", "0"},
                {"items", count},
                {"item", "elements"}};
    }

    std::string signature() const
    {
        std::string list;
        for (const Parameter& one : parameters_)
            list +=
                fmt::format("{}{}{}{} {}", list.empty() ? "" : ", ", one.is_const ? "const " : "",
                            one.type, one.pointer ? "*" : "", one.name);
        return fmt::format("{}({})", name_, list);
    }

    Lab& lab_;
    const SourceText& source_;
    const ptx::KernelUse& use_;
    std::string name_;
    std::string base_;
    const SourceKernel* text_ = nullptr;
    const SourceLaunch* launch_ = nullptr;
    std::string body_;
    std::vector<Parameter> parameters_;
    std::vector<std::size_t> loops_;
    std::set<std::size_t> sizes_used_;
    bool two_dimensional_ = false;
    bool three_dimensional_ = false;
    bool quadratic_ = false; // every element looks at all the others
    bool takes_image_ = false;
    int threads_ = 256;
    std::string x_, y_, z_;
    std::string inner_; // a size that no axis has
    std::optional<std::size_t> inner_index_;
    std::string size_;
    std::string swapped_;
    const Parameter* drawn_ = nullptr;
    std::string result_;
    std::string shared_;
    Json buffers_ = Json::object();
    Json images_ = Json::object();
    Json constants_ = Json::object();
    Json block_ = Json::array();
    Json tile_ = Json::array();
    Json grid_ = Json::array();
    Json over_ = Json::array();
    Json arguments_ = Json::array();
    Json before_ = Json::array();
    Json passes_ = Json::array();
    Json swap_ = Json::array();
    Json changes_ = Json::array();
    Json memory_ = Json::array();
    Json views_ = Json::array();
    Json sizes_ = Json::array();

public:
    const Json& images() const { return images_; }
};

// What all variants say alike, the lab says.
void hoist(Json& lab, Json& variants)
{
    std::vector<std::string> keys;
    for (const auto& [key, value] : variants.front().items())
        if (key != "id" && key != "title" && key != "idea") keys.push_back(key);
    for (const std::string& key : keys) {
        const bool alike = std::ranges::all_of(variants, [&](const Json& one) {
            return one.contains(key) && one[key] == variants.front()[key];
        });
        if (!alike) continue;
        lab[key] = variants.front()[key];
        for (Json& one : variants) one.erase(key);
    }
}

std::string without_instance(const SourceKernel& kernel)
{
    std::string types;
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i)
        types += fmt::format("{}{}{}{}", i == 0 ? "" : ", ",
                             kernel.parameters[i].is_const ? "const " : "",
                             kernel.parameters[i].type, kernel.parameters[i].pointer ? "*" : "");
    const std::string head = kernel.template_head;
    const bool one_type = head.find(',') == std::string::npos &&
                          (head.starts_with("typename ") || head.starts_with("class "));
    std::string arguments = "…";
    if (one_type) {
        const std::string name = head.substr(head.find(' ') + 1);
        arguments = "float";
        for (std::size_t at = types.find(name); at != std::string::npos;
             at = types.find(name, at + 5))
            types.replace(at, name.size(), "float");
    }
    return fmt::format("The template {} (line {}) has no instance. Add a line: template __global__ "
                       "void {}<{}>({});",
                       kernel.name, kernel.line, kernel.name, arguments, types);
}

} // namespace

Guess guess_record(std::string_view source, std::string_view ptx, const std::string& file)
{
    Guess guess;
    const SourceText text = read_source(source);
    ptx::Module module;
    try {
        module = ptx::parse(ptx);
    } catch (const ptx::ParseError& error) {
        throw Error(ExitStatus::bad_usage, fmt::format("{}: {}", file, error.what()));
    }
    const std::vector<ptx::KernelUse> uses = kernel_uses(module);
    std::set<std::string> compiled;
    for (const ptx::KernelUse& use : uses) {
        std::string name = device::short_name(use.name);
        name.resize(std::min(name.find('<'), name.size()));
        compiled.insert(name);
    }
    for (const SourceKernel& kernel : text.kernels)
        if (kernel.is_template && !compiled.contains(kernel.name))
            guess.notes.push_back(without_instance(kernel));
    if (uses.empty())
        throw Error(ExitStatus::no_such_thing, fmt::format("{} holds no kernel.", file),
                    guess.notes.empty() ? "A kernel is a function with __global__."
                                        : guess.notes.front());

    std::map<std::string, const ptx::Variable*> tables;
    for (const ptx::Variable& variable : module.variables)
        if (variable.space == ptx::Space::constant && variable.initial.empty() &&
            !variable.is_extern && !variable.name.starts_with('$'))
            tables[variable.name] = &variable;

    constexpr std::size_t most_variants = 64;
    Lab sliders;
    Json variants = Json::array();
    std::vector<Kernel> kernels;
    kernels.reserve(uses.size());
    std::set<std::string> ids;
    bool takes_image = false;
    std::map<std::string, std::string> first_of_kind;
    for (const ptx::KernelUse& use : uses) {
        if (kernels.size() == most_variants) {
            guess.notes.push_back(fmt::format("{} has {} kernels; the first {} are shown.", file,
                                              uses.size(), most_variants));
            break;
        }
        kernels.emplace_back(sliders, text, use, tables);
        const Kernel& kernel = kernels.back();
        Json one = kernel.variant();
        for (int again = 2; !ids.insert(one["id"]).second; ++again)
            one["id"] = fmt::format("{}_{}", id_of(kernel.name()), again);
        if (!kernel.images().empty()) one["images"] = kernel.images();
        // Kernels of the same parameters are taken for ways to do the same.
        const std::string right =
            first_of_kind
                .try_emplace(kernel.types() + kernel.result(), one["id"].get<std::string>())
                .first->second;
        one["check"] = {
            {"variant", right},
            {"tolerance", kernel.is_exact() ? "0" : "64 * 2^(-24)"},
            {"reason", kernel.is_exact()
                           ? "Whole numbers are exact."
                           : "Sums in another order round otherwise; 64 roundings of the "
                             "largest number are allowed."}};
        takes_image |= kernel.takes_image();
        variants.push_back(std::move(one));
    }
    const std::string stem = std::filesystem::path(file).stem().string();
    Json lab{{"title", title_of(stem)}, {"question", fmt::format("What does {} do?", file)}};
    lab["parameters"] = sliders.parameters();
    lab["file"] = file;
    if (takes_image) lab["takes_image"] = true;
    hoist(lab, variants);
    lab["variants"] = std::move(variants);
    const Kernel& first = kernels.front();
    if (!first.size().empty()) {
        const Json values = first.flat() ? Json::array({32, 64, 128, 256, 512, 1024})
                                         : Json::array({16, 31, 32, 33, 64, 128});
        lab["sweeps"] =
            Json::array({{{"title", "Size"}, {"parameter", first.size()}, {"values", values}}});
        for (const Json& one : sliders.parameters())
            if (one["id"] == first.size() && one["max"].get<std::int64_t>() < 1024)
                lab.erase("sweeps");
    }
    lab["test_sizes"] = first.test_sizes();
    guess.record = laid_out(lab);
    return guess;
}

} // namespace lanescope::labs
