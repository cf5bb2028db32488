/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat.h"
#include "parse/leat-arena-private.h"

#include <string.h>

/* More than one block holds, in all sizes up to more than a block. */
#define N_PIECES   400
#define MOST_BYTES 20000

static gsize
get_size (guint i)
{
  return 1 + (i * i * 37) % (i % 50 == 0 ? MOST_BYTES : 200);
}

/* Each holds zeros at first, is aligned, and keeps what is written there while others are asked for. */
static void
test_arena_alloc (void)
{
  g_autoptr (LeatArena) arena = leat_arena_new ();
  guint8 *pieces[N_PIECES];

  for (guint i = 0; i < N_PIECES; i++)
    {
      pieces[i] = leat_arena_alloc (arena, get_size (i));
      g_assert_cmpuint ((gsize) pieces[i] % 16, ==, 0);
      for (gsize at = 0; at < get_size (i); at++)
        g_assert_cmpuint (pieces[i][at], ==, 0);
      memset (pieces[i], (int) (1 + i % 255), get_size (i));
    }
  for (guint i = 0; i < N_PIECES; i++)
    for (gsize at = 0; at < get_size (i); at++)
      g_assert_cmpuint (pieces[i][at], ==, 1 + i % 255);
}

static void
test_arena_text (void)
{
  g_autoptr (LeatArena) arena = leat_arena_new ();

  g_assert_cmpstr (leat_arena_strdup (arena, "a text"), ==, "a text");
  g_assert_cmpstr (leat_arena_strdup (arena, ""), ==, "");
  g_assert_null (leat_arena_strdup (arena, NULL));
  g_assert_cmpstr (leat_arena_strndup (arena, "a text", 3), ==, "a t");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/parse/arena/alloc", test_arena_alloc);
  g_test_add_func ("/leat/parse/arena/text", test_arena_text);
  return g_test_run ();
}
