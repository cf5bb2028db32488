/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "image-child.h"

#include "kernel/leat-image-internal-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

static void
test_image_cache_hits (void)
{
  ImageCase c;
  g_auto (ImageResult) first = { 0 }, second = { 0 };

  if (!image_case_init (&c))
    return;
  image_case_get (&c, &first);
  image_case_get (&c, &second);
  g_assert_cmpuint (first.counts.compiled, ==, 1);
  g_assert_cmpuint (second.counts.cached, ==, 1);
  g_assert_cmpuint (second.counts.compiled, ==, 0);
  g_assert_nonnull (first.digest);
  g_assert_cmpstr (first.digest, ==, second.digest);
  image_case_clear (&c);
}

static void
test_image_cache_misses (void)
{
  ImageCase c;
  g_autofree char *compiler = g_find_program_in_path ("c++"), *script = NULL, *own = NULL;

  if (!image_case_init (&c))
    return;
  image_case_expect (&c, 0, 0, 1, 0);
  image_case_write (&c, "kernel.cu", "/* another */ " IMAGE_TEXT "__device__ int more;\n");
  image_case_expect (&c, 0, 0, 1, 0);
  c.fast = TRUE;
  image_case_expect (&c, 0, 0, 1, 0);
  c.target = "native";
  image_case_expect (&c, 0, 0, 1, 0);
  image_case_expect (&c, 0, 1, 0, 0);
  /* Another compiler, then the same one changed. */
  script = g_strdup_printf ("#!/bin/sh\nexec %s \"$@\"\n", compiler);
  own = image_case_dup_path (&c, "own-c++");
  image_case_write (&c, "own-c++", script);
  g_assert_cmpint (g_chmod (own, 0755), ==, 0);
  image_case_set (&c, "LEAT_CXX", own);
  image_case_expect (&c, 0, 0, 1, 0);
  image_case_expect (&c, 0, 1, 0, 0);
  g_assert_cmpint (utime (own, &(struct utimbuf){ 1000000, 1000000 }), ==, 0);
  image_case_expect (&c, 0, 0, 1, 0);
  g_assert_cmpuint (image_case_count_entries (&c), ==, 6);
  image_case_clear (&c);
}

static guint
get_mode (const char *path)
{
  GStatBuf info;

  g_assert_cmpint (g_stat (path, &info), ==, 0);
  return info.st_mode & 0777;
}

static void
test_image_cache_is_private (void)
{
  ImageCase c;
  g_autofree char *outer = NULL, *inner = NULL, *entry = NULL;
  mode_t mask;

  if (!image_case_init (&c))
    return;
  mask = umask (0);
  image_case_expect (&c, 0, 0, 1, 0);
  umask (mask);
  outer = image_case_dup_path (&c, "cache/leat");
  inner = image_case_dup_path (&c, "cache/leat/images");
  entry = image_case_dup_entry (&c);
  g_assert_cmpuint (get_mode (outer), ==, 0700);
  g_assert_cmpuint (get_mode (inner), ==, 0700);
  g_assert_cmpuint (get_mode (entry), ==, 0600);
  image_case_clear (&c);
}

/* An image that others could have written is neither loaded nor added to. */
static void
test_image_cache_refuses_open_folder (void)
{
  static const struct
  {
    const char *folder;
    guint mode;
  } open[] = { { "cache/leat/images", 0777 }, { "cache/leat/images", 0770 }, { "cache/leat", 0702 } };

  for (guint i = 0; i < G_N_ELEMENTS (open); i++)
    {
      ImageCase c;
      g_auto (ImageResult) result = { 0 };
      g_autofree char *folder = NULL;

      if (!image_case_init (&c))
        return;
      image_case_expect (&c, 0, 0, 1, 0);
      folder = image_case_dup_path (&c, open[i].folder);
      g_assert_cmpint (g_chmod (folder, open[i].mode), ==, 0);
      image_case_get (&c, &result);
      g_assert_cmpuint (result.counts.compiled, ==, 1);
      g_assert_cmpuint (result.counts.cached, ==, 0);
      g_assert_nonnull (strstr (result.errors, "writable by nobody else"));
      g_assert_cmpuint (image_case_count_entries (&c), ==, 1);
      g_assert_cmpint (g_chmod (folder, 0700), ==, 0);
      image_case_expect (&c, 0, 1, 0, 0);
      image_case_clear (&c);
    }
}

