// mbarrier and cp.async.mbarrier.arrive.
#include "compute/simt/decode/decoder.h"

namespace lanescope::simt {

namespace {

using ptx::Op;
using ptx::Word;

BarrierObject kind_of(const ptx::Instruction& in)
{
    switch (in.op) {
    case Op::mbarrier_init: return BarrierObject::init;
    case Op::mbarrier_inval: return BarrierObject::invalidate;
    case Op::mbarrier_arrive: return BarrierObject::arrive;
    case Op::mbarrier_arrive_drop: return BarrierObject::arrive_drop;
    case Op::mbarrier_expect: return BarrierObject::expect_bytes;
    case Op::mbarrier_complete: return BarrierObject::complete_bytes;
    case Op::mbarrier_pending: return BarrierObject::pending;
    case Op::mbarrier_wait:
        return in.has(Word::parity) ? BarrierObject::wait_parity : BarrierObject::wait;
    default: return BarrierObject::after_copies;
    }
}

} // namespace

// mbarrier.KIND {d,} [address] {, value} {, hint}; each kind uses a subset of these operands.
bool FunctionDecoder::barrier_object(const ptx::Instruction& in, Instruction& out)
{
    const BarrierObject kind = kind_of(in);
    const bool waits = kind == BarrierObject::wait || kind == BarrierObject::wait_parity;
    const bool arrives = kind == BarrierObject::arrive || kind == BarrierObject::arrive_drop;
    Operands operands;
    operands.values[1] = 1;
    operands.values[2] = in.has(Word::noinc) ? 1 : 0;
    operands.inverted = arrives && in.has(Word::expect_tx);
    out.use(barrier_object_handlers(kind));
    if (kind == BarrierObject::pending) {
        operands.rows[0] = destination_row(in, in.operands[0], ptx::Type::b32);
        operands.rows[1] = source_row(in, in.operands[1], ptx::Type::b64);
        out.extra = add_operands(operands);
        return true;
    }
    std::size_t next = 0;
    if (waits || arrives)
        operands.rows[0] =
            destination_row(in, in.operands[next++], waits ? ptx::Type::pred : ptx::Type::b64);
    Access access;
    access.space = in.modifiers.space;
    access.element_bytes = access.width_bytes = 8;
    access.synchronising = kind != BarrierObject::init; // others must be ordered after it
    access.op = waits                         ? trace::Op::load
                : kind == BarrierObject::init ? trace::Op::store
                                              : trace::Op::atomic;
    address(in, in.operands[next++], access);
    if (in.has(ptx::Word::shared_cluster)) reach_cluster(access);
    if (next < in.operands.size())
        operands.rows[1] = source_row(
            in, in.operands[next], kind == BarrierObject::wait ? ptx::Type::b64 : ptx::Type::b32);
    else if (waits || kind == BarrierObject::init)
        refuse(in, "it has too few operands");
    operands.values[0] = static_cast<std::int64_t>(function.accesses.size());
    function.accesses.push_back(access);
    out.extra = add_operands(operands);
    return true;
}

} // namespace lanescope::simt
