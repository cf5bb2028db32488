/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The node `kernel`: a __global__ function of the user's own.  Ports and arguments are those of its prototype. */

#include "leat-base-kernel.h"

#include "leat-base-block.h"
#include "leat-base-call.h"
#include "leat-base-geometry.h"
#include "leat-base-kernel-check.h"
#include "leat-base-variables.h"

#include <string.h>

struct _LeatBaseKernel
{
  LeatNode parent_instance;

  char *source_path;
  char *entry;
  char *defines;
  char *block;
  char *grid;
  char *clear;
  char *update;
  char *variables;
  guint64 shared;
  gboolean cooperative;
  char *fp;
  char *access;
  char *queue;
  char *keep;
  int scope;
  int overflow;
  int on_overflow;
  double patience;

  LeatKernelSource *source;
  const LeatPrototype *prototype;
  char *loaded_path; /* what `source` was made from */
  char *loaded_entry;
  char *loaded_defines;
  char *loaded_update, *loaded_clear, *loaded_variables;
  char **updated; /* outputs that it changes */
  char *loaded_fp;
};

G_DEFINE_FINAL_TYPE (LeatBaseKernel, leat_base_kernel, LEAT_TYPE_NODE)

static const char *const scope_choices[] = { "session", "lane", NULL };
static const char *const overflow_choices[] = { "error", "warn", NULL };
static const char *const on_overflow_choices[] = { "error", "grow", NULL };