static void
test_image_cache_refuses_link (void)
{
  ImageCase c;
  g_auto (ImageResult) result = { 0 };
  g_autofree char *folder = NULL, *moved = NULL;

  if (!image_case_init (&c))
    return;
  image_case_expect (&c, 0, 0, 1, 0);
  folder = image_case_dup_path (&c, "cache/leat");
  moved = image_case_dup_path (&c, "elsewhere");
  g_assert_cmpint (g_rename (folder, moved), ==, 0);
  g_assert_cmpint (symlink (moved, folder), ==, 0);
  image_case_get (&c, &result);
  g_assert_cmpuint (result.counts.compiled, ==, 1);
  g_assert_cmpuint (result.counts.cached, ==, 0);
  image_case_clear (&c);
}

/* A cache that is warm works when the compiler has gone; not for another text, and not where the image was damaged. */
static void
test_image_cache_without_compiler (void)
{
  ImageCase c;
  g_auto (ImageResult) first = { 0 }, again = { 0 }, other = { 0 }, damaged = { 0 };
  g_autofree char *entry = NULL;

  if (!image_case_init (&c))
    return;
  image_case_get (&c, &first);
  g_assert_cmpuint (first.counts.compiled, ==, 1);
  image_case_set (&c, "LEAT_CXX", NULL);
  image_case_set (&c, "PATH", "/nowhere");
  image_case_get (&c, &again);
  g_assert_cmpuint (again.counts.cached, ==, 1);
  g_assert_cmpstr (again.digest, ==, first.digest);
  entry = image_case_dup_entry (&c);
  g_assert_true (g_file_set_contents (entry, "none", -1, NULL));
  image_case_get (&c, &damaged);
  g_assert_null (damaged.digest);
  image_case_write (&c, "kernel.cu", IMAGE_TEXT "// another\n__global__ void g (int *x) { *x = 1; }\n");
  image_case_get (&c, &other);
  g_assert_null (other.digest);
  g_assert_nonnull (strstr (other.errors, "needs a C++ compiler"));
  image_case_clear (&c);
}

/* Where an image should be is something else: a link to a sound one, a pipe that nobody writes to, a folder. */
static void
test_image_cache_refuses_no_file (void)
{
  ImageCase c;
  g_autofree char *entry = NULL, *moved = NULL;

  if (!image_case_init (&c))
    return;
  image_case_expect (&c, 0, 0, 1, 0);
  entry = image_case_dup_entry (&c);
  moved = image_case_dup_path (&c, "elsewhere");
  g_assert_cmpint (g_rename (entry, moved), ==, 0);
  for (guint kind = 0; kind < 3; kind++)
    {
      g_auto (ImageResult) result = { 0 };

      g_remove (entry);
      g_assert_cmpint (kind == 0   ? symlink (moved, entry)
                       : kind == 1 ? mkfifo (entry, 0600)
                                   : g_mkdir (entry, 0700),
                       ==, 0);
      image_case_get (&c, &result);
      g_assert_cmpuint (result.counts.compiled, ==, 1);
      g_assert_cmpuint (result.counts.cached, ==, 0);
      g_assert_cmpint (strstr (result.errors, "cannot keep compiled kernels in") != NULL, ==, kind == 2);
    }
  image_case_clear (&c);
}

typedef enum
{
  DAMAGE_EMPTY,
  DAMAGE_SHORT,
  DAMAGE_LONG,
  DAMAGE_HALF,
  DAMAGE_ZEROES,
  DAMAGE_NOISE,
  DAMAGE_HEADER_FLIP,
  DAMAGE_CHECK_FLIP,
  DAMAGE_FIRST_FLIP,
  DAMAGE_LAST_FLIP,
  N_DAMAGES,
} Damage;

