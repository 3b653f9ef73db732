// Only a product with one definition in the sum's basic block is fused, and only if its factors
// still have their values there.
#include "app/run/doubt/contraction.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "compute/ptx/instructions/table.h"

namespace lanescope::app {
namespace {

using ptx::Op;
using ptx::Type;
using ptx::Word;
using OperandKind = ptx::Operand::Kind;

struct Edit {
    std::size_t begin = 0, end = 0; // byte range of the text that is replaced
    std::string text;
};

// True for f32 and f64 without a rounding modifier.
bool leaves_rounding(const ptx::Instruction& in)
{
    const Type type = in.modifiers.type();
    if ((type != Type::f32 && type != Type::f64) || in.modifiers.type_count() != 1) return false;
    return !in.has(Word::rn) && !in.has(Word::rz) && !in.has(Word::rm) && !in.has(Word::rp);
}

bool is_contractible(const ptx::Instruction& in)
{
    return leaves_rounding(in) && !in.guard && !in.has(Word::sat);
}

class Fusing {
public:
    Fusing(const ptx::Function& function, bool first_product)
        : function_(function), first_product_(first_product)
    {
        for (const auto& [label, index] : function.labels) starts_.push_back(index);
        for (const ptx::Instruction& in : function.instructions)
            if (const auto reg = destination(in)) ++definitions_[*reg];
    }

    void add_edits(std::vector<Edit>& edits)
    {
        const std::size_t before = edits.size();
        for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
            const ptx::Instruction& in = function_.instructions[i];
            if (std::ranges::find(starts_, static_cast<int>(i)) != starts_.end()) last_.clear();
            if ((in.op == Op::add || in.op == Op::sub) && is_contractible(in)) fuse(in, edits);
            if (const auto reg = destination(in)) last_[*reg] = i;
            if (ptx::form_of(in.op).effect == ptx::Effect::branches) last_.clear();
        }
        if (edits.size() == before || negations_ == 0) return;
        const auto declare = [&](const char* type, char letter) {
            return fmt::format("\n\t.reg .{} %{}negated<{}>;", type, letter, negations_);
        };
        edits.push_back({function_.body_begin, function_.body_begin,
                         declare("f32", 'f') + declare("f64", 'd')});
    }

private:
    static std::optional<int> destination(const ptx::Instruction& in)
    {
        if (ptx::form_of(in.op).destinations == 0 || in.operands.empty()) return {};
        if (in.operands[0].kind != OperandKind::reg || in.operands[0].reg < 0) return {};
        return in.operands[0].reg;
    }

    // The product that the operand is the result of, if it may be fused here.
    const ptx::Instruction* product(const ptx::Operand& operand, const ptx::Instruction& sum) const
    {
        if (operand.kind != OperandKind::reg || operand.reg < 0) return nullptr;
        const auto made = last_.find(operand.reg);
        const auto count = definitions_.find(operand.reg);
        if (made == last_.end() || count == definitions_.end() || count->second != 1)
            return nullptr;
        const ptx::Instruction& in = function_.instructions[made->second];
        if (in.op != Op::mul || !is_contractible(in) ||
            in.modifiers.type() != sum.modifiers.type() || in.has(Word::ftz) != sum.has(Word::ftz))
            return nullptr;
        for (std::size_t i = 1; i < in.operands.size(); ++i)
            if (const auto changed = last_.find(in.operands[i].reg);
                in.operands[i].reg >= 0 && changed != last_.end() && changed->second > made->second)
                return nullptr;
        return &in;
    }

    std::string text_of(const ptx::Operand& operand, Type type) const
    {
        if (operand.kind == OperandKind::reg && operand.reg >= 0)
            return function_.registers[static_cast<std::size_t>(operand.reg)].name;
        if (operand.kind != OperandKind::immediate) return {};
        return type == Type::f64 ? fmt::format("0d{:016X}", operand.bits)
                                 : fmt::format("0f{:08X}", operand.bits & 0xffffffffu);
    }

    void fuse(const ptx::Instruction& sum, std::vector<Edit>& edits)
    {
        const ptx::Instruction* left = product(sum.operands[1], sum);
        const ptx::Instruction* right = product(sum.operands[2], sum);
        if (left != nullptr && right != nullptr) (first_product_ ? right : left) = nullptr;
        const ptx::Instruction* const used = left != nullptr ? left : right;
        if (used == nullptr) return;
        const Type type = sum.modifiers.type();
        const bool subtracts = sum.op == Op::sub;
        std::string a = text_of(used->operands[1], type);
        const std::string b = text_of(used->operands[2], type);
        std::string c = text_of(sum.operands[left != nullptr ? 2 : 1], type);
        const std::string d = text_of(sum.operands[0], type);
        if (a.empty() || b.empty() || c.empty() || d.empty()) return;
        const std::string suffix = fmt::format("{}{}", sum.has(Word::ftz) ? ".ftz" : "",
                                               type == Type::f64 ? ".f64" : ".f32");
        std::string text;
        if (subtracts) { // a·b − c, or c − a·b
            std::string& changed = left != nullptr ? c : a;
            const std::string negated =
                fmt::format("%{}negated{}", type == Type::f64 ? 'd' : 'f', negations_++);
            text = fmt::format("neg{} {}, {}; ", suffix, negated, changed);
            changed = negated;
        }
        text += fmt::format("fma.rn{} {}, {}, {}, {};", suffix, d, a, b, c);
        edits.push_back({sum.text_begin, sum.text_end, std::move(text)});
    }

    const ptx::Function& function_;
    const bool first_product_;
    std::vector<int> starts_;         // instructions at which basic blocks start
    std::map<int, int> definitions_;  // number of definitions, by register
    std::map<int, std::size_t> last_; // instruction that last defined a register, in this block
    int negations_ = 0;
};

std::string applied(const ptx::Module& module, std::vector<Edit> edits)
{
    std::ranges::sort(edits, {}, &Edit::begin);
    std::string text;
    std::size_t done = 0;
    for (const Edit& edit : edits) {
        text += module.text.substr(done, edit.begin - done) + edit.text;
        done = edit.end;
    }
    return text + module.text.substr(done);
}

// Offset in the text just after the opcode's first word; nullopt if it is not found.
std::optional<std::size_t> after_opcode(const ptx::Module& module, const ptx::Instruction& in)
{
    const std::string text = module.text.substr(in.text_begin, in.text_end - in.text_begin);
    for (const char* const name : {"add.", "sub.", "mul."}) {
        const std::size_t at = text.find(name);
        const bool whole =
            at == 0 || (at != text.npos && (text[at - 1] == ' ' || text[at - 1] == '\t'));
        if (whole) return in.text_begin + at + 3;
    }
    return {};
}

} // namespace

std::string contracted(const ptx::Module& module, bool first_product)
{
    std::vector<Edit> edits;
    for (const ptx::Function& function : module.functions)
        if (!function.is_declaration && !function.refusal)
            Fusing(function, first_product).add_edits(edits);
    return applied(module, std::move(edits));
}

std::string separately_rounded(const ptx::Module& module)
{
    std::vector<Edit> edits;
    for (const ptx::Function& function : module.functions)
        for (const ptx::Instruction& in : function.instructions) {
            if (in.op != Op::add && in.op != Op::sub && in.op != Op::mul) continue;
            if (!leaves_rounding(in)) continue;
            if (const auto at = after_opcode(module, in)) edits.push_back({*at, *at, ".rn"});
        }
    return applied(module, std::move(edits));
}

} // namespace lanescope::app
