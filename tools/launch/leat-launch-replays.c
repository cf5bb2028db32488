/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The part of --stats about how runs were done: transfers, trials, kinds of runs, changes.  Reads the plan and the
 * statistics of a session. */

#include "leat-launch-replays.h"

#include <json-glib/json-glib.h>

static GVariant *
leat_launch_replays_describe_transfer (JsonObject *op)
{
  static const char *const names[] = { "node", "mode", "reason" };
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (json_object_has_member (op, names[i]))
      g_variant_dict_insert (&dict, names[i], "s", json_object_get_string_member (op, names[i]));
  return g_variant_dict_end (&dict);
}

GVariant *
leat_launch_replays_describe_transfers (LeatPlan *plan)
{
  g_autofree char *text = leat_plan_to_json (plan);
  g_autoptr (JsonNode) root = json_from_string (text, NULL);
  JsonArray *ops = json_object_get_array_member (json_node_get_object (root), "ops");
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < json_array_get_length (ops); i++)
    {
      JsonObject *op = json_array_get_object_element (ops, i);

      if (g_str_equal (json_object_get_string_member (op, "kind"), "transfer"))
        g_variant_builder_add_value (&builder, leat_launch_replays_describe_transfer (op));
    }
  return g_variant_builder_end (&builder);
}

static guint64
leat_launch_replays_get (GVariant *stats, const char *name)
{
  guint64 value = 0;

  g_variant_lookup (stats, name, "t", &value);
  return value;
}

static void
leat_launch_replays_append_transfers (LeatPlan *plan, GString *text)
{
  g_autoptr (GVariant) transfers = g_variant_ref_sink (leat_launch_replays_describe_transfers (plan));

  for (gsize i = 0; i < g_variant_n_children (transfers); i++)
    {
      g_autoptr (GVariant) transfer = g_variant_get_child_value (transfers, i);
      const char *node = "", *mode = "", *reason = "";

      g_variant_lookup (transfer, "node", "&s", &node);
      g_variant_lookup (transfer, "mode", "&s", &mode);
      g_variant_lookup (transfer, "reason", "&s", &reason);
      g_string_append_printf (text, "%-14s%s: %s (%s)\n", i == 0 ? "transfers" : "", node, mode, reason);
    }
}

/* The times from which modes and methods were chosen, measured in the first run or in an earlier session. */
static void
leat_launch_replays_append_trials (GVariant *stats, const char *key, const char *label, GString *text)
{
  g_autoptr (GVariant) trials = g_variant_lookup_value (stats, key, G_VARIANT_TYPE ("a(sd)"));

  for (gsize i = 0; trials != NULL && i < g_variant_n_children (trials); i++)
    {
      const char *ways;
      double us;

      g_variant_get_child (trials, i, "(&sd)", &ways, &us);
      g_string_append_printf (text, "%-14s%.2f us a run with %s\n", i == 0 ? label : "", us, ways);
    }
}

static void
leat_launch_replays_append_kinds (GVariant *stats, GString *text)
{
  guint64 reused = leat_launch_replays_get (stats, "runs-reused");
  guint64 known = leat_launch_replays_get (stats, "memo-hits");

  if (reused + known > 0)
    g_string_append_printf (text,
                            "%-14s%" G_GUINT64_FORMAT " full, %" G_GUINT64_FORMAT " without uploads, %" G_GUINT64_FORMAT
                            " known from before\n",
                            "", leat_launch_replays_get (stats, "runs-full"), reused, known);
}

/* How those were done that others followed on the same inputs. */
static void
leat_launch_replays_append_silent (GVariant *stats, GString *text)
{
  guint64 silent = leat_launch_replays_get (stats, "runs-silent");
  const char *why = "";

  if (silent == 0)
    return;
  g_variant_lookup (stats, "why-not-repeated-on-device", "&s", &why);
  g_string_append_printf (text,
                          "%-14s%" G_GUINT64_FORMAT " without results: %" G_GUINT64_FORMAT
                          " in a loop on the device, %" G_GUINT64_FORMAT " launched many at a time%s%s\n",
                          "repeated", silent, leat_launch_replays_get (stats, "runs-repeated-on-device"),
                          leat_launch_replays_get (stats, "runs-repeated-unrolled"), *why != '\0' ? ", as " : "", why);
}

static void
leat_launch_replays_append_size (GVariant *stats, const char *name, const char *label, GString *text)
{
  guint64 bytes = leat_launch_replays_get (stats, name);
  g_autofree char *size = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);

  if (bytes > 0)
    g_string_append_printf (text, "%-14s%s\n", label, size);
}

static void
leat_launch_replays_append_changes (GVariant *stats, GString *text)
{
  const char *reason = "";

  if (leat_launch_replays_get (stats, "changes") + leat_launch_replays_get (stats, "replans") == 0)
    return;
  g_variant_lookup (stats, "last-reason", "&s", &reason);
  g_string_append_printf (text,
                          "%-14s%" G_GUINT64_FORMAT " plans, %" G_GUINT64_FORMAT " nodes updated, %" G_GUINT64_FORMAT
                          " graphs updated, %" G_GUINT64_FORMAT " graphs made%s%s\n",
                          "changes", leat_launch_replays_get (stats, "replans"),
                          leat_launch_replays_get (stats, "updates"), leat_launch_replays_get (stats, "graph-updates"),
                          leat_launch_replays_get (stats, "instantiations"), *reason != '\0' ? ": " : "", reason);
}

void
leat_launch_replays_append (LeatPlan *plan, GVariant *stats, GString *text)
{
  leat_launch_replays_append_kinds (stats, text);
  leat_launch_replays_append_silent (stats, text);
  leat_launch_replays_append_size (stats, "bytes-up", "copied up", text);
  leat_launch_replays_append_size (stats, "bytes-back", "copied back", text);
  leat_launch_replays_append_size (stats, "graph-bytes", "graphs take", text);
  leat_launch_replays_append_transfers (plan, text);
  leat_launch_replays_append_trials (stats, "trials", "trials", text);
  leat_launch_replays_append_trials (stats, "former-trials", "tried before", text);
  leat_launch_replays_append_changes (stats, text);
}
