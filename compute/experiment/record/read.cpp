// Reads records with nlohmann_json. Unused keys are errors, so that misspelt ones don't go
// unnoticed.
#include "compute/experiment/record/read.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/args.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "compute/endings.h"
#include "compute/experiment/record/elements.h"
#include "compute/experiment/record/record.h"
#include "compute/json_walk.h"
#include "compute/text.h"

namespace lanescope::labs {
namespace {

using Json = nlohmann::ordered_json;

// Limits for untrusted records.
constexpr int max_record_depth = 64;
constexpr std::size_t max_record_bytes = std::size_t{1} << 20;
constexpr std::size_t max_variants = 100;
constexpr std::size_t max_values = 200'000;      // per record
constexpr std::size_t max_read_values = 400'000; // over all variants, with the lab's defaults
constexpr std::size_t max_key_bytes = 200;
constexpr std::size_t max_string_bytes = std::size_t{1} << 17;
constexpr std::size_t max_parts = 64;   // per view: buffers, layers, rows
constexpr std::size_t max_braces = 20;  // per warning
constexpr std::size_t max_swept = 1000; // values per sweep
constexpr std::int64_t max_order = 1'000'000;
constexpr std::int64_t max_steps = 1'000'000; // per launch
constexpr double max_whole = 0x1p53;
constexpr double max_real = 1e30; // fits in a float, and so does the difference of two such numbers
constexpr std::size_t max_digits = 3; // limit for a width in a format: 999 columns

constexpr std::pair<std::string_view, Ratio> known_ratios[] = {
    {"sectors_per_load", Ratio::sectors_per_load},
    {"sectors_per_store", Ratio::sectors_per_store},
    {"sectors/ideal", Ratio::sectors_over_ideal},
    {"wavefronts/ideal", Ratio::wavefronts_over_ideal},
    {"lanes_per_instruction", Ratio::lanes_per_instruction},
    {"instructions_per_item", Ratio::instructions_per_item},
    {"bytes_per_item", Ratio::bytes_per_item}};

constexpr std::string_view launch_keys[] = {"file", "kernel",  "block",  "grid",    "tile",
                                            "over", "cluster", "shared", "pending", "arguments"};

// True if the record has a value at this path of keys.
bool has_path(const Json& json, const std::vector<std::string>& keys)
{
    const Json* at = &json;
    for (const std::string& key : keys) {
        if (at->is_object()) {
            const auto found = at->find(key);
            if (found == at->end()) return false;
            at = &*found;
        } else if (at->is_array()) {
            std::size_t index = 0;
            const char* const end = key.data() + key.size();
            if (std::from_chars(key.data(), end, index).ptr != end || index >= at->size())
                return false;
            at = &(*at)[index];
        } else {
            return false;
        }
    }
    return true;
}

// Location in a record, for messages: file and JSON path.
struct Place {
    const std::string* file;
    std::string path;
    // Variant's plan: the part from the variant itself, without the lab's defaults.
    const Json* own = nullptr;
    std::string own_path; // location of that part
    std::vector<std::string> keys{};

