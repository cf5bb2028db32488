/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "buffer-fixture.h"

#include "buffer/leat-device-buffer-private.h"

#include <string.h>

#define N_BUFFERS 3
#define ROOM      512

static guint64
get_stat (LeatTransferBatch *batch, const char *name)
{
  g_autoptr (GVariant) stats = leat_transfer_batch_dup_stats (batch);
  guint64 value = 0;

  g_assert_true (g_variant_lookup (stats, name, "t", &value));
  return value;
}

static void
upload (LeatTransferBatch *batch, LeatDeviceBuffer *to, guint64 offset, const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  leat_transfer_batch_upload (batch, to, offset, bytes);
}

static void
run (LeatTransferBatch *batch)
{
  g_autoptr (GError) error = NULL;

  leat_transfer_batch_run (batch, &error);
  g_assert_no_error (error);
}

static void
assert_download (LeatTransferBatch *batch, guint index, const char *expected)
{
  g_autoptr (GBytes) found = leat_transfer_batch_get_download (batch, index);

  g_assert_nonnull (found);
  g_assert_cmpmem (g_bytes_get_data (found, NULL), g_bytes_get_size (found), expected, strlen (expected));
}

/* Forward, backward and wider overwrites: one transfer for what touches. */
static void
test_transfer_batch_merges_uploads (void)
{
  g_autoptr (LeatDevice) device = buffer_fixture_open_device (NULL);
  g_autoptr (LeatDeviceBuffer) buffer = buffer_fixture_new_buffer (device, 32);
  g_autoptr (LeatTransferBatch) batch = leat_transfer_batch_new ();

  upload (batch, buffer, 4, "abcd");
  upload (batch, buffer, 8, "efgh");
  upload (batch, buffer, 2, "xyz");
  upload (batch, buffer, 6, "MN");
  upload (batch, buffer, 20, "far");
  upload (batch, buffer, 3, "");
  leat_transfer_batch_download (batch, buffer, 2, 10);
  leat_transfer_batch_download (batch, buffer, 20, 3);
  run (batch);
  assert_download (batch, 0, "xyzbMNefgh");
  assert_download (batch, 1, "far");
  g_assert_cmpuint (get_stat (batch, "requests"), ==, 7);
  g_assert_cmpuint (get_stat (batch, "transfers"), ==, 4);
  g_assert_cmpuint (get_stat (batch, "fused"), ==, 3);
  g_assert_cmpuint (get_stat (batch, "bytes-up"), ==, 13);
  g_assert_cmpuint (get_stat (batch, "bytes-down"), ==, 13);
}

static void
test_transfer_batch_shares_downloads (void)
{
  g_autoptr (LeatDevice) device = buffer_fixture_open_device (NULL);
  g_autoptr (LeatDeviceBuffer) buffer = buffer_fixture_new_buffer (device, 32);
  g_autoptr (LeatTransferBatch) batch = leat_transfer_batch_new ();
  g_autoptr (GBytes) first = NULL, second = NULL, empty = NULL;

  upload (batch, buffer, 0, "0123456789");
  run (batch);
  leat_transfer_batch_clear (batch);
  g_assert_cmpuint (leat_transfer_batch_download (batch, buffer, 6, 4), ==, 0);
  g_assert_cmpuint (leat_transfer_batch_download (batch, buffer, 0, 6), ==, 1);
  leat_transfer_batch_download (batch, buffer, 2, 6);
  leat_transfer_batch_download (batch, buffer, 2, 6);
  leat_transfer_batch_download (batch, buffer, 32, 0);
  g_assert_cmpuint (leat_transfer_batch_get_n_downloads (batch), ==, 5);
  g_assert_null (leat_transfer_batch_get_download (batch, 0));
  run (batch);
  assert_download (batch, 0, "6789");
  assert_download (batch, 1, "012345");
  assert_download (batch, 2, "234567");
  assert_download (batch, 3, "234567");
  assert_download (batch, 4, "");
  g_assert_cmpuint (get_stat (batch, "bytes-down"), ==, 10);
  g_assert_cmpuint (get_stat (batch, "transfers"), ==, 2);
  first = leat_transfer_batch_get_download (batch, 1);
  second = leat_transfer_batch_get_download (batch, 2);
  g_assert_true ((const guint8 *) g_bytes_get_data (second, NULL)
                 == (const guint8 *) g_bytes_get_data (first, NULL) + 2);
}

