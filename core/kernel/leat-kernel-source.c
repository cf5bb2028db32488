/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The type: its life, and what is asked of it: texts, forms, reports, equality.  Plain texts are made when they are
 * first asked for, under the source's lock. */

#include "leat-kernel-texture-private.h"
#include "leat-kernel-file-private.h"
#include "leat-kernel-plain-private.h"
#include "leat-kernel-report-private.h"
#include "leat-kernel-source-internal-private.h"
#include "leat-kernel-persistent-private.h"

/**
 * LeatKernelSource:
 *
 * The text of a `.cu` file behind its preprocessor.
 *
 * A source is read and checked when it is made, without a device and without a compiler: its kernels, their parameters
 * and its warnings can be asked for at once.  Texts for compilers are derived from it later, when an image is needed.
 * It is immutable and reference-counted and may be used from any thread.
 */

G_DEFINE_BOXED_TYPE (LeatKernelSource, leat_kernel_source, leat_kernel_source_ref, leat_kernel_source_unref)

static gboolean
leat_kernel_source_check_bytes (const char *name, const char *text, gsize length, GError **error)
{
  if (memchr (text, '\0', length) == NULL)
    return TRUE;
  g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE, "%s: not a text file; a kernel is CUDA C source",
               name);
  return FALSE;
}

/* The text of a file. (transfer full) */
static char *
leat_kernel_source_dup_file (const char *path, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) local = NULL;
  gsize length;

  text = leat_kernel_file_read (path, &length, &local);
  if (text == NULL)
    {
      g_autofree char *fault = leat_kernel_source_dup_read_fault (path, local);

      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE, "cannot read the kernel source \"%s\": %s", path,
                   fault);
      return NULL;
    }
  return leat_kernel_source_check_bytes (path, text, length, error) ? g_steal_pointer (&text) : NULL;
}

LeatKernelSource *
leat_kernel_source_new_empty (const char *name)
{
  LeatKernelSource *self = g_new0 (LeatKernelSource, 1);

  g_atomic_ref_count_init (&self->refs);
  g_mutex_init (&self->lock);
  g_mutex_init (&self->parts_lock);
  self->parts = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_kernel_source_unref);
  self->name = g_strdup (name);
  self->target.arch = LEAT_KERNEL_ARCH;
  return self;
}

gboolean
leat_kernel_source_read_unit (LeatKernelSource *self, GError **error)
{
  self->unit = leat_kernel_unit_new (self->text, error);
  self->launched = self->unit != NULL ? leat_kernel_unit_list_launched (self->unit) : NULL;
  if (self->unit != NULL && leat_kernel_text_make_plain (self->text, self->unit))
    {
      leat_kernel_unit_free (self->unit);
      self->unit = leat_kernel_unit_new (self->text, error);
    }
  if (self->unit != NULL)
    self->unit->instance = self->instance;
  if (self->unit == NULL || !leat_kernel_unit_check_kernels (self->unit, error)
      || !leat_kernel_unit_check_variants (self->unit, error) || !leat_kernel_unit_check_textures (self->unit, error)
      || !leat_kernel_unit_read_reports (self->unit, error))
    return FALSE;
  self->kernels = leat_kernel_unit_list_kernels (self->unit);
  self->prototypes = g_new0 (LeatPrototype *, self->kernels->len + 1);
  return TRUE;
}

LeatKernelSource *
leat_kernel_source_new_full (const char *name, const char *text, const char *const *defines, GError **error)
{
  g_autoptr (LeatKernelSource) self = NULL;
  g_autofree char *read = text == NULL ? leat_kernel_source_dup_file (name, error) : NULL;

  if (text == NULL && read == NULL)
    return NULL;
  self = leat_kernel_source_new_empty (name);
  self->text = leat_kernel_text_new (name, text != NULL ? text : read, defines, error);
  if (self->text == NULL || !leat_kernel_source_read_unit (self, error))
    return NULL;
  leat_kernel_source_note_reporting (self);
  return g_steal_pointer (&self);
}

LeatKernelSource *
leat_kernel_source_new_made (const char *name, const char *instance, LeatKernelMaker maker, gpointer data,
                             GDestroyNotify data_free, guint asks, GError **error)
{
  g_autoptr (LeatKernelSource) self = leat_kernel_source_new_empty (name);
  g_autofree char *text = NULL;

  self->instance = g_strdup (instance);
  self->maker = maker;
  self->maker_data = data;
  self->maker_free = data_free;
  text = maker (data, &self->target, error);
  self->text = text != NULL ? leat_kernel_text_new (name, text, NULL, error) : NULL;
  if (self->text == NULL)
    return NULL;
  self->text->asks |= asks;
  if (!leat_kernel_source_read_unit (self, error))
    return NULL;
  leat_kernel_source_note_reporting (self);
  return g_steal_pointer (&self);
}

guint
leat_kernel_source_get_asks (LeatKernelSource *self)
{
  return self->text->asks;
}

const char *const *
leat_kernel_source_get_defines (LeatKernelSource *self)
{
  return (const char *const *) self->text->defines;
}