    Place operator/(std::string_view key) const
    {
        Place inner = *this;
        inner.path += '/';
        inner.path += key;
        if (own) inner.keys.emplace_back(key);
        return inner;
    }
    Place operator/(std::size_t index) const { return *this / std::to_string(index); }
    std::string text() const
    {
        std::string where = path;
        if (own && has_path(*own, keys)) where = own_path + path;
        return fmt::format("{}, {}", *file, where.empty() ? "/" : shortened(where, 200));
    }
};

[[noreturn]] void refuse(const Place& at, const std::string& cause, const std::string& cure)
{
    constexpr std::size_t max_bytes = 1000; // bytes: the message may list everything the record has
    throw Error(ExitStatus::bad_usage,
                fmt::format("{}: {}", at.text(), shortened(cause, max_bytes)),
                shortened(cure, max_bytes));
}

std::string shown(const Json& json)
{
    return shortened(json.dump(), 60);
}

std::size_t values_in(const Json& json)
{
    std::size_t count = 1;
    if (json.is_structured())
        for (const Json& inner : json) count += values_in(inner);
    return count;
}

// An object whose keys must all be read before finish().
class Object {
public:
    Object(const Json& json, Place at) : json_(json), at_(std::move(at))
    {
        if (!json.is_object())
            refuse(at_, fmt::format("{} is not an object.", shown(json)),
                   "Write {\"key\": value, …}.");
    }
    const Json* find(const std::string& key)
    {
        requested_.insert(key);
        const auto found = json_.find(key);
        return found == json_.end() ? nullptr : &*found;
    }
    const Json& need(const std::string& key)
    {
        if (const Json* found = find(key)) return *found;
        refuse(at_, fmt::format("\"{}\" is missing.", key),
               "Add it; see the manual's page lab-record.md.");
    }
    Place at(std::string_view key) const { return at_ / key; }
    const Place& at() const { return at_; }
    std::string text(const std::string& key)
    {
        const Json* found = find(key);
        if (!found) return {};
        if (!found->is_string())
            refuse(at(key), fmt::format("{} is not a string.", shown(*found)), "Put it in quotes.");
        return found->get<std::string>();
    }
    std::string needed_text(const std::string& key)
    {
        need(key);
        return text(key);
    }
    bool flag(const std::string& key)
    {
        const Json* found = find(key);
        if (!found) return false;
        if (!found->is_boolean())
            refuse(at(key), fmt::format("{} is neither true nor false.", shown(*found)),
                   "Write true or leave the key out.");
        return found->get<bool>();
    }
    double number(const std::string& key, double otherwise)
    {
        const Json* found = find(key);
        if (!found) return otherwise;
        if (!found->is_number())
            refuse(at(key), fmt::format("{} is not a number.", shown(*found)),
                   "Write a number without quotes.");
        return found->get<double>();
    }
    std::int64_t whole(const std::string& key, std::int64_t otherwise, std::int64_t min,
                       std::int64_t max)
    {
        const double wanted = number(key, static_cast<double>(otherwise));
        if (!(wanted >= static_cast<double>(min) && wanted <= static_cast<double>(max)) ||
            wanted != std::floor(wanted))
            refuse(at(key),
                   fmt::format("{} is not a whole number from {} to {}.", shown(json_.at(key)), min,
                               max),
                   "Write such a number.");
        return static_cast<std::int64_t>(wanted);
    }
    // Marks a key as known, because other code reads it.
    void pass(std::string_view key) { requested_.insert(std::string(key)); }
    void finish() const
    {
        for (const auto& [key, value] : json_.items())
            if (!requested_.contains(key))
                refuse(at_ / key, "this key is not allowed here.",
                       fmt::format("Allowed keys: {}.", fmt::join(requested_, ", ")));
    }

private:
    const Json& json_;
    Place at_;
    std::set<std::string> requested_;
};

template <class Each>
void for_each(const Json& list, const Place& at, Each&& each)
{
    if (!list.is_array()) refuse(at, fmt::format("{} is not a list.", shown(list)), "Write […].");
    for (std::size_t i = 0; i < list.size(); ++i) each(list[i], at / i);
}

std::string word(const Json& json, const Place& at)
{
    if (!json.is_string())
        refuse(at, fmt::format("{} is not a string.", shown(json)), "Put it in quotes.");
    return json.get<std::string>();
}

std::vector<std::string> words(const Json* json, const Place& at)
{
    std::vector<std::string> all;
    if (json)
        for_each(*json, at,
                 [&](const Json& one, const Place& place) { all.push_back(word(one, place)); });
    return all;
}

std::string number_text(double number)
{
    return fmt::format("{}", number);
}

Formula formula(const Json& json, const Place& at)
{
    if (json.is_string()) return {json.get<std::string>(), at.text()};
    if (json.is_number()) return {number_text(json.get<double>()), at.text()};
    if (json.is_boolean()) return {json.get<bool>() ? "1" : "0", at.text()};
    refuse(at, fmt::format("{} is not an expression.", shown(json)),
           "Write a number, or \"an expression\".");
}

std::optional<Formula> maybe_formula(Object& object, const std::string& key)
{
    const Json* found = object.find(key);
    if (!found) return std::nullopt;
    return formula(*found, object.at(key));
}

// One to `max_formulas` formulas; a single one need not be in a list.
std::vector<Formula> formulas(const Json* json, const Place& at, std::size_t max_formulas)
{
    std::vector<Formula> all;
    if (!json) return all;
    if (!json->is_array()) {
        all.push_back(formula(*json, at));
        return all;
    }
    for_each(*json, at,
             [&](const Json& one, const Place& place) { all.push_back(formula(one, place)); });
    if (all.empty() || all.size() > max_formulas)
        refuse(at, fmt::format("there are {} numbers.", all.size()),
               fmt::format("Write 1 to {}.", max_formulas));
    return all;
}

Choice choice(const Json& json, const Place& at)
{
    Choice found{.where = at.text()};
    const Json* rest = &json;
    while (rest->is_object()) {
        Object object(*rest, at);
        found.cases.emplace_back(formula(object.need("if"), object.at("if")),
                                 object.needed_text("then"));
        rest = &object.need("else");
        object.finish();
    }
    found.otherwise = word(*rest, at);
    return found;
}

std::map<std::string, Formula> options(const Json& json, const Place& at,
                                       const std::set<std::string>& except)
{
    std::map<std::string, Formula> all;
    for (const auto& [key, value] : json.items())
        if (!except.contains(key)) all.emplace(key, formula(value, at / key));
    return all;
}

FillPlan fill(const Json& json, const Place& at)
{
    using Kind = FillPlan::Kind;
    if (json.is_number()) {
        if (json.get<double>() != 0)
            refuse(at, "only 0 can be written as a number.",
                   "Write {\"each\": …} for other values.");
        return {.kind = Kind::zero};
    }
    if (json.is_string()) return {.kind = Kind::generator, .generator = json.get<std::string>()};
    Object object(json, at);
    if (const Json* each = object.find("each")) {
        object.finish();
        return {.kind = Kind::each, .each = formula(*each, object.at("each"))};
    }
    if (object.find("file")) {
        FillPlan plan{.kind = Kind::file, .file = object.text("file")};
        object.finish();
        return plan;
    }
    return {.kind = Kind::generator,
            .generator = object.needed_text("generator"),
            .options = options(json, at, {"generator"})};
}

void check_type(const std::string& type, const Place& at)
{
    if (!find_element(type))
        refuse(at, fmt::format("there is no type '{}'.", type),
               fmt::format("The types are: {}.", element_names()));
}

Choice type_choice(const Json* json, const Place& at)
{
    if (!json) return {.otherwise = "f32", .where = at.text()};
    Choice types = choice(*json, at);
    for (const auto& [condition, type] : types.cases) check_type(type, at);
    check_type(types.otherwise, at);
    return types;
}

// "values": plain expressions, {"f32": …} rounded to that type, {"computed": name}.
std::vector<ValuePlan> values(const Json* json, const Place& at)
{
    std::vector<ValuePlan> all;
    if (!json) return all;
    if (!json->is_object())
        refuse(at, "values must be an object.", "Write {\"name\": \"expression\", …}.");
    for (const auto& [name, is] : json->items()) {
        const Place here = at / name;
        ValuePlan value{.name = name, .where = here.text()};
        if (is.is_object()) {
            if (is.size() != 1)
                refuse(here, "a typed value must have exactly one key.",
                       "Write {\"f32\": \"expression\"}.");
            const std::string type = is.begin().key();
            if (type == "computed") {
                value.computed = word(is.front(), here / type);
            } else {
                check_type(type, here);
                value.type = type;
                value.is = formula(is.front(), here / type);
            }
        } else {
            value.is = formula(is, here);
        }
        all.push_back(std::move(value));
    }
    return all;
}

// Names that arguments and parts may refer to.
struct NamesOf {
    std::set<std::string> buffers{};
    std::set<std::string> images{};
    // Number of values that launches may still have. The defaults of launches count again in every
    // launch that inherits them.
    std::shared_ptr<std::size_t> left = std::make_shared<std::size_t>(max_read_values);
};

void need_buffer(const std::string& name, const NamesOf& known, const Place& at,
                 bool or_image = false)
{
    if (known.buffers.contains(name) || (or_image && known.images.contains(name))) return;
    refuse(at, fmt::format("there is no buffer{} '{}'.", or_image ? " or image" : "", name),
           fmt::format("The record has: {}{}{}.", fmt::join(known.buffers, ", "),
                       known.images.empty() ? "" : "; images ", fmt::join(known.images, ", ")));
}

// "0a1b": two hexadecimal digits per byte.
std::vector<std::byte> bytes_from_hex(std::string_view text, const Place& at)
{
    constexpr std::size_t max_bytes = 32764; // total for all parameters of a kernel
    std::vector<std::byte> bytes(text.size() / 2);
    bool read = text.size() % 2 == 0 && !text.empty() && bytes.size() <= max_bytes;
    for (std::size_t i = 0; read && i < bytes.size(); ++i) {
        unsigned value = 0;
        const char* const begin = text.data() + 2 * i;
        read = std::from_chars(begin, begin + 2, value, 16).ptr == begin + 2;
        bytes[i] = std::byte{static_cast<unsigned char>(value)};
    }
    if (!read)
        refuse(at, fmt::format("{} is not a list of bytes.", shown(Json(text))),
               "Write two hexadecimal digits for each.");
    return bytes;
}

// "0x700000000100"
std::optional<std::uint64_t> address_in(std::string_view text, const Place& at)
{
    std::uint64_t address = 0;
    const char* const end = text.data() + text.size();
    if (!text.starts_with("0x") || std::from_chars(text.data() + 2, end, address, 16).ptr != end ||
        text.size() == 2)
        refuse(at, fmt::format("{} is not an address.", shown(Json(text))),
               "Write it as in \"0x700000000100\".");
    return address;
}

ArgumentPlan argument(const Json& json, const Place& at, const NamesOf& known)
{
    using Kind = ArgumentPlan::Kind;
    ArgumentPlan plan{.where = at.text()};
    if (!json.is_object()) {
        plan.number = formula(json, at);
        if (known.buffers.contains(plan.number.text)) {
            plan.kind = Kind::buffer;
            plan.name = plan.number.text;
            plan.number = {"0", at.text()};
        } else if (known.images.contains(plan.number.text)) {
            plan.kind = Kind::surface;
            plan.name = plan.number.text;
        }
        return plan;
    }
    Object object(json, at);
    if (object.find("buffer")) {
        plan.kind = Kind::buffer;
        plan.name = object.text("buffer");
        need_buffer(plan.name, known, object.at("buffer"));
        const Json* offset = object.find("offset");
        plan.points_to_element = true;
        plan.number = offset ? formula(*offset, object.at("offset")) : Formula{"0", at.text()};
    } else if (object.find("host")) {
        plan.kind = Kind::host;
        plan.name = object.text("host");
        need_buffer(plan.name, known, object.at("host"));
    } else if (object.find("texture")) {
        plan.kind = Kind::texture;
        plan.name = object.text("texture");
        if (!known.images.contains(plan.name))
            need_buffer(plan.name, {.images = known.images}, object.at("texture"), true);
        const Json* filter = object.find("filter");
        plan.filter = filter ? choice(*filter, object.at("filter"))
                             : Choice{.otherwise = "point", .where = at.text()};
        plan.address = maybe_formula(object, "address");
        plan.normalized_coordinates = object.flag("normalized_coordinates");
        plan.normalized_reads = object.flag("normalized_reads");
    } else if (object.find("tensor_map")) {
        constexpr std::size_t max_rank = 5;
        plan.kind = Kind::tensor_map;
        plan.name = object.text("tensor_map");
        need_buffer(plan.name, known, object.at("tensor_map"));
        plan.box = formulas(&object.need("box"), object.at("box"), max_rank);
        plan.swizzle = maybe_formula(object, "swizzle");
    } else if (object.find("bytes")) {
        plan.kind = Kind::bytes;
        plan.bytes = bytes_from_hex(object.text("bytes"), object.at("bytes"));
    } else if (const Json* members = object.find("struct")) {
        plan.kind = Kind::structure;
        for_each(*members, object.at("struct"), [&](const Json& one, const Place& place) {
            plan.members.push_back(argument(one, place, known));
        });
    } else {
        if (json.size() != 1)
            refuse(at, fmt::format("{} is not an argument.", shown(json)),
                   "Write a buffer's or value's name, {\"f32\": \"expression\"}, {\"buffer\": …}, "
                   "{\"texture\": …}, {\"tensor_map\": …}, {\"bytes\": …} or {\"struct\": […]}.");
        plan.type = json.begin().key();
        check_type(plan.type, at);
        plan.number = formula(json.front(), at / plan.type);
        return plan;
    }
    object.finish();
    return plan;
}

// `json` is the action's own part merged over the variant's launch defaults.
LaunchPlan launch(const Json& json, const Place& at, const NamesOf& known,
                  const std::string& default_file)
{
    Object object(json, at);
    const std::size_t values = values_in(json);
    if (values > *known.left)
        refuse(at, "there are too many passes.", "Repeat some of them: {\"for\": …}.");
    *known.left -= values;
    LaunchPlan plan{.where = at.text()};
    plan.file = object.text("file");
    if (plan.file.empty()) plan.file = default_file;
    plan.kernel = choice(object.need("kernel"), object.at("kernel"));
    object.need("block");
    plan.block = formulas(object.find("block"), object.at("block"), 3);
    plan.grid = formulas(object.find("grid"), object.at("grid"), 3);
    plan.tile = formulas(object.find("tile"), object.at("tile"), 3);
    plan.over = formulas(object.find("over"), object.at("over"), 3);
    plan.cluster = formulas(object.find("cluster"), object.at("cluster"), 3);
    if (plan.grid.empty() && plan.over.empty())
        refuse(
            at, "the launch has no grid.",
            "Give \"grid\", or \"over\": the extents that tiles (\"tile\", else \"block\") cover.");
    plan.dynamic_shared_bytes = maybe_formula(object, "shared");
    plan.pending_launches = maybe_formula(object, "pending");
    if (const Json* arguments = object.find("arguments"))
        for_each(*arguments, object.at("arguments"), [&](const Json& one, const Place& place) {
            plan.arguments.push_back(argument(one, place, known));
        });
    return plan;
}

// The launch keys in `json`, overridden by those in `over`.
Json launch_defaults(const Json& json, const Json& over = Json::object())
{
    Json all = Json::object();
    for (const std::string_view key : launch_keys)
        if (json.contains(key)) all[std::string(key)] = json[std::string(key)];
    for (const auto& [key, value] : over.items()) {
        // A grid replaces inherited tiles, and vice versa.
        if (key == "grid") all.erase("tile"), all.erase("over");
        if (key == "over" || key == "tile") all.erase("grid");
    }
    all.update(over);
    return all;
}

std::vector<Action> actions(const Json& list, const Place& at, const NamesOf& known,
                            const Json& defaults, const std::string& file);

void copied_elements(Object& object, Action& done)
{
    const Json* offset = object.find("offset");
    done.offset = offset ? formula(*offset, object.at("offset")) : Formula{"0", object.at().text()};
    done.extent = maybe_formula(object, "extent");
}

void copy_between_devices(Object& object, Action& done)
{
    object.need("device");
    done.to = done.from;
    done.to_device = maybe_formula(object, "to_device");
    copied_elements(object, done);
    const std::string way = object.text("through");
    done.through_host = way == "host";
    if (!way.empty() && !done.through_host)
        refuse(object.at("through"), fmt::format("'{}' is not a way to copy between devices.", way),
               "Write \"host\", or leave it out: then it is a copy between peers.");
}

void wait_for_stream(Object awaited, Action& done)
{
    done.kind = Action::Kind::wait_for;
    const Json* stream = awaited.find("stream");
    done.awaited_device = formula(awaited.need("device"), awaited.at("device"));
    done.awaited_stream = stream ? formula(*stream, awaited.at("stream")) : Formula{"0"};
    awaited.finish();
}

// A graph holds launches, copies on the device, swaps and loops of them, on one stream.
void check_captured(const std::vector<Action>& actions, const Place& at)
{
    using Kind = Action::Kind;
    for (const Action& one : actions) {
        const bool fits = one.kind == Kind::launch || one.kind == Kind::fill ||
                          one.kind == Kind::copy || one.kind == Kind::swap ||
                          one.kind == Kind::repeat;
        if (!fits || one.stream || one.device || one.to_device)
            refuse(at, "a graph cannot hold this pass.",
                   "It may hold launches, copies between buffers, \"clear\", \"swap\" and loops, "
                   "without \"stream\" and \"device\".");
        check_captured(one.body, at);
    }
}

// Reads the calls of a frame that OpenGL draws. Returns false for any other pass.
bool shares_with_opengl(Object& object, Action& done, const NamesOf& known)
{
    using Kind = Action::Kind;
    constexpr std::array<std::pair<const char*, Kind>, 6> named{
        {{"register", Kind::register_memory},
         {"unregister", Kind::unregister_memory},
         {"map", Kind::map},
         {"unmap", Kind::unmap},
         {"draw", Kind::draw},
         {"to_opengl", Kind::to_opengl}}};
    for (const auto& [key, kind] : named) {
        if (!object.find(key)) continue;
        done.kind = kind;
        done.from = object.text(key);
        need_buffer(done.from, known, object.at(key), kind != Kind::to_opengl);
        if (kind != Kind::to_opengl) return true;
        done.to = object.needed_text("to");
        need_buffer(done.to, known, object.at("to"), true);
        return true;
    }
    if (object.flag("present")) return done.kind = Kind::present, true;
    if (object.flag("finish")) return done.kind = Kind::finish, true;
    return false;
}

Action action(const Json& json, const Place& at, const NamesOf& known, const Json& defaults,
              const std::string& file)
{
    using Kind = Action::Kind;
    Object object(json, at);
    Action done{.where = at.text()};
    done.when = maybe_formula(object, "when");
    done.stream = maybe_formula(object, "stream");
    done.device = maybe_formula(object, "device");
    done.title = object.text("title");
    if (object.find("swap")) {
        const auto pair = words(object.find("swap"), object.at("swap"));
        if (pair.size() != 2)
            refuse(object.at("swap"), "exactly two buffers can be exchanged.",
                   "Write [\"a\", \"b\"].");
        done.kind = Kind::swap;
        done.from = pair[0];
        done.to = pair[1];
        need_buffer(done.from, known, object.at("swap"));
        need_buffer(done.to, known, object.at("swap"));
    } else if (object.find("copy")) {
        done.kind = Kind::copy;
        done.from = object.text("copy");
        need_buffer(done.from, known, object.at("copy"));
        if (object.find("to_device")) {
            copy_between_devices(object, done);
        } else {
            done.to = object.needed_text("to");
            need_buffer(done.to, known, object.at("to"), true);
        }
    } else if (const Json* awaited = object.find("wait_for")) {
        wait_for_stream(Object(*awaited, object.at("wait_for")), done);
    } else if (const Json* uploaded = object.find("upload")) {
        done.kind = Kind::upload;
        done.upload = argument(*uploaded, object.at("upload"), known);
        done.to = object.needed_text("to");
        need_buffer(done.to, known, object.at("to"));
        if (done.upload.kind != ArgumentPlan::Kind::structure)
            refuse(object.at("upload"), "only a structure can be uploaded.",
                   "Write {\"struct\": […]}.");
    } else if (object.find("copy_in") || object.find("copy_out")) {
        const char* const key = object.find("copy_in") ? "copy_in" : "copy_out";
        done.kind = object.find("copy_in") ? Kind::copy_in : Kind::copy_out;
        done.from = object.text(key);
        need_buffer(done.from, known, object.at(key));
        copied_elements(object, done);
    } else if (object.flag("wait")) {
        done.kind = Kind::wait;
    } else if (shares_with_opengl(object, done, known)) {
    } else if (object.find("clear")) {
        done.kind = Kind::fill;
        done.from = object.text("clear");
        need_buffer(done.from, known, object.at("clear"), true);
    } else if (const Json* captured = object.find("graph")) {
        done.kind = Kind::graph;
        done.body = actions(*captured, object.at("graph"), known, defaults, file);
        check_captured(done.body, object.at("graph"));
    } else if (object.find("for")) {
        done.kind = Kind::repeat;
        done.variable = object.text("for");
        done.first = formula(object.need("from"), object.at("from"));
        done.condition = formula(object.need("while"), object.at("while"));
        const Json* next = object.find("next");
        done.next =
            next ? formula(*next, object.at("next")) : Formula{done.variable + " + 1", at.text()};
        done.body = actions(object.need("do"), object.at("do"), known, defaults, file);
    } else {
        for (const std::string_view key : launch_keys) object.pass(key);
        Json own = json;
        for (const char* key : {"when", "stream", "device", "title"}) own.erase(key);
        done.launch = launch(launch_defaults(defaults, own), at, known, file);
    }
    object.finish();
    return done;
}

std::vector<Action> actions(const Json& list, const Place& at, const NamesOf& known,
                            const Json& defaults, const std::string& file)
{
    std::vector<Action> all;
    for_each(list, at, [&](const Json& one, const Place& place) {
        all.push_back(action(one, place, known, defaults, file));
    });
    return all;
}

PartPlan part(const Json& json, const Place& at, const NamesOf& known, const std::string& key)
{
    PartPlan plan{.where = at.text()};
    if (json.is_string()) {
        plan.of = json.get<std::string>();
        need_buffer(plan.of, known, at, true);
        return plan;
    }
    Object object(json, at);
    plan.of = object.needed_text(key);
    need_buffer(plan.of, known, object.at(key), true);
    plan.offset = maybe_formula(object, "offset");
    plan.extents = formulas(object.find("extent"), object.at("extent"), 3);
    plan.stored = maybe_formula(object, "stored");
    object.finish();
    return plan;
}

// Kind determined by the view's keys; if there are several, the last in the order of ViewKind.
std::optional<ViewKind> view_kind(Object& object, const Place& at, const NamesOf& known,
                                  ViewPlan& plan)
{
    using Takes = ViewTraits::Takes;
    std::optional<ViewKind> kind;
    for (std::size_t i = 0; i < view_kinds.size(); ++i) {
        const ViewTraits& one = view_kinds[i];
        const Json* const given = object.find(one.name);
        if (!given || (one.takes == Takes::nothing && !object.flag(one.name))) continue;
        kind = static_cast<ViewKind>(i);
        if (one.takes == Takes::buffer) {
            plan.part.of = object.text(one.name);
            plan.part.where = at.text();
            need_buffer(plan.part.of, known, object.at(one.name), true);
        } else if (one.takes == Takes::buffers) {
            for_each(*given, object.at(one.name), [&](const Json& name, const Place& place) {
                need_buffer(word(name, place), known, place);
                plan.arrays.push_back({.of = word(name, place), .where = place.text()});
            });
            const std::size_t max_layers = *kind == ViewKind::scatter ? 2 : max_parts;
            if (plan.arrays.empty() || plan.arrays.size() > max_layers)
                refuse(object.at(one.name),
                       fmt::format("there are {} buffers.", plan.arrays.size()),
                       fmt::format("Name 1 to {}.", max_layers));
        }
    }
    return kind;
}

// "field, surface and image"; with a predicate, only the matching ones.
std::string list_of_views(std::string_view quote, std::string_view last,
                          bool (*test)(const ViewTraits&))
{
    std::vector<std::string> names;
    for (const ViewTraits& one : view_kinds)
        if (test(one)) names.push_back(fmt::format("{0}{1}{0}", quote, one.name));
    const std::string end = names.back();
    names.pop_back();
    return fmt::format("{} {} {}", fmt::join(names, ", "), last, end);
}

bool has_range(ViewKind kind)
{
    return kind == ViewKind::field || kind == ViewKind::curve;
}

// A title or, where the view can show them, a title and the values at the ends.
AxisPlan axis(Object& object, const std::string& key, ViewKind kind)
{
    const Json* const given = object.find(key);
    if (!given || !given->is_object()) return {.title = object.text(key)};
    if (!has_range(kind))
        refuse(object.at(key), fmt::format("the axis of a {} view has no ends.", traits(kind).name),
               "Write its title as a string.");
    Object inner(*given, object.at(key));
    AxisPlan plan{.title = inner.needed_text("title"),
                  .low = maybe_formula(inner, "low"),
                  .high = maybe_formula(inner, "high")};
    inner.finish();
    return plan;
}

// {"row": "copy", "than": "child", "meaning": …}; the rows are named from the bottom.
std::optional<LabelsPicture::Later> later(const Json* json, const Place& at,
                                          const std::vector<std::string>& rows)
{
    if (!json) return {};
    Object object(*json, at);
    const auto row = [&](const char* key) {
        const std::string name = object.needed_text(key);
        const auto found = std::ranges::find(rows, name);
        if (found == rows.end())
            refuse(object.at(key), fmt::format("there is no row '{}'.", name),
                   rows.empty() ? "Name the rows: \"rows\"."
                                : fmt::format("Available: {}.", fmt::join(rows, ", ")));
        return static_cast<int>(found - rows.begin());
    };
    LabelsPicture::Later order{row("row"), row("than"), object.needed_text("meaning")};
    object.finish();
    return order;
}

ViewPlan view(const Json& json, const Place& at, const NamesOf& known, const std::string& file)
{
    Object object(json, at);
    ViewPlan plan;
    const std::optional<ViewKind> kind = view_kind(object, at, known, plan);
    if (!kind)
        refuse(at, fmt::format("{} does not name anything to draw.", shown(json)),
               fmt::format("Give one of {}.",
                           list_of_views("\"", "and", [](const ViewTraits&) { return true; })));
    plan.kind = *kind;
    plan.id = object.text("id");
    if (plan.id.empty()) plan.id = traits(plan.kind).name;
    plan.part.extents = formulas(object.find("extent"), object.at("extent"), 2);
    plan.low = maybe_formula(object, "low");
    plan.high = maybe_formula(object, "high");
    plan.quantity = object.text("quantity");
    plan.unit = object.text("unit");
    plan.axis = axis(object, "axis", plan.kind);
    if (plan.kind == ViewKind::field) {
        plan.axis_y = axis(object, "axis_y", plan.kind);
        plan.outline = object.text("outline");
    }
    if (plan.kind == ViewKind::labels) {
        plan.layers = words(&object.need("layers"), object.at("layers"));
        if (plan.layers.empty() || plan.layers.size() > max_parts)
            refuse(object.at("layers"), fmt::format("there are {} layers.", plan.layers.size()),
                   fmt::format("Name 1 to {}, one for each number of a cell.", max_parts));
        plan.show = maybe_formula(object, "show");
        plan.row_names = words(object.find("rows"), object.at("rows"));
        if (plan.row_names.size() > max_parts)
            refuse(object.at("rows"), fmt::format("there are more than {} rows.", max_parts),
                   "Leave some out.");
        plan.column_names = words(object.find("columns"), object.at("columns"));
        if (plan.column_names.size() > max_parts)
            refuse(object.at("columns"), fmt::format("there are more than {} columns.", max_parts),
                   "Leave some out.");
        plan.later = later(object.find("later"), object.at("later"), plan.row_names);
    }
    if (plan.kind == ViewKind::slots)
        for_each(object.need("rows"), object.at("rows"), [&](const Json& one, const Place& place) {
            Object row(one, place);
            plan.rows.push_back(
                {row.needed_text("title"), row.text("unit"), row.text("share"), row.text("mark")});
            row.finish();
            if (plan.rows.size() > max_parts)
                refuse(object.at("rows"), fmt::format("there are more than {} rows.", max_parts),
                       "Leave some out.");
        });
    if (plan.kind == ViewKind::points) plan.flat = object.flag("flat");
    const Json* draw = object.find("draw");
    if (draw && draw->is_string()) {
        plan.elements = true;
        if (object.text("draw") != "elements")
            refuse(object.at("draw"), fmt::format("{} draws nothing.", shown(*draw)),
                   "Write \"elements\", or a launch that fills what is drawn.");
        if (known.images.contains(plan.part.of) || !traits(plan.kind).from_elements)
            refuse(object.at("draw"),
                   fmt::format("the elements of {} cannot be drawn as {}.",
                               plan.part.of.empty() ? "several buffers" : plan.part.of,
                               traits(plan.kind).name),
                   fmt::format("Name a buffer, and {}.",
                               list_of_views("", "or", [](const ViewTraits& one) {
                                   return one.from_elements;
                               })));
    } else if (draw) {
        Object(*draw, object.at("draw"));
        plan.draw = launch(launch_defaults(Json::object(), *draw), object.at("draw"), known, file);
    }
    object.finish();
    return plan;
}

WorkPlan work(const Json* json, const Place& at)
{
    WorkPlan plan;
    if (!json) return plan;
    Object object(*json, at);
    if (auto found = maybe_formula(object, "bytes")) plan.bytes = std::move(*found);
    if (auto found = maybe_formula(object, "flops")) plan.flops = std::move(*found);
    if (auto found = maybe_formula(object, "items")) plan.items = std::move(*found);
    plan.item = object.text("item");
    object.finish();
    return plan;
}

CheckPlan check(const Json* json, const Place& at, const NamesOf& known)
{
    CheckPlan plan{.where = at.text()};
    if (!json) refuse(at, "the record has no check of the result.", "Add \"check\".");
    Object object(*json, at);
    plan.reference = object.text("reference");
    plan.each = maybe_formula(object, "each");
    plan.variant = object.text("variant");
    if (!plan.reference.empty() + plan.each.has_value() + !plan.variant.empty() != 1)
        refuse(at, "\"check\" needs exactly one source of the right result.",
               "Give either \"each\", an expression, or \"reference\", a name, or \"variant\", the "
               "id of a correct variant.");
    plan.tolerance = maybe_formula(object, "tolerance");
    if (const Json* of = object.find("of")) plan.part = part(*of, object.at("of"), known, "buffer");
    object.pass("reason");
    if (const Json* given = object.find("options"))
        plan.options = options(*given, object.at("options"), {});
    object.finish();
    return plan;
}

WarningPlan warning(const Json& json, const Place& at)
{
    Object object(json, at);
    WarningPlan plan{.when = formula(object.need("when"), object.at("when"))};
    const std::string text = object.needed_text("text");
    object.finish();
    // "… by {8 * k - 1:.2f} …" becomes "… by {:.2f} …" plus its expression.
    std::size_t done = 0;
    for (std::size_t open = text.find('{'); open != std::string::npos;
         open = text.find('{', done)) {
        const std::size_t close = text.find('}', open);
        if (close == std::string::npos)
            refuse(at / "text", "a brace is not closed.", "Add the closing }.");
        const std::string inner = text.substr(open + 1, close - open - 1);
        const std::size_t colon = inner.find(':');
        if (colon != std::string::npos) {
            std::size_t digits = 0;
            for (const char c : inner.substr(colon)) {
                digits = c >= '0' && c <= '9' ? digits + 1 : 0;
                if (digits > max_digits)
                    refuse(at / "text", "the number's format is too wide.",
                           "Write a format such as {expression:.2f}.");
            }
        }
        plan.text += text.substr(done, open - done) + "{" +
                     (colon == std::string::npos ? "" : inner.substr(colon)) + "}";
        plan.numbers.push_back({inner.substr(0, colon), (at / "text").text()});
        done = close + 1;
    }
    plan.text += text.substr(done);
    if (plan.numbers.size() > max_braces)
        refuse(at / "text", fmt::format("there are {} expressions.", plan.numbers.size()),
               fmt::format("Write at most {}.", max_braces));
    try {
        fmt::dynamic_format_arg_store<fmt::format_context> numbers;
        for (std::size_t i = 0; i < plan.numbers.size(); ++i) numbers.push_back(1.0);
        (void)fmt::vformat(plan.text, numbers);
    } catch (const fmt::format_error& problem) {
        refuse(at / "text", fmt::format("it cannot be written: {}.", problem.what()),
               "Write a format such as {expression:.2f}.");
    }
    return plan;
}

constexpr std::string_view plan_keys[] = {
    "values", "buffers",  "images",          "constants", "variables", "before", "passes",
    "swap",   "changes",  "result",          "memory",    "views",     "work",   "check",
    "paint",  "warnings", "steps_per_frame", "devices",   "scatter",   "gather"};

bool is_plan_key(std::string_view key)
{
    return std::ranges::find(plan_keys, key) != std::end(plan_keys) ||
           std::ranges::find(launch_keys, key) != std::end(launch_keys);
}

// Merges a variant over the lab's defaults: objects key by key, everything else as a whole.
Json effective(const Json& lab, const Json& variant)
{
    Json all = Json::object();
    for (const auto& [key, value] : lab.items())
        if (is_plan_key(key)) all[key] = value;
    Json own = Json::object();
    for (const auto& [key, value] : variant.items())
        if (is_plan_key(key)) own[key] = value;
    const auto is_object = [](const Json& json, const char* key) {
        return json.contains(key) && json[key].is_object();
    };
    if (is_object(own, "check") && is_object(all, "check")) {
        const std::string_view ways[] = {"each", "reference", "variant"};
        for (const std::string_view way : ways)
            if (own["check"].contains(std::string(way)))
                for (const std::string_view other : ways) all["check"].erase(std::string(other));
    }
    if (is_object(own, "buffers") && is_object(all, "buffers"))
        for (const auto& [name, buffer] : own["buffers"].items())
            if (buffer.is_object() && buffer.contains("fill") && all["buffers"].contains(name) &&
                all["buffers"][name].is_object())
                all["buffers"][name].erase("fill");
    if (own.contains("grid"))
        all.erase("tile"), all.erase("over");
    else if (own.contains("over") || own.contains("tile"))
        all.erase("grid");
    all.merge_patch(own);
    return all;
}

BufferPlan::Host host_copy(const std::string& memory, const Place& at)
{
    if (memory == "pageable") return BufferPlan::Host::pageable;
    if (memory == "pinned") return BufferPlan::Host::pinned;
    refuse(at, fmt::format("'{}' is not a kind of host memory.", memory),
           "Write \"pageable\" or \"pinned\".");
}

// Copies to and from the host require a host copy of the buffer.
void need_host_copies(const std::vector<Action>& actions, const std::vector<BufferPlan>& buffers)
{
    using Kind = Action::Kind;
    for (const Action& one : actions) {
        need_host_copies(one.body, buffers);
        if (one.kind != Kind::copy_in && one.kind != Kind::copy_out && one.kind != Kind::to_opengl)
            continue;
        const auto found = std::ranges::find(buffers, one.from, &BufferPlan::name);
        if (found->host == BufferPlan::Host::none)
            throw Error(ExitStatus::bad_usage,
                        fmt::format("{}: the host has no copy of {}.", one.where, one.from),
                        "Give the buffer \"host\": \"pageable\" or \"pinned\".");
    }
}

bool is_opengls(const Plan& plan, const std::string& name)
{
    const auto among = [&name](const auto& all) {
        return std::ranges::any_of(
            all, [&name](const auto& one) { return one.name == name && one.opengl; });
    };
    return among(plan.buffers) || among(plan.images);
}

// Calls of a frame need memory of OpenGL's, and a step that makes any of them presents its frames.
void need_opengl(const std::vector<Action>& actions, const Plan& plan)
{
    using Kind = Action::Kind;
    for (const Action& one : actions) {
        need_opengl(one.body, plan);
        const bool calls = one.kind == Kind::register_memory ||
                           one.kind == Kind::unregister_memory || one.kind == Kind::map ||
                           one.kind == Kind::unmap || one.kind == Kind::draw;
        if (one.kind == Kind::swap && (is_opengls(plan, one.from) || is_opengls(plan, one.to)))
            throw Error(ExitStatus::bad_usage,
                        fmt::format("{}: OpenGL's memory cannot be swapped.", one.where),
                        "Swap buffers of the device.");
        const std::string& name = one.kind == Kind::to_opengl ? one.to : one.from;
        if ((calls || one.kind == Kind::to_opengl) && !is_opengls(plan, name))
            throw Error(ExitStatus::bad_usage,
                        fmt::format("{}: {} is not OpenGL's memory.", one.where, name),
                        "Give it \"opengl\": true.");
    }
}

// Passes with devices require several of them, and copies between devices require the buffer on
// each.
void need_devices(const std::vector<Action>& actions, const Plan& plan)
{
    for (const Action& one : actions) {
        need_devices(one.body, plan);
        if (one.device && !plan.devices)
            throw Error(ExitStatus::bad_usage,
                        fmt::format("{}: the record has only one device.", one.where),
                        "Set the number of devices: \"devices\": 2.");
        if (!one.to_device) continue;
        const auto found = std::ranges::find(plan.buffers, one.from, &BufferPlan::name);
        if (!found->each_device)
            throw Error(ExitStatus::bad_usage,
                        fmt::format("{}: only device 0 has {}.", one.where, one.from),
                        "Give the buffer \"each_device\": true.");
    }
}

// Buffers on each device are filled by the scatter passes.
void check_each_device(const BufferPlan& buffer, const Place& at)
{
    const bool plain = buffer.host == BufferPlan::Host::none && !buffer.front && !buffer.address;
    if (buffer.opengl && (!plain || buffer.each_device))
        refuse(at, fmt::format("{} is OpenGL's memory.", buffer.name),
               "Leave out \"host\", \"front\", \"address\" and \"each_device\".");
    if (!buffer.each_device || plain) return;
    refuse(at, fmt::format("{} is on each device.", buffer.name),
           "Leave out \"host\", \"front\" and \"address\".");
}

BufferPlan buffer_plan(const std::string& name, const Json& json, const Place& at)
{
    Object one(json, at);
    BufferPlan buffer{.name = name};
    buffer.type = type_choice(one.find("type"), one.at("type"));
    one.need("extent");
    buffer.extents = formulas(one.find("extent"), one.at("extent"), 3);
    buffer.front = maybe_formula(one, "front");
    if (const Json* given = one.find("fill")) buffer.fill = fill(*given, one.at("fill"));
    if (one.find("host")) buffer.host = host_copy(one.text("host"), one.at("host"));
    if (one.find("address")) buffer.address = address_in(one.text("address"), one.at("address"));
    buffer.each_device = one.flag("each_device");
    buffer.opengl = one.flag("opengl");
    check_each_device(buffer, one.at());
    one.finish();
    return buffer;
}

ImagePlan image_plan(const std::string& name, const Json& json, const Place& at)
{
    Object one(json, at);
    ImagePlan image{.name = name, .where = one.at().text()};
    image.format = one.needed_text("format");
    one.need("extent");
    image.extents = formulas(one.find("extent"), one.at("extent"), 2);
    if (const Json* given = one.find("fill")) image.fill = fill(*given, one.at("fill"));
    image.opengl = one.flag("opengl");
    one.finish();
    return image;
}

MemoryPlan memory_plan(const Json& json, const Place& place)
{
    MemoryPlan named{.where = place.text()};
    if (json.is_string()) {
        named.name = named.buffer = json.get<std::string>();
        return named;
    }
    Object given(json, place);
    named.buffer = given.needed_text("buffer");
    named.name = given.find("name") ? given.text("name") : named.buffer;
    named.extents = formulas(given.find("extent"), given.at("extent"), 3);
    given.finish();
    return named;
}

// Reads the part of a record that a variant runs: its memory, its launches, and its views.
class PlanReader {
public:
    // `json`: the variant's own keys over those of the lab.
    PlanReader(const Json& json, const Place& at, const std::string& variant_id)
        : object_(json, at), defaults_(launch_defaults(json)),
          cu_(json.contains("file") ? word(json["file"], object_.at("file"))
                                    : variant_id + ending::cuda_source)
    {
    }

