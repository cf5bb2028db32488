/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-fixture.h"
#include "kernel/leat-image-private.h"
#include "values-inputs.h"
#include "values-recorded.h"

#include <math.h>
#include <string.h>

/* What C++ leaves open and a GPU defines has one value on every device: in the part of an array that becomes vector
 * code, in its rest, and alone.  Held against the rules as they are written down here, and against what a GPU was seen
 * to do. */

/* Vector code of any width, and a rest. */
#define VALUES_ITEMS 67
#define VALUES_MOST  10

typedef struct
{
  const char *name;
  guint size;
  gboolean is_signed;
} ValuesType;

static const ValuesType values_types[] = {
  { "int8_t", 1, TRUE },  { "uint8_t", 1, FALSE },  { "int16_t", 2, TRUE }, { "uint16_t", 2, FALSE },
  { "int32_t", 4, TRUE }, { "uint32_t", 4, FALSE }, { "int64_t", 8, TRUE }, { "uint64_t", 8, FALSE },
};

/* @bits as a number of the type, extended to 64 bits. */
static guint64
values_fit (const ValuesType *type, guint64 bits)
{
  guint unused = 64 - 8 * type->size;

  if (type->is_signed)
    return (guint64) ((gint64) (bits << unused) >> unused);
  return bits << unused >> unused;
}

/* NULL, with the test skipped, where it is the compiler's what they are. */
static KernelFixture *
values_open (void)
{
  g_autoptr (KernelFixture) fixture = kernel_fixture_open ("values.cu");
  g_autoptr (GError) open = leat_image_host_check_values ();

  if (fixture == NULL || !leat_device_is_cpu (fixture->device))
    return g_steal_pointer (&fixture);
  if (open == NULL && (g_getenv ("LEAT_KERNEL_SANITIZE") == NULL || *g_getenv ("LEAT_KERNEL_SANITIZE") == '\0'))
    return g_steal_pointer (&fixture);
  g_test_skip (open != NULL ? open->message : "a sanitizer stops at what is left open");
  return NULL;
}

/* A kernel with some inputs and outputs, all of whose items are alike. */
typedef struct
{
  KernelFixture *fixture;
  const char *kernel;
  guint n_inputs, n_outputs;
  const ValuesType *inputs[3], *outputs[VALUES_MOST]; /* NULL: of floating point, @size_of_input bytes each */
  guint size_of_input;
} ValuesKernel;

/* Runs the kernel over VALUES_ITEMS items and over one; every item must give the same, which goes to @results. */
static void
values_run (const ValuesKernel *self, const guint64 *inputs, guint64 *results)
{
  for (int n = VALUES_ITEMS; n > 0; n -= VALUES_ITEMS - 1)
    {
      CUdeviceptr addresses[3 + VALUES_MOST];
      LeatMemory *memories[3 + VALUES_MOST];
      void *params[1 + 3 + VALUES_MOST + 1] = { &n };
      guint8 bytes[VALUES_ITEMS * 8];

      for (guint k = 0; k < self->n_inputs + self->n_outputs; k++)
        {
          guint size = k < self->n_inputs ? self->inputs[k] != NULL ? self->inputs[k]->size : self->size_of_input : 8;

          memset (bytes, 0, sizeof bytes);
          for (int i = 0; i < n && k < self->n_inputs; i++)
            memcpy (bytes + i * size, &inputs[k], size);
          memories[k] = kernel_fixture_put (self->fixture, bytes, sizeof bytes);
          addresses[k] = leat_memory_get_address (memories[k]);
          params[1 + k] = &addresses[k];
        }
      params[1 + self->n_inputs + self->n_outputs] = NO_WAIT;
      kernel_fixture_run (self->fixture, self->kernel, SIZE (1), SIZE (1), 0, FALSE, params);
      for (guint k = 0; k < self->n_outputs; k++)
        {
          kernel_fixture_get (memories[self->n_inputs + k], bytes, sizeof bytes);
          for (int i = 0; i < n; i++)
            {
              guint64 bits = 0;

              memcpy (&bits, bytes + i * self->outputs[k]->size, self->outputs[k]->size);
              bits = values_fit (self->outputs[k], bits);
              if (i > 0 || n == 1)
                g_assert_cmphex (bits, ==, results[k]);
              results[k] = bits;
            }
        }
    }
}

/* The rules. */

