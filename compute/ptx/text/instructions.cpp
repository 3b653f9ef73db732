// One statement other than a directive: a label, or an instruction with its guard, modifiers and
// operands.
#include "compute/ptx/text/parser.h"

#include <iterator>

#include <fmt/format.h>

#include "compute/ptx/instructions/table.h"
#include "compute/ptx/text/parse_error.h"

namespace lanescope::ptx {
namespace {

// SIMD video instructions that row functions execute in their plain forms.
bool is_simd_video(Op op)
{
    switch (op) {
    case Op::vabsdiff2:
    case Op::vabsdiff4:
    case Op::vmin2:
    case Op::vmax2:
    case Op::vmin4:
    case Op::vmax4: return true;
    default: return false;
    }
}

} // namespace

void Parser::instruction()
{
    Instruction parsed;
    const Token first = lexer_.peek();
    parsed.ptx_line = first.line;
    parsed.text_begin = first.begin;
    parsed.location = location_;
    if (accept('@')) {
        const bool negated = accept('!');
        const Token name = expect_word("a predicate");
        const Meaning* meaning = scopes_->find(name.text);
        if (meaning == nullptr || meaning->registers.size() != 1 ||
            function_->registers[meaning->registers[0]].type != Type::pred)
            throw ParseError(name.line, fmt::format("{} is not a predicate", name.quoted()));
        parsed.guard = Guard{meaning->registers[0], negated};
    }
    const Token opcode = expect_word("an instruction");
    if (!parsed.guard && accept(':')) return labelled(opcode);

    words_.clear();
    while (lexer_.peek().kind == Token::Kind::dotted) words_.push_back(lexer_.take().text);
    const Reading reading = read_words(opcode.text, words_);
    if (reading.form == nullptr)
        throw ParseError(opcode.line,
                         fmt::format("instruction '{}' {}", shown(opcode), reading.problem));
    const Form& form = *reading.form;
    parsed.op = form.op;
    parsed.modifiers = reading.modifiers;

    takes_parts_ = form.unit == Unit::video || is_simd_video(form.op);
    const int index = static_cast<int>(function_->instructions.size());
    if (form.effect == Effect::calls) {
        call_operands(parsed);
    } else if (!lexer_.peek().is(';')) {
        operands_.clear();
        do {
            const int place = static_cast<int>(operands_.size());
            operands_.push_back(place == form.label ? label_operand(index, place) : operand(0));
        } while (accept(','));
        // Shrinks the list to its exact size: with spare capacity, operands would take up
        // max_operands entries per instruction of a long text.
        parsed.operands.assign(std::make_move_iterator(operands_.begin()),
                               std::make_move_iterator(operands_.end()));
    }
    const Token last = lexer_.peek();
    if (!accept(';')) fail_at(last, fmt::format("';' after '{}'", shown(opcode)));
    parsed.text_end = last.end;
    check_operands(parsed, form, opcode);
    function_->instructions.push_back(std::move(parsed));
    for (LabelUse& use : pending_labels_) scopes_->use_label(std::move(use));
    pending_labels_.clear();
}

// As written: "ld.global.f32".
std::string Parser::shown(const Token& opcode) const
{
    std::string all(opcode.text);
    for (const std::string_view word : words_) all.append(1, '.').append(word);
    return all;
}

void Parser::check_operands(const Instruction& instruction, const Form& form,
                            const Token& opcode) const
{
    const auto refuse = [&](const std::string& why) {
        throw ParseError(instruction.ptx_line,
                         fmt::format("instruction '{}' {}", shown(opcode), why));
    };
    const int count = static_cast<int>(instruction.operands.size());
    if (count < form.min_operands || count > form.max_operands)
        refuse(form.min_operands == form.max_operands
                   ? fmt::format("has {} operands, not {}", count, form.max_operands)
                   : fmt::format("has {} operands, not {} to {}", count, form.min_operands,
                                 form.max_operands));
    if (form.address >= 0 && instruction.operands[form.address].kind != Operand::Kind::address)
        refuse(fmt::format("needs an address in brackets as operand {}", form.address + 1));
    const bool lacks_sync =
        (instruction.op == Op::shfl || instruction.op == Op::vote) && !instruction.has(Word::sync);
    const int version = 10 * module_.version_major + module_.version_minor;
    if (lacks_sync && version >= 64 && module_.architecture() >= 70)
        refuse("needs .sync: sm_70 and later have no other form since PTX 6.4");
    if (form.effect != Effect::copies) return;
    const Operand& size = instruction.operands[2];
    const bool known = size.kind == Operand::Kind::immediate &&
                       (size.bits == 4 || size.bits == 8 || size.bits == 16);
    if (instruction.operands[1].kind != Operand::Kind::address || !known)
        refuse("copies 4, 8 or 16 bytes from an address to an address");
    if (instruction.has(Word::cg) && size.bits != 16) refuse("copies 16 bytes with .cg");
}

// call (results), function, (arguments), prototype; — all parts but the function are optional.
void Parser::call_operands(Instruction& instruction)
{
    const int index = static_cast<int>(function_->instructions.size());
    std::vector<Operand>& operands = instruction.operands;
    Operand none;
    none.kind = Operand::Kind::list;
    if (lexer_.peek().is('(')) {
        operands.push_back(argument_list());
        expect(',', "the results of a call");
    } else {
        operands.push_back(none);
    }
    operands.push_back(operand(0));
    const Operand& callee = operands.back();
    if (callee.kind != Operand::Kind::symbol && callee.kind != Operand::Kind::reg)
        fail_at(lexer_.peek(), "a function's name or register before this");
    const bool indirect = callee.kind == Operand::Kind::reg;
    bool more = accept(',');
    if (more && lexer_.peek().is('(')) {
        operands.push_back(argument_list());
        more = accept(',');
    } else {
        operands.push_back(none);
    }
    if (more) operands.push_back(label_operand(index, 3));
    if (indirect && !more) fail_at(lexer_.peek(), "the prototype of an indirect call");
}

} // namespace lanescope::ptx
