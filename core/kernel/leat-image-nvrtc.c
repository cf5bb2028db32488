/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Images for CUDA devices, by NVRTC, which is opened when it is first needed. */

#include "leat-image-internal-private.h"
#include "leat-image-ptx-version-private.h"
#include "leat-kernel-bring-private.h"
#include "leat-kernel-source-internal-private.h"

#include "driver/leat-driver-error.h"
#include "driver/leat-toolkit-private.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct _LeatNvrtcProgram *LeatNvrtcHandle;

typedef struct
{
  int (*create) (LeatNvrtcHandle *, const char *text, const char *name, int n, const char *const *headers,
                 const char *const *names);
  int (*destroy) (LeatNvrtcHandle *);
  int (*compile) (LeatNvrtcHandle, int n, const char *const *options);
  int (*log_size) (LeatNvrtcHandle, gsize *);
  int (*log) (LeatNvrtcHandle, char *);
  int (*cubin_size) (LeatNvrtcHandle, gsize *);
  int (*cubin) (LeatNvrtcHandle, char *);
  int (*ptx_size) (LeatNvrtcHandle, gsize *);
  int (*ptx) (LeatNvrtcHandle, char *);
  const char *(*describe) (int);
  int (*version) (int *major, int *minor);
  int (*count_archs) (int *n); /* (nullable), as the next */
  int (*list_archs) (int *archs);
} LeatNvrtc;

static const struct
{
  const char *name;
  gsize offset;
  gboolean optional;
} leat_nvrtc_symbols[] = {
  { "nvrtcCreateProgram", offsetof (LeatNvrtc, create) },
  { "nvrtcDestroyProgram", offsetof (LeatNvrtc, destroy) },
  { "nvrtcCompileProgram", offsetof (LeatNvrtc, compile) },
  { "nvrtcGetProgramLogSize", offsetof (LeatNvrtc, log_size) },
  { "nvrtcGetProgramLog", offsetof (LeatNvrtc, log) },
  { "nvrtcGetCUBINSize", offsetof (LeatNvrtc, cubin_size) },
  { "nvrtcGetCUBIN", offsetof (LeatNvrtc, cubin) },
  { "nvrtcGetPTXSize", offsetof (LeatNvrtc, ptx_size) },
  { "nvrtcGetPTX", offsetof (LeatNvrtc, ptx) },
  { "nvrtcGetErrorString", offsetof (LeatNvrtc, describe) },
  { "nvrtcVersion", offsetof (LeatNvrtc, version) },
  { "nvrtcGetNumSupportedArchs", offsetof (LeatNvrtc, count_archs), TRUE },
  { "nvrtcGetSupportedArchs", offsetof (LeatNvrtc, list_archs), TRUE },
};

#define LEAT_NVRTC_VARIABLE     "LEAT_NVRTC"
#define LEAT_NVRTC_MOST_OPTIONS 16

static const char *const leat_nvrtc_names[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL };

static gboolean
leat_nvrtc_load_symbols (LeatNvrtc *self, void *library, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (leat_nvrtc_symbols); i++)
    {
      void *symbol = dlsym (library, leat_nvrtc_symbols[i].name);

      if (symbol == NULL && !leat_nvrtc_symbols[i].optional)
        {
          g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER, "this NVRTC is too old: it lacks %s",
                       leat_nvrtc_symbols[i].name);
          return FALSE;
        }
      memcpy ((char *) self + leat_nvrtc_symbols[i].offset, &symbol, sizeof symbol);
    }
  return TRUE;
}

static void
leat_nvrtc_explain_absence (GError **error)
{
  const char *given = g_getenv (LEAT_NVRTC_VARIABLE);

  if (given != NULL && *given != '\0')
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER,
                 LEAT_NVRTC_VARIABLE
                 " names \"%s\", which is not a library that loads; leave it unset to look in the usual places",
                 given);
  else
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER,
                 "compiling a kernel for a CUDA device needs NVRTC (libnvrtc.so), which is not here; install the CUDA "
                 "toolkit's NVRTC, or set CUDA_HOME to where it lies");
}

