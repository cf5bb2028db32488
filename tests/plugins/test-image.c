/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h> /* wants stdio.h before it */

typedef LeatHarness Harness;

/* Two rows of three pixels; the fourth byte is opacity. */
static const guint8 test_image_rgba[24] = { 255, 0,  0,  255, 0,   255, 0,   0,   0, 0, 255, 128,
                                            10,  20, 30, 40,  255, 255, 255, 255, 0, 0, 0,   1 };

static void
test_image_save (const char *path, const char *format, gboolean alpha)
{
  g_autoptr (GdkPixbuf) pixbuf = gdk_pixbuf_new (GDK_COLORSPACE_RGB, alpha, 8, 3, 2);
  GError *error = NULL;

  for (guint y = 0; y < 2; y++)
    for (guint x = 0; x < 3; x++)
      memcpy (gdk_pixbuf_get_pixels (pixbuf) + y * (guint) gdk_pixbuf_get_rowstride (pixbuf) + x * (alpha ? 4 : 3),
              test_image_rgba + (y * 3 + x) * 4, alpha ? 4 : 3);
  gdk_pixbuf_save (pixbuf, path, format, &error, NULL);
  g_assert_no_error (error);
}

static void
test_image_assert_read (const char *path, const char *first, const char *second, const char *spec, const guint8 *pixels,
                        gsize size)
{
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  g_autofree char *found = NULL;
  GError *error = NULL;
  Harness harness;

  leat_harness_init_source (&harness, "image:read", setting, first, second, NULL);
  leat_harness_start (&harness);
  found = leat_harness_dup_spec (&harness);
  g_assert_cmpstr (found, ==, spec);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  g_assert_cmpmem (harness.memory->data, harness.memory->len, pixels, size);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_END);
  leat_harness_clear (&harness);
}

static void
test_image_channels (void)
{
  g_autofree char *opaque = leat_harness_dup_path ("opaque.png");
  g_autofree char *clear = leat_harness_dup_path ("clear.png");
  guint8 rgb[18], solid[24];
  /* 0.299, 0.587 and 0.114 of 255, and of 10, 20, 30, rounded */
  const guint8 grey[] = { 76, 150, 29, 18, 255, 0 };

  for (guint i = 0; i < 6; i++)
    {
      memcpy (rgb + i * 3, test_image_rgba + i * 4, 3);
      memcpy (solid + i * 4, test_image_rgba + i * 4, 3);
      solid[i * 4 + 3] = 255;
    }
  test_image_save (opaque, "png", FALSE);
  test_image_save (clear, "png", TRUE);
  for (guint i = 0; i < 2; i++)
    {
      const char *path = i == 0 ? opaque : clear;

      test_image_assert_read (path, NULL, NULL, "u8[2,3,3]", rgb, sizeof rgb);
      test_image_assert_read (path, "channels=1", NULL, "u8[2,3]", grey, sizeof grey);
      test_image_assert_read (path, "channels=1", "out=u8[h,w,1]", "u8[2,3,1]", grey, sizeof grey);
      test_image_assert_read (path, "channels=4", NULL, "u8[2,3,4]", i == 0 ? solid : test_image_rgba, sizeof solid);
    }
}

