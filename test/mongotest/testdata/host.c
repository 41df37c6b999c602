// What a server believes of the machine that it runs on: its clock, and its disk. Loaded before the C library
// (LD_PRELOAD), it answers in its place, as a file that is shared with the test says. The server's own code is as it
// was built, and so is what it does about a disk that is slow or full and a clock that is wrong.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// As in host.go.
struct host {
	volatile int64_t ahead; // nanoseconds by which the clock of the calendar is ahead
	volatile int64_t slow;  // nanoseconds more that a flush to the disk takes
	volatile int64_t full;  // not 0: no room for another byte
};

static struct host nothing;
static struct host *host = &nothing;

__attribute__((constructor)) static void open_host(void) {
	const char *path = getenv("MONGOTEST_HOST");
	if (path == NULL)
		return;
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		abort();
	void *at = mmap(NULL, sizeof(struct host), PROT_READ, MAP_SHARED, file, 0);
	if (at == MAP_FAILED)
		abort();
	close(file);
	host = at;
}

static void add(struct timespec *t, int64_t nanoseconds) {
	int64_t sum = (int64_t)t->tv_nsec + nanoseconds % 1000000000;
	t->tv_sec += nanoseconds / 1000000000;
	if (sum < 0) {
		sum += 1000000000;
		t->tv_sec--;
	} else if (sum >= 1000000000) {
		sum -= 1000000000;
		t->tv_sec++;
	}
	t->tv_nsec = sum;
}

int clock_gettime(clockid_t clock, struct timespec *t) {
	int failed = syscall(SYS_clock_gettime, clock, t);
	if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		add(t, host->ahead);
	return failed;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone) {
	(void)zone;
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	t->tv_sec = now.tv_sec;
	t->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *t) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (t != NULL)
		*t = now.tv_sec;
	return now.tv_sec;
}

// A wait until an instant of the calendar ends when the kernel's clock shows it, which knows of no other. An instant
// of the monotonic clock is less than a machine's years of running.
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
	static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
	if (real == NULL)
		real = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
	if (real == NULL)
		abort();
	struct timespec by = *until;
	if (by.tv_sec > 1000000000)
		add(&by, -host->ahead);
	return real(condition, mutex, &by);
}

static int no_room(void) {
	if (host->full == 0)
		return 0;
	errno = ENOSPC;
	return 1;
}

ssize_t pwrite(int file, const void *from, size_t count, off_t at) {
	return no_room() ? -1 : syscall(SYS_pwrite64, file, from, count, at);
}

ssize_t pwrite64(int file, const void *from, size_t count, off64_t at) {
	return no_room() ? -1 : syscall(SYS_pwrite64, file, from, count, at);
}

int fallocate(int file, int mode, off_t at, off_t count) {
	return no_room() ? -1 : syscall(SYS_fallocate, file, mode, at, count);
}

int fallocate64(int file, int mode, off64_t at, off64_t count) {
	return no_room() ? -1 : syscall(SYS_fallocate, file, mode, at, count);
}

int posix_fallocate(int file, off_t at, off_t count) {
	if (no_room())
		return ENOSPC;
	return syscall(SYS_fallocate, file, 0, at, count) == 0 ? 0 : errno;
}

static void slowly(void) {
	int64_t more = host->slow;
	struct timespec rest = {more / 1000000000, more % 1000000000};
	while (more > 0 && syscall(SYS_nanosleep, &rest, &rest) != 0 && errno == EINTR)
		;
}

int fsync(int file) {
	slowly();
	return syscall(SYS_fsync, file);
}

int fdatasync(int file) {
	slowly();
	return syscall(SYS_fdatasync, file);
}
