// Finds which numbers bound which axis, which sizes remain, and the resulting extents of each
// array.
#include "compute/experiment/guess/kernel.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <regex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compute/device/kernel_names.h"
#include "compute/experiment/record/layout.h"

namespace lanescope::labs::guessing {

// A kernel whose only warp multiplies one tile: all arrays have the size of a tile.
bool Kernel::find_tile()
{
    const std::string_view head = "wmma::fragment<wmma::matrix_a,";
    const std::size_t at = body_.find(head);
    if (at == std::string::npos || use_.block_axes[0] || use_.block_axes[1]) return false;
    std::int64_t largest = 16;
    std::string_view rest = std::string_view(body_).substr(at + head.size());
    for (int i = 0; i < 3; ++i) {
        const std::size_t end = rest.find(',');
        if (end == std::string_view::npos) return false;
        const auto side = constant(rest.substr(0, end), source_.constants);
        if (!side || *side < 1 || *side > 256) return false;
        largest = std::max(largest, static_cast<std::int64_t>(*side));
        rest.remove_prefix(end + 1);
    }
    shape_.x = shape_.y = std::to_string(largest);
    shape_.block = Json::array({32});
    shape_.threads = 32;
    shape_.grid = Json::array({1});
    shape_.over = {"32"};
    for (Parameter& one : parameters_)
        if (one.pointer) one.extents = {shape_.x, shape_.y};
    made_.sizes = Json::array({Json::object()});
    return true;
}

// "for (int j = start[row]; j < start[row + 1]; ++j)": rows of a sparse matrix.
void Kernel::find_rows()
{
    static const std::regex loop(
        R"((\w+)=(\w+)\[([^\[\];]{1,60})\];(\w+)<(\w+)\[([^\[\];]{1,60})\+1\])");
    for (std::sregex_iterator at(body_.begin(), body_.end(), loop), end; at != end; ++at)
        if ((*at)[2] == (*at)[5] && (*at)[3] == (*at)[6] &&
            (*at)[1].str().ends_with((*at)[4].str()))
            rows_ = (*at)[2], walker_ = (*at)[4];
}

// Finds which numbers bound which axis, which sizes remain, and the resulting extents of each
// array.
void Kernel::find_extents()
{
    if (find_tile()) return;
    Bounds bounds;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const Parameter& one = parameters_[i];
        if (!is_whole(one) || !is_size(one.role) || is_bitonic_stage(one)) continue;
        if (!one.whole && has("for(") &&
            (has(fmt::format("<{};", one.name)) || has(fmt::format("<{}&&", one.name))))
            loops_.push_back(i);
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (one.use->bounds[axis]) bounds[axis].push_back(i);
    }
    if (shape_.two_dimensional)
        find_plane(bounds);
    else
        find_line(bounds[0]);
    find_inner_sizes();
    for (std::size_t i = 0; i < use_.parameters.size(); ++i)
        if (is_allocated_pitch(i)) {
            parameters_[i].id = pitch_of_main(i).value_or(shape_.x);
            sizes_used_.insert(i);
        }
    for (std::size_t i = 0; i < parameters_.size(); ++i)
        if (parameters_[i].pointer) extend(i);
    for (const std::size_t i : sizes_used_) test_size(i);
    if (made_.sizes.empty()) made_.sizes = Json::array({Json::object()});
}

std::optional<std::size_t> Kernel::with_role(const std::vector<std::size_t>& all, Role role) const
{
    for (const std::size_t i : all)
        if (parameters_[i].role == role) return i;
    return std::nullopt;
}

std::optional<std::size_t> Kernel::any_with(Role role) const
{
    for (std::size_t i = 0; i < parameters_.size(); ++i)
        if (is_whole(parameters_[i]) && parameters_[i].role == role &&
            !is_bitonic_stage(parameters_[i]))
            return i;
    return std::nullopt;
}