/* To 32 bits at least, to the nearest number of the type; the lower bits of that. */
static guint64
values_convert (double x, gboolean from_double, const ValuesType *type)
{
  guint bits = type->size == 8 ? 64 : 32;
  double end = ldexp (1, type->is_signed ? bits - 1 : bits);
  guint64 all;

  if (x != x)
    all = from_double || bits == 64 ? G_GUINT64_CONSTANT (1) << (bits - 1) : 0;
  else if (x >= end)
    all = (type->is_signed ? G_MAXINT64 : G_MAXUINT64) >> (64 - bits);
  else if (type->is_signed && x <= -end)
    all = G_GUINT64_CONSTANT (1) << (bits - 1);
  else if (x <= 0 && !type->is_signed)
    all = 0;
  else if (type->is_signed)
    all = (guint64) (gint64) x;
  else
    all = (guint64) x;
  return values_fit (type, all);
}

/* One place after the other; @amount is the lower 32 bits of what is asked for. */
static guint64
values_shift (guint64 x, guint64 amount, const ValuesType *type, gboolean left)
{
  guint32 places = (guint32) amount;

  for (guint i = 0; i < MIN (places, 64); i++)
    if (left)
      x = values_fit (type, x * 2);
    else if (type->is_signed && (gint64) x < 0)
      x = ~(~x / 2);
    else
      x /= 2;
  return x;
}

/* By zero: all bits of those with which it is done: 64 where there are more than 32, 16 of numbers that have no more
 * and no sign, else 32. */
static guint64
values_divide (guint64 x, guint64 y, const ValuesType *operands, const ValuesType *type, gboolean rest)
{
  guint64 size_x, size_y, result;

  if (y == 0)
    return values_fit (type, operands->size < 4 && !operands->is_signed ? G_MAXUINT16
                             : type->size == 8 && x <= G_MAXUINT32      ? G_MAXUINT32
                                                                        : G_MAXUINT64);
  size_x = type->is_signed && (gint64) x < 0 ? -x : x;
  size_y = type->is_signed && (gint64) y < 0 ? -y : y;
  result = rest ? size_x % size_y : size_x / size_y;
  if (type->is_signed && (rest ? (gint64) x < 0 : ((gint64) x < 0) != ((gint64) y < 0)))
    result = -result;
  return values_fit (type, result);
}

/* The tests. */

static void
test_values_convert (gconstpointer kernel)
{
  g_autoptr (KernelFixture) fixture = values_open ();
  gboolean from_double = strstr (kernel, "f64") != NULL;
  ValuesKernel run = { fixture, kernel, 1, 8, { NULL }, { NULL }, from_double ? 8 : 4 };
  guint64 results[VALUES_MOST], bits = 0;

  for (guint k = 0; k < 8; k++)
    run.outputs[k] = &values_types[k];
  for (int i = 0; fixture != NULL && i < (from_double ? VALUES_N (values_f64) : VALUES_N (values_f32)); i++)
    {
      double x = from_double ? values_f64[i] : values_f32[i];

      memcpy (&bits, from_double ? (const void *) &values_f64[i] : &values_f32[i], run.size_of_input);
      values_run (&run, &bits, results);
      g_assert_cmphex ((from_double ? recorded_convert_f64 : recorded_convert_f32)[i][0], ==, bits);
      for (guint k = 0; k < 8; k++)
        {
          if (results[k] != values_convert (x, from_double, &values_types[k]))
            g_error ("%s of %.17g to %s: 0x%" G_GINT64_MODIFIER "x, and 0x%" G_GINT64_MODIFIER "x is expected",
                     (const char *) kernel, x, values_types[k].name, results[k],
                     values_convert (x, from_double, &values_types[k]));
          g_assert_cmphex (results[k], ==, (from_double ? recorded_convert_f64 : recorded_convert_f32)[i][1 + k]);
        }
    }
}

/* In values_types: those of the outputs. */
static const guint values_rounded[] = { 4, 4, 5, 6, 7, 6, 6, 6, 6, 4 };

static guint64
values_round (double x, gboolean from_double, guint output)
{
  const ValuesType *type = &values_types[values_rounded[output]];

  switch (output)
    {
    case 1:
    case 5:
    case 6:
      return values_convert (rint (x), from_double, type);
    case 7:
    case 8:
      return values_convert (round (x), from_double, type);
    case 9:
      return values_fit (type, (guint64) ilogb (x));
    default:
      return values_convert (x, from_double, type);
    }
}

