/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-session-drive.h"

#include <stdlib.h>
#include <string.h>

#define SLOT_BYTES 8192
#define HOST_SLOTS 2
#define N_SLOTS    (DRIVE_SLOTS + DRIVE_SLOTS * MODEL_OUTS)
#define POISON     0xa5

static LeatApp *
session_drive_get_app (SessionDrive *self, const char *kind, guint number)
{
  g_autofree char *name = g_strdup_printf ("%s%u", kind, number);

  return LEAT_APP (leat_pipeline_get_node (self->pipeline, name, NULL));
}

static void
session_drive_make_memory (SessionDrive *self)
{
  LeatDevice *device = leat_session_get_device (self->session);
  g_autoptr (GError) error = NULL;

  self->host = aligned_alloc (4096, N_SLOTS * SLOT_BYTES);
  memset (self->host, POISON, N_SLOTS * SLOT_BYTES);
  leat_device_pin (device, (guintptr) self->host, N_SLOTS * SLOT_BYTES, &error);
  g_assert_no_error (error);
  self->from = leat_device_buffer_new (device, DRIVE_SLOTS * SLOT_BYTES, &error);
  g_assert_no_error (error);
  self->to = leat_device_buffer_new (device, N_SLOTS * SLOT_BYTES, &error);
  g_assert_no_error (error);
}

void
session_drive_make (SessionDrive *self, LeatFuseMode fuse, LeatSession *like)
{
  static const char *const props[] = { "executor", "memo", "calibrate", "reuse", "lanes", "batch", "timing" };
  g_autofree char *text = session_model_dup_text (&self->model, LEAT_FUZZ_FOLDER "/session.cu");
  g_autoptr (GError) error = NULL;

  g_debug ("%s", text);
  self->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  leat_pipeline_set_fuse (self->pipeline, fuse);
  self->session = leat_session_new (self->pipeline, NULL);
  for (guint i = 0; like != NULL && i < G_N_ELEMENTS (props); i++)
    {
      GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (like), props[i]);
      g_auto (GValue) value = G_VALUE_INIT;

      g_value_init (&value, spec->value_type);
      g_object_get_property (G_OBJECT (like), props[i], &value);
      g_object_set_property (G_OBJECT (self->session), props[i], &value);
    }
}

void
session_drive_open (SessionDrive *self)
{
  g_autoptr (GError) error = NULL;

  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
  if (self->host == NULL && (self->model.user_in || self->model.user_out))
    session_drive_make_memory (self);
  for (guint i = 0; i < self->model.n_inputs; i++)
    self->ins[i] = (DriveEnd){ .way = self->model.user_in ? DRIVE_USER : DRIVE_QUEUE };
  for (guint i = 0; i < MODEL_OUTS; i++)
    self->outs[i] = (DriveEnd){ .way = self->model.user_out ? DRIVE_USER : DRIVE_QUEUE };
  self->warnings = self->errors = 0;
  session_model_begin (&self->model);
}

void
session_drive_close (SessionDrive *self)
{
  leat_session_close (self->session);
}

void
session_drive_free (SessionDrive *self)
{
  g_autoptr (LeatDevice) device = NULL;
  g_autoptr (GError) error = NULL;

  if (self->host != NULL)
    device = g_object_ref (leat_session_get_device (self->session));
  session_drive_close (self);
  if (self->host != NULL)
    leat_device_unpin (device, (guintptr) self->host, &error);
  g_assert_no_error (error);
  free (self->host);
  g_clear_object (&self->from);
  g_clear_object (&self->to);
  g_object_unref (self->session);
  g_object_unref (self->pipeline);
  g_rand_free (self->random);
}

static guint
session_drive_find_out_slot (guint out, guint slot)
{
  return DRIVE_SLOTS + out * DRIVE_SLOTS + slot;
}

