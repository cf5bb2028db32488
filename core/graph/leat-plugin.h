/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "leat-types.h"

G_BEGIN_DECLS

/* What a plugin says about itself: constant data, no code.  The scan helper reads it, the registry caches it, class
 * set-up installs the properties from it.  Every struct begins with its size, so that it can grow. */

#define LEAT_PLUGIN_ABI 1
#define LEAT_PLUGIN_SYMBOL "leat_plugin"

/**
 * LeatPropType:
 *
 * Type of a property.  BYTES is a 64-bit size that may be written with K, M or G; PATH a file name, relative to the
 * pipeline file that sets it; CHOICE one of a list of words.
 */
typedef enum {
  LEAT_PROP_BOOL,   /* gboolean */
  LEAT_PROP_INT,    /* gint64 */
  LEAT_PROP_UINT,   /* guint64 */
  LEAT_PROP_BYTES,  /* guint64 */
  LEAT_PROP_DOUBLE, /* gdouble */
  LEAT_PROP_STRING, /* char* */
  LEAT_PROP_PATH,   /* char* */
  LEAT_PROP_CHOICE, /* int, index into choices */
} LeatPropType;

typedef enum {
  LEAT_PROP_REQUIRED = 1 << 0, /* has no default */
  LEAT_PROP_LIVE = 1 << 1,     /* may change while a session is open */
} LeatPropFlags;

typedef union {
  gint64 i;
  guint64 u;
  gdouble d;
  const char *s;
} LeatPropValue;

/* One property; @offset is the field's place in the instance struct (types as listed above). */
typedef struct {
  gsize size;
  const char *name;
  LeatPropType type;
  guint flags;
  gsize offset;
  LeatPropValue def, min, max;
  const char *const *choices; /* NULL-terminated, for CHOICE */
  const char *blurb;
} LeatProp;

typedef enum { LEAT_PORT_INPUT, LEAT_PORT_OUTPUT } LeatDirection;

typedef enum {
  LEAT_PORT_OPTIONAL = 1 << 0, /* may stay unlinked */
  LEAT_PORT_HOST = 1 << 1,     /* data in host memory */
  LEAT_PORT_ANYWHERE = 1 << 2, /* takes host and device memory */
  LEAT_PORT_DYNAMIC = 1 << 3,  /* made from a property at run time */
} LeatPortFlags;

typedef struct {
  gsize size;
  const char *name;
  LeatDirection direction;
  guint flags;
  const char *spec; /* as leat_spec_parse () reads it: "any", "u8[<=n]", "f32[h,w]" */
  const char *blurb;
} LeatPortInfo;

typedef struct {
  gsize size;
  const char *id;             /* "text:scan" */
  const char *const *aliases; /* NULL-terminated or NULL */
  const char *summary;        /* one line */
  const char *description;    /* paragraphs, with one example */
  const LeatProp *props;
  guint n_props;
  const LeatPortInfo *ports;
  guint n_ports;
  GType (*get_type) (void);
} LeatNodeInfo;

typedef struct {
  gsize size;
  guint abi; /* LEAT_PLUGIN_ABI */
  const char *name;
  const char *version;
  const char *license;
  const LeatNodeInfo *const *nodes;
  guint n_nodes;
} LeatPluginInfo;

/* In a plugin's plugin.c:
 *   LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = { sizeof (LeatPluginInfo), LEAT_PLUGIN_ABI, ... }; */
#define LEAT_PLUGIN_EXPORT __attribute__ ((visibility ("default"))) extern const LeatPluginInfo leat_plugin; \
  __attribute__ ((visibility ("default")))

G_END_DECLS
