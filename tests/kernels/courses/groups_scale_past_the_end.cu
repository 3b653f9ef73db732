// The grid as a group: a grid-stride loop over its ranks.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void groupsScale(float* data, float factor, int n)
{
    cg::grid_group grid = cg::this_grid();
    for (unsigned long long i = grid.thread_rank(); i <= n; i += grid.size()) data[i] *= factor;
}
