// Calls of the system that a browser's C library lacks: files without a name are made, no process
// is.
#include <pthread.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

extern "C" int memfd_create(const char*, unsigned)
{
    char name[] = "/tmp/memory.XXXXXX";
    const int file = mkstemp(name);
    if (file >= 0) unlink(name);
    return file;
}

extern "C" int posix_spawnp(pid_t*, const char*, const posix_spawn_file_actions_t*,
                            const posix_spawnattr_t*, char* const*, char* const*)
{
    return ENOSYS;
}

extern "C" int pthread_setattr_default_np(const pthread_attr_t*)
{
    return ENOSYS; // there are no threads
}
