/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* One launch of a kernel for many lanes: the lane is the block's place along z, and each pointer comes with the bytes
 * from one lane's memory to the next one's.  That is for kernels that do not know of z. */

#include "leat-kernel-entry-private.h"
#include "leat-kernel-queue-private.h"
#include "leat-kernel-texture-private.h"

/* @rest: the text behind `blockIdx` or `gridDim` */
static gboolean
leat_lanes_is_plain_axis (const char *rest)
{
  while (g_ascii_isspace (*rest))
    rest++;
  if (*rest++ != '.')
    return FALSE;
  while (g_ascii_isspace (*rest))
    rest++;
  return (*rest == 'x' || *rest == 'y') && !g_ascii_isalnum (rest[1]) && rest[1] != '_';
}

static gboolean
leat_lanes_are_known_to_text (const char *text)
{
  static const char *const words[] = { "blockIdx", "gridDim", NULL };

  for (guint i = 0; words[i] != NULL; i++)
    for (const char *p = text; (p = strstr (p, words[i])) != NULL;)
      {
        p += strlen (words[i]);
        if (!leat_lanes_is_plain_axis (p))
          return TRUE;
      }
  return FALSE;
}

static gboolean
leat_lanes_are_known_to (const LeatKernelUnit *unit, const LeatDecl *decl)
{
  g_autofree char *text = leat_tokens_dup_range (unit->tokens, decl->first, decl->last);

  return leat_lanes_are_known_to_text (text);
}

/* In which order the blocks of many lanes begin, and how many of them run at once, is open: what waits for blocks with
 * lower numbers, or for all of its lane, might wait for some that begin when it ends. */
const char *
leat_kernel_unit_why_not_wide (const LeatKernelUnit *unit, LeatKernelCalls *calls, guint index)
{
  guint asks = leat_kernel_calls_get_asks (calls, index);

  if (leat_kernel_calls_syncs_grid (calls, index))
    return "its blocks wait for each other";
  if (asks & LEAT_KERNEL_ASKS_ASSEMBLY)
    return "there is assembly in it";
  if (asks & LEAT_KERNEL_ASKS_TOOLKIT)
    return "it asks a header of the CUDA toolkit for its place in the grid";
  if (leat_kernel_unit_has_texture (unit, leat_kernel_unit_at (unit, index)))
    return "it has a texture or a surface";
  if (leat_kernel_unit_has_queue (unit, leat_kernel_unit_at (unit, index)))
    return "it has a queue of its own";
  if ((asks & LEAT_KERNEL_ASKS_PAUSE) && !(asks & LEAT_KERNEL_ASKS_TICKET))
    return "its blocks may wait for each other, and take no tickets";
  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);

      if (decl->kind == LEAT_DECL_FUNCTION && (i == index || leat_kernel_calls_reaches (calls, index, i))
          && leat_lanes_are_known_to (unit, decl))
        return "it uses the grid's z";
    }
  return NULL;
}

static void
leat_lanes_append_param (GArray *params, const LeatEntryParam *from)
{
  LeatEntryParam param = { g_strdup (from->declaration), g_strdup (from->name) };

  g_array_append_val (params, param);
  if (strchr (from->declaration, '*') == NULL)
    return;
  param.name = g_strdup_printf ("leat_stride_of_%s", from->name);
  param.declaration = g_strdup_printf ("uint64_t %s", param.name);
  g_array_append_val (params, param);
}

GArray *
leat_entry_list_wide_params (const LeatEntry *self)
{
  GArray *params = leat_entry_params_new ();

  for (guint i = 0; i < self->wrapper->len; i++)
    leat_lanes_append_param (params, &g_array_index (self->wrapper, LeatEntryParam, i));
  return params;
}

static void
leat_lanes_append_pointer (GString *out, const char *lane, const char *prefix, const char *name, const char *suffix)
{
  g_string_append_printf (out, "leat_at_lane (%s, %s%s%s, %sleat_stride_of_%s%s)", lane, prefix, name, suffix, prefix,
                          name, suffix);
}

static void
leat_lanes_append_count (GString *out, const char *lane, const char *prefix, const LeatParam *param)
{
  g_string_append_printf (out, "(%s) leat_take_count (", param->type);
  leat_lanes_append_pointer (out, lane, prefix, param->name, "_where");
  g_string_append_printf (out, ", %s%s_value, %s%s_most, ", prefix, param->name, prefix, param->name);
  leat_lanes_append_pointer (out, lane, prefix, param->name, "_over");
  g_string_append_c (out, ')');
}

char *
leat_entry_dup_wide_arguments (const LeatEntry *self, const LeatPrototype *prototype, const char *lane,
                               const char *prefix)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < prototype->n_params; i++)
    {
      const LeatParam *param = &prototype->params[i];
      gboolean pointer = strchr (g_array_index (self->params, LeatEntryParam, i).declaration, '*') != NULL;

      g_string_append (out, i ? ", " : "");
      if (param->kind == LEAT_PARAM_INPUT_COUNT)
        leat_lanes_append_count (out, lane, prefix, param);
      else if (pointer)
        leat_lanes_append_pointer (out, lane, prefix, param->name, "");
      else
        {
          g_autofree char *word = leat_param_dup_word (param);

          g_string_append_printf (out, "%s%s", prefix, word);
        }
    }
  return g_string_free (out, FALSE);
}

char *
leat_entry_dup_wide_reports (const LeatEntry *self, const char *lane, const char *prefix)
{
  GString *out = g_string_new (NULL);

  if (self->reports)
    leat_lanes_append_pointer (out, lane, prefix, "leat_reports", "");
  return g_string_free (out, FALSE);
}

char *
leat_entry_dup_wide_helper (const char *qualifiers)
{
  return g_strdup_printf ("template <class T> %s T *leat_at_lane (unsigned int lane, T *p, uint64_t stride) "
                          "{ return (T *) ((const char *) p + lane * stride); }\n",
                          qualifiers);
}
