// Finds where a result first goes wrong. With a correct kernel, compares its slice with the wrong
// kernel's, from the element backwards: a value that differs either has an input that differs, or
// is the mistake. Without a correct kernel, compares with double precision.
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

// --- Two texts, line by line ---

// For each line of one text, from 1, the matching line of the other text; 0: none. Equal lines
// match in order; the changed lines between two matches are paired if both texts have equally many
// there.
std::vector<int> matched_lines(const std::vector<std::string>& one,
                               const std::vector<std::string>& other)
{
    constexpr std::size_t max_lines = 2000;
    std::vector<int> matched(one.size() + 1, 0);
    if (one.size() > max_lines || other.size() > max_lines) return matched;
    const std::size_t columns = other.size() + 1;
    std::vector<std::uint16_t> longest((one.size() + 1) * columns, 0);
    for (std::size_t i = one.size(); i-- > 0;)
        for (std::size_t j = other.size(); j-- > 0;)
            longest[i * columns + j] = one[i] == other[j] ? longest[(i + 1) * columns + j + 1] + 1
                                                          : std::max(longest[(i + 1) * columns + j],
                                                                     longest[i * columns + j + 1]);
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < one.size() || j < other.size()) {
        if (i < one.size() && j < other.size() && one[i] == other[j]) {
            matched[++i] = static_cast<int>(++j);
            continue;
        }
        const std::size_t begin = i;
        const std::size_t there = j;
        while (i < one.size() || j < other.size()) {
            if (i < one.size() && j < other.size() && one[i] == other[j]) break;
            const bool here =
                j == other.size() ||
                (i < one.size() && longest[(i + 1) * columns + j] >= longest[i * columns + j + 1]);
            ++(here ? i : j);
        }
        if (i - begin == j - there)
            for (std::size_t k = 0; k < i - begin; ++k)
                matched[begin + k + 1] = static_cast<int>(there + k + 1);
    }
    return matched;
}

// --- Two kernels, value by value ---

// Compares the slices of two kernels on the lines that they share; compare() calls one function per
// case.
class Comparison {
public:
    Comparison(Explainer& own, Explainer& right, const Slice& own_slice, const Slice& correct_slice,
               const std::vector<int>& lines)
        : own_(own), right_(right), a_(own_slice), b_(correct_slice), lines_(lines)
    {
        for (std::size_t line = 1; line < lines.size(); ++line)
            if (lines[line] > 0) own_line_of_[lines[line]] = static_cast<int>(line);
        for (const SliceNode& node : b_.nodes) known_.insert(key(right_, node));
    }

    FirstWrong find()
    {
        if (!a_.written || !b_.written) {
            if (a_.written || b_.written) report_branch(a_.written ? a_.nodes[0] : b_.nodes[0]);
            return std::move(found_);
        }
        open_.push_back({0, 0, -1});
        while (!open_.empty()) {
            const Pair pair = open_.back();
            open_.pop_back();
            if (seen_
                    .insert(std::uint64_t{static_cast<std::uint32_t>(pair.own)} << 32 |
                            static_cast<std::uint32_t>(pair.right))
                    .second)
                compare(pair);
        }
        return std::move(found_);
    }

private:
    struct Pair {
        int own;
        int right;
        int user; // the node with a source line that uses the value; -1: none
    };
    // A step of a lane's path: another line, or a branch taken or not.
    struct Event {
        int line = 0; // in this kernel's text; negative if only the other text has it
        int taken = -1;
        std::uint64_t position = 0;
        friend bool operator==(const Event& one, const Event& other)
        {
            return one.line == other.line && one.taken == other.taken;
        }
    };

    const SliceNode& own(int index) const { return a_.nodes[static_cast<std::size_t>(index)]; }
    const SliceNode& right(int index) const { return b_.nodes[static_cast<std::size_t>(index)]; }