static const LeatNvrtc *
leat_nvrtc_open (GError **error)
{
  static GMutex lock;
  static LeatNvrtc table;
  static gboolean loaded;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  gpointer library;

  if (loaded)
    return &table;
  library = leat_toolkit_open_library (LEAT_NVRTC_VARIABLE, leat_nvrtc_names);
  if (library == NULL)
    {
      leat_nvrtc_explain_absence (error);
      return NULL;
    }
  loaded = leat_nvrtc_load_symbols (&table, library, error);
  return loaded ? &table : NULL;
}

static char *
leat_nvrtc_dup_facts (const char *path)
{
  struct stat info;

  return path != NULL && stat (path, &info) == 0 ? g_strdup_printf ("%s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT, path,
                                                                    (gint64) info.st_size, (gint64) info.st_mtim.tv_sec)
                                                 : NULL;
}

/* Of the toolkit's headers that @source names, " FACTS" for each; they are no part of its text. */
static char *
leat_nvrtc_dup_header_facts (LeatKernelSource *source)
{
  g_autofree char *text = leat_kernel_unit_dup_toolkit_lines (source->unit);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GString *facts = g_string_new (NULL);

  for (guint i = 0; lines[i] != NULL && *lines[i] != '\0'; i++)
    {
      const char *name = strchr (lines[i], '<') + 1;
      g_autofree char *header = g_strndup (name, strcspn (name, ">")), *folder = leat_toolkit_find_headers (header);
      g_autofree char *path = folder != NULL ? g_build_filename (folder, header, NULL) : NULL;
      g_autofree char *below = folder != NULL ? g_build_filename (folder, "cccl", header, NULL) : NULL;
      g_autofree char *fact = leat_nvrtc_dup_facts (path), *fact_below = leat_nvrtc_dup_facts (below);

      g_string_append_printf (facts, " %s", fact != NULL ? fact : fact_below != NULL ? fact_below : header);
    }
  return g_string_free (facts, FALSE);
}

/* Without a file to look at, the loader finds it by name, and the name is all we have. */
char *
leat_image_nvrtc_dup_identity (LeatKernelSource *source, GError **error)
{
  g_autofree char *path = leat_toolkit_find_library (LEAT_NVRTC_VARIABLE, leat_nvrtc_names);
  g_autofree char *facts = leat_nvrtc_dup_facts (path), *headers = leat_nvrtc_dup_header_facts (source);

  if (facts != NULL)
    return g_strconcat (facts, headers, NULL);
  if (leat_nvrtc_open (error) == NULL)
    return NULL;
  return g_strconcat ("nvrtc", headers, NULL);
}

/* `edge.cu(12): error: ...` becomes `edge.cu:12: error: ...`, as other compilers have it. */
static char *
leat_nvrtc_dup_messages (const LeatNvrtc *nvrtc, LeatNvrtcHandle program, LeatKernelSource *source)
{
  g_autoptr (GRegex) place = g_regex_new ("^(\\S[^\\n(]*)\\((\\d+)\\): ", G_REGEX_MULTILINE, 0, NULL);
  g_autofree char *log = NULL, *valid = NULL, *colons = NULL;
  gsize size = 0;

  nvrtc->log_size (program, &size);
  log = g_malloc0 (size + 1);
  nvrtc->log (program, log);
  valid = g_utf8_make_valid (log, -1);
  colons = g_regex_replace (place, valid, -1, 0, "\\1:\\2: ", 0, NULL);
  return leat_kernel_source_dup_messages (source, g_strstrip (colons), NULL);
}

static GBytes *
leat_nvrtc_take_image (const LeatNvrtc *nvrtc, LeatNvrtcHandle program, const LeatImageTarget *target)
{
  gboolean ptx = target->kind == LEAT_IMAGE_PTX;
  gsize size = 0;
  char *data;

  (ptx ? nvrtc->ptx_size : nvrtc->cubin_size) (program, &size);
  data = g_malloc0 (size + 1);
  (ptx ? nvrtc->ptx : nvrtc->cubin) (program, data);
  if (ptx)
    {
      char *lowered = leat_image_ptx_lower (data);

      g_free (data);
      return g_bytes_new_take (lowered, strlen (lowered) + 1);
    }
  return g_bytes_new_take (data, size);
}

/* The assembler knows arrays in shared memory before any device does, and says it in its own way:
 * "Entry function 'k' uses too much shared data (0x10840 bytes, 0xc000 max)". */
