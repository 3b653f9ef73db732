// Demangles piece by piece where the C++ library is linked statically, as in the program: its
// callback sees each piece and leaves once there is enough.
#include "compute/trace/demangled.h"

#include <algorithm>
#include <cctype>
#include <csetjmp>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <string_view>

#if defined(__GLIBCXX__)
// From libstdc++: calls `piece` for each part of the text; returns 0 for a mangled name. The shared
// library does not export it.
extern "C" __attribute__((weak)) int
__gcclibcxx_demangle_callback(const char* mangled, void (*piece)(const char*, std::size_t, void*),
                              void* state);
#endif

namespace lanescope {
namespace {

constexpr std::string_view cut_mark = "…";

#if defined(__GLIBCXX__)
struct Collected {
    std::string text;
    std::size_t max_length = 0;
    std::jmp_buf enough;
};

// The functions that call this one are in C and keep no memory of their own.
void collect(const char* piece, std::size_t length, void* state)
{
    auto& collected = *static_cast<Collected*>(state);
    const std::size_t room = collected.max_length - collected.text.size();
    collected.text.append(piece, std::min(length, room));
    if (length > room) std::longjmp(collected.enough, 1);
}
#endif

// How often the name refers to one of its parts: S_, S0_, SA_ and so on.
int references(std::string_view mangled)
{
    int count = 0;
    for (std::size_t at = 0; (at = mangled.find('S', at)) != mangled.npos;) {
        ++at;
        while (at < mangled.size() && (std::isdigit(static_cast<unsigned char>(mangled[at])) ||
                                       std::isupper(static_cast<unsigned char>(mangled[at]))))
            ++at;
        count += at < mangled.size() && mangled[at] == '_' ? 1 : 0;
    }
    return count;
}

std::optional<std::string> whole_name(const std::string& mangled, std::size_t max_length)
{
    constexpr int max_references = 20; // each can double the text
    if (references(mangled) > max_references) return std::nullopt;
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
    if (status != 0 || !text) return std::nullopt;
    std::string name = text.get();
    if (name.size() > max_length) name = name.substr(0, max_length) + std::string(cut_mark);
    return name;
}

} // namespace

std::optional<std::string> demangled_name(const std::string& mangled, std::size_t max_length)
{
#if defined(__GLIBCXX__)
    if (__gcclibcxx_demangle_callback != nullptr) {
        const auto collected = std::make_unique<Collected>();
        collected->max_length = max_length;
        if (setjmp(collected->enough) != 0) return collected->text + std::string(cut_mark);
        if (__gcclibcxx_demangle_callback(mangled.c_str(), collect, collected.get()) != 0)
            return std::nullopt;
        return std::move(collected->text);
    }
#endif
    return whole_name(mangled, max_length);
}

} // namespace lanescope
