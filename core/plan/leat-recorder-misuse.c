/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Faults of a node's author: calls of record () that cannot be.  They become errors of the plan, which name the node,
 * the call and what to write, so that authors see them in the first plan and users see no crash. */

#include "leat-plan-private.h"

#include "graph/leat-graph-error.h"
#include "graph/leat-endpoint.h"

void
leat_recorder_refuse_call (LeatRecorder *self, const char *call, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  if (self->error != NULL)
    return;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (&self->error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_PLUGIN, "its record () calls %s () %s", call, text);
}

gboolean
leat_recorder_check_buffer (LeatRecorder *self, const char *call, const char *argument, LeatBufferId id)
{
  if (self->error != NULL)
    return FALSE;
  if (id < self->plan->buffers->len)
    return TRUE;
  if (id == LEAT_BUFFER_NONE)
    leat_recorder_refuse_call (self, call,
                               "with no buffer as \"%s\": a port that is not linked has none; compare it with "
                               "LEAT_BUFFER_NONE before",
                               argument);
  else
    leat_recorder_refuse_call (
      self, call,
      "with %u as \"%s\", which is no buffer of this plan; give what leat_recorder_get_input (), "
      "leat_recorder_get_output () or an add function returned in this call of record ()",
      id, argument);
  return FALSE;
}

gboolean
leat_recorder_check_sizes (LeatRecorder *self, const char *call, LeatBufferId to, LeatBufferId from)
{
  guint64 room, bytes;

  if (!leat_recorder_check_buffer (self, call, "to", to) || !leat_recorder_check_buffer (self, call, "from", from))
    return FALSE;
  room = leat_plan_get_buffer (self->plan, to)->bytes;
  bytes = leat_plan_get_buffer (self->plan, from)->bytes;
  if (room == bytes)
    return TRUE;
  leat_recorder_refuse_call (self, call,
                             "from %" G_GUINT64_FORMAT " bytes to %" G_GUINT64_FORMAT
                             "; state equal specs in negotiate () for the two",
                             bytes, room);
  return FALSE;
}

gboolean
leat_recorder_check_counted (LeatRecorder *self, const char *call, const char *argument, LeatBufferId id)
{
  if (!leat_recorder_check_buffer (self, call, argument, id))
    return FALSE;
  if (leat_plan_get_buffer (self->plan, id)->header)
    return TRUE;
  leat_recorder_refuse_call (self, call, "with \"%s\" as \"%s\", whose spec is fixed; only bounded specs have a count",
                             leat_plan_get_buffer (self->plan, id)->name, argument);
  return FALSE;
}

gboolean
leat_recorder_check_initial (LeatRecorder *self, const char *call, LeatBufferId id, GBytes *initial)
{
  const LeatBuffer *buffer;
  guint64 bytes;

  if (!leat_recorder_check_buffer (self, call, "port", id))
    return FALSE;
  buffer = leat_plan_get_buffer (self->plan, id);
  bytes = buffer->bytes - (buffer->header ? LEAT_BUFFER_HEADER : 0);
  if (initial == NULL || g_bytes_get_size (initial) == bytes)
    return TRUE;
  leat_recorder_refuse_call (self, call,
                             "with %" G_GSIZE_FORMAT " bytes for \"%s\", which holds %" G_GUINT64_FORMAT
                             "; give as many as its spec says",
                             g_bytes_get_size (initial), buffer->name, bytes);
  return FALSE;
}

/* Is it the object itself, or one of its sort? */
static const char *
leat_arg_why_no_texture (const LeatArg *self, const LeatParam *param)
{
  if (self->kind == LEAT_ARG_TEXTURE)
    return param->form != LEAT_TEXTURE_NONE && !param->is_surface ? NULL
                                                                  : "LEAT_ARG_TEXTURE is for a cudaTextureObject_t";
  if (self->kind == LEAT_ARG_SURFACE)
    return param->is_surface ? NULL : "LEAT_ARG_SURFACE is for a cudaSurfaceObject_t";
  return param->form != LEAT_TEXTURE_NONE ? "it takes LEAT_ARG_TEXTURE or LEAT_ARG_SURFACE" : NULL;
}

/* Says why a parameter cannot be given an argument of that kind; NULL where it can. */
static const char *
leat_arg_why_not (const LeatArg *self, const LeatParam *param)
{
  const char *why = leat_arg_why_no_texture (self, param);

  if (why != NULL)
    return why;
  switch (self->kind)
    {
    case LEAT_ARG_ITEMS:
      return leat_param_is_pointer (param) ? NULL : "LEAT_ARG_ITEMS is for pointers";
    case LEAT_ARG_COUNT:
      return leat_param_is_pointer (param) || param->kind == LEAT_PARAM_INPUT_COUNT
               ? NULL
               : "LEAT_ARG_COUNT is for pointers and for counts of inputs";
    case LEAT_ARG_QUEUE:
      return param->kind == LEAT_PARAM_QUEUE ? NULL : "LEAT_ARG_QUEUE is for a LeatQueue";
    case LEAT_ARG_LOOP:
      return param->kind == LEAT_PARAM_QUEUE ? "LEAT_ARG_LOOP is for a uint64_t" : NULL;
    case LEAT_ARG_VALUE:
      return param->kind == LEAT_PARAM_QUEUE ? "a LeatQueue takes LEAT_ARG_QUEUE" : NULL;
    case LEAT_ARG_NODE_ARG:
      return param->kind == LEAT_PARAM_SCALAR ? NULL : "LEAT_ARG_NODE_ARG is for scalars";
    case LEAT_ARG_TEXTURE:
    case LEAT_ARG_SURFACE:
      return NULL;
    }
  return "its kind is none of LeatArgKind";
}

