/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The words behind `leat-inspect kernel`: which kernel, and how it would be launched.  Reads the command line alone. */

#include "leat-inspect-launch.h"

#include <string.h>

static const struct
{
  const char *name;
  gsize offset;
  gboolean is_launch;
} leat_inspect_words[] = {
  { "source", offsetof (LeatInspectWords, source), FALSE },
  { "entry", offsetof (LeatInspectWords, entry), FALSE },
  { "defines", offsetof (LeatInspectWords, defines), FALSE },
  { "fp", offsetof (LeatInspectWords, fp), TRUE },
  { "block", offsetof (LeatInspectWords, block), TRUE },
  { "grid", offsetof (LeatInspectWords, grid), TRUE },
  { "shared", offsetof (LeatInspectWords, shared), TRUE },
  { "cooperative", offsetof (LeatInspectWords, cooperative), TRUE },
};

static gboolean
leat_inspect_read_word (const char *word, gboolean with_launch, LeatInspectWords *self, GError **error)
{
  const char *equals = strchr (word, '=');

  for (guint i = 0; equals != NULL && i < G_N_ELEMENTS (leat_inspect_words); i++)
    {
      if (strlen (leat_inspect_words[i].name) != (gsize) (equals - word)
          || strncmp (word, leat_inspect_words[i].name, equals - word) != 0)
        continue;
      if (leat_inspect_words[i].is_launch && !with_launch)
        {
          g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                       "%s: how a kernel is launched matters on a device; add --device=cuda:0 or --device=cpu", word);
          return FALSE;
        }
      G_STRUCT_MEMBER (const char *, self, leat_inspect_words[i].offset) = equals + 1;
      return TRUE;
    }
  g_set_error (
    error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
    "%s: only source=FILE.cu, entry=NAME and defines=NAME,NAME=VALUE are read of a kernel, and with --device "
    "also block=, grid=, shared=, cooperative= and fp=",
    word);
  return FALSE;
}

gboolean
leat_inspect_read_words (char **words, gboolean with_launch, LeatInspectWords *self, GError **error)
{
  *self = (LeatInspectWords){ NULL };
  for (guint i = 0; words[i] != NULL; i++)
    if (!leat_inspect_read_word (words[i], with_launch, self, error))
      return FALSE;
  if (self->source != NULL)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "entry= and defines= need source=FILE.cu");
  return FALSE;
}

/* "256", "16x16", "8x8x4": the axes that are not said are 1. */
static gboolean
leat_inspect_read_axes (const char *name, const char *text, guint axes[3], GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, "x", -1);
  guint n = g_strv_length (parts);
  gboolean ok = n >= 1 && n <= 3;

  axes[0] = axes[1] = axes[2] = 1;
  for (guint i = 0; ok && i < n; i++)
    {
      guint64 value = 0;

      ok = g_ascii_string_to_unsigned (parts[i], 10, 1, G_MAXUINT32, &value, NULL);
      axes[i] = (guint) value;
    }
  if (!ok)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                 "%s=%s: expected numbers from 1, such as 256, 16x16 or 8x8x4", name, text);
  return ok;
}

static gboolean
leat_inspect_read_rest (const LeatInspectWords *words, LeatInspectLaunch *self, GError **error)
{
  guint64 shared = 0;

  if (words->shared != NULL && !g_ascii_string_to_unsigned (words->shared, 10, 0, G_MAXUINT32, &shared, NULL))
    {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "shared=%s: expected bytes, 0 to 4294967295",
                   words->shared);
      return FALSE;
    }
  self->shape.shared_bytes = (guint) shared;
  self->shape.cooperative = g_strcmp0 (words->cooperative, "true") == 0;
  if (words->cooperative == NULL || self->shape.cooperative || g_str_equal (words->cooperative, "false"))
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "cooperative=%s: it is true or false",
               words->cooperative);
  return FALSE;
}

gboolean
leat_inspect_read_launch (const LeatInspectWords *words, LeatInspectLaunch *self, GError **error)
{
  gboolean follows =
    words->grid == NULL || g_str_equal (words->grid, "auto") || g_str_has_prefix (words->grid, "items:");

  *self = (LeatInspectLaunch){ .shape = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } } };
  self->has_block =
    words->block != NULL && !g_str_equal (words->block, "auto") && !g_str_equal (words->block, "measured");
  self->fills = g_strcmp0 (words->grid, "occupancy") == 0;
  self->has_grid = !follows && !self->fills;
  return (!self->has_block || leat_inspect_read_axes ("block", words->block, self->shape.block, error))
         && (!self->has_grid || leat_inspect_read_axes ("grid", words->grid, self->shape.grid, error))
         && leat_inspect_read_rest (words, self, error);
}
