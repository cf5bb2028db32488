/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat.h"

#include <string.h>

typedef struct
{
  const char *text;
  const char *file;
  const char *shell;
} RoundTrip;

static const RoundTrip round_trips[] = {
  { "any", "any", "any" },
  { "f32", "f32", "f32" },
  { "f32[]", "f32[]", "f32:scalar" },
  { "f32:scalar", "f32[]", "f32:scalar" },
  { " f32 [ ]", NULL, NULL },
  { "f32[ 480 , 640 ]", "f32[480,640]", "f32:480x640" },
  { "f32:480x640", "f32[480,640]", "f32:480x640" },
  { "f32:480,640", "f32[480,640]", "f32:480x640" },
  { "f32:480,640,", "f32[480,640]", "f32:480x640" },
  { "u8[<=4M]", "u8[<=4194304]", "u8:max4194304" },
  { "u8:max4M", "u8[<=4194304]", "u8:max4194304" },
  { "u8[<= n]", "u8[<=n]", "u8:maxn" },
  { "u8:maxn", "u8[<=n]", "u8:maxn" },
  { "u8[<=*]", "u8[<=*]", "u8:maxany" },
  { "u8[<=4096,3]", "u8[<=4096,3]", "u8:max4096x3" },
  { "f32[h,w]", "f32[h,w]", "f32:hxw" },
  { "f32:hxw", "f32[h,w]", "f32:hxw" },
  { "f32[xs]", "f32[xs]", "f32:xs," },
  { "f32[<=xs]", "f32[<=xs]", "f32:maxxs," },
  { "u8[ma,h]", "u8[ma,h]", "u8:ma,h" },
  { "u8[<=ma,h]", "u8[<=ma,h]", "u8:maxma,h" },
  { "f32[xs,3]", "f32[xs,3]", "f32:xs,3" },
  { "f32[*,*]", "f32[*,*]", "f32:anyxany" },
  { "f32:any", "f32[*]", "f32:any" },
  { "f32:*x3", "f32[*,3]", "f32:anyx3" },
  { "any[n]", "any[n]", "any:n" },
  { "u8:1Kx1Gx2M", "u8[1024,1073741824,2097152]", "u8:1024x1073741824x2097152" },
  { "u8[1,2,3,4,5,6,7,8]", "u8[1,2,3,4,5,6,7,8]", "u8:1x2x3x4x5x6x7x8" },
  { "f32[anyhow,scalars_]", "f32[anyhow,scalars_]", "f32:anyhowxscalars_" },
  { "bf16[<=4,2]", "bf16[<=4,2]", "bf16:max4x2" },
  { "f8e4m3[3]", "f8e4m3[3]", "f8e4m3:3" },
  { "f8e5m2:3xn", "f8e5m2[3,n]", "f8e5m2:3xn" },
  { "c64[]", "c64[]", "c64:scalar" },
  { "c128[h,w]", "c128[h,w]", "c128:hxw" },
  { "bool:max4M", "bool[<=4194304]", "bool:max4194304" },
  { "u8[4611686018427387904]", "u8[4611686018427387904]", "u8:4611686018427387904" },
  { "u8[*,4611686018427387904]", "u8[*,4611686018427387904]", "u8:anyx4611686018427387904" },
  { "{x:f32}", "{x:f32}", "{x:f32}" },
  { "{x:f32,y:f32,id:u32}[n]", "{x:f32,y:f32,id:u32}[n]", "{x:f32+y:f32+id:u32}:n" },
  { "{x:f32+y:f32+id:u32}:n", "{x:f32,y:f32,id:u32}[n]", "{x:f32+y:f32+id:u32}:n" },
  { " { x : f32 , y : f32[ 3 ] @ 8 , @ 32 }", NULL, NULL },
  { " { x : f32 , y : f32[ 3 ] @8 , @32 }[<= n]", "{x:f32,y:f32[3]@8,@32}[<=n]", "{x:f32+y:f32:3@8+@32}:maxn" },
  { "{x:f32@0,y:f32@4,@8}[2,3]", "{x:f32,y:f32}[2,3]", "{x:f32+y:f32}:2x3" },
  { "{a:u8,b:f32@4}[]", "{a:u8,b:f32@4}[]", "{a:u8+b:f32@4}:scalar" },
  { "{m:f32:2x3+n:u8[4]}:9", "{m:f32[2,3],n:u8[4]}[9]", "{m:f32:2x3+n:u8:4}:9" },
  { "{p:{x:f32,y:f32}[2],i:{k:u8,@4}}[xs]", "{p:{x:f32,y:f32}[2],i:{k:u8,@4}}[xs]",
    "{p:{x:f32+y:f32}:2+i:{k:u8+@4}}:xs," },
  { "{max:f32,any:u8,scalar:u8:1K}", "{max:f32,any:u8,scalar:u8[1024]}", "{max:f32+any:u8+scalar:u8:1024}" },
  { "{x:f32:scalar,y:f32[]}", "{x:f32,y:f32}", "{x:f32+y:f32}" },
};

