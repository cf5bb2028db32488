/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "primitive-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

/* Bounded inputs of which one brings less than the other.  What a run before has left in the memory behind it is
 * looked at by none. */

#define MOST 20001

static const guint test_rooms[] = { 9, 5000, MOST };

typedef struct
{
  guint32 x[MOST], wanted[MOST];
  guint8 flags[MOST];
  GBytes *out;
} TestShorter;

static void
test_shorter_run (PrimitiveFixture *fixture, TestShorter *self, guint n, guint n_flags)
{
  g_clear_pointer (&self->out, g_bytes_unref);
  primitive_fixture_push (fixture, 1, self->flags, n_flags);
  self->out = primitive_fixture_run (fixture, self->x, n * sizeof *self->x);
  for (guint i = 1; i < fixture->n_outputs; i++)
    g_bytes_unref (primitive_fixture_pull (fixture, i));
}

static void
test_shorter_assert (TestShorter *self, guint n)
{
  g_assert_cmpmem (g_bytes_get_data (self->out, NULL), g_bytes_get_size (self->out), self->wanted,
                   n * sizeof *self->wanted);
}

/* With all that there is room for, each flag set, is how the memory is left. */
static TestShorter *
test_shorter_open (PrimitiveFixture *fixture, const char *node, const char *items, const char *flags,
                   const char *output, guint room)
{
  TestShorter *self = g_new0 (TestShorter, 1);
  g_autofree char *inputs = g_strdup_printf ("%s=u32[<=%u] %s=u8[<=%u]", items, room, flags, room);

  primitive_fixture_open (fixture, node, inputs, output);
  for (guint i = 0; i < room; i++)
    self->x[i] = i + 1;
  memset (self->flags, 1, room);
  test_shorter_run (fixture, self, room, room);
  memset (self->flags, 0, room);
  return self;
}

static void
test_shorter_close (PrimitiveFixture *fixture, TestShorter *self)
{
  g_bytes_unref (self->out);
  g_free (self);
  primitive_fixture_close (fixture);
}

static void
test_shorter_scan (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (test_rooms); i++)
    {
      guint room = test_rooms[i];
      PrimitiveFixture fixture;
      TestShorter *self = test_shorter_open (&fixture, "scan type=u32", "x", "starts", "out", room);

      for (guint k = 0; k < room; k++)
        self->wanted[k] = (k + 1) * (k + 2) / 2;
      test_shorter_run (&fixture, self, room, room / 3);
      test_shorter_assert (self, room / 3);
      test_shorter_run (&fixture, self, room / 2, room);
      test_shorter_assert (self, room / 2);
      test_shorter_run (&fixture, self, room, 0);
      test_shorter_assert (self, 0);
      test_shorter_close (&fixture, self);
    }
}

/* Where there is room for so many items, starts are scanned in two kernels, however few come. */
static void
test_shorter_scan_twice (void)
{
  TestShorter *self = g_new0 (TestShorter, 1);
  PrimitiveFixture fixture;

  primitive_fixture_open (&fixture, "scan type=u32", "x=u32[<=6000000] starts=u8[<=6000000]", "out");
  for (guint k = 0; k < MOST; k++)
    {
      self->x[k] = k + 1;
      self->wanted[k] = (k + 1) * (k + 2) / 2;
    }
  memset (self->flags, 1, MOST);
  test_shorter_run (&fixture, self, MOST, MOST);
  memset (self->flags, 0, MOST);
  test_shorter_run (&fixture, self, MOST, MOST / 3);
  test_shorter_assert (self, MOST / 3);
  test_shorter_run (&fixture, self, MOST / 2, MOST);
  test_shorter_assert (self, MOST / 2);
  test_shorter_run (&fixture, self, MOST, 0);
  test_shorter_assert (self, 0);
  test_shorter_close (&fixture, self);
}

