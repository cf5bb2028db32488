/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Pictures of 16 bits a sample, for `image:read`: their memory, and their pixels in the channels that are wanted.
 * Writes to the caller's memory only. */

#include "leat-image-deep.h"

#include "leat-image-pixels.h"

void
leat_image_deep_free (LeatImageDeep *self)
{
  g_free (self->samples);
  g_free (self);
}

LeatImageDeep *
leat_image_deep_new (LeatInputFile *input, guint width, guint height, guint channels, GError **error)
{
  g_autoptr (LeatImageDeep) self = g_new0 (LeatImageDeep, 1);
  gsize n = (gsize) width * height * channels;

  self->width = width;
  self->height = height;
  self->channels = channels;
  self->samples = g_try_new0 (guint16, n);
  if (self->samples != NULL)
    return g_steal_pointer (&self);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
               "cannot read \"%s\": no memory for its %" G_GSIZE_FORMAT " samples", leat_input_file_get_path (input),
               n);
  return NULL;
}

/* Red, green, blue and opacity of a pixel. */
static void
leat_image_deep_get_pixel (const LeatImageDeep *self, gsize i, guint16 rgba[4])
{
  const guint16 *from = self->samples + i * self->channels;
  gboolean grey = self->channels < 3;

  rgba[0] = from[0];
  rgba[1] = grey ? from[0] : from[1];
  rgba[2] = grey ? from[0] : from[2];
  rgba[3] = self->channels == 2 ? from[1] : self->channels == 4 ? from[3] : G_MAXUINT16;
}

void
leat_image_deep_get (const LeatImageDeep *self, guint channels, guint16 *to)
{
  gsize n = (gsize) self->width * self->height;
  guint16 rgba[4];

  for (gsize i = 0; i < n; i++, to += channels)
    {
      leat_image_deep_get_pixel (self, i, rgba);
      if (channels == 1)
        to[0] = (guint16) leat_image_pixels_mix (rgba[0], rgba[1], rgba[2]);
      else
        memcpy (to, rgba, channels * sizeof *to);
    }
}

/* Opacity counts where it is asked for. */
static guint64
leat_image_deep_count_lost (const LeatImageDeep *self, guint channels)
{
  gsize n = (gsize) self->width * self->height;
  guint looked_at = channels == 4 ? self->channels : self->channels < 3 ? 1 : 3;
  guint64 lost = 0;

  for (gsize i = 0; i < n; i++)
    for (guint c = 0; c < looked_at; c++)
      {
        guint16 sample = self->samples[i * self->channels + c];

        lost += (sample >> 8) != (sample & 0xff);
      }
  return lost;
}

guint64
leat_image_deep_narrow (const LeatImageDeep *self, guint channels, guint8 *to)
{
  gsize n = (gsize) self->width * self->height;
  guint16 rgba[4];

  for (gsize i = 0; i < n; i++, to += channels)
    {
      leat_image_deep_get_pixel (self, i, rgba);
      if (channels == 1)
        to[0] = (guint8) leat_image_pixels_mix (rgba[0] >> 8, rgba[1] >> 8, rgba[2] >> 8);
      for (guint c = 0; channels > 1 && c < channels; c++)
        to[c] = (guint8) (rgba[c] >> 8);
    }
  return leat_image_deep_count_lost (self, channels);
}
