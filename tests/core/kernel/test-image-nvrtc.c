/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "image-child.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include <utime.h>

/* What is asked of NVRTC, and what is made of its answers, with a library that only plays one: what it was given is
 * what it gives.  NVRTC_FAILS says what goes wrong. */

static const char nvrtc_text[] =
  "#include <cstdlib>\n#include <cstring>\n#include <string>\n"
  "struct Program { std::string text, image, log; };\n"
  "static bool fails (const char *what) { const char *s = getenv (\"NVRTC_FAILS\"); return s && !strcmp (s, what); }\n"
  "extern \"C\" {\n"
  "int nvrtcCreateProgram (Program **p, const char *text, const char *name, int n, const char **, const char **)\n"
  "{\n  if (fails (\"create\")) return 5;\n  *p = new Program; (*p)->text = std::string (name) + \"\\n\" + text;\n"
  "  return n;\n}\n"
  "int nvrtcDestroyProgram (Program **p) { delete *p; *p = nullptr; return 0; }\n"
  "int nvrtcCompileProgram (Program *p, int n, const char *const *options)\n"
  "{\n  for (int i = 0; i < n; i++) p->image += std::string (options[i]) + \"\\n\";\n"
  "  p->image += p->text;\n"
  "  if (fails (\"compile\")) p->log = \"kernel.cu(12): error: no such thing (3): x\\n\\nother.h(7): warning: "
  "odd\\n\";\n"
  "  if (fails (\"limit\")) p->log = \"ptxas error : Entry function 'leat_wrap_f' uses too much shared data (0x1a0b0 "
  "\"\n"
  "    \"bytes, 0xc000 max)\\n\";\n"
  "  if (fails (\"bytes\")) p->log = \"\\xff is no text\";\n"
  "  return p->log.empty () ? 0 : 6;\n}\n"
  "int nvrtcGetProgramLogSize (Program *p, size_t *n) { *n = p->log.size () + 1; return 0; }\n"
  "int nvrtcGetProgramLog (Program *p, char *to) { strcpy (to, p->log.c_str ()); return 0; }\n"
  "int nvrtcGetCUBINSize (Program *p, size_t *n) { *n = p->image.size () + 6; return 0; }\n"
  "int nvrtcGetCUBIN (Program *p, char *to) { memcpy (to, (\"cubin\\n\" + p->image).data (), p->image.size () + 6); "
  "return 0; }\n"
  "int nvrtcGetPTXSize (Program *p, size_t *n) { *n = p->image.size () + 4; return 0; }\n"
  "#ifndef OLD\n"
  "int nvrtcGetPTX (Program *p, char *to) { memcpy (to, (\"ptx\\n\" + p->image).data (), p->image.size () + 4); return "
  "0; }\n"
  "#endif\n"
  "#ifdef KNOWS\n"
  "int nvrtcGetNumSupportedArchs (int *n) { *n = 3; return 0; }\n"
  "int nvrtcGetSupportedArchs (int *archs) { archs[0] = 75; archs[1] = 80; archs[2] = 89; return 0; }\n"
  "#endif\n"
  "int nvrtcVersion (int *major, int *minor) { *major = 12; *minor = 0; return 0; }\n"
  "const char *nvrtcGetErrorString (int code) { return code == 5 ? \"NVRTC_FIVE\" : code == 6 ? \"NVRTC_SIX\" : "
  "\"NVRTC_OTHER\"; }\n"
  "}\n";

/* Compiles the library, and has the case use it. */
static gboolean
nvrtc_init (ImageCase *self, const char *define)
{
  g_autofree char *text = NULL, *library = NULL;
  g_autoptr (GSubprocess) child = NULL;
  g_autoptr (GError) error = NULL;

  if (!image_case_init (self))
    return FALSE;
  image_case_write (self, "nvrtc.cc", nvrtc_text);
  text = image_case_dup_path (self, "nvrtc.cc");
  library = image_case_dup_path (self, "libplayed.so");
  child =
    g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, &error, "c++", define, "-shared", "-fPIC", "-o", library, text, NULL);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_wait_check (child, NULL, &error));
  g_assert_no_error (error);
  image_case_set (self, "LEAT_NVRTC", library);
  self->target = "sm_90";
  return TRUE;
}

/* The image is kept as long as the library is the same: another size or time is another NVRTC. */
static void
test_image_nvrtc_is_kept (void)
{
  g_autofree char *library = NULL, *link = NULL;
  ImageCase c;
  FILE *file;

  if (!nvrtc_init (&c, "-DNEW"))
    return;
  library = image_case_dup_path (&c, "libplayed.so");
  link = image_case_dup_path (&c, "libother.so");
  g_assert_cmpint (utime (library, &(struct utimbuf){ 2000000, 2000000 }), ==, 0);
  image_case_expect (&c, 0, 0, 1, 0);
  image_case_expect (&c, 0, 1, 0, 0);
  g_assert_cmpint (utime (library, &(struct utimbuf){ 1000000, 1000000 }), ==, 0);
  image_case_expect (&c, 0, 0, 1, 0);
  image_case_expect (&c, 0, 1, 0, 0);
  file = g_fopen (library, "a");
  g_assert_cmpint (fputc ('\n', file), ==, '\n');
  fclose (file);
  g_assert_cmpint (utime (library, &(struct utimbuf){ 1000000, 1000000 }), ==, 0);
  image_case_expect (&c, 0, 0, 1, 0);
  /* By another name, it is the same. */
  g_assert_cmpint (symlink (library, link), ==, 0);
  image_case_set (&c, "LEAT_NVRTC", link);
  image_case_expect (&c, 0, 1, 0, 0);
  c.fast = TRUE;
  image_case_expect (&c, 0, 0, 1, 0);
  c.target = "compute_90";
  image_case_expect (&c, 0, 0, 1, 0);
  image_case_clear (&c);
}

