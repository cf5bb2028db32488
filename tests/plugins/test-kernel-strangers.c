/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"
#include "stranger.h"

#include "kernel/leat-image-private.h"
#include "kernel/leat-kernel-instance-private.h"

#include <string.h>

/* CUDA files as programs have them (strangers/): each construct in a kernel of its own, held against plain C over three
 * sizes.  `mistakes` tries each once with a mistake, which has to show, `forms` in every form that a kernel can take,
 * and `cuda` compiles each for a GPU. */

#define N_SIZES 3
#define N       1003 /* where the size is part of an image: nothing divides it */

static const Stranger *const tables[] = { strangers_programs,  strangers_templates, strangers_values,
                                          strangers_functions, strangers_threads,   strangers_headers,
                                          strangers_numbers };

static const StrangerForm plain = { "graph", LEAT_EXECUTOR_GRAPH }, eager = { "eager", LEAT_EXECUTOR_EAGER };

static void
strangers_check (const Stranger *row, const StrangerForm *form, gsize n)
{
  g_autofree char *text = stranger_dup_text (row);
  g_autoptr (GError) error = NULL;
  gboolean agrees = stranger_agrees (row, text, form, n, &error);

  g_assert_no_error (error);
  if (!agrees)
    g_error ("%s, %s, %" G_GSIZE_FORMAT " items: other results than the oracle's", row->name, form->name, n);
}

/* The last block is never full. */
static gsize
strangers_choose_size (void)
{
  gsize n = (gsize) g_test_rand_int_range (2, 3000);

  return n % 32 == 0 ? n + 1 : n;
}

static void
test_strangers (gconstpointer row)
{
  for (guint k = 0; k < N_SIZES; k++)
    strangers_check (row, &plain, strangers_choose_size ());
  strangers_check (row, &eager, strangers_choose_size ());
}

static void
test_strangers_mistake (gconstpointer data)
{
  const Stranger *row = data;
  g_autofree char *text = stranger_dup_text (row);
  g_autoptr (GString) wrong = g_string_new (text);
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (g_string_replace (wrong, row->from, row->to, 1), ==, 1);
  g_assert_false (stranger_agrees (row, wrong->str, &plain, N, &error));
  g_assert_no_error (error);
}

/* What the row's properties choose. (transfer full) (nullable) */
static char *
strangers_dup_entry (const Stranger *row)
{
  const char *at = strstr (row->properties, "entry="), *end;

  if (at == NULL)
    return NULL;
  at += strlen ("entry=");
  end = *at == '"' ? strchr (++at, '"') : at + strcspn (at, " ");
  return g_strndup (at, end - at);
}

/* NVRTC takes the kernel, where there is one. */
static void
test_strangers_cuda (gconstpointer data)
{
  const Stranger *row = data;
  g_autofree char *text = stranger_dup_text (row), *entry = strangers_dup_entry (row);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) file = leat_kernel_source_new (row->name, text, &error), source = NULL;
  g_autoptr (GBytes) image = NULL;
  LeatImageTarget target = { 0 };

  g_assert_no_error (error);
  source = entry != NULL && strchr (entry, '<') != NULL ? leat_kernel_source_new_instance (file, entry, &error)
           : leat_kernel_source_has_others (file)       ? leat_kernel_source_new_only (file, entry, &error)
                                                        : leat_kernel_source_ref (file);
  g_assert_no_error (error);
  g_assert_true (leat_image_target_parse ("sm_90", &target, &error));
  image = leat_image_compile (source, &target, &error);
  if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
    {
      g_test_skip (error->message);
      return;
    }
  g_assert_no_error (error);
  g_assert_nonnull (image);
}

/* A row in a form. */
typedef struct
{
  const Stranger *row;
  const StrangerForm *form;
} StrangerCase;

static void
test_strangers_form (gconstpointer data)
{
  const StrangerCase *it = data;
  const char *says = stranger_find_refusal (it->row, it->form);
  g_autofree char *text = stranger_dup_text (it->row);
  g_autoptr (GError) error = NULL;

  if (says == NULL || it->form->may_fuse)
    {
      strangers_check (it->row, it->form, N);
      return;
    }
  g_assert_false (stranger_agrees (it->row, text, it->form, N, &error));
  if (error == NULL || strstr (error->message, says) == NULL)
    g_error ("%s, %s: \"%s\" does not say \"%s\"", it->row->name, it->form->name, error != NULL ? error->message : "",
             says);
}

/* Several instances of one template in a pipeline. */
static void
test_strangers_instances (void)
{
  static const gint32 x[] = { 1, -2, 3 };
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "plugins", "strangers", "template.cu", NULL);
  g_autofree char *graph = g_strdup_printf ("leat 1\na = app spec=i32[3]\nb = app\n"
                                            "a -> upload -> kernel source=\"%s\" entry=\"k<int, 5>\" -> "
                                            "kernel source=\"%s\" entry=\"k<int, 7>\" -> readback -> b\n",
                                            path, path);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (graph, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GBytes) input = g_bytes_new_static (x, sizeof x), result = NULL;

  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  g_assert_true (leat_session_open (session, NULL, &error));
  g_assert_true (leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)), input, &error));
  g_assert_cmpint (leat_session_replay (session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  result = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL)), 0, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), ((gint32[]){ 35, -70, 105 }), 12);
  leat_session_close (session);
}

