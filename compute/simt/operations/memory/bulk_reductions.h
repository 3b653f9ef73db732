// Updates of cp.reduce.async.bulk and red.async.
#pragma once

#include "compute/simt/operations/memory/atomic_operations.h"

namespace lanescope::simt {

// Null if PTX has no such operation on the type.
AtomicFunction find_bulk_reduction(AtomicKind kind, ptx::Type type, bool on_global);

} // namespace lanescope::simt
