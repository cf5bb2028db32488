/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sources whose kernels come compiled, with a prototype in the words of who uses them.  Reads the file once; the driver
 * gets its bytes as they are. */

#include "leat-kernel-image-private.h"
#include "leat-kernel-source-internal-private.h"
#include "leat-suggest.h"
#include "leat-supply-private.h"

#include <string.h>
#include <xxhash.h>

#define LEAT_IMAGE_START 8192 /* bytes, in which PTX is past its first comments */

/* A kernel as it was asked for: "k(const f32 *x, f32 *y, u32 n)". */
typedef struct
{
  const char *path;
  LeatKernelImageKind kind;
  GPtrArray *entries;  /* (nullable): LeatKernelImageEntry */
  char *name, *params; /* params: (nullable): what stands between the parentheses */
} LeatImageReader;

static void
leat_image_reader_clear (LeatImageReader *self)
{
  g_clear_pointer (&self->entries, g_ptr_array_unref);
  g_free (self->name);
  g_free (self->params);
}

/* What there is, for messages: "; it has k, j". (transfer full) */
static char *
leat_image_reader_dup_list (const LeatImageReader *self)
{
  GString *text = g_string_new (NULL);

  if (self->entries == NULL)
    g_string_append (text, "; what kernels a fatbin has cannot be told: cuobjdump -elf FILE lists them");
  for (guint i = 0; self->entries != NULL && i < self->entries->len; i++)
    g_string_append_printf (text, "%s%s", i == 0 ? "; it has " : ", ",
                            ((LeatKernelImageEntry *) g_ptr_array_index (self->entries, i))->name);
  if (self->entries != NULL && self->entries->len == 0)
    g_string_append (text, "; it has no kernel at all");
  return g_string_free (text, FALSE);
}

static gboolean
leat_image_reader_split (LeatImageReader *self, const char *entry, GError **error)
{
  g_autofree char *list = leat_image_reader_dup_list (self);
  const char *open = entry != NULL ? strchr (entry, '(') : NULL;
  const char *close = open != NULL ? strrchr (entry, ')') : NULL;
  const char *first = entry;

  if (close == NULL || close[1 + strspn (close + 1, " ;")] != '\0')
    {
      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_ENTRY,
                   "%s is %s, which does not tell what its parameters are for: write the prototype, as in "
                   "entry=\"k(const f32 *x, f32 *y, u32 n)\"%s",
                   self->path, leat_kernel_image_get_title (self->kind), list);
      return FALSE;
    }
  for (const char *at = entry; at < open; at++)
    if (g_ascii_isspace (*at) && at[1 + strspn (at + 1, " \t\n")] != '(')
      first = at + 1;
  self->name = g_strstrip (g_strndup (first, open - first));
  self->params = g_strndup (open + 1, close - open - 1);
  return TRUE;
}

/* Leat's names of types become those of C, where a type can stand. */
static char *
leat_image_dup_c_types (const char *params)
{
  static const char *const names[][2] = { { "u8", "uint8_t" },   { "i8", "int8_t" },    { "u16", "uint16_t" },
                                          { "i16", "int16_t" },  { "u32", "uint32_t" }, { "i32", "int32_t" },
                                          { "u64", "uint64_t" }, { "i64", "int64_t" },  { "f32", "float" },
                                          { "f64", "double" } };
  GString *text = g_string_new (params);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *pattern = g_strdup_printf ("\\b%s\\b(?=\\s*(\\*|[A-Za-z_]))", names[i][0]);
      g_autoptr (GRegex) regex = g_regex_new (pattern, 0, 0, NULL);
      g_autofree char *changed = g_regex_replace_literal (regex, text->str, -1, 0, names[i][1], 0, NULL);

      g_string_assign (text, changed != NULL ? changed : text->str);
    }
  return g_string_free (text, FALSE);
}