// Gives the parameter a slider, and returns its id.
std::string Kernel::use_as_size(std::size_t index, std::int64_t initial, std::size_t axis)
{
    Parameter& one = parameters_[index];
    if (one.id.empty())
        one.id = size_slider(one.name, uneven(first_size(index, initial), axis),
                             !shape_.two_dimensional);
    sizes_used_.insert(index);
    return one.id;
}

// The sizes of a grid of two or three dimensions.
void Kernel::find_plane(const Bounds& bounds)
{
    const bool only_prints = std::ranges::none_of(parameters_, &Parameter::pointer);
    std::optional<std::size_t> x = with_role(bounds[0], Role::width);
    if (!x && !bounds[0].empty()) x = bounds[0].back();
    std::optional<std::size_t> y = with_role(bounds[1], Role::height);
    if (!y && !bounds[1].empty()) y = bounds[1].front();
    if (!x) x = any_with(Role::width);
    if (!y) y = any_with(Role::height);
    if (!x) x = any_with(Role::count);
    if (!y) y = x;
    if (!x) x = y;
    if (x) {
        const bool product_of_matrices = has_inner();
        const bool square = x == y;
        shape_.x = use_as_size(*x, square ? (product_of_matrices ? 96 : 256)
                                          : (product_of_matrices ? 128 : 256));
        shape_.y = use_as_size(*y, product_of_matrices ? 96 : 192, 1);
    } else {
        guess_plane(only_prints);
    }
    shape_.over = {shape_.x, shape_.y};
    if (!shape_.three_dimensional) return;
    std::optional<std::size_t> z = bounds[2].empty() ? any_with(Role::depth) : bounds[2].front();
    if (!z) z = covered_parameter(2);
    shape_.z = z ? use_as_size(*z, 32, 2) : only_prints ? "1" : "32";
    shape_.over.push_back(shape_.z);
}

// The width and the height if no parameter has them.
void Kernel::guess_plane(bool only_prints)
{
    constexpr std::string_view no_sizes = "tile block mask filter radius kernel bin thread";
    if (const auto launched = launched_threads()) {
        shape_.x = std::to_string((*launched)[0]);
        shape_.y = std::to_string((*launched)[1]);
    } else if (only_prints) {
        shape_.x = std::to_string(2 * shape_.block[0].get<int>()); // two blocks will do
        shape_.y = shape_.block.size() > 1 ? shape_.block[1].dump() : "1";
    } else if (const auto side = constant_size("width cols columns nx dim n size", no_sizes)) {
        shape_.x = std::to_string(*side);
        shape_.y = std::to_string(constant_size("height rows ny", no_sizes).value_or(*side));
    } else {
        // Without a bounds check, sizes are multiples of the block, and
        // all arrays have the same size.
        shape_.x = padded(size_slider("width", 256, false), shape_.block[0]);
        shape_.y = padded(size_slider("height", 192, false),
                          shape_.block.size() > 1 ? shape_.block[1].get<int>() : 1);
    }
}

// The size of a grid of one dimension.
void Kernel::find_line(const std::vector<std::size_t>& bounds)
{
    shape_.quadratic = !use_.strides && std::ranges::any_of(bounds, [&](std::size_t i) {
        return std::ranges::find(loops_, i) != loops_.end();
    });
    const bool sums = named(base_, "hist reduc sum dot scan");
    const std::int64_t initial = shape_.quadratic ? 512 : sums ? 4096 : 1024;
    const bool single_block = !use_.block_axes[0];
    const auto wide = with_role(bounds, Role::width);
    const auto high = with_role(bounds, Role::height);
    if (wide && high) {
        shape_.x = use_as_size(*wide, 256);
        shape_.y = use_as_size(*high, 192, 1);
        shape_.over = {fmt::format("{} * {}", shape_.x, shape_.y)};
        return;
    }
    if (single_block && use_.thread_axes[0]) return find_single_block(bounds);
    if (!bounds.empty()) return find_bounded_line(bounds, initial);
    if (const auto n = any_with(Role::count))
        shape_.x = use_as_size(*n, initial);
    else if (const auto size = constant_size("n size len count width elements",
                                             "tile block mask filter radius kernel bin thread"))
        shape_.x = std::to_string(*size);
    else if (!use_.thread_axes[0] && !use_.block_axes[0])
        shape_.x = std::string("1");
    else
        shape_.x = guessed_line(initial);
    shape_.over = {shape_.x};
}

