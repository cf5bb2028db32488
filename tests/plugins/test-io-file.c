/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef LeatHarness Harness;

static char *
test_io_file_setting (const char *path)
{
  return g_strconcat ("path=", path, NULL);
}

static void
test_io_file_chunks (void)
{
  g_autofree char *path = leat_harness_dup_path ("in");
  g_autofree char *setting = test_io_file_setting (path);
  g_autofree char *spec = NULL;
  GError *error = NULL;
  Harness harness;

  leat_harness_write_file (path, "abcdefghij", 10);
  leat_harness_init_source (&harness, "io:file", setting, "chunk=4", NULL);
  leat_harness_start (&harness);
  spec = leat_harness_dup_spec (&harness);
  g_assert_cmpstr (spec, ==, "u8[<=4]");
  g_assert_cmpuint (LEAT_ENDPOINT_GET_CLASS (harness.node)->get_total (harness.node), ==, 10);
  for (const char *const *part = (const char *const[]){ "abcd", "efgh", "ij", NULL }; *part != NULL; part++)
    {
      g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_DATA);
      g_assert_cmpmem (harness.memory->data, harness.memory->len, *part, strlen (*part));
    }
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_END);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_END);
  leat_harness_clear (&harness);
}

/* Chunks that are read in parts, the last of which ends anywhere. */
static void
test_io_file_readers (gconstpointer data)
{
  const gsize size = (gsize) 9 * 1024 * 1024 + GPOINTER_TO_UINT (data);
  g_autofree char *path = leat_harness_dup_path ("in");
  g_autofree char *setting = test_io_file_setting (path);
  g_autofree guint32 *words = g_malloc (size + sizeof *words);
  GError *error = NULL;
  Harness harness;
  gsize at = 0;

  for (guint32 i = 0; i < size / sizeof *words + 1; i++)
    words[i] = i * 2654435761u;
  leat_harness_write_file (path, (const char *) words, size);
  leat_harness_init_source (&harness, "io:file", setting, "chunk=4M", "readers=3", NULL);
  leat_harness_start (&harness);
  for (LeatFlow flow; (flow = leat_harness_fill (&harness, TRUE, &error)) != LEAT_FLOW_END;)
    {
      g_assert_no_error (error);
      g_assert_cmpint (flow, ==, LEAT_FLOW_DATA);
      g_assert_cmpuint (harness.memory->len, ==, MIN (size - at, (gsize) 4 << 20));
      g_assert_cmpmem (harness.memory->data, harness.memory->len, (guint8 *) words + at, harness.memory->len);
      at += harness.memory->len;
    }
  g_assert_cmpuint (at, ==, size);
  leat_harness_clear (&harness);
}

/* A file that has become shorter since it was opened is an error, with both sizes. */
static void
test_io_file_readers_shortened (void)
{
  const gsize size = 6 << 20, left = (2 << 20) + 77;
  g_autofree char *path = leat_harness_dup_path ("in");
  g_autofree char *setting = test_io_file_setting (path);
  g_autofree char *bytes = g_malloc (size);
  GError *error = NULL;
  Harness harness;

  memset (bytes, 'x', size);
  leat_harness_write_file (path, bytes, size);
  leat_harness_init_source (&harness, "io:file", setting, "chunk=6M", "readers=4", NULL);
  leat_harness_start (&harness);
  g_assert_no_errno (truncate (path, left));
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_ERROR);
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                             "in\" had 6291456 bytes when it was opened and has 2097229 now; nothing may write to it");
  leat_harness_clear (&harness);
}

#define AHEAD       3
#define AHEAD_CHUNK (1 << 20)

/* A file of @size bytes, and a node that has begun to read three chunks of it, when only @left were left. */
static guint8 *
test_io_file_init_ahead (Harness *harness, gsize size, gsize left, guint8 *memory)
{
  g_autofree char *path = leat_harness_dup_path ("in");
  g_autofree char *setting = test_io_file_setting (path);
  guint32 *words = g_malloc (size + sizeof *words);

  for (guint32 i = 0; i < size / sizeof *words + 1; i++)
    words[i] = i * 2654435761u;
  leat_harness_write_file (path, (const char *) words, size);
  leat_harness_init_source (harness, "io:file", setting, "chunk=1M", "readers=3", NULL);
  leat_harness_start (harness);
  g_assert_no_errno (truncate (path, (off_t) left));
  for (guint i = 0; i < AHEAD; i++)
    g_assert_true (leat_harness_begin (harness, memory + i * AHEAD_CHUNK));
  return (guint8 *) words;
}

