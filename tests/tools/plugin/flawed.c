/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A plugin with a node that is wrong on purpose, in one way to run it and not in the others. */
#include <leat/leat.h>

enum
{
  FLAW_CAPTURED,
  FLAW_OPTIMISED,
  FLAW_FAILS,
  FLAW_ONCE,
};

typedef struct
{
  LeatNode parent_instance;
  int when;
} Flawed;

typedef struct
{
  LeatNodeClass parent_class;
} FlawedClass;

GType flawed_get_type (void);
G_DEFINE_TYPE (Flawed, flawed, LEAT_TYPE_NODE)

typedef struct
{
  LeatBufferId in, out;
  guint64 bytes;
  int when;
  gboolean optimised;
  gboolean is_first;
} FlawedWork;

typedef int (*CopyFunc) (guint64 to, guint64 from, gsize bytes, gpointer stream);
typedef int (*FillFunc) (guint64 to, unsigned char value, gsize bytes, gpointer stream);

static gboolean
flawed_work_is_wrong (const FlawedWork *work, LeatForeign *foreign)
{
  if (work->when == FLAW_ONCE)
    return work->is_first;
  return work->when == FLAW_CAPTURED ? leat_foreign_is_capturing (foreign) : work->optimised;
}

/* A copy of its input, but for the third byte of the second item, which is 66 in the way that is wrong. */
static gboolean
flawed_put (LeatForeign *foreign, gpointer user_data, GError **error)
{
  const FlawedWork *work = user_data;
  CopyFunc copy = (CopyFunc) leat_foreign_find_call (foreign, "cuMemcpyDtoDAsync");
  FillFunc fill = (FillFunc) leat_foreign_find_call (foreign, "cuMemsetD8Async");
  gpointer stream = leat_foreign_get_stream (foreign);
  guint64 in = leat_foreign_get_items (foreign, work->in), out = leat_foreign_get_items (foreign, work->out);

  if (!leat_foreign_check (foreign, "cuMemcpyDtoDAsync", copy (out, in, work->bytes, stream), error))
    return FALSE;
  if (!flawed_work_is_wrong (work, foreign))
    return TRUE;
  if (work->when == FLAW_FAILS)
    return leat_foreign_check (foreign, "a call that fails", 1, error);
  return leat_foreign_check (foreign, "cuMemsetD8Async", fill (out + 6, 66, 1, stream), error);
}

static gboolean
flawed_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  static const LeatAccess access[] = { LEAT_ACCESS_READ, LEAT_ACCESS_WRITE };
  static gint plans;
  LeatBufferId buffers[] = { leat_recorder_get_input (recorder, "in"), leat_recorder_get_output (recorder, "out") };
  FlawedWork *work = g_new0 (FlawedWork, 1);
  LeatForeignCall call = { .name = "a copy",
                           .func = flawed_put,
                           .user_data = work,
                           .destroy = g_free,
                           .buffers = buffers,
                           .access = access,
                           .n_buffers = G_N_ELEMENTS (buffers) };

  work->in = buffers[0];
  work->out = buffers[1];
  work->bytes = leat_spec_get_bytes (leat_recorder_get_spec (recorder, work->in));
  work->when = ((Flawed *) node)->when;
  work->is_first = g_atomic_int_add (&plans, 1) == 0;
  work->optimised = leat_pipeline_get_optimise (leat_node_get_pipeline (node));
  leat_recorder_add_foreign (recorder, &call);
  return TRUE;
}

static gboolean
flawed_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  return leat_negotiation_set_output (negotiation, "out", leat_negotiation_get_input (negotiation, "in"), error);
}

static const LeatPortInfo flawed_ports[] = {
  { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, 0, "any", "Items" },
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, 0, "any", "The same, nearly" },
};

static const char *const flawed_choices[] = { "captured", "optimised", "fails", "once", NULL };

static const LeatProp flawed_props[] = {
  { sizeof (LeatProp), "when", LEAT_PROP_CHOICE, 0, G_STRUCT_OFFSET (Flawed, when), .choices = flawed_choices,
    .blurb = "when it is wrong; fails: where it is optimised, it fails; once: in "
             "the first plan of the process" },
};

static const LeatNodeInfo flawed_info = {
  sizeof (LeatNodeInfo),
  "test:flawed",
  NULL,
  "Copies, and is wrong in one way",
  "For tests.",
  flawed_props,
  G_N_ELEMENTS (flawed_props),
  flawed_ports,
  G_N_ELEMENTS (flawed_ports),
  flawed_get_type,
};

static void
flawed_class_init (FlawedClass *klass)
{
  LEAT_NODE_CLASS (klass)->negotiate = flawed_negotiate;
  LEAT_NODE_CLASS (klass)->record = flawed_record;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &flawed_info);
}

static void
flawed_init (Flawed *self)
{
}

static const LeatNodeInfo *const flawed_nodes[] = { &flawed_info };

LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = {
  sizeof (LeatPluginInfo),     LEAT_PLUGIN_ABI, "flawed", "1", "LGPL-2.1-or-later", flawed_nodes,
  G_N_ELEMENTS (flawed_nodes),
};
