// Stub of the demangler: demangled type names would only appear in messages of uncaught exceptions,
// which report_errors replaces. The real one would make up 1/80 of a page's size.
#include <cstddef>

extern "C" char* __cxa_demangle(const char*, char*, std::size_t*, int* status)
{
    constexpr int not_a_name = -2;
    if (status != nullptr) *status = not_a_name;
    return nullptr;
}
