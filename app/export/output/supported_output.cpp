// The instruction table lists a form's modifiers as groups of words. Words marked with '!' run only
// on a GPU; they go to the list of refused instructions.
#include "app/export/output/supported_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

#include "compute/ptx/instructions/table.h"
#include "compute/ptx/instructions/words.h"
#include "compute/text.h"

namespace lanescope::app {
namespace {

struct Group {
    std::vector<std::string> words;
    std::vector<std::string> refused;
    bool optional = false;
};

std::vector<Group> groups_of(const ptx::Form& form)
{
    std::vector<Group> groups;
    const std::string modifiers = ptx::written_out(form);
    for (std::string_view text : parts(modifiers, ' ')) {
        Group group;
        group.optional = text.ends_with('?');
        if (group.optional) text.remove_suffix(1);
        for (std::string_view word : parts(text, '|'))
            if (word.starts_with('!'))
                group.refused.emplace_back(word.substr(1));
            else
                group.words.emplace_back(word);
        groups.push_back(std::move(group));
    }
    return groups;
}

struct Refusal {
    std::string name;
    std::string reason;
};

std::vector<Refusal> refusals()
{
    std::vector<Refusal> all;
    for (const ptx::Form& form : ptx::forms()) {
        for (std::string_view name : parts(form.name, '|')) {
            if (form.unit == ptx::Unit::refused)
                all.push_back({std::string(name), std::string(form.reason)});
            else
                for (const Group& group : groups_of(form))
                    for (const std::string& word : group.refused)
                        all.push_back({fmt::format("{} with .{}", name, word),
                                       std::string(ptx::why_unsupported(word))});
        }
    }
    for (const auto& [name, reason] : ptx::refused_functions())
        all.push_back({fmt::format("call of {}…", name), std::string(reason)});
    for (const auto& [name, reason] : ptx::refused_directives())
        all.push_back({fmt::format(".{}", name), std::string(reason)});
    return all;
}

} // namespace

std::string supported_text()
{
    std::string text = "The lockstep machine runs these PTX instructions:\n\n";
    for (const ptx::Form& form : ptx::forms()) {
        if (form.unit == ptx::Unit::refused) continue;
        std::string line = fmt::format("  {}", fmt::join(parts(form.name, '|'), ", "));
        for (const Group& group : groups_of(form)) {
            if (group.words.empty()) continue;
            line += group.optional ? fmt::format(" {{.{}}}", fmt::join(group.words, "|."))
                                   : fmt::format(" .{}", fmt::join(group.words, "|."));
        }
        text += line + "\n";
    }
    text += "\nIt rejects these when a kernel that contains one is loaded:\n\n";
    for (const Refusal& refusal : refusals())
        text += fmt::format("  {}: {}\n", refusal.name, refusal.reason);
    return text;
}

nlohmann::ordered_json supported_json()
{
    nlohmann::ordered_json runs = nlohmann::ordered_json::array();
    for (const ptx::Form& form : ptx::forms()) {
        if (form.unit == ptx::Unit::refused) continue;
        nlohmann::ordered_json modifiers = nlohmann::ordered_json::array();
        for (const Group& group : groups_of(form))
            if (!group.words.empty())
                modifiers.push_back({{"words", group.words}, {"optional", group.optional}});
        for (std::string_view name : parts(form.name, '|'))
            runs.push_back({{"instruction", name}, {"modifiers", modifiers}});
    }
    nlohmann::ordered_json refused = nlohmann::ordered_json::array();
    for (const Refusal& refusal : refusals())
        refused.push_back({{"name", refusal.name}, {"reason", refusal.reason}});
    return {{"runs", runs}, {"refused", refused}};
}

} // namespace lanescope::app
