// std::from_chars, with a floating-point version for C++ libraries that lack it.
#pragma once

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace lanescope {

#ifdef _LIBCPP_VERSION
// Uses strtod(), which rounds correctly, but rejects its extensions: white space, plus signs,
// hexadecimal.
template <class Real>
std::from_chars_result read_real(const char* begin, const char* end, Real& value)
{
    const std::string_view text(begin, static_cast<std::size_t>(end - begin));
    const std::size_t first = text.starts_with('-') ? 1 : 0;
    std::string word(text.substr(0, text.find_first_not_of("0123456789+-.eEinftyaINFTYA")));
    if (word.size() <= first || word[first] == '+' || word[first] == '-' || word[first] == 'e' ||
        word[first] == 'E')
        return {begin, std::errc::invalid_argument};
    char* stop = nullptr;
    errno = 0;
    Real read;
    if constexpr (std::is_same_v<Real, float>)
        read = std::strtof(word.c_str(), &stop);
    else
        read = std::strtod(word.c_str(), &stop);
    if (stop == word.c_str()) return {begin, std::errc::invalid_argument};
    const char* const ended = begin + (stop - word.c_str());
    if (errno == ERANGE) return {ended, std::errc::result_out_of_range};
    value = read;
    return {ended, std::errc{}};
}
#endif

template <class Number>
std::from_chars_result read_number(const char* begin, const char* end, Number& value)
{
#ifdef _LIBCPP_VERSION
    if constexpr (std::is_floating_point_v<Number>)
        return read_real(begin, end, value);
    else
#endif
        return std::from_chars(begin, end, value);
}

} // namespace lanescope
