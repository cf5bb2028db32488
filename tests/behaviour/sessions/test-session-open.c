/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session-fixture.h"

#include <glib/gstdio.h>
#include <time.h>

#include "device/leat-device-private.h"

/* What it takes to open a pipeline, from its text on: as many times more as it has nodes, whatever its shape.  And what
 * is said where there is no room for it. */

#define FEW     250
#define TIMES   8 /* as many nodes */
#define MARGIN  4 /* for the caches, which hold few nodes better; what goes by the square takes eight times as much */
#define TRIES   4 /* for what else the machine does */
#define OPENING 3 /* of each size in a try, the least of which counts */

static const char kernel[] = "#include <stdint.h>\n"
                             "__global__ void step (const float *x, uint64_t x_count, float *y, float a)\n"
                             "{\n"
                             "  uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;\n"
                             "  if (i < x_count)\n"
                             "    y[i] = a * x[i];\n"
                             "}\n";

typedef struct
{
  char *folder, *file;
} OpenFixture;

typedef void (*WriteShape) (GString *text, guint n, const char *file);

static void
fixture_set_up (OpenFixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  self->folder = g_dir_make_tmp ("leat-open-XXXXXX", &error);
  g_assert_no_error (error);
  self->file = g_build_filename (self->folder, "step.cu", NULL);
  g_assert_true (g_file_set_contents (self->file, kernel, -1, NULL));
}

static void
fixture_clear (OpenFixture *self, gconstpointer data)
{
  g_remove (self->file);
  g_rmdir (self->folder);
  g_free (self->file);
  g_free (self->folder);
}

static void
write_chain (GString *text, guint n, const char *file)
{
  g_string_append (text, "app spec=f32[64] -> upload");
  for (guint i = 4; i < n; i++)
    g_string_append_printf (text, " ->\n  kernel source=\"%s\" a=1 block=64", file);
  g_string_append (text, " -> readback -> app\n");
}

/* The last link first, and the nodes in that order. */
static void
write_backward (GString *text, guint n, const char *file)
{
  for (guint i = n - 4; i > 0; i--)
    g_string_append_printf (text, "k%u = kernel source=\"%s\" a=1\n", i, file);
  g_string_append_printf (text, "k%u. -> readback -> app\n", n - 4);
  for (guint i = n - 4; i > 1; i--)
    g_string_append_printf (text, "k%u. -> k%u.\n", i - 1, i);
  g_string_append (text, "app spec=f32[64] -> upload -> k1.\n");
}

static void
write_many_inputs (GString *text, guint n, const char *file)
{
  for (guint i = 0; i < n / 3; i++)
    g_string_append (text, "app spec=f32[64] -> upload -> discard\n");
}

static double
get_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

static double
open_once (const char *text)
{
  g_autoptr (GError) error = NULL;
  double begin = get_time (), end;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_autoptr (LeatSession) session = NULL;

  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  end = get_time ();
  leat_session_close (session);
  return end - begin;
}

static void
try_shape (WriteShape write, const char *file, double least[2])
{
  for (guint i = 0; i < 2 * OPENING; i++)
    {
      g_autoptr (GString) text = g_string_new ("leat 1\n");

      (*write) (text, i % 2 == 0 ? FEW : FEW * TIMES, file);
      least[i % 2] = MIN (least[i % 2], open_once (text->str));
    }
}

static void
test_session_open_is_linear (OpenFixture *self, gconstpointer write)
{
  double least[2] = { 1e9, 1e9 };
  g_autoptr (LeatDevice) device = leat_device_open (NULL, NULL);

  if (device == NULL || !g_str_equal (leat_device_get_id (device), "cpu"))
    {
      g_test_skip ("how a GPU's driver takes larger graphs is its own");
      return;
    }
  for (guint i = 0; i < TRIES && (i == 0 || least[1] > TIMES * MARGIN * least[0]); i++)
    try_shape ((WriteShape) write, self->file, least);
  g_test_message ("%u nodes: %.2f ms, %u: %.2f ms", FEW, 1e3 * least[0], FEW * TIMES, 1e3 * least[1]);
  g_assert_cmpfloat (least[1], <=, TIMES * MARGIN * least[0]);
}

#define LARGE                                                                                                          \
  "app spec=u8[5M] -> upload name=small mode=copy -> discard\n"                                                        \
  "app spec=u8[8M] -> upload name=large mode=copy -> discard\n"

/* The node that writes the largest buffer is told, and that buffer's bytes. */
static void
test_session_open_has_no_room (void)
{
  g_autoptr (GError) none = NULL;
  g_autoptr (LeatDevice) device = leat_device_open (NULL, &none);
  guint64 bytes, pinned;

  g_assert_no_error (none);
  bytes = leat_device_get_budget (device);
  pinned = leat_device_get_pinned_budget (device);
  for (guint kind = 0; kind < 2; kind++)
    {
      g_autoptr (GError) error = NULL;

      leat_device_set_budget (device, kind == 0 ? 6 << 20 : bytes);
      leat_device_set_pinned_budget (device, kind == 0 ? pinned : 6 << 20);
      error = session_fixture_fail (LARGE, NULL);
      g_test_message ("%s", error->message);
      g_assert_true (g_str_has_prefix (error->message, kind == 0 ? "upload \"large\": " : "app \"app1\": "));
      g_assert_nonnull (strstr (error->message, kind == 0 ? "(the largest is large.out with 8.0 MiB)"
                                                          : "(the largest is app1.out with 8.0 MiB)"));
    }
  leat_device_set_budget (device, bytes);
  leat_device_set_pinned_budget (device, pinned);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    WriteShape write;
  } shapes[] = { { "chain", write_chain }, { "backward", write_backward }, { "many-inputs", write_many_inputs } };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/session/open/is-linear/", shapes[i].name, NULL);

      g_test_add (path, OpenFixture, (gconstpointer) shapes[i].write, fixture_set_up, test_session_open_is_linear,
                  fixture_clear);
    }
  g_test_add_func ("/leat/session/open/has-no-room", test_session_open_has_no_room);
  return g_test_run ();
}
