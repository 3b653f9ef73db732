// Finds the size that the program's own main() allocates for an array, in terms of the kernel's
// launch sizes.
#include "compute/experiment/guess/kernel.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "compute/experiment/source/names.h"

namespace lanescope::labs::guessing {
namespace {

bool is_word(std::string_view text)
{
    return !text.empty() && std::ranges::all_of(text, is_name) &&
           std::isdigit(static_cast<unsigned char>(text.front())) == 0;
}

// Replaces every name in the expression by `name(…)`; nullopt unless it consists of sums and
// products.
template <class Name>
std::optional<std::string> rewritten(std::string_view text, Name&& name)
{
    std::string all;
    for (std::size_t at = 0; at < text.size();) {
        if (!is_name(text[at])) {
            if (std::string_view("+-*() ").find(text[at]) == std::string_view::npos)
                return std::nullopt;
            all += text[at++];
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && is_name(text[end])) ++end;
        const std::string_view word = text.substr(at, end - at);
        at = end;
        if (is_word(word)) {
            const std::optional<std::string> replaced = name(word);
            if (!replaced) return std::nullopt;
            all += *replaced;
        } else if (std::ranges::all_of(word,
                                       [](unsigned char c) { return std::isdigit(c) != 0; })) {
            all += word;
        } else {
            return std::nullopt;
        }
    }
    return all;
}

// Product of the extents with a different prime substituted for each size; nullopt if it can't be
// computed.
std::optional<double> product_at_primes(const std::vector<std::string>& extents)
{
    constexpr std::array primes{101, 103, 107, 109, 113, 127, 131, 137};
    double all = 1;
    std::map<std::string, double> values;
    for (const std::string& extent : extents) {
        for (std::size_t at = 0; at < extent.size();) {
            std::size_t end = at;
            while (end < extent.size() && is_name(extent[end])) ++end;
            const std::string word = extent.substr(at, end - at);
            if (is_word(word)) { // numbered alphabetically, not in order of appearance
                double sum = 0;
                for (const char c : word) sum = 31 * sum + static_cast<unsigned char>(c);
                values[word] = primes[static_cast<std::size_t>(std::fmod(sum, primes.size()))] +
                               std::fmod(sum, 8191) / 8192;
            }
            at = std::max(end, at + 1);
        }
        const auto one = constant(extent, values);
        if (!one) return std::nullopt;
        all *= *one;
    }
    return all;
}

} // namespace

// Rewrites an expression in main(), replacing its names by the kernel's sizes or numbers.
std::optional<std::string> Kernel::in_sliders(std::string_view sum, int depth)
{
    constexpr int max_depth = 4;
    if (depth > max_depth || !launch_) return std::nullopt;
    return rewritten(sum, [&](std::string_view word) -> std::optional<std::string> {
        const std::string name(word);
        for (std::size_t i = 0; i < launch_->words.size() && i < use_.parameters.size(); ++i) {
            if (launch_->words[i] == name && is_whole(parameters_[i])) {
                const std::string id = slider(i);
                return id.find(' ') == std::string::npos ? id : "(" + id + ")";
            }
            // An expression such as "n / 4" is a different size.
            if (has_word(launch_->words[i], name)) return std::nullopt;
        }
        if (const auto sum = source_.sums.find(name); sum != source_.sums.end())
            if (const auto known = in_sliders(sum->second, depth + 1)) return "(" + *known + ")";
        const auto number = source_.numbers.find(name);
        if (number == source_.numbers.end() || number->second < 1 ||
            number->second != std::floor(number->second))
            return std::nullopt;
        return fmt::format("{:.0f}", number->second);
    });
}

// "cudaMalloc(&a, rows * cols * sizeof(float))": the array's extents, innermost first. nullopt if
// main() doesn't allocate it, or not as sums and products.
std::optional<std::vector<std::string>> Kernel::allocated(std::size_t index)
{
    const Parameter& one = parameters_[index];
    if (!launch_ || index >= launch_->words.size() || one.channels > 1 || one.elements.pixel)
        return std::nullopt;
    const auto allocation = source_.allocations.find(launch_->words[index]);
    if (allocation == source_.allocations.end()) return std::nullopt;
    std::string bytes = allocation->second;
    for (int i = 0; i < 3 && source_.sums.contains(bytes); ++i) bytes = source_.sums.at(bytes);
    std::vector<std::string_view> factors = split(bytes, '*');
    const auto size_factor = std::ranges::find_if(factors, [&](std::string_view factor) {
        if (!factor.starts_with("sizeof")) return false;
        const std::string_view type = factor.substr(6).substr(factor.substr(6).find('(') + 1);
        const std::string_view name = type.substr(0, type.find(')'));
        const auto known = elements_of(name);
        return name == one.type ||
               (known && known->type == one.elements.type && known->each == one.elements.each);
    });
    if (size_factor != factors.end())
        factors.erase(size_factor);
    else if (one.elements.each * bytes_of_type(one.elements.type) > 1)
        return std::nullopt;
    std::vector<std::string> extents;
    for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) {
        const auto extent = in_sliders(*factor, 0);
        if (!extent) return std::nullopt;
        extents.push_back(*extent);
    }
    if (extents.empty()) extents = {"1"};
    while (extents.size() > 3) {
        extents[extents.size() - 2] =
            fmt::format("{} * {}", extents.back(), extents[extents.size() - 2]);
        extents.pop_back();
    }
    return extents;
}

