/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include <gio/gio.h>

G_BEGIN_DECLS

/* Text half of kernel/: needs no device, no compiler.  See docs/guide/kernels.md for the conventions. */

#define LEAT_KERNEL_ERROR (leat_kernel_error_quark ())

/**
 * LeatKernelError:
 * @LEAT_KERNEL_ERROR_FAILED: none of the others
 * @LEAT_KERNEL_ERROR_SOURCE: a file, or one that it includes, is missing or cannot be read
 * @LEAT_KERNEL_ERROR_SYNTAX: the text cannot be followed; the message has file:line:column
 * @LEAT_KERNEL_ERROR_ENTRY: no kernel of that name, or several where none is named; the message has the names there are
 * @LEAT_KERNEL_ERROR_PROTOTYPE: a parameter that cannot become a port or an argument
 * @LEAT_KERNEL_ERROR_COMPILER: no compiler for the device on this machine
 * @LEAT_KERNEL_ERROR_COMPILE: the compiler refused the kernel; its words, with the file and line of the `.cu`
 * @LEAT_KERNEL_ERROR_CACHE: a compiled image could not be kept on disk or taken from there
 *
 * Errors between the text of a kernel and its compiled image.
 *
 * The first four come as soon as a source is read, without a compiler and without a device; the others when a session
 * opens.
 */
typedef enum
{
  LEAT_KERNEL_ERROR_FAILED,
  LEAT_KERNEL_ERROR_SOURCE,
  LEAT_KERNEL_ERROR_SYNTAX,
  LEAT_KERNEL_ERROR_ENTRY,
  LEAT_KERNEL_ERROR_PROTOTYPE,
  LEAT_KERNEL_ERROR_COMPILER,
  LEAT_KERNEL_ERROR_COMPILE,
  LEAT_KERNEL_ERROR_CACHE,
} LeatKernelError;

GQuark leat_kernel_error_quark (void);

/**
 * LeatParamKind:
 * @LEAT_PARAM_INPUT: `const T *name`: the items of an input port
 * @LEAT_PARAM_OUTPUT: `T *name`: the items of an output port
 * @LEAT_PARAM_SCALAR: `T name`: an argument of the node
 * @LEAT_PARAM_INPUT_COUNT: an integer `<input>_count`: how many items of that input are live
 * @LEAT_PARAM_OUTPUT_COUNT: `uint64_t *<output>_count`: where the kernel says how many items it gave
 * @LEAT_PARAM_CAPACITY: an integer `<port>_capacity`: how many items that port has room for
 * @LEAT_PARAM_DIM: an integer `<port>_dimN`: dimension N of that port's spec
 * @LEAT_PARAM_QUEUE: `LeatQueue<T> name`: a queue of work items on the device
 *
 * The meaning of a kernel's parameter, by its type and name.
 */
/* The wrapper of a kernel takes an INPUT_COUNT as (const uint64_t *where, uint64_t value, uint64_t most, uint64_t
 * *over) and gives the kernel where ? MIN (*where, most) * value : value; a *where above most is written to over, where
 * that is not NULL.  That of a kernel that reports takes one more behind all, a LeatReportBlock *
 * (leat-report-block.h), which may be NULL. */
typedef enum
{
  LEAT_PARAM_INPUT,
  LEAT_PARAM_OUTPUT,
  LEAT_PARAM_SCALAR,
  LEAT_PARAM_INPUT_COUNT,
  LEAT_PARAM_OUTPUT_COUNT,
  LEAT_PARAM_CAPACITY,
  LEAT_PARAM_DIM,
  LEAT_PARAM_QUEUE,
} LeatParamKind;

/**
 * LeatTextureForm:
 * @LEAT_TEXTURE_NONE: the parameter is neither a texture nor a surface
 * @LEAT_TEXTURE_OPEN: its kernel does not tell
 * @LEAT_TEXTURE_LINEAR: items one behind the other, which `tex1Dfetch()` reads
 * @LEAT_TEXTURE_1D: a row of texels
 * @LEAT_TEXTURE_2D: rows of texels
 * @LEAT_TEXTURE_3D: slices of rows of texels
 * @LEAT_TEXTURE_1D_LAYERED: several rows, each for itself
 * @LEAT_TEXTURE_2D_LAYERED: several images, each for itself
 *
 * The way in which a kernel sees the texels of a texture or a surface.
 *
 * Since: 0.1
 */
typedef enum
{
  LEAT_TEXTURE_NONE,
  LEAT_TEXTURE_OPEN,
  LEAT_TEXTURE_LINEAR,
  LEAT_TEXTURE_1D,
  LEAT_TEXTURE_2D,
  LEAT_TEXTURE_3D,
  LEAT_TEXTURE_1D_LAYERED,
  LEAT_TEXTURE_2D_LAYERED,
} LeatTextureForm;