void
session_drive_bind_outputs (SessionDrive *self, LeatFuzzChoices *choices)
{
  for (guint i = 0; i < MODEL_OUTS; i++)
    {
      g_autofree char *name = g_strdup_printf ("out%u", i);
      g_autoptr (GError) error = NULL;
      guint slot, at;

      if (!self->model.has[i] || self->outs[i].way != DRIVE_USER)
        continue;
      slot = leat_fuzz_choose (choices, DRIVE_SLOTS);
      at = session_drive_find_out_slot (i, slot);
      self->outs[i].slot = slot;
      g_debug ("bind out%u to slot %u", i, slot);
      if (slot < HOST_SLOTS)
        leat_session_bind_output (self->session, name, (guintptr) self->host + at * SLOT_BYTES,
                                  session_model_get_bytes (&self->model, i), &error);
      else
        leat_session_bind_output_buffer (self->session, name, self->to, at * SLOT_BYTES, &error);
      g_assert_no_error (error);
    }
}

void
session_drive_rebind (SessionDrive *self, guint input, guint slot)
{
  g_autofree char *name = g_strdup_printf ("in%u", input);
  const ModelItems *items = &self->contents[slot];
  g_autoptr (GError) error = NULL;

  g_debug ("bind in%u to slot %u, %u items", input, slot, items->n);
  if (slot < HOST_SLOTS)
    leat_session_bind_input (self->session, name, (guintptr) self->host + slot * SLOT_BYTES,
                             items->n * sizeof *items->items, items->n, &error);
  else
    leat_session_bind_input_buffer (self->session, name, self->from, slot * SLOT_BYTES, items->n, &error);
  g_assert_no_error (error);
  self->ins[input].slot = slot;
  self->ins[input].now = *items;
  self->ins[input].fed = TRUE;
}

static void
session_drive_write_slot (SessionDrive *self, const ModelItems *items, guint slot)
{
  g_autoptr (GBytes) bytes = g_bytes_new (items->items, items->n * sizeof *items->items);
  g_autoptr (GError) error = NULL;

  self->contents[slot] = *items;
  if (items->n == 0)
    return;
  if (slot < HOST_SLOTS)
    memcpy (self->host + slot * SLOT_BYTES, items->items, items->n * sizeof *items->items);
  else
    leat_device_buffer_upload (self->from, slot * SLOT_BYTES, bytes, &error);
  g_assert_no_error (error);
}

static void
session_drive_map_input (SessionDrive *self, guint input, const ModelItems *items)
{
  g_autofree char *name = g_strdup_printf ("in%u", input);
  g_autoptr (GError) error = NULL;
  LeatView view;

  leat_session_map_input (self->session, name, &view, &error);
  g_assert_no_error (error);
  memset (view.data, POISON, view.capacity);
  memcpy (view.data, items->items, items->n * sizeof *items->items);
  if (self->model.bounded)
    leat_session_set_input_count (self->session, name, items->n, &error);
  g_assert_no_error (error);
}

/* What is in a slot that another input has is that one's too, which has to be told. */
static void
session_drive_feed_slot (SessionDrive *self, guint input, const ModelItems *items, guint slot)
{
  session_drive_write_slot (self, items, slot);
  session_drive_rebind (self, input, slot);
  for (guint i = 0; i < self->model.n_inputs; i++)
    if (i != input && self->ins[i].fed && self->ins[i].slot == slot)
      session_drive_rebind (self, i, slot);
}

void
session_drive_feed (SessionDrive *self, guint input, const ModelItems *items, guint slot)
{
  g_autoptr (GBytes) bytes = g_bytes_new (items->items, items->n * sizeof *items->items);
  g_autoptr (GError) error = NULL;

  g_debug ("feed in%u %u items, way %u", input, items->n, self->ins[input].way);
  if (self->ins[input].way == DRIVE_USER)
    session_drive_feed_slot (self, input, items, slot);
  else if (self->ins[input].way == DRIVE_MAPPED)
    session_drive_map_input (self, input, items);
  else
    leat_app_push_bytes (session_drive_get_app (self, "in", input), bytes, &error);
  g_assert_no_error (error);
  self->ins[input].now = *items;
  self->ins[input].fed = self->ins[input].way != DRIVE_QUEUE;
}