    // Cached facts on a kernel's code, per launch.
    struct Code {
        explicit Code(const simt::Program& program) : lines(program) {}
        simt::CodeLines lines;
        // For each instruction, the number of earlier ones on its line.
        std::map<const simt::Function*, std::vector<int>> ordinals;
    };
    Code& code(Explainer& of, std::size_t launch)
    {
        std::unique_ptr<Code>& code = (&of == &own_ ? own_code_ : correct_code_)[launch];
        if (!code) code = std::make_unique<Code>(of.slicer().timeline(launch).launch().program);
        return *code;
    }
    static int ordinal(Code& code, const SliceNode& node)
    {
        std::vector<int>& all = code.ordinals[node.function];
        if (all.empty()) {
            std::map<std::pair<int, int>, int> counts;
            for (std::size_t pc = 0; pc < node.function->code.size(); ++pc) {
                const auto line = code.lines.of(*node.function, static_cast<int>(pc));
                all.push_back(counts[{line.file, line.line}]++);
            }
        }
        return all[node.pc];
    }
    // Identifies an instruction by its line in this kernel's text and its ordinal, so that
    // corresponding instructions of both kernels compare equal.
    struct Instruction {
        int line = 0; // 0: in a header; negative: only in the other text
        int ordinal = 0;
        friend bool operator==(const Instruction&, const Instruction&) = default;
    };
    Instruction instruction(Explainer& of, const SliceNode& node)
    {
        if (node.function == nullptr) return {};
        Code& code = this->code(of, node.launch);
        const auto place = code.lines.of(*node.function, static_cast<int>(node.pc));
        Instruction made{0, ordinal(code, node)};
        if (place.line <= 0 || place.file != code.lines.kernel_file()) return made;
        made.line = &of == &own_ ? place.line : own_line(place.line);
        return made;
    }
    int line(const SliceNode& node) { return std::max(0, instruction(own_, node).line); }
    // The line of this kernel that matches a line of the other.
    int own_line(int line) const
    {
        const auto found = own_line_of_.find(line);
        return found == own_line_of_.end() ? -line : found->second;
    }
    // Identifies a value by instruction and lane.
    std::uint64_t key(Explainer& of, const SliceNode& node)
    {
        const Instruction at = instruction(of, node);
        std::uint64_t hash = node.bits;
        const auto mix = [&](std::uint64_t value) {
            hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 29;
        };
        mix(static_cast<std::uint64_t>(static_cast<std::int64_t>(at.line)));
        mix(static_cast<std::uint64_t>(at.ordinal));
        mix(node.launch);
        mix(node.block);
        mix(static_cast<std::uint64_t>(node.warp * simt::warp_lanes + node.lane));
        return hash;
    }
    static ptx::Op op(const SliceNode& node)
    {
        return node.function->source->instructions[node.function->code[node.pc].source].op;
    }
    static bool is_load(const SliceNode& node)
    {
        return node.kind == NodeKind::copy && node.row != simt::no_row &&
               node.function != nullptr &&
               (op(node) == ptx::Op::ld || op(node) == ptx::Op::ldu || op(node) == ptx::Op::suld);
    }
    // True for a store or an atomic.
    static bool writes(const SliceNode& node)
    {
        return node.kind == NodeKind::atomic ||
               (node.kind == NodeKind::copy && node.row == simt::no_row);
    }
    static bool was_there(const SliceNode& node)
    {
        return node.kind == NodeKind::memory || node.kind == NodeKind::undefined;
    }
    static bool same_operation(const SliceNode& a, const SliceNode& b)
    {
        if (a.kind != b.kind || a.sources.size() != b.sources.size()) return false;
        if (a.function == nullptr || b.function == nullptr) return a.function == b.function;
        return op(a) == op(b);
    }

