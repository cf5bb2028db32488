/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* --dump-code: the generated text of each program of a plan, one file each, with #line marks that lead to the files
 * that it was made of. */

#include "leat-code.h"

#include "kernel/leat-image-private.h"
#include "kernel/leat-kernel-source-private.h"
#include "plan/leat-plan-private.h"

#include <errno.h>
#include <string.h>

/* Kernels of one source are one program. */
typedef struct
{
  LeatKernelSource *source; /* not owned */
  char *name;               /* of its files, without what tells the device */
  GPtrArray *kernels;       /* char*: `near of kernel "w"` */
} LeatCodeProgram;

typedef struct
{
  const char *folder;
  guint capability;
  GPtrArray *programs; /* LeatCodeProgram */
  GString *index;
} LeatCode;

static void
leat_code_program_free (LeatCodeProgram *self)
{
  g_free (self->name);
  g_ptr_array_unref (self->kernels);
  g_free (self);
}

static LeatCodeProgram *
leat_code_find (LeatCode *self, LeatKernelSource *source)
{
  for (guint i = 0; i < self->programs->len; i++)
    {
      LeatCodeProgram *program = self->programs->pdata[i];

      if (leat_kernel_source_equal (program->source, source))
        return program;
    }
  return NULL;
}

static gboolean
leat_code_has_name (LeatCode *self, const char *name)
{
  for (guint i = 0; i < self->programs->len; i++)
    if (g_str_equal (((LeatCodeProgram *) self->programs->pdata[i])->name, name))
      return TRUE;
  return FALSE;
}

/* "NODE-ENTRY", where that is no other's; an entry may be that of a template, `scale<float>`. */
static char *
leat_code_dup_name (LeatCode *self, const LeatOp *op)
{
  g_autofree char *symbol = leat_image_dup_plain_symbol (op->prototype->entry);
  g_autofree char *name = g_strdup_printf ("%s-%s", leat_node_get_name (op->node), symbol);

  for (guint i = 2; leat_code_has_name (self, name); i++)
    {
      g_free (name);
      name = g_strdup_printf ("%s-%s-%u", leat_node_get_name (op->node), symbol, i);
    }
  return g_steal_pointer (&name);
}

static void
leat_code_add_op (LeatCode *self, const LeatOp *op)
{
  LeatCodeProgram *program = leat_code_find (self, op->source);
  char *kernel;

  if (program == NULL)
    {
      program = g_new0 (LeatCodeProgram, 1);
      program->source = op->source;
      program->name = leat_code_dup_name (self, op);
      program->kernels = g_ptr_array_new_with_free_func (g_free);
      g_ptr_array_add (self->programs, program);
    }
  if (op->fusion != NULL)
    kernel = g_strdup_printf ("%s, which is %s", op->prototype->entry, op->fusion->kernels);
  else
    kernel = g_strdup_printf ("%s of %s \"%s\"", op->prototype->entry, leat_node_get_id (op->node),
                              leat_node_get_name (op->node));
  if (g_ptr_array_find_with_equal_func (program->kernels, kernel, g_str_equal, NULL))
    g_free (kernel);
  else
    g_ptr_array_add (program->kernels, kernel);
}

/* What is folded is a plan of its own, which is done once. */
static void
leat_code_add_plan (LeatCode *self, LeatPlan *plan)
{
  for (guint i = 0; i < plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (plan, i);

      if (op->kind == LEAT_OP_KERNEL)
        leat_code_add_op (self, op);
    }
  if (plan->folded != NULL)
    leat_code_add_plan (self, plan->folded);
}

/* A line of the index. @file: what was written, or "-" and why */
static void
leat_code_note (LeatCode *self, const LeatCodeProgram *program, const char *file, const char *device, const char *from)
{
  g_autofree char *kernels = NULL;

  g_ptr_array_add (program->kernels, NULL);
  kernels = g_strjoinv ("; ", (char **) program->kernels->pdata);
  g_ptr_array_set_size (program->kernels, (gint) program->kernels->len - 1);
  g_string_append_printf (self->index, "%s\t%s\t%s\t%s\n", file, device, kernels, from);
}

/* The files that its text is made of; none of one that the library itself wrote. */
static char *
leat_code_dup_files (LeatKernelSource *source)
{
  const LeatKernelText *text = leat_kernel_source_get_text (source);
  g_autoptr (GPtrArray) files = g_ptr_array_new ();

  for (guint i = 0; i < text->files->len; i++)
    if (g_file_test (text->files->pdata[i], G_FILE_TEST_IS_REGULAR))
      g_ptr_array_add (files, text->files->pdata[i]);
  g_ptr_array_add (files, NULL);
  return files->len > 1 ? g_strjoinv (", ", (char **) files->pdata) : g_strdup ("-");
}

/* A text that cannot be made is told of in the index: the other device may be all that is wanted. */
static gboolean
leat_code_write_text (LeatCode *self, const LeatCodeProgram *program, const char *target, const char *ending,
                      GError **error)
{
  LeatImageTarget parsed = { 0 };
  g_autofree char *text = NULL, *marked = NULL, *name = NULL, *path = NULL, *files = NULL;
  g_autoptr (GError) fault = NULL;

  if (!leat_image_target_parse (target, &parsed, error))
    return FALSE;
  parsed.whole = parsed.kind == LEAT_IMAGE_HOST && leat_image_host_runs_variants ()
                 && leat_kernel_source_has_variants (program->source);
  text = leat_image_dup_text (program->source, &parsed, &fault);
  if (text == NULL)
    {
      g_strdelimit (fault->message, "\t\n", ' ');
      leat_code_note (self, program, "-", target, fault->message);
      return TRUE;
    }
  marked = leat_kernel_text_dup_marked (leat_kernel_source_get_text (program->source), text);
  name = g_strconcat (program->name, ending, NULL);
  path = g_build_filename (self->folder, name, NULL);
  files = leat_code_dup_files (program->source);
  leat_code_note (self, program, name, target, files);
  return g_file_set_contents (path, marked, -1, error);
}

static gboolean
leat_code_write_program (LeatCode *self, const LeatCodeProgram *program, GError **error)
{
  g_autofree char *gpu = g_strdup_printf ("sm_%u", self->capability), *why = NULL;

  if (leat_kernel_source_is_image (program->source))
    {
      why = g_strdup_printf ("%s came compiled: it has no text", leat_kernel_source_get_name (program->source));
      leat_code_note (self, program, "-", "-", why);
      return TRUE;
    }
  return leat_code_write_text (self, program, "host", ".cpp", error)
         && leat_code_write_text (self, program, gpu, ".cu", error);
}

gboolean
leat_code_write (LeatPlan *plan, const char *folder, guint capability, GError **error)
{
  g_autoptr (GPtrArray) programs = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_code_program_free);
  g_autoptr (GString) index = g_string_new ("file\tdevice\tkernels\tmade of\n");
  LeatCode self = { folder, capability, programs, index };
  g_autofree char *path = g_build_filename (folder, "index.tsv", NULL);

  if (g_mkdir_with_parents (folder, 0777) != 0)
    {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "--dump-code: cannot make the folder %s: %s",
                   folder, g_strerror (errno));
      return FALSE;
    }
  leat_code_add_plan (&self, plan);
  for (guint i = 0; i < programs->len; i++)
    if (!leat_code_write_program (&self, programs->pdata[i], error))
      {
        g_prefix_error (error, "--dump-code: ");
        return FALSE;
      }
  if (g_file_set_contents (path, index->str, -1, error))
    return TRUE;
  g_prefix_error (error, "--dump-code: ");
  return FALSE;
}
