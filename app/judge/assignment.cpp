// Reads assignments. Every problem is reported with its line and its path in the file.
#include "app/judge/assignment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

#include "app/measure/counted.h"
#include "compute/endings.h"
#include "compute/error.h"
#include "compute/experiment/record/layout.h"
#include "compute/experiment/source/includes.h"
#include "compute/hash.h"
#include "compute/text.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t max_assignment_bytes = std::size_t{1} << 20;
constexpr std::size_t max_requirements = 100;
constexpr std::size_t max_sizes = 20;

constexpr std::array<std::pair<Requirement::Kind, std::string_view>, 7> kinds{
    {{Requirement::Kind::compiles, "compiles"},
     {Requirement::Kind::result, "result"},
     {Requirement::Kind::no_faults, "no_faults"},
     {Requirement::Kind::no_warnings, "no_warnings"},
     {Requirement::Kind::coverage, "coverage"},
     {Requirement::Kind::deterministic, "deterministic"},
     {Requirement::Kind::count, "count"}}};

std::string_view default_title(Requirement::Kind kind)
{
    switch (kind) {
    case Requirement::Kind::compiles: return "It compiles";
    case Requirement::Kind::result: return "The result is right";
    case Requirement::Kind::no_faults: return "No fault and no race";
    case Requirement::Kind::no_warnings: return "No warnings";
    case Requirement::Kind::coverage: return "Every element of the result is written";
    case Requirement::Kind::deterministic:
        return "The result does not depend on the order of threads";
    case Requirement::Kind::count: break;
    }
    return "";
}

// Walks a JSON text with comments, which is known to be valid, to the value at a pointer.
class PointerWalk {
public:
    explicit PointerWalk(std::string_view text) : text_(text) {}

    int line_of(std::string_view pointer)
    {
        skip_space();
        while (!pointer.empty()) {
            const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
            if (!enter(pointer.substr(1, end - 1))) break;
            pointer.remove_prefix(end);
        }
        return 1 + static_cast<int>(
                       std::count(text_.begin(), text_.begin() + static_cast<long>(at_), '\n'));
    }

private:
    char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void skip_space()
    {
        for (; at_ < text_.size(); ++at_) {
            if (text_.substr(at_, 2) == "//")
                at_ = std::min(text_.find('\n', at_), text_.size() - 1);
            else if (text_.substr(at_, 2) == "/*")
                at_ = std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 1;
            else if (!std::isspace(static_cast<unsigned char>(now())))
                return;
        }
    }
    std::string_view string()
    {
        const std::size_t begin = ++at_;
        while (at_ < text_.size() && now() != '"') at_ += now() == '\\' ? 2 : 1;
        const std::size_t end = std::min(at_, text_.size());
        at_ = std::min(at_ + 1, text_.size());
        return text_.substr(begin, end - begin);
    }
    void skip_value()
    {
        int depth = 0;
        do {
            skip_space();
            const char one = now();
            if (one == '"') {
                string();
            } else {
                if (one == '{' || one == '[') ++depth;
                if (one == '}' || one == ']') --depth;
                ++at_;
                const bool scalar = std::isalnum(static_cast<unsigned char>(one)) || one == '-';
                while (scalar &&
                       std::string_view(",]} \t\r\n/").find(now()) == std::string_view::npos)
                    ++at_;
            }
        } while (depth > 0 && at_ < text_.size());
    }
    // Moves to a member of the value at this position; returns false, without moving, if none.
    bool enter(std::string_view key)
    {
        const std::size_t begin = at_;
        const char open = now();
        if (open == '{' || open == '[') ++at_;
        for (std::size_t index = 0; (open == '{' || open == '[') && at_ < text_.size(); ++index) {
            skip_space();
            if (now() == '}' || now() == ']') break;
            bool found = open == '[' && key == std::to_string(index);
            if (open == '{') {
                found = string() == key;
                skip_space();
                ++at_; // the colon
                skip_space();
            }
            if (found) return true;
            skip_value();
            skip_space();
            if (now() == ',') ++at_;
        }
        at_ = begin;
        return false;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

// The file being read, for messages.
struct Source {
    std::string name;
    std::string text;

    [[noreturn]] void refuse(const std::string& pointer, const std::string& cause,
                             const std::string& cure) const
    {
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}, line {}, {}: {}", name, line_of_pointer(text, pointer),
                                pointer.empty() ? "/" : pointer, shortened(cause, 1000)),
                    cure);
    }
};

std::string shown(const Json& json)
{
    return shortened(json.dump(-1, ' ', false, Json::error_handler_t::replace), 60);
}

