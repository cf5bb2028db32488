/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel/leat-kernel-source-private.h"

#include <string.h>
#include <time.h>

/* Files with many names: each is found without a look at all others, and what is found is what one would find among
 * few. */

#define NAMED_MOST_SECONDS 12 /* of the processor, where less than 4 do; each row once took 15 and more */

typedef struct
{
  const char *name;
  guint n;
  void (*append) (GString *text, guint i, guint n);
  const char *rest; /* behind all */
  guint n_entries, n_templates;
  const char *has, *lacks; /* the text for a GPU; lacks: (nullable) */
} NamedRow;

/* Five pointers to one of seven types each. */
static void
named_append_overload (GString *text, guint i, guint n)
{
  static const char *const types[] = { "float", "int", "double", "char", "short", "long", "unsigned" };

  g_string_append (text, "__global__ void k (");
  for (guint p = 0; p < 5; p++, i /= 7)
    g_string_append_printf (text, "const %s *x%u, ", types[i % 7], p);
  g_string_append (text, "float *y) { y[0] = 1; }\n");
}

/* The operator of the last type stands first, so that a pass over the file reaches one more. */
static void
named_append_operator (GString *text, guint i, guint n)
{
  i = n - i;
  g_string_append_printf (text, "struct T%u { int a; };\nT%u operator+ (T%u a, int b) { T%u c; c.a = b; return a; }\n",
                          i, i, i, i - 1);
}

static void
named_append_kernel (GString *text, guint i, guint n)
{
  g_string_append_printf (text, "__global__ void k%u (const float *x, float *y) { y[0] = x[0]; }\n", i);
}

static void
named_append_inner_kernel (GString *text, guint i, guint n)
{
  g_string_append_printf (text, "namespace a { __global__ void k%u (const float *x, float *y) { y[0] = x[0]; } }\n", i);
}

static void
named_append_variable (GString *text, guint i, guint n)
{
  g_string_append_printf (text, "__device__ int v%u;\n", i);
}

static void
named_append_template (GString *text, guint i, guint n)
{
  g_string_append_printf (text, "template <class T> __global__ void k%u (const T *x, T *y) { y[0] = x[0]; }\n", i);
}

static void
named_append_type (GString *text, guint i, guint n)
{
  g_string_append_printf (text, "typedef float t%u;\n__global__ void k%u (const t%u *x, t%u *y) { y[0] = x[0]; }\n", i,
                          i, i, i);
}

static const NamedRow named_rows[] = {
  { "overloads", 4000, named_append_overload, "", 4000, 0, "k__takes_const_floatP_const_floatP", NULL },
  { "operators", 4000, named_append_operator, "__global__ void k (const T4000 *x, float *y) { y[0] = (x[0] + 1).a; }\n",
    1, 0, "T1 operator+", NULL },
  { "operators-not-reached", 4000, named_append_operator,
    "__global__ void k (const T2000 *x, float *y) { y[0] = (x[0] + 1).a; }\n", 1, 0, "T1 operator+",
    "T2001 operator+" },
  { "kernels", 16000, named_append_kernel, "", 16000, 0, "k15999", NULL },
  { "inner-kernels", 4000, named_append_inner_kernel, "", 4000, 0, "a__k3999", NULL },
  { "variables", 16000, named_append_variable, "__global__ void k (float *y) { y[0] = 1; }\n", 1, 0, "v15999", NULL },
  { "templates", 16000, named_append_template, "__global__ void k (float *y) { y[0] = 1; }\n", 1, 16000, "k", NULL },
  { "types", 12000, named_append_type, "", 12000, 0, "k11999", NULL },
};

/* What a template is asked for by its name alone. */
static void
named_check_templates (LeatKernelSource *source, const NamedRow *row)
{
  g_auto (GStrv) templates = leat_kernel_source_list_templates (source);

  g_assert_cmpuint (g_strv_length (templates), ==, row->n_templates);
  for (guint i = 0; templates[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *says =
        g_strdup_printf (":%u:36: kernel \"%s\" is a template; name an instance of it, such as entry=\"%s<float>\"",
                         i + 1, templates[i], templates[i]);

      g_assert_null (leat_kernel_source_get_prototype (source, templates[i], &error));
      g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_ENTRY);
      if (strstr (error->message, says) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, says);
    }
}

/* All that leat-inspect asks for. */
static void
named_check (LeatKernelSource *source, const NamedRow *row)
{
  g_auto (GStrv) entries = leat_kernel_source_list_entries (source);

  g_assert_cmpuint (g_strv_length (entries), ==, row->n_entries);
  for (guint i = 0; entries[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      const LeatPrototype *prototype = leat_kernel_source_get_prototype (source, entries[i], &error);

      g_assert_no_error (error);
      g_assert_cmpstr (prototype->entry, ==, entries[i]);
      g_assert_true (row->n_entries == 1 || i == 0 || prototype->line > i);
    }
  named_check_templates (source, row);
  g_assert_null (leat_kernel_source_list_warnings (source)[0]);
}

static void
test_kernel_named_many (gconstpointer data)
{
  const NamedRow *row = data;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (LeatKernelSource) source = NULL;
  g_autoptr (GError) error = NULL;
  clock_t began = clock ();
  const char *made;

  for (guint i = 0; i < row->n; i++)
    row->append (text, i, row->n);
  g_string_append (text, row->rest);
  source = leat_kernel_source_new ("t.cu", text->str, &error);
  g_assert_no_error (error);
  named_check (source, row);
  g_assert_cmpint ((clock () - began) / CLOCKS_PER_SEC, <, NAMED_MOST_SECONDS);
  if (row->n > 4000) /* to write the text goes through all for each */
    return;
  made = leat_kernel_source_get_cuda_text (source, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (made, row->has));
  g_assert_true (row->lacks == NULL || strstr (made, row->lacks) == NULL);
}

/* A name is found with its namespaces, without all of them and without the outer ones. */
static void
test_kernel_named_spaces (void)
{
  static const char *const names[] = { "a::b::k",          "b::k",      "k",           "a__b__k",
                                       "a::b::o(float *)", "o(f32 *y)", "b::o(int *)", NULL };
  static const char *const others[] = { "b", "a::k", "c::k", "::k", "b::", "a::b::k::k", "o", "o(double *)", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new (
    "t.cu",
    "namespace a { namespace b { __global__ void k (float *y) {} __global__ void o (float *y) {} "
    "__global__ void o (int *y) {} } }",
    &error);

  g_assert_no_error (error);
  for (guint i = 0; names[i] != NULL; i++)
    if (leat_kernel_source_get_prototype (source, names[i], &error) == NULL)
      g_error ("%s: %s", names[i], error->message);
  for (guint i = 0; others[i] != NULL; i++)
    g_assert_null (leat_kernel_source_get_prototype (source, others[i], NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (named_rows); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/kernel/named/many/", named_rows[i].name, NULL);

      g_test_add_data_func (path, &named_rows[i], test_kernel_named_many);
    }
  g_test_add_func ("/leat/kernel/named/spaces", test_kernel_named_spaces);
  return g_test_run ();
}
