/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A file may ask what it is compiled for: LEAT_HOST, LEAT_CUDA, __CUDA_ARCH__.  Where it does, each device has a text
 * of its own, which is a source beside the one that is bound.  Their kernels take the same parameters, or there is no
 * image. */

#include "leat-kernel-report-private.h"
#include "leat-kernel-source-internal-private.h"

#include <string.h>

/* The GPUs that are looked at before a device is known: the one that the CPU driver is like, and the first that has
 * more to offer. */
static const guint leat_kernel_looked_at[] = { LEAT_KERNEL_ARCH, 900 };

static LeatKernelSource *
leat_kernel_source_make_for (LeatKernelSource *self, const LeatKernelTarget *target, GError **error)
{
  g_autoptr (LeatKernelSource) made = leat_kernel_source_new_empty (self->name);
  g_autofree char *text = NULL;

  made->floats = self->floats;
  made->target = *target;
  made->is_part = TRUE;
  made->instance = g_strdup (self->instance);
  if (self->maker != NULL)
    {
      text = self->maker (self->maker_data, target, error);
      made->text = text != NULL ? leat_kernel_text_new (self->name, text, NULL, error) : NULL;
    }
  else
    made->text = leat_kernel_text_new_for (self->text, target, error);
  if (made->text == NULL || !leat_kernel_source_read_unit (made, error))
    return NULL;
  made->unit->reporting = self->unit->reporting != NULL ? g_hash_table_ref (self->unit->reporting) : NULL;
  return g_steal_pointer (&made);
}

static gboolean
leat_kernel_source_check_params (LeatKernelSource *self, const LeatPrototype *bound, const LeatPrototype *other,
                                 const LeatKernelTarget *target, GError **error)
{
  g_autofree char *device =
    target->is_cuda ? g_strdup_printf ("a GPU of compute capability %u.%u", target->arch / 100, target->arch / 10 % 10)
                    : g_strdup ("lanes");
  g_autofree char *message = NULL, *valid = NULL;

  for (guint i = 0; i < MAX (bound->n_params, other->n_params); i++)
    {
      const LeatParam *a = &bound->params[i], *b = &other->params[i];

      if (i < bound->n_params && i < other->n_params && a->kind == b->kind && g_str_equal (a->name, b->name)
          && g_str_equal (a->dtype, b->dtype) && a->item_bytes == b->item_bytes && a->item_lanes == b->item_lanes)
        continue;
      if (i >= bound->n_params || i >= other->n_params)
        message = g_strdup_printf ("%s: the kernel \"%s\" takes %u parameters, and %u where it is compiled for %s; "
                                   "conditions on the device may change its body, not its parameters",
                                   self->name, bound->entry, bound->n_params, other->n_params, device);
      else
        message = g_strdup_printf ("%s:%u:%u: \"%s\" of the kernel \"%s\" is %s, and %s where it is compiled for %s; "
                                   "conditions on the device may change the body of a kernel, not its parameters",
                                   self->name, a->line, a->column, a->name, bound->entry, a->dtype, b->dtype, device);
      /* The text may be of any encoding. */
      valid = g_utf8_make_valid (message, -1);
      g_set_error_literal (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_PROTOTYPE, valid);
      return FALSE;
    }
  return TRUE;
}

/* A kernel that is there on one device alone does no harm until it is launched. */
static gboolean
leat_kernel_source_check_part (LeatKernelSource *self, LeatKernelSource *part, GError **error)
{
  for (guint i = 0; i < self->kernels->len; i++)
    {
      const LeatDecl *decl = g_ptr_array_index (self->kernels, i);
      g_autofree char *name = leat_tokens_dup (self->unit->tokens, decl->name);
      const LeatDecl *twin = leat_kernel_unit_find_kernel (part->unit, name);
      g_autoptr (LeatPrototype) bound = leat_kernel_unit_parse_prototype (self->unit, decl, NULL);
      g_autoptr (LeatPrototype) other = twin != NULL ? leat_kernel_unit_parse_prototype (part->unit, twin, NULL) : NULL;

      if (bound != NULL && other != NULL && !leat_kernel_source_check_params (self, bound, other, &part->target, error))
        return FALSE;
    }
  return TRUE;
}