    void compare(const Pair& pair)
    {
        const SliceNode& a = own(pair.own);
        const SliceNode& b = right(pair.right);
        if (a.bits == b.bits) return;
        const bool same_place = instruction(own_, a) == instruction(right_, b);
        if (writes(a) && writes(b) && !same_place)
            return a.position > b.position ? report_extra_write(pair.own) : missing_write(b);
        if (was_there(a) && writes(b) && instruction(right_, b).line > 0) return missing_write(b);
        if (writes(a) && was_there(b)) return report_extra_write(pair.own);
        if (a.kind == NodeKind::atomic && b.kind == NodeKind::atomic && other_updates(pair)) return;
        const bool leaf = !a.is_made() && a.kind != NodeKind::copy;
        if (leaf) return misused(pair);
        if (const std::uint64_t value = key(own_, a); pair.user >= 0 && known_.contains(value)) {
            // The correct kernel has this value, too. Either its own result depends on the value,
            // and this lane has left a loop too early; or it does not, and this lane uses the wrong
            // value.
            if (reaches(pair.right, value) && report_branch(b)) return;
            if (!same_place) return misused(pair);
        }
        const int user = line(a) > 0 ? pair.own : pair.user;
        if (is_load(a) && is_load(b) && a.address != b.address) {
            bool earlier = a.addresses.size() != b.addresses.size();
            const bool comparable = !earlier;
            for (std::size_t i = 0; comparable && i < a.addresses.size(); ++i)
                if (own(a.addresses[i]).bits != right(b.addresses[i]).bits) {
                    open_.push_back({a.addresses[i], b.addresses[i], user});
                    earlier = true;
                }
            if (!earlier || !comparable) offer(user, reads(a, b));
            return;
        }
        if (a.kind == NodeKind::copy && b.kind == NodeKind::copy && a.sources.size() == 1 &&
            b.sources.size() == 1) {
            return open_.push_back({a.sources[0], b.sources[0], user});
        }
        if (same_operation(a, b)) {
            bool earlier = false;
            for (std::size_t i = 0; i < a.sources.size(); ++i)
                if (own(a.sources[i]).bits != right(b.sources[i]).bits) {
                    open_.push_back({a.sources[i], b.sources[i], user});
                    earlier = true;
                }
            if (!earlier) offer(user, makes(a, b));
            return;
        }
        if (!same_place && report_branch(b)) return;
        offer(user, makes(a, b));
    }

    // A write that the correct kernel does not make: the lane took a wrong path or writes to a
    // wrong address.
    void report_extra_write(int index)
    {
        const SliceNode& a = own(index);
        if (!report_branch(a)) offer(index, "It writes here; the correct kernel does not.");
    }
    // The correct kernel's write is missing: the lane took a wrong path or writes elsewhere.
    void missing_write(const SliceNode& b)
    {
        if (report_branch(b)) return;
        FirstWrong wrong = lane_of(b);
        wrong.line = instruction(right_, b).line;
        // Both lanes take the same path, so the instruction has the same index in both.
        const std::vector<Event> mine = path_of(own_, b);
        const std::vector<Event> theirs = path_of(right_, b);
        const auto after = std::ranges::upper_bound(theirs, b.position, {}, &Event::position);
        const auto at = static_cast<std::size_t>(after - theirs.begin());
        if (at > 0 && at <= mine.size() && mine[at - 1].line == wrong.line)
            wrong.position = mine[at - 1].position;
        wrong.sentence = "It does not write where the correct kernel does.";
        offer(std::move(wrong));
    }
    // True if other lanes update the location than in the correct kernel.
    bool other_updates(const Pair& pair)
    {
        using Update = std::tuple<std::size_t, std::uint64_t, int, int, int, int>;
        const auto updates = [&](Explainer& of, const Slice& slice, int index) {
            std::map<Update, std::pair<int, int>> all; // number of equal updates, and one of these
            for (;;) {
                const SliceNode& node = slice.nodes[static_cast<std::size_t>(index)];
                if (node.kind != NodeKind::atomic || node.sources.empty()) return all;
                const Instruction at = instruction(of, node);
                auto& [count, last] =
                    all[{node.launch, node.block, node.warp, node.lane, at.line, at.ordinal}];
                ++count;
                last = index;
                index = node.sources[0];
            }
        };
        const auto mine = updates(own_, a_, pair.own);
        const auto theirs = updates(right_, b_, pair.right);
        const auto more = [](const auto& here, const auto& there) {
            return std::ranges::find_if(here, [&](const auto& each) {
                const auto other = there.find(each.first);
                return other == there.end() || other->second.first < each.second.first;
            });
        };
        if (const auto found = more(theirs, mine); found != theirs.end())
            missing_write(right(found->second.second));
        if (const auto found = more(mine, theirs); found != mine.end())
            report_extra_write(found->second.second);
        return mine.size() != theirs.size() || more(mine, theirs) != mine.end();
    }

