/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Preloaded by the tests that run under ThreadSanitizer.  GLib is not built with it, so the sanitizer cannot see what
 * GLib's locks, references, tasks and pools order; each function here does what GLib's own does, and says so.  Nothing
 * is ordered here that GLib does not order.  In a program without the sanitizer the functions only pass on.  */

#include <dlfcn.h>
#include <gio/gio.h>
#include <stdlib.h>

void __tsan_acquire (void *at) __attribute__ ((weak));
void __tsan_release (void *at) __attribute__ ((weak));
void __tsan_mutex_create (void *at, unsigned flags) __attribute__ ((weak));
void __tsan_mutex_destroy (void *at, unsigned flags) __attribute__ ((weak));
void __tsan_mutex_pre_lock (void *at, unsigned flags) __attribute__ ((weak));
void __tsan_mutex_post_lock (void *at, unsigned flags, int depth) __attribute__ ((weak));
int __tsan_mutex_pre_unlock (void *at, unsigned flags) __attribute__ ((weak));
void __tsan_mutex_post_unlock (void *at, unsigned flags) __attribute__ ((weak));

enum
{
  TSAN_LINKER_INIT = 1 << 0, /* the lock may be one that nobody has initialised */
  TSAN_TRY_LOCK = 1 << 4,
  TSAN_TRY_LOCK_FAILED = 1 << 5,
};

#define SEEN __attribute__ ((visibility ("default")))

/* GLib's own function of the name, in a variable of its type. */
#define REAL(name)                                                                                                     \
  static __typeof__ (&name) real;                                                                                      \
  if (__atomic_load_n (&real, __ATOMIC_RELAXED) == NULL)                                                               \
  __atomic_store_n (&real, (__typeof__ (&name)) dlsym (RTLD_NEXT, #name), __ATOMIC_RELAXED)

static void
acquire (gconstpointer at)
{
  if (__tsan_acquire != NULL && at != NULL)
    __tsan_acquire ((void *) at);
}

static void
release (gconstpointer at)
{
  if (__tsan_release != NULL && at != NULL)
    __tsan_release ((void *) at);
}

/* What an atomic change of a counter at @at would order. */
static void
change (gconstpointer at)
{
  acquire (at);
  release (at);
}

static void
before_lock (gpointer at, unsigned flags)
{
  if (__tsan_mutex_pre_lock != NULL)
    __tsan_mutex_pre_lock (at, TSAN_LINKER_INIT | flags);
}

static void
after_lock (gpointer at, unsigned flags)
{
  if (__tsan_mutex_post_lock != NULL)
    __tsan_mutex_post_lock (at, TSAN_LINKER_INIT | flags, 0);
}

static void
before_unlock (gpointer at)
{
  if (__tsan_mutex_pre_unlock != NULL)
    __tsan_mutex_pre_unlock (at, 0);
}

static void
after_unlock (gpointer at)
{
  if (__tsan_mutex_post_unlock != NULL)
    __tsan_mutex_post_unlock (at, 0);
}

/* GMutex and GCond: a futex of GLib's own. */

#undef g_mutex_init
SEEN void
g_mutex_init (GMutex *mutex)
{
  REAL (g_mutex_init);
  /* Not as a write: that a source of a main context hands its data over is not seen, and GIO's have locks in them. */
  if (__tsan_mutex_create != NULL)
    __tsan_mutex_create (mutex, TSAN_LINKER_INIT);
  real (mutex);
}

SEEN void
g_mutex_clear (GMutex *mutex)
{
  REAL (g_mutex_clear);
  if (__tsan_mutex_destroy != NULL)
    __tsan_mutex_destroy (mutex, 0);
  real (mutex);
}

SEEN void
g_mutex_lock (GMutex *mutex)
{
  REAL (g_mutex_lock);
  before_lock (mutex, 0);
  real (mutex);
  after_lock (mutex, 0);
}

SEEN gboolean
g_mutex_trylock (GMutex *mutex)
{
  gboolean locked;

  REAL (g_mutex_trylock);
  before_lock (mutex, TSAN_TRY_LOCK);
  locked = real (mutex);
  after_lock (mutex, TSAN_TRY_LOCK | (locked ? 0 : TSAN_TRY_LOCK_FAILED));
  return locked;
}

SEEN void
g_mutex_unlock (GMutex *mutex)
{
  REAL (g_mutex_unlock);
  before_unlock (mutex);
  real (mutex);
  after_unlock (mutex);
}

SEEN void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  REAL (g_cond_wait);
  before_unlock (mutex);
  after_unlock (mutex);
  before_lock (mutex, 0);
  real (cond, mutex);
  after_lock (mutex, 0);
}

SEEN gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_time)
{
  gboolean woken;

  REAL (g_cond_wait_until);
  before_unlock (mutex);
  after_unlock (mutex);
  before_lock (mutex, 0);
  woken = real (cond, mutex, end_time);
  after_lock (mutex, 0);
  return woken;
}