static void
test_transfer_batch_can_run_again (void)
{
  g_autoptr (LeatDevice) device = buffer_fixture_open_device (NULL);
  g_autoptr (LeatDeviceBuffer) buffer = buffer_fixture_new_buffer (device, 32);
  g_autoptr (LeatTransferBatch) batch = leat_transfer_batch_new ();
  g_autoptr (GBytes) before = NULL;

  leat_transfer_batch_download (batch, buffer, 0, 2);
  leat_transfer_batch_fill (batch, buffer, 0, 2, 'x');
  run (batch);
  before = leat_transfer_batch_get_download (batch, 0);
  run (batch);
  assert_download (batch, 0, "xx");
  g_assert_cmpmem (g_bytes_get_data (before, NULL), 2, "\0\0", 2);
}

/* Large ones take another way on the host. */
static void
test_transfer_batch_takes_large_pieces (void)
{
  const gsize n = 3 << 20;
  g_autoptr (LeatDevice) device = buffer_fixture_open_device (NULL);
  g_autoptr (LeatDeviceBuffer) buffer = buffer_fixture_new_buffer (device, 2 * n);
  g_autoptr (LeatTransferBatch) batch = leat_transfer_batch_new ();
  g_autofree guint8 *data = g_malloc (n);
  g_autoptr (GBytes) bytes = NULL, part = NULL, all = NULL, found = NULL;

  for (gsize i = 0; i < n; i++)
    data[i] = (guint8) (i * 31 + i / 255);
  bytes = g_bytes_new_static (data, n);
  part = g_bytes_new_from_bytes (bytes, 5, n - 5);
  leat_transfer_batch_upload (batch, buffer, 0, bytes);
  leat_transfer_batch_download (batch, buffer, 0, n);
  leat_transfer_batch_upload (batch, buffer, n, bytes);
  leat_transfer_batch_upload (batch, buffer, n + 5, part);
  leat_transfer_batch_download (batch, buffer, n, n);
  leat_transfer_batch_download (batch, buffer, n + 5, n - 5);
  run (batch);
  all = leat_transfer_batch_get_download (batch, 0);
  g_assert_true (g_bytes_equal (all, bytes));
  found = leat_transfer_batch_get_download (batch, 2);
  g_assert_true (g_bytes_equal (found, part));
  g_assert_cmpuint (get_stat (batch, "transfers"), ==, 4);
  g_assert_cmpuint (get_stat (batch, "bytes-up"), ==, 2 * n);
}

static void
test_transfer_batch_of_nothing (void)
{
  g_autoptr (LeatTransferBatch) batch = leat_transfer_batch_new ();

  run (batch);
  g_assert_cmpuint (get_stat (batch, "transfers"), ==, 0);
}

/* Every request that cannot be done leaves all as it was: what stands before it too. */
typedef enum
{
  INVALID_UPLOAD,
  INVALID_DOWNLOAD,
  INVALID_FILL,
  INVALID_COPY,
  INVALID_RELEASED,
  INVALID_BUSY,
  N_INVALID
} Invalid;

static void
add_invalid (LeatTransferBatch *batch, LeatDeviceBuffer *buffer, LeatDeviceBuffer *other, Invalid kind)
{
  switch (kind)
    {
    case INVALID_UPLOAD:
      upload (batch, buffer, ROOM - 1, "ab");
      break;
    case INVALID_DOWNLOAD:
      leat_transfer_batch_download (batch, buffer, ROOM, 1);
      break;
    case INVALID_FILL:
      leat_transfer_batch_fill (batch, buffer, 0, ROOM + 1, 9);
      break;
    case INVALID_COPY:
      leat_transfer_batch_copy (batch, buffer, 0, buffer, 1, 2);
      break;
    case INVALID_RELEASED:
      leat_device_buffer_release (other, NULL);
      leat_transfer_batch_download (batch, other, 0, 1);
      break;
    case INVALID_BUSY:
    case N_INVALID:
      leat_device_buffer_enter (other, LEAT_BUFFER_USE_RUN, NULL);
      leat_transfer_batch_copy (batch, buffer, 0, other, 0, 1);
      break;
    }
}

