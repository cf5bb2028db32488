/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-session-model.h"

#include <string.h>

#define MODEL_FIRST 3
#define MODEL_LIMIT 200

#define MODEL_ODD   7777
#define MODEL_WRONG 8888

void
session_model_choose_room (SessionModel *self, LeatFuzzChoices *choices)
{
  static const guint rooms[] = { 16, 1, 3, 100, 257, MODEL_ROOM_MOST };

  self->room = rooms[leat_fuzz_choose (choices, G_N_ELEMENTS (rooms))];
}

void
session_model_make (SessionModel *self, LeatFuzzChoices *choices)
{
  guint outs = leat_fuzz_choose (choices, (1 << MODEL_OUTS) - 1) + 1;
  guint kinds = leat_fuzz_choose (choices, 32), users = kinds / 4;

  *self = (SessionModel){ .a = 1 };
  session_model_choose_room (self, choices);
  self->bounded = kinds & 1;
  self->n_inputs = kinds & 2 ? 2 : 1;
  /* One half has all memory from the session, which batches and streams need. */
  self->user_in = users == 4 || users > 5;
  self->user_out = users > 4;
  for (guint i = 0; i < self->n_inputs; i++)
    self->up[i] = leat_fuzz_choose (choices, MODEL_MODES);
  for (guint i = 0; i < MODEL_OUTS; i++)
    {
      self->has[i] = (outs & 1u << i) != 0;
      if (self->has[i])
        self->back[i] = leat_fuzz_choose (choices, MODEL_MODES);
    }
  /* Runs cannot be done again where something goes on, or where the program has brought the memory. */
  if (self->has[MODEL_FEW] && !self->has[MODEL_SUM] && !self->has[MODEL_LATE] && !self->user_out
      && leat_fuzz_choose (choices, 3) == 1)
    self->few_room = MAX (self->room / 4, 1);
  /* Nobody says how much of a sum is live. */
  if (self->bounded && self->has[MODEL_SUM])
    {
      self->has[MODEL_SUM] = FALSE;
      self->has[MODEL_PLAIN] = TRUE;
    }
}

gboolean
session_model_has_states (const SessionModel *self)
{
  return self->has[MODEL_SUM] || self->has[MODEL_LATE];
}

const char *
session_model_get_mode (guint mode)
{
  static const char *const modes[MODEL_MODES] = { "copy", "kernel", "mapped", "auto" };

  return modes[mode];
}

const char *
session_model_get_expr (const SessionModel *self)
{
  static const char *const exprs[MODEL_INPUTS_MOST][MODEL_EXPRS] = { { "x*a+1", "x+a", "max(x,a)" },
                                                                     { "x*a+y", "x+y*a", "max(x,a)+y" } };

  return exprs[self->n_inputs - 1][self->expr];
}

char *
session_model_dup_spec (const SessionModel *self)
{
  return g_strdup_printf ("u32[%s%u]", self->bounded ? "<=" : "", self->room);
}

static void
session_model_write_nodes (const SessionModel *self, const char *spec, const char *kernels, GString *text)
{
  if (self->has[MODEL_SUM])
    g_string_append_printf (text,
                            "before = state spec=%s init=%d\nn1 = map inputs=x,before expr=\"x + before\"\n"
                            "m -> n1.x\nbefore -> n1.before -> before\n",
                            spec, MODEL_FIRST);
  if (self->has[MODEL_LATE])
    g_string_append_printf (text, "n2 = state spec=%s\nm -> n2\n", spec);
  if (self->few_room > 0)
    g_string_append_printf (text, "n3 = compact where=\"x < %d\" out=u32[<=%u] on-overflow=grow\nm -> n3.x\n",
                            MODEL_LIMIT, self->few_room);
  else if (self->has[MODEL_FEW])
    g_string_append_printf (text, "n3 = compact where=\"x < %d\"\nm -> n3.x\n", MODEL_LIMIT);
  if (self->has[MODEL_TOTAL])
    g_string_append (text, "n4 = reduce\nm -> n4\n");
  if (self->has[MODEL_TOLD])
    g_string_append_printf (text, "n5 = kernel source=\"%s\"\nm -> n5.x\n", kernels);
}