    Plan read()
    {
        plan_.values = values(object_.find("values"), object_.at("values"));
        read_memory();
        read_actions();
        read_swaps();
        plan_.changes = words(object_.find("changes"), object_.at("changes"));
        for (const std::string& name : plan_.changes)
            need_buffer(name, known_, object_.at("changes"));
        plan_.result = part(object_.need("result"), object_.at("result"), known_, "buffer");
        if (const Json* memory = object_.find("memory"))
            for_each(*memory, object_.at("memory"), [&](const Json& one, const Place& place) {
                MemoryPlan named = memory_plan(one, place);
                need_buffer(named.buffer, known_, place);
                plan_.memory.push_back(std::move(named));
            });
        read_views();
        if (const Json* warnings = object_.find("warnings"))
            for_each(*warnings, object_.at("warnings"), [&](const Json& one, const Place& place) {
                plan_.warnings.push_back(warning(one, place));
            });
        plan_.steps_per_frame = maybe_formula(object_, "steps_per_frame");
        object_.finish();
        return std::move(plan_);
    }

private:
    void read_memory()
    {
        if (const Json* buffers = object_.find("buffers")) {
            Object all(*buffers, object_.at("buffers"));
            for (const auto& [name, json_of] : buffers->items()) {
                known_.buffers.insert(name);
                plan_.buffers.push_back(buffer_plan(name, json_of, all.at(name)));
            }
        }
        if (const Json* images = object_.find("images")) {
            Object all(*images, object_.at("images"));
            for (const auto& [name, json_of] : images->items()) {
                known_.images.insert(name);
                plan_.images.push_back(image_plan(name, json_of, all.at(name)));
            }
        }
        for (auto [key, variables] :
             {std::pair{"constants", &plan_.constants}, std::pair{"variables", &plan_.variables}}) {
            const Json* const given = object_.find(key);
            if (!given) continue;
            Object all(*given, object_.at(key));
            for (const auto& [variable, buffer] : given->items()) {
                variables->emplace_back(variable, all.needed_text(variable));
                need_buffer(variables->back().second, known_, all.at(variable));
            }
        }
    }