// A single block with one thread per element.
void Kernel::find_single_block(const std::vector<std::size_t>& bounds)
{
    const std::optional<std::size_t> n =
        bounds.empty() ? any_with(Role::count) : std::optional(bounds.front());
    if (n && !strided_by_block())
        size_single_block(*n);
    else
        shape_.x = n ? use_as_size(*n, 1024) : std::to_string(shape_.threads);
    shape_.over = {shape_.x};
    shape_.grid = Json::array({1});
    if (!shared_.empty())
        shared_ = fmt::format(
            "2 * {} * 4", shape_.block[0].is_string() ? shape_.x : std::to_string(shape_.threads));
}

// The size determines the number of threads.
void Kernel::size_single_block(std::size_t index)
{
    Parameter& one = parameters_[index];
    const std::int64_t each = elements_per_thread(index);
    // Assumes that a single shared array of fixed size holds one element per thread.
    const std::vector<int> room = shared_sizes();
    const bool fixed = room.size() == 1 && shared_.empty() && room[0] <= 1024;
    const std::int64_t usual = each * (fixed ? std::min(room[0], 256) : 256);
    const std::int64_t max_elements = each * (fixed ? room[0] : 1024);
    shape_.max_size = max_elements;
    const std::int64_t first = first_size(index, usual);
    one.id = sliders_.add(
        one.name,
        integer_slider(1, max_elements, first <= max_elements ? first : usual, true,
                       each == 1 ? "A size: the number of elements, at most the threads of a block."
                                 : "A size: the number of elements."),
        base_);
    shape_.size = one.id;
    sizes_used_.insert(index);
    shape_.x = one.id;
    shape_.block =
        Json::array({each == 1 ? shape_.x : fmt::format("ceil_div({}, {})", shape_.x, each)});
    shape_.threads = 1024;
}

void Kernel::find_bounded_line(const std::vector<std::size_t>& bounds, std::int64_t initial)
{
    std::size_t n = bounds.front();
    for (const std::size_t i : bounds)
        if (parameters_[i].role == Role::count) n = i;
    n = covered_parameter(0).value_or(n);
    const bool images = std::ranges::any_of(parameters_, [](const Parameter& one) {
        return one.pointer && (one.elements.pixel || one.channels > 1);
    });
    if (images && parameters_[n].role != Role::width) {
        // An image needs a width and a height.
        shape_.x = size_slider("width", 256, false);
        shape_.y = size_slider("height", 192, false);
        parameters_[n].id = fmt::format("{} * {}", shape_.x, shape_.y);
        sizes_used_.insert(n);
        shape_.over = {parameters_[n].id};
    } else {
        shape_.x = use_as_size(n, initial);
        shape_.over = {shape_.x};
    }
}

// A size of whole blocks, if the kernel checks no bounds.
std::string Kernel::guessed_line(std::int64_t initial)
{
    const int tile = shape_.tile.empty() ? shape_.block[0].get<int>() : shape_.tile[0].get<int>();
    const bool launched = launch_ && launch_->grid.size() == 1 && launch_->grid[0] >= 1 &&
                          launch_->grid[0] * tile <= 1 << 16;
    if (launched) shape_.launched = static_cast<std::int64_t>(launch_->grid[0]) * tile;
    const std::string size = size_slider(
        "size", launched ? static_cast<std::int64_t>(launch_->grid[0]) * tile : initial, true);
    return is_bitonic() ? fmt::format("max({}, 2 ^ ceil(log2({})))", tile, size)
                        : padded(size, tile);
}

