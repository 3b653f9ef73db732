// Turns kernel signatures into a record, one kernel at a time; properties that all variants share
// move to the lab.
#include "compute/experiment/guess/guess.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "compute/device/kernel_names.h"
#include "compute/error.h"
#include "compute/experiment/guess/kernel.h"
#include "compute/experiment/guess/roles.h"
#include "compute/experiment/record/layout.h"
#include "compute/ptx/text/parse_error.h"

namespace lanescope::labs {
namespace {

using guessing::Json;
using guessing::Kernel;
using guessing::Sliders;

// Moves entries from the variants to the lab if all variants have the same ones.
void hoist(Json& lab, Json& variants)
{
    std::vector<std::string> keys;
    for (const auto& [key, value] : variants.front().items())
        if (key != "id" && key != "title" && key != "idea" && key != "assumed" &&
            key != "doubtful" && key != "guessed_sizes")
            keys.push_back(key);
    for (const std::string& key : keys) {
        const bool alike = std::ranges::all_of(variants, [&](const Json& one) {
            return one.contains(key) && one[key] == variants.front()[key];
        });
        if (!alike) continue;
        lab[key] = variants.front()[key];
        for (Json& one : variants) one.erase(key);
    }
}

std::string without_instance(const SourceKernel& kernel)
{
    std::string types;
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i)
        types += fmt::format("{}{}{}{}", i == 0 ? "" : ", ",
                             kernel.parameters[i].is_const ? "const " : "",
                             kernel.parameters[i].type, kernel.parameters[i].pointer ? "*" : "");
    const std::string head = kernel.template_head;
    const bool one_type = head.find(',') == std::string::npos &&
                          (head.starts_with("typename ") || head.starts_with("class "));
    std::string arguments = "…";
    if (one_type) {
        const std::string name = head.substr(head.find(' ') + 1);
        arguments = "float";
        for (std::size_t at = types.find(name); at != std::string::npos;
             at = types.find(name, at + 5))
            types.replace(at, name.size(), "float");
    }
    return fmt::format(
        "The template {} (line {}) is not instantiated. Add a line: template __global__ "
        "void {}<{}>({});",
        kernel.name, kernel.line, kernel.name, arguments, types);
}

// Words of a kernel's name that describe the computation, as opposed to its method or data type.
std::set<std::string> subject_of(const std::string& name)
{
    constexpr std::string_view generic_words =
        "kernel gpu cuda device host global shared const constant texture naive simple basic plain "
        "first tiled tile blocked block fast slow optimized opt unrolled coalesced strided padded "
        "vec vector vectors mat matrix matrices array arrays image images elements values numbers "
        "img row rows col cols column columns the with and using "
        "version float double int half";
    std::set<std::string> words;
    std::string word;
    const auto end = [&] {
        if (word.size() > 2 && !is_one_of(word, generic_words)) words.insert(word);
        word.clear();
    };
    for (std::size_t i = 0; i < name.size(); ++i) {
        const auto c = static_cast<unsigned char>(name[i]);
        if (c == '<') break;
        const bool begins = std::isupper(c) != 0 && i > 0 &&
                            std::islower(static_cast<unsigned char>(name[i - 1])) != 0;
        if (begins || std::isalpha(c) == 0) end();
        if (std::isalpha(c) != 0) word += static_cast<char>(std::tolower(c));
    }
    end();
    return words;
}

// Kernels with equal parameters and names about the same subject count as alternatives.
class Alternatives {
public:
    // Id of the first kernel that is an alternative to this one; `id` if this is the first.
    std::string first_similar(const Kernel& kernel, const std::string& id)
    {
        const std::set<std::string> subject = subject_of(kernel.name());
        std::vector<First>& all = firsts_[kernel.types() + kernel.result()];
        for (const First& first : all)
            if (subject.empty() || first.subject.empty() ||
                std::ranges::any_of(subject, [&](const std::string& word) {
                    return std::ranges::any_of(first.subject, [&](const std::string& other) {
                        return word.starts_with(other) || other.starts_with(word);
                    });
                }))
                return first.id;
        all.push_back({id, subject});
        return id;
    }

private:
    struct First {
        std::string id;
        std::set<std::string> subject;
    };
    std::map<std::string, std::vector<First>> firsts_;
};

ptx::Module parsed(std::string_view ptx, const std::string& file)
{
    try {
        return ptx::parse(ptx);
    } catch (const ptx::ParseError& error) {
        throw Error(ExitStatus::bad_usage, fmt::format("{}: {}", file, error.what()));
    }
}

// Notes about templates of the source that its PTX has no kernel of.
std::vector<std::string> notes_on_templates(const SourceText& text,
                                            const std::vector<ptx::KernelUse>& uses)
{
    std::set<std::string> compiled;
    for (const ptx::KernelUse& use : uses) {
        std::string name = device::short_name(use.name);
        name.resize(std::min(name.find('<'), name.size()));
        compiled.insert(name);
    }
    std::vector<std::string> notes;
    for (const SourceKernel& kernel : text.kernels)
        if (kernel.is_template && !compiled.contains(kernel.name))
            notes.push_back(without_instance(kernel));
    return notes;
}

// Throws for a file without a kernel, or whose only kernels are refused.
void require_kernel(const ptx::Module& module, const std::vector<ptx::KernelUse>& uses,
                    const std::vector<std::string>& notes, const std::string& file)
{
    if (!uses.empty()) return;
    for (const ptx::Function& function : module.functions)
        if (function.is_kernel && function.refusal)
            throw Error(ExitStatus::bad_usage,
                        fmt::format("{}: PTX line {}: {}.", file, function.refusal->line,
                                    function.refusal->what),
                        "Remove it from the kernel's asm statements.");
    throw Error(ExitStatus::no_such_thing, fmt::format("{} contains no kernel.", file),
                notes.empty() ? "A kernel is a function with __global__." : notes.front());
}

// Variables that the program fills before a launch, by name.
std::map<std::string, const ptx::Variable*> tables_of(const ptx::Module& module)
{
    std::map<std::string, const ptx::Variable*> tables;
    for (const ptx::Variable& variable : module.variables)
        if ((variable.space == ptx::Space::constant || variable.space == ptx::Space::global) &&
            variable.initial.empty() && !variable.is_extern && !variable.name.starts_with('$'))
            tables[variable.name] = &variable;
    return tables;
}

Json check_of(const Kernel& kernel, const std::string& reference)
{
    return {{"variant", reference},
            {"tolerance", kernel.is_exact() ? "0" : "64 * 2^(-24)"},
            {"reason", kernel.is_exact()
                           ? "Whole numbers are exact."
                           : "Sums in a different order round differently; the tolerance is 64 "
                             "rounding errors (2^-24 each) of the largest value."}};
}

// A sweep of the first kernel's size, unless the size is bounded.
std::optional<Json> sweeps_of(const Kernel& first, const Json& parameters)
{
    if (first.size().empty()) return std::nullopt;
    for (const Json& one : parameters)
        if (one["id"] == first.size() && one["max"].get<std::int64_t>() < 1024) return std::nullopt;
    const Json values = first.flat() ? Json::array({32, 64, 128, 256, 512, 1024})
                                     : Json::array({16, 31, 32, 33, 64, 128});
    return Json::array({{{"title", "Size"}, {"parameter", first.size()}, {"values", values}}});
}

} // namespace

