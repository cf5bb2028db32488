/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel/leat-image-private.h"
#include "kernel/leat-kernel-image-private.h"
#include "kernel/leat-kernel-source-private.h"

#include <elf.h>
#include <glib/gstdio.h>
#include <string.h>

/* Files of compiled kernels: what is in them, and the prototypes that are given for them. */

static const char ptx[] = "// made by hand: .entry no (\n/* .entry no2 ( */\n.version 7.0\n.target sm_70\n"
                          ".address_size 64\n.func help (.param .b32 a) { ret; }\n"
                          ".visible .entry scale(\n\t.param .u64 scale_param_0,\n\t.param .u64 .ptr .align 4 scale_1,\n"
                          "\t.param .u32 n, // how many )\n\t.param .f32 by\n)\n{\n\tret;\n}\n"
                          ".entry _Z5twicePKfPf (.param .u64 a, .param .u64 b) { ret; }\n"
                          ".weak .entry none() { ret; }\n"
                          ".visible .entry blob(.param .align 8 .b8 all[24], .param .s16 k) { ret; }\n";

static char *
list_entries (LeatKernelImageKind kind, gconstpointer data, gsize size)
{
  g_autoptr (GPtrArray) entries = leat_kernel_image_list (kind, data, size);
  GString *text = g_string_new (NULL);

  for (guint i = 0; entries != NULL && i < entries->len; i++)
    {
      const LeatKernelImageEntry *entry = g_ptr_array_index (entries, i);

      g_string_append_printf (text, "%s%s", i > 0 ? " " : "", entry->name);
      for (guint k = 0; k < entry->sizes->len; k++)
        g_string_append_printf (text, ",%u", g_array_index (entry->sizes, guint, k));
    }
  return g_string_free (text, FALSE);
}