// Remaining sizes are loop bounds, or the second size of a one-dimensional kernel.
void Kernel::find_inner_sizes()
{
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        Parameter& one = parameters_[i];
        if (!is_whole(one) || sizes_used_.contains(i) || is_bitonic_stage(one) ||
            is_allocated_pitch(i))
            continue;
        const bool walked = std::ranges::find(loops_, i) != loops_.end();
        const bool stretches = std::ranges::any_of(
            parameters_, [&](const Parameter& other) { return other.pointer && flows(other, i); });
        if (one.role == Role::pitch && stretches && shape_.x != "") {
            one.id = fmt::format("{}{}", bytes_of_pitch(i), shape_.x);
            sizes_used_.insert(i);
            if (!known_at_launch(i)) // with an unknown pitch, rows may overlap
                for (const Parameter& other : parameters_)
                    if (other.pointer && flows(other, i)) doubtful_.push_back(other.id);
        } else if (is_size(one.role) && (one.role != Role::none || (walked && stretches)) &&
                   (walked || stretches)) {
            shape_.inner = use_as_size(i, shape_.two_dimensional ? 64 : 16);
            shape_.inner_index = i;
        }
    }
}

// "4 * " if the number is a row pitch in bytes of an array of 4-byte elements, as in
// "(float*)((char*)a + row * pitch)"; else empty.
std::string Kernel::bytes_of_pitch(std::size_t index) const
{
    for (const Parameter& one : parameters_) {
        const int bytes = one.pointer ? one.elements.each * bytes_of_type(one.elements.type) : 1;
        if (bytes == 1 || !flows(one, index)) continue;
        for (const char* cast :
             {"(char*)", "(constchar*)", "(unsignedchar*)", "(constunsignedchar*)",
              "reinterpret_cast<char*>(", "reinterpret_cast<constchar*>("})
            if (has(cast + one.name)) return fmt::format("{} * ", bytes);
    }
    return {};
}

// Threads along x and y of the launch in main(), if it gives grid and block in numbers.
std::optional<std::array<int, 2>> Kernel::launched_threads() const
{
    constexpr double max_threads = 4096; // along an axis
    if (!launch_ || launch_->grid.empty() || launch_->block.empty()) return {};
    std::array<int, 2> all{};
    for (std::size_t axis = 0; axis < all.size(); ++axis) {
        const double blocks = axis < launch_->grid.size() ? launch_->grid[axis] : 1;
        const double threads = axis < launch_->block.size() ? launch_->block[axis] : 1;
        if (!(blocks >= 1 && threads >= 1 && blocks * threads <= max_threads)) return {};
        all[axis] = static_cast<int>(blocks * threads);
    }
    return all;
}

// C = A · B: two inputs, one result, and a third size or one that is looped over.
bool Kernel::has_inner() const
{
    return shape_.two_dimensional && !loops_.empty() &&
           (named(base_, "mul gemm mm matmul product") || any_role(Role::inner));
}

bool Kernel::any_role(Role role) const
{
    return std::ranges::any_of(
        parameters_, [&](const Parameter& one) { return !one.pointer && one.role == role; });
}

std::optional<int> Kernel::constant_size(std::string_view words, std::string_view except) const
{
    const auto best = [&](std::string_view exactly) -> std::optional<int> {
        for (const auto& [name, value] : source_.constants)
            if (is_one_of(name, exactly) && value >= 2 && value <= 1 << 20 && has_word(body_, name))
                return static_cast<int>(value);
        return std::nullopt;
    };
    if (const auto exact = best(words)) return exact;
    // A function called by the kernel may use the constant.
    for (const auto& [name, value] : source_.constants)
        if (is_one_of(name, words) && value >= 2 && value <= 4096) return static_cast<int>(value);
    std::string longer; // one-letter words would match any name
    for (std::size_t begin = 0; begin < words.size();) {
        const std::size_t end = std::min(words.find(' ', begin), words.size());
        if (end - begin > 2) longer += std::string(words.substr(begin, end - begin)) + " ";
        begin = end + 1;
    }
    return constant_named(longer, except);
}

