/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* leat-kernelc: compiles a kernel file as libleat would when it is needed, for plugins to ship the image. */

#include "leat-kernelc-pack.h"

#include "kernel/leat-image-internal-private.h"

#include <locale.h>

typedef struct
{
  char *target;
  char *output, *pack;
  gboolean fast, apart, list;
  char *fp;
  char **files;
} LeatKernelc;

static gboolean
leat_kernelc_run (LeatKernelc *self, GError **error)
{
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new_from_file (self->files[0], error);
  g_autoptr (GBytes) image = NULL, sealed = NULL;
  g_autofree char *name = NULL, *path = NULL;
  LeatImageTarget target;
  LeatImageKey key;
  LeatFloatFlags floats;

  if (source == NULL || !leat_image_target_parse (self->target, &target, error)
      || !leat_float_flags_parse (self->fp != NULL ? self->fp
                                  : self->fast     ? "fast"
                                                   : "strict",
                                  &floats, error))
    return FALSE;
  leat_kernel_source_set_floats (source, floats);
  target.enclosed = self->apart && target.kind != LEAT_IMAGE_HOST;
  image = leat_image_compile (source, &target, error);
  if (image == NULL)
    return FALSE;
  leat_image_make_key (source, &target, NULL, &key);
  sealed = leat_image_store_seal (&key, image);
  name = leat_image_dup_shipped_name (self->files[0], &target);
  path = self->output != NULL ? g_build_filename (self->output, name, NULL) : g_steal_pointer (&name);
  return g_file_set_contents (path, g_bytes_get_data (sealed, NULL), g_bytes_get_size (sealed), error);
}

static gboolean
leat_kernelc_parse (LeatKernelc *self, int *argc, char ***argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "target", 't', 0, G_OPTION_ARG_STRING, &self->target,
      "Target: x86-64, x86-64-v3, x86-64-v4, compute_NN or sm_NN; of a pack, several with commas between", "TARGET" },
    { "pack", 0, 0, G_OPTION_ARG_FILENAME, &self->pack,
      "Write a pack of images to FILE: for the kernels of the pipelines that the list in the argument has", "FILE" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &self->output, "Write the image to FOLDER instead of the current folder",
      "FOLDER" },
    { "list", 'l', 0, G_OPTION_ARG_NONE, &self->list, "Only print what a pack for such a list would have", NULL },
    { "fast", 0, 0, G_OPTION_ARG_NONE, &self->fast, "Compile for fp=fast; without it, the image is for fp=strict",
      NULL },
    { "apart", 0, 0, G_OPTION_ARG_NONE, &self->apart, "Compile for a plan in which no kernel depends on another",
      NULL },
    { "fp", 0, 0, G_OPTION_ARG_STRING, &self->fp, "Compile for fp=LIST, as the node has it", "LIST" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->files, NULL, "FILE" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("- compile a kernel file into an image that ships");

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, argc, argv, error))
    return FALSE;
  if (self->target != NULL && self->files != NULL && g_strv_length (self->files) == 1)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
               "expected --target=TARGET and one file; leat-kernelc --help tells more");
  return FALSE;
}

int
main (int argc, char **argv)
{
  LeatKernelc self = { NULL };
  g_autoptr (GError) error = NULL;
  int code = 0;

  setlocale (LC_ALL, "");
  if (!leat_kernelc_parse (&self, &argc, &argv, &error))
    code = 2;
  else if (!(self.pack != NULL || self.list ? leat_kernelc_pack (self.pack, self.target, self.files[0], &error)
                                            : leat_kernelc_run (&self, &error)))
    code = error->domain == LEAT_KERNEL_ERROR ? 5 : 1;
  if (code != 0)
    g_printerr ("leat-kernelc: %s\n", error->message);
  g_free (self.target);
  g_free (self.output);
  g_free (self.pack);
  g_free (self.fp);
  g_strfreev (self.files);
  return code;
}
