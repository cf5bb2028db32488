/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include <gio/gio.h>
#include <stdio.h>
#include <string.h>

/* `image:read`: samples of 16 bits, turned pictures, palettes.  The files are made here, byte by byte. */

/* What a picture gives: its bytes, its spec, and the one warning or NULL. */
typedef struct
{
  char *spec, *warning;
  GBytes *bytes;
} ImageRead;

static void
image_read_clear (ImageRead *self)
{
  g_free (self->spec);
  g_free (self->warning);
  g_clear_pointer (&self->bytes, g_bytes_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ImageRead, image_read_clear)

static ImageRead
image_read (const char *path, const char *first, const char *second)
{
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  g_autoptr (LeatMessage) message = NULL, another = NULL;
  ImageRead self = { 0 };
  GError *error = NULL;
  LeatHarness harness;

  leat_harness_init_source (&harness, "image:read", setting, first, second, NULL);
  leat_harness_start (&harness);
  self.spec = leat_harness_dup_spec (&harness);
  leat_harness_fill (&harness, TRUE, &error);
  g_assert_no_error (error);
  self.bytes = g_bytes_new (harness.memory->data, harness.memory->len);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_END);
  message = leat_bus_pop (leat_pipeline_get_bus (harness.pipeline), 0);
  another = leat_bus_pop (leat_pipeline_get_bus (harness.pipeline), 0);
  g_assert_null (another);
  if (message != NULL)
    {
      g_assert_cmpint (leat_message_get_kind (message), ==, LEAT_MESSAGE_WARNING);
      self.warning = g_strdup (leat_message_get_error (message)->message);
    }
  leat_harness_clear (&harness);
  return self;
}

static void
image_assert_read (const char *path, const char *first, const char *second, const char *spec, gconstpointer bytes,
                   gsize size, const char *warning)
{
  g_auto (ImageRead) is = image_read (path, first, second);
  gsize length;
  const void *data = g_bytes_get_data (is.bytes, &length);

  g_test_message ("%s %s %s: %s", path, first, second, is.warning);
  g_assert_cmpstr (is.spec, ==, spec);
  g_assert_cmpmem (data, length, bytes, size);
  if (warning == NULL)
    g_assert_null (is.warning);
  else if (is.warning == NULL || strstr (is.warning, warning) == NULL)
    g_error ("\"%s\" does not say \"%s\"", is.warning, warning);
}

static void
image_assert_refused (const char *path, const char *says)
{
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  GError *error = NULL;
  LeatHarness harness;

  leat_harness_init_source (&harness, "image:read", setting, NULL);
  if (leat_harness_plan (&harness, &error))
    {
      leat_harness_start (&harness);
      g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_ERROR);
    }
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, says);
  leat_harness_clear (&harness);
}

static void
image_add_number (GByteArray *into, guint32 number, guint size, gboolean big)
{
  for (guint i = 0; i < size; i++)
    {
      guint8 byte = (guint8) (number >> 8 * (big ? size - 1 - i : i));

      g_byte_array_append (into, &byte, 1);
    }
}

static void
image_add_text (GByteArray *into, const char *text)
{
  g_byte_array_append (into, (const guint8 *) text, (guint) strlen (text));
}

static guint32
image_crc (const guint8 *at, gsize n)
{
  guint32 crc = 0xffffffff;

  for (gsize i = 0; i < n; i++)
    {
      crc ^= at[i];
      for (guint bit = 0; bit < 8; bit++)
        crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
  return ~crc;
}

static void
image_add_chunk (GByteArray *into, const char *kind, const guint8 *data, guint size)
{
  guint begin = into->len + 4;

  image_add_number (into, size, 4, TRUE);
  image_add_text (into, kind);
  g_byte_array_append (into, data, size);
  image_add_number (into, image_crc (into->data + begin, size + 4), 4, TRUE);
}

static GBytes *
image_compress (const GByteArray *raw)
{
  g_autoptr (GConverter) converter = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, -1));
  g_autoptr (GInputStream) input = g_memory_input_stream_new_from_data (raw->data, raw->len, NULL);
  g_autoptr (GInputStream) packed = g_converter_input_stream_new (input, converter);
  guint8 *bytes = g_malloc (1 << 16);
  gsize size;

  g_assert_true (g_input_stream_read_all (packed, bytes, 1 << 16, &size, NULL, NULL));
  return g_bytes_new_take (bytes, size);
}

