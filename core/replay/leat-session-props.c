/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-props-private.h"

/* What properties a session has are set to and hold. */

static void
leat_session_take_name (LeatSession *self, char *name)
{
  g_mutex_lock (&self->told_lock);
  g_free (self->name);
  self->name = name;
  g_mutex_unlock (&self->told_lock);
}

static char *
leat_session_dup_name (LeatSession *self)
{
  char *name;

  g_mutex_lock (&self->told_lock);
  name = g_strdup (self->name);
  g_mutex_unlock (&self->told_lock);
  return name;
}

void
leat_session_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  LeatSession *self = LEAT_SESSION (object);

  switch (id)
    {
    case LEAT_SESSION_PROP_PIPELINE:
      self->pipeline = g_value_dup_object (value);
      break;
    case LEAT_SESSION_PROP_DEVICE:
      self->selector = g_value_dup_string (value);
      break;
    case LEAT_SESSION_PROP_EXECUTOR:
      if (leat_session_is_open (self))
        g_warning ("cannot change the executor of an open session: close it first");
      else
        self->executor = g_value_get_enum (value);
      break;
    case LEAT_SESSION_PROP_EARLY_START:
      self->early_start = g_value_get_enum (value);
      break;
    case LEAT_SESSION_PROP_RESIDENT_IDLE_MS:
      self->resident_idle_ms = g_value_get_uint (value);
      break;
    case LEAT_SESSION_PROP_RESIDENT_LIMIT_MS:
      self->resident_limit_ms = g_value_get_uint (value);
      break;
    case LEAT_SESSION_PROP_RESIDENT_MULTIPROCESSORS:
      self->resident_multiprocessors = g_value_get_uint (value);
      break;
    case LEAT_SESSION_PROP_REUSE:
      self->reuse = g_value_get_boolean (value);
      break;
    case LEAT_SESSION_PROP_CALIBRATE:
      self->calibrate = g_value_get_boolean (value);
      break;
    case LEAT_SESSION_PROP_WAIT:
      g_atomic_int_set (&self->wait, g_value_get_enum (value));
      break;
    case LEAT_SESSION_PROP_LANES:
      if (leat_session_is_open (self))
        g_warning ("cannot change the lanes of an open session: close it first");
      else
        self->n_lanes = g_value_get_uint (value);
      break;
    case LEAT_SESSION_PROP_PRIORITY:
      leat_session_set_priority (self, (LeatPriority) g_value_get_enum (value));
      break;
    case LEAT_SESSION_PROP_WEIGHT:
      g_atomic_int_set (&self->weight, (gint) g_value_get_uint (value));
      break;
    case LEAT_SESSION_PROP_MEMO:
      self->memo_mode = g_value_get_enum (value);
      break;
    case LEAT_SESSION_PROP_MEMO_ENTRIES:
      self->memo_entries = g_value_get_uint (value);
      break;
    case LEAT_SESSION_PROP_MEMO_BYTES:
      self->memo_bytes = g_value_get_uint64 (value);
      break;
    case LEAT_SESSION_PROP_CACHE_BYTES:
      self->cache_bytes = g_value_get_uint64 (value);
      break;
    case LEAT_SESSION_PROP_BUDGET:
      if (leat_session_is_open (self))
        g_warning ("cannot change the budget of an open session: close it first");
      else
        self->budget = g_value_get_uint64 (value);
      break;
    case LEAT_SESSION_PROP_BATCH:
      self->batch_most = g_value_get_uint (value);
      break;
    case LEAT_SESSION_PROP_TIMING:
      self->timing_mode = g_value_get_enum (value);
      break;
    case LEAT_SESSION_PROP_REPEAT:
      self->repeat = g_value_get_uint64 (value);
      break;
    case LEAT_SESSION_PROP_READBACK:
      self->readback = g_value_get_enum (value);
      break;
    case LEAT_SESSION_PROP_NAME:
      leat_session_take_name (self, g_value_dup_string (value));
      break;
    case LEAT_SESSION_PROP_TRACE:
      g_free (self->trace_path);
      self->trace_path = g_value_dup_string (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

void
leat_session_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  LeatSession *self = LEAT_SESSION (object);

  switch (id)
    {
    case LEAT_SESSION_PROP_PIPELINE:
      g_value_set_object (value, self->pipeline);
      break;
    case LEAT_SESSION_PROP_DEVICE:
      g_value_set_string (value, self->selector);
      break;
    case LEAT_SESSION_PROP_EXECUTOR:
      g_value_set_enum (value, self->executor);
      break;
    case LEAT_SESSION_PROP_EARLY_START:
      g_value_set_enum (value, self->early_start);
      break;
    case LEAT_SESSION_PROP_RESIDENT_IDLE_MS:
      g_value_set_uint (value, self->resident_idle_ms);
      break;
    case LEAT_SESSION_PROP_RESIDENT_LIMIT_MS:
      g_value_set_uint (value, self->resident_limit_ms);
      break;
    case LEAT_SESSION_PROP_RESIDENT_MULTIPROCESSORS:
      g_value_set_uint (value, self->resident_multiprocessors);
      break;
    case LEAT_SESSION_PROP_REUSE:
      g_value_set_boolean (value, self->reuse);
      break;
    case LEAT_SESSION_PROP_CALIBRATE:
      g_value_set_boolean (value, self->calibrate);
      break;
    case LEAT_SESSION_PROP_WAIT:
      g_value_set_enum (value, g_atomic_int_get (&self->wait));
      break;
    case LEAT_SESSION_PROP_LANES:
      g_value_set_uint (value, self->n_lanes);
      break;
    case LEAT_SESSION_PROP_PRIORITY:
      g_value_set_enum (value, leat_session_get_priority (self));
      break;
    case LEAT_SESSION_PROP_WEIGHT:
      g_value_set_uint (value, leat_session_get_weight (self));
      break;
    case LEAT_SESSION_PROP_MEMO:
      g_value_set_enum (value, self->memo_mode);
      break;
    case LEAT_SESSION_PROP_MEMO_ENTRIES:
      g_value_set_uint (value, self->memo_entries);
      break;
    case LEAT_SESSION_PROP_MEMO_BYTES:
      g_value_set_uint64 (value, self->memo_bytes);
      break;
    case LEAT_SESSION_PROP_CACHE_BYTES:
      g_value_set_uint64 (value, self->cache_bytes);
      break;
    case LEAT_SESSION_PROP_BUDGET:
      g_value_set_uint64 (value, self->budget);
      break;
    case LEAT_SESSION_PROP_BATCH:
      g_value_set_uint (value, self->batch_most);
      break;
    case LEAT_SESSION_PROP_TIMING:
      g_value_set_enum (value, self->timing_mode);
      break;
    case LEAT_SESSION_PROP_REPEAT:
      g_value_set_uint64 (value, self->repeat);
      break;
    case LEAT_SESSION_PROP_READBACK:
      g_value_set_enum (value, self->readback);
      break;
    case LEAT_SESSION_PROP_TRACE:
      g_value_set_string (value, self->trace_path);
      break;
    case LEAT_SESSION_PROP_NAME:
      g_value_take_string (value, leat_session_dup_name (self));
      break;
    case LEAT_SESSION_PROP_LAST_REASON:
      g_value_take_string (value, leat_session_dup_reason (self));
      break;
    case LEAT_SESSION_PROP_WHY_NOT_LOOPED:
      g_value_set_static_string (value, leat_session_get_why_not_looped (self));
      break;
    default:
      if (id < LEAT_SESSION_N_PROPS || !leat_session_get_counter (self, id - LEAT_SESSION_N_PROPS, value))
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}
