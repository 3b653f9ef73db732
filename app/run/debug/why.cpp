// Nodes of a slice that belong to one visit of a line become one node of the tree; what only passes
// a value on is left out.
#include "app/run/debug/why.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <sstream>
#include <unordered_set>

#include <fmt/format.h>

#include "app/run/debug/debugger.h"
#include "app/run/debug/stepped_text.h"
#include "compute/simt/machine/options.h"

namespace lanescope::app {

using simt::Place;
using simt::Slice;
using simt::SliceNode;
using NodeKind = SliceNode::Kind;

namespace {

constexpr std::size_t most_children = 64;

} // namespace

Explainer::Explainer(const DebugStart& start) : start_(start)
{
    const labs::Lab& lab = *start_.lab;
    const labs::Variant& variant = *start_.variant;
    std::istringstream text{std::string(lab.source(variant))};
    for (std::string line; std::getline(text, line);) {
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
        lines_.push_back(line);
    }
    simt::SteppedDevice::Replace replace;
    if (start_.text == SteppedText::as_written) {
        const SteppedPtx written = ptx_as_written(lab, variant);
        if (!written.ptx.empty())
            replace = [own = std::string(lab.ptx(variant)), text = written.ptx](
                          std::string_view ptx) { return ptx == own ? text : std::string(ptx); };
    }
    simt::Options options;
    options.time_limit_s = 20;
    if (start_.checks) options.checks = simt::Checks::all();
    device_ = std::make_unique<simt::SteppedDevice>(options, std::move(replace));
    device_->set_printer([](std::string_view) {});
    allocator_ = std::make_unique<device::PlainAllocator>(*device_);
    if (start_.runs_on) start_.runs_on(device_.get());
    experiment_ = begin_of_step(start_, *device_, *allocator_).experiment;
    result_ = experiment_->next_result();
    device_->note(true);
    try {
        experiment_->step();
    } catch (const device::KernelFault& found) {
        fault_ = found.fault(); // what it has written until then can be explained all the same
    }
    if (device_->launches().empty())
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} launches nothing that could be explained.", variant.title),
                    "Choose another variant.");
    slicer_ = std::make_unique<simt::Slicer>(*device_);
}

Explainer::~Explainer() = default;

std::pair<std::int64_t, std::int64_t> Explainer::element_at(double u, double v) const
{
    const auto at = [](double share, int count) {
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(share * count)), 0,
                                        std::max(count - 1, 0));
    };
    return {at(u, result_.width), at(v, result_.height)};
}

simt::Place Explainer::element(std::int64_t x, std::int64_t y) const
{
    if (result_.buffer == nullptr && result_.image == nullptr)
        throw Error(
            ExitStatus::bad_usage,
            fmt::format("{} has no result that is a row or a grid of elements.", start_.lab->title),
            "Name a buffer with --buffer and --index.");
    if (x < 0 || y < 0 || x >= result_.width || y >= result_.height)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("The result has columns 0 to {} and rows 0 to {}.",
                                result_.width - 1, result_.height - 1),
                    "Row 0 is at the bottom of the picture.");
    const auto offset = result_.offset_bytes + static_cast<std::size_t>(y * result_.width + x) *
                                                   static_cast<std::size_t>(result_.element_bytes);
    Place place;
    place.bytes = std::min(result_.element_bytes, 8);
    if (result_.image != nullptr) {
        place.surface = result_.image->surface();
        place.address = offset;
    } else {
        place.address = result_.buffer->address() + offset;
    }
    return place;
}

