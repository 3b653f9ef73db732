// The barrier of a cluster: barrier.cluster.arrive and barrier.cluster.wait.
#pragma once

#include <string>

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

// Call after lanes have exited: completes a barrier that was waiting only for them.
void complete_cluster_barrier(Executor& executor);
// True if threads of the block wait at the barrier of its cluster.
bool waits_for_cluster(const Block& block);
// Throws the fault of threads of the executor's block that wait at the cluster's barrier for
// threads that cannot arrive. Returns if no thread waits there.
void fault_stuck_at_cluster_barrier(Executor& executor);
// ", because thread (32, 0, 0) waits at the cluster's barrier (ring.cu:12)" if a thread of the
// executor's block does; otherwise empty.
std::string waiting_at_cluster_barrier(const Executor& executor);

} // namespace lanescope::simt
