// Finds where a result first goes wrong. With a correct kernel, compares its slice with the wrong
// kernel's, from the element backwards: a value that differs either has an input that differs, or
// is the mistake. Without a correct kernel, compares with double precision.
#include "app/run/debug/slice_comparison.h"
#include "app/run/debug/why.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "compute/ptx/instructions/table.h"

namespace lanescope::app {

using simt::Place;
using simt::Slice;
using simt::SliceNode;
using NodeKind = SliceNode::Kind;

std::vector<std::byte> Explainer::result_bytes()
{
    slicer_->timeline(launches() - 1).go_to(~std::uint64_t{0});
    const auto count = static_cast<std::size_t>(result_.width) *
                       static_cast<std::size_t>(result_.height) *
                       static_cast<std::size_t>(result_.element_bytes);
    std::vector<std::byte> bytes;
    if (result_.buffer != nullptr) {
        bytes.resize(count);
        device_->download(bytes, result_.buffer->address() + result_.offset_bytes);
    } else if (result_.image != nullptr) {
        bytes.resize(count);
        device_->download(bytes, *result_.image);
    }
    return bytes;
}

std::optional<std::pair<std::int64_t, std::int64_t>>
Explainer::first_difference(Explainer& reference)
{
    const auto own = result_bytes();
    const auto right = reference.result_bytes();
    const auto width = static_cast<std::size_t>(result_.element_bytes);
    const auto columns = static_cast<std::size_t>(std::max(1, result_.width));
    std::optional<bool> real; // the kernel stores floats
    for (std::size_t at = 0; at + width <= own.size() && at + width <= right.size(); at += width) {
        if (std::memcmp(own.data() + at, right.data() + at, width) == 0) continue;
        const auto x = static_cast<std::int64_t>(at / width % columns);
        const auto y = static_cast<std::int64_t>(at / width / columns);
        if (!real)
            real = slicer_->why(element(x, y), launches() - 1, {.max_nodes = 8}).nodes[0].type ==
                   ptx::Type::f32;
        if (*real && width == 4) {
            float a = 0;
            float b = 0;
            std::memcpy(&a, own.data() + at, 4);
            std::memcpy(&b, right.data() + at, 4);
            // A different order of the same additions is not a mistake.
            if (std::abs(a - b) <= 1e-4f * std::max(1.0f, std::abs(b))) continue;
        }
        return std::pair{x, y};
    }
    return std::nullopt;
}

namespace {

// Orders nodes by execution.
bool earlier(const SliceNode& a, const SliceNode& b)
{
    return std::pair(a.launch, a.position) < std::pair(b.launch, b.position);
}

struct Sign {
    const SliceNode* node = nullptr;
    std::string sentence;
    void offer(const SliceNode& other, const std::string& why)
    {
        if (other.at.line == 0) return;
        if (node != nullptr && !earlier(other, *node)) return;
        node = &other;
        sentence = why;
    }
};

// Finds where a value deviates from the same operations in double precision.
Sign first_inexact_value(const Slice& slice, const std::vector<double>& exact)
{
    Sign found;
    const auto own = [&](int index) {
        const SliceNode& node = slice.nodes[static_cast<std::size_t>(index)];
        switch (node.type) {
        case ptx::Type::f32: {
            float value = 0;
            const auto bits = static_cast<std::uint32_t>(node.bits);
            std::memcpy(&value, &bits, 4);
            return static_cast<double>(value);
        }
        case ptx::Type::f64: {
            double value = 0;
            std::memcpy(&value, &node.bits, 8);
            return value;
        }
        default: {
            const int shift = 64 - 8 * std::clamp(node.bytes, 1, 8);
            return static_cast<double>(static_cast<std::int64_t>(node.bits << shift) >> shift);
        }
        }
    };
    const auto leaves = [&](int index) {
        const double a = own(index);
        const double b = exact[static_cast<std::size_t>(index)];
        if (std::isnan(b) && !std::isnan(a)) return false;
        if (std::isnan(a) || std::isinf(a)) return !std::isnan(b) && !std::isinf(b);
        return std::abs(a - b) > 1e-3 * std::max(1.0, std::abs(b));
    };
    for (std::size_t i = 0; i < slice.nodes.size(); ++i) {
        const SliceNode& node = slice.nodes[i];
        const int index = static_cast<int>(i);
        if (node.kind == NodeKind::undefined) continue;
        if (node.is_made() && leaves(index) && std::ranges::none_of(node.sources, leaves)) {
            // Addresses are computed in 64 bits from unsigned parts and wrap on purpose.
            if (node.type == ptx::Type::b64 || node.type == ptx::Type::pred) continue;
            found.offer(node, fmt::format("It is {} here; in double precision it would be {}.",
                                          node.text(), exact[i]));
        }
        for (const int source : node.sources)
            if (slice.nodes[static_cast<std::size_t>(source)].kind == NodeKind::undefined &&
                node.at.line > 0)
                found.offer(node, fmt::format("It uses {}.",
                                              slice.nodes[static_cast<std::size_t>(source)].name));
    }
    return found;
}

// The earliest value that does not occur in the correct kernel although its inputs do.
Sign first_unmatched_value(const Slice& own, const Slice& right)
{
    std::unordered_set<std::uint64_t> values;
    std::set<std::pair<device::Address, int>> places;
    for (const SliceNode& node : right.nodes) {
        values.insert(node.bits);
        if (node.address != 0 && (node.kind == NodeKind::memory || node.kind == NodeKind::copy))
            places.insert({node.address, node.bytes});
    }
    const auto known = [&](int index) {
        const SliceNode& node = own.nodes[static_cast<std::size_t>(index)];
        return node.kind == NodeKind::constant || values.contains(node.bits);
    };
    Sign found;
    for (std::size_t i = 0; i < own.nodes.size(); ++i) {
        const SliceNode& node = own.nodes[i];
        if (node.is_made() && !known(static_cast<int>(i)) &&
            std::ranges::all_of(node.sources, known))
            found.offer(node, fmt::format("It is {} here; the correct kernel never has this value.",
                                          node.text()));
        const bool loads =
            node.kind == NodeKind::copy && node.row != simt::no_row && node.address != 0;
        if (loads && !places.contains({node.address, std::max(1, ptx::size_bytes(node.moved))}) &&
            !places.contains({node.address, node.bytes}) &&
            std::ranges::all_of(node.addresses, known))
            found.offer(node, "It reads from a location that the correct kernel does not read.");
    }
    return found;
}

} // namespace

FirstWrong Explainer::fault()
{
    FirstWrong wrong;
    wrong.line = fault_->line;
    wrong.sentence = fault_->message;
    wrong.launch = launches() - 1;
    // Slices continue past the fault, because they are taken without checks.
    simt::Timeline& current = slicer_->timeline(wrong.launch);
    current.release();
    {
        const auto checked = device_->timeline(wrong.launch);
        checked->go_to(~std::uint64_t{0});
        wrong.position = checked->known();
    }
    current.reclaim();
    const auto& grid = current.launch().grid;
    const auto& shape = current.launch().block;
    wrong.block =
        fault_->block.x + grid.x * (fault_->block.y + std::uint64_t{grid.y} * fault_->block.z);
    const auto thread = static_cast<int>(fault_->thread.x +
                                         shape.x * (fault_->thread.y + shape.y * fault_->thread.z));
    wrong.warp = thread / simt::warp_lanes;
    wrong.lane = thread % simt::warp_lanes;
    return wrong;
}

FirstWrong Explainer::first_wrong(const Place& place, Explainer* reference)
{
    const auto with_text = [&](FirstWrong wrong) {
        wrong.source = line_text(wrong.line);
        return wrong;
    };
    if (fault_) return with_text(fault());
    const Slice own = slice(place, true);
    std::optional<Slice> right;
    if (reference != nullptr) {
        right = reference->slice(place, true);
        const std::vector<int> lines = matched_lines(lines_, reference->lines_);
        const auto matched = std::ranges::count_if(lines, [](int line) { return line > 0; });
        // Only for an edited text: two separate variants share too few lines.
        if (2 * matched >= std::ssize(lines_) && own.complete && right->complete) {
            FirstWrong wrong = first_differing_line(
                {slicer_.get(), launches()}, own, {reference->slicer_.get(), reference->launches()},
                *right, lines, "the correct kernel");
            if (wrong.line > 0) return with_text(std::move(wrong));
        }
    }
    Sign found;
    if (own.complete && own.written)
        found = first_inexact_value(own, slicer_->evaluate_exactly(own));
    if (found.node == nullptr && right) found = first_unmatched_value(own, *right);
    if (found.node == nullptr) {
        FirstWrong nothing;
        nothing.complete = own.complete && (!right || right->complete);
        return nothing;
    }
    const SliceNode& node = *found.node;
    return with_text({.line = node.at.line,
                      .complete = own.complete,
                      .source = {},
                      .sentence = found.sentence,
                      .launch = node.launch,
                      .position = node.position,
                      .block = node.block,
                      .warp = node.warp,
                      .lane = node.lane});
}

} // namespace lanescope::app
