/* Ends the process before one write-like call, or lets that call fail.
 *
 * Preloaded, it does nothing until faults_begin() names the folder below which calls count, the
 * number of the call, and the error; 0 ends the process as SIGKILL does. A number of 0 only counts.
 * An error that lasts is returned by all later calls, too, that need space on the disk. Each counted
 * call is written to a log, so that a find can be named.
 *
 * What maps a file and writes by memory (SQLite's -shm) is no call and is not seen.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char root[PATH_MAX];
static size_t root_length;
static long wanted, seen;
static int error_number, log_descriptor = -1;
static int is_on, lasts;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

void faults_begin(const char *folder, long number, int error, int is_lasting, int log)
{
    snprintf(root, sizeof root, "%s", folder);
    root_length = strlen(root);
    wanted = number;
    error_number = error;
    lasts = is_lasting;
    log_descriptor = log;
    seen = 0;
    is_on = 1;
}

long faults_seen(void) { return seen; }

static int counts(const char *path)
{
    return strncmp(path, root, root_length) == 0 &&
           (path[root_length] == '/' || path[root_length] == '\0');
}

/* Whether the call at hand shall fail; errno is set then. Does not return when it shall kill. */
static int strikes(const char *name, const char *path, int needs_space)
{
    char line[PATH_MAX + 64];
    int is_now, length;
    if (!is_on || !counts(path))
        return 0;
    pthread_mutex_lock(&guard);
    seen++;
    is_now = seen == wanted || (lasts && needs_space && wanted > 0 && seen > wanted);
    is_now = is_now && (needs_space || !lasts);
    length = snprintf(line, sizeof line, "%ld %s %s\n", seen, name, path + root_length);
    if (log_descriptor >= 0)
        (void)!syscall(SYS_write, log_descriptor, line, (size_t)length);
    pthread_mutex_unlock(&guard);
    if (!is_now)
        return 0;
    if (error_number == 0)
        for (;;)
            kill(getpid(), SIGKILL);
    errno = error_number;
    return 1;
}

static int strikes_descriptor(const char *name, int descriptor, int needs_space)
{
    char link[64], path[PATH_MAX];
    ssize_t length;
    int before = errno;
    if (!is_on)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    length = readlink(link, path, sizeof path - 1);
    errno = before;
    if (length < 0)
        return 0;
    path[length] = '\0';
    return strikes(name, path, needs_space);
}

static int strikes_at(const char *name, int folder, const char *path, int needs_space)
{
    char link[64], whole[2 * PATH_MAX];
    ssize_t length;
    int before = errno;
    if (!is_on || path == NULL)
        return 0;
    if (path[0] == '/')
        return strikes(name, path, needs_space);
    if (folder == AT_FDCWD)
        snprintf(link, sizeof link, "/proc/self/cwd");
    else
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    length = readlink(link, whole, PATH_MAX - 1);
    errno = before;
    if (length < 0)
        return 0;
    snprintf(whole + length, sizeof whole - (size_t)length, "/%s", path);
    return strikes(name, whole, needs_space);
}

/* Whether a full disk refuses it: what writes, or makes a name. */
static int needs_space(const char *name)
{
    static const char *const names[] = {"write", "pwrite", "pwrite64", "writev", "mkdir", "mkdirat",
                                        "link", "linkat", "symlink"};
    for (size_t at = 0; at < sizeof names / sizeof *names; at++)
        if (strcmp(name, names[at]) == 0)
            return 1;
    return 0;
}