static const LeatProp props[] = {
  { sizeof (LeatProp), "source", LEAT_PROP_PATH, LEAT_PROP_REQUIRED, offsetof (LeatBaseKernel, source_path),
    .blurb = "CUDA C file with the kernel; or PTX, a cubin or a fatbin, for GPUs only" },
  { sizeof (LeatProp), "entry", LEAT_PROP_STRING, 0, offsetof (LeatBaseKernel, entry),
    .blurb = "Name of the __global__ function; needed if the file has several.  If several have the name, with the "
             "types of its parameters: \"k(const float *, int)\".  For PTX, cubins and fatbins always its prototype, "
             "such as \"k(const f32 *x, f32 *y, u32 n)\"" },
  { sizeof (LeatProp), "defines", LEAT_PROP_STRING, 0, offsetof (LeatBaseKernel, defines),
    .blurb = "Macros to define for the file, separated by commas, such as USE_DOUBLE,N=16; NAME "
             "alone is 1" },
  { sizeof (LeatProp), "block", LEAT_PROP_STRING, 0, offsetof (LeatBaseKernel, block), .def.s = "auto",
    .blurb = "Threads of a block, such as 256, 16x16 or 8x8x4; auto: 256, or 16x16 for a kernel "
             "that uses threadIdx.y, or 8x8x4 for threadIdx.z; measured: the fastest of several, which "
             "the first run finds out" },
  { sizeof (LeatProp), "grid", LEAT_PROP_STRING, 0, offsetof (LeatBaseKernel, grid), .def.s = "auto",
    .blurb = "Blocks of the grid; auto: a thread for each item of the first output; items:PORT: a "
             "thread for each item of that port; 120x4: that many blocks; occupancy: as many "
             "blocks as run at once.  With a block of two or three axes, the threads cover the "
             "first two or three dimensions" },
  { sizeof (LeatProp), "clear", LEAT_PROP_STRING, 0, offsetof (LeatBaseKernel, clear),
    .blurb = "Outputs to fill with zero bytes before each launch, separated by commas; the others "
             "hold any data then" },
  { sizeof (LeatProp), "update", LEAT_PROP_STRING, 0, offsetof (LeatBaseKernel, update),
    .blurb = "Outputs that the kernel changes in place, separated by commas.  Each has an input "
             "NAME_in, whose data the output holds before the launch; the two share memory unless "
             "another node reads that data" },
  { sizeof (LeatProp), "variables", LEAT_PROP_STRING, 0, offsetof (LeatBaseKernel, variables),
    .blurb = "Values of __constant__ and __device__ variables of the file that have no "
             "initialiser, separated by commas: NAME=NUMBER, or NAME=FILE with an .npy file or "
             "raw bytes" },
  { sizeof (LeatProp), "shared", LEAT_PROP_BYTES, 0, offsetof (LeatBaseKernel, shared), .max.u = G_MAXUINT32,
    .blurb = "Dynamic shared memory of a block; a kernel with extern __shared__ needs it" },
  { sizeof (LeatProp), "cooperative", LEAT_PROP_BOOL, 0, offsetof (LeatBaseKernel, cooperative),
    .blurb = "true: all blocks run at once, so that they may wait for each other" },
  { sizeof (LeatProp), "fp", LEAT_PROP_STRING, 0, offsetof (LeatBaseKernel, fp), .def.s = "strict",
    .blurb = "Freedoms of the compiler with floating point, separated by commas.  strict: none, the same "
             "bytes on every device; fast or contract: a multiplication and an addition may become one "
             "operation; and on GPUs flush, div, sqrt, intrinsics; all: all of these" },
  { sizeof (LeatProp), "access", LEAT_PROP_STRING, 0, offsetof (LeatBaseKernel, access), .def.s = "any",
    .blurb = "Which items an output item depends on, for fusing.  any: any items; elementwise: "
             "items with the same number, in the same thread; block: items that blocks with the "
             "same number wrote; stencil:N: items up to N away" },
  { sizeof (LeatProp), "queue", LEAT_PROP_STRING, 0, offsetof (LeatBaseKernel, queue),
    .blurb = "Items that the kernel's work queues (LeatQueue<T>) have room for: 4096 for each "
             "queue, or work:4096 for one, separated by commas.  Without it, 65536" },
  { sizeof (LeatProp), "keep", LEAT_PROP_STRING, 0, offsetof (LeatBaseKernel, keep),
    .blurb = "Work queues whose items stay from run to run, separated by commas; the others are "
             "empty when a run begins" },
  { sizeof (LeatProp), "scope", LEAT_PROP_CHOICE, 0, offsetof (LeatBaseKernel, scope), .choices = scope_choices,
    .blurb = "For work queues that are kept; session: one queue for all runs, in their order; "
             "lane: one queue for each lane" },
  { sizeof (LeatProp), "overflow", LEAT_PROP_CHOICE, 0, offsetof (LeatBaseKernel, overflow),
    .choices = overflow_choices,
    .blurb = "If a work queue has no room for an item; error: the run fails; warn: a warning "
             "tells of it" },
  { sizeof (LeatProp), "on-overflow", LEAT_PROP_CHOICE, 0, offsetof (LeatBaseKernel, on_overflow),
    .choices = on_overflow_choices,
    .blurb = "If the kernel counts more items than an output has room for; error: the run fails; "
             "grow: the session makes room and does the run again" },
  { sizeof (LeatProp), "patience", LEAT_PROP_DOUBLE, 0, offsetof (LeatBaseKernel, patience), .def.d = 10,
    .max.d = 86400,
    .blurb = "Seconds that the kernel waits at a work queue at which no item is claimed or "
             "finished, before the run fails; 0: for ever" },
};

