/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The answer of a watched process, parsed into a sample for leat-top.  Nothing in the answer is trusted. */

#include "leat-top-sample.h"

#include "driver/leat-plain.h"

#include <gio/gio.h>
#include <string.h>

#define LEAT_TOP_DEPTH_MOST 64 /* ten are told */

static void
leat_top_device_free (gpointer data)
{
  LeatTopDevice *self = data;

  g_free (self->id);
  g_free (self->name);
  g_free (self);
}

static void
leat_top_session_free (gpointer data)
{
  LeatTopSession *self = data;

  g_free (self->name);
  g_free (self->device);
  g_free (self->state);
  g_free (self);
}

static void
leat_top_member_free (gpointer data)
{
  LeatTopMember *self = data;

  g_free (self->name);
  g_free (self->priority);
  g_free (self);
}

static void
leat_top_scheduler_free (gpointer data)
{
  LeatTopScheduler *self = data;

  g_free (self->device);
  g_ptr_array_unref (self->members);
  g_free (self);
}

void
leat_top_sample_free (LeatTopSample *self)
{
  g_free (self->program);
  g_free (self->version);
  g_clear_pointer (&self->devices, g_ptr_array_unref);
  g_clear_pointer (&self->sessions, g_ptr_array_unref);
  g_clear_pointer (&self->schedulers, g_ptr_array_unref);
  g_clear_pointer (&self->root, json_node_unref);
  g_free (self);
}

const LeatTopSession *
leat_top_sample_find_session (const LeatTopSample *self, guint64 id)
{
  for (guint i = 0; i < self->sessions->len; i++)
    if (((LeatTopSession *) self->sessions->pdata[i])->id == id)
      return self->sessions->pdata[i];
  return NULL;
}

/* A member that is not there, or is something else, is nothing: other versions may tell more or less. */
static guint64
leat_top_get_number (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);
  gint64 number = 0;

  if (node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_INT64)
    number = json_node_get_int (node);
  return (guint64) MAX (number, 0);
}

/* Without what a terminal would take for a command. (transfer full) */
static char *
leat_top_dup_text (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);
  const char *text = NULL;
  g_autofree char *copy = NULL;

  if (node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING)
    text = json_node_get_string (node);
  copy = g_strdelimit (g_strdup (text != NULL ? text : ""), "\n\t", ' ');
  return leat_plain_dup (copy);
}

static gboolean
leat_top_get_flag (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_BOOLEAN
         && json_node_get_boolean (node);
}

/* From 0 to 1. */
static double
leat_top_get_share (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);
  double share = 0;

  if (node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_DOUBLE)
    share = json_node_get_double (node);
  return CLAMP (share, 0, 1);
}

/* (nullable) */
static JsonObject *
leat_top_get_object (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

/* Calls @func for each object in a list. */
static void
leat_top_each (JsonObject *object, const char *name, void (*func) (JsonObject *element, gpointer data), gpointer data)
{
  JsonNode *node = json_object_get_member (object, name);
  JsonArray *array = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonNode *element = json_array_get_element (array, i);

      if (JSON_NODE_HOLDS_OBJECT (element))
        func (json_node_get_object (element), data);
    }
}

static void
leat_top_add_device (JsonObject *object, gpointer data)
{
  LeatTopSample *self = data;
  LeatTopDevice *device = g_new0 (LeatTopDevice, 1);

  device->id = leat_top_dup_text (object, "id");
  device->name = leat_top_dup_text (object, "name");
  device->memory_bytes = leat_top_get_number (object, "memory-bytes");
  device->live_bytes = leat_top_get_number (object, "live-bytes");
  g_ptr_array_add (self->devices, device);
}

static void
leat_top_add_queue (JsonObject *object, gpointer data)
{
  LeatTopSession *self = data;

  *(leat_top_get_flag (object, "is-source") ? &self->queued_in : &self->queued_out) +=
    leat_top_get_number (object, "length");
}

static void
leat_top_add_session (JsonObject *object, gpointer data)
{
  LeatTopSample *self = data;
  LeatTopSession *session = g_new0 (LeatTopSession, 1);
  JsonObject *counters = leat_top_get_object (object, "counters");

  session->id = leat_top_get_number (object, "id");
  session->name = leat_top_dup_text (object, "name");
  session->device = leat_top_dup_text (object, "device");
  session->state = leat_top_dup_text (object, "state");
  session->recent_runs = leat_top_get_number (object, "recent-runs");
  session->p50_us = leat_top_get_number (object, "p50-us");
  session->p99_us = leat_top_get_number (object, "p99-us");
  session->filled = leat_top_get_number (object, "waiting-for-device");
  session->on_device = leat_top_get_number (object, "on-device");
  session->done = leat_top_get_number (object, "waiting-for-sinks");
  leat_top_each (object, "queues", leat_top_add_queue, session);
  g_ptr_array_add (self->sessions, session);
  if (counters == NULL)
    return;
  session->runs = leat_top_get_number (counters, "runs");
  session->lanes = leat_top_get_number (counters, "lanes-used");
  session->bytes_in = leat_top_get_number (counters, "bytes-in");
  session->bytes_out = leat_top_get_number (counters, "bytes-out");
  session->bytes_up = leat_top_get_number (counters, "bytes-up");
  session->bytes_back = leat_top_get_number (counters, "bytes-back");
}