/* Two rows of two pixels, with as many samples each as @colour, PNG's word for it, says. */
static void
image_write_png (const char *path, guint colour, guint channels, const guint16 *samples)
{
  g_autoptr (GByteArray) head = g_byte_array_new (), raw = g_byte_array_new (), file = g_byte_array_new ();
  g_autoptr (GBytes) packed = NULL;

  image_add_number (head, 2, 4, TRUE);
  image_add_number (head, 2, 4, TRUE);
  image_add_number (head, 16, 1, TRUE);
  image_add_number (head, colour, 1, TRUE);
  image_add_number (head, 0, 3, TRUE);
  for (guint i = 0; i < 4 * channels; i++)
    {
      if (i % (2 * channels) == 0)
        image_add_number (raw, 0, 1, TRUE);
      image_add_number (raw, samples[i], 2, TRUE);
    }
  packed = image_compress (raw);
  image_add_text (file, "\x89PNG\r\n\x1a\n");
  image_add_chunk (file, "IHDR", head->data, head->len);
  image_add_chunk (file, "IDAT", g_bytes_get_data (packed, NULL), (guint) g_bytes_get_size (packed));
  image_add_chunk (file, "IEND", NULL, 0);
  leat_harness_write_file (path, file->data, file->len);
}

/* What samples of @channels channels are as @wanted ones; 65535 is full opacity. */
static void
image_convert (const guint16 *from, guint channels, guint wanted, guint16 *wide, guint8 *narrow)
{
  for (guint i = 0; i < 4; i++, from += channels)
    for (guint c = 0; c < wanted; c++)
      {
        guint16 rgba[4] = { from[0], from[channels < 3 ? 0 : 1], from[channels < 3 ? 0 : 2],
                            channels % 2 == 0 ? from[channels - 1] : 65535 };

        wide[i * wanted + c] = rgba[c];
        narrow[i * wanted + c] = (guint8) (rgba[c] / 256);
      }
}

static void
test_image_deep_png (void)
{
  static const struct
  {
    guint colour, channels;
    const char *warning3, *warning4;
  } kinds[] = {
    { 0, 1, "3 samples lose some of them in 8; set out=u16", "3 samples lose" },
    { 4, 2, "2 samples lose", "5 samples lose" },
    { 2, 3, "8 samples lose", "8 samples lose" },
    { 6, 4, "8 samples lose", "12 samples lose" },
  };
  /* Four of them are the same byte twice, and lose nothing. */
  static const guint16 samples[16] = { 0x1234, 0xffff, 0x0001, 0x0100, 0x0000, 0xfffe, 0xabab, 0x8000,
                                       0x4321, 0x0f0f, 0x7fff, 0x00ff, 0xff00, 0x5678, 0x1357, 0x2468 };
  g_autofree char *path = leat_harness_dup_path ("deep.png");
  guint16 wide[16];
  guint8 narrow[16];

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      image_write_png (path, kinds[i].colour, kinds[i].channels, samples);
      image_convert (samples, kinds[i].channels, 4, wide, narrow);
      image_assert_read (path, "channels=4", "out=u16", "u16[2,2,4]", wide, sizeof wide, NULL);
      image_assert_read (path, "channels=4", NULL, "u8[2,2,4]", narrow, sizeof narrow, kinds[i].warning4);
      image_convert (samples, kinds[i].channels, 3, wide, narrow);
      image_assert_read (path, "out=u16", NULL, "u16[2,2,3]", wide, 24, NULL);
      image_assert_read (path, NULL, NULL, "u8[2,2,3]", narrow, 12, kinds[i].warning3);
    }
  image_write_png (path, 0, 1, samples);
  image_assert_read (path, "channels=1", "out=u16", "u16[2,2]", samples, 8, NULL);
  image_assert_read (path, "channels=1", "out=u16[h,w,1]", "u16[2,2,1]", samples, 8, NULL);
  image_write_png (path, 2, 3, (const guint16[]){ 65535, 0, 0, 0, 65535, 0, 0, 0, 65535, 1, 2, 3 });
  image_assert_read (path, "channels=1", "out=u16", "u16[2,2]", (const guint16[]){ 19595, 38469, 7471, 2 }, 8, NULL);
}

