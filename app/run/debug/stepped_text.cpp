// The text to step: as written, compiled with -G so that every variable has its name, or as
// optimised, if that is not available.
#include "app/run/debug/stepped_text.h"

#include <filesystem>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "app/run/editing/compiling.h"
#include "compute/cuda/compile/compile.h"
#include "compute/endings.h"
#include "compute/experiment/guess/launch.h"
#include "compute/experiment/source/includes.h"
#include "compute/ptx/debug/dwarf.h"
#include "compute/python_source.h"

namespace lanescope::app {
namespace {

struct Kept {
    std::mutex mutex;
    std::map<std::string, SteppedPtx> texts; // keyed by name and text
};
Kept& kept()
{
    static Kept all;
    return all;
}

SteppedPtx compile(const std::string& text, const std::filesystem::path& name,
                   const std::filesystem::path& folder, const std::vector<std::string>& flags,
                   bool stepped)
{
    try {
        std::string ptx = compile_text(text, name, folder, flags).ptx;
        if (stepped && !ptx::is_debug_text(ptx))
            return {{}, "The compiler wrote no debug information: stepping the optimised code."};
        return {std::move(ptx), {}};
    } catch (const Error& error) {
        if (!stepped) return {{}, error.what()};
        return {{}, fmt::format("Stepping the optimised code: {}", error.what())};
    }
}

SteppedPtx compiled(const labs::Lab& lab, const labs::Variant& variant,
                    const std::vector<std::string>& flags, bool stepped)
{
    const std::filesystem::path source = variant.source;
    const std::string name = (std::filesystem::path(lab.origin()) / source).string();
    const auto find = [&](const std::string& header) -> std::optional<std::string> {
        try {
            return std::string(lab.file(header));
        } catch (const Error& error) {
            if (error.status() == ExitStatus::no_such_thing) return std::nullopt;
            throw;
        }
    };
    const std::string text = labs::with_headers(lab.source(variant), name, find);
    std::string key = name + '\0' + text;
    for (const std::string& flag : flags) key += '\0' + flag;
    Kept& all = kept();
    {
        const std::scoped_lock lock(all.mutex);
        if (const auto found = all.texts.find(key); found != all.texts.end()) return found->second;
    }
    std::filesystem::path folder = lab.origin();
    if (!labs::is_lab_folder(folder)) folder.clear();
    SteppedPtx made = compile(text, name, folder, flags, stepped);
    const std::scoped_lock lock(all.mutex);
    if (all.texts.size() > 32) all.texts.clear();
    return all.texts.emplace(key, std::move(made)).first->second;
}

// A Python kernel's text for stepping, which was kept with its launch.
SteppedPtx kept_with_launch(const labs::Lab& lab, const labs::Variant& variant)
{
    try {
        std::string ptx(lab.file(labs::as_written_file(variant.source)));
        if (ptx::is_debug_text(ptx)) return {std::move(ptx), {}};
    } catch (const Error&) { // this launch was kept without it
    }
    return {{}, "Python was compiled with lines alone: stepping the optimised code."};
}

} // namespace

SteppedPtx ptx_as_written(const labs::Lab& lab, const labs::Variant& variant)
{
    if (is_python_source(variant.source)) return kept_with_launch(lab, variant);
    if (std::filesystem::path(variant.source).extension() != ending::cuda_source)
        return {{}, "PTX cannot be recompiled with -G: it is stepped as is."};
    return compiled(lab, variant, {"-G"}, true);
}

SteppedPtx ptx_with_flags(const labs::Lab& lab, const labs::Variant& variant,
                          const std::vector<std::string>& flags)
{
    if (std::filesystem::path(variant.source).extension() != ending::cuda_source)
        return {{}, "PTX cannot be recompiled."};
    return compiled(lab, variant, flags, false);
}

} // namespace lanescope::app