void
session_drive_poison_outputs (SessionDrive *self)
{
  g_autofree guint8 *poison = g_malloc (SLOT_BYTES);
  g_autoptr (GBytes) bytes = NULL;

  memset (poison, POISON, SLOT_BYTES);
  bytes = g_bytes_new_static (poison, SLOT_BYTES);
  for (guint i = 0; i < MODEL_OUTS; i++)
    {
      guint at = session_drive_find_out_slot (i, self->outs[i].slot);

      if (!self->model.has[i] || self->outs[i].way != DRIVE_USER)
        continue;
      if (self->outs[i].slot < HOST_SLOTS)
        memset (self->host + at * SLOT_BYTES, POISON, SLOT_BYTES);
      else
        g_assert_true (leat_device_buffer_upload (self->to, at * SLOT_BYTES, bytes, NULL));
    }
}

void
session_drive_check_bytes (SessionDrive *self, const ModelResult *result, ModelOut out, gconstpointer data, gsize bytes)
{
  const ModelItems *wanted = &result->outs[out];

  if (bytes != wanted->n * sizeof *wanted->items || (bytes > 0 && memcmp (data, wanted->items, bytes) != 0))
    g_error ("out%u: %" G_GSIZE_FORMAT " bytes beginning with %u, and should be %u items beginning with %u", out, bytes,
             bytes > 0 ? *(const guint32 *) data : 0, wanted->n, wanted->items[0]);
}

static void
session_drive_check_pulled (SessionDrive *self, const ModelResult *result, ModelOut out)
{
  g_autoptr (GBytes) bytes = leat_app_pull_bytes (session_drive_get_app (self, "out", out), 0, NULL);

  if (result->errors > 0)
    {
      g_assert_null (bytes);
      return;
    }
  g_assert_nonnull (bytes);
  session_drive_check_bytes (self, result, out, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static void
session_drive_check_slot (SessionDrive *self, const ModelResult *result, ModelOut out, gsize bytes)
{
  guint at = session_drive_find_out_slot (out, self->outs[out].slot);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) there = NULL;

  if (self->outs[out].slot < HOST_SLOTS)
    session_drive_check_bytes (self, result, out, self->host + at * SLOT_BYTES, bytes);
  else
    {
      there = leat_device_buffer_download (self->to, at * SLOT_BYTES, SLOT_BYTES, &error);
      g_assert_no_error (error);
      session_drive_check_bytes (self, result, out, g_bytes_get_data (there, NULL), bytes);
    }
}

static void
session_drive_check_mapped (SessionDrive *self, const ModelResult *result, ModelOut out)
{
  g_autofree char *name = g_strdup_printf ("out%u", out);
  g_autoptr (GError) error = NULL;
  gboolean bounded = out == MODEL_FEW || (self->model.bounded && out != MODEL_TOTAL);
  LeatView view;
  gsize bytes;

  leat_session_map_output (self->session, name, &view, &error);
  g_assert_no_error (error);
  if (result->errors > 0)
    return;
  bytes = bounded ? view.count * sizeof (guint32) : session_model_get_bytes (&self->model, out);
  if (self->outs[out].way == DRIVE_USER)
    session_drive_check_slot (self, result, out, bytes);
  else
    session_drive_check_bytes (self, result, out, view.data, bytes);
}

void
session_drive_check_outputs (SessionDrive *self, const ModelResult *result)
{
  for (guint i = 0; i < MODEL_OUTS; i++)
    if (!self->model.has[i])
      continue;
    else if (self->outs[i].way == DRIVE_QUEUE)
      session_drive_check_pulled (self, result, i);
    else
      session_drive_check_mapped (self, result, i);
}

void
session_drive_check_counts (SessionDrive *self)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (self->session);
  guint64 reports = 0;

  g_assert_true (g_variant_lookup (stats, "reports", "t", &reports));
  g_assert_cmpuint (reports, ==, self->warnings + self->errors);
}