static void
damage_file (const char *path, Damage damage)
{
  g_autofree char *data = NULL;
  gsize size, n;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  g_assert_cmpuint (size, >, 1000);
  data = g_realloc (data, size + 1);
  data[size] = 0;
  n = size;
  switch (damage)
    {
    case DAMAGE_EMPTY:
      n = 0;
      break;
    case DAMAGE_SHORT:
      n = size - 1;
      break;
    case DAMAGE_LONG:
      n = size + 1;
      break;
    case DAMAGE_HALF:
      n = size / 2;
      break;
    case DAMAGE_ZEROES:
      memset (data, 0, size);
      break;
    case DAMAGE_NOISE:
      memset (data, 0xa5, size);
      break;
    case DAMAGE_HEADER_FLIP:
      data[3] ^= 1;
      break;
    case DAMAGE_CHECK_FLIP:
      data[50] ^= 0x10;
      break;
    case DAMAGE_FIRST_FLIP:
      data[60] ^= 0x80;
      break;
    case DAMAGE_LAST_FLIP:
      data[size - 1] ^= 1;
      break;
    case N_DAMAGES:
      g_assert_not_reached ();
    }
  g_assert_true (g_file_set_contents (path, data, n, NULL));
}

static void
test_image_cache_rebuilds_damaged (void)
{
  ImageCase c;
  g_auto (ImageResult) good = { 0 };

  if (!image_case_init (&c))
    return;
  image_case_get (&c, &good);
  for (Damage damage = 0; damage < N_DAMAGES; damage++)
    {
      g_auto (ImageResult) again = { 0 }, kept = { 0 };
      g_autofree char *entry = image_case_dup_entry (&c);

      damage_file (entry, damage);
      image_case_get (&c, &again);
      g_assert_cmpuint (again.counts.damaged, ==, 1);
      g_assert_cmpuint (again.counts.compiled, ==, 1);
      g_assert_cmpuint (again.counts.cached, ==, 0);
      g_assert_cmpstr (again.digest, ==, good.digest);
      image_case_get (&c, &kept);
      g_assert_cmpuint (kept.counts.cached, ==, 1);
      g_assert_cmpstr (kept.digest, ==, good.digest);
    }
  image_case_clear (&c);
}

/* A sound image of another kernel under this one's name. */
static void
test_image_cache_refuses_other_key (void)
{
  ImageCase c;
  g_autofree char *mine = NULL, *other = NULL, *data = NULL;
  gsize size;

  if (!image_case_init (&c))
    return;
  image_case_expect (&c, 0, 0, 1, 0);
  mine = image_case_dup_entry (&c);
  g_assert_true (g_file_get_contents (mine, &data, &size, NULL));
  g_remove (mine);
  image_case_write (&c, "kernel.cu", "__device__ int other;\n" IMAGE_TEXT);
  image_case_expect (&c, 0, 0, 1, 0);
  other = image_case_dup_entry (&c);
  g_assert_cmpstr (mine, !=, other);
  g_assert_true (g_file_set_contents (other, data, size, NULL));
  image_case_expect (&c, 0, 0, 1, 0);
  image_case_expect (&c, 0, 1, 0, 0);
  image_case_clear (&c);
}

static void
test_image_cache_many_writers (void)
{
  GSubprocess *children[6];
  g_autofree char *digest = NULL;
  ImageCase c;

  if (!image_case_init (&c))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (children); i++)
    children[i] = image_case_start (&c);
  for (guint i = 0; i < G_N_ELEMENTS (children); i++)
    {
      g_auto (ImageResult) result = { 0 };

      image_case_finish (children[i], &result);
      g_assert_cmpstr (result.errors, ==, "");
      g_assert_cmpuint (result.counts.cached + result.counts.compiled, ==, 1);
      g_assert_cmpuint (result.counts.damaged, ==, 0);
      if (digest != NULL)
        g_assert_cmpstr (digest, ==, result.digest);
      else
        digest = g_strdup (result.digest);
    }
  /* One whole image and nothing half written. */
  g_assert_cmpuint (image_case_count_entries (&c), ==, 1);
  image_case_expect (&c, 0, 1, 0, 0);
  image_case_clear (&c);
}

/* A file where the folder should be stops root too. */
static void
test_image_cache_unwritable (void)
{
  ImageCase c;
  g_auto (ImageResult) result = { 0 };
  g_autofree char *cache = NULL;

  if (!image_case_init (&c))
    return;
  cache = image_case_dup_path (&c, "cache");
  g_assert_cmpint (g_mkdir (cache, 0700), ==, 0);
  image_case_write (&c, "cache/leat", "in the way");
  for (guint round = 0; round < 2; round++)
    {
      image_result_clear (&result);
      image_case_get (&c, &result);
      g_assert_cmpuint (result.counts.compiled, ==, 1);
      g_assert_nonnull (strstr (result.errors, "cannot keep compiled kernels in"));
    }
  image_case_clear (&c);
}