simt::Place Explainer::element_of(const std::string& name, std::int64_t index, int bytes) const
{
    const device::Buffer* buffer = experiment_->buffer(name);
    if (buffer == nullptr) {
        std::string names;
        for (const auto& one : experiment_->memory())
            names += (names.empty() ? "" : ", ") + one.name;
        throw Error(ExitStatus::no_such_thing, fmt::format("There is no buffer {}.", name),
                    names.empty() ? "" : fmt::format("There are: {}.", names));
    }
    if (index < 0 ||
        static_cast<std::uint64_t>(index + 1) * static_cast<std::uint64_t>(bytes) > buffer->bytes())
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} has elements 0 to {} of {} bytes.", name,
                                buffer->bytes() / static_cast<std::size_t>(bytes) - 1, bytes));
    Place place;
    place.address = buffer->address() + static_cast<std::uint64_t>(index * bytes);
    place.bytes = bytes;
    return place;
}

Slice Explainer::slice(const Place& place, bool with_addresses)
{
    return slicer_->why(place, launches() - 1, {.with_addresses = with_addresses});
}

WhyTree Explainer::tree(const Place& place)
{
    return tree(slice(place));
}

std::string Explainer::line_text(int line) const
{
    if (line < 1 || line > static_cast<int>(lines_.size())) return {};
    const std::string& text = lines_[static_cast<std::size_t>(line) - 1];
    const std::size_t begin = text.find_first_not_of(" \t");
    return begin == std::string::npos ? std::string() : text.substr(begin);
}

WhyTree Explainer::tree(const Slice& slice) const
{
    WhyTree tree;
    tree.complete = slice.complete;
    for (const SliceNode& node : slice.nodes) tree.operations += node.is_made();
    if (!slice.written) tree.problem = "Nothing in this step has written it.";
    const auto node_of = [&](int index) -> const SliceNode& {
        return slice.nodes[static_cast<std::size_t>(index)];
    };
    std::map<int, int> made; // by the slice's node, copies skipped
    struct Work {
        int slice_node;
        int tree_node;
    };
    std::vector<Work> work;
    // The tree's node for what the slice's node passes on.
    const auto tree_node = [&](int index) {
        std::string via;
        int at = index;
        while (node_of(at).kind == NodeKind::copy && node_of(at).sources.size() == 1) {
            const SliceNode& copy = node_of(at);
            const SliceNode& from = node_of(copy.sources[0]);
            if (from.lane != copy.lane && from.warp == copy.warp && from.block == copy.block &&
                copy.at.ptx.find("shfl") != std::string::npos)
                via = fmt::format("from lane {} by a shuffle", from.lane);
            else if (from.kind == NodeKind::copy &&
                     from.at.ptx.find("st.shared") != std::string::npos &&
                     (from.lane != copy.lane || from.warp != copy.warp))
                via = fmt::format("through shared memory, stored by lane {} of warp {}", from.lane,
                                  from.warp);
            else if ((from.kind == NodeKind::copy || from.kind == NodeKind::atomic) &&
                     from.launch != copy.launch)
                via = fmt::format("through memory, from launch {} of the step", from.launch + 1);
            at = copy.sources[0];
        }
        if (const auto known = made.find(at); known != made.end()) return known->second;
        const SliceNode& node = node_of(at);
        WhyNode shown;
        shown.value = node.text();
        shown.via = via;
        shown.launch = node.launch;
        shown.position = node.position;
        shown.block = node.block;
        shown.warp = node.warp;
        shown.lane = node.lane;
        shown.line = node.at.line;
        shown.source = line_text(node.at.line);
        shown.operation = node.at.ptx;
        switch (node.kind) {
        case NodeKind::operation:
        case NodeKind::atomic:
        case NodeKind::pack:
        case NodeKind::copy:
            shown.can_go = true;
            // Functions of the compiler's own headers have no lines.
            if (node.at.line == 0) shown.source = node.at.ptx;
            shown.words = fmt::format("{}, lane {} of warp {}, block {}",
                                      node.at.line > 0 ? fmt::format("line {}", node.at.line)
                                                       : "in " + node.at.function,
                                      node.lane, node.warp, node.block);
            break;
        case NodeKind::memory: shown.words = node.name + " as the step began"; break;
        case NodeKind::parameter: shown.words = node.name + ", a parameter"; break;
        case NodeKind::constant: shown.words = "a constant"; break;
        case NodeKind::thread: shown.words = node.name; break;
        case NodeKind::undefined: shown.words = node.name + ", which nothing has written"; break;
        case NodeKind::cut: shown.words = node.name; break;
        }
        shown.is_leaf = !node.is_made();
        if (shown.is_leaf && node.kind != NodeKind::copy) {
            shown.line = node.at.line;
        }
        const int number = static_cast<int>(tree.nodes.size());
        tree.nodes.push_back(std::move(shown));
        made[at] = number;
        if (node.is_made()) work.push_back({at, number});
        return number;
    };
    tree_node(0);
    while (!work.empty() && tree.nodes.size() < 20'000) {
        const Work next = work.back();
        work.pop_back();
        const SliceNode& top = node_of(next.slice_node);
        std::vector<int> inputs; // of the slice
        std::set<std::pair<const simt::Function*, std::uint32_t>> instructions{
            {top.function, top.pc}};
        std::vector<int> open(top.sources.rbegin(), top.sources.rend());
        std::set<int> seen;
        while (!open.empty()) {
            int at = open.back();
            open.pop_back();
            const int given = at;
            while (node_of(at).kind == NodeKind::copy && node_of(at).sources.size() == 1)
                at = node_of(at).sources[0];
            if (!seen.insert(at).second) continue;
            const SliceNode& node = node_of(at);
            if (node.kind == NodeKind::constant) continue;
            const bool same = node.kind == NodeKind::operation && node.at.line == top.at.line &&
                              node.launch == top.launch && node.block == top.block &&
                              node.warp == top.warp && node.lane == top.lane && node.at.line != 0 &&
                              instructions.insert({node.function, node.pc}).second;
            if (same) {
                open.insert(open.end(), node.sources.rbegin(), node.sources.rend());
                continue;
            }
            inputs.push_back(given);
        }
        std::vector<int> children;
        for (const int input : inputs) {
            if (children.size() >= most_children) {
                tree.nodes[static_cast<std::size_t>(next.tree_node)].left_out =
                    inputs.size() - children.size();
                break;
            }
            const int child = tree_node(input);
            if (std::ranges::find(children, child) == children.end() && child != next.tree_node)
                children.push_back(child);
        }
        tree.nodes[static_cast<std::size_t>(next.tree_node)].children = std::move(children);
    }
    if (!work.empty()) tree.complete = false;
    return tree;
}

