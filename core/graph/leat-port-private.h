/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-port.h"

G_BEGIN_DECLS

struct _LeatPort
{
  GObject parent_instance;

  LeatNode *node; /* owns the port; NULL once it is gone */
  char *name;
  char *blurb;
  LeatDirection direction;
  guint flags;
  gboolean stale;       /* dynamic, and not added again so far in the prepare () that runs */
  LeatSpec *base;       /* as the node declares it */
  LeatSpec *constraint; /* (nullable): as the user narrowed it */
  LeatSpec *accepted;   /* both */
  LeatSpec *spec;       /* (nullable): fixed, once planned */
  LeatPort *peer;       /* of an input */
  GPtrArray *peers;     /* of an output; the inputs are not owned */
  gboolean grows;       /* of an output, while it is planned: its leading bound is only where it begins, */
  guint64 room;         /* and this is what a session has made of it since then; 0: nothing */
};

LeatPort *leat_port_new (LeatNode *node, const char *name, LeatDirection direction, guint flags, LeatSpec *base,
                         const char *blurb);
/* A dynamic port declared again: keeps links and constraint.  SPEC when the constraint has become impossible. */
gboolean leat_port_redeclare (LeatPort *self, guint flags, LeatSpec *base, const char *blurb, GError **error);
void leat_port_set_spec (LeatPort *self, LeatSpec *spec);
const char *leat_port_get_blurb (LeatPort *self);
/* "node.port (id)" for messages */
char *leat_port_dup_label (LeatPort *self);
/* Would a link between the two agree on where the data is, and what?  RESIDENCE, SPEC. */
gboolean leat_port_check_residence (LeatPort *self, LeatPort *input, GError **error);
gboolean leat_port_check_specs (LeatPort *self, LeatPort *input, GError **error);
void leat_port_unlink_all (LeatPort *self);
/* The node goes, or drops the port. */
void leat_port_detach (LeatPort *self);
/* What it accepts, of @base: NULL for @constraint is no limit. */
gboolean leat_port_narrow (LeatPort *self, LeatSpec *base, LeatSpec *constraint, GError **error);

G_END_DECLS
