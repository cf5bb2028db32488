/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz.h"

#include "leat-fuzz-build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LEAT_FUZZ_MAX_BYTES   4096
#define LEAT_FUZZ_RANDOM_SEED 20240229
#define LEAT_FUZZ_BRIEF_S     1.0

/* The input of the moment in a file, so that a crash leaves it behind whatever becomes of the process. */
typedef struct
{
  guint64 size;
  guint8 data[LEAT_FUZZ_MAX_BYTES * 2];
} LeatFuzzLast;

static LeatFuzzLast *leat_fuzz_last;

static gboolean
leat_fuzz_open_last (const char *path)
{
  int fd = open (path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  void *memory = MAP_FAILED;

  if (fd >= 0 && ftruncate (fd, sizeof (LeatFuzzLast)) == 0)
    memory = mmap (NULL, sizeof (LeatFuzzLast), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd >= 0)
    close (fd);
  leat_fuzz_last = memory;
  return memory != MAP_FAILED;
}

static void
leat_fuzz_try (const guint8 *data, gsize size)
{
  leat_fuzz_last->size = MIN (size, sizeof leat_fuzz_last->data);
  memcpy (leat_fuzz_last->data, data, leat_fuzz_last->size);
  LLVMFuzzerTestOneInput (data, size);
}

static int
leat_fuzz_compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* In the order of their names, so that every run does the same. */
static GPtrArray *
leat_fuzz_load_seeds (const char *folder)
{
  GPtrArray *seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (names, leat_fuzz_compare_names);
  for (guint i = 0; i < names->len; i++)
    {
      char *text;
      gsize size;

      if (g_file_get_contents (g_ptr_array_index (names, i), &text, &size, NULL))
        g_ptr_array_add (seeds, g_bytes_new_take (text, size));
    }
  return seeds;
}

static gsize
leat_fuzz_pick (GRand *random, gsize end)
{
  return end > 0 ? (gsize) g_rand_int_range (random, 0, (gint32) end) : 0;
}

static void
leat_fuzz_insert (GByteArray *input, gsize at, const guint8 *data, gsize size)
{
  gsize tail = input->len - at;

  if (input->len + size > LEAT_FUZZ_MAX_BYTES)
    return;
  g_byte_array_set_size (input, input->len + size);
  memmove (input->data + at + size, input->data + at, tail);
  memcpy (input->data + at, data, size);
}

static void
leat_fuzz_mutate_once (GRand *random, GByteArray *input, GPtrArray *seeds)
{
  gsize at = leat_fuzz_pick (random, input->len), length = 1 + leat_fuzz_pick (random, 16);
  guint n_words = g_strv_length ((char **) leat_fuzz_words);
  const char *word = leat_fuzz_words[leat_fuzz_pick (random, n_words)];
  GBytes *other = g_ptr_array_index (seeds, leat_fuzz_pick (random, seeds->len));
  gsize other_size;
  const guint8 *other_data = g_bytes_get_data (other, &other_size);
  guint8 copy[16];
  guint8 byte = g_rand_int_range (random, 0, 256);

  length = MIN (length, input->len - at);
  switch (g_rand_int_range (random, 0, 7))
    {
    case 0:
      leat_fuzz_insert (input, at, &byte, 1);
      break;
    case 1:
      if (input->len > 0)
        input->data[at] = byte;
      break;
    case 2:
      g_byte_array_remove_range (input, at, length);
      break;
    case 3:
      memcpy (copy, input->data + at, length);
      leat_fuzz_insert (input, leat_fuzz_pick (random, input->len), copy, length);
      break;
    case 4:
      length = 1 + leat_fuzz_pick (random, 64);
      at = leat_fuzz_pick (random, other_size);
      leat_fuzz_insert (input, leat_fuzz_pick (random, input->len), other_data + at, MIN (length, other_size - at));
      break;
    default:
      leat_fuzz_insert (input, at, (const guint8 *) word, strlen (word));
      break;
    }
}

static guint
leat_fuzz_run (GPtrArray *seeds, double seconds)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (LEAT_FUZZ_RANDOM_SEED);
  g_autoptr (GByteArray) input = g_byte_array_new ();
  gint64 end_us = g_get_monotonic_time () + (gint64) (seconds * G_USEC_PER_SEC);
  guint n = 0;

  for (; g_get_monotonic_time () < end_us; n++)
    {
      GBytes *seed = g_ptr_array_index (seeds, leat_fuzz_pick (random, seeds->len));
      gsize size;
      const guint8 *data = g_bytes_get_data (seed, &size);
      int n_mutations = g_rand_int_range (random, 1, 12);

      g_byte_array_set_size (input, 0);
      g_byte_array_append (input, data, MIN (size, LEAT_FUZZ_MAX_BYTES));
      for (int i = 0; i < n_mutations; i++)
        leat_fuzz_mutate_once (random, input, seeds);
      leat_fuzz_try (input->data, input->len);
    }
  return n;
}

static int
leat_fuzz_try_file (const char *path)
{
  g_autofree char *text = NULL;
  gsize size = 0;

  if (!g_file_get_contents (path, &text, &size, NULL))
    return 1;
  leat_fuzz_try ((const guint8 *) text, size);
  return 0;
}

/* All runs make the same inputs, so a longer one begins with those of a shorter one. */
static double
leat_fuzz_get_seconds (const char *given)
{
  double seconds = given != NULL ? g_ascii_strtod (given, NULL) : 3;

  return g_getenv ("LEAT_TEST_BRIEF") != NULL ? MIN (seconds, LEAT_FUZZ_BRIEF_S) : seconds;
}

static int
leat_fuzz_try_seeds (const char *folder, double seconds)
{
  g_autoptr (GPtrArray) seeds = leat_fuzz_load_seeds (folder);

  printf ("1..2\n%s 1 there are seeds # %u\n", seeds->len > 0 ? "ok" : "not ok", seeds->len);
  for (guint i = 0; i < seeds->len; i++)
    {
      gsize size;
      const guint8 *data = g_bytes_get_data (g_ptr_array_index (seeds, i), &size);

      leat_fuzz_try (data, size);
    }
  fflush (stdout);
  if (seeds->len == 0)
    return 1;
  printf ("ok 2 mutations of them # %u inputs in %g s\n", leat_fuzz_run (seeds, seconds), seconds);
  return 0;
}

/* fuzz-NAME SEEDS [SECONDS]; the input of a crash stays beside the program, in fuzz-NAME.last, after eight bytes of
 * length.  fuzz-NAME FILE tries one input. */
int
main (int argc, char **argv)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *last = g_strconcat (program != NULL ? program : argv[0], ".last", NULL);
  int status;

  if (argc < 2)
    {
      fprintf (stderr, "usage: %s SEEDS [SECONDS]\n", argv[0]);
      return 2;
    }
  if (!leat_fuzz_open_last (last))
    {
      fprintf (stderr, "%s: %s cannot be written\n", argv[0], last);
      return 2;
    }
  leat_fuzz_use_build ();
  if (g_file_test (argv[1], G_FILE_TEST_IS_REGULAR))
    status = leat_fuzz_try_file (argv[1]);
  else
    status = leat_fuzz_try_seeds (argv[1], leat_fuzz_get_seconds (argc > 2 ? argv[2] : NULL));
  unlink (last);
  return status;
}