/**
 * leat_kernel_source_new_from_file:
 * @path: (type filename): the path of a `.cu` file
 * @error: return location for an error
 *
 * Reads a kernel file.
 *
 * Includes with quotation marks are looked for beside the file that names them.  Only regular files of at most 16 MiB
 * are read.
 *
 * Returns: (transfer full): the source, or %NULL with %LEAT_KERNEL_ERROR_SOURCE or %LEAT_KERNEL_ERROR_SYNTAX
 */
LeatKernelSource *
leat_kernel_source_new_from_file (const char *path, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);
  return leat_kernel_source_new_full (path, NULL, NULL, error);
}

/**
 * leat_kernel_source_new_from_file_with_defines:
 * @path: (type filename): the path of a `.cu` file
 * @defines: (array zero-terminated=1) (nullable): macros, each `NAME` or `NAME=VALUE`
 * @error: return location for an error
 *
 * Reads a kernel file as if it began with a `#define` of each macro, as a compiler does for its option `-D`.
 *
 * `NAME` alone is 1.  The macros count wherever the text does: for conditions, types and the images that are made.
 *
 * Returns: (transfer full): the source, or %NULL with %LEAT_KERNEL_ERROR_SOURCE or %LEAT_KERNEL_ERROR_SYNTAX
 */
LeatKernelSource *
leat_kernel_source_new_from_file_with_defines (const char *path, const char *const *defines, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);
  return leat_kernel_source_new_full (path, NULL, defines, error);
}

/**
 * leat_kernel_source_new:
 * @name: what the source is called in messages; includes are looked for in its folder
 * @text: CUDA C
 * @error: return location for an error
 *
 * Makes a source from a text.
 *
 * Returns: (transfer full): the source, or %NULL with %LEAT_KERNEL_ERROR_SOURCE or %LEAT_KERNEL_ERROR_SYNTAX
 */
LeatKernelSource *
leat_kernel_source_new (const char *name, const char *text, GError **error)
{
  g_return_val_if_fail (name != NULL && text != NULL, NULL);
  return leat_kernel_source_new_full (name, text, NULL, error);
}

/**
 * leat_kernel_source_ref:
 * @self: a source
 *
 * Takes a reference; any thread may.
 *
 * Returns: (transfer full): @self
 */
