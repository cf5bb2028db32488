/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The statistics of several pipelines, in each format of --stats. */

#include "leat-launch-stats.h"

#include <string.h>

static void
leat_launch_stats_join_json (GString *text, const GPtrArray *jobs)
{
  gboolean first = TRUE;

  g_string_append (text, "{\n  \"pipelines\" : [\n");
  for (guint i = 0; i < jobs->len; i++)
    {
      const char *stats = ((LeatLaunchJob *) jobs->pdata[i])->stats;

      if (stats == NULL)
        continue;
      g_string_append_printf (text, "%s%s", first ? "" : ",\n", stats);
      g_string_truncate (text, text->len - 1); /* its line feed */
      first = FALSE;
    }
  g_string_append (text, "\n  ]\n}\n");
}

static void
leat_launch_stats_join_text (GString *text, const GPtrArray *jobs)
{
  for (guint i = 0; i < jobs->len; i++)
    {
      const char *stats = ((LeatLaunchJob *) jobs->pdata[i])->stats;

      if (stats != NULL)
        g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", stats);
    }
}

/* The name of the metric of a line, "# HELP leat_runs_total ..." or "leat_runs_total{...} 1"; of a line that has none,
 * its beginning. (transfer full) */
static char *
leat_launch_stats_get_metric (const char *line)
{
  const char *begin = g_str_has_prefix (line, "# ") ? line + strlen ("# HELP ") : line;

  return g_strndup (begin, strcspn (begin, " {"));
}

/* All lines of a metric stand together, its head once. */
static void
leat_launch_stats_join_prometheus (GString *text, const GPtrArray *jobs)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) parts = g_hash_table_new (g_str_hash, g_str_equal); /* name -> GString */

  for (guint i = 0; i < jobs->len; i++)
    {
      const char *stats = ((LeatLaunchJob *) jobs->pdata[i])->stats;
      g_auto (GStrv) lines = g_strsplit (stats != NULL ? stats : "", "\n", -1);

      for (guint l = 0; lines[l] != NULL && lines[l][0] != '\0'; l++)
        {
          g_autofree char *name = leat_launch_stats_get_metric (lines[l]);
          GString *part = g_hash_table_lookup (parts, name);

          if (part == NULL)
            {
              g_hash_table_insert (parts, name, part = g_string_new (NULL));
              g_ptr_array_add (names, g_steal_pointer (&name));
            }
          if (lines[l][0] != '#' || strstr (part->str, lines[l]) == NULL)
            g_string_append_printf (part, "%s\n", lines[l]);
        }
    }
  for (guint i = 0; i < names->len; i++)
    {
      GString *part = g_hash_table_lookup (parts, names->pdata[i]);

      g_string_append (text, part->str);
      g_string_free (part, TRUE);
    }
}

/* Of all that take turns. */
static void
leat_launch_stats_append_turns (GString *text, const GPtrArray *jobs)
{
  const LeatLaunchJob *job = jobs->pdata[0];
  g_autofree char *turns = job->scheduler != NULL ? leat_scheduler_to_prometheus (job->scheduler, "leat-launch") : NULL;

  if (turns != NULL)
    g_string_append (text, turns);
}

char *
leat_launch_stats_join (const LeatLaunchOptions *options, const GPtrArray *jobs)
{
  GString *text;
  gboolean any = FALSE;

  for (guint i = 0; i < jobs->len; i++)
    any = any || ((LeatLaunchJob *) jobs->pdata[i])->stats != NULL;
  if (!any)
    return NULL;
  text = g_string_new (NULL);
  if (jobs->len == 1)
    g_string_append (text, ((LeatLaunchJob *) jobs->pdata[0])->stats);
  else if (options->stats_format == LEAT_STATS_JSON || options->accounting_format == LEAT_FORMAT_JSON)
    leat_launch_stats_join_json (text, jobs);
  else if (options->stats_format == LEAT_STATS_PROMETHEUS)
    leat_launch_stats_join_prometheus (text, jobs);
  else
    leat_launch_stats_join_text (text, jobs);
  if (options->stats_format == LEAT_STATS_PROMETHEUS)
    leat_launch_stats_append_turns (text, jobs);
  return g_string_free (text, FALSE);
}
