/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The calls of a session to its overseer, which runs it among others. */

#include "leat-session-private.h"
#include "leat-session-setup-private.h"

gboolean
leat_session_set_overseer (LeatSession *self, const LeatOverseerClass *klass, GObject *overseer)
{
  g_autoptr (GObject) former = NULL;

  g_mutex_lock (&self->told.lock);
  former = g_weak_ref_get (&self->overseen.overseer);
  if (former == NULL)
    {
      g_weak_ref_set (&self->overseen.overseer, overseer);
      self->overseen.overseer_class = klass;
    }
  g_mutex_unlock (&self->told.lock);
  return former == NULL;
}

void
leat_session_drop_overseer (LeatSession *self, GObject *overseer)
{
  g_autoptr (GObject) former = NULL;

  g_mutex_lock (&self->told.lock);
  former = g_weak_ref_get (&self->overseen.overseer);
  if (former == overseer)
    g_weak_ref_set (&self->overseen.overseer, NULL);
  g_mutex_unlock (&self->told.lock);
}

GObject *
leat_session_get_overseer (LeatSession *self, const LeatOverseerClass **klass)
{
  GObject *overseer;

  g_mutex_lock (&self->told.lock);
  overseer = g_weak_ref_get (&self->overseen.overseer);
  *klass = self->overseen.overseer_class;
  g_mutex_unlock (&self->told.lock);
  return overseer;
}

/* Told after it is so: an overseer that looked before is there to be told. */
void
leat_session_set_parting (LeatSession *self, gboolean parting)
{
  const LeatOverseerClass *klass;
  g_autoptr (GObject) overseer = NULL;

  g_atomic_int_set (&self->hold.parting, parting);
  if (parting)
    return;
  overseer = leat_session_get_overseer (self, &klass);
  if (overseer != NULL)
    (*klass->parted) (overseer, self);
}

gboolean
leat_session_is_parting (LeatSession *self)
{
  return g_atomic_int_get (&self->hold.parting);
}

gboolean
leat_session_ask_for_room (LeatSession *self, guint64 bytes, GError **error)
{
  const LeatOverseerClass *klass;
  g_autoptr (GObject) overseer = leat_session_get_overseer (self, &klass);

  return overseer == NULL || (*klass->admit) (overseer, self, self->device, bytes, error);
}

void
leat_session_settle_room (LeatSession *self)
{
  const LeatOverseerClass *klass;
  g_autoptr (GObject) overseer = leat_session_get_overseer (self, &klass);

  if (overseer != NULL)
    (*klass->settled) (overseer, self);
}

LeatPriority
leat_session_get_priority (LeatSession *self)
{
  return (LeatPriority) g_atomic_int_get (&self->options.priority);
}

/* Told after it is so, as above. */
void
leat_session_set_priority (LeatSession *self, LeatPriority priority)
{
  const LeatOverseerClass *klass;
  g_autoptr (GObject) overseer = NULL;

  g_atomic_int_set (&self->options.priority, (gint) priority);
  overseer = leat_session_get_overseer (self, &klass);
  if (overseer != NULL)
    (*klass->ranked) (overseer, self);
}

guint
leat_session_get_weight (LeatSession *self)
{
  return (guint) g_atomic_int_get (&self->options.weight);
}

gint64
leat_session_get_last_device_us (LeatSession *self)
{
  return __atomic_load_n (&self->overseen.last_device_us, __ATOMIC_RELAXED);
}

guint64
leat_session_get_planned_bytes (LeatSession *self)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (self);

  if (plan == NULL || !leat_session_is_open (self) || leat_session_is_evicted (self))
    return 0;
  return leat_plan_get_device_bytes (plan);
}

guint64
leat_session_get_monitored_id (LeatSession *self)
{
  return __atomic_load_n (&self->told.id, __ATOMIC_RELAXED);
}
