/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stranger.h"

#include "leat-harness.h"

#include <string.h>

/* Runs a kernel of strangers/ in a form, and holds what comes against its oracle. */

/* What the maps around a kernel do. */
#define BEFORE 7
#define BEHIND 3

char *
stranger_dup_text (const Stranger *self)
{
  g_autofree char *file = g_strconcat (self->name, ".cu", NULL);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "plugins", "strangers", file, NULL);
  g_autoptr (GError) error = NULL;
  char *text = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return text;
}

static gboolean
stranger_has_maps (const Stranger *self, const StrangerForm *form)
{
  return self->spec == NULL && (form->is_fused || form->may_fuse);
}

/* The numbers of an entry, as the kernel takes them. */
static char *
stranger_dup_spec (const Stranger *self, gsize n)
{
  const char *comma = self->spec != NULL ? strchr (self->spec, ',') : NULL;

  if (comma == NULL)
    return g_strdup_printf ("i32[%" G_GSIZE_FORMAT "]", n);
  return g_strdup_printf ("%.*s[%" G_GSIZE_FORMAT "%s]", (int) (comma - self->spec), self->spec, n, comma);
}

static const char *
stranger_get_links (gboolean is_fused, gboolean has_maps)
{
  if (is_fused)
    return has_maps ? "  in.x -> f -> k.x\n  k.y -> g -> out.y\n}\na -> upload -> m.x\nm.y -> readback -> b\n"
                    : "  in.x -> k.x\n  k.y -> out.y\n}\na -> upload -> m.x\nm.y -> readback -> b\n";
  return has_maps ? "a -> upload -> f -> k.x\nk.y -> g -> readback -> b\n"
                  : "a -> upload -> k.x\nk.y -> readback -> b\n";
}

/* In blocks of the kernel's size, so that a megakernel can have both. */
static char *
stranger_dup_maps (const Stranger *self, const char *indent)
{
  const char *block = strstr (self->properties, "block=");
  guint threads = block != NULL ? (guint) g_ascii_strtoull (block + strlen ("block="), NULL, 10) : 256;

  return g_strdup_printf ("%sf = map expr=x+%d block=%u\n%sg = map expr=x*%d block=%u\n", indent, BEFORE, threads,
                          indent, BEHIND, threads);
}

static char *
stranger_dup_graph (const Stranger *self, const StrangerForm *form, gsize n)
{
  g_autofree char *spec = stranger_dup_spec (self, n), *maps = NULL;
  const char *access = form->may_fuse && self->reach == STRANGER_ITEM ? " access=elementwise" : "";

  if (stranger_has_maps (self, form))
    maps = stranger_dup_maps (self, form->is_fused ? "  " : "");
  return g_strdup_printf ("leat 1\na = app spec=%s\nb = app\n%s%sk = kernel source=%s.cu %s%s\n%s%s", spec,
                          form->is_fused ? "m = megakernel {\n" : "", form->is_fused ? "  " : "", self->name,
                          self->properties, access, maps != NULL ? maps : "",
                          stranger_get_links (form->is_fused, maps != NULL));
}

/* (transfer full) (nullable) */
static LeatPipeline *
stranger_parse (const Stranger *self, const char *text, const StrangerForm *form, gsize n, GError **error)
{
  g_autofree char *file = g_strconcat (self->name, ".cu", NULL), *graph = stranger_dup_graph (self, form, n);
  g_autofree char *path = leat_harness_dup_path (file), *graph_path = leat_harness_dup_path ("stranger.leat");
  LeatPipeline *pipeline;

  leat_harness_write_file (path, text, strlen (text));
  leat_harness_write_file (graph_path, graph, strlen (graph));
  pipeline = leat_parse_file (graph_path, NULL, error);
  if (pipeline != NULL)
    leat_pipeline_set_fuse (pipeline, form->may_fuse ? LEAT_FUSE_MODE_AUTO : LEAT_FUSE_MODE_OFF);
  return pipeline;
}

