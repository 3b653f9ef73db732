// "Is it my code, nvcc or ptxas?": runs a launch in two versions of its kernel, finds the first
// value that differs, and says which of them is wrong, or that the code leaves the result open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/run/doubt/differences.h"
#include "app/run/doubt/mutants.h"
#include "app/run/doubt/runs/version_run.h"

namespace lanescope::app {

// How the versions were made, which decides how they are compared.
enum class DoubtKind {
    compilations, // the same source, compiled without and with optimisation
    texts,        // two PTX texts
    one_text      // one PTX text, compared with a GPU or with expected values
};

struct DoubtQuestion {
    DoubtKind kind = DoubtKind::compilations;
    KernelLaunch first;
    KernelLaunch second; // the same launch of another text; unused for one_text
    std::string first_name, second_name;
    std::vector<std::string> source{}; // lines of the .cu file; empty: there is none
    std::string without_contraction{}; // the second text compiled with --fmad=false; may be empty
    std::vector<std::string> expect{}; // --expect
    std::vector<std::string> got{};    // --got: results of a GPU elsewhere
    bool gpu = false;                  // also assembles the text for the GPU, at -O0 and -O3
    double tolerance = 0;
    DoubtLimits limits{};
};

// The value of the first differing element in one of the runs.
struct DoubtSide {
    std::string name;  // name of the version, "expected", or "GPU, ptxas -O3"
    std::string value; // the element's value
    // True if an instruction is known that wrote it, and one that computed the value; not for a
    // GPU.
    bool written = false;
    int line = 0;     // in the source
    int ptx_line = 0; // in the PTX
    std::string store{};
    std::string instruction{};
    int instruction_line = 0; // in the PTX
    std::string operation{};  // its operands and result: "%r5 = 7 from %r3 = 3, %r4 = 4"
    std::uint64_t position = 0;
    std::uint64_t block = 0;
    int warp = 0;
    int lane = 0;
};

enum class DoubtCulprit { none, kernel, rounding, compiler, assembler, texts, expectation, open };

struct DoubtCause {
    std::string kind; // "race", "signed_overflow", "contraction", …
    std::string sentence;
    int line = 0;        // in the source, or 0
    int ptx_line = 0;    // in the PTX, or 0
    std::string version; // the version it was found in; empty: both
    DoubtCulprit culprit = DoubtCulprit::kernel;
};

struct DoubtReport {
    std::string kernel;
    std::size_t compared = 0;
    std::size_t different = 0;
    std::string element{}; // "argument 2[17]"; empty: no difference
    std::vector<DoubtSide> sides{};
    // The first line whose value differs while its inputs agree: in the source or, with `in_ptx`,
    // in the first version's PTX. 0: none.
    int line = 0;
    bool in_ptx = false;
    std::string text{};     // text of that line
    std::string sentence{}; // how the values differ there
    std::vector<std::string> inputs{};
    std::vector<int> merged{}; // source lines whose values only the first version keeps
    std::vector<DoubtCause> causes{};
    // Single changes of the text that explain the other values.
    std::vector<Mutant> explanations{};
    DoubtCulprit culprit = DoubtCulprit::none;
    std::string verdict{}; // one or two sentences
    bool differs() const { return different > 0 || !element.empty(); }
};

// Throws Error for a launch that is refused, or that exceeds a limit.
DoubtReport doubt(const DoubtQuestion& question);

// True if the versions of the launch give different results; used for reducing it.
bool still_differs(const DoubtQuestion& question);

std::string_view name_of(DoubtCulprit culprit);

} // namespace lanescope::app