    void read_actions()
    {
        plan_.devices = maybe_formula(object_, "devices");
        for (auto [key, passes] :
             {std::pair{"before", &plan_.before}, std::pair{"scatter", &plan_.scatter},
              std::pair{"gather", &plan_.gather}})
            if (const Json* given = object_.find(key))
                *passes = actions(*given, object_.at(key), known_, defaults_, cu_);
        if (const Json* passes = object_.find("passes"))
            plan_.step = actions(*passes, object_.at("passes"), known_, defaults_, cu_);
        else
            plan_.step.push_back({.launch = launch(defaults_, object_.at(), known_, cu_),
                                  .where = object_.at().text()});
        for (const std::string_view key : launch_keys) object_.pass(key);
        for (const auto* passes : {&plan_.before, &plan_.step, &plan_.scatter, &plan_.gather}) {
            need_host_copies(*passes, plan_.buffers);
            need_devices(*passes, plan_);
            need_opengl(*passes, plan_);
        }
        if (plan_.devices && !(plan_.constants.empty() && plan_.variables.empty()))
            refuse(object_.at("devices"), "only device 0 would get the module's variables.",
                   "Pass them as arguments.");
    }

    void read_swaps()
    {
        const Json* const swaps = object_.find("swap");
        if (!swaps) return;
        const Place at = object_.at("swap");
        const bool one_pair = swaps->is_array() && !swaps->empty() && swaps->front().is_string();
        const auto add = [&](const Json& json_of, const Place& place) {
            const auto pair = words(&json_of, place);
            if (pair.size() != 2)
                refuse(place, "exactly two buffers can be exchanged.",
                       "Write [\"now\", \"next\"].");
            for (const std::string& name : pair) need_buffer(name, known_, place);
            plan_.swap.emplace_back(pair[0], pair[1]);
        };
        if (one_pair)
            add(*swaps, at);
        else
            for_each(*swaps, at, add);
    }