static void
test_image_refuse_read (const char *path, const char *extra, int code, const char *says)
{
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  GError *error = NULL;
  Harness harness;

  leat_harness_init_source (&harness, "image:read", setting, extra, NULL);
  g_assert_false (leat_harness_plan (&harness, &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, code, says);
  leat_harness_clear (&harness);
}

/* A PNG file's head that claims a size, and the beginning of the pixels, of which none follow. */
static void
test_image_write_head (const char *path, guint32 width, guint32 height)
{
  guint8 file[41] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
  guint32 crc = 0xffffffff;

  width = GUINT32_TO_BE (width);
  height = GUINT32_TO_BE (height);
  memcpy (file + 16, &width, 4);
  memcpy (file + 20, &height, 4);
  memcpy (file + 24, "\x08\x02\0\0\0", 5);
  for (guint i = 12; i < 29; i++)
    {
      crc ^= file[i];
      for (guint bit = 0; bit < 8; bit++)
        crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
  crc = GUINT32_TO_BE (~crc);
  memcpy (file + 29, &crc, 4);
  memcpy (file + 33, "\0\0\0\xffIDAT", 8);
  leat_harness_write_file (path, file, sizeof file);
}

static void
test_image_read_refuses (void)
{
  g_autofree char *path = leat_harness_dup_path ("bad.png");

  test_image_refuse_read ("/proc/none/such.png", NULL, LEAT_GRAPH_ERROR_IO, "/proc/none/such.png");
  test_image_refuse_read ("/dev/null", NULL, LEAT_GRAPH_ERROR_IO, "not a regular file");
  leat_harness_write_file (path, "", 0);
  test_image_refuse_read (path, NULL, LEAT_GRAPH_ERROR_DATA, "as a picture");
  leat_harness_write_file (path, "no picture at all", 17);
  test_image_refuse_read (path, NULL, LEAT_GRAPH_ERROR_DATA, "as a picture");
  leat_harness_write_file (path, "\x89PNG\r\n\x1a\n\0\0", 10);
  test_image_refuse_read (path, NULL, LEAT_GRAPH_ERROR_DATA, "as a picture");
  test_image_write_head (path, 100000, 100000);
  test_image_refuse_read (path, NULL, LEAT_GRAPH_ERROR_DATA, "100000x100000");
  test_image_write_head (path, 0x7fffffff, 0x7fffffff);
  test_image_refuse_read (path, NULL, LEAT_GRAPH_ERROR_DATA, "bad.png");
  test_image_save (path, "png", FALSE);
  test_image_refuse_read (path, "max-pixels=5", LEAT_GRAPH_ERROR_DATA, "3x2 are 6 pixels, and max-pixels is 5");
  test_image_refuse_read (path, "channels=2", LEAT_GRAPH_ERROR_RANGE, "channels=2");
  test_image_refuse_read (path, "out=u8[4,4,3]", LEAT_GRAPH_ERROR_SPEC, "u8[2,3,3]");
}

/* Good at its front and cut: found when it is decoded, not taken for a picture. */
static void
test_image_read_truncated (void)
{
  static const char *const formats[] = { "png", "jpeg", "bmp", "tiff" };
  g_autofree char *photo = g_test_build_filename (G_TEST_DIST, "..", "graphs", "photo.jpg", NULL);
  g_autofree char *path = leat_harness_dup_path ("cut.picture");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  g_autoptr (GdkPixbuf) pixbuf = gdk_pixbuf_new_from_file (photo, NULL);

  g_assert_nonnull (pixbuf);
  for (guint i = 0; i < G_N_ELEMENTS (formats) * 3; i++)
    {
      g_autofree char *data = NULL;
      GError *error = NULL;
      gsize size, cut;
      Harness harness;

      gdk_pixbuf_save_to_buffer (pixbuf, &data, &size, formats[i / 3], &error, NULL);
      g_assert_no_error (error);
      cut = i % 3 == 0 ? size : i % 3 == 1 ? size - 1 : size / 2;
      leat_harness_write_file (path, data, cut);
      leat_harness_init_source (&harness, "image:read", setting, NULL);
      if (!leat_harness_plan (&harness, &error))
        leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, "cut.picture");
      else
        {
          leat_harness_start (&harness);
          g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==,
                           cut == size ? LEAT_FLOW_DATA : LEAT_FLOW_ERROR);
          if (cut < size)
            leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, "cut.picture");
        }
      g_assert_no_error (error);
      leat_harness_clear (&harness);
    }
}