static GPtrArray *
stranger_run_once (LeatPipeline *pipeline, LeatSession *session, GBytes *bytes, GError **error)
{
  GPtrArray *results = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  GBytes *result = NULL;

  if (leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)), bytes, error)
      && leat_session_replay (session, FALSE, NULL, error) == LEAT_FLOW_DATA)
    result = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL)), 0, error);
  if (result != NULL)
    g_ptr_array_add (results, result);
  else
    g_clear_pointer (&results, g_ptr_array_unref);
  return results;
}

/* With fuse=auto, a kernel that is done item by item is one with its neighbours, or the plan tells why not. */
static void
stranger_check_plan (const Stranger *self, const StrangerForm *form, LeatSession *session)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (session);
  g_autofree char *text = leat_plan_to_text (plan);
  const char *says = stranger_find_refusal (self, form);

  if (form->may_fuse && self->reach == STRANGER_ITEM
      && strstr (text, says != NULL ? says : "one launch for 3 ops, 0 barriers") == NULL)
    g_error ("%s: %s does not say \"%s\"", self->name, text, says != NULL ? says : "one launch for 3 ops");
}

GPtrArray *
stranger_run (const Stranger *self, const char *text, const StrangerForm *form, const gint32 *x, gsize n,
              GError **error)
{
  g_autoptr (LeatPipeline) pipeline = stranger_parse (self, text, form, n, error);
  g_autoptr (LeatSession) session = pipeline != NULL ? leat_session_new (pipeline, NULL) : NULL;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  GPtrArray *results = NULL;

  for (guint entry = 0; entry < MAX (form->n_entries, 1); entry++)
    g_ptr_array_add (inputs, g_bytes_new (x + entry * n, n * sizeof *x));
  if (session == NULL)
    return NULL;
  g_object_set (session, "executor", form->executor, "calibrate", FALSE, NULL);
  if (!leat_session_open (session, NULL, error))
    return NULL;
  stranger_check_plan (self, form, session);
  if (form->n_entries > 0)
    leat_session_replay_batch (session, form->n_entries, inputs, &results, NULL, error);
  else
    results = stranger_run_once (pipeline, session, g_ptr_array_index (inputs, 0), error);
  leat_session_close (session);
  return results;
}

/* What the oracle says, with the maps around the kernel. */
static gint32
stranger_expect (const Stranger *self, const StrangerForm *form, const gint32 *x, gsize i, gsize n)
{
  gint32 y = self->oracle (x, i, n);

  return stranger_has_maps (self, form) ? (gint32) ((guint32) y * BEHIND) : y;
}

gboolean
stranger_agrees (const Stranger *self, const char *text, const StrangerForm *form, gsize n, GError **error)
{
  guint n_entries = MAX (form->n_entries, 1);
  g_autofree gint32 *x = g_new (gint32, n * n_entries);
  g_autoptr (GPtrArray) results = NULL;

  for (gsize i = 0; i < n * n_entries; i++)
    x[i] = g_test_rand_int_range (-30000, 30000) | 1;
  results = stranger_run (self, text, form, x, n, error);
  if (results == NULL)
    return FALSE;
  g_assert_cmpuint (results->len, ==, n_entries);
  for (gsize i = 0; stranger_has_maps (self, form) && i < n * n_entries; i++)
    x[i] += BEFORE;
  for (guint entry = 0; entry < n_entries; entry++)
    {
      gsize size;
      const gint32 *y = g_bytes_get_data (g_ptr_array_index (results, entry), &size);

      g_assert_cmpuint (size, ==, n * sizeof *x);
      for (gsize i = 0; i < n; i++)
        if (y[i] != stranger_expect (self, form, x + entry * n, i, n))
          {
            g_test_message ("%s: item %" G_GSIZE_FORMAT " of entry %u is %d, not %d, of %d", self->name, i, entry, y[i],
                            stranger_expect (self, form, x + entry * n, i, n), x[entry * n + i]);
            return FALSE;
          }
    }
  return TRUE;
}