    void read_views()
    {
        for_each(object_.need("views"), object_.at("views"),
                 [&](const Json& one, const Place& place) {
                     plan_.views.push_back(view(one, place, known_, cu_));
                 });
        if (plan_.views.empty())
            refuse(object_.at("views"), "there is nothing to draw.", "Add a view.");
        plan_.work = work(object_.find("work"), object_.at("work"));
        plan_.check = check(object_.find("check"), object_.at("check"), known_);
        const Json* const paint = object_.find("paint");
        if (!paint) return;
        PaintPlan painting;
        Object given(*paint, object_.at("paint"));
        painting.values = values(given.find("values"), given.at("values"));
        Json own = *paint;
        own.erase("values");
        painting.launch =
            launch(launch_defaults(Json::object(), own), object_.at("paint"), known_, cu_);
        for (const std::string_view key : launch_keys) given.pass(key);
        given.finish();
        plan_.paint = std::move(painting);
    }

    Object object_;
    const Json defaults_;
    const std::string cu_;
    NamesOf known_;
    Plan plan_;
};

Plan plan(const Json& lab, const Json& variant, const std::string& variant_id,
          const std::string& file, std::size_t index)
{
    const Json json = effective(lab, variant);
    const Place at{&file, "", &variant, fmt::format("/variants/{}", index)};
    return PlanReader(json, at, variant_id).read();
}

// A parameter's value in the syntax of Values::set().
std::string value_text(const Json& json, const Place& at)
{
    if (json.is_string()) return json.get<std::string>();
    if (json.is_boolean()) return json.get<bool>() ? "on" : "off";
    if (json.is_number_integer()) return std::to_string(json.get<std::int64_t>());
    if (json.is_number()) return number_text(json.get<double>());
    refuse(at, fmt::format("{} is not a value.", shown(json)),
           "Write a number, a word, true or false.");
}

// Validates the settings with `values`, and reports errors as errors in the record.
std::map<std::string, std::string> settings(const Json* json, const Place& at, const Lab& lab)
{
    std::map<std::string, std::string> all;
    if (!json) return all;
    Object object(*json, at);
    Values values(lab);
    for (const auto& [id, value] : json->items()) {
        all[id] = value_text(value, at / id);
        try {
            values.set(id, all[id]);
        } catch (const Error& error) {
            refuse(at / id, error.what(), "");
        }
    }
    return all;
}

Parameter parameter(const Json& json, const Place& at)
{
    Object object(json, at);
    Parameter one;
    one.id = object.needed_text("id");
    one.title = object.needed_text("title");
    one.unit = object.text("unit");
    one.help = object.needed_text("help");
    one.restarts = object.flag("restarts");
    one.logarithmic = object.flag("logarithmic");
    one.zero = object.text("zero");
    one.variants = words(object.find("for"), object.at("for"));
    const std::string kind = object.needed_text("kind");
    if (kind == "choice") {
        one.kind = Parameter::Kind::choice;
        one.choices = words(&object.need("choices"), object.at("choices"));
        if (one.choices.empty())
            refuse(object.at("choices"), "there is nothing to choose.", "Name at least one.");
        if (object.find("initial")) {
            const std::string initial = object.text("initial");
            const auto found = std::ranges::find(one.choices, initial);
            if (found == one.choices.end())
                refuse(object.at("initial"),
                       fmt::format("'{}' is not one of the choices.", initial),
                       "Name one of them.");
            one.initial = static_cast<double>(found - one.choices.begin());
        }
    } else if (kind == "toggle") {
        one.kind = Parameter::Kind::toggle;
        one.initial = object.flag("initial") ? 1 : 0;
    } else if (kind == "integer" || kind == "real") {
        one.kind = kind == "integer" ? Parameter::Kind::integer : Parameter::Kind::real;
        for (const char* key : {"min", "max", "initial"}) object.need(key);
        one.min = object.number("min", 0);
        one.max = object.number("max", 1);
        one.initial = object.number("initial", 0);
        const bool whole = one.kind == Parameter::Kind::integer;
        for (const auto& [key, number] : {std::pair{"min", one.min}, std::pair{"max", one.max},
                                          std::pair{"initial", one.initial}}) {
            if (std::abs(number) > (whole ? max_whole : max_real))
                refuse(object.at(key), fmt::format("{} is too large.", number),
                       fmt::format("Choose at most {}.", whole ? max_whole : max_real));
            if (whole && key == std::string_view("initial") && number != std::floor(number))
                refuse(object.at(key), fmt::format("{} is not a whole number.", number),
                       "Write a whole number, or \"kind\": \"real\".");
        }
        if (!(one.min <= one.initial && one.initial <= one.max))
            refuse(object.at("initial"), "the initial value is outside the range.",
                   "Choose a value from min to max.");
    } else {
        refuse(object.at("kind"), fmt::format("'{}' is not a kind of parameter.", kind),
               "Write integer, real, choice or toggle.");
    }
    object.finish();
    return one;
}

void need_variant(const Lab& lab, const std::string& id, const Place& at)
{
    if (lab.find_variant(id)) return;
    std::vector<std::string_view> ids;
    for (const Variant& variant : lab.variants) ids.push_back(variant.id);
    refuse(at, fmt::format("there is no variant '{}'.", id),
           fmt::format("The variants are: {}.", fmt::join(ids, ", ")));
}

Ratio ratio(const std::string& wanted, const Place& at)
{
    const auto* found =
        std::ranges::find(known_ratios, wanted, [](const auto& known) { return known.first; });
    if (found == std::end(known_ratios))
        refuse(at, fmt::format("there is no ratio '{}'.", wanted),
               "The ratios are: sectors_per_load, sectors_per_store, sectors/ideal, "
               "wavefronts/ideal, lanes_per_instruction, instructions_per_item, "
               "bytes_per_item.");
    return found->second;
}

void need_view(const std::vector<std::string>& views, const std::string& view, const Place& at)
{
    if (!view.empty() && std::ranges::find(views, view) == views.end())
        refuse(at, fmt::format("there is no view '{}'.", view),
               fmt::format("Available: {}.", fmt::join(views, ", ")));
}

// The name of a ratio; or an object with more properties, or with an expression instead.
Judged judged(const Json& json, const Place& at)
{
    if (json.is_string()) return {.ratio = ratio(json.get<std::string>(), at)};
    Object object(json, at);
    Judged cost;
    if (const std::string name = object.text("ratio"); !name.empty()) {
        cost.ratio = ratio(name, object.at("ratio"));
    } else {
        cost.value = formula(object.need("value"), object.at("value")).text;
        cost.unit = object.needed_text("unit");
        cost.meaning = object.needed_text("meaning");
        cost.higher_is_better = object.flag("more_is_better");
    }
    const Json* const given = object.find("ideal");
    if (given && given->is_boolean() && !given->get<bool>())
        cost.has_ideal = false;
    else if (const auto ideal = maybe_formula(object, "ideal"))
        cost.ideal = ideal->text;
    cost.ideal_of = object.text("ideal_of");
    cost.leads = object.flag("leads");
    object.finish();
    return cost;
}

trace::Scope scope(const std::string& wanted, const Place& at)
{
    for (const trace::Scope one : trace::all_scopes)
        if (trace::name(one) == wanted) return one;
    refuse(at, fmt::format("there are no accesses '{}'.", wanted),
           "Write \"all\", \"loads\", \"stores\" or \"atomics\".");
}

Opening opening(const Json& json, const Place& at, const Lab& lab)
{
    Object object(json, at);
    Opening opens{.variant = object.text("variant"),
                  .against = object.text("against"),
                  .compare = object.flag("compare"),
                  .values = settings(object.find("values"), object.at("values"), lab),
                  .show = object.text("show"),
                  .view = object.text("view"),
                  .map = object.text("map"),
                  .first_map = object.text("first_map"),
                  .tree_block = object.flag("tree_block")};
    if (!opens.variant.empty()) need_variant(lab, opens.variant, object.at("variant"));
    if (!opens.against.empty()) need_variant(lab, opens.against, object.at("against"));
    if (opens.compare && opens.against.empty())
        refuse(object.at("compare"), "the variant to compare with is missing.",
               "Name it: \"against\".");
    need_view(lab.views, opens.view, object.at("view"));
    if (const std::string of = object.text("request_of"); !of.empty())
        opens.request_of = scope(of, object.at("request_of"));
    if (const Json* cost = object.find("cost")) opens.cost = judged(*cost, object.at("cost"));
    opens.no_ladder = object.text("no_ladder");
    object.finish();
    return opens;
}

Sweep sweep(const Json& json, const Place& at, const Lab& lab)
{
    Object object(json, at);
    Sweep one;
    one.title = object.needed_text("title");
    one.parameter = object.needed_text("parameter");
    for_each(object.need("values"), object.at("values"),
             [&](const Json& value, const Place& place) {
                 const Json setting = Json::object({{one.parameter, value}});
                 Place inner = place;
                 one.values.push_back(settings(&setting, inner, lab).at(one.parameter));
             });
    if (one.values.empty() || one.values.size() > max_swept)
        refuse(object.at("values"), fmt::format("there are {} values.", one.values.size()),
               fmt::format("Give 1 to {}.", max_swept));
    one.variants = words(object.find("variants"), object.at("variants"));
    for (const std::string& id : one.variants) need_variant(lab, id, object.at("variants"));
    if (const Json* ratios = object.find("ratios")) {
        one.ratios.clear();
        for_each(*ratios, object.at("ratios"), [&](const Json& name, const Place& place) {
            one.ratios.push_back(ratio(word(name, place), place));
        });
        if (one.ratios.empty())
            refuse(object.at("ratios"), "the list is empty.",
                   "Name a ratio, or leave the key out.");
    }
    one.on_gpu = settings(object.find("on_gpu"), object.at("on_gpu"), lab);
    one.on_simt = settings(object.find("on_simt"), object.at("on_simt"), lab);
    if (object.find("simt_values"))
        one.simt_values = static_cast<std::size_t>(object.whole("simt_values", 0, 0, max_steps));
    if (const Json* axis = object.find("axis")) {
        Object given(*axis, object.at("axis"));
        one.number = given.needed_text("number");
        one.number_title = given.needed_text("title");
        one.law = given.text("law");
        given.finish();
    }
    object.finish();
    return one;
}

Peer peer(const Json& json, const Place& at, const Lab& lab)
{
    Object object(json, at);
    Peer one;
    one.name = object.needed_text("name");
    one.variant = object.text("variant");
    if (one.variant.empty())
        one.variant = lab.variants.back().id;
    else
        need_variant(lab, one.variant, object.at("variant"));
    one.note = object.text("note");
    one.when = object.text("when");
    if (const Json* takes = object.find("takes")) {
        Object(*takes, object.at("takes"));
        for (const auto& [name, value] : takes->items())
            one.takes[name] = value.is_string() ? value.get<std::string>()
                                                : value_text(value, object.at("takes") / name);
    }
    object.finish();
    return one;
}

[[noreturn]] void refuse_text(const std::string& name, const std::string& cause,
                              const std::string& cure)
{
    throw Error(ExitStatus::bad_usage, fmt::format("{}{}", name, cause), cure);
}

int line_at(std::string_view text, std::size_t byte)
{
    const std::string_view before = text.substr(0, std::min(byte, text.size()));
    return 1 + static_cast<int>(std::ranges::count(before, '\n'));
}

// Finds a number that is too large for a double: its text, line and location in the record.
class TooLargeNumber : public nlohmann::json_sax<Json> {
public:
    explicit TooLargeNumber(std::string_view text) : text_(text) {}