static int makes_a_file(int folder, const char *path, int flags)
{
    int before = errno, is_new;
    is_new = (flags & O_CREAT) && faccessat(folder, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
    errno = before;
    return is_new;
}

#define REAL(type, name, ...)                                                                      \
    static type (*real)(__VA_ARGS__);                                                              \
    if (real == NULL)                                                                              \
        *(void **)&real = dlsym(RTLD_NEXT, #name)

#define BY_DESCRIPTOR(type, name, parameters, call, ...)                                           \
    type name parameters                                                                           \
    {                                                                                              \
        REAL(type, name, __VA_ARGS__);                                                             \
        return strikes_descriptor(#name, descriptor, needs_space(#name)) ? -1 : real call;                             \
    }

#define BY_PATH(name, parameters, call, folder, path, ...)                                         \
    int name parameters                                                                            \
    {                                                                                              \
        REAL(int, name, __VA_ARGS__);                                                              \
        return strikes_at(#name, folder, path, needs_space(#name)) ? -1 : real call;                                   \
    }

BY_DESCRIPTOR(ssize_t, write, (int descriptor, const void *data, size_t size),
              (descriptor, data, size), int, const void *, size_t)
BY_DESCRIPTOR(ssize_t, pwrite, (int descriptor, const void *data, size_t size, off_t at),
              (descriptor, data, size, at), int, const void *, size_t, off_t)
BY_DESCRIPTOR(ssize_t, pwrite64, (int descriptor, const void *data, size_t size, off64_t at),
              (descriptor, data, size, at), int, const void *, size_t, off64_t)
BY_DESCRIPTOR(ssize_t, writev, (int descriptor, const struct iovec *data, int count),
              (descriptor, data, count), int, const struct iovec *, int)
BY_DESCRIPTOR(int, fsync, (int descriptor), (descriptor), int)
BY_DESCRIPTOR(int, fdatasync, (int descriptor), (descriptor), int)
BY_DESCRIPTOR(int, ftruncate, (int descriptor, off_t size), (descriptor, size), int, off_t)
BY_DESCRIPTOR(int, ftruncate64, (int descriptor, off64_t size), (descriptor, size), int, off64_t)
BY_DESCRIPTOR(int, fchmod, (int descriptor, mode_t mode), (descriptor, mode), int, mode_t)

BY_PATH(rename, (const char *from, const char *to), (from, to), AT_FDCWD, to, const char *,
        const char *)
BY_PATH(renameat, (int folder, const char *from, int other, const char *to),
        (folder, from, other, to), other, to, int, const char *, int, const char *)
BY_PATH(link, (const char *from, const char *to), (from, to), AT_FDCWD, to, const char *,
        const char *)
BY_PATH(linkat, (int folder, const char *from, int other, const char *to, int flags),
        (folder, from, other, to, flags), other, to, int, const char *, int, const char *, int)
BY_PATH(symlink, (const char *from, const char *to), (from, to), AT_FDCWD, to, const char *,
        const char *)
BY_PATH(unlink, (const char *path), (path), AT_FDCWD, path, const char *)
BY_PATH(unlinkat, (int folder, const char *path, int flags), (folder, path, flags), folder, path,
        int, const char *, int)
BY_PATH(rmdir, (const char *path), (path), AT_FDCWD, path, const char *)
BY_PATH(truncate, (const char *path, off_t size), (path, size), AT_FDCWD, path, const char *, off_t)
BY_PATH(mkdir, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path, const char *, mode_t)
BY_PATH(mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode), folder, path,
        int, const char *, mode_t)
BY_PATH(chmod, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path, const char *, mode_t)
BY_PATH(fchmodat, (int folder, const char *path, mode_t mode, int flags),
        (folder, path, mode, flags), folder, path, int, const char *, mode_t, int)

static int is_writing(int flags)
{
    return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC));
}

static mode_t mode_of(int flags, va_list rest)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        va_list rest;                                                                              \
        mode_t mode;                                                                               \
        REAL(int, name, const char *, int, ...);                                                   \
        va_start(rest, flags);                                                                     \
        mode = mode_of(flags, rest);                                                               \
        va_end(rest);                                                                              \
        if (is_on && is_writing(flags) &&                                                          \
            strikes_at("open", AT_FDCWD, path, makes_a_file(AT_FDCWD, path, flags)))               \
            return -1;                                                                             \
        return real(path, flags, mode);                                                            \
    }

#define OPENAT(name)                                                                               \
    int name(int folder, const char *path, int flags, ...)                                         \
    {                                                                                              \
        va_list rest;                                                                              \
        mode_t mode;                                                                               \
        REAL(int, name, int, const char *, int, ...);                                              \
        va_start(rest, flags);                                                                     \
        mode = mode_of(flags, rest);                                                               \
        va_end(rest);                                                                              \
        if (is_on && is_writing(flags) &&                                                          \
            strikes_at("openat", folder, path, makes_a_file(folder, path, flags)))                 \
            return -1;                                                                             \
        return real(folder, path, flags, mode);                                                    \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