static void
test_spec_parse_round_trip (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (round_trips); i++)
    {
      const RoundTrip *trip = &round_trips[i];
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatSpec) spec = leat_spec_parse (trip->text, &error);

      if (trip->file == NULL)
        {
          g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
          continue;
        }
      g_assert_no_error (error);
      for (guint style = LEAT_SPEC_STYLE_FILE; style <= LEAT_SPEC_STYLE_SHELL; style++)
        {
          g_autofree char *text = leat_spec_to_string (spec, style);
          g_autoptr (LeatSpec) again = leat_spec_parse (text, &error);

          g_assert_no_error (error);
          g_assert_cmpstr (text, ==, style == LEAT_SPEC_STYLE_FILE ? trip->file : trip->shell);
          g_assert_true (leat_spec_equal (spec, again));
        }
    }
}

static const struct
{
  const char *text;
  guint column;
  const char *says;
} bad_specs[] = {
  { "", 1, "expected a type" },
  { "   ", 4, "expected a type" },
  { "bf17[3]", 1, "did you mean \"bf16\"" },
  { "f8e4m2[3]", 1, "did you mean \"f8e4m3\"" },
  { "c256[3]", 1, "no type \"c256\"" },
  { "c128[288230376151711745]", 1, "2^62" },
  { "f31[3]", 1, "did you mean \"f32\"" },
  { "float", 1, "no type \"float\"" },
  { "f32[", 5, "expected a dimension" },
  { "f32[3", 6, "expected \",\" or \"]\"" },
  { "f32[3,]", 7, "expected a dimension" },
  { "f32[,3]", 5, "expected a dimension" },
  { "f32[3]]", 7, "nothing may follow" },
  { "f32[3 4]", 7, "expected \",\" or \"]\"" },
  { "f32[-3]", 5, "expected a dimension" },
  { "f32[3,<=4]", 7, "expected a dimension" },
  { "f32[0]", 5, "at least 1" },
  { "f32[3k]", 6, "K, M or G" },
  { "f32[18446744073709551616]", 5, "64 bits" },
  { "f32[18446744073709551615K]", 5, "64 bits" },
  { "u8[4611686018427387905]", 1, "2^62" },
  { "f64[4294967296,4294967296]", 1, "2^62" },
  { "u8[*,4611686018427387905]", 1, "2^62" },
  { "f64[*,4294967296,4294967296]", 1, "2^62" },
  { "f32[maxn]", 5, "cannot be a name" },
  { "f32[any]", 5, "cannot be a name" },
  { "u8[1,2,3,4,5,6,7,8,9]", 20, "more than 8" },
  { "f32:", 5, "expected a dimension" },
  { "f32:max", 8, "expected a dimension" },
  { "f32:3x", 7, "expected a dimension" },
  { "f32:3x4,5", 6, "K, M or G" },
  { "f32:3 4", 7, "nothing may follow" },
  { "f32:[3]", 5, "expected a dimension" },
  { "f32\xff[3]", 4, "nothing may follow" },
  { "record[3]", 1, "no type \"record\"" },
  { "{", 2, "expected a field" },
  { "{}", 2, "expected a field" },
  { "{x}", 3, "expected \":\" and a type" },
  { "{x:}", 4, "expected a type" },
  { "{x:f32", 7, "expected \",\" or \"}\"" },
  { "{x:f32,}", 8, "expected a field" },
  { "{x:f32;y:f32}", 7, "expected \",\" or \"}\"" },
  { "{0:f32}", 2, "expected a field" },
  { "{x:f32,x:u8}", 8, "already" },
  { "{x:any}", 4, "a size that is known" },
  { "{x:f32[n]}", 4, "a size that is known" },
  { "{x:f32[<=4]}", 4, "a size that is known" },
  { "{x:f32:max4}", 4, "a size that is known" },
  { "{x:f33}", 4, "did you mean \"f32\"" },
  { "{x:f32@}", 8, "expected a number of bytes" },
  { "{x:f32,y:u8@3}", 13, "end at 4" },
  { "{x:f32,@3}", 9, "end at 4" },
  { "{@4}", 2, "expected a field" },
  { "{x:f32,@8,y:u8}", 10, "expected \"}\" behind the size" },
  { "{x:f32,@4611686018427387904}", 9, "more than an item can have" },
  { "{x:f32,@18446744073709551616}", 9, "64 bits" },
  { "{x:u8@4611686018427387903,y:u8[4]}", 34, "2^62" },
  { "{x:u8,@4611686018427387903}[2]", 1, "2^62" },
  { "{a:{b:{c:{d:{e:{f:{g:{h:{i:u8}}}}}}}}}", 25, "8 deep" },
  { "{x:f32}]", 8, "nothing may follow" },
};

