// Arguments and results of functions that the machine implements itself: one lane's values in the
// caller's .param variables. A text may declare these variables smaller than the function requires;
// missing bytes read as zero and are not written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

template <class T>
T call_argument(Executor& x, const Call& call, std::size_t index, int lane)
{
    T value{};
    if (index >= call.arguments.size()) return value;
    const ParamSlot& slot = call.arguments[index];
    std::memcpy(&value, x.parameter(slot, lane), std::min<std::size_t>(sizeof value, slot.bytes));
    return value;
}

template <class T>
void write_result(Executor& x, const Call& call, int lane, const T& value)
{
    if (call.results.empty()) return;
    const ParamSlot& slot = call.results[0];
    std::memcpy(x.parameter(slot, lane), &value, std::min<std::size_t>(sizeof value, slot.bytes));
}

} // namespace lanescope::simt
