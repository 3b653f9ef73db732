// Makes Landlock's and seccomp's system calls directly, because the C library wraps neither and
// older systems lack the headers.
#include "compute/process/walls.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "compute/process/posix/system_calls.h"
#include "compute/process/search_path.h"

namespace lanescope {
namespace fs = std::filesystem;
namespace {

// include/uapi/linux/landlock.h
namespace landlock {
constexpr long create_ruleset = 444, add_rule = 445, restrict_self = 446;
constexpr unsigned ask_version = 1;
constexpr int rule_path_beneath = 1;

struct Ruleset {
    std::uint64_t files, network, scoped;
};
struct [[gnu::packed]] PathBeneath {
    std::uint64_t allowed;
    std::int32_t parent;
};

constexpr std::uint64_t execute = 1 << 0, write_file = 1 << 1, read_file = 1 << 2,
                        read_dir = 1 << 3, remove_dir = 1 << 4, remove_file = 1 << 5,
                        make_dir = 1 << 7, make_reg = 1 << 8, make_sym = 1 << 12, refer = 1 << 13,
                        truncate = 1 << 14, all_of_version_1 = (1 << 13) - 1,
                        ioctl_of_devices = 1 << 15;
constexpr std::uint64_t connect_and_bind_tcp = 3, signals_and_abstract_sockets = 3;

constexpr std::uint64_t file_rights =
    execute | write_file | read_file | truncate | ioctl_of_devices;
constexpr std::uint64_t reads = read_file | read_dir;
constexpr std::uint64_t writes = reads | write_file | truncate | remove_dir | remove_file |
                                 make_dir | make_reg | make_sym | refer;

// The rights that this version of Landlock can restrict.
Ruleset all_of(int version)
{
    Ruleset all{all_of_version_1, 0, 0};
    if (version >= 2) all.files |= refer;
    if (version >= 3) all.files |= truncate;
    if (version >= 5) all.files |= ioctl_of_devices;
    if (version >= 4) all.network = connect_and_bind_tcp;
    if (version >= 6) all.scoped = signals_and_abstract_sockets;
    return all;
}

// Older kernels have a shorter structure, and refuse a longer one unless the rest is zero.
std::size_t size_for(int version)
{
    if (version >= 6) return sizeof(Ruleset);
    return version >= 4 ? offsetof(Ruleset, scoped) : offsetof(Ruleset, network);
}
} // namespace landlock

int landlock_version()
{
    const long version = syscall(landlock::create_ruleset, nullptr, 0, landlock::ask_version);
    return version > 0 ? static_cast<int>(version) : 0;
}

void allow(int ruleset, const fs::path& path, std::uint64_t rights)
{
    const int opened = open(path.c_str(), O_PATH | O_CLOEXEC);
    if (opened < 0) return;
    struct stat found {};
    if (fstat(opened, &found) == 0) {
        if (!S_ISDIR(found.st_mode)) rights &= landlock::file_rights;
        const landlock::PathBeneath rule{rights, opened};
        syscall(landlock::add_rule, ruleset, landlock::rule_path_beneath, &rule, 0);
    }
    close(opened);
}

int prepare_landlock(const Walls& walls, bool network)
{
    const int version = landlock_version();
    if (version == 0) return -1;
    landlock::Ruleset handled = landlock::all_of(version);
    if (network) handled.network = 0;
    const long made = syscall(landlock::create_ruleset, &handled, landlock::size_for(version), 0U);
    if (made < 0) return -1;
    const int ruleset = static_cast<int>(made);
    for (const fs::path& path : walls.readable)
        allow(ruleset, path, handled.files & landlock::reads);
    for (const fs::path& path : walls.runnable)
        allow(ruleset, path, handled.files & (landlock::reads | landlock::execute));
    for (const fs::path& path : walls.writable)
        allow(ruleset, path, handled.files & landlock::writes);
    return ruleset;
}

constexpr sock_filter statement(std::uint16_t code, std::uint32_t value)
{
    return {code, 0, 0, value};
}

// Skips `then` instructions if the comparison of the loaded value with `value` holds, and
// `otherwise` instructions if not.
constexpr sock_filter jump_if(std::uint16_t code, std::uint32_t value, std::uint8_t then,
                              std::uint8_t otherwise)
{
    return {code, then, otherwise, value};
}

constexpr std::uint16_t load = BPF_LD | BPF_W | BPF_ABS, equal = BPF_JMP | BPF_JEQ | BPF_K,
                        at_least = BPF_JMP | BPF_JGE | BPF_K, answer = BPF_RET | BPF_K;

// Calls that could bypass the sandbox, or reach other processes or data in the kernel, such as
// keys. The filter does not see the sockets that io_uring opens.
constexpr std::array forbidden{SYS_ptrace,
                               SYS_process_vm_readv,
                               SYS_process_vm_writev,
                               438 /* pidfd_getfd */,
                               425 /* io_uring */,
                               426,
                               427,
                               SYS_add_key,
                               SYS_request_key,
                               SYS_keyctl,
                               SYS_bpf,
                               SYS_perf_event_open,
                               SYS_userfaultfd,
                               SYS_mount,
                               SYS_umount2,
                               SYS_pivot_root,
                               SYS_chroot,
                               SYS_setns,
                               SYS_unshare};

// `network` allows sockets. A system call of another architecture (32-bit) kills the process.
template <std::size_t size>
struct Filter {
    std::array<sock_filter, size> code{};
    std::size_t length = 0;
    constexpr void add(sock_filter one) { code[length++] = one; }
};

constexpr auto make_filter(bool network)
{
    Filter<2 * forbidden.size() + 10> filter;
    filter.add(statement(load, offsetof(seccomp_data, arch)));
    filter.add(jump_if(equal, own_architecture, 1, 0));
    filter.add(statement(answer, SECCOMP_RET_KILL_PROCESS));
    filter.add(statement(load, offsetof(seccomp_data, nr)));
#if defined(__x86_64__)
    filter.add(jump_if(at_least, 0x40000000, 0, 1)); // calls of the x32 ABI
    filter.add(statement(answer, SECCOMP_RET_ERRNO | ENOSYS));
#endif
    for (const long call : forbidden) {
        filter.add(jump_if(equal, static_cast<std::uint32_t>(call), 0, 1));
        filter.add(statement(answer, SECCOMP_RET_ERRNO | EPERM));
    }
    if (!network) {
        filter.add(jump_if(equal, SYS_socket, 0, 1));
        filter.add(statement(answer, SECCOMP_RET_ERRNO | EACCES));
    }
    filter.add(statement(answer, SECCOMP_RET_ALLOW));
    return filter;
}

bool forbid_calls(bool network) noexcept
{
    static constexpr auto with = make_filter(true), without = make_filter(false);
    const auto& filter = network ? with : without;
    const sock_fprog program{static_cast<unsigned short>(filter.length),
                             const_cast<sock_filter*>(filter.code.data())};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0 || errno == EINVAL;
}

void limit(__rlimit_resource resource, std::uint64_t max) noexcept
{
    rlimit now{};
    if (getrlimit(resource, &now) != 0) return;
    const rlim_t lower = max < now.rlim_max ? max : now.rlim_max;
    const rlimit wanted{lower, lower};
    setrlimit(resource, &wanted);
}

// Does nothing in a build with a sanitizer, whose shadow memory would count as well.
void limit_memory([[maybe_unused]] std::uint64_t bytes) noexcept
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    limit(RLIMIT_DATA, bytes);
#endif
}

bool has_seccomp()
{
    return prctl(PR_GET_SECCOMP) >= 0;
}

// True if the supervisor's answer can let a system call continue (since Linux 5.5).
bool supports_continue()
{
    utsname system{};
    int major = 0, minor = 0;
    return uname(&system) == 0 && std::sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
           (major > 5 || (major == 5 && minor >= 5));
}

bool has_file_view()
{
    constexpr unsigned get_notification_sizes = 3;
    std::array<std::uint16_t, 3> sizes{}; // of request, answer, and seccomp_data
    return supports_continue() && syscall(SYS_seccomp, get_notification_sizes, 0, &sizes) == 0 &&
           sizes[0] <= sizeof(seccomp_notif) && sizes[1] <= sizeof(seccomp_notif_resp);
}

} // namespace

