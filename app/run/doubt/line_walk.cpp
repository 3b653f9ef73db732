// Walks both slices backwards in step. A value counts as common if the same thread has it in the
// other version, too; the walk continues where it is not.
#include "app/run/doubt/line_walk.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace lanescope::app {
namespace {

using simt::Slice;
using simt::SliceNode;
using Kind = SliceNode::Kind;

constexpr std::size_t max_inputs = 4096;
constexpr int max_pairs = 20'000;

bool is_leaf(const SliceNode& node)
{
    return node.sources.empty();
}

// The values of a slice by thread, for looking up a value of the other version.
class Values {
public:
    explicit Values(const Slice& slice)
    {
        for (const SliceNode& node : slice.nodes) all_.insert(key(node));
    }
    bool has(const SliceNode& node) const
    {
        switch (node.kind) {
        case Kind::constant:
        case Kind::parameter:
        case Kind::thread: return true; // the same in both versions
        case Kind::undefined: return false;
        default: return all_.contains(key(node));
        }
    }

private:
    using Key = std::tuple<std::uint64_t, int, int, std::uint64_t>;
    static Key key(const SliceNode& node)
    {
        if (node.kind == Kind::memory) return {~std::uint64_t{0}, 0, 0, node.bits};
        return {node.block, node.warp, node.lane, node.bits};
    }
    std::set<Key> all_;
};

class Walk {
public:
    Walk(const Slice& one, const Slice& other)
        : one_(one), other_(other), values_of_one_(one), values_of_other_(other)
    {
    }

    Divergence find()
    {
        visit(0, 0, 0, 0);
        if (!found_.found) accept(maker(one_, 0), maker(other_, 0), line_above(one_, 0), {});
        return std::move(found_);
    }

private:
    // Nodes that a line's value is computed from: followed through copies and nodes of the line.
    std::vector<int> inputs(const Slice& slice, int index) const
    {
        std::vector<int> found;
        std::set<int> seen;
        const int line = node(slice, index).at.line;
        std::vector<int> open = node(slice, index).sources;
        while (!open.empty() && found.size() < max_inputs) {
            const int next = maker(slice, open.back());
            open.pop_back();
            if (!seen.insert(next).second) continue;
            const SliceNode& one = node(slice, next);
            const bool inside = !is_leaf(one) && one.at.line == line;
            if (inside)
                open.insert(open.end(), one.sources.begin(), one.sources.end());
            else
                found.push_back(next);
        }
        std::ranges::sort(found, [&](int a, int b) { return later(slice, b, a); });
        return found;
    }
    static bool later(const Slice& slice, int a, int b)
    {
        const SliceNode& one = node(slice, a);
        const SliceNode& other = node(slice, b);
        return std::tuple(one.position, one.lane, a) > std::tuple(other.position, other.lane, b);
    }

    // Inputs that the other version has, and the rest of them.
    struct Sorted {
        std::vector<int> common, own;
    };
    Sorted sorted(const Slice& slice, const std::vector<int>& all, const Values& other) const
    {
        Sorted made;
        for (const int index : all)
            (other.has(node(slice, index)) ? made.common : made.own).push_back(index);
        return made;
    }

    // The line of a node, or of the last user of its value that has one.
    static int line_above(const Slice& slice, int index, int otherwise = 0)
    {
        const int line = node(slice, index).at.line;
        return line > 0 ? line : otherwise;
    }

