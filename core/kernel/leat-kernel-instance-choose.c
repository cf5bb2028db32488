/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Which template an entry is an instance of: several may have one name, and some are written out for their arguments.
 * Reads the unit only. */

#include "leat-kernel-instance-private.h"

/* A template that can take the arguments, and the types of its parameters then. */
typedef struct
{
  const LeatDecl *decl;
  char *takes;
} LeatCandidate;

static void
leat_candidate_clear (gpointer data)
{
  g_free (((LeatCandidate *) data)->takes);
}

static gboolean
leat_instance_is_of_name (const LeatInstance *self, const LeatKernelUnit *unit, const LeatDecl *decl)
{
  return decl->kind == LEAT_DECL_FUNCTION && (decl->flags & LEAT_DECL_IS_GLOBAL)
         && (decl->flags & LEAT_DECL_IS_TEMPLATE) && leat_kernel_unit_is_called (unit, decl, self->path);
}

/* `template <>` */
static gboolean
leat_instance_is_written (const LeatKernelUnit *unit, const LeatDecl *decl)
{
  return leat_tokens_is (unit->tokens, decl->first + 2, ">");
}

/* Whether `template <> void k<int, 3> (...)` is written for these arguments, and parameters where those are named. */
static gboolean
leat_instance_is_written_for (const LeatInstance *self, const LeatKernelUnit *unit, const LeatDecl *decl)
{
  g_autofree char *words = NULL, *entry = NULL, *path = NULL, *takes = leat_kernel_unit_dup_signature (unit, decl);
  g_auto (GStrv) arguments = NULL;

  if (decl->params <= decl->name + 2 || (self->takes != NULL && !g_str_equal (takes, self->takes)))
    return FALSE;
  words = leat_tokens_dup_range (unit->tokens, decl->name + 1, decl->params - 1);
  entry = g_strconcat ("k", words, NULL);
  arguments = leat_kernel_split_entry (entry, &path);
  return arguments != NULL && g_strv_equal ((const char *const *) arguments, (const char *const *) self->arguments);
}

/* Templates of the name that can take the arguments, one for each list of parameters. (element-type LeatCandidate) */
static GArray *
leat_instance_list_candidates (const LeatInstance *self, const LeatKernelUnit *unit)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (LeatCandidate));

  g_array_set_clear_func (all, leat_candidate_clear);
  for (guint i = 0; i < unit->decls->len; i++)
    {
      LeatCandidate candidate = { leat_kernel_unit_at (unit, i), NULL };
      gboolean is_new = TRUE;

      if (!leat_instance_is_of_name (self, unit, candidate.decl) || leat_instance_is_written (unit, candidate.decl))
        continue;
      candidate.takes = leat_instance_dup_signature (self, unit, candidate.decl);
      for (guint c = 0; c < all->len; c++)
        is_new = is_new && g_strcmp0 (g_array_index (all, LeatCandidate, c).takes, candidate.takes) != 0;
      if (candidate.takes != NULL && is_new)
        g_array_append_val (all, candidate);
      else
        leat_candidate_clear (&candidate);
    }
  return all;
}

static const LeatDecl *
leat_instance_find_written (const LeatInstance *self, const LeatKernelUnit *unit)
{
  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);

      if (leat_instance_is_of_name (self, unit, decl) && leat_instance_is_written (unit, decl)
          && leat_instance_is_written_for (self, unit, decl))
        return decl;
    }
  return NULL;
}

/* Several candidates, or none with the parameters that were named. */
static void
leat_instance_refuse_candidates (const LeatInstance *self, const LeatKernelUnit *unit, GArray *all, GError **error)
{
  g_autofree char *joined = g_strjoinv (", ", self->arguments);
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; i < all->len; i++)
    {
      const LeatCandidate *candidate = &g_array_index (all, LeatCandidate, i);
      g_autofree char *full = leat_kernel_unit_dup_full_name (unit, candidate->decl);

      g_string_append_printf (list, "%s\"%s<%s>(%s)\" (line %u)", i ? ", " : "", full, joined, candidate->takes,
                              leat_tokens_at (unit->tokens, candidate->decl->name)->line);
    }
  if (self->takes != NULL)
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_ENTRY,
                 "%s: no template kernel \"%s<%s>\" takes (%s); there are: entry=%s", unit->tokens->text->name,
                 self->path, joined, self->takes, list->str);
  else
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_ENTRY,
                 "%s: template kernels called \"%s<%s>\" differ in their parameters; name one with its types, as in "
                 "entry=%s",
                 unit->tokens->text->name, self->path, joined, list->str);
}

/* Any template of the name, of which is said why it does not take the arguments. */
static const LeatDecl *
leat_instance_find_any (const LeatInstance *self, const LeatKernelUnit *unit, GError **error)
{
  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);

      if (leat_instance_is_of_name (self, unit, decl) && !leat_instance_is_written (unit, decl))
        return decl;
    }
  g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_ENTRY, "%s: no template kernel \"%s\"",
               unit->tokens->text->name, self->path);
  return NULL;
}

const LeatDecl *
leat_instance_choose (const LeatInstance *self, const LeatKernelUnit *unit, GError **error)
{
  g_autoptr (GArray) all = leat_instance_list_candidates (self, unit);
  const LeatDecl *written = leat_instance_find_written (self, unit);

  if (self->takes == NULL && all->len > 1)
    {
      leat_instance_refuse_candidates (self, unit, all, error);
      return NULL;
    }
  if (written != NULL)
    return written;
  if (all->len == 0)
    return leat_instance_find_any (self, unit, error);
  for (guint i = 0; i < all->len; i++)
    if (self->takes == NULL || g_str_equal (self->takes, g_array_index (all, LeatCandidate, i).takes))
      return g_array_index (all, LeatCandidate, i).decl;
  leat_instance_refuse_candidates (self, unit, all, error);
  return NULL;
}
