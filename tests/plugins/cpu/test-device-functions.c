/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-fixture.h"
#include "functions-inputs.h"
#include "functions-recorded.h"

#include "kernel/leat-image-private.h"

#include <math.h>

/* CUDA's functions give what a GPU was seen to give (functions-record.c): those that are exact all bits, the others
 * what their bound allows. */

static gboolean
functions_row_is_recorded (const FunctionRow *row, const FunctionRecord **record)
{
  const FunctionRow *recorded = function_recorded_row (row);

  for (guint i = 0; i < G_N_ELEMENTS (function_records); i++)
    if (g_str_equal (function_records[i].name, recorded->name))
      {
        *record = &function_records[i];
        return TRUE;
      }
  return FALSE;
}

static void
functions_run (KernelFixture *fixture, const FunctionRow *row, gpointer results)
{
  static guint8 bytes[FUNCTION_ITEMS * 8];
  int n = (int) function_count (row);
  CUdeviceptr addresses[4];
  void *params[6] = { &n };
  g_autofree char *kernel = g_strconcat ("of_", row->name, NULL);
  LeatMemory *memory;

  for (guint k = 0; k < row->arity; k++)
    {
      function_fill (row, k, bytes);
      memory = kernel_fixture_put (fixture, bytes, sizeof bytes);
      addresses[k] = leat_memory_get_address (memory);
      params[1 + k] = &addresses[k];
    }
  memory = kernel_fixture_put (fixture, NULL, FUNCTION_ITEMS * 8);
  addresses[3] = leat_memory_get_address (memory);
  params[1 + row->arity] = &addresses[3];
  params[2 + row->arity] = NO_WAIT;
  kernel_fixture_run (fixture, kernel, SIZE (2), SIZE (64), 0, FALSE, params);
  kernel_fixture_get (memory, results, FUNCTION_ITEMS * 8);
}

/* Numbers as steps from 0. */
static gint64
functions_steps (const FunctionRow *row, guint64 bits)
{
  if (g_str_equal (row->result, "float"))
    return bits >> 31 ? -(gint64) (bits & 0x7fffffff) : (gint64) bits;
  return bits >> 63 ? -(gint64) (bits & G_MAXINT64) : (gint64) bits;
}

static double
functions_number (const FunctionRow *row, guint64 bits)
{
  double x;
  float narrow;
  guint32 low = (guint32) bits;

  memcpy (&x, &bits, sizeof x);
  memcpy (&narrow, &low, sizeof narrow);
  return g_str_equal (row->result, "float") ? narrow : x;
}

/* The bound is of either from the exact result, of which ours is the nearest number or the one next to it. */
static gboolean
functions_are_near (const FunctionRow *row, guint64 bits, guint64 recorded)
{
  double x = functions_number (row, bits), y = functions_number (row, recorded);

  if (bits == recorded || (x == 0 && y == 0))
    return TRUE;
  if (!isfinite (x) && !isfinite (y))
    return FALSE;
  if (row->kind == FUNCTION_CLOSE)
    return fabs (x - y) <= row->bound + fabs (y) * (g_str_equal (row->result, "float") ? 0x1p-23 : 0x1p-52);
  return ABS (functions_steps (row, bits) - functions_steps (row, recorded)) <= (gint64) row->bound + 1;
}

static char *
functions_dup_arguments (const FunctionRow *row, guint item)
{
  static guint8 bytes[FUNCTION_ITEMS * 8];
  GString *out = g_string_new (NULL);

  for (guint k = 0; k < row->arity; k++)
    {
      FunctionRow of_argument = *row;
      guint64 bits;

      of_argument.result = row->arguments[k];
      function_fill (row, k, bytes);
      bits = function_result (&of_argument, bytes, item);
      g_string_append_printf (out, "%s0x%" G_GINT64_MODIFIER "x", k > 0 ? ", " : "", bits);
      if (function_is_real (row->arguments[k]))
        g_string_append_printf (out, " = %.17g", functions_number (&of_argument, bits));
    }
  return g_string_free (out, FALSE);
}