static void
test_spec_parse_refuses (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad_specs); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatSpec) spec = leat_spec_parse (bad_specs[i].text, &error);
      g_autofree char *column = g_strdup_printf ("\", column %u: ", bad_specs[i].column);

      g_test_message ("%s", error != NULL ? error->message : bad_specs[i].text);
      g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
      g_assert_null (spec);
      g_assert_nonnull (strstr (error->message, column));
      g_assert_nonnull (strstr (error->message, bad_specs[i].says));
    }
}

static void
test_spec_record_has_at_most_256_fields (void)
{
  g_autoptr (GString) text = g_string_new ("{");

  for (guint i = 0; i < 257; i++)
    {
      g_autofree char *whole = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatSpec) spec = NULL;

      g_string_append_printf (text, "%sf%u:u8", i > 0 ? "," : "", i);
      whole = g_strconcat (text->str, "}", NULL);
      spec = leat_spec_parse (whole, &error);
      g_assert_cmpint (spec != NULL, ==, i < 256);
    }
}

static void
test_spec_record_tells_its_fields (void)
{
  g_autoptr (LeatSpec) spec = leat_spec_parse ("{a:u8,p:{x:f32,v:f32[2,3]@8}[4]@4,z:f64@200,@256}[10]", NULL);
  static const struct
  {
    const char *path, *spec;
    guint64 offset;
  } good[] = {
    { "a", "u8[]", 0 },      { "p.0", "{x:f32,v:f32[2,3]@8}[]", 4 },
    { "p.0.x", "f32[]", 4 }, { "p.3.v.1.2", "f32[]", 4 + 3 * 32 + 8 + 5 * 4 },
    { "z", "f64[]", 200 },
  };
  static const char *const bad[][2] = {
    { "b", "no field \"b\" (there are a, p and z)" },
    { "", "no field \"\"" },
    { "p", "a place from .0 to .3 comes next" },
    { "p.4", "from .0 to .3 comes next, not .4" },
    { "p.x", "not .x" },
    { "p.0.w", "no field \"w\"" },
    { "p.0.v.1", "from .0 to .2 comes next" },
    { "a.b", "it has no fields" },
    { "a.0", "it has no fields" },
  };

  g_assert_cmpint (leat_spec_get_dtype (spec), ==, LEAT_DTYPE_RECORD);
  g_assert_cmpuint (leat_spec_get_n_fields (spec), ==, 3);
  g_assert_cmpuint (leat_spec_get_item_bytes (spec), ==, 256);
  g_assert_cmpuint (leat_spec_get_bytes (spec), ==, 2560);
  g_assert_cmpuint (leat_spec_get_items (spec), ==, 10);
  g_assert_cmpuint (leat_spec_get_row_bytes (spec), ==, 256);
  g_assert_cmpstr (leat_spec_get_field_name (spec, 1), ==, "p");
  g_assert_cmpuint (leat_spec_get_field_offset (spec, 1), ==, 4);
  g_assert_cmpuint (leat_spec_get_bytes (leat_spec_get_field_spec (spec, 1)), ==, 128);
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autoptr (LeatSpec) field = NULL;
      g_autoptr (GError) error = NULL;
      g_autofree char *text = NULL;
      guint64 offset;

      field = leat_spec_find_field (spec, good[i].path, &offset, &error);
      g_assert_no_error (error);
      text = leat_spec_to_string (field, LEAT_SPEC_STYLE_FILE);
      g_assert_cmpstr (text, ==, good[i].spec);
      g_assert_cmpuint (offset, ==, good[i].offset);
    }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      guint64 offset;

      g_assert_null (leat_spec_find_field (spec, bad[i][0], &offset, &error));
      g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, bad[i][1]));
    }
}