Guess guess_record(std::string_view source, std::string_view ptx, const std::string& file)
{
    const SourceText text = read_source(source);
    const ptx::Module module = parsed(ptx, file);
    const std::vector<ptx::KernelUse> uses = kernel_uses(module);
    Guess guess;
    guess.notes = notes_on_templates(text, uses);
    require_kernel(module, uses, guess.notes, file);
    const std::map<std::string, const ptx::Variable*> tables = tables_of(module);

    constexpr std::size_t max_variants = 64;
    const auto own = [&](const ptx::KernelUse& use) {
        return text.find(device::base_name(use.name)) != nullptr;
    };
    const bool leaves_out = std::ranges::any_of(uses, own);

    Sliders sliders;
    Json variants = Json::array();
    std::vector<Kernel> kernels;
    kernels.reserve(uses.size());
    std::set<std::string> ids;
    bool takes_image = false;
    Alternatives alternatives;
    for (const ptx::KernelUse& use : uses) {
        if (leaves_out && !own(use)) {
            guess.notes.push_back(fmt::format("{} is defined in a header and is left out.",
                                              device::base_name(use.name)));
            continue;
        }
        if (kernels.size() == max_variants) {
            guess.notes.push_back(fmt::format("{} has {} kernels; the first {} are shown.", file,
                                              uses.size(), max_variants));
            break;
        }
        kernels.emplace_back(sliders, text, use, tables);
        const Kernel& kernel = kernels.back();
        Json one = kernel.variant();
        for (int again = 2; !ids.insert(one["id"]).second; ++again)
            one["id"] = fmt::format("{}_{}", guessing::id_of(kernel.name()), again);
        if (!kernel.images().empty()) one["images"] = kernel.images();
        one["check"] = check_of(kernel, alternatives.first_similar(kernel, one["id"]));
        takes_image |= kernel.takes_image();
        variants.push_back(std::move(one));
    }
    const std::string stem = std::filesystem::path(file).stem().string();
    Json lab{{"title", guessing::title_of(stem)},
             {"question", fmt::format("What does {} do?", file)}};
    lab["parameters"] = sliders.parameters();
    lab["file"] = file;
    if (takes_image) lab["takes_image"] = true;
    hoist(lab, variants);
    lab["variants"] = std::move(variants);
    if (auto sweeps = sweeps_of(kernels.front(), sliders.parameters()))
        lab["sweeps"] = std::move(*sweeps);
    lab["test_sizes"] = kernels.front().test_sizes();
    guess.record = laid_out(lab);
    return guess;
}

std::string placeholder_record(const std::string& file)
{
    const std::string stem = std::filesystem::path(file).stem().string();
    const Json launch{{"when", "0"}};
    // Counts as an edit of itself, so that edits replace it instead of adding variants.
    const Json variant{{"id", "none"},
                       {"title", file},
                       {"idea", "No kernel has been read yet."},
                       {"edited", "none"},
                       {"kernel", "none"},
                       {"block", {1}},
                       {"grid", {1}},
                       {"arguments", Json::array()},
                       {"passes", Json::array({launch})}};
    const Json lab{
        {"title", guessing::title_of(stem)},
        {"question", fmt::format("What does {} do?", file)},
        {"placeholder", true},
        {"file", file},
        {"buffers", {{"nothing", {{"type", "f32"}, {"extent", {1}}}}}},
        {"variants", Json::array({variant})},
        {"result", "nothing"},
        {"work", {{"bytes", "0"}, {"items", "1"}, {"item", "elements"}}},
        {"check", {{"variant", "none"}, {"tolerance", "0"}, {"reason", "Nothing is computed."}}},
        {"views", Json::array({{{"field", "nothing"}}})},
        {"test_sizes", Json::array({Json::object()})}};
    return laid_out(lab);
}

} // namespace lanescope::labs