const char *leat_texture_form_get_name (LeatTextureForm form);

/**
 * LeatParam:
 * @kind: what it stands for
 * @name: its name in the source
 * @port: (nullable): the port that it belongs to, for an input or an output itself; %NULL for a scalar
 * @dim: which dimension, for %LEAT_PARAM_DIM
 * @type: the type as it is written, without `const` and `*`: `float`, `uint64_t`, `float4`; of a queue that of its
 * items
 * @dtype: (nullable): Leat's name of that type, such as `f32`; of a structure its fields, `{x:f32,y:f32}`; %NULL where
 * it has none
 * @item_bytes: bytes of one value of @type: 16 for `float4`
 * @item_lanes: values of @dtype in one of @type: 4 for `float4`, else 1
 * @line: its line in the source, from 1
 * @column: its column there, from 1
 * @reads_line: for an output, the line where the kernel first reads what the port held before; 0 where it does not
 * @is_bool: whether it is `bool`, which holds 0 or 1 alone
 * @initial: (nullable): of a scalar, its default value as an argument of a node is written, if that can be read without
 * a compiler
 * @blurb: (nullable): of an output, why it is one and how an input is written
 * @form: of a texture or a surface, how its kernel sees the texels
 * @is_surface: whether it is a surface
 * @gathers: whether it is a texture that the kernel gives to `tex2Dgather()`
 * @texel_is_open: of a texture or a surface, whether the kernel does not tell how many numbers a texel has; else
 * @item_lanes does
 *
 * One parameter of a kernel. It and its texts belong to the source.
 */
typedef struct
{
  LeatParamKind kind;
  char *name;
  char *port;
  guint dim;
  char *type;
  char *dtype;
  gsize item_bytes;
  guint item_lanes;
  guint line, column;
  guint reads_line;
  gboolean is_bool;
  char *initial;
  char *blurb;
  LeatTextureForm form;
  gboolean is_surface;
  gboolean gathers;
  gboolean texel_is_open;
} LeatParam;

/**
 * LeatPrototype:
 * @entry: the kernel's name
 * @params: (array length=n_params): its parameters, in order
 * @n_params: how many
 * @comment: (nullable): the comment right before it
 * @line: its line in the source, from 1
 * @n_axes: axes that it uses: 2 where it asks for `threadIdx.y` or `blockIdx.y`, 3 where it asks for z, else 1
 * @block: threads of a block that suit it along x, y and z: 256 for one axis, 16x16 for two, 8x8x4 for three
 * @has_dynamic_shared: whether it has an `extern __shared__` array, whose size the launch says
 * @has_assembly: whether there is assembly (`asm`) in it or in what it calls, or what a header of the CUDA toolkit may
 *   have as such
 * @reports: whether it, or what it calls, may report (`leat_report ()`)
 * @syncs_grid: whether it, or what it calls, has a barrier of the whole grid (`leat_grid_sync ()`)
 * @cluster: blocks along x, y and z that its `__cluster_dims__` puts together; 1 where it does not say
 * @has_effects: whether it, or what it calls, prints, asserts, reads a clock, or uses a variable of the file that
 * kernels may change, so that a run can tell how often it was done
 * @launch_bounds: the threads of a block that its `__launch_bounds__` allows; 0 where it has none, or none that can be
 * read without a compiler
 *
 * A kernel as its callers see it. It belongs to the source.
 */
typedef struct
{
  char *entry;
  LeatParam *params;
  guint n_params;
  char *comment;
  guint line;
  guint n_axes;
  guint block[3];
  gboolean has_dynamic_shared;
  gboolean has_assembly;
  gboolean reports;
  gboolean syncs_grid;
  guint cluster[3];
  gboolean has_effects;
  guint launch_bounds;
} LeatPrototype;

/**
 * LeatKernelType: (skip)
 * @dtype: Leat's name of the type of one lane, such as `f32`
 * @lane_bytes: bytes of one lane
 * @lanes: lanes of one value: 4 for `float4`, else 1
 * @is_integer: whether lanes are integers
 * @is_bool: whether it is `bool`, which holds 0 or 1 alone
 *
 * The layout of a C type in memory.
 */
typedef struct
{
  const char *dtype;
  guint lane_bytes;
  guint lanes;
  gboolean is_integer;
  gboolean is_bool;
} LeatKernelType;

