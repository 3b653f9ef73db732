// Which lanes hold the metadata of a row: as CUTLASS arranges it for the tensor cores.
#include "compute/simt/operations/matrix/sparse.h"

namespace lanescope::simt {

namespace {

// Bits [at, at + 2) of a row's metadata. Four lanes hold the metadata of two rows, 8 apart. With
// elements of 16 bits or tf32, a word holds 16 bits of each; otherwise a word belongs to one row.
std::uint32_t index_at(const std::uint32_t* metadata, const MatrixWork& work, int row, int at)
{
    const int half = row / 8;
    const bool shares = element_bits(work.first.element) >= 16;
    const int bits = shares ? 16 : 32; // of a row in a word
    const int part = at / bits;
    const int words = work.metadata_bits / bits; // per row
    int lane = row % 8 * 4;
    if (shares)
        lane += words == 1 ? work.selector : 2 * work.selector + part;
    else
        lane += words == 1 ? 2 * work.selector + half : 2 * part + half;
    const int shift = at % bits + (shares ? 16 * half : 0);
    return metadata[lane] >> shift & 3u;
}

} // namespace

StoredPlaces stored_places(const Executor& x, const MatrixWork& work)
{
    const auto* metadata = x.row<const std::uint32_t>(work.metadata);
    const MatrixElement element = work.first.element;
    StoredPlaces places{};
    for (int row = 0; row < work.first.rows; ++row)
        for (int stored = 0; stored < work.first.columns; ++stored) {
            std::uint32_t k = 0;
            if (element == MatrixElement::tf32) {
                k = static_cast<std::uint32_t>(2 * stored) +
                    index_at(metadata, work, row, 4 * stored) / 2;
            } else if (element_bits(element) == 4) {
                const int pair = stored / 2;
                k = static_cast<std::uint32_t>(pair / 2 * 8 + stored % 2) +
                    2 * index_at(metadata, work, row, 2 * pair);
            } else {
                k = static_cast<std::uint32_t>(stored / 2 * 4) +
                    index_at(metadata, work, row, 2 * stored);
            }
            places[static_cast<std::size_t>(row)][static_cast<std::size_t>(stored)] =
                static_cast<std::uint8_t>(k);
        }
    return places;
}

} // namespace lanescope::simt