char *
session_model_dup_text (const SessionModel *self, const char *kernels)
{
  static const char *const nodes[MODEL_OUTS] = { "m", "n1", "n2", "n3", "n4", "n5" };
  GString *text = g_string_new ("leat 1\n");
  g_autofree char *spec = session_model_dup_spec (self);

  for (guint i = 0; i < self->n_inputs; i++)
    g_string_append_printf (text, "up%u = upload mode=%s\napp name=in%u spec=%s%s -> up%u\n", i,
                            session_model_get_mode (self->up[i]), i, spec, self->user_in ? " memory=user" : "", i);
  g_string_append_printf (text, "m = map inputs=%s expr=\"%s\" a=%u\nup0 -> m.x\n", self->n_inputs > 1 ? "x,y" : "x",
                          session_model_get_expr (self), self->a);
  if (self->n_inputs > 1)
    g_string_append (text, "up1 -> m.y\n");
  session_model_write_nodes (self, spec, kernels, text);
  for (guint i = 0; i < MODEL_OUTS; i++)
    if (self->has[i])
      g_string_append_printf (text, "back%u = readback mode=%s\n%s -> back%u -> app name=out%u%s\n", i,
                              session_model_get_mode (self->back[i]), nodes[i], i, i,
                              self->user_out ? " memory=user" : "");
  return g_string_free (text, FALSE);
}

void
session_model_begin (SessionModel *self)
{
  memset (&self->states, 0, sizeof self->states);
  for (guint i = 0; i < self->room; i++)
    self->states.sum[i] = MODEL_FIRST;
  self->states.late.n = self->bounded ? 0 : self->room;
}

static guint32
session_model_map_one (const SessionModel *self, guint32 x, guint32 y)
{
  if (self->n_inputs == 1)
    return self->expr == 0 ? x * self->a + 1 : self->expr == 1 ? x + self->a : MAX (x, self->a);
  return self->expr == 0 ? x * self->a + y : self->expr == 1 ? x + y * self->a : MAX (x, self->a) + y;
}

/* Of which the kernel tells, where there is such a one. */
static void
session_model_plant (const SessionModel *self, ModelItems *inputs, guint at, guint32 wanted)
{
  for (guint32 x = 0; x <= wanted; x++)
    if (session_model_map_one (self, x, inputs[1].items[at]) == wanted)
      {
        inputs[0].items[at] = x;
        return;
      }
}

void
session_model_make_inputs (const SessionModel *self, GRand *random, ModelItems *inputs)
{
  guint kind = (guint) g_rand_int_range (random, 0, 8);

  for (guint k = 0; k < self->n_inputs; k++)
    {
      inputs[k].n = self->bounded ? (guint) g_rand_int_range (random, 0, (gint32) self->room + 1) : self->room;
      for (guint i = 0; i < inputs[k].n; i++)
        inputs[k].items[i] = (guint32) g_rand_int_range (random, 0, 300);
    }
  if (self->has[MODEL_TOLD] && kind >= 5 && inputs[0].n > 0 && (self->n_inputs == 1 || inputs[1].n == inputs[0].n))
    session_model_plant (self, inputs, (guint) g_rand_int_range (random, 0, (gint32) inputs[0].n),
                         kind == 5 ? MODEL_WRONG : MODEL_ODD);
}

static void
session_model_map (const SessionModel *self, const ModelItems *inputs, ModelItems *plain)
{
  plain->n = inputs[0].n;
  if (self->n_inputs > 1)
    plain->n = MIN (plain->n, inputs[1].n);
  for (guint i = 0; i < plain->n; i++)
    plain->items[i] = session_model_map_one (self, inputs[0].items[i], inputs[1].items[i]);
}

static void
session_model_add (SessionModel *self, const ModelItems *plain, ModelItems *sum)
{
  sum->n = plain->n;
  for (guint i = 0; i < plain->n; i++)
    sum->items[i] = self->states.sum[i] += plain->items[i];
}

static void
session_model_look (const ModelItems *plain, ModelResult *result)
{
  guint64 total = 0;

  for (guint i = 0; i < plain->n; i++)
    {
      guint32 x = plain->items[i];

      if (x < MODEL_LIMIT)
        result->outs[MODEL_FEW].items[result->outs[MODEL_FEW].n++] = x;
      result->outs[MODEL_TOLD].items[result->outs[MODEL_TOLD].n++] = x + 1;
      result->warnings += x == MODEL_ODD;
      result->errors += x == MODEL_WRONG;
      total += x;
    }
  memcpy (result->outs[MODEL_TOTAL].items, &total, sizeof total);
  result->outs[MODEL_TOTAL].n = 2;
}

void
session_model_run (SessionModel *self, const ModelItems *inputs, ModelResult *result)
{
  ModelItems *plain = &result->outs[MODEL_PLAIN];

  memset (result, 0, sizeof *result);
  session_model_map (self, inputs, plain);
  if (self->has[MODEL_SUM])
    session_model_add (self, plain, &result->outs[MODEL_SUM]);
  result->outs[MODEL_LATE] = self->states.late;
  self->states.late = *plain;
  session_model_look (plain, result);
  if (!self->has[MODEL_TOLD])
    result->warnings = result->errors = 0;
}

gsize
session_model_get_bytes (const SessionModel *self, ModelOut out)
{
  return (out == MODEL_TOTAL ? 2 : self->room) * sizeof (guint32);
}