static void
write_old (ImageCase *c, const char *name, gsize bytes, time_t age)
{
  g_autofree char *path = image_case_dup_path (c, name), *data = g_malloc0 (bytes);
  struct utimbuf times = { time (NULL) - age, time (NULL) - age };

  g_assert_true (g_file_set_contents (path, data, bytes, NULL));
  g_assert_cmpint (utime (path, &times), ==, 0);
}

static gboolean
exists (ImageCase *c, const char *name)
{
  g_autofree char *path = image_case_dup_path (c, name);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* What was used longest ago goes first; a writer that died leaves nothing for long. */
static void
test_image_cache_is_bounded (void)
{
  ImageCase c;

  if (!image_case_init (&c))
    return;
  image_case_set (&c, "LEAT_IMAGE_CACHE_MIB", "1");
  image_case_expect (&c, 0, 0, 1, 0);
  write_old (&c, "cache/leat/images/0a.img", 600 << 10, 5000);
  write_old (&c, "cache/leat/images/0b.img", 600 << 10, 50);
  write_old (&c, "cache/leat/images/.new-1-0-0", 100, 50000);
  write_old (&c, "cache/leat/images/.new-2-0-0", 100, 50);
  write_old (&c, "cache/leat/images/not-ours", 100, 50000);
  image_case_write (&c, "kernel.cu", "__device__ int other;\n" IMAGE_TEXT);
  image_case_expect (&c, 0, 0, 1, 0);
  g_assert_false (exists (&c, "cache/leat/images/0a.img"));
  g_assert_true (exists (&c, "cache/leat/images/0b.img"));
  g_assert_false (exists (&c, "cache/leat/images/.new-1-0-0"));
  g_assert_true (exists (&c, "cache/leat/images/.new-2-0-0"));
  g_assert_true (exists (&c, "cache/leat/images/not-ours"));
  image_case_expect (&c, 0, 1, 0, 0);
  image_case_set (&c, "LEAT_IMAGE_CACHE_MIB", "0");
  image_case_write (&c, "kernel.cu", "__device__ int third;\n" IMAGE_TEXT);
  image_case_expect (&c, 0, 0, 1, 0);
  image_case_expect (&c, 0, 0, 1, 0);
  image_case_clear (&c);
}

static guint64
get_size (const char *path)
{
  GStatBuf info;

  g_assert_cmpint (g_stat (path, &info), ==, 0);
  return info.st_size;
}

static void
remove_file (ImageCase *c, const char *name)
{
  g_autofree char *path = image_case_dup_path (c, name);

  g_remove (path);
}

/* As much as the bound is kept, and a byte more is not. */
static void
test_image_cache_is_full (void)
{
  static const guint past[] = { 0, 1 };
  ImageCase c;

  if (!image_case_init (&c))
    return;
  image_case_set (&c, "LEAT_IMAGE_CACHE_MIB", "1");
  image_case_expect (&c, 0, 0, 1, 0);
  for (guint i = 0; i < G_N_ELEMENTS (past); i++)
    {
      g_autofree char *entry = image_case_dup_entry (&c);
      guint64 room = (1 << 20) - get_size (entry);

      g_remove (entry);
      write_old (&c, "cache/leat/images/0a.img", room / 2, 5000);
      write_old (&c, "cache/leat/images/0b.img", room - room / 2 + past[i], 50);
      image_case_expect (&c, 0, 0, 1, 0);
      g_assert_cmpint (exists (&c, "cache/leat/images/0a.img"), ==, past[i] == 0);
      g_assert_true (exists (&c, "cache/leat/images/0b.img"));
      remove_file (&c, "cache/leat/images/0a.img");
      remove_file (&c, "cache/leat/images/0b.img");
    }
  image_case_clear (&c);
}

/* A program that another thread starts while a kernel is compiled gets nothing of it.  The compiler looks at its
 * parent's files, and compiles nothing. */
static void
test_image_cache_hands_nothing_on (void)
{
  static const char script[] = "#!/bin/sh\n"
                               "for file in /proc/$PPID/fd/*; do\n"
                               "  case $(readlink \"$file\") in\n"
                               "  */leat-kernel-*) cat /proc/$PPID/fdinfo/${file##*/} >>\"${0%/*}/seen\" ;;\n"
                               "  esac\n"
                               "done\n"
                               "exit 1\n";
  ImageCase c;
  g_auto (ImageResult) result = { 0 };
  g_autofree char *compiler = NULL, *seen = NULL, *text = NULL;
  const char *flags;
  guint n = 0;

  if (!image_case_init (&c))
    return;
  image_case_write (&c, "looks", script);
  compiler = image_case_dup_path (&c, "looks");
  seen = image_case_dup_path (&c, "seen");
  g_assert_cmpint (g_chmod (compiler, 0755), ==, 0);
  image_case_set (&c, "LEAT_CXX", compiler);
  image_case_get (&c, &result);
  g_assert_nonnull (strstr (result.errors, "does not compile"));
  g_assert_true (g_file_get_contents (seen, &text, NULL, NULL));
  for (flags = text; (flags = strstr (flags, "flags:")) != NULL; n++)
    {
      flags += strlen ("flags:");
      g_assert_cmpuint (g_ascii_strtoull (flags, NULL, 8) & O_CLOEXEC, ==, O_CLOEXEC);
    }
  g_assert_cmpuint (n, >=, 1);
  image_case_clear (&c);
}

/* Folders that others have left are removed, and nothing that only looks like one: of a process that is there or holds
 * the lock, of another name, or no folder. */
static void
test_image_cache_sweeps (void)
{
  static const struct
  {
    const char *name; /* no process has a number so high */
    enum
    {
      SWEEP_FOLDER,
      SWEEP_HELD,
      SWEEP_LINK,
      SWEEP_FILE
    } kind;
    gboolean goes;
  } rows[] = {
    { "leat-kernel-4194305-ABCDEF", SWEEP_FOLDER, TRUE },     { "leat-kernel-4194305-GHIJKL", SWEEP_FOLDER, TRUE },
    { "leat-kernel-4194305-LOCKED", SWEEP_HELD, FALSE },      { "leat-kernel-4194305-LINKED", SWEEP_LINK, FALSE },
    { "leat-kernel-4194305-PLAIN1", SWEEP_FILE, FALSE },      { "leat-kernel-4194305-ABCDE", SWEEP_FOLDER, FALSE },
    { "leat-kernel-4194305-ABCDEFG", SWEEP_FOLDER, FALSE },   { "leat-kernel-4194305_ABCDEF", SWEEP_FOLDER, FALSE },
    { "leat_kernel-4194305-ABCDEF", SWEEP_FOLDER, FALSE },    { "leat-kernel-1-ABCDEF", SWEEP_FOLDER, FALSE },
    { "leat-kernel-0-ABCDEF", SWEEP_FOLDER, FALSE },          { "leat-kernel--ABCDEF", SWEEP_FOLDER, FALSE },
    { "leat-kernel-4294967297-ABCDEF", SWEEP_FOLDER, FALSE },
  };
  g_autofree char *folder = NULL, *inner = NULL;
  g_autoptr (GString) paths = g_string_new (NULL);
  g_auto (GStrv) list = NULL;
  int held = -1;
  ImageCase c;

  if (!image_case_init (&c))
    return;
  folder = image_case_dup_path (&c, "tmp");
  inner = g_build_filename (folder, "apart", NULL);
  g_assert_cmpint (g_mkdir_with_parents (inner, 0700), ==, 0);
  image_case_write (&c, "tmp/apart/inside", "");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_build_filename (folder, rows[i].name, NULL);

      g_string_append_printf (paths, "%s\n", path);
      if (rows[i].kind == SWEEP_LINK)
        g_assert_cmpint (symlink (inner, path), ==, 0);
      else if (rows[i].kind == SWEEP_FILE)
        g_assert_true (g_file_set_contents (path, "", 0, NULL));
      else
        {
          g_autofree char *file = g_build_filename (path, "image.so", NULL);

          g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
          g_assert_true (g_file_set_contents (file, "", 0, NULL));
        }
      if (rows[i].kind == SWEEP_HELD)
        {
          held = open (path, O_RDONLY | O_CLOEXEC);
          g_assert_cmpint (flock (held, LOCK_EX | LOCK_NB), ==, 0);
        }
    }
  image_case_set (&c, "TMPDIR", folder);
  image_case_expect (&c, 0, 0, 1, 0);
  list = g_strsplit (paths->str, "\n", -1);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_file_test (list[i], G_FILE_TEST_EXISTS) == rows[i].goes)
      g_error ("%s is %s", list[i], rows[i].goes ? "there" : "gone");
  g_assert_true (exists (&c, "tmp/apart/inside"));
  close (held);
  image_case_clear (&c);
}

