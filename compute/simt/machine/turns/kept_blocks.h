// Blocks that the cores reuse from launch to launch: small launches would otherwise spend most of
// their time allocating and freeing rows and lists for their warps.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "compute/simt/machine/state/block.h"

namespace lanescope::simt {

class KeptBlocks {
public:
    explicit KeptBlocks(int cores) : per_core_(static_cast<std::size_t>(cores)) {}

    // Returns a block to start in. Only the thread that runs as `core` may call this.
    std::unique_ptr<Block> take(int core);
    // Stores a block that has finished.
    void keep(int core, std::unique_ptr<Block> block);

private:
    struct alignas(64) PerCore {
        std::unique_ptr<Block> block;
    };
    std::vector<PerCore> per_core_;
};

} // namespace lanescope::simt
