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
    x_ = y_ = std::to_string(largest);
    block_ = Json::array({32});
    threads_ = 32;
    grid_ = Json::array({1});
    over_ = {"32"};
    for (Parameter& one : parameters_)
        if (one.pointer) one.extents = {x_, y_};
    sizes_ = Json::array({Json::object()});
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
    const bool images = std::ranges::any_of(parameters_, [](const Parameter& one) {
        return one.pointer && (one.elements.pixel || one.channels > 1);
    });
    std::vector<std::size_t> per_axis[3];
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const Parameter& one = parameters_[i];
        if (!is_whole(one) || !is_size(one.role) || is_bitonic_stage(one)) continue;
        if (!one.whole && has("for(") &&
            (has(fmt::format("<{};", one.name)) || has(fmt::format("<{}&&", one.name))))
            loops_.push_back(i);
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (one.use->bounds[axis]) per_axis[axis].push_back(i);
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
                !is_bitonic_stage(parameters_[i]))
                return i;
        return std::nullopt;
    };
    const auto use_as = [&](std::size_t i, std::int64_t initial, std::size_t axis = 0) {
        Parameter& one = parameters_[i];
        if (one.id.empty())
            one.id = size_slider(one.name, uneven(first_size(i, initial), axis), !two_dimensional_);
        sizes_used_.insert(i);
        return one.id;
    };
    const bool product_of_matrices = has_inner();
    if (two_dimensional_) {
        const std::int64_t across = product_of_matrices ? 128 : 256;
        const std::int64_t along = product_of_matrices ? 96 : 192;
        std::optional<std::size_t> x = role_in(per_axis[0], Role::width);
        if (!x && !per_axis[0].empty()) x = per_axis[0].back();
        std::optional<std::size_t> y = role_in(per_axis[1], Role::height);
        if (!y && !per_axis[1].empty()) y = per_axis[1].front();
        if (!x) x = any_with(Role::width);
        if (!y) y = any_with(Role::height);
        if (!x) x = any_with(Role::count);
        if (!y) y = x;
        if (!x) x = y;
        if (x) {
            const bool square = x == y;
            x_ = use_as(*x, square ? (product_of_matrices ? 96 : 256) : across);
            y_ = use_as(*y, along, 1);
        } else if (const auto launched = launched_threads()) {
            x_ = std::to_string((*launched)[0]);
            y_ = std::to_string((*launched)[1]);
        } else if (std::ranges::none_of(parameters_, &Parameter::pointer)) {
            x_ = std::to_string(2 * block_[0].get<int>()); // it only prints: two blocks will do
            y_ = block_.size() > 1 ? block_[1].dump() : "1";
        } else if (const auto side =
                       constant_size("width cols columns nx dim n size",
                                     "tile block mask filter radius kernel bin thread")) {
            x_ = std::to_string(*side);
            y_ = std::to_string(
                constant_size("height rows ny", "tile block mask filter radius kernel bin thread")
                    .value_or(*side));
        } else {
            // Without a bounds check, sizes are multiples of the block, and
            // all arrays have the same size.
            x_ = padded(size_slider("width", 256, false), block_[0]);
            y_ = padded(size_slider("height", 192, false),
                        block_.size() > 1 ? block_[1].get<int>() : 1);
        }
        over_ = {x_, y_};
        if (three_dimensional_) {
            std::optional<std::size_t> z =
                per_axis[2].empty() ? any_with(Role::depth) : per_axis[2].front();
            if (!z) z = covered_parameter(2);
            const bool only_prints = std::ranges::none_of(parameters_, &Parameter::pointer);
            z_ = z ? use_as(*z, 32, 2) : only_prints ? "1" : "32";
            over_.push_back(z_);
        }
    } else {
        std::vector<std::size_t> bounds = per_axis[0];
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
            y_ = use_as(*high, 192, 1);
            over_ = {fmt::format("{} * {}", x_, y_)};
        } else if (single_block && use_.thread_axes[0]) {
            // A single block with one thread per element.
            std::optional<std::size_t> n =
                bounds.empty() ? any_with(Role::count) : std::optional(bounds.front());
            if (n && !strided_by_block()) {
                Parameter& one = parameters_[*n];
                const std::int64_t each = elements_per_thread(*n);
                // Assumes that a single shared array of fixed size holds one element per thread.
                const std::vector<int> room = shared_sizes();
                const bool fixed = room.size() == 1 && shared_.empty() && room[0] <= 1024;
                const std::int64_t usual = each * (fixed ? std::min(room[0], 256) : 256);
                const std::int64_t max_elements = each * (fixed ? room[0] : 1024);
                max_size_ = max_elements;
                const std::int64_t first = first_size(*n, usual);
                one.id = sliders_.add(
                    one.name,
                    integer_slider(1, max_elements, first <= max_elements ? first : usual, true,
                                   each == 1
                                       ? "A size: the number of elements, at most the threads of a "
                                         "block."
                                       : "A size: the number of elements."),
                    base_);
                size_ = one.id;
                sizes_used_.insert(*n);
                x_ = one.id;
                block_ = Json::array({each == 1 ? x_ : fmt::format("ceil_div({}, {})", x_, each)});
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
            n = covered_parameter(0).value_or(n);
            if (images && parameters_[n].role != Role::width) {
                // An image needs a width and a height.
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
            x_ = std::string("1");
            over_ = {x_};
        } else {
            const int tile = tile_.empty() ? block_[0].get<int>() : tile_[0].get<int>();
            const bool launched = launch_ && launch_->grid.size() == 1 && launch_->grid[0] >= 1 &&
                                  launch_->grid[0] * tile <= 1 << 16;
            if (launched) launched_ = static_cast<std::int64_t>(launch_->grid[0]) * tile;
            const std::string size = size_slider(
                "size", launched ? static_cast<std::int64_t>(launch_->grid[0]) * tile : initial,
                true);
            x_ = is_bitonic() ? fmt::format("max({}, 2 ^ ceil(log2({})))", tile, size)
                              : padded(size, tile);
            over_ = {x_};
        }
    }
    // Remaining sizes are loop bounds, or the second size of a one-dimensional kernel.
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        Parameter& one = parameters_[i];
        if (!is_whole(one) || sizes_used_.contains(i) || is_bitonic_stage(one) ||
            is_allocated_pitch(i))
            continue;
        const bool walked = std::ranges::find(loops_, i) != loops_.end();
        const bool stretches = std::ranges::any_of(
            parameters_, [&](const Parameter& other) { return other.pointer && flows(other, i); });
        if (one.role == Role::pitch && stretches && x_ != "") {
            one.id = fmt::format("{}{}", bytes_of_pitch(i), x_);
            sizes_used_.insert(i);
            if (!known_at_launch(i)) // with an unknown pitch, rows may overlap
                for (const Parameter& other : parameters_)
                    if (other.pointer && flows(other, i)) doubtful_.push_back(other.id);
        } else if (is_size(one.role) && (one.role != Role::none || (walked && stretches)) &&
                   (walked || stretches)) {
            inner_ = use_as(i, two_dimensional_ ? 64 : 16);
            inner_index_ = i;
        }
    }
    for (std::size_t i = 0; i < use_.parameters.size(); ++i)
        if (is_allocated_pitch(i)) {
            parameters_[i].id = pitch_of_main(i).value_or(x_);
            sizes_used_.insert(i);
        }
    for (std::size_t i = 0; i < parameters_.size(); ++i)
        if (parameters_[i].pointer) extend(i);
    for (const std::size_t i : sizes_used_) test_size(i);
    if (sizes_.empty()) sizes_ = Json::array({Json::object()});
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
    return two_dimensional_ && !loops_.empty() &&
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
        one.extents = {x_ + " + 1"};
    } else if (!rows_.empty() && has(one.name + "[" + walker_ + "]")) {
        one.extents = {times(4, x_)};
    } else if ((one.use->updated || (one.use->written && one.use->depends_on_data &&
                                     named(one.name, "hist bin count"))) &&
               !two_dimensional_data(one) && bins()) {
        one.extents = {*bins()};
    } else if (const int first = first_elements(one); first > 0) {
        one.extents = {std::to_string(first)};
    } else if (one.use->depends_on_block && !two_dimensional_) {
        one.extents = {blocks()};
    } else if (two_dimensional_) {
        const bool inner = inner_index_ && flows(one, *inner_index_);
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
    } else if (inner_index_ && flows(one, *inner_index_)) {
        one.extents = {inner_, x_};
    } else if (!inner_.empty() && flows_in(x_)) {
        one.extents = {x_, inner_};
    } else if (has_rows_of(x_) && flows_in(x_)) {
        one.extents = {x_, x_};
    } else {
        one.extents = {x_};
    }
    if (!tile_.empty() && !two_dimensional_ && one.extents.size() == 1 && one.extents[0] == x_ &&
        !has_size())
        one.extents = {x_};
    extend_as_allocated(index);
    if (!size_follows_from_main(index)) guessed_sizes_.push_back(one.id);
    one.extents.front() = times(each, one.extents.front());
}

