// Compares the generated pages of the manual, keys.md with the table of keys, and commands.md with
// the options of every subcommand. To regenerate both:
//   UPDATE_MANUAL=1 build/ci/cli_tests --gtest_filter='Manual.*'
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/commands.h"
#include "app/window/input/keys.h"

namespace lanescope::test {
namespace {

using app::KeyRow;

constexpr std::string_view generated_start = "<!-- generated: see CONTRIBUTING.md -->\n\n";
constexpr std::string_view generated_end = "\n<!-- end -->\n";
constexpr std::size_t line_length = 110;

std::string replaced(std::string text, std::string_view what, std::string_view with)
{
    for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size())
        text.replace(at, what.size(), with);
    return text;
}

// Breaks text into lines at blanks; each line after the first starts with `indent`.
std::string wrapped(std::string_view text, std::string_view indent)
{
    std::string lines;
    std::size_t length = 0;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, std::min(text.find(' '), text.size()));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        if (length > 0 && length + 1 + word.size() > line_length) {
            lines += '\n';
            lines += indent;
            length = indent.size();
        } else if (length > 0) {
            lines += ' ';
            ++length;
        }
        lines += word;
        length += word.size();
    }
    return lines + '\n';
}

// One table row per key that has a description; a key without one is added to the previous row.
std::string key_table(bool stepping)
{
    std::string table = "| key | what it does | names in keys.json |\n|---|---|---|\n";
    std::string names;
    const KeyRow* first = nullptr;
    const auto add_row = [&] {
        if (first)
            table += fmt::format("| {} | {} | {} |\n", replaced(first->shown, "|", "\\|"),
                                 replaced(first->words, "|", "\\|"), names);
    };
    for (const KeyRow& row : app::key_table()) {
        const bool is_step = std::string_view(row.action).starts_with("step_");
        if (is_step != stepping) continue;
        if (*row.words != '\0') {
            add_row();
            first = &row;
            names.clear();
        }
        names += fmt::format("{}`{}`", names.empty() ? "" : " ", row.action);
    }
    add_row();
    return table;
}

std::string keys_page()
{
    return "## In the window\n\n" + key_table(false) + "\n## In the stepping mode (key I)\n\n" +
           key_table(true);
}

// Shortens CLI11's types: "TEXT:{auto,cuda,simt}" to "auto|cuda|simt", "INT:INT in [0 - 3]" to
// "INT in [0 - 3]", "INT:POSITIVE" to "INT". Keeps "KIND[:WHERE]".
std::string value_words(const CLI::Option& option)
{
    std::string type = option.get_type_name();
    if (const auto choices = type.find(":{"); choices != type.npos)
        return replaced(type.substr(choices + 2, type.size() - choices - 3), ",", "|");
    const std::size_t colon = type.find(':');
    if (colon == type.npos || type.find('[') < colon) return type;
    return type.find('[') == type.npos ? type.substr(0, colon) : type.substr(colon + 1);
}

std::string name_words(const CLI::Option& option)
{
    if (option.get_positional() && !option.nonpositional()) return option.get_name(true);
    std::string name = replaced(option.get_name(false, true), ",", ", ");
    if (const std::string value = value_words(option); !value.empty()) name += ' ' + value;
    return name;
}

std::string option_item(const CLI::Option& option)
{
    std::string item = fmt::format("- `{}`", name_words(option));
    if (option.get_required()) item += ", required";
    if (option.get_expected_max() > 1 &&
        option.get_description().find("several times") == std::string::npos)
        item += ", may be given several times";
    if (!option.get_default_str().empty())
        item += fmt::format(", default `{}`", option.get_default_str());
    item += ": " + replaced(option.get_description(), "|", "\\|");
    if (!item.ends_with('.')) item += '.';
    std::set<std::string> excluded; // sorted by name, since CLI11 sorts by address
    for (const CLI::Option* other : option.get_excludes())
        excluded.insert('`' + other->get_name() + '`');
    if (!excluded.empty()) item += fmt::format(" Not with {}.", fmt::join(excluded, ", "));
    for (const CLI::Option* other : option.get_needs())
        item += fmt::format(" Needs `{}`.", other->get_name());
    return wrapped(item, "  ");
}