static void
test_kernel_image_kind (void)
{
  static const struct
  {
    const char *text;
    gsize size;
    LeatKernelImageKind kind;
  } rows[] = {
    { ptx, sizeof ptx - 1, LEAT_KERNEL_IMAGE_PTX },
    { ".version 8.0\n", 13, LEAT_KERNEL_IMAGE_PTX },
    { "\n\n  .version", 12, LEAT_KERNEL_IMAGE_PTX },
    { "\177ELF\2\1", 6, LEAT_KERNEL_IMAGE_CUBIN },
    { "\x50\xed\x55\xba\1", 5, LEAT_KERNEL_IMAGE_FATBIN },
    { "", 0, LEAT_KERNEL_IMAGE_NONE },
    { "\177EL", 3, LEAT_KERNEL_IMAGE_NONE },
    { ".versio", 7, LEAT_KERNEL_IMAGE_NONE },
    { "// .version 8.0", 15, LEAT_KERNEL_IMAGE_NONE },
    { "/* .version", 11, LEAT_KERNEL_IMAGE_NONE },
    { "__global__ void f (int *x) {}\n.version", 38, LEAT_KERNEL_IMAGE_NONE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      /* Exactly so many bytes, and none behind. */
      g_autofree char *data = g_memdup2 (rows[i].text, MAX (rows[i].size, 1));

      g_assert_cmpint (leat_kernel_image_find_kind (data, rows[i].size), ==, rows[i].kind);
    }
}

static void
test_kernel_image_ptx (void)
{
  g_autofree char *all = list_entries (LEAT_KERNEL_IMAGE_PTX, ptx, sizeof ptx - 1);
  g_autoptr (GPtrArray) entries = leat_kernel_image_list (LEAT_KERNEL_IMAGE_PTX, ptx, sizeof ptx - 1);

  g_assert_cmpstr (all, ==, "scale,8,8,4,4 _Z5twicePKfPf,8,8 none blob,24,2");
  for (guint i = 0; i < entries->len; i++)
    g_assert_true (((LeatKernelImageEntry *) g_ptr_array_index (entries, i))->tells_sizes);
  /* Ends anywhere. */
  for (gsize size = 0; size < sizeof ptx; size++)
    {
      g_autofree char *data = g_memdup2 (ptx, size + 1), *some = list_entries (LEAT_KERNEL_IMAGE_PTX, data, size);

      g_assert_true (size == 0 || *some == '\0' || g_str_has_prefix (some, "s"));
    }
}

/* Each part of the text is read once, however many lists of parameters do not end. */
static void
test_kernel_image_ptx_unclosed (void)
{
  g_autoptr (GString) text = g_string_new (".version 8.0\n");
  g_autoptr (GPtrArray) entries = NULL;

  for (guint i = 0; i < 50000; i++)
    g_string_append (text, ".entry a(.param ");
  entries = leat_kernel_image_list (LEAT_KERNEL_IMAGE_PTX, text->str, text->len);
  g_assert_cmpuint (entries->len, ==, 1);
  g_assert_cmpuint (((LeatKernelImageEntry *) g_ptr_array_index (entries, 0))->sizes->len, ==, 50000);
}

static void
test_kernel_image_plain (void)
{
  static const char *const rows[][2] = { { "_Z5twicePKfPf", "twice" },
                                         { "_Z1kv", "k" },
                                         { "scale", NULL },
                                         { "_Z", NULL },
                                         { "_Z5twic", NULL },
                                         { "_ZN1a1bEv", NULL },
                                         { "_Z99999999999999999999k", NULL } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *plain = leat_kernel_image_dup_plain (rows[i][0]);

      g_assert_cmpstr (plain, ==, rows[i][1]);
    }
}

/* A cubin with two kernels and a function, as far as its symbols go. */
static GByteArray *
make_cubin (void)
{
  static const char names[] = "\0first\0help\0second";
  Elf64_Ehdr head = { .e_shoff = sizeof head, .e_shentsize = sizeof (Elf64_Shdr), .e_shnum = 3 };
  Elf64_Sym symbols[4] = { { 0 },
                           { .st_name = 1, .st_info = ELF64_ST_INFO (STB_GLOBAL, STT_FUNC), .st_other = 0x10 },
                           { .st_name = 7, .st_info = ELF64_ST_INFO (STB_GLOBAL, STT_FUNC) },
                           { .st_name = 12, .st_info = ELF64_ST_INFO (STB_GLOBAL, STT_FUNC), .st_other = 0x10 } };
  guint64 at = sizeof head + 3 * sizeof (Elf64_Shdr);
  Elf64_Shdr sections[3] = {
    { 0 },
    { .sh_type = SHT_SYMTAB,
      .sh_offset = at,
      .sh_size = sizeof symbols,
      .sh_link = 2,
      .sh_entsize = sizeof symbols[0] },
    { .sh_type = SHT_STRTAB, .sh_offset = at + sizeof symbols, .sh_size = sizeof names },
  };
  GByteArray *bytes = g_byte_array_new ();

  memcpy (head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  g_byte_array_append (bytes, (const guint8 *) &head, sizeof head);
  g_byte_array_append (bytes, (const guint8 *) sections, sizeof sections);
  g_byte_array_append (bytes, (const guint8 *) symbols, sizeof symbols);
  g_byte_array_append (bytes, (const guint8 *) names, sizeof names);
  return bytes;
}

static void
test_kernel_image_cubin (void)
{
  g_autoptr (GByteArray) cubin = make_cubin ();
  g_autofree char *all = list_entries (LEAT_KERNEL_IMAGE_CUBIN, cubin->data, cubin->len);

  g_assert_cmpstr (all, ==, "first second");
  for (guint size = 0; size < cubin->len; size++)
    {
      g_autofree guint8 *data = g_memdup2 (cubin->data, MAX (size, 1));
      g_autofree char *some = list_entries (LEAT_KERNEL_IMAGE_CUBIN, data, size);

      g_assert_cmpstr (some, ==, "");
    }
}

/* Bytes that are wrong lead to no byte outside of the image. */
static void
test_kernel_image_damaged (void)
{
  static const guint8 values[] = { 0, 1, 0x7f, 0x80, 0xff };
  g_autoptr (GByteArray) cubin = make_cubin ();

  for (guint at = 0; at < cubin->len; at++)
    for (guint v = 0; v < G_N_ELEMENTS (values); v++)
      {
        g_autofree guint8 *data = g_memdup2 (cubin->data, cubin->len);
        g_autofree char *some = NULL;

        data[at] = values[v];
        some = list_entries (LEAT_KERNEL_IMAGE_CUBIN, data, cubin->len);
        g_assert_nonnull (some);
      }
}

typedef struct
{
  char *folder, *path;
} ImageFile;

static void
image_file_write (ImageFile *self, const char *name, gconstpointer data, gsize size)
{
  g_autoptr (GError) error = NULL;

  self->folder = g_dir_make_tmp ("leat-image-XXXXXX", NULL);
  self->path = g_build_filename (self->folder, name, NULL);
  g_file_set_contents (self->path, data, (gssize) size, &error);
  g_assert_no_error (error);
}

static void
image_file_clear (ImageFile *self)
{
  g_unlink (self->path);
  g_rmdir (self->folder);
  g_free (self->path);
  g_free (self->folder);
}

static void
test_kernel_image_prototype (void)
{
  static const struct
  {
    const char *entry, *symbol, *kinds;
  } rows[] = {
    { "scale(const f32 *x, f32 *y, u32 n, f32 by)", "scale", "io-- x:f32 y:f32 n:u32 by:f32" },
    { "scale (const float *x, float *y, unsigned int n, float by)", "scale", "io-- x:f32 y:f32 n:u32 by:f32" },
    { "__global__ void scale(const u8 *x, i16 *y, u32 x_count, f32 f32)", "scale",
      "ioc- x:u8 y:i16 x_count:u32 f32:f32" },
    { "extern \"C\" __global__ void scale(const u64*x,f64*y,i32 x_dim0,f32 by);", "scale",
      "iod- x:u64 y:f64 x_dim0:i32 by:f32" },
    { "twice(const f32 *x, f32 *y)", "_Z5twicePKfPf", "io x:f32 y:f32" },
    { "_Z5twicePKfPf(const f32 *x, f32 *y)", "_Z5twicePKfPf", "io x:f32 y:f32" },
    { "twice(f32 *y, u64 *y_count)", "_Z5twicePKfPf", "oC y:f32 y_count:u64" },
    { "twice(const f16 *x, bf16 *y)", "_Z5twicePKfPf", "io x:f16 y:bf16" },
    { "twice(const f8e4m3 *x, f8e5m2 *y)", "_Z5twicePKfPf", "io x:f8e4m3 y:f8e5m2" },
    { "twice(const c64 *x, c128 *y)", "_Z5twicePKfPf", "io x:c64 y:c128" },
    { "twice(const __half *x, bool *y)", "_Z5twicePKfPf", "io x:f16 y:bool" },
  };
  ImageFile file;

  image_file_write (&file, "k.cu", ptx, sizeof ptx - 1); /* its name says nothing */
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      gboolean is_image = FALSE;
      g_autoptr (LeatKernelSource) source =
        leat_kernel_source_new_from_image (file.path, rows[i].entry, &is_image, &error);
      g_autoptr (GString) kinds = g_string_new (NULL), names = g_string_new (NULL);
      const LeatPrototype *prototype;

      g_assert_no_error (error);
      g_assert_true (is_image && leat_kernel_source_is_image (source));
      g_assert_cmpuint (g_bytes_get_size (leat_kernel_source_get_image (source)), ==, sizeof ptx - 1);
      prototype = leat_kernel_source_get_prototype (source, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpstr (prototype->entry, ==, rows[i].symbol);
      for (guint k = 0; k < prototype->n_params; k++)
        {
          g_string_append_c (kinds, "io-cCrdq"[prototype->params[k].kind]);
          g_string_append_printf (names, " %s:%s", prototype->params[k].name, prototype->params[k].dtype);
        }
      g_string_append (kinds, names->str);
      g_assert_cmpstr (kinds->str, ==, rows[i].kinds);
    }
  image_file_clear (&file);
}

static void
test_kernel_image_refuses (void)
{
  static const struct
  {
    const char *entry, *says;
  } rows[] = {
    { NULL,
      "is PTX, which does not tell what its parameters are for: write the prototype, as in entry=\"k(const f32 *x, "
      "f32 *y, u32 n)\"; it has scale, _Z5twicePKfPf, none, blob" },
    { "scale", "write the prototype" },
    { "scale(const f32 *x", "write the prototype" },
    { "scale(const f32 *x) more", "write the prototype" },
    { "scal(const f32 *x, f32 *y, u32 n, f32 by)", "no kernel \"scal\" (did you mean \"scale\"?); it has scale, " },
    { "other(f32 *y)", "no kernel \"other\"; it has scale, _Z5twicePKfPf, none, blob" },
    { "scale(const f32 *x, f32 *y, u32 n)", "kernel \"scale\" has 4 parameters, and entry= says 3" },
    { "twice(f32 *y)", "kernel \"_Z5twicePKfPf\" has 2 parameters, and entry= says 1" },
    { "scale(const f32 *x, f32 *y, u64 n, f32 by)",
      "parameter 3 of kernel \"scale\" has 4 bytes, and \"n\" of entry= has 8" },
    { "scale(const f32 *x, f32 *y, u32 n, f64 by)",
      "parameter 4 of kernel \"scale\" has 4 bytes, and \"by\" of entry= has 8" },
    { "scale(const f32 *x, f32 *y, nothing n, f32 by)", "nothing" },
    { "blob(f32 *y, i16 k)", "parameter 1 of kernel \"blob\" has 24 bytes" },
  };
  ImageFile file;

  image_file_write (&file, "k.ptx", ptx, sizeof ptx - 1);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      gboolean is_image = FALSE;

      g_assert_null (leat_kernel_source_new_from_image (file.path, rows[i].entry, &is_image, &error));
      g_assert_true (is_image);
      g_assert_nonnull (error);
      g_test_message ("%s", error->message);
      if (strstr (error->message, rows[i].says) == NULL)
        g_error ("%s: \"%s\" does not say \"%s\"", rows[i].entry, error->message, rows[i].says);
    }
  image_file_clear (&file);
}

/* No list, no check of sizes: the name is taken as it is. */
static void
test_kernel_image_fatbin (void)
{
  static const char fatbin[] = "\x50\xed\x55\xba and so on";
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = NULL;
  gboolean is_image = FALSE;
  ImageFile file;

  image_file_write (&file, "k.fatbin", fatbin, sizeof fatbin);
  g_assert_null (leat_kernel_source_new_from_image (file.path, "k", &is_image, &error));
  g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_ENTRY);
  g_assert_nonnull (strstr (error->message, "what kernels a fatbin has cannot be told: cuobjdump"));
  g_clear_error (&error);
  source = leat_kernel_source_new_from_image (file.path, "k(f32 *y)", &is_image, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (leat_kernel_source_get_prototype (source, NULL, NULL)->entry, ==, "k");
  image_file_clear (&file);
}

/* Other files are for the reader of text, whatever is wrong with them. */
static void
test_kernel_image_text (void)
{
  static const char text[] = "__global__ void k (float *y) { y[0] = 1; }\n";
  const char *const paths[] = { "/proc/nonexistent/k.ptx", "/proc", "/dev/null" };
  g_autoptr (GError) error = NULL;
  gboolean is_image = TRUE;
  ImageFile file;

  image_file_write (&file, "k.ptx", text, sizeof text - 1);
  g_assert_null (leat_kernel_source_new_from_image (file.path, "k", &is_image, &error));
  g_assert_no_error (error);
  g_assert_false (is_image);
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      is_image = TRUE;
      g_assert_null (leat_kernel_source_new_from_image (paths[i], "k", &is_image, &error));
      g_assert_no_error (error);
      g_assert_false (is_image);
    }
  image_file_clear (&file);
}