    // True if the correct kernel's node depends on one with that key.
    bool reaches(int from, std::uint64_t wanted)
    {
        std::vector<std::uint8_t> seen(b_.nodes.size(), 0);
        std::vector<int> open{from};
        while (!open.empty()) {
            const int index = open.back();
            open.pop_back();
            if (std::exchange(seen[static_cast<std::size_t>(index)], 1) != 0) continue;
            const SliceNode& node = right(index);
            if (index != from && key(right_, node) == wanted) return true;
            open.insert(open.end(), node.sources.begin(), node.sources.end());
        }
        return false;
    }

    // Finds the branch at which the lane that computes the node leaves the path of the other
    // kernel.
    bool report_branch(const SliceNode& lane)
    {
        const auto thread = std::make_tuple(lane.launch, lane.block, lane.warp, lane.lane);
        if (const auto known = diverged_.find(thread); known != diverged_.end())
            return known->second;
        bool& parts = diverged_[thread];
        const std::vector<Event> mine = path_of(own_, lane);
        const std::vector<Event> theirs = path_of(right_, lane);
        const auto end = std::ranges::mismatch(mine, theirs);
        const auto common = static_cast<std::size_t>(end.in1 - mine.begin());
        if (common == mine.size() && common == theirs.size()) return false;
        std::size_t at = common;
        const bool branch = common < mine.size() && common < theirs.size() &&
                            mine[common].line == theirs[common].line;
        if (!branch)
            while (at-- > 0 && mine[at].taken < 0) {
            }
        if (at >= mine.size()) return false;
        parts = true;
        if (branch && mine[common].taken >= 0 && theirs[common].taken >= 0 &&
            guard_differs(lane, mine[common].position, theirs[common].position))
            return true;
        FirstWrong wrong = lane_of(lane);
        wrong.line = mine[at].line;
        wrong.sentence = "From here the lane takes a different path than in the correct kernel.";
        wrong.position = mine[at].position;
        offer(std::move(wrong));
        return true;
    }
    static FirstWrong lane_of(const SliceNode& node)
    {
        FirstWrong wrong;
        wrong.launch = node.launch;
        wrong.block = node.block;
        wrong.warp = node.warp;
        wrong.lane = node.lane;
        return wrong;
    }
    // Finds where the condition of a branch goes wrong.
    bool guard_differs(const SliceNode& lane, std::uint64_t mine, std::uint64_t theirs)
    {
        if (depth_ > 3) return false;
        const Slice a = own_.slicer().why_branch(lane.launch, mine, lane.lane);
        const Slice b = right_.slicer().why_branch(lane.launch, theirs, lane.lane);
        if (!a.complete || !b.complete) return false;
        Comparison guards(own_, right_, a, b, lines_);
        guards.depth_ = depth_ + 1;
        guards.diverged_ = diverged_;
        guards.diverged_[{lane.launch, lane.block, lane.warp, lane.lane}] = false; // being examined
        FirstWrong wrong = guards.find();
        if (wrong.line <= 0) return false;
        offer(std::move(wrong));
        return true;
    }

