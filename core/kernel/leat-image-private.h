/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-source.h"

G_BEGIN_DECLS

/* Image half of kernel/: what cuModuleLoadData takes, made from a source for one target. */

typedef enum
{
  LEAT_IMAGE_HOST, /* a LeatHostImageHeader and a shared object, for the CPU driver */
  LEAT_IMAGE_CUBIN,
  LEAT_IMAGE_PTX,
} LeatImageKind;

/* Which machine code: `host` is this machine's own CPU; `x86-64`, `x86-64-v3` and `x86-64-v4` are levels that images
 * are shipped for; `sm_90` is machine code for that compute capability, `compute_75` is PTX for it and all later ones.
 */
typedef struct
{
  LeatImageKind kind;
  char level[16];    /* HOST: "native", "x86-64", "x86-64-v3", "x86-64-v4" */
  guint capability;  /* CUBIN and PTX: 90 */
  gboolean timed;    /* CUBIN and PTX: with kernels that tell when they ran; never shipped */
  gboolean indirect; /* what the framework launches may be given, for the items of a port, the address of a slot with
                     their address in it, plus 1; never shipped */
  gboolean wide;     /* kernels that do the work of many entries in one launch; never shipped */
  gboolean enclosed; /* CUBIN and PTX: kernels that overlap with no other, as those of a loop's body: they neither wait
                        for others nor let others begin early */
  gboolean
    persistent;   /* with LEAT_PERSISTENT_SYMBOL, which stays on the device (device/leat-persistent.h); never shipped */
  gboolean whole; /* HOST: of kernels that have a variant in plain C, that alone; for who runs variants */
} LeatImageTarget;

/* "host" (or "native"), "x86-64", "x86-64-v3", "x86-64-v4", "sm_90", "compute_75". */
gboolean leat_image_target_parse (const char *text, LeatImageTarget *target, GError **error);
char *leat_image_target_to_string (const LeatImageTarget *target);

/* Whether the CPU driver of this process runs variants, as LEAT_CPU_VARIANTS asks. */
gboolean leat_image_host_runs_variants (void);

/* (transfer full): for the user of a compiler that leaves open what a GPU defines; NULL where there is a better one, or
 * none, or a sanitizer, which tells of it. */
GError *leat_image_host_check_values (void);
/* The same, once, when it has compiled an image in this process. */
GError *leat_image_host_take_warning (void);

/* The image of @source for @target: from an artifact that is open, from what ships (packs and images in
 * LEAT_IMAGE_PATH, then in images/ in the plugin folders), from the disk cache, from the compiler, or, where there is
 * none, from PTX that ships. Errors: LEAT_KERNEL_ERROR_COMPILER where there is no compiler, _COMPILE with the
 * compiler's messages, or what reading the source finds.  Any thread. */
GBytes *leat_image_get (LeatKernelSource *source, const LeatImageTarget *target, GError **error);
/* Only if it ships as it is; NULL. (transfer full) */
GBytes *leat_image_get_shipped (LeatKernelSource *source, const LeatImageTarget *target);

/* A kernel can be launched by its own name, with all counts by value. */
char *leat_image_dup_plain_symbol (const char *entry);

/* Where it has to take one from the device, this
 * is the name to give to cuModuleGetFunction: parameters in the order of the prototype, each LEAT_PARAM_INPUT_COUNT
 * being four (const uint64_t *where, uint64_t value, uint64_t most, uint64_t *over). */
char *leat_image_dup_symbol (const char *entry);

/* Those of a `timed` image that take one parameter more: uint64_t *clock, where they leave the times of their beginning
 * and end, in nanoseconds.  @wrapped: the one that takes counts from the device */
char *leat_image_dup_timed_symbol (const char *entry, gboolean wrapped);

/* That of an image with `wide`: parameters as those of leat_image_dup_symbol (), behind each pointer a uint64_t, the
 * bytes from one entry's memory to the next one's.  A block's place along z is its entry. */
char *leat_image_dup_wide_symbol (const char *entry);

#define LEAT_PERSISTENT_SYMBOL "leat_persistent"

/* What a compiler is given of @source for @target. (transfer full) */
char *leat_image_dup_text (LeatKernelSource *source, const LeatImageTarget *target, GError **error);

/* Always compiles; for leat-kernelc and tests. */
GBytes *leat_image_compile (LeatKernelSource *source, const LeatImageTarget *target, GError **error);

/* Compute capabilities that the NVRTC here compiles for, such as 80, in order; none where there is none.
 * (element-type guint) (transfer full) */
GArray *leat_image_nvrtc_list_capabilities (void);

/* Where the image came from, counted since the process began. */
typedef struct
{
  guint shipped, cached, compiled, damaged;
} LeatImageCounts;

LeatImageCounts leat_image_get_counts (void);

G_END_DECLS