const LeatNodeInfo leat_base_kernel_info = {
  sizeof (LeatNodeInfo),
  "kernel",
  NULL,
  "Runs a CUDA kernel of your own",
  "Takes a __global__ function from a CUDA C file.  Its prototype is the binding: `const T *name` is an input port, "
  "`T *name` an output port, a scalar an argument that is set like a property.  `uint64_t name_count` is how many "
  "items the input `name` has, `uint64_t *name_count` is where the kernel says how many it gave, `name_capacity` and "
  "`name_dim0` and on are sizes.\n\n"
  "An output has the shape of the first input unless its spec is set: `out=f32[h,w]`, with names that the inputs bind "
  "(`in=u8[h,w,3]`).\n\n"
  "Outputs are not cleared: before a launch they hold anything, unless `clear=` names them.  A kernel that adds to an "
  "output (`hist[i]++`, `atomicAdd`) needs `clear=hist`.\n\n"
  "With `grid=auto` a block of one axis covers all items of the first output; a block of two covers its first two "
  "dimensions, y the first and x the second, and leaves what is behind them to the thread: `block=16x16` on "
  "u8[400,600,3] runs 38x25 blocks.  A block of three covers the first three, z the first.\n\n"
  "`LeatQueue<T> name` is a queue of work items, which the kernel pushes and claims.\n\n"
  "`cudaTextureObject_t name` is an input, and `cudaSurfaceObject_t name` an output if the kernel writes it.  "
  "`name.filter=linear`, `name.address=border` and the like say how a texture is read.\n\n"
  "Example: kernel source=edges.cu entry=gray rgb=u8[h,w,3] out=f32[h,w]",
  props,
  G_N_ELEMENTS (props),
  NULL, /* the prototype's */
  0,
  leat_base_kernel_get_type,
};

static gboolean
leat_base_kernel_is_loaded (LeatBaseKernel *self, const char *path)
{
  return self->source != NULL && g_strcmp0 (self->loaded_path, path) == 0
         && g_strcmp0 (self->loaded_defines, self->defines) == 0 && g_strcmp0 (self->loaded_entry, self->entry) == 0
         && g_strcmp0 (self->loaded_update, self->update) == 0 && g_strcmp0 (self->loaded_clear, self->clear) == 0
         && g_strcmp0 (self->loaded_variables, self->variables) == 0 && g_strcmp0 (self->loaded_fp, self->fp) == 0;
}

/* Which property is wrong, or would be if anything was. */
static const char *
leat_base_kernel_get_suspect (LeatBaseKernel *self, LeatKernelSource *source, const LeatPrototype *prototype)
{
  if (prototype != NULL && self->update != NULL)
    return "update";
  return source != NULL && self->entry != NULL ? "entry" : "source";
}

/* What a compiler would be told is too late for a kernel that comes compiled. @source: (transfer full) (nullable) */
static LeatKernelSource *
leat_base_kernel_take_image (LeatBaseKernel *self, LeatKernelSource *source, GError **error)
{
  const struct
  {
    const char *name, *value;
  } rows[] = { { "defines", self->defines },
               { "variables", self->variables },
               { "fp", g_str_equal (self->fp, "strict") ? NULL : self->fp } };

  leat_node_blame (LEAT_NODE (self), "entry");
  for (guint i = 0; source != NULL && i < G_N_ELEMENTS (rows); i++)
    {
      if (rows[i].value == NULL)
        continue;
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
                   "%s=%s: %s came compiled, so this has no effect any more; leave it out, and compile the file so",
                   rows[i].name, rows[i].value, leat_kernel_source_get_name (source));
      leat_node_blame (LEAT_NODE (self), rows[i].name);
      g_clear_pointer (&source, leat_kernel_source_unref);
    }
  return source;
}

/* (transfer full) */
static LeatKernelSource *
leat_base_kernel_read (LeatBaseKernel *self, const char *path, GError **error)
{
  g_auto (GStrv) defines = self->defines != NULL ? leat_kernel_split_defines (self->defines) : NULL;
  LeatKernelSource *source;
  LeatFloatFlags floats;
  gboolean is_image = FALSE;

  if (!leat_float_flags_parse (self->fp, &floats, error))
    {
      leat_node_blame (LEAT_NODE (self), "fp");
      return NULL;
    }
  source = leat_kernel_source_new_from_image (path, self->entry, &is_image, error);
  if (is_image)
    return leat_base_kernel_take_image (self, source, error);
  source = leat_kernel_source_new_shared_with_floats (path, (const char *const *) defines, floats, error);
  if (source != NULL)
    {
      leat_node_blame (LEAT_NODE (self), "entry");
      source = leat_kernel_source_take_entry (source, self->entry, error);
      if (source == NULL)
        return NULL;
    }
  leat_node_blame (LEAT_NODE (self), source != NULL && self->variables != NULL ? "variables" : "source");
  if (source != NULL && self->variables != NULL)
    source = leat_variables_fill (LEAT_NODE (self), source, self->variables, error);
  return source;
}