// An object whose keys must all be known.
class ObjectReader {
public:
    ObjectReader(const Source& source, const Json& json, std::string at)
        : source_(source), json_(json), at_(std::move(at))
    {
        if (!json.is_object())
            source_.refuse(at_, fmt::format("{} is not an object.", shown(json)),
                           "Write {\"key\": value, …}.");
    }
    std::string at(const std::string& key) const { return at_ + '/' + key; }
    const Json* find(const std::string& key)
    {
        known_.insert(key);
        const auto found = json_.find(key);
        return found == json_.end() ? nullptr : &*found;
    }
    void need(const std::string& key)
    {
        if (!find(key))
            source_.refuse(at_, fmt::format("\"{}\" is missing.", key),
                           "Add it; see the manual's page judging.md.");
    }
    std::string text(const std::string& key)
    {
        const Json* const found = find(key);
        if (!found) return {};
        if (!found->is_string() || found->get_ref<const std::string&>().empty())
            source_.refuse(at(key), fmt::format("{} is not a string.", shown(*found)),
                           "Put a string in quotes, or remove the key.");
        return found->get<std::string>();
    }
    std::optional<double> number(const std::string& key, double low, double high)
    {
        const Json* const found = find(key);
        if (!found) return {};
        const double value = found->is_number() ? found->get<double>() : std::nan("");
        if (!(value >= low && value <= high))
            source_.refuse(
                at(key), fmt::format("{} is not a number from {} to {}.", shown(*found), low, high),
                "Write such a number without quotes.");
        return value;
    }
    double whole(const std::string& key, double low, double high, double otherwise)
    {
        const double value = number(key, low, high).value_or(otherwise);
        if (std::floor(value) != value)
            source_.refuse(at(key), fmt::format("{} is not a whole number.", value),
                           "Write a number without a fraction.");
        return value;
    }
    bool flag(const std::string& key)
    {
        const Json* const found = find(key);
        if (found && !found->is_boolean())
            source_.refuse(at(key), fmt::format("{} is neither true nor false.", shown(*found)),
                           "Write true or false without quotes.");
        return found && found->get<bool>();
    }
    const Json& list(const std::string& key, std::size_t max_entries)
    {
        static const Json none = Json::array();
        const Json* const found = find(key);
        if (!found) return none;
        if (!found->is_array() || found->empty() || found->size() > max_entries)
            source_.refuse(
                at(key),
                fmt::format("{} is not a list of 1 to {} entries.", shown(*found), max_entries),
                "Write [entry, …], or remove the key.");
        return *found;
    }
    void finish() const
    {
        for (const auto& [key, value] : json_.items())
            if (!known_.contains(key))
                source_.refuse(at(key),
                               fmt::format("\"{}\" is not a key here.", shortened(key, 60)),
                               fmt::format("The keys are: {}.", fmt::join(known_, ", ")));
    }

private:
    const Source& source_;
    const Json& json_;
    std::string at_;
    std::set<std::string> known_;
};

std::vector<LabSize> read_sizes(const Source& source, ObjectReader& keys)
{
    std::vector<LabSize> sizes;
    const Json& list = keys.list("sizes", max_sizes);
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string at = keys.at("sizes") + '/' + std::to_string(i);
        if (!list[i].is_object())
            source.refuse(at, fmt::format("{} is not an object.", shown(list[i])),
                          "Write {\"size\": 33}, with parameters of the lab.");
        LabSize size;
        for (const auto& [id, value] : list[i].items()) {
            if (!value.is_number() && !value.is_string())
                source.refuse(at + '/' + id, fmt::format("{} is not a value.", shown(value)),
                              "Write a number or a string.");
            size[id] = value.is_string() ? value.get<std::string>() : value.dump();
        }
        if (std::ranges::find(sizes, size) != sizes.end())
            source.refuse(at, "this size is listed twice.", "Remove one of them.");
        sizes.push_back(std::move(size));
    }
    return sizes;
}

Requirement::Kind read_kind(const Source& source, ObjectReader& keys)
{
    keys.need("kind");
    const std::string word = keys.text("kind");
    const auto found = std::ranges::find(kinds, word, [](const auto& one) { return one.second; });
    std::vector<std::string_view> words;
    for (const auto& one : kinds) words.push_back(one.second);
    if (found == kinds.end())
        source.refuse(keys.at("kind"), fmt::format("\"{}\" is not a kind of requirement.", word),
                      fmt::format("The kinds are: {}.", fmt::join(words, ", ")));
    return found->first;
}

