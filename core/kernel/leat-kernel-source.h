/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include <gio/gio.h>

G_BEGIN_DECLS

/* Text half of kernel/: needs no device, no compiler.  See docs/kernels.md for the conventions. */

#define LEAT_KERNEL_ERROR (leat_kernel_error_quark ())

typedef enum
{
  LEAT_KERNEL_ERROR_FAILED,
  LEAT_KERNEL_ERROR_SOURCE,    /* file missing or unreadable, include not found */
  LEAT_KERNEL_ERROR_SYNTAX,    /* the scanner cannot follow the text: file:line:column */
  LEAT_KERNEL_ERROR_ENTRY,     /* no __global__ function of that name; near names in the message */
  LEAT_KERNEL_ERROR_PROTOTYPE, /* a parameter that cannot be bound */
  LEAT_KERNEL_ERROR_COMPILER,  /* no compiler for the target on this machine */
  LEAT_KERNEL_ERROR_COMPILE,   /* the compiler's message, with the user's file and line */
  LEAT_KERNEL_ERROR_CACHE,
} LeatKernelError;

GQuark leat_kernel_error_quark (void);

typedef enum
{
  LEAT_PARAM_INPUT,        /* const T *name */
  LEAT_PARAM_OUTPUT,       /* T *name */
  LEAT_PARAM_SCALAR,       /* T name: an argument */
  LEAT_PARAM_INPUT_COUNT,  /* integer <input>_count: the T that are live; the wrapper takes (const uint64_t *where,
                            * uint64_t value, uint64_t most, uint64_t *over): where ? MIN (*where, most) * value : value;
                            * a *where above most is written to over, where that is not NULL */
  LEAT_PARAM_OUTPUT_COUNT, /* uint64_t *<output>_count */
  LEAT_PARAM_CAPACITY,     /* integer <port>_capacity */
  LEAT_PARAM_DIM,          /* integer <port>_dimN */
} LeatParamKind;

typedef struct
{
  LeatParamKind kind;
  char *name;
  char *port;       /* the port it belongs to (INPUT and OUTPUT: itself); NULL for SCALAR */
  guint dim;        /* DIM */
  char *type;       /* as written, without const and * : "float", "uint64_t", "float4" */
  char *dtype;      /* "f32" where it is one of Leat's, else NULL */
  gsize item_bytes; /* bytes of one T (float4: 16; lanes: 4) */
  guint item_lanes; /* dtype items in one T: 4 for float4, else 1 */
  guint line, column;
  guint reads_line; /* OUTPUT: the line where the kernel first takes what the port held before; 0 where it does not */
  gboolean is_bool; /* bytes that hold 0 or 1 alone */
} LeatParam;

/* The parameters of one __global__ function, in order. */
typedef struct
{
  char *entry;
  LeatParam *params;
  guint n_params;
  char *comment; /* the comment right before it, or NULL */
  guint line;
  guint n_axes;   /* 1; 2 where it asks for threadIdx.y or blockIdx.y; 3 where it asks for z */
  guint block[3]; /* threads of a block that suit it: 256, 16x16 where it asks for threadIdx.y, 8x8x4 for z */
  gboolean has_dynamic_shared; /* `extern __shared__` */
} LeatPrototype;

#define LEAT_TYPE_KERNEL_SOURCE (leat_kernel_source_get_type ())
/* A `.cu` text with its local includes inlined; immutable, reference-counted. */
typedef struct _LeatKernelSource LeatKernelSource;
GType leat_kernel_source_get_type (void) G_GNUC_CONST;

LeatKernelSource *leat_kernel_source_new_from_file (const char *path, GError **error);
/* @name stands in messages. */
LeatKernelSource *leat_kernel_source_new (const char *name, const char *text, GError **error);
LeatKernelSource *leat_kernel_source_ref (LeatKernelSource *self);
void leat_kernel_source_unref (LeatKernelSource *self);
const char *leat_kernel_source_get_name (LeatKernelSource *self);
/* TRUE (default): no contraction; part of the image's key. Set before first use. */
void leat_kernel_source_set_strict (LeatKernelSource *self, gboolean strict);
char **leat_kernel_source_list_entries (LeatKernelSource *self); /* (transfer full) */
/* With entry NULL: the only one, or ENTRY naming them. Owned by the source. */
const LeatPrototype *leat_kernel_source_get_prototype (LeatKernelSource *self, const char *entry, GError **error);
/* Things worth saying that are not errors (a spin without __nanosleep): NULL-terminated "file:line:col: text". */
const char *const *leat_kernel_source_list_warnings (LeatKernelSource *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatKernelSource, leat_kernel_source_unref)

G_END_DECLS