static void
test_spec_record_matches (void)
{
  static const struct
  {
    const char *a, *b, *both; /* NULL: an error that says */
    const char *says;
  } table[] = {
    { "{x:f32,y:f32}[4]", "{x:f32,y:f32}[n]", "{x:f32,y:f32}[4]", NULL },
    { "{x:f32,y:f32}", "{x:f32@0,y:f32@4,@8}[4]", "{x:f32,y:f32}[4]", NULL },
    { "any[n]", "{x:f32}[4]", "{x:f32}[4]", NULL },
    { "{x:f32}", "any[*,2]", "{x:f32}[*,2]", NULL },
    { "any", "{x:f32}", "{x:f32}", NULL },
    /* bytes go where any number of records does */
    { "{x:f32}", "u8[4,4]", "u8[4,4]", NULL },
    { "u8[n,4]", "{x:f32}", "u8[n,4]", NULL },
    { "{x:f32}", "u8", "u8", NULL },
    { "{x:f32}[n]", "u8[4]", NULL, "a record is not u8" },
    { "u8", "{x:f32}[4]", NULL, "u8 is not a record" },
    { "{x:f32}", "f32[4]", NULL, "a record is not f32" },
    { "{x:f32,y:f32}[4]", "{x:f32,y:f64@8}[4]", NULL, "field 2 is y:f32@4 and y:f64@8" },
    { "{x:f32,y:f32}[4]", "{x:f32,z:f32}[4]", NULL, "field 2 is y:f32@4 and z:f32@4" },
    { "{x:f32}[4]", "{x:f32,z:f32}[4]", NULL, "field 2, z:f32@4, is in one of them only" },
    { "{x:f32[3]}[4]", "{x:f32[4]}[4]", NULL, "field 1 is x:f32[3]@0 and x:f32[4]@0" },
    { "{p:{x:f32}}[4]", "{p:{y:f32}}[4]", NULL, "field 1 is p:{x:f32}@0 and p:{y:f32}@0" },
    { "{x:f32}[4]", "{x:f32,@8}[4]", NULL, "an item has 4 and 8 bytes" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (LeatSpec) a = leat_spec_parse (table[i].a, NULL), b = leat_spec_parse (table[i].b, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatSpec) both = leat_spec_intersect (a, b, &error);
      g_autofree char *text = both != NULL ? leat_spec_to_string (both, LEAT_SPEC_STYLE_FILE) : NULL;

      g_assert_cmpstr (text, ==, table[i].both);
      if (both != NULL)
        continue;
      g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, table[i].says));
    }
}