/* Bytes are copied to where the kernel looks for its parameter: too few leave the rest open, and a double is no float.
 * Whole numbers may come as a uint64_t, whatever the kernel's own are. */
static gboolean
leat_recorder_check_value (LeatRecorder *self, const char *call, const LeatPrototype *prototype, guint index,
                           const LeatArg *arg)
{
  const LeatParam *param = &prototype->params[index];
  gsize wanted = leat_param_is_pointer (param) ? sizeof (guint64) : param->item_bytes;
  gboolean shrinks = arg->size == sizeof (guint64) && param->dtype != NULL && param->dtype[0] != 'f';

  if (arg->kind != LEAT_ARG_VALUE || (arg->value != NULL && (arg->size == wanted || shrinks)))
    return TRUE;
  if (arg->value == NULL)
    leat_recorder_refuse_call (self, call, "of %s without a value for \"%s\"; let value point to a %s",
                               prototype->entry, param->name, param->type);
  else
    leat_recorder_refuse_call (self, call,
                               "of %s with %" G_GSIZE_FORMAT " bytes for \"%s\", a %s of %" G_GSIZE_FORMAT
                               "; let value point to a variable of that type, and size be its size",
                               prototype->entry, arg->size, param->name, param->type, wanted);
  return FALSE;
}

/* Collects the access that the call states for a buffer; 0 where it does not name it. */
static LeatAccess
leat_kernel_call_get_access (const LeatKernelCall *self, LeatBufferId id)
{
  guint access = 0;

  for (guint i = 0; i < self->n_buffers; i++)
    if (self->buffers[i] == id)
      access |= self->access[i];
  return access;
}

/* A buffer that the call does not name would be given to others too early, or be read before it is written. */
static gboolean
leat_recorder_check_use (LeatRecorder *self, const char *call, const LeatPrototype *prototype, guint index,
                         const LeatKernelCall *launch)
{
  const LeatArg *arg = &launch->args[index];
  const LeatParam *param = &prototype->params[index];
  gboolean by_value = arg->kind == LEAT_ARG_COUNT && param->kind == LEAT_PARAM_INPUT_COUNT;
  LeatAccess access;
  gboolean reads = param->kind == LEAT_PARAM_INPUT;

  if (arg->kind == LEAT_ARG_VALUE || arg->kind == LEAT_ARG_NODE_ARG || arg->kind == LEAT_ARG_LOOP)
    return TRUE;
  if (!leat_recorder_check_buffer (self, call, param->name, arg->buffer))
    return FALSE;
  access = leat_kernel_call_get_access (launch, arg->buffer);
  if (by_value || access != 0)
    return TRUE;
  leat_recorder_refuse_call (self, call,
                             "of %s and does not say that it %s \"%s\", which \"%s\" is given; add the buffer to "
                             "buffers, with %s or LEAT_ACCESS_READ_WRITE",
                             prototype->entry, reads ? "reads" : "uses",
                             leat_plan_get_buffer (self->plan, arg->buffer)->name, param->name,
                             reads ? "LEAT_ACCESS_READ" : "LEAT_ACCESS_WRITE");
  return FALSE;
}

gboolean
leat_recorder_check_touches (LeatRecorder *self, const char *call, const LeatBufferId *buffers,
                             const LeatAccess *access, guint n_buffers)
{
  for (guint i = 0; i < n_buffers; i++)
    {
      /* A port that is not linked touches nothing. */
      if (buffers[i] == LEAT_BUFFER_NONE)
        continue;
      if (!leat_recorder_check_buffer (self, call, "buffers", buffers[i]))
        return FALSE;
      if (access[i] >= LEAT_ACCESS_READ && access[i] <= LEAT_ACCESS_READ_WRITE)
        continue;
      leat_recorder_refuse_call (self, call, "with %d as access to \"%s\"; it is one of LeatAccess", access[i],
                                 leat_plan_get_buffer (self->plan, buffers[i])->name);
      return FALSE;
    }
  return TRUE;
}

gboolean
leat_recorder_check_launch (LeatRecorder *self, const LeatPrototype *prototype, const LeatKernelCall *launch)
{
  const char *call = "leat_recorder_add_kernel";

  if (prototype->n_params != launch->n_args)
    {
      leat_recorder_refuse_call (self, call, "of %s with %u arguments; its prototype has %u parameters, give each one",
                                 prototype->entry, launch->n_args, prototype->n_params);
      return FALSE;
    }
  if (!leat_recorder_check_touches (self, call, launch->buffers, launch->access, launch->n_buffers))
    return FALSE;
  for (guint i = 0; i < launch->n_args; i++)
    {
      const char *why_not = leat_arg_why_not (&launch->args[i], &prototype->params[i]);

      if (why_not != NULL)
        leat_recorder_refuse_call (self, call, "of %s with the wrong kind of argument for \"%s\", a %s: %s",
                                   prototype->entry, prototype->params[i].name, prototype->params[i].type, why_not);
      if (why_not != NULL || !leat_recorder_check_value (self, call, prototype, i, &launch->args[i])
          || !leat_recorder_check_use (self, call, prototype, i, launch))
        return FALSE;
    }
  return TRUE;
}

gboolean
leat_recorder_refuse_in_body (LeatRecorder *self, const char *why)
{
  if (self->plan->loop == NULL)
    return FALSE;
  if (self->error == NULL)
    g_set_error (&self->error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_FAILED, "cannot be in the body of \"%s\": %s",
                 leat_node_get_name (self->plan->loop->node), why);
  return TRUE;
}
