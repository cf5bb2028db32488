/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-launch-progress.h"

#include <stdio.h>
#include <unistd.h>

/* Runs shorter than this show nothing. */
#define LEAT_PROGRESS_FIRST_US    (1 * G_USEC_PER_SEC)
#define LEAT_PROGRESS_TERMINAL_US (G_USEC_PER_SEC / 5)
#define LEAT_PROGRESS_LINE_US     (1 * G_USEC_PER_SEC)

struct _LeatProgress
{
  gboolean terminal;
  gboolean shown; /* there is a line to remove */
  gint64 next_us;
};

LeatProgress *
leat_progress_new (gboolean force)
{
  LeatProgress *self;
  gboolean terminal = isatty (STDERR_FILENO);

  if (!terminal && !force)
    return NULL;
  self = g_new0 (LeatProgress, 1);
  self->terminal = terminal;
  self->next_us = g_get_monotonic_time () + LEAT_PROGRESS_FIRST_US;
  return self;
}

void
leat_progress_free (LeatProgress *self)
{
  leat_progress_clear (self);
  g_free (self);
}

static void
leat_progress_append_time (GString *text, double seconds)
{
  guint64 whole = (guint64) seconds;

  if (whole >= 3600)
    g_string_append_printf (text, "%" G_GUINT64_FORMAT ":%02u:%02u", whole / 3600, (guint) (whole / 60 % 60),
                            (guint) (whole % 60));
  else
    g_string_append_printf (text, "%u:%02u", (guint) (whole / 60), (guint) (whole % 60));
}

static void
leat_progress_append_size (GString *text, guint64 bytes)
{
  g_autofree char *size = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);

  g_string_append (text, size);
}

/* " 45%  1.2 GiB of 2.7 GiB  510.2 MiB/s  0:03 left" */
static char *
leat_progress_print (guint64 runs, guint64 bytes, guint64 total, double seconds)
{
  GString *text = g_string_new (NULL);
  double rate = seconds > 0 ? bytes / seconds : 0;

  if (total > 0)
    g_string_append_printf (text, "%3.0f%%  ", 100.0 * MIN (bytes, total) / total);
  leat_progress_append_size (text, bytes);
  if (total > 0)
    {
      g_string_append (text, " of ");
      leat_progress_append_size (text, total);
    }
  g_string_append (text, "  ");
  leat_progress_append_size (text, (guint64) rate);
  g_string_append_printf (text, "/s  %" G_GUINT64_FORMAT " %s  ", runs, runs == 1 ? "run" : "runs");
  if (total > bytes && rate > 0)
    {
      leat_progress_append_time (text, (total - bytes) / rate);
      g_string_append (text, " left");
    }
  else
    leat_progress_append_time (text, seconds);
  return g_string_free (text, FALSE);
}

void
leat_progress_update (LeatProgress *self, GVariant *details)
{
  g_autofree char *text = NULL;
  guint64 runs = 0, bytes = 0, total = 0;
  double seconds = 0;
  gint64 now = g_get_monotonic_time ();

  if (self == NULL || details == NULL || now < self->next_us)
    return;
  g_variant_lookup (details, "runs", "t", &runs);
  g_variant_lookup (details, "bytes", "t", &bytes);
  g_variant_lookup (details, "total-bytes", "t", &total);
  g_variant_lookup (details, "seconds", "d", &seconds);
  text = leat_progress_print (runs, bytes, total, seconds);
  /* On a terminal the cursor stays at the left, so that a sink that writes there begins a line. */
  fprintf (stderr, self->terminal ? "\r\033[K%s\r" : "%s\n", text);
  self->shown = self->terminal;
  self->next_us = now + (self->terminal ? LEAT_PROGRESS_TERMINAL_US : LEAT_PROGRESS_LINE_US);
}

void
leat_progress_clear (LeatProgress *self)
{
  if (self == NULL || !self->shown)
    return;
  fputs ("\r\033[K", stderr);
  self->shown = FALSE;
}