static void
test_shorter_partition (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (test_rooms); i++)
    {
      guint room = test_rooms[i], least = room / 3, front = 0;
      PrimitiveFixture fixture;
      TestShorter *self = test_shorter_open (&fixture, "partition", "x", "flags", "out", room);

      for (guint k = 0; k < least; k += 2)
        {
          self->flags[k] = 1;
          self->wanted[front++] = self->x[k];
        }
      for (guint k = 1; k < least; k += 2)
        self->wanted[front++] = self->x[k];
      test_shorter_run (&fixture, self, room, least);
      test_shorter_assert (self, least);
      test_shorter_run (&fixture, self, least, room);
      test_shorter_assert (self, least);
      test_shorter_run (&fixture, self, room, 0);
      test_shorter_assert (self, 0);
      test_shorter_close (&fixture, self);
    }
}

/* A key for which no row came has zeros. */
static void
test_shorter_sort (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (test_rooms); i++)
    {
      guint room = test_rooms[i], least = room / 3;
      PrimitiveFixture fixture;
      TestShorter *self =
        test_shorter_open (&fixture, "sort order=descending", "keys", "values", "carried sorted", room);
      g_autofree guint8 *wanted = g_new0 (guint8, room);

      for (guint k = 0; k < least; k++)
        wanted[room - 1 - k] = self->flags[k] = (guint8) (k % 100 + 1);
      test_shorter_run (&fixture, self, room, least);
      g_assert_cmpmem (g_bytes_get_data (self->out, NULL), g_bytes_get_size (self->out), wanted, room);
      test_shorter_close (&fixture, self);
    }
}

/* A kernel before says that there are more flags than there is room for. */
static void
test_shorter_capacity (void)
{
  static const char *const nodes[] = {
    "t = scan\nt.out", "starts", "x", "t = partition\nt.out", "flags", "x", "t = sort\nt.sorted -> discard\nt.carried",
    "values",          "keys"
  };
  static const char kernel[] = "__global__ void much (const uint32_t *in, uint64_t in_count, uint32_t *out, "
                               "uint64_t *out_count)\n{\n  if (blockIdx.x == 0 && threadIdx.x == 0)\n    {\n"
                               "      out[0] = in[0];\n      *out_count = in_count;\n    }\n}\n";
  g_autofree char *folder = g_dir_make_tmp ("leat-shorter-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "much.cu", NULL);

  g_assert_true (g_file_set_contents (path, kernel, -1, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i += 3)
    {
      static const guint32 x[9] = { 0 };
      g_autofree char *text = g_strdup_printf (
        "leat 1\na = app spec=u32[<=9]\nb = app spec=u32[<=4]\nk = kernel source=%s grid=1 block=1 out=u32[<=4]\n"
        "%s -> readback -> discard\na -> upload -> k.in\nk.out -> t.%s\nb -> upload -> t.%s\n",
        path, nodes[i], nodes[i + 1], nodes[i + 2]);
      GError *error = NULL;
      g_autoptr (LeatSession) session = NULL;
      g_autoptr (GBytes) nine = g_bytes_new_static (x, sizeof x), four = g_bytes_new_static (x, 16);
      g_autoptr (LeatPipeline) pipeline = NULL;

      pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
      g_assert_no_error (error);
      session = leat_session_new (pipeline, NULL);
      leat_session_open (session, NULL, &error);
      g_assert_no_error (error);
      leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)), nine, NULL);
      leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL)), four, NULL);
      g_assert_cmpint (leat_session_replay (session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW);
      g_assert_nonnull (strstr (error->message, "there are 9 items to take from k.out, but it has room for 4"));
      g_clear_error (&error);
      leat_session_close (session);
    }
  g_remove (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/primitives/shorter/scan", test_shorter_scan);
  g_test_add_func ("/leat/primitives/shorter/scan-twice", test_shorter_scan_twice);
  g_test_add_func ("/leat/primitives/shorter/partition", test_shorter_partition);
  g_test_add_func ("/leat/primitives/shorter/sort", test_shorter_sort);
  g_test_add_func ("/leat/primitives/shorter/capacity", test_shorter_capacity);
  return g_test_run ();
}
