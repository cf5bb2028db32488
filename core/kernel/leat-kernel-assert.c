/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Assertions tell the compiler what a kernel's parameters were taken for.  Where it has another type under a name,
 * there is no image, rather than one that is given the wrong bytes. */

#include "leat-kernel-entry-private.h"

/* A condition that a number's type meets beside its size; NULL where nothing more is known. */
static const char *
leat_assert_get_kind (const LeatParam *param)
{
  if (param->item_lanes != 1 || param->dtype == NULL || param->form != LEAT_TEXTURE_NONE)
    return NULL;
  if (param->is_bool)
    return "(%s) 2 == (%s) 1";
  if (g_str_equal (param->dtype, "f32") || g_str_equal (param->dtype, "f64"))
    return "(%s) 0.5 != (%s) 0";
  /* A class, of which the size tells enough. */
  if (param->dtype[0] != 'i' && param->dtype[0] != 'u')
    return NULL;
  /* Whether a plain char has a sign is the machine's. */
  if (param->item_bytes == 1)
    return NULL;
  return param->dtype[0] == 'i' ? "(%s) -1 < (%s) 1 && (%s) 0.5 == (%s) 0" : "(%s) -1 > (%s) 1 && (%s) 0.5 == (%s) 0";
}

static void
leat_assert_append (GString *out, const LeatKernelUnit *unit, const LeatEntry *entry, const LeatParam *param)
{
  const LeatToken *token = leat_tokens_at (unit->tokens, entry->decl->name);
  const char *kind = leat_assert_get_kind (param);
  g_auto (GStrv) parts = kind != NULL ? g_strsplit (kind, "%s", -1) : NULL;
  g_autofree char *holds = parts != NULL ? g_strjoinv (param->type, parts) : NULL;

  if (g_str_equal (param->type, "void"))
    return;
  g_string_append_printf (out,
                          "\n#line %u \"%s\"\nstatic_assert (sizeof (%s) == %" G_GSIZE_FORMAT
                          "%s%s, \"\\\"%s\\\" of the kernel \\\"%s\\\" was taken for %s of %" G_GSIZE_FORMAT
                          " bytes, and to the compiler \\\"%s\\\" is another type; name the type in another way\");",
                          param->line, (char *) g_ptr_array_index (unit->tokens->text->labels, token->file),
                          param->type, param->item_bytes, holds != NULL ? " && " : "", holds != NULL ? holds : "",
                          param->name, entry->name, param->form == LEAT_TEXTURE_NONE ? param->dtype : "an object",
                          param->item_bytes, param->type);
}

char *
leat_kernel_unit_dup_assertions (const LeatKernelUnit *unit, GPtrArray *entries)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < entries->len; i++)
    {
      const LeatEntry *entry = g_ptr_array_index (entries, i);
      g_autoptr (LeatPrototype) prototype = leat_kernel_unit_parse_prototype (unit, entry->decl, NULL);

      leat_kernel_unit_append_opening (unit, entry->decl, out);
      for (guint p = 0; prototype != NULL && p < prototype->n_params; p++)
        leat_assert_append (out, unit, entry, &prototype->params[p]);
      leat_kernel_unit_append_closing (unit, entry->decl, out);
    }
  return g_string_free (out, FALSE);
}