std::string limits_title(const Requirement& one)
{
    std::string title = one.count;
    const auto limit = [&](const char* words, const std::optional<double>& bound) {
        if (bound)
            title += fmt::format(" {} {}{}", words, *bound,
                                 one.relative_to_reference ? "× the reference's" : "");
    };
    limit("≥", one.at_least);
    limit("≤", one.at_most);
    return title;
}

void read_count(const Source& source, ObjectReader& keys, Requirement& one)
{
    const bool counts = one.kind == Requirement::Kind::count;
    one.count = keys.text("count");
    one.at_least = keys.number("at_least", -1e18, 1e18);
    one.at_most = keys.number("at_most", -1e18, 1e18);
    one.relative_to_reference = keys.flag("of_reference");
    if (!counts && (!one.count.empty() || one.at_least || one.at_most || one.relative_to_reference))
        source.refuse(
            keys.at("kind"),
            fmt::format("a limit on a count is given, but the kind is {}.", name(one.kind)),
            "Write \"kind\": \"count\", or remove the limit.");
    if (!counts) return;
    keys.need("count");
    const auto known = counted_ids();
    if (std::ranges::find(known, one.count) == known.end())
        source.refuse(keys.at("count"), fmt::format("there is no count \"{}\".", one.count),
                      fmt::format("The counts are: {}.", fmt::join(known, ", ")));
    if (!one.at_least && !one.at_most)
        source.refuse(keys.at("count"), "the count has no limit.",
                      "Add \"at_most\" or \"at_least\".");
}

Requirement read_requirement(const Source& source, const Json& json, const std::string& at)
{
    ObjectReader keys(source, json, at);
    Requirement one{.kind = read_kind(source, keys)};
    read_count(source, keys, one);
    one.id = keys.text("id");
    if (one.id.empty())
        one.id = one.kind == Requirement::Kind::count ? one.count : std::string(name(one.kind));
    one.title = keys.text("title");
    if (one.title.empty())
        one.title = one.kind == Requirement::Kind::count ? limits_title(one)
                                                         : std::string(default_title(one.kind));
    one.points = keys.number("points", 0, 1e6).value_or(1);
    const std::string visibility = keys.text("visibility");
    if (!visibility.empty() && visibility != "public" && visibility != "hidden")
        source.refuse(keys.at("visibility"), fmt::format("\"{}\" is not a visibility.", visibility),
                      "Write public or hidden.");
    one.hidden = visibility == "hidden";
    one.sizes = read_sizes(source, keys);
    keys.finish();
    return one;
}

void read_requirements(const Source& source, ObjectReader& keys, Assignment& read)
{
    keys.need("requirements");
    const Json& list = keys.list("requirements", max_requirements);
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string at = keys.at("requirements") + '/' + std::to_string(i);
        Requirement one = read_requirement(source, list[i], at);
        if (std::ranges::find(read.requirements, one.id, &Requirement::id) !=
            read.requirements.end())
            source.refuse(at, fmt::format("there is already a requirement \"{}\".", one.id),
                          "Give each its own \"id\".");
        if (one.relative_to_reference && read.reference.empty())
            source.refuse(at + "/of_reference", "the assignment has no reference.",
                          "Add \"reference\", the id of a variant or a .cu file.");
        read.requirements.push_back(std::move(one));
    }
}

void read_limits(const Source& source, ObjectReader& keys, JudgeLimits& limits)
{
    const Json* const json = keys.find("limits");
    if (!json) return;
    ObjectReader inner(source, *json, keys.at("limits"));
    limits.seconds = inner.number("seconds", 1, 86'400).value_or(limits.seconds);
    limits.launch_seconds =
        inner.number("launch_seconds", 0.01, 86'400).value_or(limits.launch_seconds);
    const double million = inner.number("million_warp_instructions", 0.001, 1e6).value_or(0);
    if (million > 0) limits.warp_instructions = static_cast<std::uint64_t>(million * 1e6);
    const double mb = inner.whole("memory_mb", 256, 1 << 20, 0);
    if (mb > 0) limits.memory_bytes = static_cast<std::uint64_t>(mb) << 20;
    limits.source_bytes = static_cast<std::size_t>(inner.whole(
                              "source_kb", 1, 1024, static_cast<double>(limits.source_bytes >> 10)))
                          << 10;
    inner.finish();
}

// A file or folder beside the assignment, or the text unchanged if it is only a name.
std::string resolved(const fs::path& folder, const std::string& text)
{
    std::error_code none;
    const fs::path path = folder / text;
    return !text.empty() && fs::exists(path, none) ? fs::weakly_canonical(path, none).string()
                                                   : text;
}

void add_files(const fs::path& place, std::vector<std::string>& parts)
{
    std::error_code none;
    const bool is_folder = fs::is_directory(place, none);
    if (!is_folder && !fs::is_regular_file(place, none)) return;
    // Includes the headers beside a kernel, because it may include them.
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(is_folder ? place : place.parent_path(), none))
        if (entry.is_regular_file(none) &&
            (is_folder || entry.path().filename() == place.filename() || is_header(entry.path())))
            files.push_back(entry.path());
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        parts.push_back(file.filename().string());
        parts.push_back(render::read_file(file));
    }
}

} // namespace