static char *
make_key (const char *name, const char *text, gboolean strict, const char *compiler)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new (name, text, &error);
  const LeatImageTarget target = { LEAT_IMAGE_HOST, "x86-64", 0 };
  GString *digits = g_string_new (NULL);
  LeatImageKey key;

  g_assert_no_error (error);
  leat_kernel_source_set_strict (source, strict);
  leat_image_make_key (source, &target, compiler, &key);
  for (gsize i = 0; i < sizeof key.bytes; i++)
    g_string_append_printf (digits, "%02x", key.bytes[i]);
  return g_string_free (digits, FALSE);
}

/* All that an image depends on is in its key; the folder of its source is not. */
static void
test_image_cache_key (void)
{
  static const char text[] = "__global__ void f (float *out) { out[0] = 1; }";
  static const struct
  {
    const char *name, *text;
    gboolean strict;
    const char *compiler;
  } others[] = {
    { "b/k.cu", "__global__ void f (float *out) { out[0] = 2; }", TRUE, "c++" },
    { "b/k.cu", "__global__ void f (float *out)\n{ out[0] = 1; }", TRUE, "c++" },
    { "b/l.cu", text, TRUE, "c++" },
    { "b/k.cu", text, FALSE, "c++" },
    { "b/k.cu", text, TRUE, "c++ 2" },
    { "b/k.cu", text, TRUE, NULL },
  };
  g_autofree char *key = make_key ("a/k.cu", text, TRUE, "c++"), *same = make_key ("b/k.cu", text, TRUE, "c++");

  g_assert_cmpstr (key, ==, same);
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autofree char *other = make_key (others[i].name, others[i].text, others[i].strict, others[i].compiler);

      g_assert_cmpstr (key, !=, other);
    }
}

