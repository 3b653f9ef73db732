// Which bytes of their local memory the threads of a block have written: by warp and byte, the
// lanes that have.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compute/simt/machine/observer.h"

namespace lanescope::simt {

class LocalBytes {
public:
    explicit LocalBytes(std::size_t warps) : warps_(warps) {}

    // Nothing is written any more.
    void block_begins() { ++block_; }
    // By element of what the access moves, the lanes that read a byte which they have not written.
    std::array<std::uint32_t, 8> unwritten(std::size_t warp, const AccessEvent& event);
    // The access writes its bytes, but for those of elements and lanes that are `undefined`.
    void store(std::size_t warp, const AccessEvent& event,
               const std::array<std::uint32_t, 8>& undefined);

private:
    struct WarpBytes {
        std::uint64_t block = 0;
        std::vector<std::uint32_t> written; // lanes, by byte
    };
    std::vector<std::uint32_t>& of(std::size_t warp, std::uint64_t end);

    std::uint64_t block_ = 1;
    std::vector<WarpBytes> warps_;
};

} // namespace lanescope::simt