/* The photo as one scan, or as several from coarse to fine. */
static GByteArray *
test_image_encode_jpeg (GdkPixbuf *pixbuf, gboolean progressive)
{
  struct jpeg_compress_struct encoder;
  struct jpeg_error_mgr errors;
  unsigned char *data = NULL;
  unsigned long size = 0;
  GByteArray *file = g_byte_array_new ();

  encoder.err = jpeg_std_error (&errors);
  jpeg_create_compress (&encoder);
  jpeg_mem_dest (&encoder, &data, &size);
  encoder.image_width = (guint) gdk_pixbuf_get_width (pixbuf);
  encoder.image_height = (guint) gdk_pixbuf_get_height (pixbuf);
  encoder.input_components = 3;
  encoder.in_color_space = JCS_RGB;
  jpeg_set_defaults (&encoder);
  if (progressive)
    jpeg_simple_progression (&encoder);
  jpeg_start_compress (&encoder, TRUE);
  while (encoder.next_scanline < encoder.image_height)
    {
      guint8 *row = gdk_pixbuf_get_pixels (pixbuf) + encoder.next_scanline * (guint) gdk_pixbuf_get_rowstride (pixbuf);

      jpeg_write_scanlines (&encoder, &row, 1);
    }
  jpeg_finish_compress (&encoder);
  jpeg_destroy_compress (&encoder);
  g_byte_array_append (file, data, (guint) size);
  free (data);
  return file;
}

static gboolean
test_image_can_read (const char *path, const void *data, gsize size)
{
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  GError *error = NULL;
  Harness harness;
  gboolean read;

  leat_harness_write_file (path, data, size);
  leat_harness_init_source (&harness, "image:read", setting, NULL);
  leat_harness_start (&harness);
  read = leat_harness_fill (&harness, TRUE, &error) == LEAT_FLOW_DATA;
  if (!read)
    leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, "cut short");
  g_assert_no_error (error);
  leat_harness_clear (&harness);
  return read;
}

/* What is missing libjpeg makes up, where the next marker shows that nothing more comes. */
static void
test_image_read_jpeg_hole (void)
{
  static const guint8 end[] = { 0xff, 0xd9 }, junk[] = { 1, 2, 3, 4 };
  g_autofree char *photo = g_test_build_filename (G_TEST_DIST, "..", "graphs", "photo.jpg", NULL);
  g_autofree char *path = leat_harness_dup_path ("hole.jpg");
  g_autoptr (GdkPixbuf) pixbuf = gdk_pixbuf_new_from_file (photo, NULL);

  g_assert_nonnull (pixbuf);
  for (guint progressive = 0; progressive < 2; progressive++)
    {
      g_autoptr (GByteArray) file = test_image_encode_jpeg (pixbuf, progressive != 0);
      g_autoptr (GByteArray) made = g_byte_array_new ();
      const guint8 *scan = NULL;

      g_assert_true (test_image_can_read (path, file->data, file->len));
      /* before the end, and after it: neither is part of the picture */
      g_byte_array_append (made, file->data, file->len - 2);
      g_byte_array_append (made, junk, sizeof junk);
      g_byte_array_append (made, end, sizeof end);
      g_byte_array_append (made, junk, sizeof junk);
      g_assert_true (test_image_can_read (path, made->data, made->len));
      for (guint part = 1; part < 4; part++)
        {
          g_byte_array_set_size (made, 0);
          g_byte_array_append (made, file->data, file->len * (6 + part) / 10);
          g_byte_array_append (made, end, sizeof end);
          g_assert_false (test_image_can_read (path, made->data, made->len));
        }
      /* The finest scan is left out, and no bit is missing in those before it. */
      for (guint i = 0; i + 1 < file->len; i++)
        if (file->data[i] == 0xff && file->data[i + 1] == 0xda)
          scan = file->data + i;
      g_byte_array_set_size (made, 0);
      g_byte_array_append (made, file->data, (guint) (scan - file->data));
      g_byte_array_append (made, end, sizeof end);
      if (progressive != 0)
        g_assert_false (test_image_can_read (path, made->data, made->len));
    }
}