/* Grey is made of what is left of the colours, and opacity is not asked for. */
static void
test_image_deep_grey (void)
{
  static const guint16 samples[16] = { 0xffff, 0x00ff, 0x0001, 0x1234, 0x0000, 0xfff0, 0x0000, 0x0000,
                                       0x0012, 0x0000, 0xffff, 0x5678, 0x0a0a, 0x1414, 0x1e1e, 0x9abc };
  static const guint16 colours[12] = { 0xffff, 0x00ff, 0x0001, 0x0000, 0xfff0, 0x0000,
                                       0x0012, 0x0000, 0xffff, 0x0a0a, 0x1414, 0x1e1e };
  static const guint8 mixed[4] = { 76, 150, 29, 18 }, first[4] = { 255, 0, 0, 18 }, odd[4] = { 255, 0, 0, 0 };
  g_autofree char *path = leat_harness_dup_path ("deep.png");

  image_write_png (path, 6, 4, samples);
  image_assert_read (path, "channels=1", NULL, "u8[2,2]", mixed, sizeof mixed, "4 samples lose some of them in 8");
  image_write_png (path, 2, 3, colours);
  image_assert_read (path, "channels=1", NULL, "u8[2,2]", mixed, sizeof mixed, "4 samples lose some of them in 8");
  image_write_png (path, 0, 1, samples);
  image_assert_read (path, "channels=1", NULL, "u8[2,2]", first, sizeof first, "3 samples lose some of them in 8");
  image_write_png (path, 4, 2, samples);
  image_assert_read (path, "channels=1", NULL, "u8[2,2]", odd, sizeof odd, "1 sample loses some of them in 8");
}

static void
test_image_deep_damaged (void)
{
  static const guint16 samples[4] = { 1, 2, 3, 4 };
  g_autofree char *path = leat_harness_dup_path ("deep.png");
  g_autofree char *bytes = NULL;
  gsize size;

  image_write_png (path, 0, 1, samples);
  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  leat_harness_write_file (path, bytes, size - 20);
  image_assert_refused (path, "it was cut short or damaged");
  bytes[size - 20] ^= 1;
  leat_harness_write_file (path, bytes, size);
  image_assert_refused (path, "it was cut short or damaged");
  leat_harness_write_file (path, "P5 2 2 65535\n\0\1\0\2\0\3\0", 20);
  image_assert_refused (path, "a sample is missing or greater than 65535");
  leat_harness_write_file (path, "P2 2 2 1000 1 2 3 1001\n", 23);
  image_assert_refused (path, "a sample is missing or greater than 1000");
}

static void
test_image_deep_pnm (void)
{
  static const struct
  {
    const char *text;
    gsize size;
    guint16 wide[6];
  } table[] = {
    { "P5\n# a comment\n2 1\n65535\n\x12\x34\xff\xff", 29, { 0x1234, 0x1234, 0x1234, 65535, 65535, 65535 } },
    { "P2 2 1 1000\n1 1000\n", 19, { 66, 66, 66, 65535, 65535, 65535 } },
    { "P6 2 1 511 \0\1\1\377\0\0\0\2\0\3\0\4", 23, { 128, 65535, 0, 256, 385, 513 } },
    { "P3\n2 1\n256\n0 1 2\n3 # three\n4 256", 32, { 0, 256, 512, 768, 1024, 65535 } },
  };
  g_autofree char *path = leat_harness_dup_path ("deep.pnm");

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      leat_harness_write_file (path, table[i].text, table[i].size);
      image_assert_read (path, "out=u16", NULL, "u16[1,2,3]", table[i].wide, sizeof table[i].wide, NULL);
    }
}

/* A TIFF file with one strip; tags in ascending order, all of one value.  The last of 2 and 4 channels is opacity. */
static void
image_write_tiff (const char *path, gboolean big, guint width, guint height, guint channels, guint bits, guint format,
                  guint turn, gconstpointer samples)
{
  const guint meaning = channels < 3 ? 1 : 2, size = width * height * channels * bits / 8;
  const guint16 tags[][2] = {
    { 256, (guint16) width },
    { 257, (guint16) height },
    { 258, (guint16) bits },
    { 259, 1 },
    { 262, (guint16) meaning },
    { 273, 8 },
    { 274, (guint16) turn },
    { 277, (guint16) channels },
    { 278, (guint16) height },
    { 279, (guint16) size },
    { channels % 2 ? 339 : 338, (guint16) (channels % 2 ? format : 2) },
    { 339, (guint16) format },
  };
  const guint n_tags = G_N_ELEMENTS (tags) - channels % 2;
  g_autoptr (GByteArray) file = g_byte_array_new ();

  image_add_text (file, big ? "MM" : "II");
  image_add_number (file, 42, 2, big);
  image_add_number (file, 8 + size, 4, big);
  for (guint i = 0; i < size * 8 / bits; i++)
    image_add_number (file, bits == 8 ? ((const guint8 *) samples)[i] : ((const guint16 *) samples)[i], bits / 8, big);
  image_add_number (file, n_tags, 2, big);
  for (guint i = 0; i < n_tags; i++)
    {
      image_add_number (file, tags[i][0], 2, big);
      image_add_number (file, 3, 2, big);
      image_add_number (file, 1, 4, big);
      image_add_number (file, tags[i][1], 2, big);
      image_add_number (file, 0, 2, big);
    }
  image_add_number (file, 0, 4, big);
  leat_harness_write_file (path, file->data, file->len);
}

