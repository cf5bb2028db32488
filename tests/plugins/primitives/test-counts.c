/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "counts-fixture.h"
#include "primitive-fixture.h"

#include <string.h>

/* What all primitives do about counts that they find on the device: none, as many as there is room for, and more than
 * that, up to the greatest number that there is. */

#define COUNTS_ITEMS_MOST 70000 /* of an input */

/* One block of a kernel, some, and more than a block has. */
static const guint64 test_rooms[] = { 16, 5000, 70000 };

typedef struct
{
  const CountsCase *c;
  LeatExecutor executor;
} TestCounts;

/* The kernels are the same without a graph, so that they need not have much to do once more. */
static guint
test_counts_get_rooms (const TestCounts *self)
{
  return G_N_ELEMENTS (test_rooms) - (self->executor == LEAT_EXECUTOR_EAGER);
}

/* In eights, so that there is a byte of bits for each. */
static guint64
test_counts_get_room (const CountsCase *c, guint64 room)
{
  return MIN (room, COUNTS_ITEMS_MOST / MAX (c->inputs[0].columns, 1) / 8 * 8);
}

static void
test_counts_of_one (CountsFixture *fixture)
{
  guint64 room = counts_fixture_get_room (fixture, 0);
  const guint64 counts[] = { room,     0, room / 3,    room + 1,   room, 3 * room, (G_GUINT64_CONSTANT (1) << 40) + 7,
                             room / 3, 1, G_MAXUINT64, G_MAXINT64, 0,    room };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    counts_fixture_run (fixture, &counts[i]);
}

static void
test_counts_of_two (CountsFixture *fixture)
{
  guint64 a = counts_fixture_get_room (fixture, 0), b = counts_fixture_get_room (fixture, 1);
  const guint64 far = (G_GUINT64_CONSTANT (1) << 40) + 7;
  const guint64 counts[][COUNTS_INPUTS_MOST] = { { a, b },          { 0, b },     { a, 0 },     { a / 3, b },
                                                 { a, b / 3 },      { a + 1, b }, { a, b + 1 }, { 3 * a, G_MAXUINT64 },
                                                 { a / 3, far },    { far, 0 },   { 0, 3 * b }, { G_MAXUINT64, b / 3 },
                                                 { G_MAXINT64, 1 }, { 0, 0 },     { a, b } };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    counts_fixture_run (fixture, counts[i]);
}

static void
test_counts (gconstpointer data)
{
  const TestCounts *self = data;
  guint64 before = 0;

  for (guint i = 0; i < test_counts_get_rooms (self); i++)
    {
      guint64 room = test_counts_get_room (self->c, test_rooms[i]);
      CountsFixture fixture;

      if (room == before)
        continue;
      counts_fixture_open (&fixture, self->c, room, self->executor);
      if (fixture.n_inputs == 1)
        test_counts_of_one (&fixture);
      else
        test_counts_of_two (&fixture);
      counts_fixture_close (&fixture);
      before = room;
    }
}

/* What a search finds in too much is what it finds in as much as there is room for. */
static void
test_counts_search (gconstpointer data)
{
  const TestCounts *self = data;

  for (guint i = 0; i < test_counts_get_rooms (self); i++)
    {
      guint64 room = 20 * test_rooms[i];
      const guint64 counts[] = { room, room + 1, 3 * room, G_MAXUINT64, room };
      CountsFixture fixture;

      counts_fixture_open (&fixture, self->c, room, self->executor);
      for (guint k = 0; k < G_N_ELEMENTS (counts); k++)
        {
          counts_fixture_run (&fixture, &counts[k]);
          counts_fixture_reopen (&fixture);
        }
      counts_fixture_close (&fixture);
    }
}

/* Room for nothing at all is refused where it is asked for, so that no node ever has it. */
static void
test_counts_refuses_no_room (void)
{
  g_autoptr (GError) error = primitive_fixture_fail ("reduce", "x=u32[<=0]", "out");

  if (strstr (error->message, "\"u32[<=0]\", column 7: a dimension is at least 1") == NULL)
    g_error ("\"%s\" does not say what is wrong", error->message);
}

static void
test_counts_add (TestCounts *self, const CountsCase *c, gboolean eager, GTestDataFunc function)
{
  g_autofree char *path = g_strdup_printf ("/leat/primitives/counts/%s/%s", c->name, eager ? "eager" : "graph");

  *self = (TestCounts){ c, eager ? LEAT_EXECUTOR_EAGER : LEAT_EXECUTOR_GRAPH };
  g_test_add_data_func (path, self, function);
}

int
main (int argc, char **argv)
{
  g_autofree TestCounts *tests = g_new (TestCounts, 2 * (counts_n_cases + counts_n_searches));
  guint n = 0;

  g_test_init (&argc, &argv, NULL);
#ifdef __SANITIZE_ADDRESS__
  /* What is read behind the end of a buffer is seen only so. */
  g_setenv ("LEAT_KERNEL_SANITIZE", "address", TRUE);
#endif
  for (guint i = 0; i < counts_n_cases; i++)
    for (guint eager = 0; eager < 2; eager++)
      test_counts_add (&tests[n++], &counts_cases[i], eager, test_counts);
  for (guint i = 0; i < counts_n_searches; i++)
    for (guint eager = 0; eager < 2; eager++)
      test_counts_add (&tests[n++], &counts_searches[i], eager, test_counts_search);
  g_test_add_func ("/leat/primitives/counts/refuses-no-room", test_counts_refuses_no_room);
  return g_test_run ();
}