    std::vector<Event> path_of(Explainer& of, const SliceNode& lane)
    {
        std::vector<Event> events;
        if (lane.launch >= of.launches()) return events;
        simt::Timeline& timeline = of.slicer().timeline(lane.launch);
        const auto begin = timeline.find_block(lane.block);
        if (!begin) return events;
        const auto end = timeline.block_end(*begin).value_or(timeline.known());
        const simt::CodeLines& code = this->code(of, lane.launch).lines;
        int last = 0;
        timeline.replay(*begin, end, [&](simt::Timeline& at) {
            if (at.block().linear != lane.block || at.walk().state().warp != lane.warp) return;
            const simt::Path& path = at.walk().path();
            if ((path.mask >> lane.lane & 1u) == 0) return;
            const simt::Warp& warp = at.block().warps[static_cast<std::size_t>(lane.warp)];
            const simt::Function& function =
                *warp.frames[static_cast<std::size_t>(path.frame)].function;
            const auto place = code.of(function, path.pc);
            if (place.line <= 0 || place.file != code.kernel_file()) return;
            const int here = &of == &own_ ? place.line : own_line(place.line);
            if (here != last) events.push_back({here, -1, at.position()});
            last = here;
            const auto source = function.code[static_cast<std::size_t>(path.pc)].source;
            if (source >= function.source->instructions.size()) return;
            const ptx::Instruction& in = function.source->instructions[source];
            if (in.op == ptx::Op::bra && in.guard)
                events.push_back({here, static_cast<int>(at.walk().next_mask() >> lane.lane & 1u),
                                  at.position()});
        });
        return events;
    }

    // --- Messages ---

    static std::string value_of(const SliceNode& node)
    {
        const bool plain = node.kind == NodeKind::memory || node.kind == NodeKind::parameter ||
                           node.kind == NodeKind::thread || node.kind == NodeKind::undefined;
        return plain && !node.name.empty() ? fmt::format("{} ({})", node.name, node.text())
                                           : node.text();
    }
    static std::string makes(const SliceNode& a, const SliceNode& b)
    {
        return fmt::format("It is {} here, but {} in the correct kernel.", a.text(), b.text());
    }
    std::string reads(const SliceNode& a, const SliceNode& b) const
    {
        const auto from = [](const Slice& slice, const SliceNode& node) -> const SliceNode* {
            return node.sources.size() == 1
                       ? &slice.nodes[static_cast<std::size_t>(node.sources[0])]
                       : nullptr;
        };
        const SliceNode* mine = from(a_, a);
        const SliceNode* theirs = from(b_, b);
        if (mine != nullptr && theirs != nullptr && mine->kind == NodeKind::memory &&
            theirs->kind == NodeKind::memory)
            return fmt::format("It reads {} here; the correct kernel reads {}.", mine->name,
                               theirs->name);
        return "It reads from a different location than the correct kernel.";
    }
    void misused(const Pair& pair)
    {
        if (pair.user < 0) return;
        const SliceNode& a = own(pair.own);
        const SliceNode& b = right(pair.right);
        const SliceNode& user = own(pair.user);
        offer(pair.user, std::ranges::find(user.addresses, pair.own) != user.addresses.end()
                             ? "It reads from a different location than the correct kernel."
                             : fmt::format("It uses {} here; the correct kernel uses {}.",
                                           value_of(a), value_of(b)));
    }

    void offer(int index, std::string sentence)
    {
        if (index < 0) return;
        const SliceNode& node = own(index);
        FirstWrong wrong;
        wrong.line = line(node);
        wrong.sentence = std::move(sentence);
        wrong.launch = node.launch;
        wrong.position = node.position;
        wrong.block = node.block;
        wrong.warp = node.warp;
        wrong.lane = node.lane;
        offer(std::move(wrong));
    }
    void offer(FirstWrong wrong)
    {
        if (wrong.line <= 0) return;
        if (found_.line > 0 &&
            std::pair(found_.launch, found_.position) <= std::pair(wrong.launch, wrong.position))
            return;
        found_ = std::move(wrong);
    }

    Explainer& own_;
    Explainer& right_;
    const Slice& a_;
    const Slice& b_;
    const std::vector<int>& lines_;
    int depth_ = 0;                           // nesting of branch examinations
    std::map<int, int> own_line_of_;          // line of this text, indexed by line of the other
    std::unordered_set<std::uint64_t> known_; // keys of the correct kernel's values
    std::map<std::size_t, std::unique_ptr<Code>> own_code_, correct_code_;      // keyed by launch
    std::map<std::tuple<std::size_t, std::uint64_t, int, int>, bool> diverged_; // keyed by thread
    std::unordered_set<std::uint64_t> seen_;
    std::vector<Pair> open_;
    FirstWrong found_;
};

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
            FirstWrong wrong = Comparison(*this, *reference, own, *right, lines).find();
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
