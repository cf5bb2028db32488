/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The work queues of a node `kernel`, as its properties describe them.  They are checked against the prototype and
 * added to the plan, which is otherwise left alone. */

#include "leat-base-queue.h"

#include "leat-base-kernel-check.h"

#include <string.h>

#define LEAT_QUEUE_USUAL   65536
#define LEAT_QUEUE_LARGEST ((guint64) 1 << 32)

/* One item of `queue`: for all queues or for one, of which it is the place of the number. */
static const char *
leat_queue_split (const char *item, char **name)
{
  const char *colon = strchr (item, ':');

  *name = colon != NULL ? g_strstrip (g_strndup (item, colon - item)) : NULL;
  return colon != NULL ? colon + 1 : item;
}

static gboolean
leat_queue_read_number (const char *text, guint64 *number)
{
  g_autofree char *plain = g_strstrip (g_strdup (text));

  return g_ascii_string_to_unsigned (plain, 10, 1, LEAT_QUEUE_LARGEST, number, NULL);
}

static gboolean
leat_queue_check_capacity (const LeatQueueChoice *self, const LeatPrototype *prototype, GError **error)
{
  g_auto (GStrv) items = g_strsplit (self->capacity, ",", -1);
  guint64 number;

  for (guint i = 0; items[i] != NULL; i++)
    {
      g_autofree char *name = NULL;
      const char *text = leat_queue_split (items[i], &name);

      if (name != NULL && !leat_kernel_check_name (prototype, LEAT_PARAM_QUEUE, "queue", name, error))
        return FALSE;
      if (leat_queue_read_number (text, &number))
        continue;
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE,
                   "queue=%s: expected how many items there is room for, from 1 to %" G_GUINT64_FORMAT
                   ", as in queue=4096 or queue=work:4096",
                   self->capacity, LEAT_QUEUE_LARGEST);
      return FALSE;
    }
  return TRUE;
}

gboolean
leat_queue_check (const LeatQueueChoice *self, const LeatPrototype *prototype, const char **property, GError **error)
{
  g_auto (GStrv) kept = NULL;

  *property = "queue";
  if (self->capacity != NULL && !leat_queue_check_capacity (self, prototype, error))
    return FALSE;
  *property = "keep";
  return leat_kernel_check_names (prototype, LEAT_PARAM_QUEUE, "keep", self->keep, &kept, error);
}

/* A capacity for the one queue goes before a capacity for all. */
static guint64
leat_queue_get_capacity (const LeatQueueChoice *self, const char *name)
{
  g_auto (GStrv) items = g_strsplit (self->capacity != NULL ? self->capacity : "", ",", -1);
  guint64 all = LEAT_QUEUE_USUAL, number = 0;

  for (guint i = 0; items[i] != NULL; i++)
    {
      g_autofree char *own = NULL;
      const char *text = leat_queue_split (items[i], &own);

      if (!leat_queue_read_number (text, &number))
        continue;
      if (own == NULL)
        all = number;
      else if (g_str_equal (own, name))
        return number;
    }
  return all;
}

static gboolean
leat_queue_is_kept (const LeatQueueChoice *self, const char *name)
{
  g_auto (GStrv) names = g_strsplit (self->keep != NULL ? self->keep : "", ",", -1);

  for (guint i = 0; names[i] != NULL; i++)
    if (g_str_equal (g_strstrip (names[i]), name))
      return TRUE;
  return FALSE;
}

LeatBufferId
leat_queue_record (const LeatQueueChoice *self, const LeatParam *param, LeatRecorder *recorder)
{
  const LeatQueueInfo info = {
    .name = param->name,
    .item_bytes = param->item_bytes,
    .capacity = leat_queue_get_capacity (self, param->name),
    .is_kept = leat_queue_is_kept (self, param->name),
    .scope = self->scope,
    .loses = self->loses,
    .patience = self->patience,
  };

  return leat_recorder_add_queue (recorder, &info);
}
