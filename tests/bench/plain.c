/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "plain.h"

#include <math.h>
#include <string.h>

/* Each thread gets one piece of 0 .. n. */
typedef struct PlainPiece PlainPiece;

struct PlainPiece
{
  void (*work) (const PlainPiece *piece);
  gsize begin, end;
  guint index;
  void *job;
};

static gpointer
plain_thread (gpointer data)
{
  PlainPiece *piece = data;

  piece->work (piece);
  return NULL;
}

static void
plain_split (void (*work) (const PlainPiece *), gsize n, guint threads, void *job)
{
  PlainPiece pieces[64];
  GThread *others[64];

  for (guint i = 0; i < threads; i++)
    pieces[i] = (PlainPiece){ work, n * i / threads, n * (i + 1) / threads, i, job };
  for (guint i = 1; i < threads; i++)
    others[i] = g_thread_new ("plain", plain_thread, &pieces[i]);
  work (&pieces[0]);
  for (guint i = 1; i < threads; i++)
    g_thread_join (others[i]);
}

typedef struct
{
  const guint8 *text;
  gsize length;
  const char *const *patterns;
  GArray *hits[64];
} PlainScan;

static void
plain_scan_piece (const PlainPiece *piece)
{
  PlainScan *job = piece->job;
  GArray *hits = job->hits[piece->index] = g_array_new (FALSE, FALSE, sizeof (PlainHit));

  for (gsize at = piece->begin; at < piece->end; at++)
    for (guint p = 0; job->patterns[p] != NULL; p++)
      {
        gsize length = strlen (job->patterns[p]);

        if (job->text[at] == (guint8) job->patterns[p][0] && at + length <= job->length
            && memcmp (job->text + at, job->patterns[p], length) == 0)
          {
            PlainHit hit = { at, p };

            g_array_append_val (hits, hit);
          }
      }
}

GArray *
plain_scan (const guint8 *text, gsize length, const char *const *patterns, guint threads)
{
  PlainScan job = { text, length, patterns, { NULL } };

  plain_split (plain_scan_piece, length, threads, &job);
  for (guint i = 1; i < threads; i++)
    {
      g_array_append_vals (job.hits[0], job.hits[i]->data, job.hits[i]->len);
      g_array_unref (job.hits[i]);
    }
  return job.hits[0];
}

typedef struct
{
  const guint8 *rgb;
  guint8 *edges;
  float *gray, *smooth, *slope;
  int width, height;
  float limit;
} PlainEdges;

static const float plain_weights[5] = { 0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f };

static int
plain_clamp (int value, int size)
{
  return value < 0 ? 0 : value >= size ? size - 1 : value;
}

static void
plain_gray_piece (const PlainPiece *piece)
{
  PlainEdges *job = piece->job;

  for (gsize i = piece->begin * job->width; i < piece->end * job->width; i++)
    job->gray[i] = 0.299f * job->rgb[3 * i] + 0.587f * job->rgb[3 * i + 1] + 0.114f * job->rgb[3 * i + 2];
}

static void
plain_blur_piece (const PlainPiece *piece)
{
  PlainEdges *job = piece->job;
  int w = job->width, h = job->height;

  for (int y = (int) piece->begin; y < (int) piece->end; y++)
    for (int x = 0; x < w; x++)
      {
        float sum = 0.0f;

        for (int dy = -2; dy <= 2; dy++)
          for (int dx = -2; dx <= 2; dx++)
            sum += plain_weights[dy + 2] * plain_weights[dx + 2]
                   * job->gray[plain_clamp (y + dy, h) * w + plain_clamp (x + dx, w)];
        job->smooth[y * w + x] = sum;
      }
}

static void
plain_sobel_piece (const PlainPiece *piece)
{
  PlainEdges *job = piece->job;
  int w = job->width;

  for (int y = (int) piece->begin; y < (int) piece->end; y++)
    for (int x = 0; x < w; x++)
      {
        int l = plain_clamp (x - 1, w), r = plain_clamp (x + 1, w);
        const float *above = job->smooth + plain_clamp (y - 1, job->height) * w, *here = job->smooth + y * w;
        const float *below = job->smooth + plain_clamp (y + 1, job->height) * w;
        float gx = (above[r] + 2.0f * here[r] + below[r]) - (above[l] + 2.0f * here[l] + below[l]);
        float gy = (below[l] + 2.0f * below[x] + below[r]) - (above[l] + 2.0f * above[x] + above[r]);

        job->slope[y * w + x] = sqrtf (gx * gx + gy * gy);
      }
}

static void
plain_threshold_piece (const PlainPiece *piece)
{
  PlainEdges *job = piece->job;

  for (gsize i = piece->begin * job->width; i < piece->end * job->width; i++)
    job->edges[i] = job->slope[i] > job->limit ? 255 : 0;
}

void
plain_edges (const guint8 *rgb, guint8 *edges, float *scratch, guint width, guint height, float limit, guint threads)
{
  gsize n = (gsize) width * height;
  PlainEdges job = { rgb, edges, scratch, scratch + n, scratch + 2 * n, (int) width, (int) height, limit };

  plain_split (plain_gray_piece, height, threads, &job);
  plain_split (plain_blur_piece, height, threads, &job);
  plain_split (plain_sobel_piece, height, threads, &job);
  plain_split (plain_threshold_piece, height, threads, &job);
}

typedef struct
{
  const float *x;
  float scale, offset;
  double parts[64][4];
} PlainStats;

static void
plain_stats_piece (const PlainPiece *piece)
{
  PlainStats *job = piece->job;
  double sum = 0, square = 0, least = 1e300, greatest = -1e300;

  for (gsize i = piece->begin; i < piece->end; i++)
    {
      double v = job->scale * job->x[i] + job->offset;

      sum += v;
      square += v * v;
      least = v < least ? v : least;
      greatest = v > greatest ? v : greatest;
    }
  job->parts[piece->index][0] = sum;
  job->parts[piece->index][1] = square;
  job->parts[piece->index][2] = least;
  job->parts[piece->index][3] = greatest;
}

void
plain_stats (const float *x, gsize n, float scale, float offset, double result[4], guint threads)
{
  PlainStats job = { x, scale, offset, { { 0 } } };
  double sum = 0, square = 0;

  plain_split (plain_stats_piece, n, threads, &job);
  result[2] = 1e300;
  result[3] = -1e300;
  for (guint i = 0; i < threads; i++)
    {
      sum += job.parts[i][0];
      square += job.parts[i][1];
      result[2] = fmin (result[2], job.parts[i][2]);
      result[3] = fmax (result[3], job.parts[i][3]);
    }
  result[0] = sum / n;
  result[1] = square / n - result[0] * result[0];
}

typedef struct
{
  const float *x;
  float *y;
  float a, b;
} PlainSaxpy;

static void
plain_saxpy_piece (const PlainPiece *piece)
{
  PlainSaxpy *job = piece->job;

  for (gsize i = piece->begin; i < piece->end; i++)
    job->y[i] = job->a * job->x[i] + job->b;
}

void
plain_saxpy (const float *x, float *y, gsize n, float a, float b, guint threads)
{
  PlainSaxpy job = { x, y, a, b };

  plain_split (plain_saxpy_piece, n, threads, &job);
}