std::string tree_text(const WhyTree& tree, int most_depth, std::size_t most_lines)
{
    std::string text;
    std::size_t lines = 0;
    std::unordered_set<int> told;
    struct Open {
        int node;
        int depth;
    };
    std::vector<Open> open{{0, 0}};
    if (!tree.problem.empty()) text += tree.problem + "\n";
    while (!open.empty()) {
        const Open at = open.back();
        open.pop_back();
        if (lines++ == most_lines) {
            text += "…\n";
            break;
        }
        const WhyNode& node = tree.nodes[static_cast<std::size_t>(at.node)];
        const bool again = !told.insert(at.node).second && !node.children.empty();
        text += std::string(static_cast<std::size_t>(2 * at.depth), ' ') + node.value + "  " +
                node.words;
        if (!node.via.empty()) text += ", " + node.via;
        if (!node.source.empty() && !node.is_leaf) text += "  |  " + node.source;
        if (again) text += "  (as above)";
        text += "\n";
        if (again) continue;
        if (at.depth + 1 >= most_depth) {
            if (!node.children.empty())
                text += std::string(static_cast<std::size_t>(2 * at.depth + 2), ' ') + "…\n";
            continue;
        }
        if (node.left_out > 0)
            text += std::string(static_cast<std::size_t>(2 * at.depth + 2), ' ') +
                    fmt::format("… and {} more\n", node.left_out);
        for (auto child = node.children.rbegin(); child != node.children.rend(); ++child)
            open.push_back({*child, at.depth + 1});
    }
    if (!tree.complete) text += "It goes back further than is followed.\n";
    return text;
}

} // namespace lanescope::app