static void
test_image_deep_tiff (void)
{
  static const guint16 samples[6] = { 0x1234, 0xffff, 0x0001, 0x0100, 0xabab, 0xfffe };
  static const guint8 narrow[6] = { 0x12, 0xff, 0, 1, 0xab, 0xff };
  static const guint16 grey[6] = { 0x1234, 0x1234, 0x1234, 0xffff, 0xffff, 0xffff };
  g_autofree char *path = leat_harness_dup_path ("deep.tif");

  for (guint big = 0; big < 2; big++)
    {
      image_write_tiff (path, big, 2, 1, 3, 16, 1, 1, samples);
      image_assert_read (path, "out=u16", NULL, "u16[1,2,3]", samples, sizeof samples, NULL);
      image_assert_read (path, NULL, NULL, "u8[1,2,3]", narrow, sizeof narrow, "4 samples lose");
      image_write_tiff (path, big, 2, 1, 1, 16, 1, 1, samples);
      image_assert_read (path, "out=u16", NULL, "u16[1,2,3]", grey, sizeof grey, NULL);
      image_write_tiff (path, big, 2, 1, 1, 16, 3, 1, samples);
      image_assert_refused (path, "its samples are signed or have a fraction; save it as a PNG file of 16 bits");
    }
}

/* Another value for a tag that a little-endian TIFF file has. */
static void
image_set_tag (const char *path, guint tag, guint value)
{
  const guint8 wanted[8] = { (guint8) tag, (guint8) (tag >> 8), 3, 0, 1, 0, 0, 0 };
  g_autofree char *bytes = NULL;
  guint8 *entry;
  gsize size;

  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  entry = memmem (bytes, size, wanted, sizeof wanted);
  g_assert_nonnull (entry);
  entry[8] = (guint8) value;
  entry[9] = (guint8) (value >> 8);
  leat_harness_write_file (path, bytes, size);
}

