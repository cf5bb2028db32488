/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sets and gets the properties of a session. */

#include "leat-session-props-private.h"
#include "leat-session-setup-private.h"

/* Those that are a number in the session, and nothing else.  The property's own description says of which type. */
typedef struct
{
  gsize offset;      /* 0: none of them */
  gboolean is_fixed; /* while the session is open */
} LeatSessionField;

#define LEAT_SESSION_FIELD(name, is_fixed)                                                                             \
  {                                                                                                                    \
    offsetof (LeatSession, options.name), is_fixed                                                                     \
  }

static const LeatSessionField leat_session_fields[LEAT_SESSION_N_PROPS] = {
  [LEAT_SESSION_PROP_EXECUTOR] = LEAT_SESSION_FIELD (executor, TRUE),
  [LEAT_SESSION_PROP_EARLY_START] = LEAT_SESSION_FIELD (early_start, FALSE),
  [LEAT_SESSION_PROP_PERSISTENT_IDLE_MS] = LEAT_SESSION_FIELD (persistent_idle_ms, FALSE),
  [LEAT_SESSION_PROP_PERSISTENT_LIMIT_MS] = LEAT_SESSION_FIELD (persistent_limit_ms, FALSE),
  [LEAT_SESSION_PROP_PERSISTENT_MULTIPROCESSORS] = LEAT_SESSION_FIELD (persistent_multiprocessors, FALSE),
  [LEAT_SESSION_PROP_REPEAT] = LEAT_SESSION_FIELD (repeat, FALSE),
  [LEAT_SESSION_PROP_READBACK] = LEAT_SESSION_FIELD (readback, FALSE),
  [LEAT_SESSION_PROP_REUSE] = LEAT_SESSION_FIELD (reuse, FALSE),
  [LEAT_SESSION_PROP_CALIBRATE] = LEAT_SESSION_FIELD (calibrate, FALSE),
  [LEAT_SESSION_PROP_LANES] = LEAT_SESSION_FIELD (n_lanes, TRUE),
  [LEAT_SESSION_PROP_MEMO] = LEAT_SESSION_FIELD (memo_mode, FALSE),
  [LEAT_SESSION_PROP_MEMO_ENTRIES] = LEAT_SESSION_FIELD (memo_entries, FALSE),
  [LEAT_SESSION_PROP_MEMO_BYTES] = LEAT_SESSION_FIELD (memo_bytes, FALSE),
  [LEAT_SESSION_PROP_CACHE_BYTES] = LEAT_SESSION_FIELD (cache_bytes, FALSE),
  [LEAT_SESSION_PROP_BUDGET] = LEAT_SESSION_FIELD (budget, TRUE),
  [LEAT_SESSION_PROP_BATCH] = LEAT_SESSION_FIELD (batch_most, FALSE),
  [LEAT_SESSION_PROP_TIMING] = LEAT_SESSION_FIELD (timing_mode, FALSE),
};

/* (nullable): where the number is */
static gpointer
leat_session_find_field (LeatSession *self, guint id)
{
  gsize offset = id < LEAT_SESSION_N_PROPS ? leat_session_fields[id].offset : 0;

  return offset > 0 ? (char *) self + offset : NULL;
}

static void
leat_session_set_field (LeatSession *self, guint id, const GValue *value, GParamSpec *pspec)
{
  gpointer field = leat_session_find_field (self, id);

  if (leat_session_fields[id].is_fixed && leat_session_is_open (self))
    g_warning ("cannot change the %s of an open session: close it first", pspec->name);
  else if (G_IS_PARAM_SPEC_UINT64 (pspec))
    *(guint64 *) field = g_value_get_uint64 (value);
  else if (G_IS_PARAM_SPEC_UINT (pspec))
    *(guint *) field = g_value_get_uint (value);
  else if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    *(gboolean *) field = g_value_get_boolean (value);
  else
    *(gint *) field = g_value_get_enum (value);
}

static void
leat_session_get_field (gconstpointer field, GValue *value, GParamSpec *pspec)
{
  if (G_IS_PARAM_SPEC_UINT64 (pspec))
    g_value_set_uint64 (value, *(const guint64 *) field);
  else if (G_IS_PARAM_SPEC_UINT (pspec))
    g_value_set_uint (value, *(const guint *) field);
  else if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    g_value_set_boolean (value, *(const gboolean *) field);
  else
    g_value_set_enum (value, *(const gint *) field);
}

static void
leat_session_take_name (LeatSession *self, char *name)
{
  g_mutex_lock (&self->told.lock);
  g_free (self->told.name);
  self->told.name = name;
  g_mutex_unlock (&self->told.lock);
}

static char *
leat_session_dup_name (LeatSession *self)
{
  char *name;

  g_mutex_lock (&self->told.lock);
  name = g_strdup (self->told.name);
  g_mutex_unlock (&self->told.lock);
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
      self->options.selector = g_value_dup_string (value);
      break;
    case LEAT_SESSION_PROP_WAIT:
      g_atomic_int_set (&self->options.wait, g_value_get_enum (value));
      break;
    case LEAT_SESSION_PROP_PRIORITY:
      leat_session_set_priority (self, (LeatPriority) g_value_get_enum (value));
      break;
    case LEAT_SESSION_PROP_WEIGHT:
      g_atomic_int_set (&self->options.weight, (gint) g_value_get_uint (value));
      break;
    case LEAT_SESSION_PROP_NAME:
      leat_session_take_name (self, g_value_dup_string (value));
      break;
    case LEAT_SESSION_PROP_TRACE:
      g_free (self->options.trace_path);
      self->options.trace_path = g_value_dup_string (value);
      break;
    default:
      if (leat_session_find_field (self, id) != NULL)
        leat_session_set_field (self, id, value, pspec);
      else
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

void
leat_session_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  LeatSession *self = LEAT_SESSION (object);
  gconstpointer field = leat_session_find_field (self, id);

  switch (id)
    {
    case LEAT_SESSION_PROP_PIPELINE:
      g_value_set_object (value, self->pipeline);
      break;
    case LEAT_SESSION_PROP_DEVICE:
      g_value_set_string (value, self->options.selector);
      break;
    case LEAT_SESSION_PROP_WAIT:
      g_value_set_enum (value, g_atomic_int_get (&self->options.wait));
      break;
    case LEAT_SESSION_PROP_PRIORITY:
      g_value_set_enum (value, leat_session_get_priority (self));
      break;
    case LEAT_SESSION_PROP_WEIGHT:
      g_value_set_uint (value, leat_session_get_weight (self));
      break;
    case LEAT_SESSION_PROP_TRACE:
      g_value_set_string (value, self->options.trace_path);
      break;
    case LEAT_SESSION_PROP_NAME:
      g_value_take_string (value, leat_session_dup_name (self));
      break;
    case LEAT_SESSION_PROP_STATS:
      g_value_take_variant (value, leat_session_dup_stats (self));
      break;
    case LEAT_SESSION_PROP_LAST_REASON:
      g_value_take_string (value, leat_told_dup_reason (&self->told));
      break;
    case LEAT_SESSION_PROP_WHY_NOT_LOOPED:
      g_value_set_static_string (value, leat_told_get_why_not_on_device (&self->told));
      break;
    default:
      if (field != NULL)
        leat_session_get_field (field, value, pspec);
      else
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}
