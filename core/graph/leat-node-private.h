/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-changes-private.h"
#include "leat-node.h"
#include "leat-number-private.h"
#include "leat-plugin-private.h"
#include "leat-port-private.h"

G_BEGIN_DECLS

typedef struct _LeatNodeArg
{
  char *name;
  const char *type;           /* basic GVariant type string, or "f"; constant */
  const char *const *choices; /* of type "s": the words that it may be, of which `number` is the index; else NULL */
  char *blurb;
  gboolean is_set;
  gboolean is_initial; /* not set, and `number` is what its node's class gives it */
  LeatNumber number;   /* of its type */
  GVariant *value;     /* the same, from when somebody asks; NULL before */
  GQuark detail;       /* of the signal: its name */
  gboolean stale;      /* not added again so far in the prepare () that runs */
} LeatNodeArg;

/* Where the file that a node was read from sets something on it.  It is written out only for messages. */
typedef struct
{
  char *name;
  char *file; /* a GRefString that all share */
  guint line, column;
} LeatNodePlace;

typedef struct
{
  char *name;
  char *base_path;
  char *origin;           /* (nullable): the place in a file where the node is written, "a.leat:12:7" */
  GArray *places;         /* LeatNodePlace, (nullable): the same for what is set on it */
  char *blamed;           /* (nullable): what of it the error at hand is about */
  LeatPipeline *pipeline; /* takes the pointer back when it goes */
  LeatGroup *group;       /* (nullable): in whose body it is; not owned */
  GPtrArray *ports;       /* LeatPort, inputs first */
  GPtrArray *args;        /* LeatNodeArg */
  GPtrArray *given;       /* LeatProp: those that were set, be it to their defaults */
  gboolean is_noted;      /* in the list of LeatChanges, and under its lock */
  gboolean dirty;
  gboolean preparing;
  GError *prepare_error; /* of add_port (), which has no error of its own */
} LeatNodePrivate;

/* Where its fields are in an object, and the signal of its arguments; both are set with the type. */
extern gint leat_node_private_offset;
extern guint leat_node_arg_changed_signal;
LeatNodePrivate *leat_node_get_private (LeatNode *self);

/* From leat-node-class.c: the class's side of described properties. */
void leat_node_class_install_vfuncs (LeatNodeClass *klass);
void leat_node_init_fields (LeatNode *self, LeatNodeClass *klass);
void leat_node_clear_fields (LeatNode *self);
const LeatProp *leat_node_find_prop (LeatNode *self, const char *name);

/* From leat-node-port.c */
void leat_node_init_ports (LeatNode *self, LeatNodeClass *klass);
GPtrArray *leat_node_get_ports (LeatNode *self);
LeatPort *leat_node_peek_port (LeatNode *self, const char *name);
void leat_node_drop_stale_ports (LeatNode *self);

/* From leat-node-arg.c */
void leat_node_arg_free (LeatNodeArg *arg);
/* @detail: the name as a quark */
void leat_node_emit_arg_changed (LeatNode *self, GQuark detail);
LeatNodeArg *leat_node_peek_arg (LeatNode *self, const char *name);
void leat_node_drop_stale_args (LeatNode *self);

/* From leat-node-place.c */
void leat_node_set_origin (LeatNode *self, const char *origin);
/* (nullable) */
const char *leat_node_get_origin (LeatNode *self);
/* Where @name is set: a property, an argument or a port. */
void leat_node_set_place (LeatNode *self, const char *name, GRefString *file, guint line, guint column);
/* (nullable) */
const char *leat_node_get_blamed (LeatNode *self);
/* The node that errors are told of: for an end of a body, that of the body. */
LeatNode *leat_node_get_told (LeatNode *self);
/* Puts the place of what is to blame, or the origin, where there is one, in front of the message. */
void leat_node_prefix_origin (LeatNode *self, GError **error);
/* Puts the origin and the title in front of the message. */
void leat_node_prefix_error (LeatNode *self, GError **error);

/* From leat-node-value.c */
/* The number of `name` among the class's properties; those that a description brings come after it. */
#define LEAT_NODE_PROP_NAME 1
/* GObject takes the accessors away from each new class. */
void leat_node_class_install_accessors (GObjectClass *klass);
/* BUSY */
gboolean leat_node_check_may_set (LeatNode *self, const LeatProp *prop, GError **error);
/* @value: one that the property can have; @pspec: its own */
void leat_node_put_prop (LeatNode *self, GParamSpec *pspec, const LeatProp *prop, const GValue *value);
/* Exchanges the value of a property with that of @change. */
void leat_node_swap_prop (LeatNode *self, LeatPropChange *change);

/* From leat-node.c */
void leat_node_set_pipeline (LeatNode *self, LeatPipeline *pipeline);
void leat_node_rename (LeatNode *self, const char *name);
/* For the property: warns of a node in a pipeline. */
void leat_node_set_name_property (LeatNode *self, const char *name);
const char *leat_node_get_label (LeatNode *self);
/* `image:blur "b0"` for the beginning of a message */
char *leat_node_dup_title (LeatNode *self);
gboolean leat_node_is_frozen (LeatNode *self);
/* BUSY: `cannot @verb "@what" of ...` */
gboolean leat_node_check_idle (LeatNode *self, const char *verb, const char *what, GError **error);
/* Of the changes to the node's pipeline; nothing where it is in none.  They nest. */
void leat_node_lock (LeatNode *self);
void leat_node_unlock (LeatNode *self);
gboolean leat_node_was_given (LeatNode *self, const LeatProp *prop);
/* Text around node names in pipelines */
gboolean leat_node_name_is_valid (const char *name);

/* Calls negotiate () with what the inputs' links bring and enters the fixed specs of all ports.  SPEC. @names: room for
 * the names in the specs of a node and their values, as in leat_spec_bind () */
gboolean leat_node_negotiate (LeatNode *self, GHashTable *names, GError **error);

G_END_DECLS