/* Chunks that are known to be there are begun, and come in their order; the rest, and what was written behind the end
 * since, comes as ever. */
static void
test_io_file_ahead (void)
{
  const gsize size = 5 * AHEAD_CHUNK + 77;
  g_autofree guint8 *memory = g_malloc (AHEAD * AHEAD_CHUNK);
  g_autofree guint8 *bytes = NULL;
  GError *error = NULL;
  Harness harness;
  guint64 count;

  bytes = test_io_file_init_ahead (&harness, size, size, memory);
  for (guint i = 0; i < 5; i++)
    {
      guint8 *to = memory + i % AHEAD * AHEAD_CHUNK;

      g_assert_cmpint (leat_harness_complete (&harness, to, &count, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      g_assert_cmpmem (to, count, bytes + i * AHEAD_CHUNK, AHEAD_CHUNK);
      g_assert_true (leat_harness_begin (&harness, to) == (i + AHEAD < 5));
    }
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpmem (harness.memory->data, harness.memory->len, bytes + 5 * AHEAD_CHUNK, 77);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_END);
  leat_harness_clear (&harness);
}

/* Again and again round the lanes that chunks are read into, with any number of them begun before the first is
 * complete, and by any number of threads; the last chunk is shorter, and comes as ever. */
static void
test_io_file_ahead_turns (void)
{
  enum
  {
    LANES = 5,
    RUNS = 4 * LANES
  };
  const gsize size = RUNS * AHEAD_CHUNK + 77;
  g_autofree char *path = leat_harness_dup_path ("in");
  g_autofree char *setting = test_io_file_setting (path);
  g_autofree guint8 *memory = g_malloc (LANES * AHEAD_CHUNK);
  g_autofree guint32 *words = g_malloc (size + sizeof *words);

  for (guint32 i = 0; i < size / sizeof *words + 1; i++)
    words[i] = i * 2654435761u;
  leat_harness_write_file (path, (const char *) words, size);
  for (guint depth = 1; depth <= LANES; depth++)
    for (guint readers = 2; readers <= 4; readers += 2)
      {
        g_autofree char *threads = g_strdup_printf ("readers=%u", readers);
        guint begun = 0;
        GError *error = NULL;
        Harness harness;

        leat_harness_init_source (&harness, "io:file", setting, "chunk=1M", threads, NULL);
        leat_harness_start (&harness);
        for (guint given = 0; given < RUNS; given++)
          {
            guint8 *to = memory + given % LANES * AHEAD_CHUNK;
            guint64 count;

            for (; begun < MIN (given + depth, RUNS); begun++)
              g_assert_true (leat_harness_begin (&harness, memory + begun % LANES * AHEAD_CHUNK));
            if (begun == RUNS)
              g_assert_false (leat_harness_begin (&harness, memory));
            g_assert_cmpint (leat_harness_complete (&harness, to, &count, &error), ==, LEAT_FLOW_DATA);
            g_assert_no_error (error);
            g_assert_cmpmem (to, count, (guint8 *) words + (gsize) given * AHEAD_CHUNK, AHEAD_CHUNK);
          }
        g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_DATA);
        g_assert_cmpmem (harness.memory->data, harness.memory->len, (guint8 *) words + (gsize) RUNS * AHEAD_CHUNK, 77);
        g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_END);
        leat_harness_clear (&harness);
      }
}

/* Where the file has become shorter that is told, though more was begun: it ends with a chunk, or within the next. */
static void
test_io_file_ahead_shortened (void)
{
  static const gsize lefts[] = { AHEAD_CHUNK, AHEAD_CHUNK + 1, AHEAD_CHUNK + 77, 2 * AHEAD_CHUNK - 1 };
  g_autofree guint8 *memory = g_malloc (AHEAD * AHEAD_CHUNK);

  for (guint i = 0; i < G_N_ELEMENTS (lefts); i++)
    {
      g_autofree char *says =
        g_strdup_printf ("had 4194304 bytes when it was opened and has %" G_GSIZE_FORMAT " now", lefts[i]);
      g_autofree guint8 *bytes = NULL;
      GError *error = NULL;
      Harness harness;
      guint64 count;

      bytes = test_io_file_init_ahead (&harness, 4 * AHEAD_CHUNK, lefts[i], memory);
      g_assert_cmpint (leat_harness_complete (&harness, memory, &count, &error), ==, LEAT_FLOW_DATA);
      g_assert_cmpmem (memory, count, bytes, AHEAD_CHUNK);
      for (guint k = 1; k < AHEAD; k++)
        {
          g_assert_cmpint (leat_harness_complete (&harness, memory + k * AHEAD_CHUNK, &count, &error), ==,
                           LEAT_FLOW_ERROR);
          leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, says);
        }
      leat_harness_clear (&harness);
    }
}

