// Labs made of sources. Each distinct lab.json is parsed once, each set of sources once.
#include "compute/experiment/catalogue/texts.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compute/endings.h"
#include "compute/error.h"
#include "compute/experiment/catalogue/files.h"
#include "compute/experiment/record/read.h"
#include "compute/hash.h"
#include "compute/python_source.h"

namespace lanescope::labs {
namespace {

using Json = nlohmann::ordered_json;

struct FromTexts {
    struct Kept {
        std::shared_ptr<const Lab> lab;
        std::uint64_t last_lookup = 0; // counter value at its last lookup
    };
    std::mutex mutex;
    std::map<std::string, Kept, std::less<>> places;
    std::map<std::string, std::weak_ptr<const Lab>> records; // a lab with this base and lab.json
    std::uint64_t lookups = 0;

    // Requires the mutex; null for an unknown place.
    const Lab* find(std::string_view place)
    {
        const auto found = places.find(place);
        if (found == places.end()) return nullptr;
        found->second.last_lookup = ++lookups;
        return found->second.lab.get();
    }
};
FromTexts& from_texts()
{
    static FromTexts all;
    return all;
}

void check_size(const Texts& texts)
{
    std::size_t bytes = 0;
    for (const auto& [name, text] : texts.files) bytes += name.size() + text.size();
    if (bytes > max_text_bytes)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("A lab's files may total {} KB; these total {}.",
                                max_text_bytes / 1024, bytes / 1024),
                    "Leave out what the kernels do not need.");
}

// Names must stay within the lab's folder, in case it is saved as one.
void check_names(const Texts& texts)
{
    if (texts.id == ".." || texts.id.find_first_of("/\\") != std::string::npos)
        throw Error(ExitStatus::bad_usage, fmt::format("'{}' cannot be a lab's name.", texts.id),
                    "Use a name without folders.");
    for (const auto& [name, text] : texts.files)
        if (name.empty() || name.starts_with('.') || name.find_first_of("/\\") != std::string::npos)
            throw Error(ExitStatus::bad_usage, fmt::format("'{}' cannot be a file of a lab.", name),
                        "File names must not have a folder or begin with a dot.");
}

void check_encoding(const Texts& texts)
{
    for (const auto& [name, text] : texts.files)
        if (!is_utf8(text) || !is_utf8(name))
            throw Error(ExitStatus::bad_usage, fmt::format("{} is not UTF-8 text.", name),
                        "Convert it, as `iconv -t utf-8` does.");
}

const Lab* base_of(const Texts& texts)
{
    return texts.base.empty() ? nullptr : &find(texts.base);
}

// Reads the lab, without its identity. Reuses the record of an earlier version.
Lab read(const Texts& texts, const Lab* base)
{
    const auto own = texts.files.find(record_file);
    if (own == texts.files.end() && base) return *base;
    if (own == texts.files.end())
        throw Error(ExitStatus::bad_usage, fmt::format("{} has no lab.json.", texts.id),
                    "Add a lab.json that describes the kernels.");
    const std::string id = base ? base->id : texts.id;
    const std::string key = texts.base + '\0' + id + '\0' + own->second;
    {
        const std::scoped_lock lock(from_texts().mutex);
        if (const auto known = from_texts().records.find(key); known != from_texts().records.end())
            if (const auto lab = known->second.lock()) return *lab;
    }
    return read_record(own->second, id + "/" + record_file, id);
}

// Normalises different names of a lab: a folder by another path, an overlay of an overlay.
Texts normal(const Texts& texts)
{
    const Lab* base = base_of(texts);
    if (!base) return texts;
    Texts flat = texts_of(*base);
    for (const auto& [name, text] : texts.files) flat.files[name] = text;
    return flat;
}

} // namespace

std::string place_of(const Texts& texts)
{
    Hash hash;
    hash.add(texts.base);
    hash.add(texts.id);
    for (const auto& [name, text] : texts.files) {
        hash.add(name);
        hash.add(text);
    }
    return fmt::format("{}+{:016x}", texts.base.empty() ? texts.id : texts.base, hash.value());
}