    std::string place() const { return place_; }
    std::string number() const { return number_; }

    bool null() override { return next(); }
    bool boolean(bool) override { return next(); }
    bool number_integer(std::int64_t) override { return next(); }
    bool number_unsigned(std::uint64_t) override { return next(); }
    bool number_float(double, const std::string&) override { return next(); }
    bool string(std::string&) override { return next(); }
    bool binary(Json::binary_t&) override { return next(); }
    bool start_object(std::size_t) override { return open(false); }
    bool start_array(std::size_t) override { return open(true); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(std::string& key) override
    {
        open_.back().key = key;
        return true;
    }
    bool parse_error(std::size_t byte, const std::string& token, const Json::exception&) override
    {
        std::string path;
        for (const Level& one : open_)
            path += "/" + (one.is_list ? std::to_string(one.index) : one.key);
        place_ = fmt::format(", line {}, {}", line_at(text_, byte),
                             path.empty() ? "/" : shortened(path, max_key_bytes));
        number_ = shortened(token, 60);
        return false;
    }

private:
    struct Level {
        bool is_list = false;
        std::size_t index = 0;
        std::string key{};
    };
    bool next()
    {
        if (!open_.empty()) ++open_.back().index;
        return true;
    }
    bool open(bool is_list)
    {
        open_.push_back({is_list});
        return true;
    }
    bool close()
    {
        open_.pop_back();
        return next();
    }

    std::string_view text_;
    std::vector<Level> open_;
    std::string place_;
    std::string number_;
};

Json parse(std::string_view text, const std::string& name)
{
    if (text.size() > max_record_bytes)
        refuse_text(name, fmt::format(": the record is larger than {} KB.", max_record_bytes >> 10),
                    "Split it into several labs.");
    std::size_t values = 0;
    const auto look = [&](int depth, const std::string* entry, bool is_key) {
        if (depth > max_record_depth)
            refuse_text(name,
                        fmt::format(": the record is nested more than {} deep.", max_record_depth),
                        "Reduce the nesting.");
        if (++values > max_values)
            refuse_text(name, fmt::format(": the record has more than {} values.", max_values),
                        "Split it into several labs.");
        if (entry != nullptr && entry->size() > (is_key ? max_key_bytes : max_string_bytes))
            refuse_text(name, fmt::format(": {} is too long.", shown(Json(*entry))), "Shorten it.");
    };
    walk_json(text, look, true);
    try {
        return Json::parse(text, nullptr, true, true);
    } catch (const Json::parse_error& error) {
        refuse_text(name, fmt::format(", line {}: This is not JSON.", line_at(text, error.byte)),
                    "Look for a missing or extra comma, quote or bracket.");
    } catch (const Json::out_of_range&) {
        TooLargeNumber found(text);
        Json::sax_parse(text, &found, Json::input_format_t::json, true, true);
        refuse_text(name,
                    fmt::format("{}: {} is too large for a number.", found.place(), found.number()),
                    "Write a number of at most 1.8e308.");
    }
}

Variant variant_row(const Json& json, const Place& place)
{
    Object given(json, place);
    Variant variant;
    variant.id = given.needed_text("id");
    variant.title = given.needed_text("title");
    variant.idea = given.needed_text("idea");
    variant.steps = static_cast<int>(given.whole("steps_per_launch", 1, 1, max_steps));
    variant.fault = given.text("fault");
    // also accepts the old key
    variant.fixed = given.text(given.find("mended") ? "mended" : "fixed");
    variant.wrong = given.flag("wrong");
    variant.engines = words(given.find("engines"), given.at("engines"));
    variant.edited = given.text("edited");
    // On a GPU, the fault destroys the context.
    if (!variant.fault.empty()) variant.engines = {std::string(device::name(device::Engine::simt))};
    variant.varies = given.text("varies");
    variant.tradeoff = given.text("tradeoff");
    variant.assumed = words(given.find("assumed"), given.at("assumed"));
    variant.doubtful = words(given.find("doubtful"), given.at("doubtful"));
    variant.guessed_sizes = words(given.find("guessed_sizes"), given.at("guessed_sizes"));
    for (const std::string_view key : plan_keys) given.pass(key);
    for (const std::string_view key : launch_keys) given.pass(key);
    given.finish();
    return variant;
}

// The variant's file, which is displayed if one of its launches is from there. A variant may use
// kernels of others' files before its own.
std::string own_file(const Json& json, std::size_t variant)
{
    const Json& own = json["variants"][variant];
    for (const Json* one : {&own, &json})
        if (one->contains("file")) return (*one)["file"].get<std::string>();
    return own["id"].get<std::string>() + ending::cuda_source;
}

// The first launch from the file, or of all if `file` is empty; null if there is none.
const LaunchPlan* first_launch(const std::vector<Action>& all, const std::string& file)
{
    for (const Action& one : all) {
        const bool launches = one.kind == Action::Kind::launch;
        if (launches && (file.empty() || one.launch.file == file)) return &one.launch;
        if (const LaunchPlan* inner = first_launch(one.body, file)) return inner;
    }
    return nullptr;
}

Preset preset(const Json& json, const Place& place, const Lab& lab)
{
    Object given(json, place);
    Preset made{.title = given.needed_text("title"),
                .variant = given.text("variant"),
                .view = given.text("view"),
                .map = given.text("map"),
                .show = given.text("show")};
    if (!made.variant.empty()) need_variant(lab, made.variant, given.at("variant"));
    need_view(lab.views, made.view, given.at("view"));
    made.values = settings(given.find("values"), given.at("values"), lab);
    given.finish();
    return made;
}

void check_number_of_variants(const Json& json, const Json& variants, const Place& at)
{
    if (values_in(json) - values_in(variants) >
        max_read_values / std::max<std::size_t>(variants.size(), 1))
        refuse(at,
               fmt::format("there are {} variants, each of which repeats the whole record.",
                           variants.size()),
               "Split it into several labs.");
    if (variants.size() > max_variants)
        refuse(at, fmt::format("there are {} variants.", variants.size()),
               fmt::format("A lab has at most {}.", max_variants));
}

// Reads a lab's record: first its variants with their plans, then all that names them.
class LabReader {
public:
    LabReader(const Json& json, const std::string& name, std::string id)
        : json_(json), name_(name), object_(json, Place{&name, "", nullptr, ""})
    {
        lab_.id = std::move(id);
    }

