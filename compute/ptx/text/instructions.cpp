// One statement that is no directive: a label, or an instruction with its guard, modifiers and
// operands.
#include "compute/ptx/text/parser.h"

#include <fmt/format.h>

#include "compute/ptx/instructions/words.h"
#include "compute/ptx/text/parse_error.h"

namespace lanescope::ptx {

std::string Parser::written(const Instruction& instruction) const
{
    std::string text = instruction.opcode;
    for (const std::string& modifier : instruction.modifiers) text += "." + modifier;
    return text;
}

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

    parsed.opcode = opcode.text;
    while (lexer_.peek().kind == Token::Kind::dotted)
        parsed.modifiers.emplace_back(lexer_.take().text);
    if (find_opcode(parsed.opcode) == nullptr)
        throw ParseError(opcode.line,
                         fmt::format("instruction '{}' is not understood", written(parsed)));

    const int index = static_cast<int>(function_->instructions.size());
    const bool branches = parsed.opcode == "bra", by_table = parsed.opcode == "brx";
    if (parsed.opcode == "call") {
        call_operands(parsed);
    } else if (!lexer_.peek().is(';')) {
        do {
            const int place = static_cast<int>(parsed.operands.size());
            parsed.operands.push_back((branches && place == 0) || (by_table && place == 1)
                                          ? label_operand(index, place)
                                          : operand(0));
        } while (accept(','));
    }
    const Token last = lexer_.peek();
    expect(';', fmt::format("'{}'", written(parsed)));
    parsed.text_end = last.end;
    check_operands(parsed);
    function_->instructions.push_back(std::move(parsed));
    for (LabelUse& use : pending_labels_) scopes_->use_label(std::move(use));
    pending_labels_.clear();
}

void Parser::check_operands(const Instruction& instruction) const
{
    const Opcode& opcode = *find_opcode(instruction.opcode);
    const int count = static_cast<int>(instruction.operands.size());
    if (count < opcode.fewest || count > opcode.most)
        throw ParseError(instruction.ptx_line,
                         fmt::format("instruction '{}' has {} operands, not {} to {}",
                                     written(instruction), count, opcode.fewest, opcode.most));
    if (opcode.address >= 0 && instruction.operands[opcode.address].kind != Operand::Kind::address)
        throw ParseError(instruction.ptx_line,
                         fmt::format("operand {} of '{}' must be an address in brackets",
                                     opcode.address + 1, written(instruction)));
}

// call (results), function, (arguments), prototype; — every part but the function may be missing.
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
