/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "leat-types.h"

G_BEGIN_DECLS

/* A plugin's description of itself: constant data, no code.  The scan helper reads it, the registry caches it, class
 * set-up installs the properties from it.  Every struct begins with its size, so that it can grow. */

/**
 * LEAT_PLUGIN_ABI: (skip)
 *
 * The version of the structs below; a plugin that was built for another one is not loaded.
 */
#define LEAT_PLUGIN_ABI 1
/**
 * LEAT_PLUGIN_SYMBOL: (skip)
 *
 * The name of the symbol that a plugin exports.
 */
#define LEAT_PLUGIN_SYMBOL "leat_plugin"

/**
 * LeatPropType: (skip)
 * @LEAT_PROP_BOOL: a `gboolean` field
 * @LEAT_PROP_INT: a `gint64` field
 * @LEAT_PROP_UINT: a `guint64` field
 * @LEAT_PROP_BYTES: a `guint64` field; a size that may be written with K, M or G
 * @LEAT_PROP_DOUBLE: a `gdouble` field
 * @LEAT_PROP_STRING: a `char *` field
 * @LEAT_PROP_PATH: a `char *` field; a file name, relative to the pipeline file that sets it
 * @LEAT_PROP_CHOICE: an `int` field; one of a list of words
 *
 * Type of a property, and of the field that holds it.
 */
typedef enum
{
  LEAT_PROP_BOOL,
  LEAT_PROP_INT,
  LEAT_PROP_UINT,
  LEAT_PROP_BYTES,
  LEAT_PROP_DOUBLE,
  LEAT_PROP_STRING,
  LEAT_PROP_PATH,
  LEAT_PROP_CHOICE,
} LeatPropType;

/**
 * LeatPropFlags: (skip)
 * @LEAT_PROP_REQUIRED: has no default; the pipeline is not complete without it
 * @LEAT_PROP_LIVE: has its new value at once, in the middle of a run too
 * @LEAT_PROP_REPLANS: of an endpoint, whose properties else cannot change while a session is open: it can take a new
 * value between two runs
 *
 * Flags of a property.
 */
typedef enum
{
  LEAT_PROP_REQUIRED = 1 << 0,
  LEAT_PROP_LIVE = 1 << 1,
  LEAT_PROP_REPLANS = 1 << 2,
} LeatPropFlags;

/**
 * LeatPropValue: (skip)
 * @i: for BOOL, INT and CHOICE
 * @u: for UINT and BYTES
 * @d: for DOUBLE
 * @s: for STRING and PATH
 *
 * A default or a limit.
 */
typedef union
{
  gint64 i;
  guint64 u;
  gdouble d;
  const char *s;
} LeatPropValue;

/**
 * LeatProp: (skip)
 * @size: `sizeof (LeatProp)`
 * @name: lower-case words with dashes between
 * @type: the type
 * @flags: #LeatPropFlags
 * @offset: the field's place in the instance struct
 * @def: the default
 * @min: the least value; with @max 0 as well there is no range
 * @max: the greatest value; none when it is below @min
 * @choices: (nullable): the words of a CHOICE, %NULL-terminated
 * @blurb: what it is for, in a few words
 *
 * One property of a node.
 */
typedef struct
{
  gsize size;
  const char *name;
  LeatPropType type;
  guint flags;
  gsize offset;
  LeatPropValue def, min, max;
  const char *const *choices;
  const char *blurb;
} LeatProp;

/**
 * LeatDirection:
 * @LEAT_PORT_INPUT: data comes in
 * @LEAT_PORT_OUTPUT: data goes out
 *
 * The direction of data through a port.
 */
typedef enum
{
  LEAT_PORT_INPUT,
  LEAT_PORT_OUTPUT
} LeatDirection;

/**
 * LeatPortFlags:
 * @LEAT_PORT_OPTIONAL: may stay unlinked
 * @LEAT_PORT_HOST: the data is in host memory, not in the device's
 * @LEAT_PORT_ANYWHERE: takes data in host memory and in the device's
 * @LEAT_PORT_DYNAMIC: made from a property at run time
 * @LEAT_PORT_DELAYED: what comes in is used in the next run only, so that a link to it closes no cycle
 * @LEAT_PORT_LATE: an output of a group, whose spec is stated when that of all in its body is known
 *
 * Flags of a port.
 */
typedef enum
{
  LEAT_PORT_OPTIONAL = 1 << 0,
  LEAT_PORT_HOST = 1 << 1,
  LEAT_PORT_ANYWHERE = 1 << 2,
  LEAT_PORT_DYNAMIC = 1 << 3,
  LEAT_PORT_DELAYED = 1 << 4,
  LEAT_PORT_LATE = 1 << 5,
} LeatPortFlags;

/**
 * LeatPortInfo: (skip)
 * @size: `sizeof (LeatPortInfo)`
 * @name: its own on the node
 * @direction: which way data goes
 * @flags: #LeatPortFlags
 * @spec: what it accepts, as leat_spec_parse() reads it: `any`, `u8[<=n]`, `f32[h,w]`
 * @blurb: what it is for, in a few words
 *
 * One port of a node.
 */
typedef struct
{
  gsize size;
  const char *name;
  LeatDirection direction;
  guint flags;
  const char *spec;
  const char *blurb;
} LeatPortInfo;

/**
 * LeatNodeInfo: (skip)
 * @size: `sizeof (LeatNodeInfo)`
 * @id: what it is made by, such as `text:scan`
 * @aliases: (nullable): other ids, %NULL-terminated
 * @summary: what it does, in one line
 * @description: paragraphs, with one example
 * @props: its properties
 * @n_props: how many
 * @ports: its ports
 * @n_ports: how many
 * @get_type: registers the class; %NULL in a description that was read without loading the plugin
 *
 * One kind of node.
 */
typedef struct
{
  gsize size;
  const char *id;
  const char *const *aliases;
  const char *summary;
  const char *description;
  const LeatProp *props;
  guint n_props;
  const LeatPortInfo *ports;
  guint n_ports;
  GType (*get_type) (void);
} LeatNodeInfo;

/**
 * LeatPluginInfo: (skip)
 * @size: `sizeof (LeatPluginInfo)`
 * @abi: %LEAT_PLUGIN_ABI
 * @name: the plugin's name
 * @version: its version
 * @license: its licence, as an SPDX expression
 * @nodes: its kinds of nodes
 * @n_nodes: how many
 *
 * The contents of a plugin; the one symbol that it exports, see %LEAT_PLUGIN_EXPORT.
 */
typedef struct
{
  gsize size;
  guint abi;
  const char *name;
  const char *version;
  const char *license;
  const LeatNodeInfo *const *nodes;
  guint n_nodes;
} LeatPluginInfo;

/**
 * LEAT_PLUGIN_EXPORT: (skip)
 *
 * Exports a plugin's description, in one of its files:
 * `LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = { sizeof (LeatPluginInfo), LEAT_PLUGIN_ABI, ... };`
 */
#define LEAT_PLUGIN_EXPORT                                                                                             \
  __attribute__ ((visibility ("default"))) extern const LeatPluginInfo leat_plugin;                                    \
  __attribute__ ((visibility ("default")))

G_END_DECLS
