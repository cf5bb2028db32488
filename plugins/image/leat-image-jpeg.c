/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A check that a JPEG file is complete, for leat-image-decoder.c.  Decodes it once by libjpeg and keeps nothing. */

#include "leat-image-jpeg.h"

#include <setjmp.h>
#include <stdio.h>

/* These two want stdio.h before them. */
#include <jerror.h>
#include <jpeglib.h>

#define LEAT_IMAGE_JPEG_STEP (64 << 10) /* bytes read at once */

/* libjpeg hands its own structs to the callbacks: they are found from those. */
typedef struct
{
  struct jpeg_decompress_struct decoder;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  jmp_buf out;
  LeatInputFile *input;
  GCancellable *cancellable;
  GError *error;
  guint8 bytes[LEAT_IMAGE_JPEG_STEP];
} LeatImageJpeg;

static LeatImageJpeg *
leat_image_jpeg_from_decoder (gpointer decoder)
{
  return decoder; /* the first member */
}

/* Leaves libjpeg, as it asks for with longjmp (). */
G_GNUC_NORETURN static void
leat_image_jpeg_fail (LeatImageJpeg *self, const char *why)
{
  if (self->error == NULL)
    g_set_error (&self->error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                 "cannot read \"%s\" as a picture: %s; it was cut short or damaged, and needs to be whole",
                 leat_input_file_get_path (self->input), why);
  longjmp (self->out, 1);
}

G_GNUC_NORETURN static void
leat_image_jpeg_exit (j_common_ptr decoder)
{
  char why[JMSG_LENGTH_MAX];

  decoder->err->format_message (decoder, why);
  leat_image_jpeg_fail (leat_image_jpeg_from_decoder (decoder), why);
}

/* The warnings after which pixels are made up.  Others are about what cameras and old programs write around them. */
static void
leat_image_jpeg_warn (j_common_ptr decoder, int level)
{
  static const int fatal[] = { JWRN_HIT_MARKER, JWRN_JPEG_EOF, JWRN_HUFF_BAD_CODE, JWRN_MUST_RESYNC };

  for (guint i = 0; level < 0 && i < G_N_ELEMENTS (fatal); i++)
    if (decoder->err->msg_code == fatal[i])
      leat_image_jpeg_exit (decoder);
}

static void
leat_image_jpeg_begin (j_decompress_ptr decoder)
{
}

static boolean
leat_image_jpeg_fill (j_decompress_ptr decoder)
{
  LeatImageJpeg *self = leat_image_jpeg_from_decoder (decoder);
  LeatFlow flow;
  gsize got;

  flow =
    leat_input_file_read (self->input, self->bytes, sizeof self->bytes, &got, TRUE, self->cancellable, &self->error);
  if (flow != LEAT_FLOW_DATA)
    leat_image_jpeg_fail (self, "it has no end marker");
  self->source.next_input_byte = self->bytes;
  self->source.bytes_in_buffer = got;
  return TRUE;
}

static void
leat_image_jpeg_skip (j_decompress_ptr decoder, long n)
{
  LeatImageJpeg *self = leat_image_jpeg_from_decoder (decoder);

  while (n > (long) self->source.bytes_in_buffer)
    {
      n -= (long) self->source.bytes_in_buffer;
      leat_image_jpeg_fill (decoder);
    }
  if (n <= 0)
    return;
  self->source.next_input_byte += n;
  self->source.bytes_in_buffer -= (gsize) n;
}

static void
leat_image_jpeg_end (j_decompress_ptr decoder)
{
}

/* Files of several scans may end after any of them: are there those that make the picture complete? */
static void
leat_image_jpeg_check_scans (LeatImageJpeg *self)
{
  for (int i = 0; i < self->decoder.num_components; i++)
    {
      if (self->decoder.comp_info[i].quant_table == NULL)
        leat_image_jpeg_fail (self, "a colour is missing");
      for (guint k = 0; self->decoder.progressive_mode && k < DCTSIZE2; k++)
        if (self->decoder.coef_bits[i][k] != 0)
          leat_image_jpeg_fail (self, "the finer scans are missing");
    }
}

/* An eighth of the size and no conversion: the bits are read all the same, and little is done with them. */
static void
leat_image_jpeg_decode (LeatImageJpeg *self)
{
  j_decompress_ptr decoder = &self->decoder;
  JSAMPARRAY row;

  jpeg_read_header (decoder, TRUE);
  decoder->scale_num = 1;
  decoder->scale_denom = 8;
  decoder->out_color_space = decoder->jpeg_color_space;
  decoder->do_fancy_upsampling = FALSE;
  jpeg_start_decompress (decoder);
  row = decoder->mem->alloc_sarray ((j_common_ptr) decoder, JPOOL_IMAGE,
                                    decoder->output_width * (guint) decoder->output_components, 1);
  while (decoder->output_scanline < decoder->output_height)
    {
      if (g_cancellable_set_error_if_cancelled (self->cancellable, &self->error))
        leat_image_jpeg_fail (self, "");
      jpeg_read_scanlines (decoder, row, 1);
    }
  leat_image_jpeg_check_scans (self);
  jpeg_finish_decompress (decoder);
}

gboolean
leat_image_jpeg_check (LeatInputFile *input, GCancellable *cancellable, GError **error)
{
  g_autofree LeatImageJpeg *self = g_new0 (LeatImageJpeg, 1);

  if (!leat_input_file_rewind (input, error))
    return FALSE;
  self->input = input;
  self->cancellable = cancellable;
  self->decoder.err = jpeg_std_error (&self->errors);
  self->errors.error_exit = leat_image_jpeg_exit;
  self->errors.emit_message = leat_image_jpeg_warn;
  self->source.init_source = leat_image_jpeg_begin;
  self->source.fill_input_buffer = leat_image_jpeg_fill;
  self->source.skip_input_data = leat_image_jpeg_skip;
  self->source.resync_to_restart = jpeg_resync_to_restart;
  self->source.term_source = leat_image_jpeg_end;
  if (setjmp (self->out) == 0)
    {
      jpeg_create_decompress (&self->decoder); /* may itself fail, and then has made what destroy takes */
      self->decoder.src = &self->source;
      leat_image_jpeg_decode (self);
    }
  jpeg_destroy_decompress (&self->decoder);
  if (self->error == NULL)
    return TRUE;
  g_propagate_error (error, self->error);
  return FALSE;
}
