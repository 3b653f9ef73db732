// Tries the sizes of elements and rows with which the grid would fall short by less than a block.
#include "compute/runtime/left_out.h"

#include <algorithm>

#include <fmt/format.h>

namespace lanescope::runtime {

namespace {

struct Plane {
    std::uint64_t element_bytes = 0;
    std::uint64_t width = 0, height = 0;
};

// True if the plane fills the allocation, and exactly its elements outside the grid are
// unwritten.
bool fits(const Plane& plane, std::uint64_t columns, std::uint64_t rows, const Unwritten& memory)
{
    const std::uint64_t all = plane.width * plane.height * plane.element_bytes;
    if (all != memory.bytes) return false;
    const std::uint64_t inside =
        std::min(columns, plane.width) * std::min(rows, plane.height) * plane.element_bytes;
    const std::uint64_t first =
        (columns < plane.width ? columns : plane.width * rows) * plane.element_bytes;
    return memory.unwritten == all - inside && memory.first == first;
}

// The numbers of rows or columns for which `threads` may have been rounded down from blocks of
// `block`, or are enough.
struct Sizes {
    std::uint64_t first, end;
};
Sizes sizes(std::uint64_t threads, std::uint64_t block)
{
    return {threads - block + 1, threads + block};
}

std::string blocks_needed(std::uint64_t size, std::uint64_t block)
{
    return fmt::format("({} + {}) / {} = {}", size, block - 1, block, (size + block - 1) / block);
}

std::string sentence(const Writer& writer, const Plane& plane, std::uint64_t columns,
                     std::uint64_t rows)
{
    const bool is_row = plane.height == 1 && rows == 1;
    if (is_row)
        return fmt::format(
            "Kernel {} writes {} of {} elements, one per thread, and the last {} are "
            "left out: its {} blocks of {} threads are {} / {} rounded down. Round up to {} "
            "blocks, and check the index in the kernel.",
            writer.kernel, columns, plane.width, plane.width - columns, writer.grid.x,
            writer.block.x, plane.width, writer.block.x,
            blocks_needed(plane.width, writer.block.x));
    std::string cure;
    if (columns < plane.width) cure += blocks_needed(plane.width, writer.block.x) + " in x";
    if (rows < plane.height)
        cure += (cure.empty() ? "" : ", ") + blocks_needed(plane.height, writer.block.y) + " in y";
    return fmt::format(
        "Kernel {} writes {} × {} of {} × {} elements, one per thread: the number of "
        "blocks is rounded down. Round up to {}, and check the indices in the kernel.",
        writer.kernel, std::min(columns, plane.width), std::min(rows, plane.height), plane.width,
        plane.height, cure);
}

} // namespace

std::optional<std::string> left_out_elements(const Writer& writer, const Unwritten& memory)
{
    if (writer.kernel.empty() || writer.grid.z != 1 || writer.block.z != 1) return {};
    const std::uint64_t columns = std::uint64_t{writer.grid.x} * writer.block.x;
    const std::uint64_t rows = std::uint64_t{writer.grid.y} * writer.block.y;
    if (columns == 0 || rows == 0) return {};
    const Sizes widths = sizes(columns, writer.block.x);
    const Sizes heights = sizes(rows, writer.block.y);
    for (const std::uint64_t element_bytes : {4, 8, 2, 1, 16})
        for (std::uint64_t width = widths.first; width < widths.end; ++width) {
            const std::uint64_t height = memory.bytes / (width * element_bytes);
            if (height < heights.first || height >= heights.end) continue;
            const Plane plane{element_bytes, width, height};
            if (fits(plane, columns, rows, memory)) return sentence(writer, plane, columns, rows);
        }
    return {};
}

} // namespace lanescope::runtime
