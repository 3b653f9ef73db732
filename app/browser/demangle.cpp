// Stub of the demangler: its type names would only appear in messages of uncaught exceptions, which
// report_errors replaces. The real one would be an eightieth of a page.
#include <cstddef>

extern "C" char* __cxa_demangle(const char*, char*, std::size_t*, int* status)
{
    constexpr int not_a_name = -2;
    if (status != nullptr) *status = not_a_name;
    return nullptr;
}
