/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
/* Not here: its symbols would have other names. */
#undef _FILE_OFFSET_BITS

#include "io-faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define IO_FAULTS_EXPORT __attribute__ ((visibility ("default")))

static pthread_mutex_t io_faults_mutex = PTHREAD_MUTEX_INITIALIZER;
static IoFaults io_faults;
static char io_faults_folder[PATH_MAX];
static unsigned int io_faults_count;

IO_FAULTS_EXPORT void io_faults_set (const IoFaults *faults);
IO_FAULTS_EXPORT unsigned int io_faults_get_count (void);

void
io_faults_set (const IoFaults *faults)
{
  pthread_mutex_lock (&io_faults_mutex);
  io_faults = *faults;
  io_faults_count = 0;
  snprintf (io_faults_folder, sizeof io_faults_folder, "%s", faults->folder != NULL ? faults->folder : "");
  pthread_mutex_unlock (&io_faults_mutex);
}

unsigned int
io_faults_get_count (void)
{
  return io_faults_count;
}

/* Also of a file that has no name yet, which its folder's name is in front of. */
static int
io_faults_concern (int fd)
{
  char link[64], path[PATH_MAX];
  ssize_t n;

  snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  n = readlink (link, path, sizeof path - 1);
  return n > 0 && strncmp (path, io_faults_folder, strlen (io_faults_folder)) == 0;
}

/* The error that this call ends with, or 0; @size becomes what it may take. */
static int
io_faults_look (const char *call, int fd, size_t *size)
{
  int code = 0;

  if (io_faults.call == NULL)
    return 0;
  pthread_mutex_lock (&io_faults_mutex);
  if (io_faults.call != NULL && strcmp (io_faults.call, call) == 0 && io_faults_concern (fd))
    {
      if (io_faults.most_bytes > 0 && *size > io_faults.most_bytes)
        *size = io_faults.most_bytes;
      if (io_faults.good_calls > 0)
        io_faults.good_calls--;
      else if (io_faults.good_bytes > 0)
        {
          *size = *size < io_faults.good_bytes ? *size : io_faults.good_bytes;
          io_faults.good_bytes -= *size;
        }
      else if (io_faults.code != 0 && (io_faults.times == 0 || io_faults_count < io_faults.times))
        {
          code = io_faults.code;
          io_faults_count++;
        }
    }
  pthread_mutex_unlock (&io_faults_mutex);
  return code;
}

#define IO_FAULTS_CALL(type, name, kind, params, args)                                                                 \
  IO_FAULTS_EXPORT type name params;                                                                                   \
                                                                                                                       \
  type name params                                                                                                     \
  {                                                                                                                    \
    static type (*next) params;                                                                                        \
    int code = io_faults_look (kind, fd, &size);                                                                       \
                                                                                                                       \
    if (next == NULL)                                                                                                  \
      next = (type (*) params) dlsym (RTLD_NEXT, #name);                                                               \
    errno = code != 0 ? code : errno;                                                                                  \
    return code != 0 ? -1 : next args;                                                                                 \
  }

IO_FAULTS_CALL (ssize_t, read, "read", (int fd, void *to, size_t size), (fd, to, size))
IO_FAULTS_CALL (ssize_t, pread, "read", (int fd, void *to, size_t size, off_t at), (fd, to, size, at))
IO_FAULTS_CALL (ssize_t, pread64, "read", (int fd, void *to, size_t size, off64_t at), (fd, to, size, at))
IO_FAULTS_CALL (ssize_t, write, "write", (int fd, const void *from, size_t size), (fd, from, size))
IO_FAULTS_CALL (ssize_t, pwrite, "write", (int fd, const void *from, size_t size, off_t at), (fd, from, size, at))
IO_FAULTS_CALL (ssize_t, pwrite64, "write", (int fd, const void *from, size_t size, off64_t at), (fd, from, size, at))

IO_FAULTS_EXPORT int close (int fd);

/* The descriptor is closed all the same, as it is by a file system that says so. */
int
close (int fd)
{
  static int (*next) (int);
  size_t size = 0;
  int code = io_faults_look ("close", fd, &size), result;

  if (next == NULL)
    next = (int (*) (int)) dlsym (RTLD_NEXT, "close");
  result = next (fd);
  if (code == 0)
    return result;
  errno = code;
  return -1;
}
