/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "allocation-watch.h"

#include "allocation-symbols.h"

#include <errno.h>
#include <execinfo.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALLOCATION_MAX    2048
#define ALLOCATION_FRAMES 32
#define ALLOCATION_OWN    2 /* innermost frames that are of this file */
#define ALLOCATION_SAID   8 /* frames that a report names */

typedef struct
{
  const char *call;
  gsize size;
  void *frames[ALLOCATION_FRAMES];
  int n_frames;
} Allocation;

static Allocation allocations[ALLOCATION_MAX];
static guint n_allocations; /* atomic; may go beyond what is kept */
static int is_watching;     /* atomic */

#if defined(__GLIBC__) && !LEAT_TEST_SANITIZED

static __thread int is_inside;

#define EXPORTED __attribute__ ((visibility ("default"), noinline))

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *block, size_t size);
extern void *__libc_memalign (size_t alignment, size_t size);
extern void __libc_free (void *block);

static G_NO_INLINE void
allocation_note (const char *call, gsize size)
{
  Allocation *self;
  guint index;

  if (!__atomic_load_n (&is_watching, __ATOMIC_RELAXED) || is_inside)
    return;
  is_inside = 1;
  index = __atomic_fetch_add (&n_allocations, 1, __ATOMIC_RELAXED);
  if (index < ALLOCATION_MAX)
    {
      self = &allocations[index];
      self->call = call;
      self->size = size;
      self->n_frames = backtrace (self->frames, ALLOCATION_FRAMES);
    }
  is_inside = 0;
}

EXPORTED void *
malloc (size_t size)
{
  allocation_note ("malloc", size);
  return __libc_malloc (size);
}

EXPORTED void *
calloc (size_t n, size_t size)
{
  allocation_note ("calloc", n * size);
  return __libc_calloc (n, size);
}

EXPORTED void *
realloc (void *block, size_t size)
{
  allocation_note ("realloc", size);
  return __libc_realloc (block, size);
}

EXPORTED void *
memalign (size_t alignment, size_t size)
{
  allocation_note ("memalign", size);
  return __libc_memalign (alignment, size);
}

EXPORTED void *
aligned_alloc (size_t alignment, size_t size)
{
  allocation_note ("aligned_alloc", size);
  return __libc_memalign (alignment, size);
}

EXPORTED int
posix_memalign (void **block, size_t alignment, size_t size)
{
  allocation_note ("posix_memalign", size);
  *block = __libc_memalign (alignment, size);
  return *block != NULL ? 0 : ENOMEM;
}

EXPORTED void
free (void *block)
{
  __libc_free (block);
}

/* Under both of its names: which one a library calls depends on how it was compiled. */
void *allocation_mmap (void *address, size_t size, int protection, int flags, int fd, gint64 offset) __asm__("mmap");
void *allocation_mmap64 (void *address, size_t size, int protection, int flags, int fd,
                         gint64 offset) __asm__("mmap64");

EXPORTED void *
allocation_mmap (void *address, size_t size, int protection, int flags, int fd, gint64 offset)
{
  allocation_note ("mmap", size);
  return (void *) syscall (SYS_mmap, address, size, protection, flags, fd, offset);
}

EXPORTED void *
allocation_mmap64 (void *address, size_t size, int protection, int flags, int fd, gint64 offset)
{
  allocation_note ("mmap64", size);
  return (void *) syscall (SYS_mmap, address, size, protection, flags, fd, offset);
}

const char *
allocation_watch_why_not (void)
{
  return NULL;
}

#else

const char *
allocation_watch_why_not (void)
{
  return "the allocator is a sanitizer's, or not the GNU C library's";
}

#endif

void
allocation_watch_start (void)
{
  void *frame[1];

  /* The first backtrace loads what it needs. */
  backtrace (frame, 1);
  __atomic_store_n (&n_allocations, 0, __ATOMIC_RELAXED);
  __atomic_store_n (&is_watching, 1, __ATOMIC_SEQ_CST);
}

void
allocation_watch_stop (void)
{
  __atomic_store_n (&is_watching, 0, __ATOMIC_SEQ_CST);
}

static gboolean
allocation_is_system (const char *object)
{
  static const char *const libraries[] = { "libc.",       "ld-linux",  "libglib-2.0.", "libgobject-2.0.", "libgio-2.0.",
                                           "libgmodule-", "libstdc++", "libgcc_s.",    "libpthread.",     NULL };

  for (guint i = 0; libraries[i] != NULL; i++)
    if (g_str_has_prefix (object, libraries[i]))
      return TRUE;
  return FALSE;
}

static AllocationOwner
allocation_get_owner_of_object (const char *object)
{
  return g_str_has_prefix (object, "libleat-cpu.") || g_str_has_prefix (object, "libcuda.")
             || g_str_has_prefix (object, "libnvidia-")
           ? ALLOCATION_DRIVER
           : ALLOCATION_OURS;
}

/* The names go to @text. */
static AllocationOwner
allocation_explain (const Allocation *self, const char *const *exempt, GString *text)
{
  AllocationOwner owner = ALLOCATION_OURS;
  gboolean found = FALSE;

  g_string_append_printf (text, "%s (%" G_GSIZE_FORMAT ")", self->call, self->size);
  for (int i = ALLOCATION_OWN; i < self->n_frames; i++)
    {
      g_autofree char *object = NULL;
      g_autofree char *name = allocation_symbol_dup_name (self->frames[i], &object);

      if (i < ALLOCATION_OWN + ALLOCATION_SAID)
        g_string_append_printf (text, " < %s:%s", object, name);
      if (g_strv_contains (exempt, name))
        return ALLOCATION_EXEMPT;
      if (found || allocation_is_system (object))
        continue;
      found = TRUE;
      owner = allocation_get_owner_of_object (object);
    }
  return owner;
}

static void
allocation_append_lines (GHashTable *lines, GString *text)
{
  GHashTableIter iter;
  gpointer line, n;

  g_hash_table_iter_init (&iter, lines);
  while (g_hash_table_iter_next (&iter, &line, &n))
    g_string_append_printf (text, "%u x %s\n", GPOINTER_TO_UINT (n), (const char *) line);
}

void
allocation_watch_report (const char *const *exempt, AllocationReport *report)
{
  static const char *const owners[] = { "ours", "the driver's" };
  g_autoptr (GHashTable) lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint n = MIN (n_allocations, ALLOCATION_MAX);
  GString *text = g_string_new (NULL);

  memset (report, 0, sizeof *report);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GString) line = g_string_new (NULL);
      AllocationOwner owner = allocation_explain (&allocations[i], exempt, line);

      report->counts[owner]++;
      if (owner == ALLOCATION_EXEMPT)
        continue;
      g_string_prepend (line, ": ");
      g_string_prepend (line, owners[owner]);
      g_hash_table_insert (lines, g_strdup (line->str),
                           GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (lines, line->str)) + 1));
    }
  /* Of those that there was no room for nobody knows better. */
  report->counts[ALLOCATION_OURS] += n_allocations - n;
  allocation_append_lines (lines, text);
  report->text = g_string_free (text, FALSE);
}

void
allocation_report_clear (AllocationReport *self)
{
  g_free (self->text);
}
