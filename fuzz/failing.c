/* One call to the system, or one allocation, fails: preloaded by fuzz/failures.py, which counts the calls first.

   cc -shared -fPIC -O1 -o failing.so failing.c -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static const char *under;    /* Only files below this folder count; NULL: nothing does. */
static long fail_call, fail_allocation, least = 1 << 14;
static int with_error;
static atomic_long calls, allocations;
static char failed[32];

/* Let the call of that number fail with an error, or the allocation of that number; 0: none. Counts begin anew. */
void arm(const char *folder, long call, int error, long allocation) {
    under = folder, fail_call = call, with_error = error, fail_allocation = allocation;
    calls = allocations = 0;
    failed[0] = 0;
}
void disarm(void) { under = NULL, fail_allocation = 0; }
long counted_calls(void) { return calls; }
long counted_allocations(void) { return allocations; }
const char *failed_call(void) { return failed; }

static int fails(const char *name, const char *path) {
    if (strncmp(path, under, strlen(under)) != 0 || ++calls != fail_call)
        return 0;
    strncpy(failed, name, sizeof failed - 1);
    errno = with_error;
    return 1;
}
static int fails_at(const char *name, int fd) {
    char link[64] = "/proc/self/fd/", path[4096], digits[16];
    int at = 0;
    long size;
    if (fd < 0)
        return 0;
    do digits[at++] = '0' + fd % 10; while (fd /= 10);
    char *end = link + strlen(link);
    while (at) *end++ = digits[--at];
    *end = 0;
    size = readlink(link, path, sizeof path - 1);
    if (size < 0)
        return 0;
    path[size] = 0;
    return fails(name, path);
}
#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define MODE(flags) mode_t mode = 0; if ((flags) & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }
#define OPEN(name) int name(const char *path, int flags, ...) { REAL(name); MODE(flags) return under && fails("open", path) ? -1 : real(path, flags, mode); }
#define OPENAT(name) int name(int at, const char *path, int flags, ...) { REAL(name); MODE(flags) return under && fails("open", path) ? -1 : real(at, path, flags, mode); }
OPEN(open) OPEN(open64) OPENAT(openat) OPENAT(openat64)
ssize_t read(int fd, void *to, size_t size) { REAL(read); return under && fails_at("read", fd) ? -1 : real(fd, to, size); }
ssize_t write(int fd, const void *from, size_t size) { REAL(write); return under && fails_at("write", fd) ? -1 : real(fd, from, size); }
#define PREAD(name) ssize_t name(int fd, void *to, size_t size, off_t at) { REAL(name); return under && fails_at("read", fd) ? -1 : real(fd, to, size, at); }
#define PWRITE(name) ssize_t name(int fd, const void *from, size_t size, off_t at) { REAL(name); return under && fails_at("write", fd) ? -1 : real(fd, from, size, at); }
PREAD(pread) PREAD(pread64) PWRITE(pwrite) PWRITE(pwrite64)
int rename(const char *from, const char *to) { REAL(rename); return under && fails("rename", to) ? -1 : real(from, to); }
int link(const char *from, const char *to) { REAL(link); return under && fails("link", to) ? -1 : real(from, to); }
int mkdir(const char *path, mode_t mode) { REAL(mkdir); return under && fails("mkdir", path) ? -1 : real(path, mode); }
int fsync(int fd) { REAL(fsync); return under && fails_at("sync", fd) ? -1 : real(fd); }
int fdatasync(int fd) { REAL(fdatasync); return under && fails_at("sync", fd) ? -1 : real(fd); }
int ftruncate(int fd, off_t size) { REAL(ftruncate); return under && fails_at("truncate", fd) ? -1 : real(fd, size); }
int ftruncate64(int fd, off_t size) { REAL(ftruncate64); return under && fails_at("truncate", fd) ? -1 : real(fd, size); }
int fchmod(int fd, mode_t mode) { REAL(fchmod); return under && fails_at("chmod", fd) ? -1 : real(fd, mode); }
#define MMAP(name) void *name(void *at, size_t size, int prot, int flags, int fd, off_t from) { REAL(name); return under && fails_at("map", fd) ? MAP_FAILED : real(at, size, prot, flags, fd, from); }
MMAP(mmap) MMAP(mmap64)

extern void *__libc_malloc(size_t), *__libc_realloc(void *, size_t), *__libc_calloc(size_t, size_t);
static int short_of_memory(size_t size) {
    if (!under || (long)size < least || ++allocations != fail_allocation)
        return 0;
    strcpy(failed, "allocation");
    errno = ENOMEM;
    return 1;
}
void *malloc(size_t size) { return short_of_memory(size) ? NULL : __libc_malloc(size); }
void *realloc(void *old, size_t size) { return short_of_memory(size) ? NULL : __libc_realloc(old, size); }
void *calloc(size_t count, size_t size) { return short_of_memory(count * size) ? NULL : __libc_calloc(count, size); }
