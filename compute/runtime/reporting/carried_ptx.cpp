// The section contains a linked image (fat_binary.h) and a zero byte. The file's own bytes stay in
// place; the new section, a longer name table and a new section table are appended.
#include "compute/runtime/reporting/carried_ptx.h"

#include <fmt/format.h>

#include "compute/runtime/reporting/fat_binary.h"

namespace lanescope::runtime {

namespace {

constexpr std::string_view section_name = ".lanescope.ptx";
constexpr std::string_view maker_section = ".note.nv.tkinfo";

void pad(std::string& bytes)
{
    bytes.resize((bytes.size() + 7) / 8 * 8);
}

template <class Record>
void append(std::string& bytes, const Record& record)
{
    bytes.append(reinterpret_cast<const char*>(&record), sizeof record);
}

} // namespace

bool is_whole_elf(std::string_view bytes)
{
    Elf64_Ehdr header;
    if (bytes.size() < sizeof header || !is_elf(bytes.data())) return false;
    std::memcpy(&header, bytes.data(), sizeof header);
    const std::uint64_t table_bytes = std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr);
    if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum ||
        header.e_shoff > bytes.size() || table_bytes > bytes.size() - header.e_shoff)
        return false;
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
        Elf64_Shdr section;
        std::memcpy(&section, bytes.data() + header.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL) continue;
        if (section.sh_offset > bytes.size() || section.sh_size > bytes.size() - section.sh_offset)
            return false;
    }
    return true;
}

std::string with_ptx(std::string_view machine_code, const std::vector<std::string>& texts)
{
    std::string made(machine_code);
    if (texts.empty() || !is_whole_elf(machine_code)) return made;
    Elf64_Ehdr header;
    std::memcpy(&header, made.data(), sizeof header);
    if (header.e_shnum >= SHN_LORESERVE - 1) return made;
    bool found = false;
    each_section(made.data(),
                 [&](std::string_view name, std::string_view) { found |= name == section_name; });
    if (found) return made;

    std::vector<Elf64_Shdr> sections(header.e_shnum);
    std::memcpy(sections.data(), made.data() + header.e_shoff,
                sections.size() * sizeof(Elf64_Shdr));
    Elf64_Shdr& names = sections[header.e_shstrndx];
    std::string all_names = made.substr(names.sh_offset, names.sh_size);
    const std::string image = linked_image(texts) + '\0';
    pad(made);
    Elf64_Shdr carried{};
    carried.sh_name = static_cast<Elf64_Word>(all_names.size());
    carried.sh_type = SHT_PROGBITS;
    carried.sh_offset = made.size();
    carried.sh_size = image.size();
    carried.sh_addralign = 1;
    made += image;
    all_names += section_name;
    all_names += '\0';
    pad(made);
    names.sh_offset = made.size();
    names.sh_size = all_names.size();
    made += all_names;
    pad(made);
    header.e_shoff = made.size();
    ++header.e_shnum;
    sections.push_back(carried);
    for (const Elf64_Shdr& section : sections) append(made, section);
    std::memcpy(made.data(), &header, sizeof header);
    return made;
}

std::vector<std::string> carried_ptx(const void* machine_code)
{
    std::vector<std::string> texts;
    each_section(machine_code, [&](std::string_view name, std::string_view contents) {
        if (name == section_name) texts = texts_of_images(contents);
    });
    return texts;
}

std::string maker_name(const void* machine_code)
{
    std::string tool, release;
    each_section(machine_code, [&](std::string_view name, std::string_view note) {
        if (name != maker_section) return;
        // The note's strings are the tool, its release, its build and its options.
        constexpr std::string_view words = "Cuda compilation tools, ";
        const std::size_t at = note.find(words);
        if (at == note.npos || at < 2) return;
        release = note.substr(at + words.size());
        release.resize(std::strlen(release.c_str()));
        const std::size_t before = note.rfind('\0', at - 2);
        if (before != note.npos) tool = note.substr(before + 1, at - before - 2);
    });
    return tool.empty() ? release : fmt::format("{} ({})", tool, release);
}

} // namespace lanescope::runtime
