// Blocks are formed in text order; post-dominators as in Cooper, Harvey and Kennedy, "A Simple,
// Fast Dominance Algorithm", on the reversed graph from a virtual exit.
#include "compute/ptx/control_flow/cfg.h"

#include <algorithm>
#include <utility>

#include "compute/ptx/instructions/table.h"

namespace lanescope::ptx {
namespace {

// True if every lane that executes the instruction leaves the function.
bool leaves(const Module& module, const Instruction& instruction)
{
    const Effect effect = form_of(instruction.op).effect;
    if (effect == Effect::leaves) return true;
    if (effect != Effect::calls || instruction.operands[1].kind != Operand::Kind::symbol)
        return false;
    const Function* callee = module.find_function(instruction.operands[1].symbol);
    return callee != nullptr && callee->directives.contains("noreturn");
}

bool ends_block(const Module& module, const Instruction& instruction)
{
    const Effect effect = form_of(instruction.op).effect;
    return effect == Effect::branches || effect == Effect::calls || leaves(module, instruction);
}

std::vector<int> successors_of(const Module& module, const Function& function,
                               const ControlFlow& flow, const Block& block)
{
    const int count = static_cast<int>(function.instructions.size());
    const auto block_at = [&](int index) {
        return index >= count ? flow.exit() : flow.block_of[index];
    };
    const Instruction& last = function.instructions[block.end - 1];
    std::vector<int> successors;
    bool falls_through = true;
    if (form_of(last.op).effect == Effect::branches) {
        for (int target : branch_targets(function, last)) successors.push_back(block_at(target));
        falls_through = last.guard.has_value();
    } else if (leaves(module, last)) {
        successors.push_back(flow.exit());
        falls_through = last.guard.has_value();
    }
    if (falls_through) successors.push_back(block_at(block.end));
    std::ranges::sort(successors);
    successors.erase(std::unique(successors.begin(), successors.end()), successors.end());
    return successors;
}

void cut_blocks(const Module& module, const Function& function, ControlFlow& flow)
{
    const int count = static_cast<int>(function.instructions.size());
    std::vector<bool> leader(count + 1);
    leader[0] = true;
    for (int i = 0; i < count; ++i) {
        const Instruction& instruction = function.instructions[i];
        for (int target : branch_targets(function, instruction)) leader[target] = true;
        if (ends_block(module, instruction)) leader[i + 1] = true;
    }
    flow.block_of.resize(count);
    for (int i = 0; i < count; ++i) {
        if (leader[i]) flow.blocks.push_back({i, i, {}});
        flow.blocks.back().end = i + 1;
        flow.block_of[i] = static_cast<int>(flow.blocks.size()) - 1;
    }
    for (Block& block : flow.blocks)
        block.successors = successors_of(module, function, flow, block);
}

// The reversed graph, with an added edge from the exit to the last block of each endless loop.
class Reversed {
public:
    explicit Reversed(const ControlFlow& flow)
        : exit_(flow.exit()), predecessors_(exit_ + 1), successors_(exit_), order_(exit_ + 1, -1)
    {
        for (int block = 0; block < exit_; ++block) {
            successors_[block] = flow.blocks[block].successors;
            for (int successor : successors_[block]) predecessors_[successor].push_back(block);
        }
        connect_endless_loops();
        visit(exit_, [this](int block) { postorder_.push_back(block); });
        for (std::size_t i = 0; i < postorder_.size(); ++i)
            order_[postorder_[i]] = static_cast<int>(i);
    }

    std::vector<int> immediate_dominators() const
    {
        std::vector<int> dominator(exit_ + 1, -1);
        dominator[exit_] = exit_;
        for (bool changed = true; changed;) {
            changed = false;
            for (auto block = postorder_.rbegin() + 1; block != postorder_.rend(); ++block) {
                int common = -1;
                for (int successor : successors_[*block])
                    if (dominator[successor] >= 0)
                        common = common < 0 ? successor : meet(dominator, common, successor);
                if (dominator[*block] != common) {
                    dominator[*block] = common;
                    changed = true;
                }
            }
        }
        return dominator;
    }

private:
    int meet(const std::vector<int>& dominator, int a, int b) const
    {
        while (a != b) {
            while (order_[a] < order_[b]) a = dominator[a];
            while (order_[b] < order_[a]) b = dominator[b];
        }
        return a;
    }

    // Depth-first search against the edges, without recursion; calls `leave` in postorder.
    template <class Leave>
    void visit(int start, Leave leave)
    {
        if (seen_.empty()) seen_.resize(exit_ + 1);
        std::vector<std::pair<int, std::size_t>> path{{start, 0}};
        seen_[start] = true;
        while (!path.empty()) {
            auto& [block, next] = path.back();
            if (next == predecessors_[block].size()) {
                leave(block);
                path.pop_back();
            } else if (const int predecessor = predecessors_[block][next++]; !seen_[predecessor]) {
                seen_[predecessor] = true;
                path.emplace_back(predecessor, 0);
            }
        }
    }

    void connect_endless_loops()
    {
        const auto nothing = [](int) {};
        visit(exit_, nothing);
        for (int block = exit_ - 1; block >= 0; --block) {
            if (seen_[block]) continue;
            successors_[block].push_back(exit_);
            predecessors_[exit_].push_back(block);
            visit(block, nothing);
        }
        seen_.clear();
    }

    int exit_;
    std::vector<std::vector<int>> predecessors_;
    std::vector<std::vector<int>> successors_;
    std::vector<int> postorder_;
    std::vector<int> order_; // block → position in postorder_
    std::vector<bool> seen_;
};

} // namespace

std::vector<int> branch_targets(const Function& function, const Instruction& instruction)
{
    std::vector<int> targets;
    const auto add = [&](const std::string& label) {
        if (const auto found = function.labels.find(label); found != function.labels.end())
            targets.push_back(found->second);
    };
    if (instruction.op == Op::bra) {
        add(instruction.operands[0].symbol);
    } else if (instruction.op == Op::brx) {
        const auto table = function.branch_targets.find(instruction.operands[1].symbol);
        if (table != function.branch_targets.end())
            for (const std::string& label : table->second) add(label);
    }
    return targets;
}

ControlFlow control_flow(const Module& module, const Function& function)
{
    ControlFlow flow;
    if (function.instructions.empty()) return flow;
    cut_blocks(module, function, flow);
    flow.immediate_postdominator = Reversed(flow).immediate_dominators();
    flow.immediate_postdominator.pop_back(); // drop the virtual exit's element
    return flow;
}

int ControlFlow::reconvergence(int instruction) const
{
    const int block = immediate_postdominator[block_of[instruction]];
    return block == exit() ? -1 : blocks[block].begin;
}

} // namespace lanescope::ptx