std::string Kernel::padded(const std::string& size, int block)
{
    return block == 1 ? size : fmt::format("ceil_div({}, {}) * {}", size, block, block);
}

// Elements per thread of a launch with a single block: 2 for "<<<1, n / 2>>>(…, n)" in main().
std::int64_t Kernel::elements_per_thread(std::size_t index) const
{
    const double elements = known_at_launch(index).value_or(0);
    if (!launch_ || launch_->block.size() != 1 || launch_->block[0] < 1) return 1;
    const double each = elements / launch_->block[0];
    return each >= 1 && each <= 64 && each == std::floor(each) ? static_cast<std::int64_t>(each)
                                                               : 1;
}

// True if an index is computed with whole rows of this size: "row * n + column".
bool Kernel::has_rows_of(const std::string& size) const
{
    return std::ranges::any_of(parameters_, [&](const Parameter& one) {
        return !one.pointer && one.id == size &&
               (has("*" + one.name + "+") || has("*" + one.name + "]"));
    });
}

void Kernel::extend(std::size_t index)
{
    Parameter& one = parameters_[index];
    const int each = one.elements.each * (one.elements.pixel ? 1 : one.channels);
    const auto flows_in = [&](const std::string& id) {
        for (std::size_t i = 0; i < parameters_.size(); ++i)
            if (!id.empty() && parameters_[i].id == id && flows(one, i)) return true;
        return false;
    };
    if (is_mask(one)) {
        one.extents = mask_extents();
    } else if (!rows_.empty() && one.name == rows_) {
        one.extents = {shape_.x + " + 1"};
    } else if (!rows_.empty() && has(one.name + "[" + walker_ + "]")) {
        one.extents = {times(4, shape_.x)};
    } else if ((one.use->updated || (one.use->written && one.use->depends_on_data &&
                                     named(one.name, "hist bin count"))) &&
               !two_dimensional_data(one) && bins()) {
        one.extents = {*bins()};
    } else if (const int first = first_elements(one); first > 0) {
        one.extents = {std::to_string(first)};
    } else if (one.use->depends_on_block && !shape_.two_dimensional) {
        one.extents = {blocks()};
    } else if (shape_.two_dimensional) {
        const bool inner = shape_.inner_index && flows(one, *shape_.inner_index);
        const bool across = flows_in(shape_.x);
        const bool along = flows_in(shape_.y);
        if (inner && !across)
            one.extents = {shape_.inner, shape_.y};
        else if (inner)
            one.extents = {shape_.x, fmt::format("max({}, {})", shape_.y, shape_.inner)};
        else if (!shape_.inner.empty() && across && !one.writes())
            one.extents = {shape_.x, shape_.inner};
        else if (along && !across)
            one.extents = {shape_.y, shape_.x};
        else
            one.extents = {shape_.x, shape_.y};
        if (shape_.three_dimensional) one.extents.push_back(shape_.z);
    } else if (!shape_.y.empty()) {
        one.extents = {shape_.x, shape_.y};
    } else if (shape_.inner_index && flows(one, *shape_.inner_index)) {
        one.extents = {shape_.inner, shape_.x};
    } else if (!shape_.inner.empty() && flows_in(shape_.x)) {
        one.extents = {shape_.x, shape_.inner};
    } else if (has_rows_of(shape_.x) && flows_in(shape_.x)) {
        one.extents = {shape_.x, shape_.x};
    } else {
        one.extents = {shape_.x};
    }
    if (!shape_.tile.empty() && !shape_.two_dimensional && one.extents.size() == 1 &&
        one.extents[0] == shape_.x && !has_size())
        one.extents = {shape_.x};
    extend_as_allocated(index);
    if (!size_follows_from_main(index)) guessed_sizes_.push_back(one.id);
    one.extents.front() = times(each, one.extents.front());
}

bool Kernel::two_dimensional_data(const Parameter& one) const
{
    return shape_.two_dimensional && !named(one.name, "hist bin count");
}