static gboolean
leat_base_kernel_load (LeatBaseKernel *self, const char *path, GError **error)
{
  g_autoptr (LeatKernelSource) source = leat_base_kernel_read (self, path, error);
  gboolean is_image = source != NULL && leat_kernel_source_is_image (source);
  const LeatPrototype *prototype =
    source != NULL ? leat_kernel_source_get_prototype (source, is_image ? NULL : self->entry, error) : NULL;
  g_auto (GStrv) updated = NULL;

  if (source != NULL)
    leat_node_blame (LEAT_NODE (self), leat_base_kernel_get_suspect (self, source, prototype));
  if (prototype == NULL || !leat_kernel_check_update (prototype, self->update, self->clear, &updated, error))
    return FALSE;
  g_strfreev (self->updated);
  self->updated = g_steal_pointer (&updated);
  g_free (self->loaded_update);
  self->loaded_update = g_strdup (self->update);
  g_free (self->loaded_clear);
  self->loaded_clear = g_strdup (self->clear);
  g_free (self->loaded_variables);
  self->loaded_variables = g_strdup (self->variables);
  g_clear_pointer (&self->source, leat_kernel_source_unref);
  self->source = g_steal_pointer (&source);
  self->prototype = prototype;
  g_free (self->loaded_path);
  self->loaded_path = g_strdup (path);
  g_free (self->loaded_entry);
  self->loaded_entry = g_strdup (self->entry);
  g_free (self->loaded_defines);
  self->loaded_defines = g_strdup (self->defines);
  g_free (self->loaded_fp);
  self->loaded_fp = g_strdup (self->fp);
  return TRUE;
}

static gboolean
leat_base_kernel_prepare (LeatNode *node, GError **error)
{
  LeatBaseKernel *self = LEAT_BASE_KERNEL (node);
  g_autofree char *path = leat_node_dup_path (node, "source");

  if (path == NULL)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING, "set source=FILE.cu");
      return FALSE;
    }
  if (leat_base_kernel_is_loaded (self, path))
    return TRUE;
  if (!leat_base_kernel_load (self, path, error))
    return FALSE;
  leat_call_expose (node, self->prototype, (const char *const *) self->updated);
  return TRUE;
}

static gboolean
leat_base_kernel_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatBaseKernel *self = LEAT_BASE_KERNEL (node);

  return leat_call_negotiate (node, self->prototype, (const char *const *) self->updated, self->on_overflow == 1,
                              negotiation, error);
}

static gboolean
leat_base_kernel_refuse (LeatBaseKernel *self, const char *property, const char *value, const char *wanted,
                         GError **error)
{
  if (leat_geometry_is_too_large (value))
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
                 "%s=%s: too many; an axis has at most %s, and a device may allow less", property, value,
                 g_str_equal (property, "grid") ? "2147483647 blocks" : "1024 threads");
  else
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE, "%s=%s: expected %s", property, value, wanted);
  leat_node_blame (LEAT_NODE (self), property);
  return FALSE;
}

/* Clusters have all their blocks, so those at the edge may have blocks without work. */
static void
leat_base_kernel_fill_clusters (LeatBaseKernel *self, LeatKernelCall *call)
{
  for (guint axis = 0; axis < 3; axis++)
    {
      guint size = MAX (self->prototype->cluster[axis], 1), rest = call->grid[axis] % size;

      if (rest > 0 && call->grid[axis] <= G_MAXINT32 - size)
        call->grid[axis] += size - rest;
    }
}