    Lab read()
    {
        lab_.title = object_.needed_text("title");
        lab_.question = object_.needed_text("question");
        lab_.order = static_cast<int>(object_.whole("order", 1000, -max_order, max_order));
        if (const Json* parameters = object_.find("parameters"))
            for_each(*parameters, object_.at("parameters"),
                     [&](const Json& one, const Place& place) {
                         lab_.parameters.push_back(parameter(one, place));
                     });
        read_variants();
        check_names();
        name_sources();
        for (const Plan& plan : record_->plans)
            if (!plan.check.variant.empty())
                need_variant(lab_, plan.check.variant, object_.at("check") / "variant");
        for (const ViewPlan& view : record_->plans.front().views) lab_.views.push_back(view.id);
        read_opening();
        read_lists();
        for (const std::string_view key : plan_keys) object_.pass(key);
        for (const std::string_view key : launch_keys) object_.pass(key);
        object_.finish();
        lab_.record = std::move(record_);
        return std::move(lab_);
    }

private:
    void read_variants()
    {
        const Json& variants = object_.need("variants");
        const Place at = object_.at("variants");
        check_number_of_variants(json_, variants, at);
        for_each(variants, at, [&](const Json& one, const Place& place) {
            Variant variant = variant_row(one, place);
            if (lab_.find_variant(variant.id))
                refuse(place / "id", "another variant has this id.",
                       "Give each variant its own id.");
            record_->plans.push_back(plan(json_, one, variant.id, name_, lab_.variants.size()));
            variant.index = lab_.variants.size();
            lab_.variants.push_back(std::move(variant));
        });
        if (lab_.variants.empty()) refuse(at, "a lab needs at least one variant.", "Add one.");
    }

