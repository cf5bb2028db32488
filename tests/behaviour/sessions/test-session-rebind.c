/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

#include "driver/leat-driver-private.h"

#include <stdlib.h>
#include <string.h>

/* A run has the memory that was bound last, by whatever way data cross and however often it is repeated. */

#define N     100
#define BYTES 512 /* of a place */

/* Two places in the host's memory, two in a resident buffer, for inputs; and as many for the result. */
#define PLACES 4

typedef struct
{
  SessionFixture fixture;
  LeatDevice *device;
  guint8 *host;
  LeatDeviceBuffer *buffer;
  float contents[PLACES];
} Rebind;

static const char *const modes[] = { "auto", "copy", "kernel", "mapped" };

static void
rebind_set_up (Rebind *self, const char *mode, LeatExecutor executor)
{
  g_autofree char *text =
    g_strdup_printf ("sum = state spec=f32[%d]\nm = map inputs=x,sum expr=x+sum\nup = upload mode=%s\n"
                     "app name=source memory=user spec=f32[%d] -> up -> m.x\nsum -> m.sum -> sum\n"
                     "m -> readback mode=%s -> app name=sink memory=user\n",
                     N, mode, N, mode);
  g_autoptr (GError) error = NULL;

  session_fixture_open (&self->fixture, text, executor);
  self->device = g_object_ref (leat_session_get_device (self->fixture.session));
  self->host = aligned_alloc (4096, 4096);
  memset (self->host, 0, 4096);
  leat_device_pin (self->device, (guintptr) self->host, 4096, &error);
  g_assert_no_error (error);
  self->buffer = leat_device_buffer_new (self->device, 2 * PLACES * BYTES, &error);
  g_assert_no_error (error);
  memset (self->contents, 0, sizeof self->contents);
}

static void
rebind_tear_down (Rebind *self)
{
  session_fixture_close (&self->fixture);
  g_assert_true (leat_device_unpin (self->device, (guintptr) self->host, NULL));
  free (self->host);
  g_object_unref (self->buffer);
  g_object_unref (self->device);
}

static void
rebind_write (Rebind *self, guint place, float value)
{
  float x[N];
  g_autoptr (GBytes) bytes = g_bytes_new_static (x, sizeof x);

  for (guint i = 0; i < N; i++)
    x[i] = value;
  if (place < 2)
    memcpy (self->host + place * BYTES, x, sizeof x);
  else
    g_assert_true (leat_device_buffer_upload (self->buffer, place * BYTES, bytes, NULL));
  self->contents[place] = value;
}

static void
rebind_bind_input (Rebind *self, guint place)
{
  g_autoptr (GError) error = NULL;

  if (place < 2)
    leat_session_bind_input (self->fixture.session, "source", (guintptr) self->host + place * BYTES, BYTES, N, &error);
  else
    leat_session_bind_input_buffer (self->fixture.session, "source", self->buffer, place * BYTES, N, &error);
  g_assert_no_error (error);
}

static void
rebind_bind_output (Rebind *self, guint place)
{
  g_autoptr (GError) error = NULL;

  place += PLACES;
  if (place < PLACES + 2)
    leat_session_bind_output (self->fixture.session, "sink", (guintptr) self->host + place * BYTES, BYTES, &error);
  else
    leat_session_bind_output_buffer (self->fixture.session, "sink", self->buffer, place * BYTES, &error);
  g_assert_no_error (error);
}

static void
rebind_check (Rebind *self, guint place, float wanted)
{
  g_autoptr (GBytes) bytes = NULL;
  const float *y = (const float *) (self->host + (PLACES + place) * BYTES);

  if (place >= 2)
    {
      bytes = leat_device_buffer_download (self->buffer, (PLACES + place) * BYTES, N * sizeof *y, NULL);
      y = g_bytes_get_data (bytes, NULL);
    }
  for (guint i = 0; i < N; i++)
    g_assert_cmpfloat (y[i], ==, wanted);
}

typedef struct
{
  const char *mode;
  LeatExecutor executor;
} RebindCase;

/* From every place to every other one, with other data in it or with what it had, a run or several, of which few are
 * launched one by one and many are a loop of what was bound then. */
static void
test_rebind (gconstpointer data)
{
  static const guint repeats[] = { 1, 3, 5, 1, 4, 70, 2, 1, 63, 6 };
  const RebindCase *c = data;
  Rebind self;
  float sum = 0;
  guint step = 0;

  rebind_set_up (&self, c->mode, c->executor);
  for (guint from = 0; from < PLACES; from++)
    for (guint to = 0; to < PLACES; to++)
      for (guint again = 0; again < 3; again++, step++)
        {
          const guint place = again == 0 ? from : to, n = repeats[step % G_N_ELEMENTS (repeats)];
          g_autoptr (GError) error = NULL;

          if (again != 1)
            rebind_write (&self, place, (float) step + 1);
          rebind_bind_input (&self, place);
          if (step % 2 == 0)
            rebind_bind_output (&self, (step / 2) % PLACES);
          sum += (float) n * self.contents[place];
          if (n == 1)
            leat_session_replay (self.fixture.session, FALSE, NULL, &error);
          else
            leat_session_repeat (self.fixture.session, n, FALSE, NULL, &error);
          g_assert_no_error (error);
          rebind_check (&self, (step / 2) % PLACES, sum);
        }
  rebind_tear_down (&self);
}

