/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What it takes until a graph is ready, and until a new process has its first result. */

#define FILE_BYTES 4096

extern char **environ;

/* Module, memory, graph, ready to launch: what a program that knows all in advance does. */
void
run_open (int n_nodes, int divisor)
{
  int runs = runs_of (divisor);
  Series series = series_new (runs);
  CUmodule kept = module;
  char name[64];

  for (int round = 0; round < 1 + runs; round++)
    {
      double begin = now_us ();
      Subject self;

      MUST (cuModuleLoadData (&module, image));
      self = subject_new (256);
      subject_add_chain (&self, n_nodes - 4, self.in_there, self.out_there, 0);
      subject_instantiate (&self);
      if (round > 0)
        series.samples[series.n++] = now_us () - begin;
      subject_try (&self, 1, n_nodes - 4);
      subject_free (&self);
      MUST (cuModuleUnload (module));
    }
  module = kept;
  snprintf (name, sizeof name, "open-%d", n_nodes);
  case_print_one (name, "parse-to-ready", &series);
}

/* One run of a new process: as simple as it can be, since a graph does not pay. */
int
run_once (const char *input)
{
  uint8_t *in, *out;
  CUdeviceptr device[2];
  uint64_t n = FILE_BYTES;
  void *params[] = { &device[0], &n, &device[1] };
  int file = open (input, O_RDONLY);

  MUST (cuMemHostAlloc ((void **) &in, n, 0));
  MUST (cuMemHostAlloc ((void **) &out, n, 0));
  MUST (cuMemAlloc (&device[0], n));
  MUST (cuMemAlloc (&device[1], n));
  if (file < 0 || read (file, in, n) != (ssize_t) n)
    return perror (input), 1;
  MUST (cuMemcpyHtoDAsync (device[0], in, n, stream));
  MUST (cuLaunchKernel (find ("invert"), FILE_BYTES / 256, 1, 1, 256, 1, 1, 0, stream, params, NULL));
  MUST (cuMemcpyDtoHAsync (out, device[1], n, stream));
  MUST (cuStreamSynchronize (stream));
  return write (STDOUT_FILENO, out, n) == (ssize_t) n ? 0 : 1;
}

/* What the process wrote; the time of its last byte at @first_us. */
static void
read_result (int fd, uint8_t *bytes, double *first_us)
{
  size_t had = 0;
  ssize_t got;

  while (had < FILE_BYTES && (got = read (fd, bytes + had, FILE_BYTES - had)) > 0)
    had += (size_t) got;
  *first_us = now_us ();
  if (had < FILE_BYTES)
    fprintf (stderr, "driver: the new process gave %zu bytes\n", had), exit (1);
}

static void
start_once (char **words, int fd[2], uint8_t *bytes, double *first_us, double *end_us)
{
  posix_spawn_file_actions_t actions;
  int status = 0;
  pid_t pid;

  if (pipe2 (fd, O_CLOEXEC) != 0)
    perror ("pipe2"), exit (1);
  posix_spawn_file_actions_init (&actions);
  posix_spawn_file_actions_adddup2 (&actions, fd[1], STDOUT_FILENO);
  errno = posix_spawn (&pid, words[0], &actions, NULL, words, environ);
  if (errno != 0)
    perror (words[0]), exit (1);
  close (fd[1]);
  read_result (fd[0], bytes, first_us);
  waitpid (pid, &status, 0);
  *end_us = now_us ();
  close (fd[0]);
  posix_spawn_file_actions_destroy (&actions);
  if (status != 0)
    fprintf (stderr, "driver: the new process ended with %d\n", status), exit (1);
}

static void
fill_file (int file, int round)
{
  uint8_t bytes[FILE_BYTES];

  for (unsigned i = 0; i < FILE_BYTES; i++)
    bytes[i] = (uint8_t) (i * 7 + (unsigned) round * 13);
  if (pwrite (file, bytes, sizeof bytes, 0) != sizeof bytes)
    perror ("input of start"), exit (1);
}

void
run_start (const char *program, const char *image_path, int divisor)
{
  char input[] = "/tmp/leat-peer-XXXXXX";
  char *words[] = { (char *) program, "--once", (char *) image_path, input, NULL };
  int file = mkstemp (input), runs = runs_of (divisor), fd[2];
  Series first = series_new (runs), process = series_new (runs);

  for (int round = 0; round < 1 + runs; round++)
    {
      uint8_t bytes[FILE_BYTES];
      double begin, first_us, end_us;

      fill_file (file, round);
      begin = now_us ();
      start_once (words, fd, bytes, &first_us, &end_us);
      for (unsigned i = 0; i < FILE_BYTES; i++)
        if (bytes[i] != (uint8_t) ~(i * 7 + (unsigned) round * 13))
          fprintf (stderr, "driver: wrong result of the new process\n"), exit (1);
      if (round == 0)
        continue;
      first.samples[first.n++] = first_us - begin;
      process.samples[process.n++] = end_us - begin;
    }
  close (file);
  unlink (input);
  case_begin ("start");
  series_print (&first, "first-result", 1);
  series_print (&process, "process", 0);
  case_end ();
}