/* @threads: how many have something to do; left alone where the grid does not follow from data. */
static gboolean
leat_base_kernel_size_grid (LeatBaseKernel *self, LeatRecorder *recorder, guint n_axes, LeatKernelCall *call,
                            guint64 threads[3], GError **error)
{
  guint n_values;
  const char *port = NULL;

  call->grid_by_occupancy = g_str_equal (self->grid, "occupancy");
  if (call->grid_by_occupancy || leat_geometry_parse (self->grid, call->grid, &n_values))
    return TRUE;
  if (g_str_has_prefix (self->grid, "items:"))
    port = self->grid + strlen ("items:");
  else if (!g_str_equal (self->grid, "auto"))
    return leat_base_kernel_refuse (self, "grid", self->grid, "auto, items:PORT, occupancy, or blocks such as 120x4",
                                    error);
  if (leat_call_cover (LEAT_NODE (self), self->prototype, recorder, port, n_axes, threads, error)
      && leat_geometry_divide (threads, call->block, call->grid, error))
    {
      leat_base_kernel_fill_clusters (self, call);
      return TRUE;
    }
  leat_node_blame (LEAT_NODE (self), "grid");
  return FALSE;
}

static gboolean
leat_base_kernel_is_measured (LeatBaseKernel *self)
{
  return g_str_equal (self->block, "measured");
}

static gboolean
leat_base_kernel_choose_block (LeatBaseKernel *self, LeatKernelCall *call, guint *n_axes, GError **error)
{
  if (g_str_equal (self->block, "auto") || leat_base_kernel_is_measured (self))
    {
      *n_axes = self->prototype->n_axes;
      memcpy (call->block, self->prototype->block, sizeof call->block);
      return TRUE;
    }
  if (!leat_geometry_parse (self->block, call->block, n_axes))
    return leat_base_kernel_refuse (self, "block", self->block, "threads such as 256 or 16x16, or auto or measured",
                                    error);
  return TRUE;
}

static LeatQueueChoice
leat_base_kernel_get_queues (LeatBaseKernel *self)
{
  return (LeatQueueChoice){ .capacity = self->queue,
                            .keep = self->keep,
                            .scope = self->scope == 0 ? LEAT_STATE_SESSION : LEAT_STATE_LANE,
                            .loses = self->overflow == 1,
                            .patience = self->patience };
}

static gboolean
leat_base_kernel_check (LeatBaseKernel *self, const LeatKernelCall *call, char ***cleared, GError **error)
{
  const LeatQueueChoice queues = leat_base_kernel_get_queues (self);
  const char *property;

  if (!leat_kernel_source_check_filled (self->source, self->prototype->entry, error))
    leat_node_blame (LEAT_NODE (self), "variables");
  else if (!leat_kernel_check_clear (self->prototype, self->clear, cleared, error))
    leat_node_blame (LEAT_NODE (self), "clear");
  else if (!leat_kernel_check_launch (self->prototype, call, self->block, error))
    leat_node_blame (LEAT_NODE (self), self->prototype->has_dynamic_shared && self->shared == 0 ? "shared" : "block");
  else if (!leat_queue_check (&queues, self->prototype, &property, error))
    leat_node_blame (LEAT_NODE (self), property);
  else
    return TRUE;
  return FALSE;
}

static gboolean
leat_base_kernel_check_grid (LeatBaseKernel *self, const LeatKernelCall *call, GError **error)
{
  if (!leat_kernel_check_clusters (self->prototype, call, error))
    {
      leat_node_blame (LEAT_NODE (self), "grid");
      return FALSE;
    }
  if (leat_kernel_check_grid (self->prototype, call, error))
    return TRUE;
  leat_node_blame (LEAT_NODE (self), "cooperative");
  return FALSE;
}

static gboolean
leat_base_kernel_choose_pattern (LeatBaseKernel *self, LeatKernelCall *call, GError **error)
{
  const char *reach = g_str_has_prefix (self->access, "stencil:") ? self->access + strlen ("stencil:") : NULL;

  if (g_str_equal (self->access, "elementwise"))
    call->pattern = LEAT_PATTERN_ELEMENTWISE;
  else if (g_str_equal (self->access, "block"))
    call->pattern = LEAT_PATTERN_BLOCK;
  else if (reach != NULL && g_ascii_string_to_unsigned (reach, 10, 0, G_MAXUINT32, &call->reach, NULL))
    call->pattern = LEAT_PATTERN_STENCIL;
  else if (!g_str_equal (self->access, "any"))
    {
      leat_node_blame (LEAT_NODE (self), "access");
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE,
                   "access=%s: it is any, elementwise, block or stencil:N, as in stencil:2", self->access);
      return FALSE;
    }
  return TRUE;
}

