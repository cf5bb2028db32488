/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Lines of progress on standard error, one for each pipeline.  Knows only the numbers that it is told. */

#include "leat-launch-progress.h"

#include "driver/leat-plain.h"
#include "leat-tool.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Runs shorter than this show nothing. */
#define LEAT_PROGRESS_FIRST_US    (1 * G_USEC_PER_SEC)
#define LEAT_PROGRESS_TERMINAL_US (G_USEC_PER_SEC / 5)
#define LEAT_PROGRESS_LINE_US     (1 * G_USEC_PER_SEC)

typedef struct
{
  const char *name; /* (nullable) */
  char *text;       /* NULL: nothing to tell, or no more */
  gint64 next_us;
} LeatProgressLine;

struct _LeatProgress
{
  gboolean terminal;
  guint shown; /* lines that are to be removed */
  guint n_lines;
  LeatProgressLine *lines;
};

LeatProgress *
leat_progress_new (gboolean force, guint n_lines, const char *const *names)
{
  LeatProgress *self;
  gboolean terminal = isatty (STDERR_FILENO);
  gint64 first_us = g_get_monotonic_time () + LEAT_PROGRESS_FIRST_US;

  if (!terminal && !force)
    return NULL;
  self = g_new0 (LeatProgress, 1);
  self->terminal = terminal;
  self->n_lines = n_lines;
  self->lines = g_new0 (LeatProgressLine, n_lines);
  for (guint i = 0; i < n_lines; i++)
    self->lines[i] = (LeatProgressLine){ .name = names[i], .next_us = first_us };
  return self;
}

void
leat_progress_free (LeatProgress *self)
{
  leat_progress_clear (self);
  for (guint i = 0; i < self->n_lines; i++)
    g_free (self->lines[i].text);
  g_free (self->lines);
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

static int
leat_progress_get_width (void)
{
  struct winsize size = { 0 };

  return ioctl (STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : 79;
}

/* The cursor stays where the first line begins, so that a sink that writes there begins a line. */
static void
leat_progress_show (LeatProgress *self)
{
  int width = leat_progress_get_width ();

  leat_progress_clear (self);
  for (guint i = 0; i < self->n_lines; i++)
    {
      g_autofree char *whole = NULL, *name = NULL;

      if (self->lines[i].text == NULL)
        continue;
      name = leat_plain_dup (self->lines[i].name != NULL ? self->lines[i].name : "");
      whole = g_strconcat (name, *name != '\0' ? ": " : "", self->lines[i].text, NULL);
      fprintf (stderr, "%s\r\033[K%.*s\r", self->shown > 0 ? "\n" : "", width, whole);
      self->shown++;
    }
  if (self->shown > 1)
    fprintf (stderr, "\033[%uA", self->shown - 1);
}

static void
leat_progress_print_line (LeatProgressLine *self)
{
  if (self->name != NULL)
    leat_tool_say (self->name);
  fprintf (stderr, "%s%s\n", self->name != NULL ? ": " : "", self->text);
}

void
leat_progress_update (LeatProgress *self, guint line, GVariant *details)
{
  guint64 runs = 0, bytes = 0, total = 0;
  double seconds = 0;
  gint64 now = g_get_monotonic_time ();
  LeatProgressLine *at;

  if (self == NULL || details == NULL)
    return;
  at = &self->lines[line];
  if (now < at->next_us)
    return;
  g_variant_lookup (details, "runs", "t", &runs);
  g_variant_lookup (details, "bytes", "t", &bytes);
  g_variant_lookup (details, "total-bytes", "t", &total);
  g_variant_lookup (details, "seconds", "d", &seconds);
  g_free (at->text);
  at->text = leat_progress_print (runs, bytes, total, seconds);
  at->next_us = now + (self->terminal ? LEAT_PROGRESS_TERMINAL_US : LEAT_PROGRESS_LINE_US);
  if (self->terminal)
    leat_progress_show (self);
  else
    leat_progress_print_line (at);
}

void
leat_progress_end (LeatProgress *self, guint line)
{
  if (self == NULL)
    return;
  leat_progress_clear (self);
  g_clear_pointer (&self->lines[line].text, g_free);
}

void
leat_progress_clear (LeatProgress *self)
{
  if (self == NULL || self->shown == 0)
    return;
  fputs (self->shown > 1 ? "\r\033[J" : "\r\033[K", stderr);
  self->shown = 0;
}
