// Blocks that the cores keep from one launch to the next: small launches would else mostly make
// rows and lists for their warps, and give them back.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "compute/simt/machine/block.h"

namespace lanescope::simt {

class KeptBlocks {
public:
    explicit KeptBlocks(int cores) : of_core_(static_cast<std::size_t>(cores)) {}

    // One to begin a block in. Whoever runs as this core asks, and nobody else at the same time.
    std::unique_ptr<Block> take(int core);
    // A block that has run to its end.
    void keep(int core, std::unique_ptr<Block> block);

private:
    struct alignas(64) OfCore {
        std::unique_ptr<Block> block;
    };
    std::vector<OfCore> of_core_;
};

} // namespace lanescope::simt