bool Kernel::is_mask(const Parameter& one)
{
    return one.pointer && !one.writes() &&
           named(one.name, "mask filter kernel weight coef gauss stencil");
}

// Extents of a filter mask, which may be a __constant__ array.
std::vector<std::string> Kernel::mask_extents()
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
    if (!shape_.two_dimensional) return {side};
    return {side, side};
}

// Number of bins of an array in which atomics count.
std::optional<std::string> Kernel::bins()
{
    for (std::size_t i = 0; i < parameters_.size(); ++i)
        if (!parameters_[i].pointer && parameters_[i].role == Role::bins) {
            parameters_[i].id = slider(i);
            return parameters_[i].id;
        }
    if (const auto known = constant_named("bin bucket hist")) return std::to_string(*known);
    const bool counts = std::ranges::any_of(parameters_, [](const Parameter& one) {
        return one.pointer && (one.use->updated || one.use->depends_on_data) &&
               !one.use->depends_on_nothing && !one.use->depends_on_block;
    });
    if (!counts) return std::nullopt;
    const std::vector<int> sizes = shared_sizes();
    return std::to_string(sizes.size() == 1 ? sizes[0] : 256);
}

// Number of elements if the kernel writes only the first few, at constant indices; else 0.
int Kernel::first_elements(const Parameter& one) const
{
    if (!one.writes() || !one.use->depends_on_nothing) return 0;
    int elements = has(fmt::format("*{}=", one.name)) || has(fmt::format("*{}+=", one.name)) ||
                           has(fmt::format("({},", one.name))
                       ? 1
                       : 0;
    const std::string head = one.name + "[";
    for (std::size_t at = body_.find(head); at != std::string::npos;
         at = body_.find(head, at + 1)) {
        const bool part = at > 0 && (std::isalnum(static_cast<unsigned char>(body_[at - 1])) != 0 ||
                                     body_[at - 1] == '_');
        const std::size_t begin = at + head.size(), end = body_.find(']', begin);
        if (part || end == std::string::npos) continue;
        constexpr int max_index = 1 << 16;
        const auto index =
            constant(std::string_view(body_).substr(begin, end - begin), source_.constants);
        if (index && *index >= 0 && *index < max_index)
            elements = std::max(elements, static_cast<int>(*index) + 1);
    }
    return elements;
}

std::string Kernel::blocks() const
{
    return fmt::format("ceil_div({}, {})", shape_.over.at(0).get<std::string>(),
                       shape_.tile.empty() ? shape_.block[0].dump() : shape_.tile[0].dump());
}

void Kernel::test_size(std::size_t index)
{
    if (made_.sizes.empty())
        made_.sizes = Json::array({Json::object(), Json::object(), Json::object()});
    const std::string& id = parameters_[index].id;
    if (id.empty() || id.find(' ') != std::string::npos) return;
    const bool first = id == shape_.x;
    const Json& sides = shape_.tile.empty() ? shape_.block : shape_.tile;
    const std::size_t axis = id == shape_.y && sides.size() > 1 ? 1 : 0;
    if (whole_blocks_ && sides[axis].is_number()) {
        const auto side = std::max<std::int64_t>(16, sides[axis].get<std::int64_t>());
        for (int i = 0; i < 3; ++i) made_.sizes[static_cast<std::size_t>(i)][id] = side << i;
        return;
    }
    const std::int64_t max = first && shape_.max_size > 0 ? shape_.max_size : std::int64_t{1} << 30;
    const std::int64_t small = std::min<std::int64_t>(first ? 33 : 17, max);
    const int large = shape_.two_dimensional || shape_.quadratic ? (first ? 65 : 70)
                      : shape_.grid.empty()                      ? 1000
                                                                 : 250;
    made_.sizes[0][id] = 1;
    made_.sizes[1][id] = small;
    made_.sizes[2][id] = std::min<std::int64_t>(large, max);
}

} // namespace lanescope::labs::guessing