static gboolean
leat_nvrtc_explain_limit (const char *source, const char *messages, GError **error)
{
  g_autoptr (GRegex) told = g_regex_new (
    "Entry function '(?:leat_wrap_)?(\\w+)' uses too much shared data \\(0x([0-9a-f]+) bytes, 0x([0-9a-f]+) max\\)", 0,
    0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree char *kernel = NULL, *bytes = NULL, *most = NULL;

  if (!g_regex_match (told, messages, 0, &match))
    return FALSE;
  kernel = g_match_info_fetch (match, 1);
  bytes = g_match_info_fetch (match, 2);
  most = g_match_info_fetch (match, 3);
  g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_LAUNCH_LIMIT,
               "%s: kernel \"%s\" declares %" G_GUINT64_FORMAT
               " bytes of __shared__ memory, and a block on a GPU has at most %" G_GUINT64_FORMAT
               ": take smaller arrays, or one that the launch sizes (extern __shared__ T x[]; and shared= on the node)",
               source, kernel, g_ascii_strtoull (bytes, NULL, 16), g_ascii_strtoull (most, NULL, 16));
  return TRUE;
}

/* With --use_fast_math, which alone replaces functions, what is not asked for is switched off again. */
static guint
leat_nvrtc_add_floats (const char **options, guint n, LeatFloatFlags floats)
{
  static const struct
  {
    LeatFloatFlags flag;
    const char *with, *without;
  } rows[] = {
    { LEAT_FLOATS_CONTRACT, "--fmad=true", "--fmad=false" },
    { LEAT_FLOATS_FLUSH, "--ftz=true", "--ftz=false" },
    { LEAT_FLOATS_DIV, "--prec-div=false", "--prec-div=true" },
    { LEAT_FLOATS_SQRT, "--prec-sqrt=false", "--prec-sqrt=true" },
  };

  if (floats & LEAT_FLOATS_INTRINSICS)
    options[n++] = "--use_fast_math";
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    options[n++] = floats & rows[i].flag ? rows[i].with : rows[i].without;
  return n;
}

static const char *
leat_nvrtc_get_substitute (const char *header)
{
  if (g_str_equal (header, "cuComplex.h"))
    return "; <leat-complex.h> needs none";
  return g_str_has_prefix (header, "cuda_") ? "; <leat-numbers.h> needs none" : "";
}

/* The toolkit's headers that @text begins with (leat-kernel-bring.c): where they lie, as an option, and where they have
 * those that they include themselves.  FALSE where one is missing. */
static gboolean
leat_nvrtc_find_headers (LeatKernelSource *source, const char *text, GPtrArray *options, GError **error)
{
  static const char begin[] = "#include <";

  for (; g_str_has_prefix (text, begin); text = strchr (text, '\n') + 1)
    {
      const char *name = text + strlen (begin);
      g_autofree char *header = g_strndup (name, strcspn (name, ">"));
      g_autofree char *folder = leat_toolkit_find_headers (header);

      if (folder == NULL)
        {
          g_set_error (
            error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER,
            "%s includes <%s>, which on a GPU is the CUDA toolkit's, and no toolkit here has it; install its "
            "headers, or set CUDA_HOME to the folder in which its folder \"include\" lies%s",
            leat_kernel_source_get_name (source), header, leat_nvrtc_get_substitute (header));
          return FALSE;
        }
      if (options->len == 0)
        {
          g_ptr_array_add (options, g_strconcat ("--include-path=", folder, NULL));
          g_ptr_array_add (options, g_strconcat ("--include-path=", folder, "/cccl", NULL));
        }
    }
  return TRUE;
}

/* From 12.9 on NVRTC keeps images itself, by a key that knows nothing of --ftz: asked for fp=flush, 13.0 gives what it
 * made for fp=strict before. */
static gboolean
leat_nvrtc_has_cache (const LeatNvrtc *nvrtc)
{
  int major = 0, minor = 0;

  return nvrtc->version (&major, &minor) == 0 && (major > 12 || (major == 12 && minor >= 9));
}

