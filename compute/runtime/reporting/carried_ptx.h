// PTX inside machine code: the compilers that a program calls (compilers/) add a section with the
// PTX to their ELF output. NVIDIA's tools and drivers ignore the section, and copies keep it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::runtime {

// Returns the machine code with a section that has these texts; unchanged if it is not an ELF file
// or has the section already.
std::string with_ptx(std::string_view machine_code, const std::vector<std::string>& texts);

// Returns the PTX texts embedded in the machine code at this address; empty if there are none.
std::vector<std::string> carried_ptx(const void* machine_code);

// Names the tool that made the machine code, and its release, as in "ptxas (release 13.0,
// V13.0.88)"; empty if the machine code does not say.
std::string maker_name(const void* machine_code);

// Returns true for an ELF file whose sections are all within these bytes.
bool is_whole_elf(std::string_view bytes);

// Calls `take(name, contents)` for each section of an ELF file that has contents.
template <class Take>
void each_section(const void* file, Take take);

} // namespace lanescope::runtime

#include <elf.h>

#include <cstring>

namespace lanescope::runtime {

// Returns true for ELF files of 64 bits.
inline bool is_elf(const void* file)
{
    return std::memcmp(file, ELFMAG, SELFMAG) == 0 &&
           static_cast<const unsigned char*>(file)[EI_CLASS] == ELFCLASS64;
}

template <class Take>
void each_section(const void* file, Take take)
{
    if (!is_elf(file)) return;
    const char* const begin = static_cast<const char*>(file);
    Elf64_Ehdr header;
    std::memcpy(&header, begin, sizeof header);
    const auto section = [&](std::size_t number) {
        Elf64_Shdr one;
        std::memcpy(&one, begin + header.e_shoff + number * sizeof one, sizeof one);
        return one;
    };
    if (header.e_shoff == 0 || header.e_shentsize != sizeof(Elf64_Shdr) ||
        header.e_shstrndx >= header.e_shnum)
        return;
    const char* const names = begin + section(header.e_shstrndx).sh_offset;
    for (std::size_t i = 1; i < header.e_shnum; ++i) {
        const Elf64_Shdr one = section(i);
        if (one.sh_type == SHT_NOBITS || one.sh_type == SHT_NULL) continue;
        take(std::string_view(names + one.sh_name),
             std::string_view(begin + one.sh_offset, one.sh_size));
    }
}

} // namespace lanescope::runtime
