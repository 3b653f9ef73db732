// Ordinary kernels whose counts were recorded as a whole. The compiler may merge or widen accesses,
// so requests are compared only where it has no reason to.
#include <random>

#include "tests/conformance/patterns.h"
#include "tests/conformance/values.h"

namespace lanescope::conformance {

namespace {

Bytes random_words(std::size_t count)
{
    std::mt19937_64 random(31);
    std::vector<std::uint64_t> values(count);
    for (auto& value : values) value = random() & 0x3fffffff;
    return to_bytes(values, 4);
}

Pattern compiled(const char* kernel, Dim3 grid, Dim3 block, std::size_t out_words,
                 std::vector<Bytes> inputs)
{
    Pattern made;
    made.test.group = "patterns";
    made.test.name = kernel;
    made.test.kernel = kernel;
    made.test.source = "tests/conformance/kernels/counted.cu";
    made.test.grid = grid;
    made.test.block = block;
    made.test.outputs.push_back({out_words * 4, Element::bits, {}});
    made.test.inputs = std::move(inputs);
    made.checks = {
        {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
         [](const trace::Totals& t) { return t.global_load.requests; }},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
         [](const trace::Totals& t) { return t.global_load.sectors; }},
        {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
         [](const trace::Totals& t) { return t.global_store.requests; }},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
         [](const trace::Totals& t) { return t.global_store.sectors; }},
    };
    return made;
}

// The hardware counts the data pipe's wavefronts, which include lost arbitration: hence the slack.
void check_shared(Pattern& pattern, bool loads)
{
    if (loads)
        pattern.checks.push_back({"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                                  [](const trace::Totals& t) { return t.shared_load.wavefronts; },
                                  0.05});
    pattern.checks.push_back({"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                              [](const trace::Totals& t) { return t.shared_store.wavefronts; },
                              0.05});
}

} // namespace

void add_compiled_patterns(std::vector<Pattern>& patterns)
{
    Pattern add = compiled("counted_add", {4, 127, 1}, {32, 1, 1}, 127 * 127,
                           {random_words(127 * 127), random_words(127 * 127)});
    add.test.scalars.emplace_back(127);
    patterns.push_back(add);
    Pattern strided =
        compiled("counted_stride", {32, 1, 1}, {128, 1, 1}, 4096, {random_words(16384)});
    strided.test.scalars.emplace_back(3);
    patterns.push_back(strided);
    for (const char* kernel : {"counted_transpose", "counted_padded_transpose"}) {
        Pattern transpose = compiled(kernel, {4, 4, 1}, {32, 8, 1}, 16384, {random_words(16384)});
        check_shared(transpose, true);
        patterns.push_back(transpose);
    }
    Pattern product = compiled("counted_matrix_product", {4, 4, 1}, {16, 16, 1}, 4096,
                               {random_words(4096), random_words(4096)});
    // ptxas merges four loads of `left` into one of 16 bytes, so shared loads differ from the
    // PTX's.
    check_shared(product, false);
    patterns.push_back(product);
    patterns.push_back(compiled("counted_gather", {32, 1, 1}, {128, 1, 1}, 4096,
                                {random_words(4096), random_words(4096)}));
}

} // namespace lanescope::conformance