/* A file whose size changes between two chunks: shorter by whole chunks, by less, or longer. */
static void
test_io_file_changed (void)
{
  static const struct
  {
    gsize before, after;
    guint good; /* chunks before the one that fails */
    const char *says;
  } table[] = {
    { 12, 4, 1, "had 12 bytes when it was opened and has 4 now" },
    { 12, 5, 1, "has 5 now" },
    { 12, 0, 1, "has 0 now" },
    { 12, 14, 3, "had 12 bytes when it was opened and has 14 now" },
    { 4, 4000, 1, "has 4000 now" },
    { 6, 8, 1, "has 8 now" },
  };
  g_autofree char *path = leat_harness_dup_path ("in");
  g_autofree char *setting = test_io_file_setting (path);

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      GError *error = NULL;
      Harness harness;

      leat_harness_write_file (path, "abcdefghijkl", table[i].before);
      leat_harness_init_source (&harness, "io:file", setting, "chunk=4", NULL);
      leat_harness_start (&harness);
      for (guint k = 0; k < table[i].good; k++)
        {
          g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_DATA);
          g_assert_no_errno (truncate (path, (off_t) table[i].after));
        }
      g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_ERROR);
      leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, table[i].says);
      leat_harness_clear (&harness);
    }
}

/* Files of the kernel's have no size, and are read until they end. */
static void
test_io_file_without_size (void)
{
  GError *error = NULL;
  Harness harness;
  guint runs = 0;

  leat_harness_init_source (&harness, "io:file", "path=/proc/self/status", "chunk=64", NULL);
  leat_harness_start (&harness);
  while (leat_harness_fill (&harness, TRUE, &error) == LEAT_FLOW_DATA)
    runs++;
  g_assert_no_error (error);
  g_assert_cmpuint (runs, >, 2);
  leat_harness_clear (&harness);
}

/* What nobody completes does not outlive the node. */
static void
test_io_file_ahead_stopped (void)
{
  g_autofree guint8 *memory = g_malloc (AHEAD * AHEAD_CHUNK);
  g_autofree guint8 *bytes = NULL;
  Harness harness;

  bytes = test_io_file_init_ahead (&harness, 4 * AHEAD_CHUNK, 4 * AHEAD_CHUNK, memory);
  leat_harness_stop (&harness);
  g_assert_cmpmem (memory, AHEAD * AHEAD_CHUNK, bytes, AHEAD * AHEAD_CHUNK);
  leat_harness_clear (&harness);
}

/* A pipe has what it has: nothing is begun.  Nor by one thread, nor of small chunks. */
static void
test_io_file_ahead_not (void)
{
  static const struct
  {
    const char *chunk, *readers;
  } table[] = { { "chunk=1M", "readers=1" }, { "chunk=400K", "readers=4" }, { "chunk=65M", "readers=4" } };
  g_autofree char *path = leat_harness_dup_path ("in");
  g_autofree char *setting = test_io_file_setting (path);
  g_autofree guint8 *memory = g_malloc0 (66 << 20);
  Harness harness;

  leat_harness_write_file (path, memory, 66 << 20);
  for (guint i = 0; i <= G_N_ELEMENTS (table); i++)
    {
      if (i == G_N_ELEMENTS (table))
        {
          unlink (path);
          g_assert_no_errno (mkfifo (path, 0600));
        }
      leat_harness_init_source (&harness, "io:file", setting, i < G_N_ELEMENTS (table) ? table[i].chunk : "chunk=1M",
                                i < G_N_ELEMENTS (table) ? table[i].readers : "readers=4", NULL);
      leat_harness_start (&harness);
      g_assert_false (leat_harness_begin (&harness, memory));
      leat_harness_clear (&harness);
    }
  unlink (path);
}

static void
test_io_file_empty (void)
{
  g_autofree char *path = leat_harness_dup_path ("in");
  g_autofree char *setting = test_io_file_setting (path);
  GError *error = NULL;
  Harness harness;

  leat_harness_write_file (path, "", 0);
  leat_harness_init_source (&harness, "io:file", setting, NULL);
  leat_harness_start (&harness);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_END);
  leat_harness_clear (&harness);
}

