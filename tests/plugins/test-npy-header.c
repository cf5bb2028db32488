/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"
#include "leat-npy-header.h"

#include <string.h>

/* A file's head of version 1.0 with this text. */
static GByteArray *
test_npy_header_make (const char *text)
{
  GByteArray *bytes = g_byte_array_new ();
  guint16 length = GUINT16_TO_LE ((guint16) strlen (text));

  g_byte_array_append (bytes, (const guint8 *) "\x93NUMPY\x01\x00", 8);
  g_byte_array_append (bytes, (const guint8 *) &length, 2);
  g_byte_array_append (bytes, (const guint8 *) text, (guint) strlen (text));
  return bytes;
}

static void
test_npy_header_accepts (void)
{
  static const struct
  {
    const char *text, *spec;
    gboolean swapped;
  } table[] = {
    /* as NumPy 1.24 writes it */
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (480, 640), }                                        \n",
      "f32[480,640]", FALSE },
    { "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }\n", "u8[3]", FALSE },
    { "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }\n", "bool[3]", FALSE },
    { "{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }\n", "c64[3]", FALSE },
    { "{'descr': '>c16', 'fortran_order': False, 'shape': (3,), }\n", "c128[3]", TRUE },
    /* as NumPy writes what ml_dtypes brings: bfloat16, float8_e4m3fn, float8_e5m2 */
    { "{'descr': '<V2', 'fortran_order': False, 'shape': (3,), }\n", "bf16[3]", FALSE },
    { "{'descr': '<V1', 'fortran_order': False, 'shape': (3,), }\n", "f8e4m3[3]", FALSE },
    { "{'descr': '<f1', 'fortran_order': False, 'shape': (3,), }\n", "f8e5m2[3]", FALSE },
    /* and once it was loaded without it */
    { "{'descr': '|V2', 'fortran_order': False, 'shape': (3,), }\n", "bf16[3]", FALSE },
    { "{'descr': '|V1', 'fortran_order': False, 'shape': (3,), }\n", "f8e4m3[3]", FALSE },
    /* as others name them */
    { "{'descr': 'bfloat16', 'fortran_order': False, 'shape': (3,), }\n", "bf16[3]", FALSE },
    { "{'descr': 'float8_e4m3fn', 'fortran_order': False, 'shape': (3,), }\n", "f8e4m3[3]", FALSE },
    { "{'descr': 'float8_e5m2', 'fortran_order': False, 'shape': (3,), }\n", "f8e5m2[3]", FALSE },
    { "{'descr': 'bool', 'fortran_order': False, 'shape': (3,), }\n", "bool[3]", FALSE },
    { "{'descr': '<i8', 'fortran_order': False, 'shape': (), }\n", "i64[]", FALSE },
    { "{'descr': '>f8', 'fortran_order': False, 'shape': (2, 3, 4), }\n", "f64[2,3,4]", TRUE },
    { "{'descr': '=u2', 'fortran_order': False, 'shape': (7,), }\n", "u16[7]", FALSE },
    { "{'descr': '>i1', 'fortran_order': False, 'shape': (7,), }\n", "i8[7]", FALSE },
    { "{'descr': '<f2', 'fortran_order': True, 'shape': (7,), }\n", "f16[7]", FALSE },
    { "{'descr': '<f2', 'fortran_order': True, 'shape': (1, 7, 1), }\n", "f16[1,7,1]", FALSE },
    /* records: as NumPy writes a packed one, with align=True, nested, with sub-arrays, titles, other itemsize */
    { "{'descr': [('x', '<f4'), ('y', '<f4'), ('id', '<u4')], 'fortran_order': False, 'shape': (3,), }\n",
      "{x:f32,y:f32,id:u32}[3]", FALSE },
    { "{'descr': [('a', '|u1'), ('', '|V3'), ('b', '<f4'), ('', '|V8')], 'fortran_order': False, 'shape': (2, 3), }\n",
      "{a:u8,b:f32@4,@16}[2,3]", FALSE },
    { "{'descr': [('a', '|b1'), ('p', [('x', '<f4'), ('', '|V4')], (2, 3))], 'fortran_order': False, 'shape': (), }\n",
      "{a:bool,p:{x:f32,@8}[2,3]}[]", FALSE },
    { "{'descr': [(('a title', 'v'), '<f2', (3,)), ('w', '<c8', 4)], 'fortran_order': True, 'shape': (7,), }\n",
      "{v:f16[3],w:c64[4]}[7]", FALSE },
    { "{'descr': [(('v:f8e4m3', 'v'), '|V1', (2,)), (('w:f8e5m2', 'w'), '<V1')], 'fortran_order': False, 'shape': "
      "(7,), }\n",
      "{v:f8e4m3[2],w:f8e5m2}[7]", FALSE },
    { "{'descr': [('a', '<V2'), ('b', '<f1'), ('c', '=i2'), ('d', '>i1')], 'fortran_order': False, 'shape': (1,), }\n",
      "{a:bf16,b:f8e5m2,c:i16,d:i8}[1]", FALSE },
    /* as others may */
    { "{\"shape\":(5L,),\"descr\":\"<u4\",\"fortran_order\":False}", "u32[5]", FALSE },
    { "  { 'shape' : ( 1 , 2,3,4,5,6,7,8 ) , 'fortran_order':False,'descr':'<u8' } \n", "u64[1,2,3,4,5,6,7,8]", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (GByteArray) bytes = test_npy_header_make (table[i].text);
      g_autoptr (LeatSpec) spec = NULL;
      g_autofree char *text = NULL;
      g_auto (LeatNpyHeader) header = { 0 };
      GError *error = NULL;

      leat_npy_header_parse (&header, bytes->data, bytes->len, &error);
      g_assert_no_error (error);
      spec = leat_npy_header_new_spec (&header, 0, &error);
      g_assert_no_error (error);
      text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);
      g_assert_cmpstr (text, ==, table[i].spec);
      g_assert_cmpint (header.swapped, ==, table[i].swapped);
      g_assert_cmpuint (header.offset, ==, bytes->len);
      g_assert_cmpuint (header.bytes, ==, leat_spec_get_bytes (spec));
    }
}