static void
add_key (GHashTable *seen, const LeatImageTarget *target)
{
  static const char text[] = "__global__ void f (float *out) { out[0] = 1; }";
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("k.cu", text, &error);
  LeatImageKey key;

  g_assert_no_error (error);
  leat_image_make_key (source, target, "c++", &key);
  g_assert_true (g_hash_table_add (seen, g_bytes_new (key.bytes, sizeof key.bytes)));
}

/* Whatever is asked of an image makes it another one, alone and with all else that is asked. */
static void
test_image_cache_key_of_targets (void)
{
  static const LeatImageTarget targets[] = {
    { LEAT_IMAGE_HOST, "native", 0 }, { LEAT_IMAGE_HOST, "x86-64", 0 }, { LEAT_IMAGE_HOST, "x86-64-v3", 0 },
    { LEAT_IMAGE_CUBIN, "", 80 },     { LEAT_IMAGE_CUBIN, "", 90 },     { LEAT_IMAGE_PTX, "", 90 },
  };
  g_autoptr (GHashTable) seen =
    g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  const guint n_forms = 1 << 6;

  /* With one more of them this is another number, and that one has to be here too. */
  G_STATIC_ASSERT (sizeof (LeatImageTarget) == sizeof (LeatImageKind) + 16 + sizeof (guint) + 6 * sizeof (gboolean));
  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    for (guint form = 0; form < n_forms; form++)
      {
        LeatImageTarget target = targets[i];

        target.timed = (form & 1) != 0;
        target.indirect = (form & 2) != 0;
        target.wide = (form & 4) != 0;
        target.enclosed = (form & 8) != 0;
        target.persistent = (form & 16) != 0;
        target.whole = (form & 32) != 0;
        add_key (seen, &target);
      }
  g_setenv ("LEAT_KERNEL_SANITIZE", "undefined", TRUE);
  for (guint i = 0; i < 3; i++)
    add_key (seen, &targets[i]);
  g_unsetenv ("LEAT_KERNEL_SANITIZE");
  g_assert_cmpuint (g_hash_table_size (seen), ==, G_N_ELEMENTS (targets) * n_forms + 3);
}

/* However an include is spelled, what is in the file is part of the key; so is whether a file is there that is asked
 * for. */