LeatKernelSource *
leat_kernel_source_ref (LeatKernelSource *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

/**
 * leat_kernel_source_unref:
 * @self: (transfer full): a source
 *
 * Gives a reference back; the last one frees the source and all that it owns, prototypes among it.
 */
void
leat_kernel_source_unref (LeatKernelSource *self)
{
  g_return_if_fail (self != NULL);
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  for (guint i = 0; self->kernels != NULL && i < self->kernels->len; i++)
    g_clear_pointer (&self->prototypes[i], leat_prototype_free);
  g_free (self->prototypes);
  g_clear_pointer (&self->kernels, g_ptr_array_unref);
  g_clear_pointer (&self->launched, g_ptr_array_unref);
  g_clear_pointer (&self->warnings, g_ptr_array_unref);
  g_clear_pointer (&self->entry_warnings, g_hash_table_unref);
  g_clear_pointer (&self->calls, leat_kernel_calls_free);
  g_clear_pointer (&self->unit, leat_kernel_unit_free);
  g_clear_pointer (&self->text, leat_kernel_text_free);
  g_clear_pointer (&self->users, leat_kernel_texts_unref);
  g_clear_pointer (&self->parts, g_ptr_array_unref);
  g_clear_pointer (&self->image, g_bytes_unref);
  if (self->maker_free != NULL)
    self->maker_free (self->maker_data);
  g_mutex_clear (&self->parts_lock);
  g_mutex_clear (&self->lock);
  g_free (self->instance);
  g_free (self->host_text);
  g_free (self->cuda_text);
  g_free (self->name);
  g_free (self);
}

/**
 * leat_kernel_source_get_name:
 * @self: a source
 *
 * Gets what stands for the source in messages.
 *
 * Returns: (transfer none): the path or name that it was made with
 */
const char *
leat_kernel_source_get_name (LeatKernelSource *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->name;
}

/**
 * leat_kernel_source_set_strict:
 * @self: a source that no image was made of yet
 * @strict: whether results are the same on every device
 *
 * Chooses between equal results (the default) and contraction of products and sums.
 *
 * In a strict image a multiplication and an addition are rounded one by one, as the text says, so that a CPU and a GPU
 * agree bit by bit on additions, products, quotients and square roots.  leat_kernel_source_set_floats() has all that a
 * compiler may be allowed.
 */
void
leat_kernel_source_set_strict (LeatKernelSource *self, gboolean strict)
{
  leat_kernel_source_set_floats (self, strict ? LEAT_FLOATS_STRICT : LEAT_FLOATS_CONTRACT);
}

const LeatKernelText *
leat_kernel_source_get_text (LeatKernelSource *self)
{
  return self->text;
}

const char *
leat_kernel_source_get_cuda_text (LeatKernelSource *self, GError **error)
{
  const char *text;

  self = leat_kernel_source_get_for (self, &(LeatKernelTarget){ TRUE, LEAT_KERNEL_ARCH, FALSE }, error);
  if (self == NULL)
    return NULL;
  g_mutex_lock (&self->lock);
  if (self->cuda_text == NULL)
    self->cuda_text = leat_kernel_unit_to_cuda (self->unit, LEAT_KERNEL_PLAIN, error);
  text = self->cuda_text;
  g_mutex_unlock (&self->lock);
  return text;
}

/* Asked for once an image, if at all: not kept. */
char *
leat_kernel_source_dup_cuda_text (LeatKernelSource *self, LeatKernelForm form, GError **error)
{
  return leat_kernel_unit_to_cuda (self->unit, form, error);
}

static const char *
leat_kernel_source_find_why_not_wide (LeatKernelSource *self, const char *entry)
{
  g_autoptr (LeatKernelCalls) calls = leat_kernel_calls_new (self->unit);
  const LeatDecl *decl = leat_kernel_unit_find_kernel (self->unit, entry);

  return decl != NULL ? leat_kernel_unit_why_not_wide (self->unit, calls, decl - leat_kernel_unit_at (self->unit, 0))
                      : NULL;
}

const char *
leat_kernel_source_why_not_wide (LeatKernelSource *self, const char *entry)
{
  g_autoptr (GPtrArray) parts = leat_kernel_source_list_parts (self, TRUE);
  const char *why = self->image != NULL ? "its kernel came compiled, for one launch at a time" : NULL;

  for (guint i = 0; i < parts->len && why == NULL; i++)
    why = leat_kernel_source_find_why_not_wide (g_ptr_array_index (parts, i), entry);
  return why;
}

static const char *
leat_kernel_source_find_why_no_stage (LeatKernelSource *self, const char *entry, guint *stage)
{
  g_autoptr (LeatKernelCalls) calls = leat_kernel_calls_new (self->unit);
  const LeatDecl *decl = leat_kernel_unit_find_kernel (self->unit, entry);

  for (guint i = 0; i < self->kernels->len; i++)
    if (g_ptr_array_index (self->kernels, i) == decl)
      *stage = i;
  return decl != NULL ? leat_kernel_unit_why_no_stage (self->unit, calls, decl - leat_kernel_unit_at (self->unit, 0))
                      : "it is not there on every device";
}

const char *
leat_kernel_source_why_no_stage (LeatKernelSource *self, const char *entry, guint *stage)
{
  g_autoptr (GPtrArray) parts = leat_kernel_source_list_parts (self, FALSE);
  const char *why = self->image != NULL ? "its kernel came compiled, and only text can be joined"
                                        : leat_kernel_source_find_why_no_stage (self, entry, stage);

  for (guint i = 1; i < parts->len && why == NULL; i++)
    {
      guint other = *stage;

      why = leat_kernel_source_find_why_no_stage (g_ptr_array_index (parts, i), entry, &other);
      if (why == NULL && other != *stage)
        why = "its file has other kernels on other devices";
    }
  return why;
}

gboolean
leat_kernel_source_has_variants (LeatKernelSource *self)
{
  for (guint i = 0; i < self->unit->decls->len; i++)
    if (leat_kernel_unit_at (self->unit, i)->flags & LEAT_DECL_IS_VARIANT)
      return TRUE;
  return FALSE;
}

gboolean
leat_kernel_source_keeps_data (LeatKernelSource *self)
{
  g_autoptr (GPtrArray) parts = leat_kernel_source_list_parts (self, FALSE);
  gboolean keeps = FALSE;

  for (guint i = 0; i < parts->len && !keeps; i++)
    keeps = leat_kernel_unit_keeps_data (((LeatKernelSource *) g_ptr_array_index (parts, i))->unit);
  return keeps;
}

const LeatReportCode *
leat_kernel_source_list_reports (LeatKernelSource *self, guint *n)
{
  *n = self->unit->reports->len;
  return (const LeatReportCode *) self->unit->reports->data;
}

const LeatReportCode *
leat_kernel_source_find_report (LeatKernelSource *self, guint code)
{
  return leat_kernel_unit_find_report (self->unit, code);
}

/* Two files that are alike on this machine's CPU may differ elsewhere, so where a text asks for its target, all that it
 * is made of is compared. */
static gboolean
leat_kernel_source_reads_same (LeatKernelSource *self, LeatKernelSource *other)
{
  const char *const none[] = { NULL };
  const char *const *a = self->text->defines != NULL ? (const char *const *) self->text->defines : none;
  const char *const *b = other->text->defines != NULL ? (const char *const *) other->text->defines : none;

  return self->maker == NULL && other->maker == NULL && g_strv_equal (a, b)
         && leat_kernel_texts_equal (self->text->texts, other->text->texts);
}

gboolean
leat_kernel_source_equal (LeatKernelSource *self, LeatKernelSource *other)
{
  return self == other
         || (self->floats == other->floats && g_str_equal (self->name, other->name)
             && g_str_equal (self->text->text, other->text->text)
             && (self->text->asks == 0 || leat_kernel_source_reads_same (self, other)));
}