/* Rows come one by one in all of them, and loaders are content with fewer; nor may GdkPixbuf warn of anything. */
static void
test_image_read_plain_formats (void)
{
  static const char *const heads[] = { "P6 9 8 255\n", "P5\n# grey\n9 8\n255\n", "P4\n9 8\n",
                                       "\0\0\2\0\0\0\0\0\0\0\0\0\x09\0\x08\0\x18\x20" };
  static const gsize head_sizes[] = { 11, 18, 7, 18 }, sizes[] = { 216, 72, 16, 216 };
  g_autofree char *path = leat_harness_dup_path ("plain.picture");

  for (guint i = 0; i < G_N_ELEMENTS (heads); i++)
    {
      g_autoptr (GByteArray) file = g_byte_array_new ();

      g_byte_array_append (file, (const guint8 *) heads[i], (guint) head_sizes[i]);
      for (guint8 k = 0; k < sizes[i]; k++)
        g_byte_array_append (file, &k, 1);
      g_assert_true (test_image_can_read (path, file->data, file->len));
      g_assert_false (i < 3 && test_image_can_read (path, file->data, file->len - 1));
      g_assert_false (i < 3 && test_image_can_read (path, file->data, file->len / 2));
    }
}

static void
test_image_read_changed (void)
{
  g_autofree char *path = leat_harness_dup_path ("changes.png");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  GError *error = NULL;
  Harness harness;

  test_image_save (path, "png", FALSE);
  leat_harness_init_source (&harness, "image:read", setting, NULL);
  leat_harness_start (&harness);
  leat_harness_stop (&harness);
  test_image_write_head (path, 30000, 30000);
  g_assert_true (LEAT_ENDPOINT_GET_CLASS (harness.node)->start (harness.node, &error));
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_ERROR);
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, "30000x30000 now");
  leat_harness_clear (&harness);
}

static void
test_image_photo (void)
{
  g_autofree char *photo = g_test_build_filename (G_TEST_DIST, "..", "graphs", "photo.jpg", NULL);
  g_autoptr (GdkPixbuf) pixbuf = gdk_pixbuf_new_from_file (photo, NULL);
  g_autofree guint8 *pixels = g_malloc (600 * 400 * 3);

  g_assert_nonnull (pixbuf);
  for (guint y = 0; y < 400; y++)
    memcpy (pixels + y * 1800, gdk_pixbuf_get_pixels (pixbuf) + y * (guint) gdk_pixbuf_get_rowstride (pixbuf), 1800);
  test_image_assert_read (photo, NULL, NULL, "u8[400,600,3]", pixels, 600 * 400 * 3);
}

/* Written, then read again by this program's own GdkPixbuf. */
static void
test_image_assert_written (const char *spec, const char *name, const char *extra, const guint8 *pixels, gsize size,
                           const guint8 *expected, guint channels)
{
  g_autofree char *path = leat_harness_dup_path (name);
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  g_autoptr (GdkPixbuf) pixbuf = NULL;
  GError *error = NULL;
  Harness harness;

  leat_harness_remove_files ();
  leat_harness_init_sink (&harness, "image:write", spec, setting, extra, NULL);
  leat_harness_start (&harness);
  g_assert_true (leat_harness_drain (&harness, pixels, size, &error));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_true (leat_harness_finish (&harness, &error));
  leat_harness_clear (&harness);
  leat_harness_assert_folder_has (1);
  pixbuf = gdk_pixbuf_new_from_file (path, &error);
  g_assert_no_error (error);
  g_assert_cmpint (gdk_pixbuf_get_n_channels (pixbuf), ==, channels);
  g_assert_cmpint (gdk_pixbuf_get_width (pixbuf), ==, 3);
  g_assert_cmpint (gdk_pixbuf_get_height (pixbuf), ==, 2);
  for (guint y = 0; y < 2 && expected != NULL; y++)
    g_assert_cmpmem (gdk_pixbuf_get_pixels (pixbuf) + y * (guint) gdk_pixbuf_get_rowstride (pixbuf), 3 * channels,
                     expected + y * 3 * channels, 3 * channels);
}