/* Things made once: the test of the location is in the caller, the store of what was made is GLib's. */

#undef g_once_init_enter
SEEN
gboolean (g_once_init_enter) (volatile void *location)
{
  gboolean is_mine;

  REAL (g_once_init_enter);
  is_mine = real (location);
  acquire ((gconstpointer) location);
  return is_mine;
}

#undef g_once_init_leave
SEEN void (g_once_init_leave) (volatile void *location, gsize result)
{
  REAL (g_once_init_leave);
  release ((gconstpointer) location);
  real (location, result);
}

/* References are counted with atomic changes. */

#undef g_object_ref
SEEN
gpointer (g_object_ref) (gpointer object)
{
  REAL (g_object_ref);
  change (object);
  return real (object);
}

/* Whoever drops the last reference comes after all that others did before they dropped theirs, also those who did so
 * between its look at the counter and its own change of it.  So other references than the last are dropped here, as
 * GLib drops them (but for toggle references, which no test has). */
SEEN void
g_object_unref (gpointer object)
{
  volatile guint *count = &((GObject *) object)->ref_count;
  guint n;

  REAL (g_object_unref);
  change (object);
  while ((n = (guint) g_atomic_int_get (count)) > 1)
    if (g_atomic_int_compare_and_exchange (count, n, n - 1))
      return;
  acquire (object);
  real (object);
}

SEEN gpointer
g_weak_ref_get (GWeakRef *weak_ref)
{
  gpointer object;

  REAL (g_weak_ref_get);
  object = real (weak_ref);
  acquire (object);
  return object;
}

SEEN GBytes *
g_bytes_ref (GBytes *bytes)
{
  REAL (g_bytes_ref);
  change (bytes);
  return real (bytes);
}

SEEN void
g_bytes_unref (GBytes *bytes)
{
  REAL (g_bytes_unref);
  change (bytes);
  real (bytes);
}

#undef g_atomic_ref_count_inc
SEEN void (g_atomic_ref_count_inc) (gatomicrefcount *count)
{
  REAL (g_atomic_ref_count_inc);
  change (count);
  real (count);
}

#undef g_atomic_ref_count_dec
SEEN
gboolean (g_atomic_ref_count_dec) (gatomicrefcount *count)
{
  gboolean last;

  REAL (g_atomic_ref_count_dec);
  release (count);
  last = real (count);
  /* As above: others may have dropped theirs between the two. */
  if (last)
    acquire (count);
  return last;
}

/* What is pushed to a pool of threads was made before its thread looks at it. */

typedef struct
{
  GFunc work;
  gpointer data;
} Pool;

static void
work_in_pool (gpointer item, gpointer data)
{
  Pool *self = data;

  acquire (item);
  self->work (item, self->data);
}

/* A pool lives as long as the program here: none of GIO's is ever freed. */
SEEN GThreadPool *
g_thread_pool_new (GFunc work, gpointer data, int max_threads, gboolean exclusive, GError **error)
{
  Pool *self = malloc (sizeof *self);

  REAL (g_thread_pool_new);
  *self = (Pool){ work, data };
  return real (work_in_pool, self, max_threads, exclusive, error);
}

SEEN gboolean
g_thread_pool_push (GThreadPool *pool, gpointer item, GError **error)
{
  REAL (g_thread_pool_push);
  release (item);
  return real (pool, item, error);
}

/* A task's result, and what was done before it was returned, is there for who takes it. */

SEEN void
g_task_return_boolean (GTask *task, gboolean result)
{
  REAL (g_task_return_boolean);
  release (task);
  real (task, result);
}

SEEN void
g_task_return_error (GTask *task, GError *error)
{
  REAL (g_task_return_error);
  release (task);
  real (task, error);
}

SEEN gboolean
g_task_propagate_boolean (GTask *task, GError **error)
{
  REAL (g_task_propagate_boolean);
  acquire (task);
  return real (task, error);
}

/* The same as GLib's, but it is not GLib that calls: a thread that still uses the memory is then reported. */
SEEN void (g_free) (gpointer memory)
{
  free (memory);
}
