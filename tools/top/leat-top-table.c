/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Samples as a table for people, for leat-top.  Appends to the caller's text only. */

#include "leat-top-table.h"

#define NAME_WIDTH 24

/* At most @width characters of what was added from @from on, with a line feed behind them. */
static void
leat_top_end_line (GString *text, gsize from, guint width)
{
  glong n = g_utf8_strlen (text->str + from, -1);

  if (width > 0 && n > (glong) width)
    g_string_truncate (text, (gsize) (g_utf8_offset_to_pointer (text->str + from, (glong) width) - text->str));
  g_string_append_c (text, '\n');
}

/* "35.2 MiB" */
static void
leat_top_append_bytes (GString *text, guint64 bytes)
{
  g_autofree char *size = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);

  g_string_append (text, size);
}

/* In nine columns: "35.2M", and "-" where it is not known. */
static void
leat_top_append_rate (GString *text, double rate)
{
  static const char units[] = " KMGTP";
  guint unit = 0;

  if (rate < 0)
    {
      g_string_append_printf (text, "%9s", "-");
      return;
    }
  for (; rate >= 1000 && unit + 2 < sizeof units; unit++)
    rate /= 1024;
  g_string_append_printf (text, "%8.*f%c", unit > 0 && rate < 100 ? 1 : 0, rate, units[unit]);
}

static void
leat_top_append_title (GString *text, const LeatTopSample *now, guint width)
{
  gsize from = text->len;
  guint64 seconds = now->up_us / G_USEC_PER_SEC;

  g_string_append_printf (text, "%s %" G_GUINT64_FORMAT ", up %" G_GUINT64_FORMAT ":%02u:%02u, %u %s, leat %s",
                          now->program, now->pid, seconds / 3600, (guint) (seconds / 60 % 60), (guint) (seconds % 60),
                          now->sessions->len, now->sessions->len == 1 ? "session" : "sessions", now->version);
  leat_top_end_line (text, from, width);
  for (guint i = 0; i < now->devices->len; i++)
    {
      const LeatTopDevice *device = now->devices->pdata[i];

      from = text->len;
      g_string_append_printf (text, "%s: %s, ", device->id, device->name);
      leat_top_append_bytes (text, device->live_bytes);
      g_string_append (text, " in use of ");
      leat_top_append_bytes (text, device->memory_bytes);
      leat_top_end_line (text, from, width);
    }
}

/* A second; negative where there is nothing to tell it from. */
static double
leat_top_get_rate (guint64 before, guint64 now, double seconds)
{
  return seconds > 0 && now >= before ? (now - before) / seconds : -1;
}

/* Likewise, of what is no bytes. */
static void
leat_top_append_runs (GString *text, double rate)
{
  if (rate < 0)
    g_string_append_printf (text, "%9s", "-");
  else
    g_string_append_printf (text, "%9.*f", rate < 100 ? 1 : 0, rate);
}

static void
leat_top_append_latency (GString *text, guint64 us, guint64 n)
{
  if (n > 0)
    g_string_append_printf (text, " %8" G_GUINT64_FORMAT, us);
  else
    g_string_append_printf (text, " %8s", "-");
}

static void
leat_top_append_name (GString *text, const char *name)
{
  glong n = g_utf8_strlen (name, -1);

  if (n > NAME_WIDTH)
    g_string_append_printf (text, "...%s", g_utf8_offset_to_pointer (name, n - NAME_WIDTH + 3));
  else
    g_string_append_printf (text, "%s%*s", name, (int) (NAME_WIDTH - n), "");
}

/* @before: NULL where it was not there */
static void
leat_top_append_session (GString *text, const LeatTopSession *before, const LeatTopSession *now, double seconds,
                         guint width)
{
  static const LeatTopSession none = { 0 };
  const LeatTopSession *then = before != NULL ? before : &none;
  double since = before != NULL ? seconds : 0;
  gsize from = text->len;

  leat_top_append_name (text, *now->name != '\0' ? now->name : "session");
  g_string_append_printf (text, " %-7s %-8s %5" G_GUINT64_FORMAT " %10" G_GUINT64_FORMAT, now->device, now->state,
                          now->lanes, now->runs);
  leat_top_append_runs (text, leat_top_get_rate (then->runs, now->runs, since));
  leat_top_append_latency (text, now->p50_us, now->recent_runs);
  leat_top_append_latency (text, now->p99_us, now->recent_runs);
  leat_top_append_rate (text, leat_top_get_rate (then->bytes_in, now->bytes_in, since));
  leat_top_append_rate (text, leat_top_get_rate (then->bytes_out, now->bytes_out, since));
  leat_top_append_rate (text, leat_top_get_rate (then->bytes_up, now->bytes_up, since));
  leat_top_append_rate (text, leat_top_get_rate (then->bytes_back, now->bytes_back, since));
  g_string_append_printf (text,
                          " %5" G_GUINT64_FORMAT " %5" G_GUINT64_FORMAT " %5" G_GUINT64_FORMAT " %5" G_GUINT64_FORMAT
                          " %5" G_GUINT64_FORMAT,
                          now->queued_in, now->filled, now->on_device, now->done, now->queued_out);
  leat_top_end_line (text, from, width);
}