/**
 * LeatFloatFlags:
 * @LEAT_FLOATS_STRICT: nothing: each operation is rounded by itself, as the text says
 * @LEAT_FLOATS_CONTRACT: a product and a sum may be one operation, rounded once
 * @LEAT_FLOATS_FLUSH: numbers of `float` too small for full precision may be 0; GPUs alone
 * @LEAT_FLOATS_DIV: quotients of `float` may be wrong in the last bits; GPUs alone
 * @LEAT_FLOATS_SQRT: square roots of `float` may be wrong in the last bits; GPUs alone
 * @LEAT_FLOATS_INTRINSICS: functions such as `sinf` may be the device's fast ones; GPUs alone
 *
 * The freedoms of a compiler with floating point.
 *
 * All of them together are what `nvcc --use_fast_math` allows.
 *
 * Since: 0.1
 */
typedef enum /*< flags >*/
{
  LEAT_FLOATS_STRICT = 0,
  LEAT_FLOATS_CONTRACT = 1 << 0,
  LEAT_FLOATS_FLUSH = 1 << 1,
  LEAT_FLOATS_DIV = 1 << 2,
  LEAT_FLOATS_SQRT = 1 << 3,
  LEAT_FLOATS_INTRINSICS = 1 << 4,
} LeatFloatFlags;

gboolean leat_float_flags_parse (const char *text, LeatFloatFlags *flags, GError **error);

#define LEAT_TYPE_KERNEL_SOURCE (leat_kernel_source_get_type ())
/* A `.cu` text behind its preprocessor; immutable, reference-counted. */
typedef struct _LeatKernelSource LeatKernelSource;
GType leat_kernel_source_get_type (void) G_GNUC_CONST;

LeatKernelSource *leat_kernel_source_new_from_file (const char *path, GError **error);
/* @defines: NAME or NAME=VALUE, as of a compiler's -D. */
LeatKernelSource *leat_kernel_source_new_from_file_with_defines (const char *path, const char *const *defines,
                                                                 GError **error);
LeatKernelSource *leat_kernel_source_new_shared (const char *path, const char *const *defines, gboolean strict,
                                                 GError **error);
LeatKernelSource *leat_kernel_source_new_shared_with_floats (const char *path, const char *const *defines,
                                                             LeatFloatFlags floats, GError **error);
/* Kernels that come compiled. */
LeatKernelSource *leat_kernel_source_new_from_image (const char *path, const char *entry, gboolean *is_image,
                                                     GError **error);
gboolean leat_kernel_source_is_image (LeatKernelSource *self);
char **leat_kernel_split_defines (const char *list);
/* @name stands in messages. */
LeatKernelSource *leat_kernel_source_new (const char *name, const char *text, GError **error);
LeatKernelSource *leat_kernel_source_ref (LeatKernelSource *self);
void leat_kernel_source_unref (LeatKernelSource *self);
const char *leat_kernel_source_get_name (LeatKernelSource *self);
/* TRUE (default): no contraction; part of the image's key. Set before first use. */
void leat_kernel_source_set_strict (LeatKernelSource *self, gboolean strict);
void leat_kernel_source_set_floats (LeatKernelSource *self, LeatFloatFlags floats);
LeatFloatFlags leat_kernel_source_get_floats (LeatKernelSource *self);
char **leat_kernel_source_list_entries (LeatKernelSource *self); /* (transfer full) */
/* With entry NULL: the only one, or ENTRY naming them. Owned by the source. */
const LeatPrototype *leat_kernel_source_get_prototype (LeatKernelSource *self, const char *entry, GError **error);
/* Things worth saying that are not errors (a spin without __nanosleep): NULL-terminated "file:line:col: text". */
const char *const *leat_kernel_source_list_warnings (LeatKernelSource *self);
char **leat_kernel_source_list_entry_warnings (LeatKernelSource *self, const char *entry);
char *leat_kernel_source_dup_grid_wait (LeatKernelSource *self, const char *entry);
char *leat_kernel_source_dup_why_one_block (LeatKernelSource *self, const char *entry, gboolean *loops);

/* Variables at file scope that a CUDA program would fill. */
gboolean leat_kernel_source_find_variable (LeatKernelSource *self, const char *name, LeatKernelType *type,
                                           GError **error);
LeatKernelSource *leat_kernel_source_new_filled (LeatKernelSource *self, const char *name, gconstpointer items,
                                                 guint64 n, GError **error);
LeatKernelSource *leat_kernel_source_new_instance (LeatKernelSource *self, const char *entry, GError **error);
LeatKernelSource *leat_kernel_source_take_entry (LeatKernelSource *self, const char *entry, GError **error);
gboolean leat_kernel_source_check_filled (LeatKernelSource *self, const char *entry, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatKernelSource, leat_kernel_source_unref)

G_END_DECLS
