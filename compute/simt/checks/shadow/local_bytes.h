// Tracks which bytes of local memory the threads of a block have written: a lane mask per warp and
// byte.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compute/simt/machine/state/observer.h"

namespace lanescope::simt {

class LocalBytes {
public:
    explicit LocalBytes(std::size_t warps) : warps_(warps) {}

    // Resets all bytes to unwritten.
    void block_begins() { ++block_; }
    // Per element of the access: the lanes that read a byte they have not written.
    std::array<std::uint32_t, 8> unwritten(std::size_t warp, const AccessEvent& event);
    // Marks the access's bytes as written, except for lanes and elements in `undefined`.
    void store(std::size_t warp, const AccessEvent& event,
               const std::array<std::uint32_t, 8>& undefined);

private:
    struct WarpBytes {
        std::uint64_t block = 0;
        std::vector<std::uint32_t> written; // lane masks, indexed by byte
    };
    std::vector<std::uint32_t>& of(std::size_t warp, std::uint64_t end);

    std::uint64_t block_ = 1;
    std::vector<WarpBytes> warps_;
};

} // namespace lanescope::simt