bool Kernel::two_dimensional_data(const Parameter& one) const
{
    return two_dimensional_ && !named(one.name, "hist bin count");
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
    if (!two_dimensional_) return {side};
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
    return fmt::format("ceil_div({}, {})", over_.at(0).get<std::string>(),
                       tile_.empty() ? block_[0].dump() : tile_[0].dump());
}

void Kernel::test_size(std::size_t index)
{
    if (sizes_.empty()) sizes_ = Json::array({Json::object(), Json::object(), Json::object()});
    const std::string& id = parameters_[index].id;
    if (id.empty() || id.find(' ') != std::string::npos) return;
    const bool first = id == x_;
    const Json& sides = tile_.empty() ? block_ : tile_;
    const std::size_t axis = id == y_ && sides.size() > 1 ? 1 : 0;
    if (whole_blocks_ && sides[axis].is_number()) {
        const auto side = std::max<std::int64_t>(16, sides[axis].get<std::int64_t>());
        for (int i = 0; i < 3; ++i) sizes_[static_cast<std::size_t>(i)][id] = side << i;
        return;
    }
    const std::int64_t max = first && max_size_ > 0 ? max_size_ : std::int64_t{1} << 30;
    const std::int64_t small = std::min<std::int64_t>(first ? 33 : 17, max);
    const int large = two_dimensional_ || quadratic_ ? (first ? 65 : 70)
                      : grid_.empty()                ? 1000
                                                     : 250;
    sizes_[0][id] = 1;
    sizes_[1][id] = small;
    sizes_[2][id] = std::min<std::int64_t>(large, max);
}

} // namespace lanescope::labs::guessing