/* Its directory is whole, and the rows are not where it says, or not all of them. */
static void
test_image_deep_tiff_rows (void)
{
  static const guint16 samples[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
  static const guint16 inverse[3] = { 65534, 65533, 65532 };
  g_autofree char *path = leat_harness_dup_path ("rows.tif"), *bytes = NULL;
  static const char *const says = "rows.tif\" as a picture: its rows are not all there; it was cut short or damaged";
  g_auto (ImageRead) whole = { 0 };
  gsize size;

  image_write_tiff (path, FALSE, 2, 2, 3, 16, 1, 1, samples);
  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  image_set_tag (path, 273, (guint) size - 24);
  whole = image_read (path, "out=u16", NULL);
  g_assert_cmpuint (g_bytes_get_size (whole.bytes), ==, sizeof samples);
  image_set_tag (path, 273, (guint) size - 23);
  image_assert_refused (path, says);
  image_set_tag (path, 273, (guint) size - 12);
  image_assert_refused (path, says);
  image_set_tag (path, 273, 60000);
  image_assert_refused (path, says);
  image_write_tiff (path, FALSE, 3, 1, 1, 16, 1, 1, samples);
  image_set_tag (path, 262, 0); /* 0 is white */
  image_assert_read (path, "out=u16", "channels=1", "u16[1,3]", inverse, sizeof inverse, NULL);
}

/* Opacity beside colours, which are not multiplied with it. */
static void
test_image_opacity_tiff (void)
{
  static const guint8 samples[8] = { 200, 100, 50, 128, 255, 1, 0, 0 }, colours[6] = { 200, 100, 50, 255, 1, 0 };
  static const guint8 grey[6] = { 200, 200, 200, 50, 50, 50 };
  static const guint16 wide[8] = { 51400, 25700, 12850, 32896, 65535, 257, 0, 0 };
  g_autofree char *path = leat_harness_dup_path ("opacity.tif");

  image_write_tiff (path, FALSE, 2, 1, 4, 8, 1, 1, samples);
  image_assert_read (path, NULL, NULL, "u8[1,2,3]", colours, sizeof colours, NULL);
  image_assert_read (path, "channels=4", NULL, "u8[1,2,4]", samples, sizeof samples, NULL);
  image_assert_read (path, "channels=4", "out=u16", "u16[1,2,4]", wide, sizeof wide, NULL);
  image_write_tiff (path, TRUE, 2, 1, 2, 8, 1, 1, samples);
  image_assert_read (path, NULL, NULL, "u8[1,2,3]", grey, sizeof grey, NULL);
  image_write_tiff (path, FALSE, 2, 1, 1, 32, 3, 1, wide);
  image_assert_refused (path, "its samples have 32 bits; save it as a PNG file of 16 bits");
}

/* A text of numbers may end with the last one. */
static void
test_image_text_without_end (void)
{
  static const guint8 colours[6] = { 1, 2, 3, 4, 5, 255 }, greys[6] = { 9, 9, 9, 10, 10, 10 };
  static const guint8 black_white[6] = { 0, 0, 0, 255, 255, 255 };
  g_autofree char *path = leat_harness_dup_path ("text.pnm");

  leat_harness_write_file (path, "P3 2 1 255 1 2 3 4 5 255", 24);
  image_assert_read (path, NULL, NULL, "u8[1,2,3]", colours, sizeof colours, NULL);
  leat_harness_write_file (path, "P2 2 1 255\n9\n10", 15);
  image_assert_read (path, NULL, NULL, "u8[1,2,3]", greys, sizeof greys, NULL);
  leat_harness_write_file (path, "P1 2 1 10", 9);
  image_assert_read (path, NULL, NULL, "u8[1,2,3]", black_white, sizeof black_white, NULL);
  leat_harness_write_file (path, "P3 2 1 255 1 2 3 4 5", 20);
  image_assert_refused (path, "it was cut short");
  leat_harness_write_file (path, "P5 2 1 255\n9", 12);
  image_assert_refused (path, "it was cut short");
}

/* Of 8 bits, the whole range all the same. */
static void
test_image_deep_widens (void)
{
  static const guint8 samples[4] = { 0, 1, 128, 255 };
  static const guint16 wide[4] = { 0, 257, 128 * 257, 65535 };
  g_autofree char *path = leat_harness_dup_path ("flat.tif");

  image_write_tiff (path, FALSE, 2, 2, 1, 8, 1, 1, samples);
  image_assert_read (path, "out=u16", "channels=1", "u16[2,2]", wide, sizeof wide, NULL);
}

/* Two rows "abc", "def", and what they are upright, by the definition of each turn. */
static const char *const image_turned[] = { "abcdef", "cbafed", "fedcba", "defabc",
                                            "adbecf", "daebfc", "fcebda", "cfbead" };

static void
test_image_turns_tiff (void)
{
  g_autofree char *path = leat_harness_dup_path ("turned.tif");

  for (guint turn = 1; turn <= 8; turn++)
    for (guint deep = 0; deep < 2; deep++)
      {
        guint16 stored[6];
        g_autofree char *warning = g_strdup_printf ("it is to be turned (orientation %u)", turn);

        for (guint i = 0; i < 6; i++)
          stored[i] = (guint16) (257 * ('a' + i));
        image_write_tiff (path, FALSE, 3, 2, 1, deep ? 16 : 8, 1, turn, deep ? (gconstpointer) stored : "abcdef");
        image_assert_read (path, "channels=1", NULL, "u8[2,3]", "abcdef", 6, turn > 1 ? warning : NULL);
        image_assert_read (path, "channels=1", "out=u16", "u16[2,3]", stored, 12, turn > 1 ? warning : NULL);
        image_write_tiff (path, TRUE, 3, 2, 1, deep ? 16 : 8, 1, turn, deep ? (gconstpointer) stored : "abcdef");
        {
          g_auto (ImageRead) is = image_read (path, "channels=1", "upright=true");

          g_assert_cmpstr (is.spec, ==, turn > 4 ? "u8[3,2]" : "u8[2,3]");
          g_assert_cmpmem (g_bytes_get_data (is.bytes, NULL), g_bytes_get_size (is.bytes), image_turned[turn - 1], 6);
          g_assert_null (is.warning);
        }
      }
}

/* EXIF data that asks for @turn, in a number of that @type, behind so many @others in a directory that begins @at. */
static GByteArray *
image_new_exif (gboolean big, guint at, guint others, guint type, guint turn)
{
  GByteArray *exif = g_byte_array_new ();

  image_add_text (exif, big ? "MM" : "II");
  image_add_number (exif, 42, 2, big);
  image_add_number (exif, at, 4, big);
  while (exif->len < at)
    image_add_number (exif, 0, 1, big);
  image_add_number (exif, others + 1, 2, big);
  for (guint i = 0; i <= others; i++)
    {
      image_add_number (exif, i < others ? 0x0100 + i : 0x0112, 2, big);
      image_add_number (exif, type, 2, big);
      image_add_number (exif, 1, 4, big);
      image_add_number (exif, i < others ? 3 : turn, 2, big);
      image_add_number (exif, 0, 2, big);
    }
  return exif;
}

static void
image_add_exif (GByteArray *into, gboolean png, const guint8 *exif, guint size)
{
  if (png)
    {
      image_add_chunk (into, "eXIf", exif, size);
      return;
    }
  image_add_number (into, 0xffe1, 2, TRUE);
  image_add_number (into, size + 8, 2, TRUE);
  g_byte_array_append (into, (const guint8 *) "Exif\0\0", 6);
  g_byte_array_append (into, exif, size);
}

/* A picture of which @more comes behind the head. */
static void
image_write_more (const char *path, gboolean png, const GByteArray *more)
{
  g_autofree char *from =
    g_test_build_filename (G_TEST_DIST, "..", "graphs", png ? "mandelbrot.png" : "photo.jpg", NULL);
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_autofree char *bytes = NULL;
  guint head = png ? 33 : 2;
  gsize size;

  g_assert_true (g_file_get_contents (from, &bytes, &size, NULL));
  g_byte_array_append (file, (const guint8 *) bytes, head);
  g_byte_array_append (file, more->data, more->len);
  g_byte_array_append (file, (const guint8 *) bytes + head, (guint) size - head);
  leat_harness_write_file (path, file->data, file->len);
}

static void
test_image_turns_exif (gconstpointer data)
{
  const gboolean png = g_str_equal (data, "png");
  g_autofree char *path = leat_harness_dup_path ("turned");
  g_autoptr (GByteArray) exif = image_new_exif (TRUE, 8, 0, 3, 6), more = g_byte_array_new ();
  g_auto (ImageRead) stored = { 0 };
  g_auto (ImageRead) upright = { 0 };
  const guint8 *from, *to;
  guint width, height;

  image_add_exif (more, png, exif->data, exif->len);
  image_write_more (path, png, more);
  stored = image_read (path, "channels=1", NULL);
  upright = image_read (path, "channels=1", "upright=true");
  g_assert_nonnull (stored.warning);
  g_assert_nonnull (strstr (stored.warning, "it is to be turned (orientation 6)"));
  g_assert_null (upright.warning);
  g_assert_cmpint (sscanf (stored.spec, "u8[%u,%u]", &height, &width), ==, 2);
  from = g_bytes_get_data (stored.bytes, NULL);
  to = g_bytes_get_data (upright.bytes, NULL);
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++)
      if (from[y * width + x] != to[x * height + height - 1 - y])
        g_error ("pixel %u, %u is not where it belongs", x, y);
}