/* By the name that the driver has, or by that of C++ without its types, where there is one such. */
static const LeatKernelImageEntry *
leat_image_reader_find (const LeatImageReader *self)
{
  const LeatKernelImageEntry *found = NULL;
  guint n = 0;

  for (guint i = 0; i < self->entries->len; i++)
    {
      const LeatKernelImageEntry *entry = g_ptr_array_index (self->entries, i);
      g_autofree char *plain = leat_kernel_image_dup_plain (entry->name);

      if (g_str_equal (entry->name, self->name))
        return entry;
      if (g_strcmp0 (plain, self->name) != 0)
        continue;
      found = entry;
      n++;
    }
  return n == 1 ? found : NULL;
}

static gboolean
leat_image_reader_refuse_name (const LeatImageReader *self, GError **error)
{
  g_autofree char *list = leat_image_reader_dup_list (self);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const char *near;

  for (guint i = 0; i < self->entries->len; i++)
    g_ptr_array_add (names, ((LeatKernelImageEntry *) g_ptr_array_index (self->entries, i))->name);
  g_ptr_array_add (names, NULL);
  near = leat_suggest (self->name, (const char *const *) names->pdata);
  if (near != NULL)
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_ENTRY, "%s: no kernel \"%s\" (did you mean \"%s\"?)%s",
                 self->path, self->name, near, list);
  else
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_ENTRY, "%s: no kernel \"%s\"%s", self->path, self->name,
                 list);
  return FALSE;
}

static guint
leat_image_get_param_bytes (const LeatParam *param)
{
  gboolean is_pointer =
    param->kind == LEAT_PARAM_INPUT || param->kind == LEAT_PARAM_OUTPUT || param->kind == LEAT_PARAM_OUTPUT_COUNT;

  return is_pointer ? sizeof (guint64) : (guint) param->item_bytes;
}

/* A launch with other parameters than the kernel has would read what is not there. */
static gboolean
leat_image_reader_check_params (const LeatImageReader *self, const LeatKernelImageEntry *entry,
                                const LeatPrototype *prototype, GError **error)
{
  if (!entry->tells_sizes)
    return TRUE;
  if (entry->sizes->len != prototype->n_params)
    {
      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_PROTOTYPE,
                   "%s: kernel \"%s\" has %u parameter%s, and entry= says %u: write them all, in their order",
                   self->path, entry->name, entry->sizes->len, entry->sizes->len == 1 ? "" : "s", prototype->n_params);
      return FALSE;
    }
  for (guint i = 0; i < prototype->n_params; i++)
    {
      guint has = g_array_index (entry->sizes, guint, i), says = leat_image_get_param_bytes (&prototype->params[i]);

      if (has == says)
        continue;
      g_set_error (
        error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_PROTOTYPE,
        "%s: parameter %u of kernel \"%s\" has %u bytes, and \"%s\" of entry= has %u: give it the type that it "
        "has there",
        self->path, i + 1, entry->name, has, prototype->params[i].name, says);
      return FALSE;
    }
  return TRUE;
}

/* The prototype as a text that is read like any other; a name made of the bytes tells one image from another. */
static LeatKernelSource *
leat_image_reader_make (const LeatImageReader *self, const char *symbol, GBytes *bytes, GError **error)
{
  g_autofree char *params = leat_image_dup_c_types (self->params);
  gsize size;
  const void *data = g_bytes_get_data (bytes, &size);
  g_autofree char *text =
    g_strdup_printf ("extern \"C\" __global__ void %s (%s) {}\nstruct leat_image_%016" G_GINT64_MODIFIER "x;\n", symbol,
                     params, (guint64) XXH3_64bits (data, size));
  LeatKernelSource *source = leat_kernel_source_new (self->path, text, error);

  if (source != NULL)
    source->image = g_bytes_ref (bytes);
  return source;
}

