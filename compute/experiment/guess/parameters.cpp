// Classifies the kernel's parameters by type, name and use, and guesses its block size.
#include "compute/experiment/guess/kernel.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compute/device/kernel_names.h"
#include "compute/experiment/record/layout.h"

namespace lanescope::labs::guessing {

Kernel::Kernel(Sliders& sliders, const SourceText& source, const ptx::KernelUse& use,
               const std::map<std::string, const ptx::Variable*>& tables)
    : sliders_(sliders), source_(source), use_(use), name_(device::short_name(use.name)),
      base_(name_.substr(0, name_.find('<')))
{
    if (const auto scope = base_.rfind("::"); scope != std::string::npos) base_.erase(0, scope + 2);
    text_ = source.find(base_);
    if (text_) body_ = text_->body;
    for (const SourceLaunch& launch : source.launches)
        if (launch.kernel == base_) launch_ = &launch;
    read_parameters();
    find_rows();
    find_block();
    find_extents();
    find_tables(tables);
    for (std::size_t i = 0; i < use_.parameters.size(); ++i) made_.arguments.push_back(argument(i));
    arrange();
    choose_result();
    draw();
}

std::string Kernel::types() const
{
    std::string all;
    for (const Parameter& one : parameters_)
        if (!one.whole) all += one.type + (one.pointer ? "*," : ",");
    return all;
}

void Kernel::read_parameters()
{
    // A mangled name contains the types, with template arguments substituted.
    std::vector<std::string> mangled;
    const std::string whole = device::demangled(use_.name);
    SourceText types;
    if (whole != use_.name && whole.ends_with(')')) {
        const std::size_t open = whole.find('(', whole.find(base_));
        types = read_source("__global__ void k" + whole.substr(open) + "{}");
    }
    const SourceKernel* const from_name = types.find("k");
    for (std::size_t i = 0; i < use_.parameters.size(); ++i) {
        Parameter one{.name = fmt::format("p{}", i), .use = &use_.parameters[i]};
        const SourceParameter* declared =
            text_ && i < text_->parameters.size() ? &text_->parameters[i] : nullptr;
        const SourceParameter* exact =
            from_name && i < from_name->parameters.size() ? &from_name->parameters[i] : nullptr;
        if (declared && !declared->name.empty()) one.name = declared->name;
        if (const SourceParameter* best = exact ? exact : declared) {
            one.pointer = best->pointer;
            one.is_const = best->is_const;
            // A demangled type has no parameter name, so its last word belongs to the type.
            one.type = best == exact ? type_alone(*exact) : best->type;
        } else {
            one.pointer = one.use->is_address();
        }
        if (declared &&
            (declared->type == "cudaTextureObject_t" || declared->type == "cudaSurfaceObject_t"))
            one.type = declared->type, one.pointer = false;
        if (one.type.empty() && !one.pointer)
            one.type = one.use->type == ptx::Type::f32   ? "float"
                       : one.use->type == ptx::Type::f64 ? "double"
                       : one.use->bytes == 8             ? "long long"
                                                         : "int";
        one.structure = source_.find_structure(one.type);
        const bool handle = one.type == "cudaTextureObject_t" || one.type == "cudaSurfaceObject_t";
        // A struct with pointers: the memory that they point to is unknown.
        if (!one.pointer && !one.structure && !handle && !elements_of(one.type) &&
            one.use->bytes >= sizeof(void*))
            doubtful_.push_back(one.name);
        // "kernel<<<…>>>(in + radius)": where the array begins is not known.
        if (one.pointer && launch_ && i < launch_->words.size() &&
            launch_->words[i].find_first_of("+-") != std::string::npos)
            doubtful_.push_back(one.name);
        if (one.pointer) {
            one.elements = elements(one);
            const auto known = elements_of(one.type);
            // "float** arrays": an array of pointers.
            const bool pointers = known && one.use->element_bytes == sizeof(void*) &&
                                  one.use->vector <= 1 && bytes_of_type(known->type) < 8;
            if ((!known && !one.structure) || pointers) doubtful_.push_back(one.name);
            if (!one.elements.pixel && one.elements.type == "u8")
                one.channels = channels_of(one.name);
            one.id = one.name == "i" ? one.name + "_" : one.name;
        } else if (!is_real_number(one)) {
            one.role = initial_loop_counter(i) ? Role::counter : role_of(one.name);
        }
        parameters_.push_back(std::move(one));
    }
    for (const Parameter& one : parameters_)
        if (one.pointer) sliders_.reserve(one.id);
    for (std::size_t i = 0; i < use_.parameters.size(); ++i)
        if (!parameters_[i].pointer && parameters_[i].structure) add_fields(i);
}

// Numbers in a struct are sizes and sliders like those passed individually.
void Kernel::add_fields(std::size_t index)
{
    const SourceStructure& structure = *parameters_[index].structure;
    for (const SourceField& field : structure.fields) {
        const auto known = elements_of(field.type);
        if (!known || known->each > 1 || field.count > 1) continue;
        const std::string full_name = parameters_[index].name + "." + field.name;
        ptx::ParameterUse& use =
            field_uses_.emplace_back(ptx::ParameterUse{.bytes = 4, .type = ptx::Type::s32});
        Parameter one{.name = field.name, .type = field.type, .use = &use, .whole = index};
        if (!is_real_number(one)) one.role = role_of(one.name);
        const bool compared = has("<" + full_name) || has(">" + full_name) || has("=" + full_name);
        use.bounds[0] = compared && (one.role == Role::width || one.role == Role::count);
        use.bounds[1] = compared && one.role == Role::height;
        use.bounds[2] = compared && one.role == Role::depth;
        parameters_.push_back(std::move(one));
    }
}

std::string Kernel::type_alone(const SourceParameter& declaration)
{
    if (declaration.name.empty() || declaration.name == "const") return declaration.type;
    return declaration.type.empty() ? declaration.name : declaration.type + ' ' + declaration.name;
}

Elements Kernel::elements(const Parameter& one) const
{
    if (const auto known = elements_of(one.type)) {
        // "reinterpret_cast<const float4*>(in)[i]"
        Elements elements = *known;
        if (!elements.pixel) elements.each = std::max(elements.each, one.use->vector);
        return elements;
    }
    if (one.structure)
        if (const auto words = element_type_of_struct(*one.structure)) return *words;
    const std::size_t bytes = one.use->element_bytes;
    if (one.use->real_elements) return {bytes == 8 ? "f64" : "f32"};
    return {bytes == 1   ? "u8"
            : bytes == 2 ? "i16"
            : bytes == 8 ? "i64"
            : bytes == 4 ? "i32"
                         : "f32"};
}

bool Kernel::is_real_number(const Parameter& one)
{
    return !one.pointer && (one.type == "float" || one.type == "double");
}

bool Kernel::is_whole(const Parameter& one)
{
    const auto known = one.pointer ? std::nullopt : elements_of(one.type);
    return known && known->each == 1 && !is_real(known->type) && !known->pixel;
}

// True if the source has name[… + 2] or name[… + 3]: bytes are components of pixels with three or
// four channels.
int Kernel::channels_of(const std::string& name) const
{
    int channels = 1;
    const std::string open = name + "[";
    for (std::size_t at = body_.find(open); at != std::string::npos;
         at = body_.find(open, at + 1)) {
        const std::size_t end = body_.find(']', at);
        if (end == std::string::npos || end < 2) break;
        const std::string_view index =
            std::string_view(body_).substr(at + open.size(), end - at - open.size());
        if (index.ends_with("+2")) channels = std::max(channels, 3);
        if (index.ends_with("+3")) channels = 4;
    }
    return channels;
}

// A constant whose name contains one of the words and that the kernel uses.
std::optional<int> Kernel::constant_named(std::string_view words, std::string_view except) const
{
    for (const auto& [name, value] : source_.constants)
        if (named(name, words) && !named(name, except) && value >= 1 && value <= 1 << 20 &&
            has_word(body_, name))
            return static_cast<int>(value);
    return std::nullopt;
}

// Dimensions of the first shared array in the source, innermost last.
std::vector<int> Kernel::shared_sizes() const
{
    std::vector<int> sizes;
    const std::size_t at = body_.find("__shared__");
    if (at == std::string::npos) return sizes;
    const std::string_view rest =
        std::string_view(body_).substr(at, std::min(body_.find(';', at), body_.size()) - at);
    for (std::size_t open = rest.find('['); open != std::string_view::npos;) {
        const std::size_t close = rest.find(']', open);
        if (close == std::string_view::npos) break;
        const bool last = close + 1 >= rest.size() || rest[close + 1] != '['; // of the first array
        const auto size = constant(rest.substr(open + 1, close - open - 1), source_.constants);
        if (size && *size >= 1) sizes.push_back(static_cast<int>(*size));
        if (last) break;
        open = close + 1;
    }
    return sizes;
}

namespace {

// Side of a tile with a halo or a padding column; 0 if it is none.
int side_of(int size)
{
    for (const int side : {32, 16, 8})
        if (size >= side && size <= side + 8) return side;
    return 0;
}

} // namespace

std::vector<int> Kernel::flat_block() const
{
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
    return {size};
}

// Notes the tile if the block covers only a part of it.
std::vector<int> Kernel::tiled_block()
{
    const auto tile = constant_named("tile block bdim", "rows");
    const auto rows = constant_named("rows", "num height");
    const std::vector<int> sizes = shared_sizes();
    const bool flat = !use_.thread_axes[1] && (has("threadIdx.x%") || has("threadIdx.x/"));
    if (flat && tile && *tile <= 32) { // "threadIdx.x / TILE" and "threadIdx.x % TILE"
        shape_.tile = {*tile, *tile};
        return {*tile * *tile, 1};
    }
    if (tile && rows && *tile <= 32 && *rows <= 32) {
        shape_.tile = {*tile, *tile};
        return {*tile, *rows};
    }
    if (tile && *tile <= 32) return {*tile, *tile};
    if (sizes.size() == 2 && side_of(sizes[1]) > 0)
        return {side_of(sizes[1]), std::max(side_of(sizes[0]), 1)};
    return {16, 16};
}

// The block that the source or its main() gives, otherwise a usual one.
std::vector<int> Kernel::chosen_block()
{
    if (use_.block[0] > 0)
        return shape_.two_dimensional ? std::vector<int>{use_.block[0], std::max(use_.block[1], 1)}
                                      : std::vector<int>{use_.block[0]};
    if (launch_ && !launch_->block.empty() && launch_->block.size() <= 3 &&
        std::ranges::all_of(launch_->block, [](double n) { return n >= 1 && n <= 1024; })) {
        std::vector<int> block;
        for (const double n : launch_->block) block.push_back(static_cast<int>(n));
        if (shape_.two_dimensional && block.size() == 1) block.push_back(1);
        return block;
    }
    if (!use_.thread_axes[0] && !use_.thread_axes[1]) return {1};
    if (shape_.three_dimensional) return {8, 8, 4};
    return shape_.two_dimensional ? tiled_block() : flat_block();
}

// Bytes of an element of the kernel's `extern __shared__` array.
int Kernel::dynamic_element_bytes() const
{
    constexpr std::string_view declaration = "extern __shared__";
    const std::size_t at = body_.find(declaration);
    if (at == std::string::npos) return 4;
    const std::size_t begin = at + declaration.size();
    const std::size_t open = body_.find('[', begin);
    std::string type = body_.substr(begin, std::max(open, begin) - begin);
    type.erase(0, type.find_first_not_of(' '));
    if (const auto last = type.rfind(' '); last != std::string::npos) type.resize(last);
    return type == "double" || type == "T" ? 8 : bytes_of(type).value_or(4);
}

void Kernel::find_block()
{
    shape_.two_dimensional = use_.thread_axes[1] || use_.block_axes[1];
    shape_.three_dimensional = use_.thread_axes[2] || use_.block_axes[2];
    // Ranks of cooperative groups combine all axes; the source shows which ones are meant.
    const bool ranks = has("thread_rank()") || has("this_grid()") || has("this_thread_block()");
    if (ranks && !has("Idx.y") && !has("_index().y"))
        shape_.two_dimensional = shape_.three_dimensional = false;
    if (ranks && !has("Idx.z") && !has("_index().z")) shape_.three_dimensional = false;
    const bool guarded = std::ranges::any_of(
        parameters_, [](const Parameter& one) { return one.use->bounds[0] || one.use->bounds[1]; });
    // A tiled product of square matrices without a bounds check computes whole tiles.
    const bool square = std::ranges::count_if(parameters_, [](const Parameter& one) {
                            return is_whole(one) && is_size(one.role);
                        }) == 1;
    const bool tiled =
        shape_.two_dimensional && square && has("__shared__") && has("for(") && !guarded;
    whole_blocks_ = has("wmma::") || (launch_ && launch_->divides && !guarded) || tiled;
    std::vector<int> block = chosen_block();
    while (product(block) > use_.max_threads && block.back() > 1) block.back() /= 2;
    shape_.threads = product(block);
    shape_.block = block;
    // "blockIdx.x * (blockDim.x * 2)": each thread handles two elements.
    if (!shape_.two_dimensional && (has("blockDim.x*2") || has("2*blockDim.x")) &&
        use_.block_axes[0])
        shape_.tile = {2 * block[0]};
    // Two elements per thread leave room for a halo, two halves, or pairs.
    if (use_.dynamic_shared)
        shared_ = fmt::format("2 * {} * {}", shape_.threads, dynamic_element_bytes());
}

int Kernel::product(const std::vector<int>& all)
{
    int product = 1;
    for (const int one : all) product *= one;
    return product;
}

std::optional<double> Kernel::known_at_launch(std::size_t index) const
{
    if (const auto first = initial_loop_counter(index)) return first;
    return launch_ && index < launch_->arguments.size() ? launch_->arguments[index] : std::nullopt;
}

// "for (int k = 0; k < n; ++k) step<<<…>>>(d, n, k)": the loop's initial value.
std::optional<double> Kernel::initial_loop_counter(std::size_t index) const
{
    if (!launch_ || index >= launch_->words.size() || launch_->arguments[index])
        return std::nullopt;
    const auto found = source_.counters.find(launch_->words[index]);
    return found == source_.counters.end() ? std::nullopt : std::optional(found->second);
}

bool Kernel::is_size(Role role)
{
    return role == Role::width || role == Role::height || role == Role::depth ||
           role == Role::count || role == Role::inner || role == Role::none;
}

// The slider of a size; shared by equal names.
std::string Kernel::size_slider(const std::string& name, std::int64_t initial, bool flat)
{
    const std::int64_t max = shape_.quadratic ? 16384 : flat ? 1 << 22 : 4096;
    const std::string id = sliders_.add(
        name, integer_slider(1, max, initial, true, "A size: the number of elements."), base_);
    if (shape_.size.empty()) shape_.size = id;
    return id;
}

// The size in its own launch, if that is not too large to look at.
std::int64_t Kernel::first_size(std::size_t index, std::int64_t otherwise) const
{
    const double value = known_at_launch(index).value_or(0);
    const double max = shape_.two_dimensional ? 512 : 1 << 16;
    return value >= 1 && value <= max ? static_cast<std::int64_t>(value) : otherwise;
}

// The size or slightly less, so that it isn't a multiple of the block and a missing bounds check
// shows.
std::int64_t Kernel::uneven(std::int64_t size, std::size_t axis) const
{
    if (whole_blocks_ || size < 4) return size;
    const Json& sides = shape_.tile.empty() ? shape_.block : shape_.tile;
    if (axis >= sides.size() || !sides[axis].is_number()) return size;
    const auto side = sides[axis].get<std::int64_t>();
    if (side < 2 || size % side != 0) return size;
    std::int64_t step = 1; // place value of the second digit
    while (size / step >= 100) step *= 10;
    std::int64_t less = size - size % step;
    while (less > 2 && less % side == 0) less -= std::max<std::int64_t>(step / 10, 1);
    return less;
}

bool Kernel::flows(const Parameter& array, std::size_t number) const
{
    return number < use_.parameters.size() && (array.use->flowing >> number & 1) != 0;
}

} // namespace lanescope::labs::guessing