/* Both pictures are wider than high, and upright ones higher than wide where a quarter of a turn is asked for. */
static void
image_assert_turned (const char *path, gboolean png, const GByteArray *more, gboolean turned)
{
  g_autofree char *setting = g_strconcat ("path=", path, NULL), *spec = NULL;
  guint width = 0, height = 0;
  GError *error = NULL;
  LeatHarness harness;

  image_write_more (path, png, more);
  leat_harness_init_source (&harness, "image:read", setting, "channels=1", "upright=true", NULL);
  leat_harness_plan (&harness, &error);
  g_assert_no_error (error);
  spec = leat_harness_dup_spec (&harness);
  g_assert_cmpint (sscanf (spec, "u8[%u,%u]", &height, &width), ==, 2);
  g_assert_true ((height > width) == turned);
  leat_harness_clear (&harness);
}

/* Where the turn stands in the EXIF data, and where it does not: it ends with the entry that says it, and may end
 * anywhere before. */
static void
test_image_exif_entries (gconstpointer data)
{
  static const struct
  {
    guint at, others, type, turn;
    gboolean turned;
  } table[] = {
    { 8, 0, 3, 6, TRUE },  { 8, 0, 3, 8, TRUE },  { 8, 3, 3, 5, TRUE },  { 13, 1, 3, 7, TRUE },
    { 8, 0, 3, 4, FALSE }, { 8, 0, 3, 0, FALSE }, { 8, 0, 3, 9, FALSE }, { 8, 2, 4, 6, FALSE },
  };
  const gboolean png = g_str_equal (data, "png");
  g_autofree char *path = leat_harness_dup_path ("turned");

  for (guint i = 0; i < 2 * G_N_ELEMENTS (table); i++)
    {
      const guint k = i / 2, others = table[k].others;
      g_autoptr (GByteArray) exif = image_new_exif (i % 2 == 0, table[k].at, others, table[k].type, table[k].turn);

      for (guint size = i < 2 ? 0 : exif->len - 1; size <= exif->len; size++)
        {
          g_autoptr (GByteArray) more = g_byte_array_new ();

          image_add_exif (more, png, exif->data, size);
          image_assert_turned (path, png, more, table[k].turned && size == exif->len);
        }
      if (others > 0)
        {
          g_autoptr (GByteArray) more = g_byte_array_new ();

          exif->data[table[k].at + (i % 2 == 0)] = (guint8) others; /* the turn is behind the directory's end */
          image_add_exif (more, png, exif->data, exif->len);
          image_assert_turned (path, png, more, FALSE);
        }
    }
}