static void
test_spec_parse_refuses_a_long_name (void)
{
  g_autofree char *name = g_strnfill (100000, 'n');
  g_autofree char *text = g_strdup_printf ("f32[%s]", name);
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_spec_parse (text, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
  g_assert_cmpuint (strlen (error->message), <, 300);
}

/* What the parser takes, in any order of letters, prints and parses back to the same. */
static void
test_spec_parse_random_text (void)
{
  static const char *const pieces[] = { "f32",
                                        "u8",
                                        "any",
                                        "[",
                                        "]",
                                        ":",
                                        "x",
                                        ",",
                                        "<=",
                                        "max",
                                        "*",
                                        "480",
                                        "0",
                                        "4M",
                                        "n",
                                        "scalar",
                                        "ma",
                                        " ",
                                        "18446744073709551615",
                                        "_",
                                        "\xc3" };
  guint n_good = 0;

  for (guint round = 0; round < 200000; round++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatSpec) spec = NULL;

      for (gint i = g_test_rand_int_range (0, 8); i >= 0; i--)
        g_string_append (text, pieces[g_test_rand_int_range (0, G_N_ELEMENTS (pieces))]);
      spec = leat_spec_parse (text->str, &error);
      g_assert_true ((spec == NULL) == (error != NULL));
      for (guint style = 0; spec != NULL && style < 2; style++)
        {
          g_autofree char *printed = leat_spec_to_string (spec, style);
          g_autoptr (LeatSpec) again = leat_spec_parse (printed, NULL);

          g_assert_nonnull (again);
          g_assert_true (leat_spec_equal (spec, again));
          n_good++;
        }
    }
  g_assert_cmpuint (n_good, >, 1000);
}

/* Two specs are equal where they are written alike. */
static void
test_spec_equal (void)
{
  static const char *const heads[] = { "f32[", "u8[", "u8[<=" }, *const dims[] = { "3", "4", "n", "m", "*" };
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < G_N_ELEMENTS (heads); i++)
    for (guint a = 0; a < G_N_ELEMENTS (dims); a++)
      {
        g_ptr_array_add (texts, g_strdup_printf ("%s%s]", heads[i], dims[a]));
        for (guint b = 0; b < G_N_ELEMENTS (dims); b++)
          g_ptr_array_add (texts, g_strdup_printf ("%s%s,%s]", heads[i], dims[a], dims[b]));
      }
  g_ptr_array_add (texts, g_strdup ("f32"));
  g_ptr_array_add (texts, g_strdup ("f32[]"));
  for (guint i = 0; i < texts->len; i++)
    for (guint k = 0; k < texts->len; k++)
      {
        g_autoptr (LeatSpec) a = leat_spec_parse (texts->pdata[i], NULL), b = leat_spec_parse (texts->pdata[k], NULL);

        g_assert_cmpint (leat_spec_equal (a, b), ==, i == k);
      }
}