static void
check_refused (const char *text, const char *says)
{
  g_autoptr (GByteArray) bytes = test_npy_header_make (text);
  g_auto (LeatNpyHeader) header = { 0 };
  GError *error = NULL;

  g_test_message ("%s", text);
  g_assert_false (leat_npy_header_parse (&header, bytes->data, bytes->len, &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, says);
}

static void
test_npy_header_refuses_records (void)
{
  static const struct
  {
    const char *text, *says;
  } table[] = {
    { "{'descr': {'names': ['a'], 'formats': ['<f4']}, 'fortran_order': False, 'shape': (3,), }", "a dictionary" },
    { "{'descr': [('a', '>f4')], 'fortran_order': False, 'shape': (3,), }",
      "field \"a\" is \">f4\", which has its bytes" },
    { "{'descr': [('a', '|O')], 'fortran_order': False, 'shape': (3,), }", "field \"a\" is \"|O\": objects of Python" },
    { "{'descr': [('a', '|S8')], 'fortran_order': False, 'shape': (3,), }", "field \"a\" is of type \"|S8\"" },
    { "{'descr': [('a', '<U8')], 'fortran_order': False, 'shape': (3,), }", "field \"a\" is of type \"<U8\"" },
    { "{'descr': [('a', '<M8[ns]')], 'fortran_order': False, 'shape': (3,), }", "of type \"<M8[ns]\"" },
    { "{'descr': [('a', '|V1')], 'fortran_order': False, 'shape': (3,), }", "field \"a\" is of type \"|V1\"" },
    { "{'descr': [(('a:f8e3m4', 'a'), '|V1')], 'fortran_order': False, 'shape': (3,), }", "several types of 8 bits" },
    { "{'descr': [('a b', '<f4')], 'fortran_order': False, 'shape': (3,), }", "a field \"a b\"" },
    { "{'descr': [('0', '<f4')], 'fortran_order': False, 'shape': (3,), }", "a field \"0\"" },
    { "{'descr': [('', '<f4')], 'fortran_order': False, 'shape': (3,), }", "has no name" },
    { "{'descr': [('', '|V4')], 'fortran_order': False, 'shape': (3,), }", "make no record" },
    { "{'descr': [], 'fortran_order': False, 'shape': (3,), }", "make no record" },
    { "{'descr': [('a', '<f4'), ('a', '<f4')], 'fortran_order': False, 'shape': (3,), }", "already" },
    { "{'descr': [('a', '<f4', (0,))], 'fortran_order': False, 'shape': (3,), }", "no items" },
    { "{'descr': [('a', '<f4', (4294967296, 4294967296))], 'fortran_order': False, 'shape': (3,), }", "any memory" },
    { "{'descr': [('a', '<f4', (1,1,1,1,1,1,1,1,1))], 'fortran_order': False, 'shape': (3,), }", "more than 8" },
    { "{'descr': [('a', '<f4', (2305843009213693951,))], 'fortran_order': False, 'shape': (3,), }", "any memory" },
    { "{'descr': [('a', [('b', [('c', [('d', [('e', [('f', [('g', [('h', [('i', '|u1')])])])])])])])])], "
      "'fortran_order': False, 'shape': (3,), }",
      "more than 8 deep" },
    { "{'descr': [('a', '<f4'], 'fortran_order': False, 'shape': (3,), }", "')' is missing behind a field" },
    { "{'descr': [('a')], 'fortran_order': False, 'shape': (3,), }", "',' is missing" },
    { "{'descr': [('a', '<f4') 'fortran_order': False, 'shape': (3,), }", "the list of fields does not end" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    check_refused (table[i].text, table[i].says);
}

static void
test_npy_header_refuses (void)
{
  static const struct
  {
    const char *text, *says;
  } table[] = {
    { "", "ends within its header" },
    { "   \n", "'{' is missing" },
    { "{}", "\"descr\" is missing" },
    { "{'descr': '<f4', 'shape': (3,), }", "\"fortran_order\" is missing" },
    { "{'descr': '<f4', 'fortran_order': False, }", "\"shape\" is missing" },
    { "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "there twice" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'extra': 1 }", "\"extra\"" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } + 1", "follows the '}'" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)", "does not end" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,", "something other than sizes" },
    { "{'descr': '<f4", "does not end" },
    { "{'descr", "does not end" },
    { "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,), }", "neither True nor False" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': 3, }", "'(' is missing" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': [3], }", "'(' is missing" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }", "something other than sizes" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3.5,), }", "the shape does not end" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (2**40,), }", "the shape does not end" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (__import__('os').system('x'),), }", "other than sizes" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", "beyond 64 bits" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551615,), }", "any memory" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "any memory" },
    { "{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846976,), }", "any memory" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }", "dimensions" },
    { "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }", "fortran_order" },
    { "{'descr': '<c32', 'fortran_order': False, 'shape': (3,), }", "\"<c32\"" },
    { "{'descr': '|c8', 'fortran_order': False, 'shape': (3,), }", "\"|c8\"" },
    { "{'descr': '|V3', 'fortran_order': False, 'shape': (3,), }", "\"|V3\"" },
    { "{'descr': '|b2', 'fortran_order': False, 'shape': (3,), }", "\"|b2\"" },
    { "{'descr': 'bfloat17', 'fortran_order': False, 'shape': (3,), }", "\"bfloat17\"" },
    { "{'descr': '<f16', 'fortran_order': False, 'shape': (3,), }", "\"<f16\"" },
    { "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", "\"|O\"" },
    { "{'descr': '<U8', 'fortran_order': False, 'shape': (3,), }", "\"<U8\"" },
    { "{'descr': '|f4', 'fortran_order': False, 'shape': (3,), }", "\"|f4\"" },
    { "{'descr': '', 'fortran_order': False, 'shape': (3,), }", "\"\"" },
    { "{'descr': '<', 'fortran_order': False, 'shape': (3,), }", "\"<\"" },
    { "{'descr': '<f', 'fortran_order': False, 'shape': (3,), }", "\"<f\"" },
    { "{'descr': '<f-4', 'fortran_order': False, 'shape': (3,), }", "\"<f-4\"" },
    { "{'descr': '<f\\x34', 'fortran_order': False, 'shape': (3,), }", "stray" },
    { "{'descr': '<f4\1', 'fortran_order': False, 'shape': (3,), }", "stray" },
    { "{'descr': 1, 'fortran_order': False, 'shape': (3,), }", "a quoted word is missing" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    check_refused (table[i].text, table[i].says);
}

static void
test_npy_header_refuses_damaged_front (void)
{
  static const struct
  {
    const char *bytes;
    gsize size;
    const char *says;
  } table[] = {
    { "", 0, "not an .npy file" },
    { "\x93NUMPY", 6, "ends within its header" },
    { "PK\x03\x04xxxxxxxxxxxx", 16, "not an .npy file" },
    { "\x93NUMPY\x00\x00\x10\x00{}{}{}", 16, "version 0.0" },
    { "\x93NUMPY\x04\x00\x10\x00{}{}{}", 16, "version 4.0" },
    { "\x93NUMPY\x01\x00\x10\x00{}{}{}", 16, "ends within its header" },
    { "\x93NUMPY\x02\x00\xff\xff\xff\xff{}{}", 16, "4294967295 bytes long" },
    { "\x93NUMPY\x03\x00\x00\x00\x00\x10{}{}", 16, "bytes long" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      /* Of that size exactly, so that a sanitizer sees a read beyond it. */
      g_autofree guint8 *data = g_memdup2 (table[i].bytes, MAX (table[i].size, 1));
      g_auto (LeatNpyHeader) header = { 0 };
      GError *error = NULL;

      g_assert_false (leat_npy_header_parse (&header, data, table[i].size, &error));
      leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, table[i].says);
    }
}

/* No byte that is wrong makes the reader leave its bounds, and what it accepts can be told. */
static void
test_npy_header_survives_noise (void)
{
  static const char *const texts[] = {
    "{'descr': '<f4', 'fortran_order': False, 'shape': (480, 640), }  \n",
    "{'descr': [('a', '|u1'), ('', '|V3'), ('b', '<f4', (2,))], 'fortran_order': False, 'shape': (480,), }  \n",
  };

  for (guint i = 0; i < 20000; i++)
    {
      g_autoptr (GByteArray) bytes = test_npy_header_make (texts[i % G_N_ELEMENTS (texts)]);
      g_auto (LeatNpyHeader) header = { 0 };

      for (gint n = g_test_rand_int_range (1, 4); n > 0; n--)
        bytes->data[g_test_rand_int_range (0, (gint32) bytes->len)] = (guint8) g_test_rand_int_range (0, 256);
      if (g_test_rand_bit ())
        g_byte_array_set_size (bytes, (guint) g_test_rand_int_range (0, (gint32) bytes->len));
      if (leat_npy_header_parse (&header, bytes->data, bytes->len, NULL))
        {
          g_assert_cmpuint (header.offset, <=, bytes->len);
          g_assert_cmpuint (header.n_dims, <=, LEAT_SPEC_MAX_DIMS);
          g_assert_cmpuint (
            header.items != NULL ? leat_spec_get_item_bytes (header.items) : leat_dtype_get_size (header.dtype), >, 0);
        }
    }
}

static void
test_npy_header_round_trip (void)
{
  const guint64 big[LEAT_SPEC_MAX_DIMS] = { 1, 1, 1, G_MAXINT64 / 8, 1, 1, 1, 1 };
  guint8 bytes[LEAT_NPY_HEADER_BYTES];

  for (guint dtype = LEAT_DTYPE_U8; dtype <= LEAT_DTYPE_BOOL; dtype++)
    for (guint n_dims = 0; n_dims <= LEAT_SPEC_MAX_DIMS; n_dims++)
      {
        g_auto (LeatNpyHeader) header = { 0 };
        GError *error = NULL;

        if (n_dims > 3 && leat_dtype_get_size (dtype) > 2)
          continue;
        leat_harness_format_npy (dtype, big, n_dims, bytes);
        leat_npy_header_parse (&header, bytes, sizeof bytes, &error);
        g_assert_no_error (error);
        g_assert_cmpuint (header.offset, ==, sizeof bytes);
        /* Of types that have a size alone, the file does not tell one from the other. */
        g_assert_cmpint (header.nameless, ==, dtype == LEAT_DTYPE_F8E4M3 || dtype == LEAT_DTYPE_F8E5M2);
        g_assert_cmpint (header.dtype, ==, dtype == LEAT_DTYPE_F8E5M2 ? LEAT_DTYPE_F8E4M3 : dtype);
        g_assert_cmpmem (header.dims, n_dims * sizeof *big, big, n_dims * sizeof *big);
        g_assert_false (header.swapped);
        g_assert_cmpint (bytes[sizeof bytes - 1], ==, '\n');
      }
}

static void
test_npy_header_record_round_trip (void)
{
  static const char *const table[] = {
    "{x:f32}[3]",
    "{a:u8,b:f32@4,@16}[2,3]",
    "{a:bool,p:{x:f32,v:f64[2,3]@8}[4]@16,z:c128}[]",
    "{a:bf16,b:i16,c:i64@7,@1000}[1000000000000]",
    "{v:f8e4m3[3],w:f8e5m2,p:{v:f8e5m2,x:f32@4}[2]@4,u:f8e4m3,@24}[5]",
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (LeatSpec) spec = leat_spec_parse (table[i], NULL), again = NULL;
      g_autoptr (GBytes) bytes = leat_npy_header_format (spec);
      g_auto (LeatNpyHeader) header = { 0 };
      g_autoptr (GError) error = NULL;

      g_assert_cmpuint (g_bytes_get_size (bytes) % 64, ==, 0);
      leat_npy_header_parse (&header, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), &error);
      g_assert_no_error (error);
      g_assert_cmpuint (header.offset, ==, g_bytes_get_size (bytes));
      again = leat_npy_header_new_spec (&header, 0, &error);
      g_assert_no_error (error);
      g_assert_true (leat_spec_equal (spec, again));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/npy-header/accepts", test_npy_header_accepts);
  g_test_add_func ("/leat/npy-header/refuses", test_npy_header_refuses);
  g_test_add_func ("/leat/npy-header/refuses-records", test_npy_header_refuses_records);
  g_test_add_func ("/leat/npy-header/refuses-damaged-front", test_npy_header_refuses_damaged_front);
  g_test_add_func ("/leat/npy-header/survives-noise", test_npy_header_survives_noise);
  g_test_add_func ("/leat/npy-header/round-trip", test_npy_header_round_trip);
  g_test_add_func ("/leat/npy-header/record-round-trip", test_npy_header_record_round_trip);
  return g_test_run ();
}