Walls walls_for_program(const fs::path& program)
{
    Walls walls;
    std::error_code none;
    walls.runnable = {"/bin",           "/sbin",      "/lib",       "/lib32",     "/lib64",
                      "/usr/bin",       "/usr/lib",   "/usr/lib32", "/usr/lib64", "/usr/libexec",
                      "/usr/local/lib", "/nix/store", "/gnu/store"};
    const fs::path real = fs::canonical(program, none);
    if (!none) {
        const fs::path folder = real.parent_path();
        walls.runnable.push_back(folder);
        if (folder.filename() == "bin" || folder.filename() == "sbin")
            for (const char* beside : {"lib", "lib64", "libexec"})
                walls.runnable.push_back(folder.parent_path() / beside);
    }
    for (const fs::path& folder : absolute_folders("LD_LIBRARY_PATH"))
        walls.runnable.push_back(folder);
    walls.readable = {"/etc/ld.so.cache",
                      "/etc/ld.so.preload",
                      "/etc/localtime",
                      "/etc/locale.alias",
                      "/usr/share/locale",
                      "/usr/share/zoneinfo",
                      "/dev/null",
                      "/dev/zero",
                      "/dev/random",
                      "/dev/urandom",
                      "/proc/cpuinfo",
                      "/proc/meminfo",
                      "/proc/sys/vm/overcommit_memory",
                      "/sys/devices/system/cpu"};
    walls.writable = {"/dev/null"};
    return walls;
}

PreparedWalls::PreparedWalls(const Walls& walls)
    : ruleset_(prepare_landlock(walls, walls.network)), network_(walls.network),
      limits_(walls.limits)
{
}

PreparedWalls::~PreparedWalls()
{
    if (ruleset_ >= 0) close(ruleset_);
}

bool PreparedWalls::raise() const noexcept
{
    if (limits_.memory_bytes > 0) limit_memory(limits_.memory_bytes);
    if (limits_.file_bytes > 0) limit(RLIMIT_FSIZE, limits_.file_bytes);
    if (limits_.processor_s > 0) limit(RLIMIT_CPU, limits_.processor_s);
    limit(RLIMIT_CORE, 0);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno == EINVAL; // before Linux 3.5
    if (ruleset_ >= 0 && syscall(landlock::restrict_self, ruleset_, 0U) != 0) return false;
    return forbid_calls(network_);
}

void limit_processes(unsigned max_processes) noexcept
{
    const rlimit wanted{max_processes, max_processes};
    setrlimit(RLIMIT_NPROC, &wanted);
}

KnownWalls known_walls()
{
    KnownWalls known;
    known.landlock_version = landlock_version();
    if (known.landlock_version == 0)
        known.no_landlock = errno == EOPNOTSUPP
                                ? "it is inactive (boot with lsm=landlock,…)"
                                : "this kernel does not have it (Linux 5.13 and later do)";
    known.seccomp = has_seccomp();
    known.file_view = known.seccomp && has_file_view();
    return known;
}

} // namespace lanescope
