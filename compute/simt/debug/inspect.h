// What can be seen at a position of a launch: the warps of the block that runs, their lanes and
// paths, and what lanes hold, by the names of PTX and by those of the source.
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

// Lines of a program's instructions, looked up once.
class CodeLines {
public:
    explicit CodeLines(const Program& program);
    // 0: not known. The file is an index into files().
    struct Line {
        int file = -1;
        int line = 0;
        friend bool operator==(const Line&, const Line&) = default;
    };
    Line of(const Function& function, int pc) const;
    const std::vector<std::string>& files() const { return files_; }
    const Program& program() const { return program_; }
    // The lines that have instructions, of the file that holds the kernel.
    std::vector<int> lines_with_code() const;
    int kernel_file() const { return kernel_file_; }
    // Where .shared variables are in the block's memory, and .local ones in a lane's frame.
    const std::map<std::string, std::uint32_t>& shared_offsets() const { return shared_; }
    static std::map<std::string, std::uint32_t> local_offsets(const Function& function);

private:
    const Program& program_;
    std::vector<std::string> files_;
    std::vector<std::vector<Line>> lines_; // by function, then pc
    int kernel_file_ = -1;
    std::map<std::string, std::uint32_t> shared_;
};

class Inspector {
public:
    // `variables` are those of the text that runs, where it was compiled with -G; `arrays` says
    // what shared arrays hold and may be of another text of the same source. Both may be null, and
    // must outlive this.
    Inspector(const Timeline& timeline, const CodeLines& lines, const ptx::DebugInfo* variables,
              const ptx::DebugInfo* arrays);

    // The block's number in the grid, and the warp that runs next. Nothing of these at the end.
    Dim3 block() const;
    int warp() const;
    CodePlace place(const Function& function, int pc) const;
    CodeLines::Line line() const; // of the next instruction
    int call_depth() const;

    WarpView warp_view(int warp) const;
    std::vector<WarpView> warps() const;
    // Registers that are still needed, of all lanes that are in the function of the warp's first
    // path.
    std::vector<RegisterView> registers(int warp) const;
    // Those in scope at the place of the warp's first path, outer ones that are hidden left out;
    // and the kernel's parameters where the text does not tell its variables.
    std::vector<VariableView> variables(int warp) const;
    std::optional<AddressView> next_access() const; // of the warp that runs next
    std::vector<SharedArray> shared_arrays() const;

    // --- For expressions ---

    // A lane's place in the code.
    struct LaneAt {
        const Warp* warp = nullptr;
        const Path* path = nullptr;
        int lane = 0;
        const Function& function() const { return *frame().function; }
        const Frame& frame() const { return warp->frames[static_cast<std::size_t>(path->frame)]; }
    };
    std::optional<LaneAt> lane_at(int warp, int lane) const; // nothing for a lane that has exited
    // A variable, a shared array, a register (%r1), a special register as the source has it
    // (threadIdx.x): its type, and its bytes in that lane. Nothing for a name that is none here.
    struct Named {
        TypePointer type;
        std::vector<std::byte> bytes;
        std::optional<Address> address; // generic; of what is in memory
    };
    bool knows(const std::string& name) const; // somewhere in the launch
    std::optional<Named> named(const LaneAt& lane, const std::string& name) const;
    // Bytes at a generic address as that lane sees them.
    std::optional<std::vector<std::byte>> read(const LaneAt& lane, Address address,
                                               std::size_t bytes) const;

    const Timeline& timeline() const { return timeline_; }
    const CodeLines& lines() const { return lines_; }

private:
    const ptx::SourceVariable* variable(const LaneAt& lane, const std::string& name) const;
    std::optional<Named> placed(const LaneAt& lane, const ptx::SourceVariable& variable,
                                const ptx::VariablePlace& place) const;
    std::optional<std::vector<std::byte>> register_bytes(const LaneAt& lane,
                                                         const Function& function,
                                                         std::size_t index,
                                                         std::size_t bytes) const;
    const std::byte* row(const LaneAt& lane, RowRef ref) const;
    // As the launch was given it, by its name in the source.
    std::optional<Named> kernel_parameter(const Function& function, const std::string& name) const;
    bool live(const Function& function, int pc, std::size_t reg) const;
    // Nothing has written it yet.
    bool unset(const Function& function, int pc, std::size_t reg) const;

    const Timeline& timeline_;
    const CodeLines& lines_;
    const ptx::DebugInfo* variables_;
    const ptx::DebugInfo* arrays_;
    struct Lives;
    const Lives& lives(const Function& function) const;
    mutable std::map<const Function*, std::shared_ptr<Lives>> lives_;
};

} // namespace lanescope::simt
