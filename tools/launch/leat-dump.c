/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* --dump: a tap behind an output, and an io:npy behind that. */

#include "leat-dump.h"

#include "leat-tap.h"

#include <string.h>

static void
leat_dump_free (LeatDump *self)
{
  g_free (self->output);
  g_free (self->path);
  g_free (self);
}

static gboolean
leat_dump_parse_run (LeatDump *self, const char *text, GError **error)
{
  char *at = strchr (self->output, '@');

  if (at == NULL)
    return TRUE;
  *at = '\0';
  if (g_ascii_string_to_unsigned (at + 1, 10, 1, G_MAXINT64, &self->run, NULL))
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               "--dump=%s: the run behind @ is a number from 1 on, not \"%s\"", text, at + 1);
  return FALSE;
}

static LeatDump *
leat_dump_parse (const char *text, GError **error)
{
  const char *equals = strchr (text, '=');
  LeatDump *self = g_new0 (LeatDump, 1);

  self->output = equals != NULL ? g_strndup (text, (gsize) (equals - text)) : g_strdup (text);
  self->path = equals != NULL ? g_strdup (equals + 1) : NULL;
  if (!leat_dump_parse_run (self, text, error))
    {
      leat_dump_free (self);
      return NULL;
    }
  if (*self->output != '\0' && (self->path == NULL || *self->path != '\0'))
    return self;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               "--dump=%s: expected NODE, NODE.PORT, NODE@RUN or one of these with =FILE", text);
  leat_dump_free (self);
  return NULL;
}

GPtrArray *
leat_dumps_parse (char **texts, GError **error)
{
  g_autoptr (GPtrArray) dumps = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_dump_free);

  for (guint i = 0; texts != NULL && texts[i] != NULL; i++)
    {
      LeatDump *dump = leat_dump_parse (texts[i], error);

      if (dump == NULL)
        return NULL;
      g_ptr_array_add (dumps, dump);
    }
  return g_steal_pointer (&dumps);
}

gboolean
leat_dumps_name_runs (const GPtrArray *dumps)
{
  for (guint i = 0; i < dumps->len; i++)
    if (((const LeatDump *) dumps->pdata[i])->run > 0)
      return TRUE;
  return FALSE;
}

/* "NODE-PORT", with "@RUN" where it is of one run. */
static char *
leat_dump_dup_title (const LeatDump *self, LeatPort *output, const char *at)
{
  const char *node = leat_node_get_name (leat_port_get_node (output)), *port = leat_port_get_name (output);

  if (self->run == 0)
    return g_strdup_printf ("%s-%s", node, port);
  return g_strdup_printf ("%s-%s%s%" G_GUINT64_FORMAT, node, port, at, self->run);
}

static gboolean
leat_dump_add (const LeatDump *self, LeatPort *output, LeatPipeline *pipeline, GError **error)
{
  g_autofree char *title = leat_dump_dup_title (self, output, "-");
  g_autofree char *name = g_strconcat ("dump-", title, NULL);
  g_autofree char *file = leat_dump_dup_title (self, output, "@");
  g_autofree char *path = self->path != NULL ? g_strdup (self->path) : g_strconcat (file, ".npy", NULL);
  LeatPort *host = leat_tap_add (pipeline, output, error);
  LeatNode *sink = host != NULL ? leat_pipeline_make (pipeline, "io:npy", name, error) : NULL;

  if (sink == NULL)
    return FALSE;
  g_object_set (sink, "path", path, "run", self->run, NULL);
  return leat_port_link (host, leat_node_get_port (sink, "in", NULL), error);
}

/* All are found before any is added: a tap gives a group one more output. */
static GPtrArray *
leat_dumps_find (const GPtrArray *dumps, LeatPipeline *pipeline, guint *at, GError **error)
{
  g_autoptr (GPtrArray) outputs = g_ptr_array_new ();

  for (*at = 0; *at < dumps->len; (*at)++)
    {
      LeatPort *output = leat_tap_find (pipeline, ((const LeatDump *) dumps->pdata[*at])->output, error);

      if (output == NULL)
        return NULL;
      g_ptr_array_add (outputs, output);
    }
  return g_steal_pointer (&outputs);
}

gboolean
leat_dumps_add (const GPtrArray *dumps, LeatPipeline *pipeline, GError **error)
{
  guint at;
  g_autoptr (GPtrArray) outputs = leat_dumps_find (dumps, pipeline, &at, error);

  for (at = outputs != NULL ? 0 : at; outputs != NULL && at < dumps->len; at++)
    if (!leat_dump_add (dumps->pdata[at], outputs->pdata[at], pipeline, error))
      break;
  if (at == dumps->len)
    return TRUE;
  g_prefix_error (error, "--dump=%s: ", ((const LeatDump *) dumps->pdata[at])->output);
  return FALSE;
}