/* Each page is a range of its own. */
#define PAGE       4096
#define MANY_PAGES 300
#define SOME_PAGES 199 /* a prime number, so that they come in any order */

typedef struct
{
  SessionFixture fixture;
  LeatDriver *driver;
  guint8 *pages; /* the last of them for the result */
} Ranges;

static guint8 *
ranges_get_page (Ranges *self, guint page)
{
  return self->pages + (gsize) page * PAGE;
}

static void
ranges_set_up (Ranges *self)
{
  g_autoptr (GError) error = NULL;

  session_fixture_open (&self->fixture,
                        "app name=source memory=user spec=f32[100] -> upload -> map expr=x+1 -> readback -> "
                        "app name=sink memory=user\n",
                        LEAT_EXECUTOR_GRAPH);
  self->driver = leat_device_get_driver (leat_session_get_device (self->fixture.session));
  self->pages = aligned_alloc (PAGE, (MANY_PAGES + 1) * PAGE);
  for (guint page = 0; page <= MANY_PAGES; page++)
    {
      for (guint i = 0; i < PAGE / sizeof (float); i++)
        ((float *) ranges_get_page (self, page))[i] = (float) page;
      leat_device_pin (leat_session_get_device (self->fixture.session), (guintptr) ranges_get_page (self, page), PAGE,
                       &error);
      g_assert_no_error (error);
    }
  leat_session_bind_output (self->fixture.session, "sink", (guintptr) ranges_get_page (self, MANY_PAGES), PAGE, &error);
  g_assert_no_error (error);
}

static void
ranges_tear_down (Ranges *self)
{
  g_autoptr (LeatDevice) device = g_object_ref (leat_session_get_device (self->fixture.session));

  session_fixture_close (&self->fixture);
  for (guint page = 0; page <= MANY_PAGES; page++)
    g_assert_true (leat_device_unpin (device, (guintptr) ranges_get_page (self, page), NULL));
  free (self->pages);
}

/* A run on what is so far into the page.  Returns how often the driver was asked what memory that is. */
static guint64
ranges_run (Ranges *self, guint page, guint at)
{
  const float *y = (const float *) ranges_get_page (self, MANY_PAGES);
  g_autoptr (GError) error = NULL;

  g_assert_true (leat_driver_trace_start (self->driver, FALSE, NULL));
  leat_session_bind_input (self->fixture.session, "source", (guintptr) ranges_get_page (self, page) + at,
                           N * sizeof (float), N, &error);
  leat_driver_trace_stop (self->driver);
  g_assert_no_error (error);
  leat_session_replay (self->fixture.session, FALSE, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < N; i++)
    g_assert_cmpfloat (y[i], ==, (float) page + 1);
  return leat_driver_trace_get_count (self->driver, LEAT_DRIVER_ENTRY_cuPointerGetAttribute);
}

/* The first time that memory of a range is bound, at whichever end of it; the next one may begin where it ends. */
static void
test_rebind_asks_once (void)
{
  const guint last = PAGE - N * sizeof (float);
  Ranges self;

  ranges_set_up (&self);
  for (guint i = 0; i < SOME_PAGES; i++)
    g_assert_cmpuint (ranges_run (&self, i * 77 % SOME_PAGES, i % 2 ? 0 : last), >, 0);
  for (guint i = 0; i < SOME_PAGES; i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_cmpuint (ranges_run (&self, i * 55 % SOME_PAGES, i % 2 ? last : 0), ==, 0);
      g_assert_false (leat_session_bind_input (self.fixture.session, "source",
                                               (guintptr) ranges_get_page (&self, i) + last + 16, N * sizeof (float), N,
                                               &error));
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_MEMORY);
      g_assert_nonnull (strstr (error->message, "400 bytes were bound at "));
      g_assert_nonnull (strstr (error->message, ", and the memory there ends after 384"));
    }
  ranges_tear_down (&self);
}

/* More of them than are known at a time. */
static void
test_rebind_takes_many_ranges (void)
{
  Ranges self;

  ranges_set_up (&self);
  for (guint round = 0; round < 2; round++)
    for (guint i = 0; i < MANY_PAGES; i++)
      ranges_run (&self, i * 77 % MANY_PAGES, 16 * round);
  ranges_run (&self, 7, 0);
  g_assert_cmpuint (ranges_run (&self, 7, 32), ==, 0);
  ranges_tear_down (&self);
}

int
main (int argc, char **argv)
{
  static const LeatExecutor executors[] = { LEAT_EXECUTOR_GRAPH, LEAT_EXECUTOR_EAGER };
  static RebindCase cases[G_N_ELEMENTS (modes) * G_N_ELEMENTS (executors)];

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path =
        g_strdup_printf ("/leat/session/rebind/%s/%s", modes[i / 2], i % 2 == 0 ? "graph" : "eager");

      cases[i] = (RebindCase){ modes[i / 2], executors[i % 2] };
      g_test_add_data_func (path, &cases[i], test_rebind);
    }
  g_test_add_func ("/leat/session/rebind/asks-once", test_rebind_asks_once);
  g_test_add_func ("/leat/session/rebind/takes-many-ranges", test_rebind_takes_many_ranges);
  return g_test_run ();
}
