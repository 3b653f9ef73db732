// The parts of a 64-bit ELF file that are read here, under the names of its specification. Systems
// without ELF have no header for it.
#pragma once

#include <cstdint>
#include <string_view>

namespace lanescope::app::elf {

constexpr std::string_view magic = "\x7f"
                                   "ELF";
constexpr std::size_t class_at = 4; // in e_ident
constexpr unsigned char class_64 = 2;

struct Header {
    unsigned char e_ident[16];
    std::uint16_t e_type, e_machine;
    std::uint32_t e_version;
    std::uint64_t e_entry, e_phoff, e_shoff;
    std::uint32_t e_flags;
    std::uint16_t e_ehsize, e_phentsize, e_phnum, e_shentsize, e_shnum, e_shstrndx;
};
static_assert(sizeof(Header) == 64);

struct Segment {
    std::uint32_t p_type, p_flags;
    std::uint64_t p_offset, p_vaddr, p_paddr, p_filesz, p_memsz, p_align;
};
static_assert(sizeof(Segment) == 56);
constexpr std::uint32_t load = 1, dynamic = 2; // p_type

struct Dynamic {
    std::int64_t d_tag;
    std::uint64_t d_val; // a number or an address
};
constexpr std::int64_t end = 0, needed = 1, string_table = 5, rpath = 15, runpath = 29; // d_tag

struct Section {
    std::uint32_t sh_name, sh_type;
    std::uint64_t sh_flags, sh_addr, sh_offset, sh_size;
    std::uint32_t sh_link, sh_info;
    std::uint64_t sh_addralign, sh_entsize;
};
static_assert(sizeof(Section) == 64);

} // namespace lanescope::app::elf