static void
test_image_writes (void)
{
  const guint8 grey[] = { 0, 50, 100, 150, 200, 250 };
  guint8 spread[18];

  for (guint i = 0; i < 18; i++)
    spread[i] = grey[i / 3];
  test_image_assert_written ("u8[2,3]", "a.png", NULL, grey, 6, spread, 3);
  test_image_assert_written ("u8[2,3,1]", "a.png", NULL, grey, 6, spread, 3);
  test_image_assert_written ("u8[2,3,3]", "a.png", NULL, spread, 18, spread, 3);
  test_image_assert_written ("u8[2,3,4]", "a.png", NULL, test_image_rgba, 24, test_image_rgba, 4);
  test_image_assert_written ("u8[2,3,3]", "a", "format=png", spread, 18, spread, 3);
  test_image_assert_written ("u8[2,3,3]", "a.JPG", "quality=100", spread, 18, NULL, 3);
}

static void
test_image_write_refuses_spec (void)
{
  static const struct
  {
    const char *spec, *path;
    int code;
    const char *says;
  } table[] = {
    { "u8[2,3,2]", "path=a.png", LEAT_GRAPH_ERROR_SPEC, "u8[2,3,2]" },
    { "u8[6]", "path=a.png", LEAT_GRAPH_ERROR_SPEC, "u8[height,width]" },
    { "u8[<=2,3]", "path=a.png", LEAT_GRAPH_ERROR_SPEC, "u8[<=2,3]" },
    { "u8[2,3,4]", "path=a.jpg", LEAT_GRAPH_ERROR_SPEC, "no opacity" },
    { "u8[2,70000]", "path=a.jpg", LEAT_GRAPH_ERROR_SPEC, "too large" },
    { "u8[2,3]", "path=a.tiff", LEAT_GRAPH_ERROR_MISSING, "format=png" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      GError *error = NULL;
      Harness harness;

      leat_harness_init_sink (&harness, "image:write", table[i].spec, table[i].path, NULL);
      g_assert_false (leat_harness_plan (&harness, &error));
      leat_harness_assert_error (error, LEAT_GRAPH_ERROR, table[i].code, table[i].says);
      leat_harness_clear (&harness);
    }
}

static void
test_image_write_counts_pictures (void)
{
  g_autofree char *path = leat_harness_dup_path ("one.png");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  GError *error = NULL;
  Harness harness;

  leat_harness_remove_files ();
  leat_harness_init_sink (&harness, "image:write", "u8[1,1]", setting, NULL);
  leat_harness_start (&harness);
  g_assert_false (leat_harness_finish (&harness, &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, "before a picture");
  g_assert_true (leat_harness_drain (&harness, "a", 1, &error));
  g_assert_false (leat_harness_drain (&harness, "b", 1, &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, "a second one");
  leat_harness_clear (&harness);
  leat_harness_assert_folder_has (0);
}

static void
test_image_write_disk_full (void)
{
  g_autofree char *pixels = g_malloc0 (512 * 512);
  GError *error = NULL;
  Harness harness;

  leat_harness_init_sink (&harness, "image:write", "u8[512,512]", "path=/dev/full", "format=png", NULL);
  leat_harness_start (&harness);
  g_assert_false (leat_harness_drain (&harness, pixels, 512 * 512, &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, "/dev/full");
  leat_harness_clear (&harness);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/image-read/channels", test_image_channels);
  g_test_add_func ("/leat/image-read/photo", test_image_photo);
  g_test_add_func ("/leat/image-read/refuses", test_image_read_refuses);
  g_test_add_func ("/leat/image-read/refuses-truncated", test_image_read_truncated);
  g_test_add_func ("/leat/image-read/refuses-jpeg-hole", test_image_read_jpeg_hole);
  g_test_add_func ("/leat/image-read/plain-formats", test_image_read_plain_formats);
  g_test_add_func ("/leat/image-read/refuses-changed", test_image_read_changed);
  g_test_add_func ("/leat/image-write/formats", test_image_writes);
  g_test_add_func ("/leat/image-write/refuses-spec", test_image_write_refuses_spec);
  g_test_add_func ("/leat/image-write/counts-pictures", test_image_write_counts_pictures);
  g_test_add_func ("/leat/image-write/disk-full", test_image_write_disk_full);
  return g_test_run ();
}
