/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* PGM and PPM files of more than 8 bits a sample.  Reads the input and gives a new picture. */

#include "leat-image-pnm.h"

#define LEAT_IMAGE_PNM_HEAD (64 << 10) /* comments may be long */

/* The head: P2, P3, P5 or P6, width, height, the greatest value. */
typedef struct
{
  const guint8 *at, *end;
  guint kind;
  guint64 width, height, most;
} LeatImagePnm;

static gboolean
leat_image_pnm_skip (LeatImagePnm *self)
{
  while (self->at < self->end && (g_ascii_isspace (*self->at) || *self->at == '#'))
    if (*self->at++ == '#')
      while (self->at < self->end && *self->at != '\n')
        self->at++;
  return self->at < self->end;
}

static gboolean
leat_image_pnm_take (LeatImagePnm *self, guint64 most, guint64 *number)
{
  if (!leat_image_pnm_skip (self) || !g_ascii_isdigit (*self->at))
    return FALSE;
  *number = 0;
  while (self->at < self->end && g_ascii_isdigit (*self->at) && *number <= most)
    *number = *number * 10 + (guint64) (*self->at++ - '0');
  return *number <= most;
}

static gboolean
leat_image_pnm_parse (LeatImagePnm *self, const guint8 *bytes, gsize size)
{
  *self = (LeatImagePnm){ .at = bytes + 2, .end = bytes + size };
  if (size < 3 || bytes[0] != 'P' || strchr ("2356", bytes[1]) == NULL || bytes[1] == '\0')
    return FALSE;
  self->kind = (guint) (bytes[1] - '0');
  return leat_image_pnm_take (self, G_MAXINT32, &self->width) && leat_image_pnm_take (self, G_MAXINT32, &self->height)
         && leat_image_pnm_take (self, G_MAXUINT16, &self->most) && self->width > 0 && self->height > 0
         && self->most > 0 && self->at++ < self->end;
}

guint
leat_image_pnm_look (LeatInputFile *input)
{
  g_autofree guint8 *head = g_malloc (LEAT_IMAGE_PNM_HEAD);
  gsize size = leat_input_file_peek (input, 0, head, LEAT_IMAGE_PNM_HEAD);
  LeatImagePnm self;

  return leat_image_pnm_parse (&self, head, size) ? (guint) self.most : 0;
}

static gboolean
leat_image_pnm_take_sample (LeatImagePnm *self, guint64 *sample)
{
  if (self->kind < 5)
    return leat_image_pnm_take (self, self->most, sample);
  if (self->end - self->at < 2)
    return FALSE;
  *sample = (guint64) (self->at[0] << 8 | self->at[1]);
  self->at += 2;
  return *sample <= self->most;
}

static gboolean
leat_image_pnm_decode (LeatImagePnm *self, LeatImageDeep *picture)
{
  gsize n = (gsize) picture->width * picture->height * picture->channels;

  for (gsize i = 0; i < n; i++)
    {
      guint64 sample;

      if (!leat_image_pnm_take_sample (self, &sample))
        return FALSE;
      picture->samples[i] = (guint16) ((sample * G_MAXUINT16 + self->most / 2) / self->most);
    }
  return TRUE;
}

LeatImageDeep *
leat_image_pnm_read (LeatInputFile *input, GCancellable *cancellable, GError **error)
{
  gsize size = leat_input_file_get_size (input), got = 0;
  g_autofree guint8 *bytes = g_try_malloc (size + 1);
  g_autoptr (LeatImageDeep) picture = NULL;
  LeatImagePnm self = { 0 };

  if (bytes != NULL
      && (!leat_input_file_rewind (input, error)
          || leat_input_file_read (input, bytes, size, &got, TRUE, cancellable, error) == LEAT_FLOW_ERROR))
    return NULL;
  if (bytes == NULL || !leat_image_pnm_parse (&self, bytes, got))
    self.width = self.height = 0;
  else if ((picture =
              leat_image_deep_new (input, (guint) self.width, (guint) self.height, self.kind % 3 == 0 ? 3 : 1, error))
           == NULL)
    return NULL;
  if (picture != NULL && leat_image_pnm_decode (&self, picture))
    return g_steal_pointer (&picture);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
               "cannot read \"%s\" as a picture: a sample is missing or greater than %" G_GUINT64_FORMAT
               "; it was cut short or damaged",
               leat_input_file_get_path (input), self.most);
  return NULL;
}