/* The bytes go to a GPU as they are, in no other form, and to no CPU. */
static void
test_kernel_image_target (void)
{
  const LeatImageTarget gpu = { LEAT_IMAGE_CUBIN, "", 90 }, cpu = { LEAT_IMAGE_HOST, "native", 0 };
  const LeatImageTarget timed = { LEAT_IMAGE_CUBIN, "", 90, .timed = TRUE },
                        wide = { LEAT_IMAGE_CUBIN, "", 90, .wide = TRUE };
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = NULL;
  g_autoptr (GBytes) image = NULL;
  gboolean is_image, loops;
  g_autofree char *why = NULL;
  ImageFile file;
  guint stage;

  image_file_write (&file, "k.ptx", ptx, sizeof ptx - 1);
  source = leat_kernel_source_new_from_image (file.path, "twice(const f32 *x, f32 *y)", &is_image, &error);
  g_assert_no_error (error);
  image = leat_image_get (source, &gpu, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (image, NULL), g_bytes_get_size (image), ptx, sizeof ptx - 1);
  g_assert_null (leat_image_get (source, &timed, NULL));
  g_assert_null (leat_image_get (source, &wide, NULL));
  g_assert_null (leat_image_get (source, &cpu, &error));
  g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILE);
  g_assert_nonnull (strstr (error->message,
                            "is PTX, which runs on a GPU only: use a device such as cuda:0, or give the "
                            "kernel as CUDA C"));
  g_assert_nonnull (leat_kernel_source_why_not_wide (source, "_Z5twicePKfPf"));
  g_assert_nonnull (leat_kernel_source_why_no_stage (source, "_Z5twicePKfPf", &stage));
  why = leat_kernel_source_dup_why_one_block (source, "_Z5twicePKfPf", &loops);
  g_assert_nonnull (strstr (why, "came compiled"));
  image_file_clear (&file);
}

