// Functions of a library that is opened at the first call: every argument arrives, and a missing
// library or function is an error for the caller.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "compute/error.h"

// Contains the same declarations as the code that app/cmake/late.cmake generates.
#define LATE(name, library, function)                                                              \
    asm(".pushsection .data\n"                                                                     \
        ".balign 8\n"                                                                              \
        "1: .quad 0\n"                                                                             \
        ".asciz \"" library "\", \"" function "\"\n"                                               \
        ".popsection\n"                                                                            \
        ".pushsection .text\n"                                                                     \
        ".type " #name ", @function\n" #name ":\n"                                                 \
        ".cfi_startproc\n"                                                                         \
        "lea 1b(%rip), %r11\n"                                                                     \
        "cmpq $0, (%r11)\n"                                                                        \
        "je 2f\n"                                                                                  \
        "jmp *(%r11)\n"                                                                            \
        "2: jmp lanescope_late\n"                                                                  \
        ".cfi_endproc\n"                                                                           \
        ".popsection\n");

LATE(late_print, "libc.so.6", "snprintf")
LATE(late_fma, "libm.so.6", "fma")
LATE(call_missing_library, "liblanescope_absent.so.1", "anything")
LATE(no_function, "libm.so.6", "lanescope_absent")

extern "C" {
int late_print(char* to, std::size_t bytes, const char* format, ...);
double late_fma(double a, double b, double c);
void call_missing_library();
void no_function();
}

namespace lanescope {
namespace {

using ::testing::HasSubstr;

std::string error_of(void (*call)())
{
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::no_such_thing);
        return error.what();
    }
    return {};
}

TEST(LazyBinding, PassesEveryArgument)
{
    for (int time = 0; time < 2; ++time) { // the first call opens the library, the second is direct
        char text[200];
        const int length =
            late_print(text, sizeof text, "%d %d %d %d %d %g %g %g %g %g %g %g %g %g %g", 1, 2, 3,
                       4, 5, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5);
        EXPECT_STREQ(text, "1 2 3 4 5 0.5 1.5 2.5 3.5 4.5 5.5 6.5 7.5 8.5 9.5");
        EXPECT_EQ(length, static_cast<int>(std::string(text).size()));
        EXPECT_EQ(late_fma(2, 3, 4), 10);
    }
}

TEST(LazyBinding, ReportsMissingLibrary)
{
    for (int time = 0; time < 2; ++time) {
        EXPECT_THAT(error_of(call_missing_library),
                    HasSubstr("A library cannot be opened: liblanescope_absent.so.1: "));
        EXPECT_THAT(error_of(no_function), HasSubstr("lanescope_absent"));
    }
}

} // namespace
} // namespace lanescope
