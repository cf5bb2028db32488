/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its properties, its first contents, and the state that it records. */

#include "leat-base-state.h"

#include "leat-base-contents.h"
#include "leat-base-fill.h"

/**
 * LeatBaseState:
 *
 * The node `state` keeps data from run to run: an average, counts so far, the frame before.
 *
 * It gives the data as they were when the run began.  Data that come to it are its data in the next run.
 */
struct _LeatBaseState
{
  LeatNode parent_instance;

  char *spec;
  char *init;
  char *path;
  int scope;
};

G_DEFINE_FINAL_TYPE (LeatBaseState, leat_base_state, LEAT_TYPE_NODE)

static const char *const scope_choices[] = { "session", "lane", NULL };

static const LeatProp leat_base_state_props[] = {
  { sizeof (LeatProp), "spec", LEAT_PROP_STRING, 0, offsetof (LeatBaseState, spec),
    .blurb = "Spec of the contents, such as f32[256]; not needed if path= or a link gives it" },
  { sizeof (LeatProp), "init", LEAT_PROP_STRING, 0, offsetof (LeatBaseState, init),
    .blurb = "Number that every item is at first; zeros if neither init nor path is set" },
  { sizeof (LeatProp), "path", LEAT_PROP_PATH, 0, offsetof (LeatBaseState, path),
    .blurb = "File with the first contents: an .npy array, or raw bytes" },
  { sizeof (LeatProp), "scope", LEAT_PROP_CHOICE, 0, offsetof (LeatBaseState, scope), .choices = scope_choices,
    .blurb = "session: one state for all runs, in their order; lane: one state for each lane" },
};

static const LeatPortInfo leat_base_state_ports[] = {
  { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL | LEAT_PORT_DELAYED, "any",
    "Contents for the next run; if not linked, the contents stay" },
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, 0, "any", "Contents when the run began" },
};

const LeatNodeInfo leat_base_state_info = {
  sizeof (LeatNodeInfo),
  "state",
  NULL,
  "Keeps data on the device from run to run",
  "In each run the output gives the data that came to the input in the run before.  In "
  "the first run it gives init= or the contents of path=, or zeros.  So a link to a "
  "state closes no cycle.\n\nA node that works in place (`map`, `kernel` with update=) "
  "and is the only reader of the state writes the new contents into its memory.  "
  "Otherwise they are copied.  The plan tells which.\n\nExample: state name=mean "
  "spec=f32[256] + m.mean , m. + mean",
  leat_base_state_props,
  G_N_ELEMENTS (leat_base_state_props),
  leat_base_state_ports,
  G_N_ELEMENTS (leat_base_state_ports),
  leat_base_state_get_type,
};

static LeatContents
leat_base_state_get_contents (LeatBaseState *self)
{
  return (LeatContents){ LEAT_NODE (self), self->path, self->spec };
}

/* (transfer full) (nullable): NULL without an error where others have to say it */
static LeatSpec *
leat_base_state_choose_spec (LeatBaseState *self, LeatSpec *allowed, GError **error)
{
  const LeatContents contents = leat_base_state_get_contents (self);
  g_autoptr (LeatSpec) spec = NULL;

  if (self->path != NULL)
    {
      spec = leat_contents_find_spec (&contents, allowed, error);
      return spec != NULL && leat_contents_check_spec (&contents, spec, error) ? g_steal_pointer (&spec) : NULL;
    }
  if (self->spec == NULL)
    return leat_spec_is_fixed (allowed) ? leat_spec_ref (allowed) : NULL;
  spec = leat_spec_parse (self->spec, error);
  if (spec == NULL || leat_spec_is_fixed (spec))
    return g_steal_pointer (&spec);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
               "spec=%s: a state has a size that is known; write numbers, as in spec=f32[480,640]", self->spec);
  leat_node_blame (LEAT_NODE (self), "spec");
  return NULL;
}

static gboolean
leat_base_state_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatBaseState *self = LEAT_BASE_STATE (node);
  g_autoptr (LeatSpec) allowed = leat_negotiation_get_allowed (negotiation, "out");
  g_autoptr (LeatSpec) spec = NULL;
  GError *inner = NULL;

  if (self->init != NULL && self->path != NULL)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
                   "init=%s and path=%s both give its first value: leave one of them out", self->init, self->path);
      leat_node_blame (node, "init");
      return FALSE;
    }
  spec = leat_base_state_choose_spec (self, allowed, &inner);
  if (inner != NULL)
    {
      g_propagate_error (error, inner);
      return FALSE;
    }
  return spec == NULL || leat_negotiation_set_output (negotiation, "out", spec, error);
}

static gboolean
leat_base_state_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatBaseState *self = LEAT_BASE_STATE (node);
  const LeatContents contents = leat_base_state_get_contents (self);
  LeatSpec *spec = leat_recorder_get_spec (recorder, leat_recorder_get_output (recorder, "out"));
  g_autoptr (GBytes) initial = NULL;

  if (self->path != NULL)
    initial = leat_contents_read (&contents, spec, error);
  else if (self->init != NULL)
    initial = leat_fill_new (spec, self->init, error);
  if (initial == NULL && self->init != NULL)
    leat_node_blame (node, "init");
  if (initial == NULL && (self->path != NULL || self->init != NULL))
    return FALSE;
  leat_recorder_set_output_state (recorder, "out", initial, self->scope == 0 ? LEAT_STATE_SESSION : LEAT_STATE_LANE);
  leat_recorder_delay (recorder, "in", "out");
  return TRUE;
}

static void
leat_base_state_class_init (LeatBaseStateClass *klass)
{
  LEAT_NODE_CLASS (klass)->negotiate = leat_base_state_negotiate;
  LEAT_NODE_CLASS (klass)->record = leat_base_state_record;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &leat_base_state_info);
}

static void
leat_base_state_init (LeatBaseState *self)
{
}