/* A directory that begins nowhere, or behind the end. */
static void
test_image_exif_nowhere (gconstpointer data)
{
  static const guint8 places[][4] = { { 0, 0, 0, 0 }, { 0, 0, 0, 13 }, { 0, 0, 1, 0 }, { 0xff, 0xff, 0xff, 0xff } };
  const gboolean png = g_str_equal (data, "png");
  g_autofree char *path = leat_harness_dup_path ("turned");

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autoptr (GByteArray) exif = image_new_exif (TRUE, 12, 0, 3, 6), more = g_byte_array_new ();

      memcpy (exif->data + 4, places[i], 4);
      image_add_exif (more, png, exif->data, exif->len);
      image_assert_turned (path, png, more, FALSE);
    }
}

/* Parts of a JPEG file: some fill up, some have EXIF data without a turn, and one is too short for any. */
static void
test_image_exif_parts (void)
{
  g_autofree char *path = leat_harness_dup_path ("turned.jpg");
  g_autoptr (GByteArray) turn = image_new_exif (TRUE, 8, 0, 3, 6), other = image_new_exif (TRUE, 8, 1, 4, 6);
  g_autoptr (GByteArray) more = g_byte_array_new ();

  image_add_text (more, "\xff\xff\xff");
  image_add_exif (more, FALSE, turn->data, turn->len);
  image_assert_turned (path, FALSE, more, TRUE);
  image_add_exif (more, FALSE, other->data, 0);
  image_assert_turned (path, FALSE, more, TRUE);
  image_add_exif (more, FALSE, other->data, other->len);
  image_assert_turned (path, FALSE, more, TRUE);
  g_byte_array_set_size (more, 0);
  image_add_exif (more, FALSE, other->data, 0);
  image_add_exif (more, FALSE, other->data, other->len);
  image_assert_turned (path, FALSE, more, FALSE);
  image_add_exif (more, FALSE, turn->data, turn->len);
  image_assert_turned (path, FALSE, more, TRUE);
  g_byte_array_set_size (more, 0);
  image_add_exif (more, FALSE, turn->data, turn->len);
  more->data[3] = 7;
  image_assert_turned (path, FALSE, more, FALSE);
}

/* Colours of 5 bits each in a palette, with the first of them red, green and blue. */
static void
test_image_palette (void)
{
  static const guint16 colours[4] = { 0x7c00, 0x03e0, 0x801f, 0x4210 };
  static const guint8 pixels[12] = { 255, 0, 0, 0, 255, 0, 0, 0, 255, 132, 132, 132 };
  g_autofree char *path = leat_harness_dup_path ("palette.tga");

  for (guint bits = 15; bits <= 16; bits++)
    for (guint first = 0; first < 2; first++)
      {
        const guint8 head[18] = { 0, 1, 1, (guint8) first, 0, 4, 0, (guint8) bits, 0, 0, 0, 0, 4, 0, 1, 0, 8, 0x20 };
        g_autoptr (GByteArray) file = g_byte_array_new ();

        g_byte_array_append (file, head, sizeof head);
        for (guint i = 0; i < 4; i++)
          image_add_number (file, colours[i], 2, FALSE);
        for (guint i = 0; i < 4; i++)
          image_add_number (file, i + first, 1, FALSE);
        leat_harness_write_file (path, file->data, file->len);
        if (first == 0)
          image_assert_read (path, NULL, NULL, "u8[1,4,3]", pixels, sizeof pixels, NULL);
        else
          image_assert_refused (path, "its palette does not begin with colour 0");
      }
}

/* Where there is no palette, what would be its first colour says nothing. */
static void
test_image_no_palette (void)
{
  static const guint8 head[18] = { 0, 0, 2, 1, 0, 0, 0, 16, 0, 0, 0, 0, 2, 0, 1, 0, 24, 0x20 };
  static const guint8 colours[6] = { 3, 2, 1, 30, 20, 10 }, pixels[6] = { 1, 2, 3, 10, 20, 30 };
  g_autofree char *path = leat_harness_dup_path ("no-palette.tga");
  g_autoptr (GByteArray) file = g_byte_array_new ();

  g_byte_array_append (file, head, sizeof head);
  g_byte_array_append (file, colours, sizeof colours);
  leat_harness_write_file (path, file->data, file->len);
  image_assert_read (path, NULL, NULL, "u8[1,2,3]", pixels, sizeof pixels, NULL);
}