/* What the node gives, by what is asked for on its port. */
static void
test_io_file_specs (void)
{
  static const struct
  {
    const char *out, *spec;
    guint runs;
  } table[] = {
    { "out=f32", "f32[<=4]", 2 },  { "out=u16[<=4]", "u16[<=4]", 3 }, { "out=u16[<=n,3]", "u16[<=2,3]", 2 },
    { "out=u32[n]", "u32[6]", 1 }, { "out=u8[24]", "u8[24]", 1 },     { "out=f64[1]", "f64[1]", 3 },
    { "out=u32[]", "u32[]", 6 },   { "out=u8[n,3]", "u8[8,3]", 1 },   { "out=u8[*,12]", "u8[<=1,12]", 2 },
    { "out=any", "u8[<=16]", 2 },
  };
  g_autofree char *path = leat_harness_dup_path ("in");
  g_autofree char *setting = test_io_file_setting (path);

  leat_harness_write_file (path, "abcdefghijklmnopqrstuvwx", 24);
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autofree char *spec = NULL;
      GError *error = NULL;
      guint runs = 0, bytes = 0;
      Harness harness;

      g_test_message ("%s", table[i].out);
      leat_harness_init_source (&harness, "io:file", setting, "chunk=16", table[i].out, NULL);
      leat_harness_start (&harness);
      spec = leat_harness_dup_spec (&harness);
      g_assert_cmpstr (spec, ==, table[i].spec);
      for (; leat_harness_fill (&harness, TRUE, &error) == LEAT_FLOW_DATA; runs++)
        bytes += harness.memory->len;
      g_assert_no_error (error);
      g_assert_cmpuint (runs, ==, table[i].runs);
      g_assert_cmpuint (bytes, ==, 24);
      leat_harness_clear (&harness);
    }
}

static void
test_io_file_open_spec (void)
{
  g_autofree char *path = leat_harness_dup_path ("in");
  g_autofree char *setting = test_io_file_setting (path);
  GError *error = NULL;
  Harness harness;

  leat_harness_write_file (path, "abcd", 4);
  leat_harness_init_source (&harness, "io:file", setting, "out=u8[h,w]", NULL);
  g_assert_false (leat_harness_plan (&harness, &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "u8[h,w]");
  leat_harness_clear (&harness);
}

/* A whole number of rows is known before the first run where the size is. */
static void
test_io_file_partial_row (void)
{
  g_autofree char *path = leat_harness_dup_path ("in");
  g_autofree char *setting = test_io_file_setting (path);
  GError *error = NULL;
  Harness harness;

  leat_harness_write_file (path, "abcdefg", 7);
  leat_harness_init_source (&harness, "io:file", setting, "out=f32[<=2]", NULL);
  g_assert_true (leat_harness_plan (&harness, &error));
  g_assert_false (LEAT_ENDPOINT_GET_CLASS (harness.node)->start (harness.node, &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, "3 bytes of 4");
  leat_harness_clear (&harness);
}

static void
test_io_file_missing (void)
{
  g_autofree char *there = leat_harness_dup_path ("words.txt");
  g_autofree char *typo = leat_harness_dup_path ("wrods.txt");
  g_autofree char *absent = leat_harness_dup_path ("none-such");
  g_autofree char *folder = g_path_get_dirname (there);
  const struct
  {
    const char *path, *says;
  } table[] = { { typo, "did you mean \"words.txt\"" }, { absent, "none-such" }, { folder, "directory" } };

  leat_harness_write_file (there, "x", 1);
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autofree char *setting = test_io_file_setting (table[i].path);
      GError *error = NULL;
      Harness harness;

      leat_harness_init_source (&harness, "io:file", setting, NULL);
      g_assert_false (leat_harness_plan (&harness, &error));
      leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, table[i].says);
      leat_harness_clear (&harness);
    }
}