static gboolean
leat_base_kernel_offer_blocks (LeatBaseKernel *self, LeatKernelCall *call, const guint64 threads[3],
                               LeatBlockChoice *choices, GError **error)
{
  if (!leat_base_kernel_is_measured (self)
      || leat_block_offer (call, self->prototype, self->grid, threads, choices, error))
    return TRUE;
  leat_node_blame (LEAT_NODE (self), "block");
  return FALSE;
}

static gboolean
leat_base_kernel_check_counts (LeatBaseKernel *self, LeatRecorder *recorder, GError **error)
{
  if (!leat_kernel_source_is_image (self->source) || leat_kernel_check_image (self->prototype, recorder, error))
    return TRUE;
  leat_node_blame (LEAT_NODE (self), "source");
  return FALSE;
}

static gboolean
leat_base_kernel_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatBaseKernel *self = LEAT_BASE_KERNEL (node);
  LeatKernelCall call = { .source = self->source,
                          .entry = self->prototype->entry,
                          .shared_bytes = (guint) self->shared,
                          .cooperative = self->cooperative };
  const LeatQueueChoice queues = leat_base_kernel_get_queues (self);
  g_auto (GStrv) cleared = NULL;
  LeatBlockChoice choices[LEAT_BLOCK_MOST_CHOICES];
  guint64 threads[3] = { 0, 1, 1 };
  guint n_axes;

  if (!leat_base_kernel_choose_block (self, &call, &n_axes, error)
      || !leat_base_kernel_choose_pattern (self, &call, error) || !leat_base_kernel_check (self, &call, &cleared, error)
      || !leat_base_kernel_size_grid (self, recorder, n_axes, &call, threads, error)
      || !leat_base_kernel_check_grid (self, &call, error) || !leat_base_kernel_check_counts (self, recorder, error)
      || !leat_base_kernel_offer_blocks (self, &call, threads, choices, error)
      || !leat_call_record (node, self->prototype, recorder, &call, (const char *const *) cleared,
                            (const char *const *) self->updated, &queues, error))
    return FALSE;
  leat_kernel_warn_reads (self->prototype, self->source, (const char *const *) cleared,
                          (const char *const *) self->updated, recorder);
  leat_kernel_warn_axes (self->prototype, &call, recorder);
  leat_kernel_warn_sizes (node, self->prototype, threads[0] * threads[1] * threads[2], recorder);
  leat_kernel_warn_outputs (node, self->prototype, recorder);
  leat_kernel_warn_source (self->prototype, self->source, recorder);
  return TRUE;
}

static void
leat_base_kernel_finalize (GObject *object)
{
  LeatBaseKernel *self = LEAT_BASE_KERNEL (object);

  g_clear_pointer (&self->source, leat_kernel_source_unref);
  g_free (self->loaded_path);
  g_free (self->loaded_entry);
  g_free (self->loaded_defines);
  g_free (self->loaded_update);
  g_free (self->loaded_clear);
  g_free (self->loaded_variables);
  g_free (self->loaded_fp);
  g_strfreev (self->updated);
  G_OBJECT_CLASS (leat_base_kernel_parent_class)->finalize (object);
}

static void
leat_base_kernel_class_init (LeatBaseKernelClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_base_kernel_finalize;
  node_class->prepare = leat_base_kernel_prepare;
  node_class->negotiate = leat_base_kernel_negotiate;
  node_class->record = leat_base_kernel_record;
  leat_node_class_describe (node_class, &leat_base_kernel_info);
}

static void
leat_base_kernel_init (LeatBaseKernel *self)
{
}
