// Arithmetic outside the straight-line runs: guarded, with more operands, or with inverted
// predicates.
#include "compute/simt/machine/state/executor.h"
#include "compute/simt/operations/handlers.h"

namespace lanescope::simt {

namespace {

RowOperands operands_of(const Executor& x, const Instruction& in)
{
    RowOperands operands;
    operands.d = x.row<void>(in.d);
    operands.a = x.row<const void>(in.a);
    operands.b = x.row<const void>(in.b);
    operands.c = x.row<const void>(in.c);
    return operands;
}

Flow arithmetic(Executor& x, const Instruction& in, std::uint32_t mask)
{
    in.run(operands_of(x, in), mask);
    return Flow::next;
}

template <bool Carry>
Flow wide(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const WideOperands& wide = x.function->wide[in.extra];
    RowOperands operands = operands_of(x, in);
    MoreOperands more{.d2 = x.row<void>(wide.d2),
                      .d3 = x.row<void>(wide.d3),
                      .d4 = x.row<void>(wide.d4),
                      .e = x.row<const void>(wide.e)};
    operands.more = &more;
    std::array<const void**, 4> sources{&operands.a, &operands.b, &operands.c, &more.e};
    std::array<std::uint32_t, 4> inverted;
    for (std::size_t i = 0; i < sources.size(); ++i)
        if ((wide.inverted >> i & 1u) != 0) {
            inverted[i] = ~*static_cast<const std::uint32_t*>(*sources[i]);
            *sources[i] = &inverted[i];
        }
    if constexpr (Carry)
        more.carry = x.row<std::uint32_t>(row_ref(x.function->carry_row, RowBase::frame));
    in.run(operands, mask);
    return Flow::next;
}

} // namespace

Handlers arithmetic_handlers()
{
    return same<arithmetic>(HandlerKind::arithmetic);
}
Handlers wide_handlers()
{
    return same<wide<false>>(HandlerKind::wide);
}
Handlers wide_carry_handlers()
{
    return same<wide<true>>(HandlerKind::wide);
}

} // namespace lanescope::simt
