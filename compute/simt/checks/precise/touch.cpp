// Most touches do not overlap a new one, which their bits tell.
#include "compute/simt/checks/precise/touch.h"

#include <algorithm>

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt::precise {

std::uint32_t Touch::lanes_of(std::uint64_t bytes) const
{
    std::uint32_t all = 0;
    for (; bytes != 0; bytes &= bytes - 1)
        all |= lanes_at(static_cast<std::size_t>(lowest_bit(bytes)));
    return all;
}

void Cell::add(const Touch& touch)
{
    touches.push_back(touch);
    bits.push_back(touch.bits);
    reads += touch.op == trace::Op::load;
}

void Cell::forget_all()
{
    touches.clear();
    bits.clear();
    reads = 0;
    emptied = false;
}

void Cell::forget_empty()
{
    std::size_t kept = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) {
        if (bits[i] == 0) {
            reads -= touches[i].op == trace::Op::load;
            continue;
        }
        if (kept != i) touches[kept] = touches[i];
        bits[kept++] = bits[i];
    }
    touches.erase(touches.begin() + static_cast<std::ptrdiff_t>(kept), touches.end());
    bits.resize(kept);
    emptied = false;
}

void Cell::forget_first_read()
{
    const auto first = std::ranges::find(touches, trace::Op::load, &Touch::op);
    bits.erase(bits.begin() + (first - touches.begin()));
    touches.erase(first);
    --reads;
}

} // namespace lanescope::simt::precise