static void
test_io_file_unreadable (void)
{
  g_autofree char *path = leat_harness_dup_path ("secret");
  g_autofree char *setting = test_io_file_setting (path);
  GError *error = NULL;
  Harness harness;

  if (geteuid () == 0)
    {
      g_test_skip ("root may read everything");
      return;
    }
  leat_harness_write_file (path, "x", 1);
  g_assert_cmpint (g_chmod (path, 0), ==, 0);
  leat_harness_init_source (&harness, "io:file", setting, NULL);
  g_assert_false (leat_harness_plan (&harness, &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, "secret");
  leat_harness_clear (&harness);
}

typedef struct
{
  const char *path;
  const char *const *parts;
  LeatEndpoint *wake;
} Writer;

/* Writes its parts with pauses, so that a reader meets them one by one. */
static gpointer
test_io_file_write_slowly (gpointer data)
{
  Writer *writer = data;
  int fd = open (writer->path, O_WRONLY | O_CLOEXEC);

  g_assert_cmpint (fd, >=, 0);
  for (const char *const *part = writer->parts; *part != NULL; part++)
    {
      g_usleep (20000);
      g_assert_cmpint (write (fd, *part, strlen (*part)), ==, (gssize) strlen (*part));
    }
  close (fd);
  return NULL;
}

static void
test_io_file_pipe (void)
{
  g_autofree char *path = leat_harness_dup_path ("pipe");
  g_autofree char *setting = test_io_file_setting (path);
  const char *const parts[] = { "abc", "de", "fghi", "j", "klmnop", NULL };
  Writer writer = { path, parts };
  GError *error = NULL;
  GThread *thread;
  Harness harness;

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  leat_harness_init_source (&harness, "io:file", setting, "out=u32[<=2]", NULL);
  leat_harness_start (&harness);
  thread = g_thread_new ("writer", test_io_file_write_slowly, &writer);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpmem (harness.memory->data, harness.memory->len, "abcdefgh", 8);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpmem (harness.memory->data, harness.memory->len, "ijklmnop", 8);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_END);
  g_thread_join (thread);
  leat_harness_clear (&harness);
  g_remove (path);
}

/* Programs that are started meanwhile do not get the file. */
static void
test_io_file_is_not_inherited (void)
{
  g_autofree char *path = leat_harness_dup_path ("in");
  g_autofree char *setting = test_io_file_setting (path);
  g_autoptr (GDir) descriptors = NULL;
  guint n_open = 0;
  struct stat file;
  const char *name;
  Harness harness;

  leat_harness_write_file (path, "abcd", 4);
  g_assert_no_errno (stat (path, &file));
  leat_harness_init_source (&harness, "io:file", setting, NULL);
  leat_harness_start (&harness);
  descriptors = g_dir_open ("/proc/self/fd", 0, NULL);
  while ((name = g_dir_read_name (descriptors)) != NULL)
    {
      struct stat other;

      if (fstat (atoi (name), &other) != 0 || other.st_dev != file.st_dev || other.st_ino != file.st_ino)
        continue;
      n_open++;
      g_assert_cmpint (fcntl (atoi (name), F_GETFD) & FD_CLOEXEC, !=, 0);
    }
  g_assert_cmpuint (n_open, ==, 1);
  leat_harness_clear (&harness);
}