/* Under the lock. */
static LeatKernelSource *
leat_kernel_source_find_part (LeatKernelSource *self, const LeatKernelTarget *target)
{
  for (guint i = 0; i < self->parts->len; i++)
    {
      LeatKernelSource *part = g_ptr_array_index (self->parts, i);

      if (part->target.is_cuda == target->is_cuda && part->target.arch == target->arch
          && part->target.has_lanes == target->has_lanes)
        return part;
    }
  return NULL;
}

LeatKernelSource *
leat_kernel_source_get_for (LeatKernelSource *self, const LeatKernelTarget *target, GError **error)
{
  LeatKernelTarget wanted = *target;
  LeatKernelSource *part, *made;

  wanted.has_lanes = target->has_lanes && (self->text->asks & LEAT_KERNEL_ASKED_LANES);
  if (!target->is_cuda)
    wanted.arch = LEAT_KERNEL_ARCH;
  if (self->is_part || self->text->asks == 0 || (!wanted.is_cuda && !wanted.has_lanes))
    return self;
  g_mutex_lock (&self->parts_lock);
  part = leat_kernel_source_find_part (self, &wanted);
  if (part == NULL)
    {
      made = leat_kernel_source_make_for (self, &wanted, error);
      if (made != NULL && leat_kernel_source_check_part (self, made, error))
        g_ptr_array_add (self->parts, part = made);
      else if (made != NULL)
        leat_kernel_source_unref (made);
    }
  if (part != NULL)
    part->floats = self->floats;
  g_mutex_unlock (&self->parts_lock);
  return part;
}

GPtrArray *
leat_kernel_source_list_parts (LeatKernelSource *self, gboolean lanes)
{
  GPtrArray *parts = g_ptr_array_new ();
  LeatKernelSource *here = leat_kernel_source_get_for (self, &(LeatKernelTarget){ .has_lanes = lanes }, NULL);
  guint n = self->text->asks & LEAT_KERNEL_ASKED_ARCH ? G_N_ELEMENTS (leat_kernel_looked_at) : 1;

  g_ptr_array_add (parts, here != NULL ? here : self);
  if (self->is_part || !(self->text->asks & (LEAT_KERNEL_ASKED_DEVICE | LEAT_KERNEL_ASKED_ARCH)))
    return parts;
  for (guint i = 0; i < n; i++)
    {
      LeatKernelSource *part =
        leat_kernel_source_get_for (self, &(LeatKernelTarget){ TRUE, leat_kernel_looked_at[i], lanes }, NULL);

      /* One that has mistakes tells of them when it is compiled. */
      if (part != NULL)
        g_ptr_array_add (parts, part);
    }
  return parts;
}

/* A kernel that reports on one device has where to report to on all. */
void
leat_kernel_source_note_reporting (LeatKernelSource *self)
{
  g_autoptr (GPtrArray) parts = NULL;

  if (self->text->asks == 0 || !leat_kernel_texts_mention (self->text->texts, "leat_report"))
    return;
  parts = leat_kernel_source_list_parts (self, FALSE);
  self->unit->reporting = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < parts->len; i++)
    {
      LeatKernelSource *part = g_ptr_array_index (parts, i);
      g_autoptr (LeatKernelCalls) calls = leat_kernel_calls_new (part->unit);

      for (guint k = 0; k < part->kernels->len; k++)
        {
          const LeatDecl *decl = g_ptr_array_index (part->kernels, k);

          if (leat_kernel_unit_reports (part->unit, calls, decl))
            g_hash_table_add (self->unit->reporting, leat_tokens_dup (part->unit->tokens, decl->name));
        }
    }
  for (guint i = 1; i < parts->len; i++)
    {
      LeatKernelSource *part = g_ptr_array_index (parts, i);

      part->unit->reporting = g_hash_table_ref (self->unit->reporting);
    }
}