using Options = std::vector<const CLI::Option*>;

Options options_of(const CLI::App& command)
{
    Options options = command.get_options();
    std::erase_if(options, [](const CLI::Option* option) {
        return option->get_name(false, true).starts_with("-h,") ||
               option->get_name() == "--help-all";
    });
    return options;
}

// For each text of an option, the number of commands that list it.
std::map<std::string, int> times_listed(const std::vector<const CLI::App*>& commands)
{
    std::map<std::string, int> times;
    for (const CLI::App* command : commands)
        for (const CLI::Option* option : options_of(*command)) ++times[option_item(*option)];
    return times;
}

// The footer that `--help` prints below the options, unless it is inherited from the program.
std::string footer_block(const CLI::App& command)
{
    const CLI::App* const program = command.get_parent();
    if (!program || command.get_footer().empty() || command.get_footer() == program->get_footer())
        return "";
    std::istringstream lines(command.get_footer());
    std::string block = "\n```\n";
    for (std::string line; std::getline(lines, line);) block += line + '\n';
    return block + "```\n";
}

std::string command_section(const CLI::App& command, const std::string& call,
                            const std::map<std::string, int>& times, std::string& shared)
{
    constexpr int commands_sharing = 3;
    std::string usage = call;
    std::string own;
    std::string elsewhere;
    for (const CLI::Option* option : options_of(command)) {
        const bool is_argument = option->get_positional() && !option->nonpositional();
        if (is_argument)
            usage += option->get_required() ? ' ' + option->get_name(true)
                                            : fmt::format(" [{}]", option->get_name(true));
        const std::string item = option_item(*option);
        if (is_argument || times.at(item) < commands_sharing) {
            own += item;
            continue;
        }
        elsewhere += fmt::format(" `{}`", option->get_name(false, false));
        if (shared.find(item) == shared.npos) shared += item;
    }
    std::string section = fmt::format("## {}\n\n", call);
    section += wrapped(command.get_description() + '.', "") + '\n';
    section += fmt::format("    {}\n", usage);
    if (!own.empty()) section += '\n' + own;
    if (!elsewhere.empty())
        section += '\n' + wrapped("[Shared options](#shared-options):" + elsewhere, "");
    return section + footer_block(command) + '\n';
}

std::string commands_page()
{
    CLI::App program("Opens the window", "lanescope");
    app::Subcommand chosen;
    app::add_everything(program, chosen);
    std::vector<const CLI::App*> commands{&program};
    for (const CLI::App* command : program.get_subcommands({})) commands.push_back(command);

    const auto times = times_listed(commands);
    std::string page;
    std::string shared;
    for (const CLI::App* command : commands)
        page += command_section(
            *command, command == &program ? "lanescope" : "lanescope " + command->get_name(), times,
            shared);
    return page + "## Shared options\n\n" + shared;
}

// Compares the part of a page between its two marks with `wanted`, or replaces that part.
void check_page(const std::string& name, const std::string& wanted)
{
    const std::filesystem::path file =
        std::filesystem::path(LANESCOPE_SOURCE_DIR "/assets/manual") / name;
    std::ifstream stream(file, std::ios::binary);
    std::string page{std::istreambuf_iterator<char>(stream), {}};
    const std::size_t start = page.find(generated_start);
    const std::size_t end = page.find(generated_end);
    ASSERT_NE(start, page.npos) << file;
    ASSERT_NE(end, page.npos) << file;
    const std::size_t from = start + generated_start.size();
    if (std::getenv("UPDATE_MANUAL")) {
        page.replace(from, end - from, wanted);
        std::ofstream(file, std::ios::binary) << page;
    } else {
        EXPECT_EQ(page.substr(from, end - from), wanted)
            << name << " is stale. Write it again: UPDATE_MANUAL=1 build/ci/cli_tests "
            << "--gtest_filter='Manual.*'";
    }
}

TEST(Manual, KeysPageIsCurrent)
{
    check_page("keys.md", keys_page());
}

TEST(Manual, CommandsPageIsCurrent)
{
    check_page("commands.md", commands_page());
}

} // namespace
} // namespace lanescope::test