/* Without waiting, whole rows are given as they come and the rest of a row is kept. */
static void
test_io_file_pipe_without_waiting (void)
{
  g_autofree char *path = leat_harness_dup_path ("pipe");
  g_autofree char *setting = test_io_file_setting (path);
  GError *error = NULL;
  Harness harness;
  int fd;

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  leat_harness_init_source (&harness, "io:file", setting, "out=u32[<=2]", NULL);
  leat_harness_start (&harness);
  fd = open (path, O_WRONLY | O_CLOEXEC);
  g_assert_cmpint (leat_harness_fill (&harness, FALSE, &error), ==, LEAT_FLOW_EMPTY);
  g_assert_cmpint (write (fd, "abcdef", 6), ==, 6);
  g_assert_cmpint (leat_harness_fill (&harness, FALSE, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpmem (harness.memory->data, harness.memory->len, "abcd", 4);
  g_assert_cmpint (leat_harness_fill (&harness, FALSE, &error), ==, LEAT_FLOW_EMPTY);
  g_assert_cmpint (write (fd, "gh", 2), ==, 2);
  g_assert_cmpint (leat_harness_fill (&harness, FALSE, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpmem (harness.memory->data, harness.memory->len, "efgh", 4);
  g_assert_cmpint (write (fd, "i", 1), ==, 1);
  close (fd);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_ERROR);
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, "1 bytes of 4");
  leat_harness_clear (&harness);
  g_remove (path);
}

static gpointer
test_io_file_wake_soon (gpointer data)
{
  Writer *writer = data;

  g_usleep (20000);
  LEAT_ENDPOINT_GET_CLASS (writer->wake)->unblock (writer->wake);
  return NULL;
}

static void
test_io_file_pipe_unblock (void)
{
  g_autofree char *path = leat_harness_dup_path ("pipe");
  g_autofree char *setting = test_io_file_setting (path);
  GError *error = NULL;
  GThread *thread;
  Harness harness;
  Writer writer;

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  leat_harness_init_source (&harness, "io:file", setting, NULL);
  leat_harness_start (&harness);
  writer = (Writer){ .wake = harness.node };
  thread = g_thread_new ("waker", test_io_file_wake_soon, &writer);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_EMPTY);
  g_assert_no_error (error);
  g_thread_join (thread);
  leat_harness_clear (&harness);
  g_remove (path);
}

/* Who was woken while nobody waited gives what is there, and a call that is called off before anything was read takes
 * nothing. */
static void
test_io_file_pipe_goes_on (void)
{
  g_autofree char *path = leat_harness_dup_path ("pipe");
  g_autofree char *setting = test_io_file_setting (path);
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();
  GError *error = NULL;
  Harness harness;
  LeatEndpointClass *klass;
  guint8 bytes[8];
  LeatView view = { .data = bytes };
  int fd;

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  leat_harness_init_source (&harness, "io:file", setting, "out=u32[<=2]", NULL);
  leat_harness_start (&harness);
  klass = LEAT_ENDPOINT_GET_CLASS (harness.node);
  view.spec = leat_port_get_spec (leat_node_get_port (LEAT_NODE (harness.node), "out", NULL));
  fd = open (path, O_WRONLY | O_CLOEXEC);
  g_assert_cmpint (write (fd, "abcdefgh", 8), ==, 8);
  klass->unblock (LEAT_ENDPOINT (harness.node));
  g_cancellable_cancel (cancelled);
  g_assert_cmpint (klass->fill (LEAT_ENDPOINT (harness.node), &view, FALSE, cancelled, &error), ==, LEAT_FLOW_EMPTY);
  g_assert_no_error (error);
  g_assert_cmpint (leat_harness_fill (&harness, FALSE, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpmem (harness.memory->data, harness.memory->len, "abcdefgh", 8);
  close (fd);
  leat_harness_clear (&harness);
  g_remove (path);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/io-file/source/chunks", test_io_file_chunks);
  g_test_add_data_func ("/leat/io-file/source/readers/whole", GUINT_TO_POINTER (0), test_io_file_readers);
  g_test_add_data_func ("/leat/io-file/source/readers/rest", GUINT_TO_POINTER (1), test_io_file_readers);
  g_test_add_data_func ("/leat/io-file/source/readers/long-rest", GUINT_TO_POINTER (1048577), test_io_file_readers);
  g_test_add_func ("/leat/io-file/source/readers/shortened", test_io_file_readers_shortened);
  g_test_add_func ("/leat/io-file/source/ahead/order", test_io_file_ahead);
  g_test_add_func ("/leat/io-file/source/ahead/turns", test_io_file_ahead_turns);
  g_test_add_func ("/leat/io-file/source/ahead/shortened", test_io_file_ahead_shortened);
  g_test_add_func ("/leat/io-file/source/changed", test_io_file_changed);
  g_test_add_func ("/leat/io-file/source/without-size", test_io_file_without_size);
  g_test_add_func ("/leat/io-file/source/ahead/stopped", test_io_file_ahead_stopped);
  g_test_add_func ("/leat/io-file/source/ahead/not", test_io_file_ahead_not);
  g_test_add_func ("/leat/io-file/source/empty", test_io_file_empty);
  g_test_add_func ("/leat/io-file/source/specs", test_io_file_specs);
  g_test_add_func ("/leat/io-file/source/refuses-open-spec", test_io_file_open_spec);
  g_test_add_func ("/leat/io-file/source/refuses-partial-row", test_io_file_partial_row);
  g_test_add_func ("/leat/io-file/source/refuses-missing", test_io_file_missing);
  g_test_add_func ("/leat/io-file/source/refuses-unreadable", test_io_file_unreadable);
  g_test_add_func ("/leat/io-file/source/is-not-inherited", test_io_file_is_not_inherited);
  g_test_add_func ("/leat/io-file/source/pipe", test_io_file_pipe);
  g_test_add_func ("/leat/io-file/source/pipe-without-waiting", test_io_file_pipe_without_waiting);
  g_test_add_func ("/leat/io-file/source/pipe-unblock", test_io_file_pipe_unblock);
  g_test_add_func ("/leat/io-file/source/pipe-goes-on", test_io_file_pipe_goes_on);
  return g_test_run ();
}