static void
test_spec_sizes (void)
{
  static const struct
  {
    const char *text;
    guint64 items, row, bytes;
  } rows[] = {
    { "f32[]", 1, 4, 4 },
    { "u8[7]", 7, 1, 7 },
    { "f64[480,640]", 307200, 5120, 2457600 },
    { "u16[<=1000,3]", 3000, 6, 6000 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (LeatSpec) spec = leat_spec_parse (rows[i].text, NULL);

      g_assert_true (leat_spec_is_fixed (spec));
      g_assert_cmpuint (leat_spec_get_items (spec), ==, rows[i].items);
      g_assert_cmpuint (leat_spec_get_row_bytes (spec), ==, rows[i].row);
      g_assert_cmpuint (leat_spec_get_bytes (spec), ==, rows[i].bytes);
    }
}

static void
test_spec_fixed (void)
{
  static const struct
  {
    const char *text;
    gboolean fixed, bounded, shape;
  } rows[] = {
    { "any", FALSE, FALSE, FALSE },  { "f32", FALSE, FALSE, FALSE },   { "any[3]", FALSE, FALSE, TRUE },
    { "f32[]", TRUE, FALSE, TRUE },  { "f32[n]", FALSE, FALSE, TRUE }, { "f32[3,*]", FALSE, FALSE, TRUE },
    { "u8[<=3]", TRUE, TRUE, TRUE }, { "u8[<=n]", FALSE, TRUE, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (LeatSpec) spec = leat_spec_parse (rows[i].text, NULL);

      g_assert_cmpint (leat_spec_is_fixed (spec), ==, rows[i].fixed);
      g_assert_cmpint (leat_spec_is_bounded (spec), ==, rows[i].bounded);
      g_assert_cmpint (leat_spec_has_shape (spec), ==, rows[i].shape);
    }
}

static void
test_spec_new (void)
{
  const guint64 dims[] = { 4, 0 };
  const guint64 huge[] = { G_MAXUINT64, G_MAXUINT64 };
  g_autoptr (LeatSpec) spec = leat_spec_new (LEAT_DTYPE_F32, dims, 2, TRUE);
  g_autofree char *text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);

  g_assert_cmpstr (text, ==, "f32[<=4,*]");
  g_assert_cmpuint (leat_spec_get_dim (spec, 0), ==, 4);
  g_assert_cmpuint (leat_spec_get_dim (spec, 1), ==, 0);
  g_assert_null (leat_spec_new (LEAT_DTYPE_U8, huge, 2, FALSE));
}

static const struct
{
  const char *a, *b, *both;
} intersections[] = {
  { "any", "any", "any" },
  { "any", "f32[3]", "f32[3]" },
  { "f32", "any[n,m]", "f32[n,m]" },
  { "f32[n]", "f32[7]", "f32[7]" },
  { "f32[n]", "f32[*]", "f32[n]" },
  { "f32[n]", "f32[m]", "f32[n]" },
  { "f32[n,n]", "f32[3,*]", "f32[3,3]" },
  { "f32[n,n]", "f32[3,4]", NULL },
  { "f32[3,4]", "f32[n,n]", NULL },
  { "f32[3]", "f32[4]", NULL },
  { "f32[3]", "u8[3]", NULL },
  { "f32[3]", "f32[3,1]", NULL },
  { "f32[]", "f32[1]", NULL },
  { "f32[]", "f32", "f32[]" },
  { "u8[<=n]", "u8[<=4096]", "u8[<=4096]" },
  { "u8[<=n]", "u8[4096]", NULL },
  { "u8[n]", "u8[<=4096]", NULL },
  { "u8[*]", "u8[<=4096]", "u8[<=4096]" },
  { "u8[<=*]", "u8[*]", "u8[<=*]" },
  { "u8[<=4096]", "u8[<=8192]", NULL },
  { "any[4611686018427387904]", "f64", NULL },
};

static void
test_spec_intersect (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (intersections); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatSpec) a = leat_spec_parse (intersections[i].a, NULL);
      g_autoptr (LeatSpec) b = leat_spec_parse (intersections[i].b, NULL);
      g_autoptr (LeatSpec) both = leat_spec_intersect (a, b, &error);
      g_autofree char *text = both != NULL ? leat_spec_to_string (both, LEAT_SPEC_STYLE_FILE) : NULL;

      g_assert_cmpstr (text, ==, intersections[i].both);
      if (both == NULL)
        g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
      else
        g_assert_no_error (error);
    }
}

