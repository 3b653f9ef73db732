// Predicts how a launch uses each buffer, from the kernel's text and its arguments. The fast checks
// record only accesses that a prediction leaves open. The first access that contradicts a
// prediction ends the attempt, and the launch starts over without predictions: a wrong prediction
// costs time but changes no result.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "compute/simt/machine/memory/memory.h"

namespace lanescope::ptx {
struct Module;
struct Function;
} // namespace lanescope::ptx

namespace lanescope::simt {

struct LaunchState;

enum class BufferUse : std::uint8_t {
    any,          // no prediction
    read,         // no thread writes to it
    written_once, // no thread reads it, and each byte is written at most once
    owned,        // a word that is written is touched by a single thread
};

// The uses of parameters that a kernel's text allows, and the number of
// launches that contradicted them.
class KernelUses {
public:
    KernelUses(const ptx::Module& module, const ptx::Function& kernel);

    struct Pointer {
        std::size_t parameter = 0; // index
        bool read = false, written = false, updated = false;
        std::size_t element_bytes = 0; // size of the narrowest access
    };
    const std::vector<Pointer>& pointers() const { return pointers_; }

    // Number of contradictions so far. After the first, no buffer is predicted to be written once;
    // after the second, there are no predictions.
    int mistakes() const { return mistakes_.load(std::memory_order_relaxed); }
    void add_mistake() { mistakes_.fetch_add(1, std::memory_order_relaxed); }

private:
    std::vector<Pointer> pointers_;
    std::atomic<int> mistakes_{0};
};

class PredictedUses {
public:
    PredictedUses() = default; // no predictions
    explicit PredictedUses(const LaunchState& launch);

    struct Buffer {
        const Allocation* buffer = nullptr;
        BufferUse use = BufferUse::any;
        bool is_whole = false; // every byte was written before the launch
    };
    bool any() const { return !buffers_.empty(); }
    Buffer of(const Allocation& allocation) const
    {
        for (const Buffer& each : buffers_)
            if (each.buffer == &allocation) return each;
        return {};
    }

private:
    std::vector<Buffer> buffers_;
};

} // namespace lanescope::simt
