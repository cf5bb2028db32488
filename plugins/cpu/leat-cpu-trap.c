/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Messages from a kernel: traps, failed assertions, the engine's own findings, printf. */

#include "leat-cpu-block.h"

#include <stdarg.h>
#include <stdio.h>

#include "leat-cpu-condition.h"

static char *
leat_cpu_block_describe_place (LeatCpuBlock *self)
{
  const LeatHostDim3 *block = &self->host.index;
  GString *text = g_string_new (NULL);

  g_string_printf (text, "kernel %s, block (%u,%u,%u)", self->kernel->name, block->x, block->y, block->z);
  if (self->current != NULL)
    {
      LeatHostDim3 thread = leat_cpu_block_get_thread (self, self->current);

      g_string_append_printf (text, ", thread (%u,%u,%u)", thread.x, thread.y, thread.z);
    }
  return g_string_free (text, FALSE);
}

void
leat_cpu_block_fail (LeatCpuBlock *self, CUresult code, const char *format, ...)
{
  va_list args;
  char *what, *place, *text;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  place = leat_cpu_block_describe_place (self);
  text = g_strdup_printf ("%s: %s", place, what);
  leat_cpu_run_fail (self->run, code, text);
  /* By hand: nothing unwinds this stack. */
  g_free (text);
  g_free (place);
  g_free (what);
  leat_cpu_block_leave (self);
}

static void
leat_cpu_block_describe_warps (LeatCpuBlock *self, GString *text)
{
  for (guint32 first = 0; first < self->n_threads; first += 32)
    {
      const LeatCpuWarp *warp = &self->warps[first / 32];
      for (guint i = 0; i < warp->n_groups; i++)
        g_string_append_printf (text, "; in warp %u the lanes 0x%08x of mask 0x%08x wait in a warp operation",
                                first / 32, warp->groups[i].arrived, warp->groups[i].mask);
    }
}

char *
leat_cpu_block_describe_deadlock (LeatCpuBlock *self)
{
  const LeatHostDim3 *block = &self->host.index;
  GString *text = g_string_new (NULL);

  g_string_printf (text, "kernel %s, block (%u,%u,%u): deadlock: %u of %u threads at the barrier", self->kernel->name,
                   block->x, block->y, block->z, self->barrier.n_arrived, self->n_threads);
  if (self->grid_barrier.n_arrived > 0)
    g_string_append_printf (text, ", %u at the grid barrier", self->grid_barrier.n_arrived);
  if (self->n_alive < self->n_threads)
    g_string_append_printf (text, ", %u returned", self->n_threads - self->n_alive);
  leat_cpu_block_describe_warps (self, text);
  return g_string_free (text, FALSE);
}

/* A file names an assertion; __trap () has none. */
static void
leat_cpu_trap (LeatHostBlock *host, const char *what, const char *file, uint32_t line)
{
  LeatCpuBlock *block = leat_cpu_block_from_host (host);

  if (file == NULL)
    leat_cpu_block_fail (block, CUDA_ERROR_LAUNCH_FAILED, "%s", what != NULL ? what : "trap");
  leat_cpu_block_fail (block, CUDA_ERROR_ASSERT, "%s:%u: assertion `%s' failed", file, line, what);
}

static int G_GNUC_PRINTF (2, 3) leat_cpu_print (LeatHostBlock *host, const char *format, ...)
{
  va_list args;
  int n = 0;

  va_start (args, format);
  vprintf (format, args);
  va_end (args);
  /* As in CUDA: how many arguments the format takes. */
  for (const char *p = format; *p != '\0'; p++)
    {
      if (*p != '%')
        continue;
      if (p[1] == '%')
        p++;
      else
        n++;
    }
  return n;
}

static uint64_t
leat_cpu_clock (LeatHostBlock *host)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}

const LeatHostRuntime leat_cpu_runtime = {
  .size = sizeof (LeatHostRuntime),
  .abi = LEAT_HOST_MODULE_ABI,
  .barrier = leat_cpu_barrier_wait,
  .warp = leat_cpu_warp_run,
  .active_mask = leat_cpu_warp_get_active_mask,
  .grid_barrier = leat_cpu_barrier_wait_grid,
  .nanosleep = leat_cpu_nanosleep,
  .trap = leat_cpu_trap,
  .print = leat_cpu_print,
  .clock = leat_cpu_clock,
  .set_conditional = leat_cpu_set_conditional,
  .own = leat_cpu_block_get_image_own,
};
