// The state at a position of a launch: warps of the running block, their lanes and paths, and the
// lanes' values under their PTX and source names.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compute/ptx/debug/dwarf.h"
#include "compute/ptx/text/lines.h"
#include "compute/simt/debug/timeline.h"
#include "compute/simt/debug/values.h"
#include "compute/simt/debug/views.h"

namespace lanescope::simt {

// Source lines of a program's instructions, looked up once.
class CodeLines {
public:
    explicit CodeLines(const Program& program);
    // `line` is 0 if unknown; `file` is an index into files().
    struct Line {
        int file = -1;
        int line = 0;
        friend bool operator==(const Line&, const Line&) = default;
    };
    Line of(const Function& function, int pc) const;
    const std::vector<std::string>& files() const { return files_; }
    const Program& program() const { return program_; }
    // Lines of the kernel's file that have instructions.
    std::vector<int> lines_with_code() const;
    int kernel_file() const { return kernel_file_; }
    // Offsets of .shared variables in the block's memory, and of .local ones in a lane's frame.
    const std::map<std::string, std::uint32_t>& shared_offsets() const { return shared_; }
    static std::map<std::string, std::uint32_t> local_offsets(const Function& function);

private:
    const Program& program_;
    std::vector<std::string> files_;
    std::vector<std::vector<Line>> lines_; // indexed by function, then pc
    int kernel_file_ = -1;
    std::map<std::string, std::uint32_t> shared_;
};

class Inspector {
public:
    // `variables` are from the running text if compiled with -G; `arrays` describes shared arrays
    // and may come from another text of the same source. Either may be null; both must outlive
    // this.
    Inspector(const Timeline& timeline, const CodeLines& lines, const ptx::DebugInfo* variables,
              const ptx::DebugInfo* arrays);

    // The block's grid index, and the warp that runs next. Undefined at the end.
    Dim3 block() const;
    int warp() const;
    CodePlace place(const Function& function, int pc) const;
    CodeLines::Line line() const; // line of the next instruction
    int call_depth() const;

    WarpView warp_view(int warp) const;
    std::vector<WarpView> warps() const;
    // Live registers, for all lanes in the function of the warp's first path.
    std::vector<RegisterView> registers(int warp) const;
    // Variables in scope on the warp's first path, without hidden outer ones; also the kernel's
    // parameters if the text has no variable information.
    std::vector<VariableView> variables(int warp) const;
    std::optional<AddressView> next_access() const; // addresses of the warp that runs next
    std::vector<SharedArray> shared_arrays() const;

    // --- For expressions ---

    // A lane's position in the code.
    struct LaneAt {
        const Warp* warp = nullptr;
        const Path* path = nullptr;
        int lane = 0;
        const Function& function() const { return *frame().function; }
        const Frame& frame() const { return warp->frames[static_cast<std::size_t>(path->frame)]; }
    };
    std::optional<LaneAt> lane_at(int warp, int lane) const; // nullopt for exited lanes
    // Type and bytes, in a given lane, of a variable, shared array, register (%r1) or special
    // register in source notation (threadIdx.x). nullopt for names that are unknown there.
    struct Named {
        TypePointer type;
        std::vector<std::byte> bytes;
        std::optional<Address> address; // generic address of a value in memory
    };
    bool knows(const std::string& name) const; // true if the name is known anywhere in the launch
    std::optional<Named> named(const LaneAt& lane, const std::string& name) const;
    // Bytes at a generic address, as seen by the lane.
    std::optional<std::vector<std::byte>> read(const LaneAt& lane, Address address,
                                               std::size_t bytes) const;

    const Timeline& timeline() const { return timeline_; }
    const CodeLines& lines() const { return lines_; }

private:
    PathView path_view(const Warp& warp, const Path& path, bool chosen, bool runs_next) const;
    const ptx::SourceVariable* variable(const LaneAt& lane, const std::string& name) const;
    std::optional<Named> placed(const LaneAt& lane, const ptx::SourceVariable& variable,
                                const ptx::VariablePlace& place) const;
    std::optional<std::vector<std::byte>> register_bytes(const LaneAt& lane,
                                                         const Function& function,
                                                         std::size_t index,
                                                         std::size_t bytes) const;
    const std::byte* row(const LaneAt& lane, RowRef ref) const;
    // Value passed to the launch for a parameter, by its source name.
    std::optional<Named> kernel_parameter(const Function& function, const std::string& name) const;
    bool live(const Function& function, int pc, std::size_t reg) const;
    // True if the register has not been written yet.
    bool unset(const Function& function, int pc, std::size_t reg) const;

    const Timeline& timeline_;
    const CodeLines& lines_;
    const ptx::DebugInfo* variables_;
    const ptx::DebugInfo* arrays_;
    struct LiveRanges;
    const LiveRanges& lives(const Function& function) const;
    mutable std::map<const Function*, std::shared_ptr<LiveRanges>> live_ranges_;
};

} // namespace lanescope::simt