/* What is asked for is what the image says of itself here. */
static void
test_image_nvrtc_is_asked (void)
{
  static const struct
  {
    const char *target, *head;
    gboolean fast;
    const char *fp, *floats;
  } rows[] = {
    { "sm_90", "cubin\n--gpu-architecture=sm_90\n", FALSE, NULL,
      "--fmad=false\n--ftz=false\n--prec-div=true\n--prec-sqrt=true\n" },
    { "sm_90", "cubin\n--gpu-architecture=sm_90\n", TRUE, NULL,
      "--fmad=true\n--ftz=false\n--prec-div=true\n--prec-sqrt=true\n" },
    { "compute_75", "ptx\n--gpu-architecture=compute_75\n", FALSE, NULL, "\n--fmad=false\n" },
    { "sm_90", "cubin\n--gpu-architecture=sm_90\n", TRUE, "flush,contract",
      "--fmad=true\n--ftz=true\n--prec-div=true\n--prec-sqrt=true\n" },
    { "sm_90", "cubin\n--gpu-architecture=sm_90\n", FALSE, "div,sqrt",
      "--fmad=false\n--ftz=false\n--prec-div=false\n--prec-sqrt=false\n" },
    { "sm_90", "cubin\n--gpu-architecture=sm_90\n", FALSE, "intrinsics",
      "--use_fast_math\n--fmad=false\n--ftz=false\n--prec-div=true\n--prec-sqrt=true\n" },
    { "sm_90", "cubin\n--gpu-architecture=sm_90\n", TRUE, "all",
      "--use_fast_math\n--fmad=true\n--ftz=true\n--prec-div=false\n--prec-sqrt=false\n" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *entry = NULL, *image = NULL;
      const char *at;
      gsize size, begin;
      ImageCase c;

      if (!nvrtc_init (&c, "-DNEW"))
        return;
      c.target = rows[i].target;
      c.fast = rows[i].fast;
      c.fp = rows[i].fp;
      image_case_expect (&c, 0, 0, 1, 0);
      entry = image_case_dup_entry (&c);
      g_assert_true (g_file_get_contents (entry, &image, &size, NULL));
      for (begin = 0; begin < size && !g_str_has_prefix (image + begin, rows[i].head);)
        begin++;
      at = image + begin;
      g_assert_cmpuint (begin, <, size);
      g_assert_nonnull (strstr (at, rows[i].fast ? "\n--fmad=true\n" : "\n--fmad=false\n"));
      g_assert_nonnull (strstr (at, rows[i].floats));
      g_assert_cmpint (strstr (at, "--use_fast_math") != NULL, ==,
                       rows[i].fp != NULL && strstr (rows[i].floats, "use") != NULL);
      g_assert_nonnull (strstr (at, "\n--std=c++17\n"));
      g_assert_nonnull (strstr (at, "kernel.cu\n"));
      g_assert_nonnull (strstr (at, "leat_wrap_f"));
      image_case_clear (&c);
    }
}

/* A header of the toolkit stands before all else, and NVRTC is told where it lies. */
static void
test_image_nvrtc_includes (void)
{
  g_autofree char *folder = NULL, *header = NULL, *entry = NULL, *image = NULL, *option = NULL;
  const char *at = NULL;
  gsize size;
  ImageCase c;

  if (!nvrtc_init (&c, "-DNEW"))
    return;
  folder = image_case_dup_path (&c, "include");
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  header = g_build_filename (folder, "cuda_fp16.h", NULL);
  g_assert_true (g_file_set_contents (header, "", -1, NULL));
  image_case_set (&c, "CUDA_HOME", c.folder);
  image_case_write (&c, "kernel.cu", "#include <cuda_fp16.h>\n" IMAGE_TEXT);
  image_case_expect (&c, 0, 0, 1, 0);
  entry = image_case_dup_entry (&c);
  g_assert_true (g_file_get_contents (entry, &image, &size, NULL));
  option = g_strdup_printf ("\n--include-path=%s\n", folder);
  for (gsize begin = 0; begin < size && at == NULL; begin++)
    at = g_str_has_prefix (image + begin, option) ? image + begin : NULL;
  g_assert_nonnull (at);
  g_assert_nonnull (strstr (at, "kernel.cu\n#include <cuda_fp16.h>\n"));
  /* It is kept for as long as the header is the same. */
  image_case_expect (&c, 0, 1, 0, 0);
  g_assert_true (g_file_set_contents (header, "//", -1, NULL));
  image_case_expect (&c, 0, 0, 1, 0);
  g_assert_cmpint (g_remove (header), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  image_case_clear (&c);
}

static void
test_image_nvrtc_lacks_headers (void)
{
  static const char *const places[] = { "/usr/local/cuda/include/cuda_fp8.h", "/opt/cuda/include/cuda_fp8.h",
                                        "/usr/include/cuda_fp8.h" };
  g_auto (ImageResult) result = { 0 };
  ImageCase c;

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    if (g_file_test (places[i], G_FILE_TEST_EXISTS))
      {
        g_test_skip ("a CUDA toolkit here has the header");
        return;
      }
  if (!nvrtc_init (&c, "-DNEW"))
    return;
  image_case_set (&c, "CUDA_HOME", "/proc/none");
  image_case_write (&c, "kernel.cu", "#include <cuda_fp8.h>\n" IMAGE_TEXT);
  image_case_get (&c, &result);
  g_assert_null (result.digest);
  g_assert_nonnull (strstr (result.errors, "includes <cuda_fp8.h>, which on a GPU is the CUDA toolkit's"));
  g_assert_nonnull (strstr (result.errors, "set CUDA_HOME"));
  image_case_clear (&c);
}

/* What was made says whether it was asked for by its own name, or is PTX of the newest that is known. */
static void
test_image_nvrtc_is_older (void)
{
  static const struct
  {
    const char *define, *target, *head;
    gboolean told;
  } rows[] = {
    { "-DKNOWS", "sm_90", "ptx\n--gpu-architecture=compute_89\n", TRUE },
    { "-DKNOWS", "sm_86", "cubin\n--gpu-architecture=sm_86\n", FALSE },
    { "-DKNOWS", "compute_90", "ptx\n--gpu-architecture=compute_90\n", FALSE },
    { "-DNEW", "sm_90", "cubin\n--gpu-architecture=sm_90\n", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *entry = NULL, *image = NULL;
      g_auto (ImageResult) result = { 0 };
      gsize size;
      ImageCase c;

      if (!nvrtc_init (&c, rows[i].define))
        return;
      c.target = rows[i].target;
      image_case_get (&c, &result);
      g_assert_cmpuint (result.counts.compiled, ==, 1);
      g_assert_cmpint (strstr (result.errors, "knows no GPU of compute capability 9.0: kernels are compiled for 8.9")
                         != NULL,
                       ==, rows[i].told);
      entry = image_case_dup_entry (&c);
      g_assert_true (g_file_get_contents (entry, &image, &size, NULL));
      g_assert_nonnull (memmem (image, size, rows[i].head, strlen (rows[i].head)));
      image_case_clear (&c);
    }
}

static void
test_image_nvrtc_fails (void)
{
  static const struct
  {
    const char *define, *fails, *says[3];
  } rows[] = {
    { "-DNEW", "create", { "nvrtcCreateProgram for ", "kernel.cu: NVRTC_FIVE" } },
    { "-DNEW",
      "compile",
      { "kernel.cu does not compile for sm_90 (NVRTC_SIX):\n", "kernel.cu:12: error: no such thing (3): x\n",
        "other.h:7: warning: odd" } },
    { "-DNEW", "limit", { "kernel \"f\" declares 106672 bytes of __shared__ memory", "at most 49152: take smaller" } },
    { "-DNEW", "bytes", { "does not compile for sm_90 (NVRTC_SIX):\n", " is no text\n" } },
    { "-DOLD", "nothing", { "this NVRTC is too old: it lacks nvrtcGetPTX" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (ImageResult) result = { 0 };
      ImageCase c;

      if (!nvrtc_init (&c, rows[i].define))
        return;
      image_case_set (&c, "NVRTC_FAILS", rows[i].fails);
      image_case_get (&c, &result);
      g_assert_null (result.digest);
      for (guint k = 0; k < G_N_ELEMENTS (rows[i].says) && rows[i].says[k] != NULL; k++)
        if (strstr (result.errors, rows[i].says[k]) == NULL)
          g_error ("expected \"%s\" in: %s", rows[i].says[k], result.errors);
      image_case_clear (&c);
    }
}

int
main (int argc, char **argv)
{
  image_child_check (argc, argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/image/nvrtc/is-kept", test_image_nvrtc_is_kept);
  g_test_add_func ("/leat/image/nvrtc/includes", test_image_nvrtc_includes);
  g_test_add_func ("/leat/image/nvrtc/lacks-headers", test_image_nvrtc_lacks_headers);
  g_test_add_func ("/leat/image/nvrtc/is-asked", test_image_nvrtc_is_asked);
  g_test_add_func ("/leat/image/nvrtc/is-older", test_image_nvrtc_is_older);
  g_test_add_func ("/leat/image/nvrtc/fails", test_image_nvrtc_fails);
  return g_test_run ();
}