const Lab& open_texts(const Texts& given)
{
    auto texts = std::make_shared<const Texts>(normal(given));
    const Lab* const base = base_of(*texts);
    if (base && texts->files.empty()) return *base;
    std::string place = place_of(*texts);
    FromTexts& all = from_texts();
    const auto known = [&]() -> const Lab* {
        for (const Lab* found = all.find(place); found; found = all.find(place)) {
            if (*found->texts == *texts) return found;
            place += '+'; // hash collision with different source
        }
        return nullptr;
    };
    {
        const std::scoped_lock lock(all.mutex);
        if (const Lab* lab = known()) return *lab;
    }
    check_texts(*texts);
    Lab lab = read(*texts, base);
    lab.texts = texts;
    lab.files = files_of(texts, base);
    const std::scoped_lock lock(all.mutex);
    if (const Lab* other = known()) return *other; // another thread has added the lab meanwhile
    lab.place = place;
    const auto kept = std::make_shared<const Lab>(std::move(lab));
    all.places[place] = {kept, ++all.lookups};
    if (const auto record = texts->files.find(record_file); record != texts->files.end()) {
        auto& known = all.records[texts->base + '\0' + kept->id + '\0' + record->second];
        if (known.expired()) known = kept;
    }
    return *kept;
}

std::shared_ptr<const Lab> held(const Lab& lab)
{
    if (!lab.texts) return nullptr;
    const std::scoped_lock lock(from_texts().mutex);
    const auto found = from_texts().places.find(lab.place);
    return found == from_texts().places.end() ? nullptr : found->second.lab;
}

std::size_t forget_texts(const std::set<std::string, std::less<>>& needed)
{
    std::vector<std::shared_ptr<const Lab>> gone; // destroyed after unlocking
    FromTexts& all = from_texts();
    const std::scoped_lock lock(all.mutex);
    if (all.places.size() <= newest_texts) return 0;
    std::vector<std::uint64_t> last_lookup;
    for (const auto& [place, kept] : all.places) last_lookup.push_back(kept.last_lookup);
    std::ranges::nth_element(last_lookup, last_lookup.begin() + newest_texts - 1, std::greater());
    const std::uint64_t newest = last_lookup[newest_texts - 1];
    for (auto at = all.places.begin(); at != all.places.end();) {
        FromTexts::Kept& kept = at->second;
        if (kept.last_lookup >= newest || kept.lab.use_count() > 1 || needed.contains(at->first)) {
            ++at;
            continue;
        }
        gone.push_back(std::move(kept.lab));
        at = all.places.erase(at);
    }
    std::erase_if(all.records, [](const auto& record) { return record.second.expired(); });
    return gone.size();
}

namespace {

// True if the next eight bytes are ASCII and nonzero.
bool has_eight_of_ascii(std::string_view text, std::size_t at)
{
    constexpr std::uint64_t ones = 0x0101010101010101;
    std::uint64_t bytes = 0;
    if (text.size() - at < sizeof bytes) return false;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    return ((bytes | (bytes - ones)) & ones << 7) == 0;
}

} // namespace

bool is_utf8(std::string_view text)
{
    for (std::size_t at = 0; at < text.size();) {
        if (has_eight_of_ascii(text, at)) {
            at += 8;
            continue;
        }
        const auto lead = static_cast<unsigned char>(text[at++]);
        if (lead == 0) return false;
        if (lead < 0x80) continue;
        if (lead < 0xc2 || lead > 0xf4) return false;
        const int more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
        std::uint32_t code = lead & (0x3fU >> more);
        for (int i = 0; i < more; ++i, ++at) {
            if (at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xc0U) != 0x80)
                return false;
            code = code << 6 | (static_cast<unsigned char>(text[at]) & 0x3fU);
        }
        const bool overlong = (more == 2 && code < 0x800) || (more == 3 && code < 0x10000);
        if (overlong || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
    }
    return true;
}

void check_texts(const Texts& texts)
{
    check_size(texts);
    check_names(texts);
    check_encoding(texts);
}

const Lab* opened_texts(std::string_view place)
{
    const std::scoped_lock lock(from_texts().mutex);
    return from_texts().find(place);
}

Texts texts_of(const Lab& lab)
{
    return lab.texts ? *lab.texts : Texts{.base = lab.place};
}

