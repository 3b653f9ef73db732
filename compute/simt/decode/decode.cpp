// Program level: finds the functions that a kernel reaches, and lays out shared memory and
// parameters.
#include "compute/simt/decode/decode.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute/simt/checks/fast/predicted_uses.h"
#include "compute/simt/decode/decoder.h"
#include "compute/simt/native/native.h"

namespace lanescope::simt {

namespace {

void collect_symbols(const std::vector<ptx::Operand>& operands, std::set<std::string>& names)
{
    for (const ptx::Operand& operand : operands) {
        if (!operand.symbol.empty()) names.insert(operand.symbol);
        collect_symbols(operand.elements, names);
    }
}

void lay_out_parameters(Program& program, const ptx::Function& kernel)
{
    for (const ptx::Variable& parameter : kernel.parameters) {
        program.parameter_bytes = aligned(program.parameter_bytes, parameter.alignment);
        program.parameter_offsets.push_back(program.parameter_bytes);
        program.parameter_sizes.push_back(parameter.size_bytes());
        program.parameter_bytes += parameter.size_bytes();
    }
}

// Refuses directives that the machine does not support. One with extents is harmless if all are 1.
void check_directives(const ptx::Function& kernel)
{
    for (const auto& [name, reason] : ptx::refused_directives()) {
        const auto found = kernel.directives.find(std::string(name));
        if (found == kernel.directives.end()) continue;
        if (!found->second.empty() &&
            std::ranges::all_of(found->second, [](int extent) { return extent <= 1; }))
            continue;
        throw device::LaunchError(
            fmt::format("The lockstep machine cannot run kernel {} (.{}): {}.", kernel.name, name,
                        reason),
            "Rewrite it, or run this kernel on a GPU.");
    }
}

} // namespace

namespace {

// Functions reachable from the kernel, which comes first.
std::vector<int> kernel_first(const ptx::Module& module, std::string_view kernel)
{
    std::vector<int> functions = ptx::reachable_functions(module, kernel);
    std::stable_partition(functions.begin(), functions.end(), [&](int index) {
        return module.functions[static_cast<std::size_t>(index)].name == kernel;
    });
    return functions;
}

} // namespace

// Lays out static shared variables of the kernel and the functions it reaches, then dynamic ones,
// all at the same address.
SharedLayout shared_layout(const ptx::Module& module, const std::vector<int>& functions)
{
    SharedLayout layout;
    std::set<std::string> used;
    std::vector<const ptx::Variable*> variables;
    for (int index : functions) {
        const ptx::Function& function = module.functions[static_cast<std::size_t>(index)];
        for (const ptx::Instruction& instruction : function.instructions)
            collect_symbols(instruction.operands, used);
        for (const ptx::Variable& variable : function.variables)
            if (variable.space == ptx::Space::shared) variables.push_back(&variable);
    }
    for (const ptx::Variable& variable : module.variables)
        if (variable.space == ptx::Space::shared && used.contains(variable.name))
            variables.push_back(&variable);

    // More than any GPU has, and small enough that offsets fit in 32 bits.
    constexpr std::size_t max_bytes = std::size_t{1} << 30;
    std::size_t end = 0;
    int dynamic_alignment = 16;
    for (const ptx::Variable* variable : variables) {
        if (variable->is_extern) {
            dynamic_alignment = std::max(dynamic_alignment, variable->alignment);
            continue;
        }
        if (layout.offsets.contains(variable->name)) continue;
        end = aligned(end, variable->alignment);
        layout.offsets[variable->name] = static_cast<std::uint32_t>(end);
        end += variable->size_bytes();
        if (end > max_bytes)
            throw device::LaunchError(
                fmt::format("The variables in shared memory take more than {} bytes: {} alone "
                            "takes {}.",
                            max_bytes, variable->name, variable->size_bytes()),
                "No GPU has that much per block: make them smaller.");
    }
    bool dynamic = false;
    for (const ptx::Variable* variable : variables) dynamic = dynamic || variable->is_extern;
    if (dynamic) end = aligned(end, dynamic_alignment);
    for (const ptx::Variable* variable : variables)
        if (variable->is_extern) layout.offsets[variable->name] = static_cast<std::uint32_t>(end);
    layout.static_bytes = end;
    return layout;
}

SharedLayout shared_layout(const ptx::Module& module, std::string_view kernel)
{
    return shared_layout(module, kernel_first(module, kernel));
}

Program decode(const ptx::Module& module, std::string_view kernel, const Symbols& symbols, Isa isa)
{
    Program program;
    program.module = &module;
    program.kernel = std::string(kernel);
    program.isa = isa;
    ProgramDecoder decoder{.module = module,
                           .symbols = symbols,
                           .program = program,
                           .sites = ptx::sites_of(module, kernel)};
    program.sites = decoder.sites.sites;

    const std::vector<int> functions = kernel_first(module, kernel); // functions[0] is the kernel
    check_directives(*module.find_function(kernel));
    SharedLayout shared = shared_layout(module, functions);
    decoder.shared = std::move(shared.offsets);
    program.static_shared_bytes = shared.static_bytes;
    lay_out_parameters(program, module.functions[static_cast<std::size_t>(functions.front())]);
    program.functions.resize(functions.size());
    for (std::size_t i = 0; i < functions.size(); ++i)
        program.by_module_index[functions[i]] = static_cast<int>(i);
    for (std::size_t i = 0; i < functions.size(); ++i) {
        const ptx::Function& source = module.functions[static_cast<std::size_t>(functions[i])];
        FunctionDecoder{.shared = decoder,
                        .source = source,
                        .module_index = functions[i],
                        .function = program.functions[i]}
            .decode();
    }
    if (decoder.global_reductions.size() > 1)
        program.ordered = true; // different operations don't commute
    program.uses = std::make_shared<KernelUses>(module, *module.find_function(kernel));
    // An explicit baseline instruction set disables native code where better ones exist.
    if (native::is_possible() && (isa != Isa::baseline || best_isa() == Isa::baseline))
        program.native = std::make_shared<native::ProgramCode>(program);
    return program;
}

} // namespace lanescope::simt