/* Something between the palette and the pixels of a BMP file: it is said why that cannot be read. */
static void
test_image_gap (void)
{
  static const guint8 pixels[12] = { 1, 2, 3, 10, 20, 30, 1, 2, 3, 10, 20, 30 };
  g_autofree char *path = leat_harness_dup_path ("gap.bmp");

  for (guint gap = 0; gap <= 20; gap += 10)
    {
      g_autoptr (GByteArray) file = g_byte_array_new ();
      g_autofree char *says = g_strdup_printf ("its pixels begin %u bytes behind its palette", gap);
      const guint32 numbers[] = { 40, 2, 2, 1 | 8 << 16, 0, 8, 0, 0, 2, 2, 0x010203, 0x0a141e };

      image_add_text (file, "BM");
      image_add_number (file, 62 + gap + 8, 4, FALSE);
      image_add_number (file, 0, 4, FALSE);
      image_add_number (file, 62 + gap, 4, FALSE);
      for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
        image_add_number (file, numbers[i], 4, FALSE);
      for (guint i = 0; i < gap; i++)
        image_add_number (file, 1, 1, FALSE);
      for (guint row = 0; row < 2; row++)
        image_add_number (file, 0x0100, 4, FALSE);
      leat_harness_write_file (path, file->data, file->len);
      if (gap == 0)
        image_assert_read (path, NULL, NULL, "u8[2,2,3]", pixels, sizeof pixels, NULL);
      else
        image_assert_refused (path, says);
    }
}

/* GdkPixbuf cannot read it, and of some files never comes back. */
static void
test_image_arithmetic (void)
{
  g_autofree char *from = g_test_build_filename (G_TEST_DIST, "..", "graphs", "photo.jpg", NULL);
  g_autofree char *path = leat_harness_dup_path ("arithmetic.jpg"), *bytes = NULL;
  guint8 *frame;
  gsize size;

  g_assert_true (g_file_get_contents (from, &bytes, &size, NULL));
  frame = memmem (bytes, size, "\xff\xc0", 2);
  frame = frame != NULL ? frame : memmem (bytes, size, "\xff\xc2", 2);
  g_assert_nonnull (frame);
  frame[1] = (guint8) (frame[1] + 9); /* the same kind of frame with the other coding */
  leat_harness_write_file (path, bytes, size);
  image_assert_refused (path, "it is a JPEG file with arithmetic coding");
}

/* What is no picture is told as what it is. */
static void
test_image_other_kind (void)
{
  g_autofree char *path = leat_harness_dup_path ("other.png");

  leat_harness_write_file (path, "\x1f\x8b\x08\0\0\0\0\0\0\0\0\0", 12);
  image_assert_refused (path, "other.png\" as a picture: it is compressed by gzip; unpack it first, with gunzip -k");
  leat_harness_write_file (path, "\x93NUMPY\1\0\0\0\0\0", 12);
  image_assert_refused (path, "it is an .npy file; io:npy path=/");
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/image-read/deep/png", test_image_deep_png);
  g_test_add_func ("/leat/image-read/deep/grey", test_image_deep_grey);
  g_test_add_func ("/leat/image-read/deep/pnm", test_image_deep_pnm);
  g_test_add_func ("/leat/image-read/deep/tiff", test_image_deep_tiff);
  g_test_add_func ("/leat/image-read/deep/tiff/rows", test_image_deep_tiff_rows);
  g_test_add_func ("/leat/image-read/deep/damaged", test_image_deep_damaged);
  g_test_add_func ("/leat/image-read/deep/widens", test_image_deep_widens);
  g_test_add_func ("/leat/image-read/opacity/tiff", test_image_opacity_tiff);
  g_test_add_func ("/leat/image-read/text-without-end", test_image_text_without_end);
  g_test_add_func ("/leat/image-read/turns/tiff", test_image_turns_tiff);
  g_test_add_data_func ("/leat/image-read/turns/jpeg", "jpeg", test_image_turns_exif);
  g_test_add_data_func ("/leat/image-read/turns/png", "png", test_image_turns_exif);
  g_test_add_data_func ("/leat/image-read/exif/jpeg", "jpeg", test_image_exif_entries);
  g_test_add_data_func ("/leat/image-read/exif/png", "png", test_image_exif_entries);
  g_test_add_data_func ("/leat/image-read/exif/jpeg/nowhere", "jpeg", test_image_exif_nowhere);
  g_test_add_data_func ("/leat/image-read/exif/png/nowhere", "png", test_image_exif_nowhere);
  g_test_add_func ("/leat/image-read/exif/parts", test_image_exif_parts);
  g_test_add_func ("/leat/image-read/palette", test_image_palette);
  g_test_add_func ("/leat/image-read/no-palette", test_image_no_palette);
  g_test_add_func ("/leat/image-read/gap", test_image_gap);
  g_test_add_func ("/leat/image-read/arithmetic", test_image_arithmetic);
  g_test_add_func ("/leat/image-read/other-kind", test_image_other_kind);
  result = g_test_run ();
  leat_harness_remove_files ();
  return result;
}
