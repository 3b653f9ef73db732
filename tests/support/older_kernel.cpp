// Implemented by a seccomp filter on the thread, which child processes inherit.
#include "tests/support/older_kernel.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <thread>

namespace lanescope::test {
namespace {

void remove_calls(const std::vector<long>& calls)
{
    std::vector<sock_filter> code{{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)}};
    for (const long call : calls) {
        code.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, static_cast<std::uint32_t>(call)});
        code.push_back({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS});
    }
    code.push_back({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW});
    const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
        throw std::runtime_error("this kernel has no seccomp filters");
}

} // namespace

std::vector<long> landlock_calls()
{
    return {444, 445, 446};
}

std::vector<long> file_view_calls()
{
    return {SYS_seccomp};
}

void without_calls(const std::vector<long>& calls, const std::function<void()>& work)
{
    std::exception_ptr thrown;
    std::thread([&] {
        try {
            remove_calls(calls);
            work();
        } catch (...) {
            thrown = std::current_exception();
        }
    }).join();
    if (thrown) std::rethrow_exception(thrown);
}

} // namespace lanescope::test