/* What nvcc makes is read as it is meant. */
static void
test_kernel_image_nvcc (void)
{
  static const char *const kinds[] = { "-ptx", "-cubin", "-fatbin" };
  static const char text[] =
    "extern \"C\" __global__ void scale (const float *x, float *y, unsigned n) { y[n] = x[0]; }\n"
    "__device__ __noinline__ float help (float v) { return v * 3; }\n"
    "__global__ void twice (const float *x, float *y) { y[0] = help (x[0]); }\n";
  g_autofree char *nvcc = g_find_program_in_path ("nvcc"), *out = NULL;
  ImageFile file;

  if (nvcc == NULL)
    {
      g_test_skip ("no nvcc here");
      return;
    }
  image_file_write (&file, "k.cu", text, sizeof text - 1);
  out = g_build_filename (file.folder, "k.out", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GSubprocess) child = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE, &error, nvcc, kinds[i],
                                                        "-arch=sm_90", "-o", out, file.path, NULL);
      g_autofree char *data = NULL, *all = NULL;
      LeatKernelImageKind kind;
      gsize size = 0;

      g_assert_no_error (error);
      if (!g_subprocess_wait_check (child, NULL, NULL))
        {
          g_test_skip ("this nvcc compiles nothing for sm_90");
          break;
        }
      g_assert_true (g_file_get_contents (out, &data, &size, NULL));
      kind = leat_kernel_image_find_kind (data, size);
      g_assert_cmpint (kind, ==, LEAT_KERNEL_IMAGE_PTX + i);
      all = list_entries (kind, data, size);
      if (i < 2)
        {
          g_assert_nonnull (strstr (all, i == 0 ? "scale,8,8,4" : "scale"));
          g_assert_nonnull (strstr (all, i == 0 ? "_Z5twicePKfPf,8,8" : "_Z5twicePKfPf"));
          g_assert_null (strstr (all, "help"));
        }
      g_unlink (out);
    }
  image_file_clear (&file);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/image/kind", test_kernel_image_kind);
  g_test_add_func ("/leat/kernel/image/ptx", test_kernel_image_ptx);
  g_test_add_func ("/leat/kernel/image/ptx-unclosed", test_kernel_image_ptx_unclosed);
  g_test_add_func ("/leat/kernel/image/plain", test_kernel_image_plain);
  g_test_add_func ("/leat/kernel/image/cubin", test_kernel_image_cubin);
  g_test_add_func ("/leat/kernel/image/damaged", test_kernel_image_damaged);
  g_test_add_func ("/leat/kernel/image/prototype", test_kernel_image_prototype);
  g_test_add_func ("/leat/kernel/image/refuses", test_kernel_image_refuses);
  g_test_add_func ("/leat/kernel/image/fatbin", test_kernel_image_fatbin);
  g_test_add_func ("/leat/kernel/image/text", test_kernel_image_text);
  g_test_add_func ("/leat/kernel/image/target", test_kernel_image_target);
  g_test_add_func ("/leat/kernel/image/nvcc", test_kernel_image_nvcc);
  return g_test_run ();
}