    // Both nodes have different values. Returns true if the difference was placed.
    bool visit(int a, int b, int line_a, int depth)
    {
        if (++pairs_ > max_pairs || depth > 2000) return false;
        line_a = line_above(one_, a, line_a);
        a = maker(one_, a);
        b = maker(other_, b);
        line_a = line_above(one_, a, line_a);
        if (!seen_.insert({a, b}).second) return false;
        const SliceNode& mine = node(one_, a);
        const SliceNode& theirs = node(other_, b);
        if (mine.kind == Kind::undefined || theirs.kind == Kind::undefined || is_leaf(mine) ||
            is_leaf(theirs))
            return accept(a, b, line_a, {});
        const Sorted from_one = sorted(one_, inputs(one_, a), values_of_other_);
        const Sorted from_other = sorted(other_, inputs(other_, b), values_of_one_);
        if (!from_one.own.empty() && !from_other.own.empty() &&
            visit_pairs(from_one.own, from_other.own, line_a, depth))
            return true;
        return accept(a, b, line_a, from_one.own);
    }

    // Pairs inputs that only one version has: first those of the same line, then the rest in order.
    bool visit_pairs(const std::vector<int>& mine, const std::vector<int>& theirs, int line,
                     int depth)
    {
        for (const int a : mine)
            for (const int b : theirs)
                if (node(one_, a).at.line > 0 && node(one_, a).at.line == node(other_, b).at.line &&
                    visit(a, b, line, depth + 1))
                    return true;
        for (std::size_t i = 0; i < std::min(mine.size(), theirs.size()); ++i) {
            const SliceNode& a = node(one_, mine[i]);
            const SliceNode& b = node(other_, theirs[i]);
            const bool other_line = a.at.line > 0 && b.at.line > 0 && a.at.line != b.at.line;
            if (!other_line && a.kind != Kind::undefined && b.kind != Kind::undefined &&
                visit(mine[i], theirs[i], line, depth + 1))
                return true;
            if (a.kind == Kind::undefined || b.kind == Kind::undefined)
                return accept(mine[i], theirs[i], line, {});
        }
        return false;
    }

    // The value of a line is the difference. Inputs that only the first version has are replaced
    // by those that they were computed from, until the other version has these, too.
    bool accept(int a, int b, int line, std::vector<int> own)
    {
        found_.found = true;
        found_.one = a;
        found_.other = b;
        found_.line = line;
        std::set<int> lines;
        std::set<int> seen;
        while (!own.empty() && seen.size() < max_inputs) {
            const int next = own.back();
            own.pop_back();
            if (!seen.insert(next).second) continue;
            const SliceNode& one = node(one_, next);
            if (one.kind == Kind::undefined) found_.undefined = next;
            if (one.at.line > 0 && one.at.line != line) lines.insert(one.at.line);
            const Sorted rest = sorted(one_, inputs(one_, next), values_of_other_);
            own.insert(own.end(), rest.own.begin(), rest.own.end());
        }
        found_.lines_used.assign(lines.begin(), lines.end());
        if (node(one_, a).kind == Kind::undefined) found_.undefined = a;
        if (node(other_, b).kind == Kind::undefined) {
            found_.undefined = b;
            found_.undefined_is_other = true;
        }
        for (const int input : inputs(one_, a)) {
            const SliceNode& one = node(one_, input);
            if (one.kind != Kind::constant && found_.inputs.size() < 8)
                found_.inputs.push_back(named_value(one));
        }
        return true;
    }

    const Slice& one_;
    const Slice& other_;
    Values values_of_one_, values_of_other_;
    std::set<std::pair<int, int>> seen_;
    int pairs_ = 0;
    Divergence found_;
};

} // namespace

std::string named_value(const SliceNode& node)
{
    if (node.name.empty() || node.kind == Kind::constant) return node.text();
    return fmt::format("{} = {}", node.name, node.text());
}

int maker(const Slice& slice, int index)
{
    for (std::size_t steps = 0; steps < slice.nodes.size(); ++steps) {
        const SliceNode& one = node(slice, index);
        // A part of a wider value is not the same value.
        if (one.kind != Kind::copy || one.sources.size() != 1 || one.shift != 0) return index;
        index = one.sources[0];
    }
    return index;
}

Divergence divergence_of(const Slice& one, const Slice& other)
{
    return Walk(one, other).find();
}

} // namespace lanescope::app