static void
leat_top_add_member (JsonObject *object, gpointer data)
{
  LeatTopScheduler *self = data;
  LeatTopMember *member = g_new0 (LeatTopMember, 1);

  member->name = leat_top_dup_text (object, "name");
  member->priority = leat_top_dup_text (object, "priority");
  member->paused = leat_top_get_flag (object, "paused");
  member->evicted = leat_top_get_flag (object, "evicted");
  member->queued = leat_top_get_number (object, "queued");
  member->running = leat_top_get_number (object, "running");
  member->done = leat_top_get_number (object, "done");
  member->missed = leat_top_get_number (object, "missed");
  member->admitted_bytes = leat_top_get_number (object, "admitted-bytes");
  member->wait_p99_us = leat_top_get_number (object, "wait-p99-us");
  member->share = leat_top_get_share (object, "share");
  g_ptr_array_add (self->members, member);
}

static void
leat_top_add_scheduler (JsonObject *object, gpointer data)
{
  LeatTopSample *self = data;
  LeatTopScheduler *scheduler = g_new0 (LeatTopScheduler, 1);

  scheduler->id = leat_top_get_number (object, "id");
  scheduler->device = leat_top_dup_text (object, "device");
  scheduler->paused = leat_top_get_flag (object, "paused");
  scheduler->n_sessions = leat_top_get_number (object, "sessions");
  scheduler->waiting = leat_top_get_number (object, "sessions-waiting");
  scheduler->running = leat_top_get_number (object, "running");
  scheduler->evicted = leat_top_get_number (object, "sessions-evicted");
  scheduler->admitted_bytes = leat_top_get_number (object, "admitted-bytes");
  scheduler->allowed_bytes = leat_top_get_number (object, "allowed-bytes");
  scheduler->missed = leat_top_get_number (object, "missed");
  scheduler->evictions = leat_top_get_number (object, "evictions");
  scheduler->members = g_ptr_array_new_with_free_func (leat_top_member_free);
  leat_top_each (object, "members", leat_top_add_member, scheduler);
  g_ptr_array_add (self->schedulers, scheduler);
}

static LeatTopSample *
leat_top_sample_new (JsonNode *root)
{
  JsonObject *object = json_node_get_object (root);
  LeatTopSample *self = g_new0 (LeatTopSample, 1);

  self->root = json_node_ref (root);
  self->program = leat_top_dup_text (object, "program");
  self->version = leat_top_dup_text (object, "version");
  self->pid = leat_top_get_number (object, "pid");
  self->time_us = leat_top_get_number (object, "time-us");
  self->up_us = leat_top_get_number (object, "up-us");
  self->devices = g_ptr_array_new_with_free_func (leat_top_device_free);
  self->sessions = g_ptr_array_new_with_free_func (leat_top_session_free);
  leat_top_each (object, "devices", leat_top_add_device, self);
  self->schedulers = g_ptr_array_new_with_free_func (leat_top_scheduler_free);
  leat_top_each (object, "sessions", leat_top_add_session, self);
  leat_top_each (object, "schedulers", leat_top_add_scheduler, self);
  return self;
}

/* The parser calls itself for what is in something, as deep as that goes.  It also takes comments, in which there could
 * be quotes; nobody sends any, so that what has no place outside of strings is refused. */
static gboolean
leat_top_sample_is_shallow (const char *text, gsize size)
{
  static const char marks[] = "{}[],:\"+-. \t\r\n";
  gboolean quoted = FALSE;
  guint depth = 0;

  for (gsize i = 0; i < size; i++)
    if (quoted && text[i] == '\\')
      i++;
    else if (text[i] == '"')
      quoted = !quoted;
    else if (quoted)
      continue;
    else if (!g_ascii_isalnum (text[i]) && (text[i] == '\0' || strchr (marks, text[i]) == NULL))
      return FALSE;
    else if ((text[i] == '{' || text[i] == '[') && ++depth > LEAT_TOP_DEPTH_MOST)
      return FALSE;
    else if ((text[i] == '}' || text[i] == ']') && depth > 0)
      depth--;
  return TRUE;
}

LeatTopSample *
leat_top_sample_parse (const char *text, gsize size, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonNode *root;

  if (!g_utf8_validate_len (text, size, NULL))
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "what came is no text");
      return NULL;
    }
  if (!leat_top_sample_is_shallow (text, size))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "the answer is not JSON with at most %d levels",
                   LEAT_TOP_DEPTH_MOST);
      return NULL;
    }
  if (!json_parser_load_from_data (parser, text, (gssize) size, error))
    return NULL;
  root = json_parser_get_root (parser);
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root) && json_object_has_member (json_node_get_object (root), "sessions"))
    return leat_top_sample_new (root);
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "what came says nothing of sessions");
  return NULL;
}