    void check_names()
    {
        for (const Variant& variant : lab_.variants)
            if (!variant.edited.empty())
                need_variant(lab_, variant.edited,
                             object_.at("variants") / variant.index / "edited");
        for (std::size_t i = 0; i < lab_.parameters.size(); ++i)
            for (const std::string& variant : lab_.parameters[i].variants)
                need_variant(lab_, variant, object_.at("parameters") / i / "for");
        for (std::size_t i = 0; i < lab_.variants.size(); ++i)
            if (const std::string& fixed = lab_.variants[i].fixed; !fixed.empty())
                need_variant(lab_, fixed, object_.at("variants") / i / "fixed");
    }

    // Each variant shows its own file if it launches a kernel of it, otherwise its first launch's.
    void name_sources()
    {
        for (std::size_t i = 0; i < lab_.variants.size(); ++i) {
            const std::vector<Action>& step = record_->plans[i].step;
            const LaunchPlan* launch = first_launch(step, own_file(json_, i));
            if (!launch) launch = first_launch(step, {});
            if (!launch)
                refuse(object_.at("variants") / i, "the variant launches nothing.",
                       "Add a launch to its passes.");
            lab_.variants[i].source = launch->file;
            lab_.variants[i].kernel = launch->kernel.otherwise;
        }
    }

    void read_opening()
    {
        if (const Json* opens = object_.find("opens"))
            lab_.opens = opening(*opens, object_.at("opens"), lab_);
        if (json_.contains("check") && json_["check"].contains("reason"))
            lab_.tolerance_reason = word(json_["check"]["reason"], object_.at("check") / "reason");
        lab_.takes_image = object_.flag("takes_image");
        lab_.placeholder = object_.flag("placeholder");
        lab_.rate = object_.text("rate");
        if (!lab_.rate.empty() && lab_.rate != "fma" && lab_.rate != "add_min")
            refuse(object_.at("rate"), fmt::format("no rate '{}' is measured.", lab_.rate),
                   "Write \"fma\" or \"add_min\", or leave it out to use the copy as the roof.");
    }

    // Calls `read(json, place)` for each element of an optional list.
    template <class Read>
    void each(const char* key, const Read& read)
    {
        if (const Json* list = object_.find(key)) for_each(*list, object_.at(key), read);
    }

    void read_lists()
    {
        each("peers", [&](const Json& one, const Place& place) {
            lab_.peers.push_back(peer(one, place, lab_));
        });
        each("presets", [&](const Json& one, const Place& place) {
            lab_.presets.push_back(preset(one, place, lab_));
        });
        each("sweeps", [&](const Json& one, const Place& place) {
            lab_.sweeps.push_back(sweep(one, place, lab_));
        });
        each("test_sizes", [&](const Json& one, const Place& place) {
            lab_.test_sizes.push_back(settings(&one, place, lab_));
        });
        lab_.l2_sized = settings(object_.find("l2_size"), object_.at("l2_size"), lab_);
        lab_.dram_sized = settings(object_.find("dram_size"), object_.at("dram_size"), lab_);
    }

    const Json& json_;
    const std::string& name_;
    Object object_;
    Lab lab_;
    std::shared_ptr<Record> record_ = std::make_shared<Record>();
};

Lab read_lab(const Json& json, const std::string& name, std::string id)
{
    return LabReader(json, name, std::move(id)).read();
}

} // namespace

Lab read_record(std::string_view text, const std::string& name, std::string id)
{
    const Json json = parse(text, name);
    try {
        return read_lab(json, name, std::move(id));
    } catch (const Json::exception& problem) {
        refuse_text(name, fmt::format(": the record cannot be read: {}.", problem.what()),
                    "The README.md of the labs explains the format.");
    }
}

} // namespace lanescope::labs