static GBytes *
leat_nvrtc_build (const LeatNvrtc *nvrtc, LeatNvrtcHandle program, LeatKernelSource *source, GPtrArray *headers,
                  const LeatImageTarget *target, GError **error)
{
  g_autofree char *name = leat_image_target_to_string (target), *messages = NULL, *passed = NULL;
  g_autofree char *arch = g_strdup_printf ("--gpu-architecture=%s", name);
  const char *options[LEAT_NVRTC_MOST_OPTIONS] = { arch, "--std=c++17", "--device-as-default-execution-space",
                                                   "--disable-warnings", "--device-int128" };
  guint n = leat_nvrtc_add_floats (options, 5, leat_kernel_source_get_floats (source));
  int code;

  for (guint i = 0; i < headers->len; i++)
    options[n++] = g_ptr_array_index (headers, i);
  if (leat_nvrtc_has_cache (nvrtc))
    options[n++] = "--no-cache";
  code = nvrtc->compile (program, (int) n, options);

  if (code == 0)
    return leat_nvrtc_take_image (nvrtc, program, target);
  passed = leat_kernel_source_dup_passed (source);
  messages = leat_nvrtc_dup_messages (nvrtc, program, source);
  if (!leat_nvrtc_explain_limit (leat_kernel_source_get_name (source), messages, error))
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILE, "%s does not compile for %s (%s):\n%s%s",
                 leat_kernel_source_get_name (source), name, nvrtc->describe (code), messages, passed);
  return NULL;
}

/* The expression "-x" as a name would be taken for an option. */
static int
leat_nvrtc_create (const LeatNvrtc *nvrtc, LeatNvrtcHandle *program, const char *text, const char *name)
{
  g_autofree char *path = g_strconcat (name[0] == '-' ? "./" : "", name, NULL);

  return nvrtc->create (program, text, path, 0, NULL, NULL);
}

GArray *
leat_image_nvrtc_list_capabilities (void)
{
  const LeatNvrtc *nvrtc = leat_nvrtc_open (NULL);
  GArray *capabilities = g_array_new (FALSE, TRUE, sizeof (guint));
  int n = 0;

  if (nvrtc == NULL || nvrtc->count_archs == NULL || nvrtc->list_archs == NULL || nvrtc->count_archs (&n) != 0
      || n <= 0)
    return capabilities;
  g_array_set_size (capabilities, (guint) n);
  if (nvrtc->list_archs ((int *) (gpointer) capabilities->data) != 0)
    g_array_set_size (capabilities, 0);
  return capabilities;
}

/* A GPU that this NVRTC does not know yet gets PTX of the newest that it knows, which the driver finishes. */
static LeatImageTarget
leat_nvrtc_limit (const LeatImageTarget *target)
{
  static guint said;
  g_autoptr (GArray) known = leat_image_nvrtc_list_capabilities ();
  guint newest = known->len > 0 ? g_array_index (known, guint, known->len - 1) : G_MAXUINT;
  LeatImageTarget made = *target;

  if (target->capability <= newest || target->kind != LEAT_IMAGE_CUBIN)
    return made;
  made.kind = LEAT_IMAGE_PTX;
  made.capability = newest;
  if (g_atomic_int_add (&said, 1) == 0)
    g_message ("this NVRTC knows no GPU of compute capability %u.%u: kernels are compiled for %u.%u, and the driver "
               "finishes them; a newer CUDA toolkit does better",
               target->capability / 10, target->capability % 10, newest / 10, newest % 10);
  return made;
}

GBytes *
leat_image_nvrtc_compile (LeatKernelSource *source, const LeatImageTarget *asked, GError **error)
{
  const LeatNvrtc *nvrtc = leat_nvrtc_open (error);
  const LeatImageTarget made = leat_nvrtc_limit (asked), *target = &made;
  LeatNvrtcHandle program = NULL;
  g_autoptr (GPtrArray) headers = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = NULL;
  GBytes *image;
  int code;

  source = nvrtc != NULL ? leat_image_target_get_source (target, source, error) : NULL;
  text = source != NULL ? leat_image_dup_text (source, target, error) : NULL;
  if (text == NULL || !leat_nvrtc_find_headers (source, text, headers, error))
    return NULL;
  code = leat_nvrtc_create (nvrtc, &program, text, leat_kernel_source_get_name (source));
  if (code != 0)
    {
      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_FAILED, "nvrtcCreateProgram for %s: %s",
                   leat_kernel_source_get_name (source), nvrtc->describe (code));
      return NULL;
    }
  image = leat_nvrtc_build (nvrtc, program, source, headers, target, error);
  nvrtc->destroy (&program);
  return image;
}