/* Three of one name; one of them takes two arguments. */
#define TEMPLATES                                                                                                      \
  "namespace a { template <class T> __global__ void k (const T *x, T *y) { y[0] = x[0]; }\n"                           \
  "template <class T> __global__ void k (const T *x, T *y, T by) { y[0] = by; }\n"                                     \
  "template <class T, int N> __global__ void k (const T *x, T *y) { y[0] = N; } }\n"

static const struct
{
  const char *text, *properties, *says;
} refused[] = {
  { "template <class T, int N> __global__ void k (const T *x, T *y) { y[0] = x[0]; }\nint main () { k<int, 8><<<1, "
    "1>>> (0, "
    "0); }\n",
    "", "kernel \"k\" is a template; name an instance of it, such as entry=\"k<int, 8>\"" },
  { "template <class T, int N> __global__ void k (const T *x, T *y) { y[0] = x[0]; }\n", "entry=\"k<int>\"",
    "stranger.cu:1:43: \"k<int>\" cannot be made: the template is k<T, N>, and 1 of its parameters are given" },
  { "template <class... T> __global__ void k (const int *x, int *y, T... t) { y[0] = x[0]; }\n", "entry=\"k<int>\"",
    "its template takes a pack or a template" },
  { "template <class T> __global__ void k (const T *x, T *y) { y[0] = x[0]; }\n", "entry=\"q<int>\"",
    "no template kernel \"q\"" },
  { TEMPLATES, "entry=\"k<int>\"",
    "template kernels called \"k<int>\" differ in their parameters; name one with its types, as in "
    "entry=\"a::k<int>(const int *, int *)\" (line 1), \"a::k<int>(const int *, int *, int)\" (line 2)" },
  { TEMPLATES, "entry=\"a::k<unsigned>(const unsigned *)\"",
    "no template kernel \"a::k<unsigned>\" takes (const unsigned *); there are: entry=\"a::k<unsigned>(const unsigned "
    "*, "
    "unsigned *)\" (line 1), \"" },
  { TEMPLATES, "entry=\"k<int, 4, 4>\"", "the template is k<T>, and 3 of its parameters are given" },
  { "namespace a { __global__ void k (const int *x, int *y) { y[0] = x[0]; } }\nnamespace b { __global__ void k (const "
    "int "
    "*x, int *y) { y[0] = x[0]; } }\n",
    "entry=k", "there are: a::k, b::k" },
  { "__global__ void c (int *y) {}\n__global__ void k (const int *x, int *y) { c<<<1, 1>>> (y); y[0] = x[0]; }\n",
    "entry=k", "stranger.cu:2:45: device code cannot launch kernels here; make a node of each kernel instead" },
  { "struct p { int *a; };\n__global__ void k (const int *x, int *y, p v) { y[0] = x[0]; }\n", "",
    "\"v\" has the type \"p\", which an argument cannot have" },
};

static void
test_strangers_refused (void)
{
  static const gint32 x[] = { 1, 2 };

  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      const Stranger row = { "stranger", refused[i].properties };
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) results = stranger_run (&row, refused[i].text, &plain, x, G_N_ELEMENTS (x), &error);

      g_test_message ("%s", refused[i].text);
      g_assert_null (results);
      if (strstr (error->message, refused[i].says) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, refused[i].says);
    }
}

static void
strangers_add_rows (const char *prefix, GTestDataFunc test)
{
  for (guint t = 0; t < G_N_ELEMENTS (tables); t++)
    for (const Stranger *row = tables[t]; row->name != NULL; row++)
      {
        g_autofree char *path = g_strconcat (prefix, row->name, NULL);

        g_test_add_data_func (path, row, test);
      }
}

static void
strangers_add_forms (const StrangerForm *form)
{
  for (guint t = 0; t < G_N_ELEMENTS (tables); t++)
    for (const Stranger *row = tables[t]; row->name != NULL; row++)
      {
        g_autofree char *path = g_strconcat ("/leat/strangers/", form->name, "/", row->name, NULL);
        StrangerCase *it = g_new (StrangerCase, 1);

        *it = (StrangerCase){ row, form };
        g_test_add_data_func_full (path, it, test_strangers_form, g_free);
      }
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  if (argc > 1 && g_str_equal (argv[1], "mistakes"))
    strangers_add_rows ("/leat/strangers/mistakes/", test_strangers_mistake);
  else if (argc > 1 && g_str_equal (argv[1], "cuda"))
    strangers_add_rows ("/leat/strangers/cuda/", test_strangers_cuda);
  else if (argc > 1)
    for (const StrangerForm *form = stranger_forms; form->name != NULL; form++)
      strangers_add_forms (form);
  else
    {
      strangers_add_rows ("/leat/strangers/", test_strangers);
      g_test_add_func ("/leat/strangers/instances", test_strangers_instances);
      g_test_add_func ("/leat/strangers/refused", test_strangers_refused);
    }
  status = g_test_run ();
  leat_harness_remove_files ();
  return status;
}