static void
test_image_cache_key_of_includes (void)
{
  static const char *const spellings[] = {
    "#include \"h.cuh\"\n",
    "#import \"h.cuh\"\n",
    "# /* */ include \"h.cuh\"\n",
    "#inc\\\nlude \"h.cuh\"\n",
    "#if 1\n#include \"h.cuh\"\n#endif\n",
    "#ifdef LEAT_HOST\n#include \"h.cuh\"\n#else\n#define ADD 5\n#endif\n",
    "#if __has_include (\"flag.h\")\n#define ADD 2\n#else\n#define ADD 1\n#endif\n",
    "#include \"outer.cuh\"\n",
    "#\tinclude\t\"h.cuh\"\n",
    "/* c */ #include \"h.cuh\"\n",
    "/* a\n b */ #include \"h.cuh\"\n",
    "#define H \"h.cuh\"\n#include H\n",
    "#define S(x) #x\n#include S (h.cuh)\n",
    "%:include \"h.cuh\"\n",
    "#pragma GCC system_header\n#include \"h.cuh\"\r\n",
  };
  g_autofree char *folder = g_dir_make_tmp ("leat-key-XXXXXX", NULL);
  g_autofree char *header = g_build_filename (folder, "h.cuh", NULL),
                  *outer = g_build_filename (folder, "outer.cuh", NULL);
  g_autofree char *flag = g_build_filename (folder, "flag.h", NULL), *kernel = g_build_filename (folder, "k.cu", NULL);

  g_assert_true (g_file_set_contents (outer, "#import \"h.cuh\"\n", -1, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (spellings); i++)
    {
      g_autofree char *text = g_strconcat (spellings[i], "__global__ void f (int *out) { out[0] = ADD; }\n", NULL);
      g_autofree char *one = NULL, *two = NULL, *again = NULL;

      g_remove (flag);
      g_assert_true (g_file_set_contents (header, "#define ADD 1\n", -1, NULL));
      one = make_key (kernel, text, TRUE, "c++");
      again = make_key (kernel, text, TRUE, "c++");
      g_assert_true (g_file_set_contents (flag, "", -1, NULL));
      g_assert_true (g_file_set_contents (header, "#define ADD 2\n", -1, NULL));
      two = make_key (kernel, text, TRUE, "c++");
      g_assert_cmpstr (one, ==, again);
      if (g_str_equal (one, two))
        g_error ("the key misses %s", spellings[i]);
    }
  g_remove (flag);
  g_remove (header);
  g_remove (outer);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  image_child_check (argc, argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/image/cache/key-has-all-it-depends-on", test_image_cache_key);
  g_test_add_func ("/leat/image/cache/key-has-all-that-is-asked", test_image_cache_key_of_targets);
  g_test_add_func ("/leat/image/cache/key-of-includes", test_image_cache_key_of_includes);
  g_test_add_func ("/leat/image/cache/hits", test_image_cache_hits);
  g_test_add_func ("/leat/image/cache/misses", test_image_cache_misses);
  g_test_add_func ("/leat/image/cache/is-private", test_image_cache_is_private);
  g_test_add_func ("/leat/image/cache/refuses-open-folder", test_image_cache_refuses_open_folder);
  g_test_add_func ("/leat/image/cache/refuses-link", test_image_cache_refuses_link);
  g_test_add_func ("/leat/image/cache/without-compiler", test_image_cache_without_compiler);
  g_test_add_func ("/leat/image/cache/refuses-no-file", test_image_cache_refuses_no_file);
  g_test_add_func ("/leat/image/cache/rebuilds-damaged", test_image_cache_rebuilds_damaged);
  g_test_add_func ("/leat/image/cache/refuses-other-key", test_image_cache_refuses_other_key);
  g_test_add_func ("/leat/image/cache/many-writers", test_image_cache_many_writers);
  g_test_add_func ("/leat/image/cache/unwritable", test_image_cache_unwritable);
  g_test_add_func ("/leat/image/cache/is-bounded", test_image_cache_is_bounded);
  g_test_add_func ("/leat/image/cache/is-full", test_image_cache_is_full);
  g_test_add_func ("/leat/image/cache/sweeps", test_image_cache_sweeps);
  g_test_add_func ("/leat/image/cache/hands-nothing-on", test_image_cache_hands_nothing_on);
  return g_test_run ();
}
