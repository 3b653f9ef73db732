// Decodes all kernels when the text is loaded, so that unsupported ones are refused
// at once; the other kernels run.
#include "compute/simt/simt_module.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "compute/ptx/control_flow/products.h"
#include "compute/simt/decode/decode.h"

namespace lanescope::simt {

SimtKernel::SimtKernel(SimtModule& module, Program program)
    : module_(module), program_(std::move(program))
{
}

namespace {

// Local memory that a thread needs for the function and the calls below it; a recursive call counts
// once.
std::size_t local_bytes_of(const Program& program, std::size_t index,
                           std::vector<std::optional<std::size_t>>& known)
{
    if (known[index]) return *known[index];
    known[index] = 0; // ends the recursion at a recursive call
    std::size_t max_callee_bytes = 0;
    for (const Call& call : program.functions[index].calls)
        if (call.function >= 0)
            max_callee_bytes =
                std::max(max_callee_bytes,
                         local_bytes_of(program, static_cast<std::size_t>(call.function), known));
    known[index] = program.functions[index].local_bytes + max_callee_bytes;
    return *known[index];
}

} // namespace

// Extents that are not given are 1.
void add_cluster(const ptx::Function& kernel, device::KernelAttributes& attributes)
{
    const auto value = [](const std::vector<int>& values, std::size_t i) {
        return i < values.size() ? static_cast<std::uint32_t>(values[i]) : 1u;
    };
    const auto& directives = kernel.directives;
    if (const auto size = directives.find("reqnctapercluster"); size != directives.end())
        attributes.cluster =
            Dim3{value(size->second, 0), value(size->second, 1), value(size->second, 2)};
    if (const auto limit = directives.find("maxclusterrank"); limit != directives.end())
        attributes.max_cluster_blocks = value(limit->second, 0);
    attributes.needs_cluster = directives.contains("explicitcluster");
}

device::KernelAttributes SimtKernel::attributes() const
{
    const Function& entry = program_.entry();
    device::KernelAttributes attributes;
    attributes.registers = std::min(255, entry.live_registers);
    attributes.static_shared_bytes = program_.static_shared_bytes;
    std::vector<std::optional<std::size_t>> known(program_.functions.size());
    attributes.local_bytes = local_bytes_of(program_, 0, known);
    attributes.ptx_target = module_.source().architecture();
    const auto maximum = entry.source->directives.find("maxntid");
    if (maximum != entry.source->directives.end()) {
        int threads = 1; // the parser refuses products above 2^31 - 1
        for (int extent : maximum->second) threads *= extent;
        attributes.max_threads_per_block = std::min(attributes.max_threads_per_block, threads);
    }
    add_cluster(*entry.source, attributes);
    return attributes;
}

SimtModule::SimtModule(ptx::Module source, Memory& memory, Isa isa,
                       const std::function<void(ptx::Module&)>& meetings)
    : source_(std::move(source)), symbols_(source_, memory)
{
    ptx::fuse_products(source_);
    if (meetings) meetings(source_);
    for (const std::string& name : source_.kernel_names()) {
        try {
            kernels_.push_back(
                std::make_unique<SimtKernel>(*this, decode(source_, name, symbols_, isa)));
        } catch (const Error&) {
            refusals_[name] = std::current_exception();
        }
    }
}

const device::Kernel& SimtModule::kernel(std::string_view name) const
{
    for (const auto& kernel : kernels_)
        if (kernel->name() == name) return *kernel;
    if (const auto refusal = refusals_.find(name); refusal != refusals_.end())
        std::rethrow_exception(refusal->second);
    throw Error(ExitStatus::no_such_thing,
                fmt::format("There is no kernel '{}' in this PTX.", name),
                fmt::format("It has: {}.", fmt::join(source_.kernel_names(), ", ")));
}

device::Variable SimtModule::variable(std::string_view name) const
{
    const device::Variable found = symbols_.host_variable(std::string(name));
    if (found.address == 0)
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("There is no variable '{}' in this PTX.", name));
    return found;
}

} // namespace lanescope::simt
