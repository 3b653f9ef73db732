// atom, red and cp.async, and which of them force blocks to run in order: those whose results
// depend on it.
#include <fmt/format.h>

#include "compute/ptx/instructions/words.h"
#include "compute/simt/decode/decoder.h"
#include "compute/simt/operations/atomic_operations.h"

namespace lanescope::simt {

namespace {

using Kind = ptx::Operand::Kind;

bool is_ignored(std::string_view word)
{
    for (std::string_view ignored :
         {"relaxed", "acquire", "release", "acq_rel", "cta", "gpu", "sys", "noftz"})
        if (word == ignored) return true;
    return word.starts_with("L2::");
}

} // namespace

bool FunctionDecoder::atomic(const ptx::Instruction& in, Instruction& out)
{
    const bool returns = in.opcode == "atom";
    if (!returns && in.opcode != "red") return false;
    Access access;
    std::string operation;
    ptx::Type type = ptx::Type::none;
    for (const std::string& word : in.modifiers) {
        if (word == "global")
            access.space = ptx::Space::global;
        else if (word == "shared" || word == "shared::cta")
            access.space = ptx::Space::shared;
        else if (const auto found = ptx::type_of(word))
            type = *found;
        else if (!is_ignored(word) && operation.empty() &&
                 find_atomic(word, ptx::Type::u32).on_shared != nullptr)
            operation = word;
        else if (!is_ignored(word))
            refuse(in, fmt::format(".{} is not supported", word));
    }
    const AtomicOperation found = find_atomic(operation, type);
    const std::size_t first = returns ? 1 : 0; // the address
    if (found.on_shared == nullptr ||
        in.operands.size() < first + 1 + static_cast<std::size_t>(found.operands))
        refuse(in);
    access.element_bytes = access.width_bytes = static_cast<std::uint8_t>(ptx::size_bytes(type));
    access.op = returns ? trace::Op::atomic : trace::Op::reduction;
    address(in, in.operands[first], access);
    access.atomic = found.on_shared;
    access.atomic_global = found.on_global;
    access.atomic_parallel = found.on_global_parallel;
    access.synchronising = operation == "cas" || operation == "exch";
    const ptx::Type row = lane_bytes(type) == 8 ? ptx::Type::b64 : ptx::Type::b32;
    const auto operand = [&](std::size_t i) {
        const ptx::Operand& value = in.operands[i];
        return source_row(
            in, value,
            value.kind == Kind::immediate && lane_bytes(type) == lane_bytes(row) ? type : row);
    };
    const bool wanted = returns && in.operands[0].kind == Kind::reg &&
                        uses[static_cast<std::size_t>(in.operands[0].reg)] > 1;
    if (returns && in.operands[0].kind == Kind::reg)
        access.values[0] = destination_row(in, in.operands[0], row);
    access.values[1] = operand(first + 1);
    if (found.operands == 2) access.values[2] = operand(first + 2);

    if (access.space != ptx::Space::shared) {
        access.cache = shared.program.cache_slots++;
        if (wanted || found.on_global_parallel == nullptr) orders_blocks();
        // One operation commutes with itself; extremes of signed and of unsigned numbers, or
        // updates of words of different sizes, do not with each other.
        const bool extreme = operation == "min" || operation == "max";
        shared.global_reductions.insert(
            fmt::format("{}{}{}", operation, access.element_bytes,
                        extreme && (type == ptx::Type::s32 || type == ptx::Type::s64) ? "s" : ""));
    }
    out.handler = atomic_handlers();
    out.extra = static_cast<std::uint32_t>(function.accesses.size());
    function.accesses.push_back(access);
    return true;
}

// cp.async.{ca,cg}.shared.global [to], [from], bytes {, source bytes} {, ignore}; commit_group;
// wait_group; wait_all.
bool FunctionDecoder::async_copy(const ptx::Instruction& in, Instruction& out)
{
    if (in.opcode != "cp" || !in.has("async")) return false;
    if (in.has("bulk")) refuse(in, "bulk copies (TMA) are not supported");
    if (in.has("mbarrier")) refuse(in, "mbarriers are not supported");
    Operands operands;
    if (in.has("commit_group")) {
        out.handler = async_commit_handlers();
        return true;
    }
    if (in.has("wait_group") || in.has("wait_all")) {
        if (in.has("wait_group"))
            operands.values[0] = static_cast<std::int64_t>(in.operands.at(0).bits);
        out.handler = async_wait_handlers(in.has("wait_all"));
        out.extra = add_operands(operands);
        return true;
    }
    if (in.operands.size() < 3 || in.operands[2].kind != Kind::immediate) refuse(in);
    const auto add = [&](ptx::Space space, const ptx::Operand& operand, trace::Op op) {
        Access access;
        access.space = space;
        access.op = op;
        access.width_bytes = access.element_bytes = static_cast<std::uint8_t>(in.operands[2].bits);
        address(in, operand, access);
        if (space == ptx::Space::global) access.cache = shared.program.cache_slots++;
        function.accesses.push_back(access);
        return static_cast<std::int64_t>(function.accesses.size() - 1);
    };
    operands.values[0] = add(ptx::Space::shared, in.operands[0], trace::Op::store);
    operands.values[1] = add(ptx::Space::global, in.operands[1], trace::Op::load);
    if (in.operands.size() > 3 && !in.has("L2::cache_hint")) {
        const ptx::Operand& extra = in.operands[3];
        const bool is_predicate = extra.kind == Kind::reg && register_bytes(extra.reg) == 0;
        if (is_predicate)
            operands.rows[1] = source_row(in, extra, ptx::Type::pred);
        else
            operands.rows[0] = source_row(in, extra, ptx::Type::u32);
    }
    out.handler = async_copy_handlers();
    out.extra = add_operands(operands);
    return true;
}

} // namespace lanescope::simt