static void
test_transfer_batch_leaves_all_as_it_was (gconstpointer data)
{
  static const int codes[N_INVALID] = { LEAT_DEVICE_BUFFER_ERROR_RANGE,    LEAT_DEVICE_BUFFER_ERROR_RANGE,
                                        LEAT_DEVICE_BUFFER_ERROR_RANGE,    LEAT_DEVICE_BUFFER_ERROR_RANGE,
                                        LEAT_DEVICE_BUFFER_ERROR_RELEASED, LEAT_DEVICE_BUFFER_ERROR_BUSY };
  const Invalid kind = GPOINTER_TO_UINT (data);
  g_autoptr (LeatDevice) device = buffer_fixture_open_device (NULL);
  g_autoptr (LeatDeviceBuffer) buffer = buffer_fixture_new_buffer (device, ROOM);
  g_autoptr (LeatDeviceBuffer) other = buffer_fixture_new_buffer (device, ROOM);
  g_autoptr (LeatTransferBatch) batch = leat_transfer_batch_new ();
  g_autoptr (GBytes) before = NULL, after = NULL;
  g_autoptr (GError) error = NULL;

  upload (batch, buffer, 0, "0123456789");
  leat_transfer_batch_download (batch, buffer, 0, 10);
  run (batch);
  before = leat_transfer_batch_get_download (batch, 0);
  leat_transfer_batch_fill (batch, buffer, 0, 10, 1);
  upload (batch, buffer, 5, "abc");
  add_invalid (batch, buffer, other, kind);
  g_assert_false (leat_transfer_batch_run (batch, &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, codes[kind]);
  g_assert_nonnull (strstr (error->message, "request 4: "));
  after = leat_transfer_batch_get_download (batch, 0);
  g_assert_true (after == before);
  g_assert_false (leat_device_buffer_is_in_flight (buffer));
  g_clear_pointer (&after, g_bytes_unref);
  after = leat_device_buffer_download (buffer, 0, 10, NULL);
  g_assert_true (g_bytes_equal (after, before));
  if (kind == INVALID_BUSY)
    leat_device_buffer_leave (other, LEAT_BUFFER_USE_RUN);
}

static void
test_transfer_batch_is_of_one_device (void)
{
  g_autoptr (LeatDevice) device = buffer_fixture_open_device (NULL);
  g_autoptr (LeatDevice) second = leat_device_open (leat_device_is_cpu (device) ? "cuda" : "cpu", NULL);
  g_autoptr (LeatTransferBatch) batch = leat_transfer_batch_new ();
  g_autoptr (LeatDeviceBuffer) here = NULL, there = NULL;
  g_autoptr (GError) error = NULL;

  if (second == NULL)
    {
      g_test_skip ("there is one device only");
      return;
    }
  here = buffer_fixture_new_buffer (device, 8);
  there = buffer_fixture_new_buffer (second, 8);
  leat_transfer_batch_fill (batch, here, 0, 8, 1);
  leat_transfer_batch_fill (batch, there, 0, 8, 1);
  g_assert_false (leat_transfer_batch_run (batch, &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_DEVICE);
}

/* The model: plain memory, and for each buffer which bytes the open run of uploads or downloads covers. */
typedef struct
{
  guint8 memory[N_BUFFERS][ROOM];
  guint8 covered[N_BUFFERS][ROOM];
  char open[N_BUFFERS]; /* 'u', 'd' or 0 */
  guint64 up, down;
} Model;

static void
model_close (Model *self, guint b)
{
  for (guint i = 0; i < ROOM; i++)
    *(self->open[b] == 'u' ? &self->up : &self->down) += self->covered[b][i];
  memset (self->covered[b], 0, ROOM);
  self->open[b] = 0;
}

static void
model_cover (Model *self, guint b, char kind, guint offset, guint n)
{
  if (n == 0)
    return;
  if (self->open[b] != kind)
    model_close (self, b);
  self->open[b] = kind;
  memset (self->covered[b] + offset, 1, n);
}

typedef struct
{
  GRand *rand;
  Model *model;
  LeatTransferBatch *batch;
  LeatDeviceBuffer **buffers;
  GPtrArray *expected;
} Property;

static void
property_upload (Property *self, guint b, guint offset, guint n)
{
  guint8 data[ROOM];
  g_autoptr (GBytes) bytes = NULL;

  for (guint i = 0; i < n; i++)
    data[i] = (guint8) g_rand_int (self->rand);
  bytes = g_bytes_new (data, n);
  leat_transfer_batch_upload (self->batch, self->buffers[b], offset, bytes);
  memcpy (self->model->memory[b] + offset, data, n);
  model_cover (self->model, b, 'u', offset, n);
}

static void
property_add (Property *self)
{
  guint b = g_rand_int_range (self->rand, 0, N_BUFFERS), other = (b + 1) % N_BUFFERS;
  guint offset = g_rand_int_range (self->rand, 0, ROOM);
  guint wish = g_rand_int_range (self->rand, 0, 60), n = MIN (wish, ROOM - offset);
  guint from = g_rand_int_range (self->rand, 0, ROOM - (gint) n + 1);

  switch (g_rand_int_range (self->rand, 0, 12))
    {
    case 0:
      leat_transfer_batch_fill (self->batch, self->buffers[b], offset, n, (guint8) from);
      memset (self->model->memory[b] + offset, (guint8) from, n);
      if (n > 0)
        model_close (self->model, b);
      break;
    case 1:
      leat_transfer_batch_copy (self->batch, self->buffers[b], offset, self->buffers[other], from, n);
      memcpy (self->model->memory[b] + offset, self->model->memory[other] + from, n);
      if (n > 0)
        model_close (self->model, b);
      if (n > 0)
        model_close (self->model, other);
      break;
    case 2:
    case 3:
    case 4:
    case 5:
      leat_transfer_batch_download (self->batch, self->buffers[b], offset, n);
      g_ptr_array_add (self->expected, g_bytes_new (self->model->memory[b] + offset, n));
      model_cover (self->model, b, 'd', offset, n);
      break;
    default:
      property_upload (self, b, offset, n);
    }
}

static void
test_transfer_batch_is_as_one_by_one (void)
{
  g_autoptr (LeatDevice) device = buffer_fixture_open_device (NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (20);
  g_autofree Model *model = g_new0 (Model, 1);
  LeatDeviceBuffer *buffers[N_BUFFERS];

  for (guint b = 0; b < N_BUFFERS; b++)
    buffers[b] = buffer_fixture_new_buffer (device, ROOM);
  for (guint round = 0; round < 200; round++)
    {
      g_autoptr (GPtrArray) expected = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
      g_autoptr (LeatTransferBatch) batch = leat_transfer_batch_new ();
      Property property = { rand, model, batch, buffers, expected };
      guint n = g_rand_int_range (rand, 1, 40);

      model->up = model->down = 0;
      for (guint i = 0; i < n; i++)
        property_add (&property);
      for (guint b = 0; b < N_BUFFERS; b++)
        model_close (model, b);
      run (batch);
      g_assert_cmpuint (get_stat (batch, "bytes-up"), ==, model->up);
      g_assert_cmpuint (get_stat (batch, "bytes-down"), ==, model->down);
      for (guint i = 0; i < expected->len; i++)
        {
          g_autoptr (GBytes) found = leat_transfer_batch_get_download (batch, i);

          g_assert_true (g_bytes_equal (found, expected->pdata[i]));
        }
    }
  for (guint b = 0; b < N_BUFFERS; b++)
    {
      g_autoptr (GBytes) found = leat_device_buffer_download (buffers[b], 0, ROOM, NULL);

      g_assert_cmpmem (g_bytes_get_data (found, NULL), ROOM, model->memory[b], ROOM);
      g_object_unref (buffers[b]);
    }
}

int
main (int argc, char **argv)
{
  static const char *const invalid[N_INVALID] = { "upload", "download", "fill", "copy", "released", "busy" };

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/transfer-batch/merges-uploads", test_transfer_batch_merges_uploads);
  g_test_add_func ("/leat/transfer-batch/shares-downloads", test_transfer_batch_shares_downloads);
  g_test_add_func ("/leat/transfer-batch/can-run-again", test_transfer_batch_can_run_again);
  g_test_add_func ("/leat/transfer-batch/takes-large-pieces", test_transfer_batch_takes_large_pieces);
  g_test_add_func ("/leat/transfer-batch/of-nothing", test_transfer_batch_of_nothing);
  for (guint i = 0; i < N_INVALID; i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/transfer-batch/leaves-all-as-it-was/%s", invalid[i]);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_transfer_batch_leaves_all_as_it_was);
    }
  g_test_add_func ("/leat/transfer-batch/is-of-one-device", test_transfer_batch_is_of_one_device);
  g_test_add_func ("/leat/transfer-batch/is-as-one-by-one", test_transfer_batch_is_as_one_by_one);
  return g_test_run ();
}
