/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* PNG files of 16 bits a sample, by libpng.  Reads the input and gives a new picture. */

#include "leat-image-png.h"

#include <png.h>

typedef struct
{
  LeatInputFile *input;
  GCancellable *cancellable;
  png_structp reader;
  png_infop info;
  LeatImageDeep *picture;
  GError *error;
} LeatImagePng;

/* Leaves libpng, as it asks for with longjmp (). */
G_GNUC_NORETURN static void
leat_image_png_fail (png_structp reader, png_const_charp why)
{
  LeatImagePng *self = png_get_error_ptr (reader);

  if (self->error == NULL)
    g_set_error (&self->error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                 "cannot read \"%s\" as a picture: %s; it was cut short or damaged, and needs to be whole",
                 leat_input_file_get_path (self->input), why);
  png_longjmp (reader, 1);
}

static void
leat_image_png_warn (png_structp reader, png_const_charp what)
{
}

static void
leat_image_png_fill (png_structp reader, png_bytep to, size_t size)
{
  LeatImagePng *self = png_get_io_ptr (reader);
  gsize got;

  if (leat_input_file_read (self->input, to, size, &got, TRUE, self->cancellable, &self->error) == LEAT_FLOW_ERROR
      || got < size)
    leat_image_png_fail (reader, "it ends too early");
}

static void
leat_image_png_decode (LeatImagePng *self)
{
  guint width, height, channels;
  int passes;

  png_read_info (self->reader, self->info);
  if (png_get_valid (self->reader, self->info, PNG_INFO_tRNS))
    png_set_tRNS_to_alpha (self->reader);
  if (G_BYTE_ORDER == G_LITTLE_ENDIAN)
    png_set_swap (self->reader);
  passes = png_set_interlace_handling (self->reader);
  png_read_update_info (self->reader, self->info);
  width = png_get_image_width (self->reader, self->info);
  height = png_get_image_height (self->reader, self->info);
  channels = png_get_channels (self->reader, self->info);
  self->picture = leat_image_deep_new (self->input, width, height, channels, &self->error);
  if (self->picture == NULL || png_get_bit_depth (self->reader, self->info) != 16)
    leat_image_png_fail (self->reader, "its samples have no 16 bits");
  for (int pass = 0; pass < passes; pass++)
    for (guint y = 0; y < height; y++)
      png_read_row (self->reader, (png_bytep) (self->picture->samples + (gsize) y * width * channels), NULL);
  png_read_end (self->reader, NULL);
}

LeatImageDeep *
leat_image_png_read (LeatInputFile *input, GCancellable *cancellable, GError **error)
{
  LeatImagePng self = { .input = input, .cancellable = cancellable };

  if (!leat_input_file_rewind (input, error))
    return NULL;
  self.reader = png_create_read_struct (PNG_LIBPNG_VER_STRING, &self, leat_image_png_fail, leat_image_png_warn);
  g_return_val_if_fail (self.reader != NULL, NULL);
  self.info = png_create_info_struct (self.reader);
  png_set_read_fn (self.reader, &self, leat_image_png_fill);
  if (setjmp (png_jmpbuf (self.reader)) == 0)
    leat_image_png_decode (&self);
  png_destroy_read_struct (&self.reader, &self.info, NULL);
  if (self.error == NULL)
    return self.picture;
  g_clear_pointer (&self.picture, leat_image_deep_free);
  g_propagate_error (error, self.error);
  return NULL;
}