static void
leat_top_append_member (GString *text, const LeatTopMember *member, guint width)
{
  gsize from = text->len;

  leat_top_append_name (text, *member->name != '\0' ? member->name : "session");
  g_string_append_printf (text,
                          " %-8s %-8s %6" G_GUINT64_FORMAT " %10" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT
                          " %11" G_GUINT64_FORMAT " %5.1f%% ",
                          member->priority,
                          member->evicted       ? "evicted"
                          : member->running > 0 ? "running"
                          : member->paused      ? "paused"
                          : member->queued > 0  ? "waiting"
                                                : "idle",
                          member->queued, member->done, member->missed, member->wait_p99_us, 100 * member->share);
  leat_top_append_bytes (text, member->admitted_bytes);
  leat_top_end_line (text, from, width);
}

/* A scheduler, and the sessions that take turns. */
static void
leat_top_append_scheduler (GString *text, const LeatTopScheduler *scheduler, guint width)
{
  gsize from = text->len;

  g_string_append_printf (text,
                          "turns %" G_GUINT64_FORMAT " on %s%s: %" G_GUINT64_FORMAT " %s, %" G_GUINT64_FORMAT
                          " waiting, %" G_GUINT64_FORMAT " running, %" G_GUINT64_FORMAT " evicted; ",
                          scheduler->id, scheduler->device, scheduler->paused ? ", paused" : "", scheduler->n_sessions,
                          scheduler->n_sessions == 1 ? "session" : "sessions", scheduler->waiting, scheduler->running,
                          scheduler->evicted);
  leat_top_append_bytes (text, scheduler->admitted_bytes);
  g_string_append (text, " admitted of ");
  leat_top_append_bytes (text, scheduler->allowed_bytes);
  g_string_append_printf (text, "; %" G_GUINT64_FORMAT " deadlines missed, %" G_GUINT64_FORMAT " evictions",
                          scheduler->missed, scheduler->evictions);
  leat_top_end_line (text, from, width);
  from = text->len;
  g_string_append_printf (text, "%-*s %-8s %-8s %6s %10s %8s %11s %6s %s", NAME_WIDTH, "SESSION", "PRIORITY", "TURN",
                          "QUEUED", "DONE", "MISSED", "WAIT P99 US", "SHARE", "ADMITTED");
  leat_top_end_line (text, from, width);
  for (guint i = 0; i < scheduler->members->len; i++)
    leat_top_append_member (text, scheduler->members->pdata[i], width);
}

void
leat_top_append_process (GString *text, const LeatTopSample *before, const LeatTopSample *now, guint width)
{
  double seconds =
    before != NULL && now->time_us > before->time_us ? (now->time_us - before->time_us) / (double) G_USEC_PER_SEC : 0;
  gsize from;

  leat_top_append_title (text, now, width);
  from = text->len;
  g_string_append_printf (text, "%-*s %-7s %-8s %5s %10s%9s %8s %8s%9s%9s%9s%9s %5s %5s %5s %5s %5s", NAME_WIDTH,
                          "SESSION", "DEVICE", "STATE", "LANES", "RUNS", "RUNS/S", "P50 US", "P99 US", "IN/S", "OUT/S",
                          "UP/S", "BACK/S", "Q-IN", "READ", "DEV", "DONE", "Q-OUT");
  leat_top_end_line (text, from, width);
  for (guint i = 0; i < now->sessions->len; i++)
    {
      const LeatTopSession *session = now->sessions->pdata[i];

      leat_top_append_session (text, before != NULL ? leat_top_sample_find_session (before, session->id) : NULL,
                               session, seconds, width);
    }
  for (guint i = 0; i < now->schedulers->len; i++)
    leat_top_append_scheduler (text, now->schedulers->pdata[i], width);
}