static void
test_spec_bind_and_resolve (void)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (LeatSpec) image = leat_spec_parse ("f32[h,w]", NULL);
  g_autoptr (LeatSpec) turned = leat_spec_parse ("u8[w,h,c]", NULL);
  g_autoptr (LeatSpec) fixed = leat_spec_parse ("f32[480,640]", NULL);
  g_autoptr (LeatSpec) other = leat_spec_parse ("f32[480,641]", NULL);
  g_autoptr (LeatSpec) result = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  g_assert_true (leat_spec_bind (image, fixed, names, &error));
  g_assert_no_error (error);
  result = leat_spec_resolve (turned, names, &error);
  g_assert_no_error (error);
  text = leat_spec_to_string (result, LEAT_SPEC_STYLE_FILE);
  g_assert_cmpstr (text, ==, "u8[640,480,c]");
  g_assert_false (leat_spec_bind (image, other, names, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
  g_assert_nonnull (strstr (error->message, "w would be both 640 and 641"));
}

/* Whoever calls it wrongly is told, and gets what stands for a failure. */
static void
test_spec_wrong_calls (void)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (LeatSpec) open = leat_spec_parse ("f32[n]", NULL), fixed = leat_spec_parse ("f32[4]", NULL);
  g_autoptr (GError) error = g_error_new_literal (LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "before");

  g_test_expect_message ("Leat", G_LOG_LEVEL_CRITICAL, "leat_spec_bind: assertion 'error == NULL*");
  g_assert_false (leat_spec_bind (open, fixed, names, &error));
  g_test_expect_message ("Leat", G_LOG_LEVEL_CRITICAL, "leat_spec_bind: assertion 'fixed->fixed'*");
  g_assert_false (leat_spec_bind (open, open, names, NULL));
  g_test_expect_message ("Leat", G_LOG_LEVEL_CRITICAL, "leat_spec_bind: assertion 'self != NULL*");
  g_assert_false (leat_spec_bind (open, fixed, NULL, NULL));
  g_test_expect_message ("Leat", G_LOG_LEVEL_CRITICAL, "leat_spec_intersect: assertion 'error == NULL*");
  g_assert_null (leat_spec_intersect (open, fixed, &error));
  g_test_expect_message ("Leat", G_LOG_LEVEL_CRITICAL, "leat_spec_intersect: assertion 'self != NULL*");
  g_assert_null (leat_spec_intersect (open, NULL, NULL));
  g_test_expect_message ("Leat", G_LOG_LEVEL_CRITICAL, "leat_spec_resolve: assertion*");
  g_assert_null (leat_spec_resolve (open, NULL, NULL));
  g_test_assert_expected_messages ();
}

/* What the items are goes along with a spec, and is no part of its text; whatever is made of several specs has none. */
static void
test_spec_meaning (void)
{
  g_autoptr (GVariant) meaning = g_variant_ref_sink (g_variant_new_string ("pixels"));
  g_autoptr (LeatSpec) plain = leat_spec_parse ("u8[<=4,3]", NULL);
  g_autoptr (LeatSpec) spec = leat_spec_new_with_meaning (plain, meaning);
  g_autoptr (LeatSpec) both = leat_spec_intersect (spec, plain, NULL);
  g_autofree char *text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);

  g_assert_null (leat_spec_get_meaning (plain));
  g_assert_true (leat_spec_get_meaning (spec) == meaning);
  g_assert_null (leat_spec_get_meaning (both));
  g_assert_true (leat_spec_equal (spec, plain));
  g_assert_cmpstr (text, ==, "u8[<=4,3]");
  g_assert_true (leat_spec_is_bounded (spec));
  g_assert_cmpuint (leat_spec_get_bytes (spec), ==, 12);
}

static void
test_suggest (void)
{
  static const char *const names[] = { "radius", "limit", "pattern", "in", NULL };

  g_assert_cmpstr (leat_suggest ("radus", names), ==, "radius");
  g_assert_cmpstr (leat_suggest ("raduis", names), ==, "radius");
  g_assert_cmpstr (leat_suggest ("Patern", names), ==, "pattern");
  g_assert_cmpstr (leat_suggest ("im", names), ==, "in");
  g_assert_cmpstr (leat_suggest ("path", names), ==, NULL);
  g_assert_cmpstr (leat_suggest ("linen", names), ==, NULL);
  g_assert_cmpstr (leat_suggest ("lamet", names), ==, NULL);
  g_assert_cmpstr (leat_suggest ("lemit", names), ==, "limit");
  g_assert_cmpstr (leat_suggest ("libid", names), ==, "limit");
  g_assert_null (leat_suggest ("q", names));
  g_assert_null (leat_suggest ("wholly-different", names));
  g_assert_null (leat_suggest ("", names));
}