/* CUDA's names for conversions, and those of C that end in one. */
static void
test_values_round (gconstpointer kernel)
{
  g_autoptr (KernelFixture) fixture = values_open ();
  gboolean from_double = strstr (kernel, "f64") != NULL;
  ValuesKernel run = { fixture, kernel, 1, 10, { NULL }, { NULL }, from_double ? 8 : 4 };
  guint64 results[VALUES_MOST], bits = 0;

  for (guint k = 0; k < 10; k++)
    run.outputs[k] = &values_types[values_rounded[k]];
  for (int i = 0; fixture != NULL && i < (from_double ? VALUES_N (values_f64) : VALUES_N (values_f32)); i++)
    {
      double x = from_double ? values_f64[i] : values_f32[i];

      memcpy (&bits, from_double ? (const void *) &values_f64[i] : &values_f32[i], run.size_of_input);
      values_run (&run, &bits, results);
      for (guint k = 0; k < 10; k++)
        {
          if (results[k] != values_round (x, from_double, k))
            g_error ("output %u of %s of %.17g: 0x%" G_GINT64_MODIFIER "x, and 0x%" G_GINT64_MODIFIER "x is expected",
                     k, (const char *) kernel, x, results[k], values_round (x, from_double, k));
          g_assert_cmphex (results[k], ==, (from_double ? recorded_round_f64 : recorded_round_f32)[i][1 + k]);
        }
    }
}

/* Kernels of whole numbers: what is given, and what C++ makes of it. */
static const struct
{
  const char *kernel;
  guint type, result; /* in values_types */
  const uint64_t (*recorded)[4];
} values_kernels[] = {
  { "shift_i8", 0, 4, recorded_shift_i8 },     { "shift_u16", 3, 4, recorded_shift_u16 },
  { "shift_i32", 4, 4, recorded_shift_i32 },   { "shift_u32", 5, 5, recorded_shift_u32 },
  { "shift_i64", 6, 6, recorded_shift_i64 },   { "shift_u64", 7, 7, recorded_shift_u64 },
  { "divide_i8", 0, 4, recorded_divide_i8 },   { "divide_u8", 1, 4, recorded_divide_u8 },
  { "divide_i16", 2, 4, recorded_divide_i16 }, { "divide_u16", 3, 4, recorded_divide_u16 },
  { "divide_i32", 4, 4, recorded_divide_i32 }, { "divide_u32", 5, 5, recorded_divide_u32 },
  { "divide_i64", 6, 6, recorded_divide_i64 }, { "divide_u64", 7, 7, recorded_divide_u64 },
};

static void
values_assert (const char *kernel, guint64 x, guint64 y, guint column, guint64 result, guint64 expected)
{
  if (result != expected)
    g_error ("output %u of %s of 0x%" G_GINT64_MODIFIER "x and 0x%" G_GINT64_MODIFIER "x: 0x%" G_GINT64_MODIFIER
             "x, and 0x%" G_GINT64_MODIFIER "x is expected",
             column, kernel, x, y, result, expected);
}

static void
values_check_shifts (KernelFixture *fixture, const char *kernel, const ValuesType *type, const ValuesType *result,
                     const uint64_t (*recorded)[4])
{
  ValuesKernel run = {
    fixture, kernel, 3, 4, { type, &values_types[4], &values_types[6] }, { result, result, result, result }
  };
  guint64 results[VALUES_MOST];

  for (int i = 0; i < VALUES_N (values_shifted); i++)
    for (int k = 0; k < VALUES_N (values_amounts); k++)
      {
        guint64 x = values_fit (type, values_shifted[i]), by = values_amounts[k];

        values_run (&run, (guint64[]){ x, by, by }, results);
        for (guint column = 0; column < 4; column++)
          {
            values_assert (kernel, x, by, column, results[column], values_shift (x, by, result, column % 2 == 0));
            values_assert (kernel, x, by, column, results[column], recorded[i * VALUES_N (values_amounts) + k][column]);
          }
      }
}

static void
values_check_divisions (KernelFixture *fixture, const char *kernel, const ValuesType *type, const ValuesType *result,
                        const uint64_t (*recorded)[4])
{
  ValuesKernel run = { fixture, kernel, 2, 4, { type, type }, { result, result, type, type } };
  guint64 results[VALUES_MOST];

  for (int i = 0; i < VALUES_N (values_divided); i++)
    for (int k = 0; k < VALUES_N (values_divisors); k++)
      {
        guint64 x = values_fit (type, values_divided[i]), y = values_fit (type, values_divisors[k]);

        values_run (&run, (guint64[]){ x, y }, results);
        for (guint column = 0; column < 4; column++)
          {
            /* The last is made of the quotient, which is taken of the same numbers. */
            guint64 expected = y == 0 && column == 3 ? x : values_divide (x, y, type, result, column % 2 == 1);

            values_assert (kernel, x, y, column, results[column], values_fit (column < 2 ? result : type, expected));
            values_assert (kernel, x, y, column, results[column], recorded[i * VALUES_N (values_divisors) + k][column]);
          }
      }
}