namespace {

// Adds the new variant to every list that names the variant it was copied from.
void copy_variant_references(Json& list, const char* key, const std::string& like,
                             const std::string& id)
{
    for (Json& one : list)
        if (one.contains(key) && one[key].is_array() &&
            std::ranges::find(one[key], Json(like)) != one[key].end())
            one[key].push_back(id);
}

void rename_file(Json& json, const std::string& from, const std::string& to)
{
    if (json.is_object())
        for (auto& [key, value] : json.items()) {
            if (key == "file" && value == from)
                value = to;
            else
                rename_file(value, from, to);
        }
    else if (json.is_array())
        for (Json& one : json) rename_file(one, from, to);
}

// "naive_edited.cu"; names of sources that need a newer GPU keep their suffix: "…_sm_80.cu".
std::string file_for(const std::string& id, const std::string& like)
{
    const std::size_t suffix = like.rfind("_sm_");
    return id + (suffix == std::string::npos ? ending::cuda_source : like.substr(suffix));
}

bool has_title(const Lab& lab, std::string_view title)
{
    return std::ranges::find(lab.variants, title, &Variant::title) != lab.variants.end();
}

struct Naming {
    std::string id;
    std::string title;
};

// First unused name: naive_edited, naive_edited_2, …
Naming free_name(const Lab& lab, const std::string& id, const auto& title)
{
    for (int number = 1;; ++number) {
        const Naming name{number == 1 ? id : fmt::format("{}_{}", id, number), title(number)};
        if (!lab.find_variant(name.id) && !has_title(lab, name.title)) return name;
    }
}

Edited with_row(const Lab& lab, const Variant& like, const Naming& name, const std::string& idea,
                std::string text)
{
    Json json = Json::parse(lab.file(record_file), nullptr, true, true);
    Json row = json["variants"][like.index];
    const std::string file = file_for(name.id, like.source);
    row["id"] = name.id;
    row["title"] = name.title;
    row["idea"] = idea;
    row.erase("fault"); // the effect of the copy is unknown
    row.erase("wrong");
    row["edited"] = like.edited.empty() ? like.id : like.edited;
    if (!row.contains("passes") && json.contains("passes")) row["passes"] = json["passes"];
    rename_file(row, like.source, file);
    row["file"] = file;
    if (json.contains("parameters"))
        copy_variant_references(json["parameters"], "for", like.id, name.id);
    if (json.contains("sweeps"))
        copy_variant_references(json["sweeps"], "variants", like.id, name.id);
    if (json.contains("peers"))
        for (Json& peer : json["peers"])
            if (!peer.contains("variant")) peer["variant"] = lab.variants.back().id;
    json["variants"].push_back(std::move(row));
    Edited made{texts_of(lab), name.id, file};
    made.texts.files[record_file] = json.dump(2);
    made.texts.files[file] = std::move(text);
    return made;
}

void refuse_python(const Variant& variant)
{
    if (is_python_source(variant.source))
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} is Python, which is not compiled here.", variant.source),
                    "Edit the script, and run it again.");
}

} // namespace

Edited with_edited_variant(const Lab& lab, std::string_view id, std::string text)
{
    const Variant& variant = find_variant(lab, id);
    refuse_python(variant);
    if (!variant.edited.empty()) {
        Edited made{texts_of(lab), variant.id, variant.source};
        made.texts.files[variant.source] = std::move(text);
        made.texts.files.erase( // PTX of the previous source, if a web page supplied it
            std::filesystem::path(variant.source).replace_extension(ending::ptx).string());
        return made;
    }
    const auto title = [&](int number) {
        return number == 1 ? fmt::format("{} (edited)", variant.title)
                           : fmt::format("{} (edited {})", variant.title, number);
    };
    return with_row(lab, variant, free_name(lab, variant.id + "_edited", title),
                    fmt::format("{}, with your own source.", variant.title), std::move(text));
}

Edited with_new_variant(const Lab& lab, std::string_view like, std::string_view wanted,
                        std::string text)
{
    const Variant& variant = find_variant(lab, like);
    refuse_python(variant);
    std::string id;
    for (const char one : wanted) {
        const auto letter = static_cast<unsigned char>(one);
        if (std::isalnum(letter))
            id += static_cast<char>(std::tolower(letter));
        else if (!id.empty() && id.back() != '_')
            id += '_';
    }
    if (id.ends_with('_')) id.pop_back();
    if (id.empty()) id = "variant";
    const auto title = [&](int number) {
        return number == 1 ? std::string(wanted) : fmt::format("{} {}", wanted, number);
    };
    return with_row(lab, variant, free_name(lab, id, title),
                    fmt::format("Launched like {}.", variant.title), std::move(text));
}

} // namespace lanescope::labs
