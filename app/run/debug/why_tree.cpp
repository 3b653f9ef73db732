// Condenses a backward slice for readers: copies are skipped, and everything that one line computes
// in one lane is one node.
#include "app/run/debug/why_tree.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

#include "app/run/debug/why.h"

namespace lanescope::app {

using simt::Slice;
using simt::SliceNode;
using NodeKind = SliceNode::Kind;

namespace {

constexpr std::size_t max_children = 64;
constexpr std::size_t max_nodes = 20'000;

// Says how a value came from another lane or an earlier launch; empty if it did not.
std::string transfer_text(const SliceNode& from, const SliceNode& copy)
{
    if (from.lane != copy.lane && from.warp == copy.warp && from.block == copy.block &&
        copy.at.ptx.find("shfl") != std::string::npos)
        return fmt::format("from lane {} by a shuffle", from.lane);
    if (from.kind == NodeKind::copy && from.at.ptx.find("st.shared") != std::string::npos &&
        (from.lane != copy.lane || from.warp != copy.warp))
        return fmt::format("through shared memory, stored by lane {} of warp {}", from.lane,
                           from.warp);
    if ((from.kind == NodeKind::copy || from.kind == NodeKind::atomic) &&
        from.launch != copy.launch)
        return fmt::format("through memory, from launch {} of the step", from.launch + 1);
    return {};
}

std::string words_of(const SliceNode& node)
{
    switch (node.kind) {
    case NodeKind::operation:
    case NodeKind::atomic:
    case NodeKind::pack:
    case NodeKind::copy:
        return fmt::format("{}, lane {} of warp {}, block {}",
                           node.at.line > 0 ? fmt::format("line {}", node.at.line)
                                            : "in " + node.at.function,
                           node.lane, node.warp, node.block);
    case NodeKind::memory: return node.name + " at the start of the step";
    case NodeKind::parameter: return node.name + ", a parameter";
    case NodeKind::constant: return "a constant";
    case NodeKind::thread:
    case NodeKind::cut: return node.name;
    case NodeKind::undefined: return node.name + ", which nothing has written";
    }
    return {};
}

bool is_executed(NodeKind kind)
{
    return kind == NodeKind::operation || kind == NodeKind::atomic || kind == NodeKind::pack ||
           kind == NodeKind::copy;
}

class Builder {
public:
    Builder(const Slice& slice, const std::vector<std::string>& lines)
        : slice_(slice), lines_(lines)
    {
        tree_.complete = slice.complete;
        for (const SliceNode& node : slice.nodes) tree_.operations += node.is_made();
        if (!slice.written) tree_.problem = "Nothing in this step has written it.";
    }

    WhyTree build()
    {
        add(0);
        while (!open_.empty() && tree_.nodes.size() < max_nodes) {
            const Open next = open_.back();
            open_.pop_back();
            add_children(next.tree_node, inputs_of(node(next.slice_node)));
        }
        if (!open_.empty()) tree_.complete = false;
        return std::move(tree_);
    }

private:
    struct Open {
        int slice_node;
        int tree_node;
    };

    const SliceNode& node(int index) const { return slice_.nodes[static_cast<std::size_t>(index)]; }

    bool only_copies(int index) const
    {
        return node(index).kind == NodeKind::copy && node(index).sources.size() == 1;
    }

    // Adds the tree's node for a node of the slice, skipping copies.
    int add(int index)
    {
        const int given = index;
        std::string via;
        std::string texel; // channels of a texel that is stored as one number
        for (; only_copies(index); index = node(index).sources[0]) {
            if (std::string way = transfer_text(node(node(index).sources[0]), node(index));
                !way.empty())
                via = std::move(way);
            if (texel.empty() && node(index).channels > 1) texel = node(index).text();
        }
        const auto [known, is_new] =
            tree_node_of_.try_emplace(index, static_cast<int>(tree_.nodes.size()));
        if (!is_new) return known->second;
        const SliceNode& of = node(index);
        // A value that is only copied belongs to the lane that stored it.
        const bool root = tree_.nodes.empty() && index != given;
        const SliceNode& ran = root && !of.is_made() ? node(given) : of;
        WhyNode shown;
        shown.value = texel.empty() ? of.text() : std::move(texel);
        shown.words = words_of(of);
        shown.via = std::move(via);
        if (root && is_executed(node(given).kind))
            shown.written = "written at " + words_of(node(given));
        shown.launch = ran.launch;
        shown.position = ran.position;
        shown.block = ran.block;
        shown.warp = ran.warp;
        shown.lane = ran.lane;
        shown.line = ran.at.line;
        shown.operation = ran.at.ptx;
        shown.can_go = shown.has_place = is_executed(ran.kind);
        shown.is_leaf = !of.is_made();
        // Functions in the compiler's own headers have no lines.
        shown.source =
            shown.can_go && ran.at.line == 0 ? ran.at.ptx : trimmed_line(lines_, ran.at.line);
        tree_.nodes.push_back(std::move(shown));
        if (of.is_made()) open_.push_back({index, known->second});
        return known->second;
    }