static LeatKernelSource *
leat_image_reader_read (LeatImageReader *self, GBytes *bytes, const char *entry, GError **error)
{
  g_autoptr (LeatKernelSource) source = NULL;
  const LeatKernelImageEntry *found = NULL;
  const LeatPrototype *prototype;

  if (!leat_image_reader_split (self, entry, error))
    return NULL;
  if (self->entries != NULL && (found = leat_image_reader_find (self)) == NULL)
    {
      leat_image_reader_refuse_name (self, error);
      return NULL;
    }
  source = leat_image_reader_make (self, found != NULL ? found->name : self->name, bytes, error);
  prototype = source != NULL ? leat_kernel_source_get_prototype (source, NULL, error) : NULL;
  if (prototype == NULL || (found != NULL && !leat_image_reader_check_params (self, found, prototype, error)))
    return NULL;
  return g_steal_pointer (&source);
}

/* Its first bytes, which are those of no text of CUDA C.  What cannot be read is for the reader of text to tell. */
static gboolean
leat_image_is_at (const char *path)
{
  char start[LEAT_IMAGE_START] = { 0 };
  gsize size = leat_supply_peek (path, start, sizeof start);

  return leat_kernel_image_find_kind (start, size) != LEAT_KERNEL_IMAGE_NONE;
}

/**
 * leat_kernel_source_new_from_image:
 * @path: (type filename): the path of a file
 * @entry: (nullable): a kernel of it, with its prototype: `k(const f32 *x, f32 *y, u32 n)`, in the types of Leat or C
 * @is_image: (out): whether the file is PTX, a cubin or a fatbin, by its first bytes
 * @error: return location for an error
 *
 * Reads a file of compiled kernels, which run on GPUs alone.
 *
 * The prototype is bound as that of a `.cu` file is.  The name may be that of C++ without its types.
 *
 * Returns: (transfer full) (nullable): the source; %NULL with an error, or without one where the file is none of these
 *
 * Since: 0.1
 */
LeatKernelSource *
leat_kernel_source_new_from_image (const char *path, const char *entry, gboolean *is_image, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) local = NULL;
  LeatImageReader self = { .path = path };
  LeatKernelSource *source;
  char *data;
  gsize size = 0;

  g_return_val_if_fail (path != NULL && is_image != NULL, NULL);
  *is_image = FALSE;
  if (!leat_image_is_at (path))
    return NULL;
  *is_image = TRUE;
  if (!leat_supply_get_contents (path, &data, &size, &local))
    {
      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE, "cannot read %s: %s", path, local->message);
      return NULL;
    }
  bytes = g_bytes_new_take (data, size);
  self.kind = leat_kernel_image_find_kind (data, size);
  self.entries = leat_kernel_image_list (self.kind, data, size);
  source = leat_image_reader_read (&self, bytes, entry, error);
  leat_image_reader_clear (&self);
  return source;
}

/**
 * leat_kernel_source_is_image:
 * @self: a source
 *
 * Tells whether the kernels came compiled, so that they cannot take counts from the device, be fused, or run on a CPU.
 *
 * Returns: whether they did
 *
 * Since: 0.1
 */
gboolean
leat_kernel_source_is_image (LeatKernelSource *self)
{
  g_return_val_if_fail (self != NULL, FALSE);
  return self->image != NULL;
}

GBytes *
leat_kernel_source_get_image (LeatKernelSource *self)
{
  return self->image;
}

GBytes *
leat_kernel_source_take_image (LeatKernelSource *self, gboolean is_host, gboolean is_plain, GError **error)
{
  gsize size;
  const void *data = g_bytes_get_data (self->image, &size);
  LeatKernelImageKind kind = leat_kernel_image_find_kind (data, size);

  if (is_host)
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILE,
                 "%s is %s, which runs on a GPU only: use a device such as cuda:0, or give the kernel as CUDA C "
                 "(source=FILE.cu), which runs on a CPU too",
                 self->name, leat_kernel_image_get_title (kind));
  else if (!is_plain)
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILE,
                 "%s is %s, which is taken as it is: there is no other form of it", self->name,
                 leat_kernel_image_get_title (kind));
  else
    return g_bytes_ref (self->image);
  return NULL;
}