static void
test_values_of_whole_numbers (gconstpointer data)
{
  g_autoptr (KernelFixture) fixture = values_open ();
  guint i = GPOINTER_TO_UINT (data);
  const ValuesType *type = &values_types[values_kernels[i].type], *result = &values_types[values_kernels[i].result];

  if (fixture == NULL)
    return;
  if (g_str_has_prefix (values_kernels[i].kernel, "shift"))
    values_check_shifts (fixture, values_kernels[i].kernel, type, result, values_kernels[i].recorded);
  else
    values_check_divisions (fixture, values_kernels[i].kernel, type, result, values_kernels[i].recorded);
}

/* Where the compiler knows more of one side. */
static void
test_values_divide_known (void)
{
  g_autoptr (KernelFixture) fixture = values_open ();
  const ValuesType *narrow = &values_types[4], *wide = &values_types[6];
  ValuesKernel run = { fixture, "divide_known",     2,
                       8,       { narrow, narrow }, { narrow, narrow, narrow, narrow, narrow, narrow, wide, wide } };
  guint64 results[VALUES_MOST];

  for (int i = 0; fixture != NULL && i < VALUES_N (values_divided); i++)
    for (int k = 0; k < VALUES_N (values_divisors); k++)
      {
        guint64 x = values_fit (narrow, values_divided[i]), y = values_fit (narrow, values_divisors[k]);

        values_run (&run, (guint64[]){ x, y }, results);
        for (guint column = 0; column < 8; column++)
          values_assert ("divide_known", x, y, column, results[column],
                         recorded_divide_known[i * VALUES_N (values_divisors) + k][column]);
      }
}

/* Sums wrap, and literals that do not fit are what a number of that value would be at run time. */
static void
test_values_overflow (void)
{
  static const gint32 expected[] = { G_MININT32, G_MAXINT32, G_MININT32, G_MININT32, 1, G_MAXINT32,
                                     G_MININT32, 44,         255,        -44,        0 };
  static const gint64 wide_expected[] = { G_MAXINT64, G_MININT64, G_MININT64, G_MAXINT64, 0, G_MAXUINT32 };
  g_autoptr (KernelFixture) fixture = values_open ();
  const gint32 x[] = { G_MININT32, G_MAXINT32, 1 };
  const gint64 l[] = { G_MININT64 };
  gint32 y[12];
  gint64 m[6];
  LeatMemory *ys, *ms;

  if (fixture == NULL)
    return;
  ys = kernel_fixture_put (fixture, NULL, sizeof y);
  ms = kernel_fixture_put (fixture, NULL, sizeof m);
  KERNEL_RUN (fixture, "overflow", SIZE (1), SIZE (1), 0, A (kernel_fixture_put (fixture, x, sizeof x)),
              A (kernel_fixture_put (fixture, l, sizeof l)), A (ys), A (ms));
  kernel_fixture_get (ys, y, sizeof y);
  kernel_fixture_get (ms, m, sizeof m);
  /* The loop ends. */
  g_assert_cmpint (y[0], >=, 31);
  for (guint i = 1; i < G_N_ELEMENTS (y); i++)
    {
      g_assert_cmpint (y[i], ==, expected[i - 1]);
      g_assert_cmpint (y[i], ==, (gint64) recorded_overflow[i][0]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (m); i++)
    {
      g_assert_cmpint (m[i], ==, wide_expected[i]);
      g_assert_cmpint (m[i], ==, (gint64) recorded_overflow[G_N_ELEMENTS (y) + i][0]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/values/convert/f32", "convert_f32", test_values_convert);
  g_test_add_data_func ("/leat/values/convert/f64", "convert_f64", test_values_convert);
  g_test_add_data_func ("/leat/values/round/f32", "round_f32", test_values_round);
  g_test_add_data_func ("/leat/values/round/f64", "round_f64", test_values_round);
  for (guint i = 0; i < G_N_ELEMENTS (values_kernels); i++)
    {
      g_autofree char *path = g_strdelimit (g_strconcat ("/leat/values/", values_kernels[i].kernel, NULL), "_", '/');

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_values_of_whole_numbers);
    }
  g_test_add_func ("/leat/values/divide/known", test_values_divide_known);
  g_test_add_func ("/leat/values/overflow", test_values_overflow);
  return g_test_run ();
}