/* Letters that are changed, left out, put in, or exchanged with the next, by the definition; @known: of ends, one more
 * than their slips. */
static guint
count_slips (const char *a, const char *b, guint known[7][7])
{
  guint *count = &known[strlen (a)][strlen (b)], least;

  if (*count > 0)
    return *count - 1;
  if (*a == '\0' || *b == '\0')
    return strlen (a) + strlen (b);
  least = MIN (count_slips (a + 1, b + 1, known) + (*a != *b),
               MIN (count_slips (a + 1, b, known), count_slips (a, b + 1, known)) + 1);
  if (a[0] == b[1] && a[1] == b[0])
    least = MIN (least, count_slips (a + 2, b + 2, known) + 1);
  *count = least + 1;
  return least;
}

static void
make_word (char word[7])
{
  gint length = g_test_rand_int_range (1, 7);

  for (gint i = 0; i < length; i++)
    word[i] = "abc"[g_test_rand_int_range (0, 3)];
  word[length] = '\0';
}

static void
test_suggest_random_words (void)
{
  for (guint round = 0; round < 3000; round++)
    {
      char word[7], name[7];
      const char *const names[] = { name, NULL };
      guint known[7][7] = { 0 }, slips, longer;
      gboolean alike;

      make_word (word);
      make_word (name);
      slips = count_slips (word, name, known);
      longer = MAX (strlen (word), strlen (name));
      alike = strlen (word) > 2 && strlen (name) > 2 && strncmp (word, name, 2) == 0;
      g_test_message ("%s %s %u", word, name, slips);
      g_assert_true ((leat_suggest (word, names) != NULL)
                     == (slips < longer && slips <= MAX (1, alike ? longer / 2 : longer / 3)));
    }
}

static void
test_suggest_long_words (void)
{
  g_autofree char *longest = g_strnfill (64, 'x'), *longer = g_strnfill (65, 'x');
  const char *const names[] = { "", longer, longest, NULL };

  g_assert_true (leat_suggest (longest, names) == longest);
  g_assert_null (leat_suggest (longer, names));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/spec/parse/round-trip", test_spec_parse_round_trip);
  g_test_add_func ("/leat/spec/parse/refuses", test_spec_parse_refuses);
  g_test_add_func ("/leat/spec/parse/refuses-a-long-name", test_spec_parse_refuses_a_long_name);
  g_test_add_func ("/leat/spec/record/has-at-most-256-fields", test_spec_record_has_at_most_256_fields);
  g_test_add_func ("/leat/spec/record/tells-its-fields", test_spec_record_tells_its_fields);
  g_test_add_func ("/leat/spec/record/matches", test_spec_record_matches);
  g_test_add_func ("/leat/spec/parse/random-text", test_spec_parse_random_text);
  g_test_add_func ("/leat/spec/equal", test_spec_equal);
  g_test_add_func ("/leat/spec/sizes", test_spec_sizes);
  g_test_add_func ("/leat/spec/fixed", test_spec_fixed);
  g_test_add_func ("/leat/spec/new", test_spec_new);
  g_test_add_func ("/leat/spec/intersect", test_spec_intersect);
  g_test_add_func ("/leat/spec/bind-and-resolve", test_spec_bind_and_resolve);
  g_test_add_func ("/leat/spec/wrong-calls", test_spec_wrong_calls);
  g_test_add_func ("/leat/spec/meaning", test_spec_meaning);
  g_test_add_func ("/leat/graph-error/suggest", test_suggest);
  g_test_add_func ("/leat/graph-error/suggest/random-words", test_suggest_random_words);
  g_test_add_func ("/leat/graph-error/suggest/long-words", test_suggest_long_words);
  return g_test_run ();
}
