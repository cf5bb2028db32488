/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The freedoms of a compiler with floating point: their names, and those that a source has. */

#include "leat-kernel-source-internal-private.h"
#include "leat-suggest.h"

#define LEAT_FLOATS_ALL                                                                                                \
  (LEAT_FLOATS_CONTRACT | LEAT_FLOATS_FLUSH | LEAT_FLOATS_DIV | LEAT_FLOATS_SQRT | LEAT_FLOATS_INTRINSICS)

/* Flags by their own names first: those are what lists are made of. */
static const struct
{
  const char *name;
  LeatFloatFlags flags;
} leat_floats_names[] = {
  { "contract", LEAT_FLOATS_CONTRACT },
  { "flush", LEAT_FLOATS_FLUSH },
  { "div", LEAT_FLOATS_DIV },
  { "sqrt", LEAT_FLOATS_SQRT },
  { "intrinsics", LEAT_FLOATS_INTRINSICS },
  { "strict", LEAT_FLOATS_STRICT },
  { "fast", LEAT_FLOATS_CONTRACT },
  { "all", LEAT_FLOATS_ALL },
};

static gboolean
leat_float_flags_refuse (const char *text, const char *word, GError **error)
{
  const char *names[G_N_ELEMENTS (leat_floats_names) + 1] = { NULL };
  const char *near;

  for (guint i = 0; i < G_N_ELEMENTS (leat_floats_names); i++)
    names[i] = leat_floats_names[i].name;
  near = leat_suggest (word, names);
  if (near != NULL)
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_FAILED, "fp=%s: there is no \"%s\" (did you mean \"%s\"?)",
                 text, word, near);
  else
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_FAILED,
                 "fp=%s: there is no \"%s\"; it is strict, fast, all, or some of contract, flush, div, sqrt and "
                 "intrinsics, separated by commas",
                 text, word);
  return FALSE;
}

static gboolean
leat_float_flags_find (const char *word, LeatFloatFlags *flags)
{
  for (guint i = 0; i < G_N_ELEMENTS (leat_floats_names); i++)
    if (g_str_equal (leat_floats_names[i].name, word))
      {
        *flags = leat_floats_names[i].flags;
        return TRUE;
      }
  return FALSE;
}

/**
 * leat_float_flags_parse:
 * @text: `strict`, `fast`, `all`, or names separated by commas, such as `flush,div`
 * @flags: (out): what they stand for
 * @error: return location
 *
 * Reads the freedoms of a compiler as the property `fp` of nodes has them.
 *
 * The names are `contract`, `flush`, `div`, `sqrt` and `intrinsics`; `fast` is `contract`.  `strict` stands alone.
 *
 * Returns: whether the text could be read
 *
 * Since: 0.1
 */
gboolean
leat_float_flags_parse (const char *text, LeatFloatFlags *flags, GError **error)
{
  g_auto (GStrv) words = NULL;
  LeatFloatFlags found, all = LEAT_FLOATS_STRICT;

  g_return_val_if_fail (text != NULL && flags != NULL, FALSE);
  words = g_strsplit (text, ",", -1);
  if (words[0] == NULL)
    return leat_float_flags_refuse (text, text, error);
  for (guint i = 0; words[i] != NULL; i++)
    {
      if (!leat_float_flags_find (g_strstrip (words[i]), &found))
        return leat_float_flags_refuse (text, words[i], error);
      if (found == LEAT_FLOATS_STRICT && g_strv_length (words) > 1)
        {
          g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_FAILED,
                       "fp=%s: strict allows nothing, so nothing can stand beside it; leave out one or the other",
                       text);
          return FALSE;
        }
      all |= found;
    }
  *flags = all;
  return TRUE;
}

char *
leat_float_flags_to_string (LeatFloatFlags flags)
{
  GString *text = g_string_new (flags == LEAT_FLOATS_STRICT ? "strict" : NULL);

  for (guint i = 0; i < G_N_ELEMENTS (leat_floats_names) && leat_floats_names[i].flags != LEAT_FLOATS_STRICT; i++)
    if (flags & leat_floats_names[i].flags)
      g_string_append_printf (text, "%s%s", text->len > 0 ? "," : "", leat_floats_names[i].name);
  return g_string_free (text, FALSE);
}

/**
 * leat_kernel_source_set_floats:
 * @self: a source that no image was made of yet
 * @floats: what the compiler may do
 *
 * Chooses what the compiler may do with floating point.
 *
 * On a CPU only %LEAT_FLOATS_CONTRACT has an effect, so with any other flag results of a CPU and a GPU may differ.
 *
 * Since: 0.1
 */
void
leat_kernel_source_set_floats (LeatKernelSource *self, LeatFloatFlags floats)
{
  g_return_if_fail (self != NULL);
  g_mutex_lock (&self->lock);
  self->floats = floats;
  g_clear_pointer (&self->host_text, g_free);
  g_clear_pointer (&self->cuda_text, g_free);
  g_mutex_unlock (&self->lock);
}

/**
 * leat_kernel_source_get_floats:
 * @self: a source
 *
 * Gets what the compiler may do with floating point.
 *
 * Returns: the flags
 *
 * Since: 0.1
 */
LeatFloatFlags
leat_kernel_source_get_floats (LeatKernelSource *self)
{
  g_return_val_if_fail (self != NULL, LEAT_FLOATS_STRICT);
  return self->floats;
}