    // Inputs of the line that computed `top`, as nodes of the slice without constants.
    std::vector<int> inputs_of(const SliceNode& top) const
    {
        std::vector<int> inputs;
        std::set<std::pair<const simt::Function*, std::uint32_t>> instructions{
            {top.function, top.pc}};
        std::vector<int> open(top.sources.rbegin(), top.sources.rend());
        std::set<int> seen;
        while (!open.empty()) {
            const int given = open.back();
            open.pop_back();
            int at = given;
            while (only_copies(at)) at = node(at).sources[0];
            if (!seen.insert(at).second) continue;
            const SliceNode& of = node(at);
            if (of.kind == NodeKind::constant) continue;
            const bool same = of.kind == NodeKind::operation && of.at.line == top.at.line &&
                              of.launch == top.launch && of.block == top.block &&
                              of.warp == top.warp && of.lane == top.lane && of.at.line != 0 &&
                              instructions.insert({of.function, of.pc}).second;
            if (same)
                open.insert(open.end(), of.sources.rbegin(), of.sources.rend());
            else
                inputs.push_back(given);
        }
        return inputs;
    }

    void add_children(int parent, const std::vector<int>& inputs)
    {
        std::vector<int> children;
        for (const int input : inputs) {
            if (children.size() >= max_children) {
                tree_.nodes[static_cast<std::size_t>(parent)].left_out =
                    inputs.size() - children.size();
                break;
            }
            const int child = add(input);
            if (std::ranges::find(children, child) == children.end() && child != parent)
                children.push_back(child);
        }
        tree_.nodes[static_cast<std::size_t>(parent)].children = std::move(children);
    }

    const Slice& slice_;
    const std::vector<std::string>& lines_;
    WhyTree tree_;
    std::map<int, int> tree_node_of_; // tree node of each slice node, copies skipped
    std::vector<Open> open_;
};

} // namespace

std::string trimmed_line(const std::vector<std::string>& lines, int line)
{
    if (line < 1 || line > static_cast<int>(lines.size())) return {};
    const std::string& text = lines[static_cast<std::size_t>(line) - 1];
    const std::size_t begin = text.find_first_not_of(" \t");
    return begin == std::string::npos ? std::string() : text.substr(begin);
}

WhyTree tree_of(const Slice& slice, const std::vector<std::string>& lines)
{
    return Builder(slice, lines).build();
}

std::string tree_text(const WhyTree& tree, int max_depth, std::size_t max_lines)
{
    std::string text;
    std::size_t lines = 0;
    std::unordered_set<int> reported;
    struct Open {
        int node;
        int depth;
    };
    std::vector<Open> open{{0, 0}};
    if (!tree.problem.empty()) text += tree.problem + "\n";
    while (!open.empty()) {
        const Open at = open.back();
        open.pop_back();
        if (lines++ == max_lines) {
            text += "…\n";
            break;
        }
        const WhyNode& node = tree.nodes[static_cast<std::size_t>(at.node)];
        const bool again = !reported.insert(at.node).second && !node.children.empty();
        text += std::string(static_cast<std::size_t>(2 * at.depth), ' ') + node.value + "  " +
                node.words;
        if (!node.via.empty()) text += ", " + node.via;
        if (!node.written.empty()) text += ", " + node.written;
        if (!node.source.empty() && (!node.is_leaf || !node.written.empty()))
            text += "  |  " + node.source;
        if (again) text += "  (as above)";
        text += "\n";
        if (again) continue;
        if (at.depth + 1 >= max_depth) {
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
    if (!tree.complete) text += "Its history is too long to follow.\n";
    return text;
}

} // namespace lanescope::app