bool is_header(const fs::path& path)
{
    for (const char* one : {".h", ".cuh", ".hpp", ".inl"})
        if (path.extension() == one) return true;
    return false;
}

std::string size_text(const LabSize& size)
{
    std::string text;
    for (const auto& [id, value] : size)
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", id, value);
    return text.empty() ? "initial values" : text;
}

std::string_view name(Requirement::Kind kind)
{
    return std::ranges::find(kinds, kind, [](const auto& one) { return one.first; })->second;
}

std::vector<LabSize> Assignment::all_sizes() const
{
    std::vector<LabSize> all = sizes;
    for (const Requirement& one : requirements)
        for (const LabSize& size : one.sizes)
            if (std::ranges::find(all, size) == all.end()) all.push_back(size);
    return all;
}

const std::vector<LabSize>& Assignment::sizes_of(const Requirement& requirement) const
{
    return requirement.sizes.empty() ? sizes : requirement.sizes;
}

double Assignment::max_points() const
{
    double sum = 0;
    for (const Requirement& one : requirements) sum += one.points;
    return sum;
}

std::string fingerprint_of(const std::vector<std::string_view>& parts)
{
    Hash hash;
    for (const std::string_view part : parts) hash.add(part);
    return fmt::format("{:016x}", hash.value());
}

int line_of_pointer(std::string_view json, std::string_view pointer)
{
    return PointerWalk(json).line_of(pointer);
}

Assignment read_assignment(const fs::path& path)
{
    const Source source{path.string(), render::read_file(path, max_assignment_bytes)};
    const Json json = labs::record_json(source.text);
    if (json.is_discarded()) {
        std::string where;
        try {
            [[maybe_unused]] const Json never = Json::parse(source.text, nullptr, true, true);
        } catch (const Json::parse_error& error) {
            const auto end =
                source.text.begin() + static_cast<long>(std::min(error.byte, source.text.size()));
            where = fmt::format(", line {}", 1 + std::count(source.text.begin(), end, '\n'));
        }
        throw Error(ExitStatus::bad_usage, fmt::format("{}{}: not JSON.", source.name, where),
                    "Check the commas, quotes and brackets of this line and the line before.");
    }
    Assignment read{.path = fs::absolute(path)};
    const fs::path folder = read.path.parent_path();
    ObjectReader keys(source, json, "");
    keys.need("title");
    read.title = keys.text("title");
    keys.need("lab");
    read.lab = resolved(folder, keys.text("lab"));
    read.variant = keys.text("variant");
    read.file = keys.text("file");
    if (!read.file.empty() &&
        (!labs::stays_in_folder(read.file) || !read.file.ends_with(ending::cuda_source)))
        source.refuse("/file", fmt::format("\"{}\" is not the name of a .cu file.", read.file),
                      "Write a name without folders, such as kernel.cu.");
    const std::string reference = keys.text("reference");
    read.reference =
        reference.ends_with(ending::cuda_source) ? resolved(folder, reference) : reference;
    read.tolerance = keys.number("tolerance", 0, 1e30);
    const Json& provides = keys.list("provides", 100);
    for (std::size_t i = 0; i < provides.size(); ++i) {
        if (!provides[i].is_string() || !labs::stays_in_folder(provides[i].get<std::string>()))
            source.refuse("/provides/" + std::to_string(i),
                          fmt::format("{} is not the name of a header.", shown(provides[i])),
                          "Write the name of a file in the lab's folder.");
        read.provides.push_back(provides[i].get<std::string>());
    }
    read.sizes = read_sizes(source, keys);
    read.seed = static_cast<std::uint64_t>(keys.whole("seed", 0, 0x1p53, 7));
    read.steps = static_cast<int>(keys.whole("steps", 1, 10'000, 1));
    read_limits(source, keys, read.limits);
    read_requirements(source, keys, read);
    keys.finish();
    if (read.sizes.empty()) read.sizes.emplace_back();
    std::vector<std::string> parts{source.text};
    for (const std::string& place : {read.lab, read.reference}) add_files(place, parts);
    read.fingerprint = fingerprint_of(std::vector<std::string_view>(parts.begin(), parts.end()));
    return read;
}

} // namespace lanescope::app