// "<<<(length + 127) / 128, 128>>>(text, length, …)": the parameter that the grid covers along the
// axis, if it is a number.
std::optional<std::size_t> Kernel::covered_parameter(std::size_t axis) const
{
    const auto along = launch_ ? split(launch_->over) : std::vector<std::string_view>{};
    if (axis >= along.size()) return std::nullopt;
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < launch_->words.size() && i < use_.parameters.size(); ++i) {
        const std::string& word = launch_->words[i];
        if (!is_whole(parameters_[i]) || !is_word(word) || !has_word(along[axis], word)) continue;
        if (found) return std::nullopt;
        found = i;
    }
    return found;
}

// True if it is a row pitch from cudaMallocPitch.
bool Kernel::is_allocated_pitch(std::size_t index) const
{
    return launch_ && index < launch_->words.size() &&
           source_.pitches.contains(launch_->words[index]);
}

// Row pitch in bytes, in terms of the kernel's sizes.
std::optional<std::string> Kernel::pitch_of_main(std::size_t index)
{
    std::string bytes;
    for (const std::string_view factor : split(source_.pitches.at(launch_->words[index]), '*')) {
        const auto number = constant(factor, {});
        const auto part = number ? fmt::format("{:.0f}", *number) : in_sliders(factor, 0);
        if (!part) return std::nullopt;
        bytes += (bytes.empty() ? "" : " * ") + *part;
    }
    constexpr int pitch_alignment = 512;
    return fmt::format("{} * ceil_div({}, {})", pitch_alignment, bytes, pitch_alignment);
}

// True if main() gives the array's size and all that the launch's addresses depend on: the block,
// and either the grid or the sizes that it covers.
bool Kernel::size_follows_from_main(std::size_t index)
{
    if (!launch_ || launch_->block.empty() || !allocated(index)) return false;
    for (std::size_t i = 0; i < use_.parameters.size(); ++i)
        if (is_whole(parameters_[i]) && !known_at_launch(i)) return false;
    return !launch_->grid.empty();
}

// Prefers the size that main() allocates if it differs from the guess. If the launch's size comes
// from main(), a constant allocation is expressed in terms of it, so that it follows the slider.
void Kernel::extend_as_allocated(std::size_t index)
{
    Parameter& one = parameters_[index];
    const auto allocated_extents = allocated(index);
    if (!allocated_extents) return;
    const auto other = product_at_primes(*allocated_extents);
    if (!shape_.launched || !other) {
        const auto guessed = product_at_primes(one.extents);
        if (guessed && (!other || std::abs(*other - *guessed) > 1e-9 * *other))
            one.extents = *allocated_extents;
        return;
    }
    double elements = 1;
    for (const std::string& extent : *allocated_extents) {
        const auto known = constant(extent, {});
        if (!known) { // in terms of other sizes
            one.extents = *allocated_extents;
            return;
        }
        elements *= *known;
    }
    const double whole = elements / static_cast<double>(*shape_.launched);
    const double blocks = static_cast<double>(*shape_.launched) /
                          (shape_.tile.empty() ? shape_.block[0] : shape_.tile[0]).get<double>();
    if (whole >= 1 && whole == std::floor(whole))
        one.extents = {times(static_cast<int>(whole), shape_.x)};
    else if (elements == blocks && one.use->depends_on_block)
        one.extents = {this->blocks()};
    else
        one.extents = {fmt::format("{:.0f}", elements)};
}

} // namespace lanescope::labs::guessing