static void
functions_check_values (const FunctionRow *row, const FunctionRecord *record, gconstpointer results)
{
  guint digits = function_size (row->result) * 2;

  g_assert_cmpuint (strlen (record->values), ==, function_count (row) * digits);
  for (guint i = 0; i < function_count (row); i++)
    {
      g_autofree char *word = g_strndup (record->values + i * digits, digits);
      guint64 recorded = g_ascii_strtoull (word, NULL, 16), bits = function_result (row, results, i);

      if (!functions_are_near (row, bits, recorded))
        {
          g_autofree char *arguments = functions_dup_arguments (row, i);

          g_test_message ("%s of %s gives %.17g (0x%" G_GINT64_MODIFIER "x), a GPU %.17g (0x%s)", row->name, arguments,
                          functions_number (row, bits), bits, functions_number (row, recorded), word);
          g_test_fail ();
        }
    }
}

static void
functions_check_file (KernelFixture *fixture, const char *file)
{
  static guint8 results[FUNCTION_ITEMS * 8];
  guint rows = 0;

  for (gsize i = 0; i < FUNCTION_ROWS; i++)
    {
      const FunctionRow *row = &function_rows[i];
      const FunctionRecord *record;

      if (!g_str_equal (row->file, file))
        continue;
      if (!functions_row_is_recorded (row, &record))
        g_error ("%s is not recorded; run functions-record.c on a GPU", row->name);
      functions_run (fixture, row, results);
      rows++;
      if (row->kind != FUNCTION_EXACT)
        functions_check_values (row, record, results);
      else if (function_hash (row, results) != record->hash)
        {
          g_test_message ("%s gives other bits than a GPU", row->name);
          g_test_fail ();
        }
    }
  g_assert_cmpuint (rows, >, 0);
}

/* All functions of one file. */
static void
test_functions (gconstpointer file)
{
  g_autoptr (KernelFixture) fixture = kernel_fixture_open (file);

  if (fixture != NULL)
    functions_check_file (fixture, file);
}

/* Functions with their rounding in their name give the same where the compiler may join products and sums. */
static void
test_functions_fast (gconstpointer file)
{
  g_autoptr (KernelFixture) fixture = kernel_fixture_open_fast (file);

  if (fixture != NULL)
    functions_check_file (fixture, file);
}

#define JOINED_ITEMS 1000
#define JOINED_CALLS 32 /* in joined.cu */

static double *
functions_dup_joined (KernelFixture *fixture, const char *kernel)
{
  double numbers[3 * JOINED_ITEMS];
  LeatMemory *memory = kernel_fixture_put (fixture, NULL, JOINED_ITEMS * JOINED_CALLS * sizeof (double));

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    numbers[i] = function_any_real ((function_mix (i) & ~G_GUINT64_CONSTANT (3)) | 1, FALSE); /* near 1 */
  KERNEL_RUN (fixture, kernel, SIZE (4), SIZE (64), 0, A (kernel_fixture_put (fixture, numbers, sizeof numbers)),
              V (int, JOINED_ITEMS), A (memory));
  return kernel_fixture_dup (memory);
}

/* A product that is an argument of theirs is rounded before, and one that they give is not taken apart. */
static void
test_functions_joined (void)
{
  g_autoptr (KernelFixture) fixture = kernel_fixture_open_fast ("joined.cu");
  g_autofree double *joined = NULL, *apart = NULL;

  if (fixture == NULL)
    return;
  joined = functions_dup_joined (fixture, "joined");
  apart = functions_dup_joined (fixture, "apart");
  for (guint i = 0; i < JOINED_ITEMS * JOINED_CALLS; i++)
    if (joined[i] != apart[i])
      g_error ("call %u of item %u gives %.17g, and %.17g is expected", i % JOINED_CALLS, i / JOINED_CALLS, joined[i],
               apart[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < FUNCTION_ROWS; i++)
    {
      const char *file = function_rows[i].file;
      g_autofree char *name = g_strndup (file + strlen ("functions-"), strlen (file) - strlen ("functions-.cu"));
      g_autofree char *path = g_strdelimit (g_strconcat ("/leat/functions/", name, NULL), "_", '-');

      if (i == 0 || !g_str_equal (file, function_rows[i - 1].file))
        g_test_add_data_func (path, file, test_functions);
    }
  g_test_add_data_func ("/leat/functions/fast/rounded", "functions-rounded.cu", test_functions_fast);
  g_test_add_data_func ("/leat/functions/fast/converted", "functions-converted.cu", test_functions_fast);
  g_test_add_func ("/leat/functions/fast/joined", test_functions_joined);
  return g_test_run ();
}
