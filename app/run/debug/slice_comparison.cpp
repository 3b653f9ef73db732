// Compares two slices value by value, from the element backwards: a value that differs either has
// an input that differs, or is the difference.
#include "app/run/debug/slice_comparison.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "compute/ptx/instructions/table.h"

namespace lanescope::app {

using simt::Slice;
using simt::SliceNode;
using NodeKind = SliceNode::Kind;

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

namespace {

// Compares the slices of two kernels on the lines that they share; compare() calls one function per
// case.
class Comparison {
public:
    Comparison(const ComparedRun& own, const Slice& own_slice, const ComparedRun& right,
               const Slice& right_slice, const std::vector<int>& lines, const std::string& other)
        : own_(own), right_(right), a_(own_slice), b_(right_slice), lines_(lines), other_(other)
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
    Code& code(const ComparedRun& of, std::size_t launch)
    {
        std::unique_ptr<Code>& code = (&of == &own_ ? own_code_ : correct_code_)[launch];
        if (!code) code = std::make_unique<Code>(of.slicer->timeline(launch).launch().program);
        return *code;
    }
    // The line of an instruction, in the source or in the PTX.
    static simt::CodeLines::Line place(const ComparedRun& of, const Code& code,
                                       const simt::Function& function, int pc)
    {
        if (!of.by_ptx_lines) return code.lines.of(function, pc);
        const auto source = function.code[static_cast<std::size_t>(pc)].source;
        if (source >= function.source->instructions.size()) return {};
        return {code.lines.kernel_file(), function.source->instructions[source].ptx_line};
    }
    static int ordinal(const ComparedRun& of, Code& code, const SliceNode& node)
    {
        std::vector<int>& all = code.ordinals[node.function];
        if (all.empty()) {
            std::map<std::pair<int, int>, int> counts;
            for (std::size_t pc = 0; pc < node.function->code.size(); ++pc) {
                const auto line = place(of, code, *node.function, static_cast<int>(pc));
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
    Instruction instruction(const ComparedRun& of, const SliceNode& node)
    {
        if (node.function == nullptr) return {};
        Code& code = this->code(of, node.launch);
        const auto at = place(of, code, *node.function, static_cast<int>(node.pc));
        Instruction made{0, ordinal(of, code, node)};
        if (at.line <= 0 || at.file != code.lines.kernel_file()) return made;
        made.line = &of == &own_ ? at.line : own_line(at.line);
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
    std::uint64_t key(const ComparedRun& of, const SliceNode& node)
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
            // The other kernel has this value, too. Either its own result depends on the value,
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

    // A write that the other kernel does not make: the lane took a wrong path or writes to a
    // wrong address.
    void report_extra_write(int index)
    {
        const SliceNode& a = own(index);
        if (!report_branch(a)) offer(index, fmt::format("It writes here; {} does not.", other_));
    }
    // The other kernel's write is missing: the lane took a wrong path or writes elsewhere.
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
        wrong.sentence = fmt::format("It does not write where {} does.", other_);
        offer(std::move(wrong));
    }
    // True if other lanes update the location than in the other kernel.
    bool other_updates(const Pair& pair)
    {
        using Update = std::tuple<std::size_t, std::uint64_t, int, int, int, int>;
        const auto updates = [&](const ComparedRun& of, const Slice& slice, int index) {
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

    // True if the other kernel's node depends on one with that key.
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
        wrong.sentence =
            fmt::format("From here the lane takes a different path than in {}.", other_);
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
        const Slice a = own_.slicer->why_branch(lane.launch, mine, lane.lane);
        const Slice b = right_.slicer->why_branch(lane.launch, theirs, lane.lane);
        if (!a.complete || !b.complete) return false;
        Comparison guards(own_, a, right_, b, lines_, other_);
        guards.depth_ = depth_ + 1;
        guards.diverged_ = diverged_;
        guards.diverged_[{lane.launch, lane.block, lane.warp, lane.lane}] = false; // being examined
        FirstWrong wrong = guards.find();
        if (wrong.line <= 0) return false;
        offer(std::move(wrong));
        return true;
    }

    std::vector<Event> path_of(const ComparedRun& of, const SliceNode& lane)
    {
        std::vector<Event> events;
        if (lane.launch >= of.launches) return events;
        simt::Timeline& timeline = of.slicer->timeline(lane.launch);
        const auto begin = timeline.find_block(lane.block);
        if (!begin) return events;
        const auto end = timeline.block_end(*begin).value_or(timeline.known());
        const Code& code = this->code(of, lane.launch);
        int last = 0;
        timeline.replay(*begin, end, [&](simt::Timeline& at) {
            if (at.block().linear != lane.block || at.walk().state().warp != lane.warp) return;
            const simt::Path& path = at.walk().path();
            if ((path.mask >> lane.lane & 1u) == 0) return;
            const simt::Warp& warp = at.block().warps[static_cast<std::size_t>(lane.warp)];
            const simt::Function& function =
                *warp.frames[static_cast<std::size_t>(path.frame)].function;
            const auto its = place(of, code, function, path.pc);
            if (its.line <= 0 || its.file != code.lines.kernel_file()) return;
            const int here = &of == &own_ ? its.line : own_line(its.line);
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
    std::string makes(const SliceNode& a, const SliceNode& b) const
    {
        return fmt::format("It is {} here, but {} in {}.", a.text(), b.text(), other_);
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
            return fmt::format("It reads {} here; {} reads {}.", mine->name, other_, theirs->name);
        return fmt::format("It reads from a different location than {}.", other_);
    }
    void misused(const Pair& pair)
    {
        if (pair.user < 0) return;
        const SliceNode& a = own(pair.own);
        const SliceNode& b = right(pair.right);
        const SliceNode& user = own(pair.user);
        offer(pair.user,
              std::ranges::find(user.addresses, pair.own) != user.addresses.end()
                  ? fmt::format("It reads from a different location than {}.", other_)
                  : fmt::format("It uses {} here; {} uses {}.", value_of(a), other_, value_of(b)));
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

    const ComparedRun& own_;
    const ComparedRun& right_;
    const Slice& a_;
    const Slice& b_;
    const std::vector<int>& lines_;
    const std::string& other_;       // the other kernel, in sentences: "the correct kernel"
    int depth_ = 0;                  // nesting of branch examinations
    std::map<int, int> own_line_of_; // line of this text, indexed by line of the other
    std::unordered_set<std::uint64_t> known_; // keys of the other kernel's values
    std::map<std::size_t, std::unique_ptr<Code>> own_code_, correct_code_;      // keyed by launch
    std::map<std::tuple<std::size_t, std::uint64_t, int, int>, bool> diverged_; // keyed by thread
    std::unordered_set<std::uint64_t> seen_;
    std::vector<Pair> open_;
    FirstWrong found_;
};

} // namespace

FirstWrong first_differing_line(const ComparedRun& own, const Slice& own_slice,
                                const ComparedRun& right, const Slice& right_slice,
                                const std::vector<int>& lines, const std::string& other)
{
    return Comparison(own, own_slice, right, right_slice, lines, other).find();
}

} // namespace lanescope::app
