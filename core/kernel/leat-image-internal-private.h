/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-image-private.h"
#include "leat-kernel-source-private.h"

G_BEGIN_DECLS

/* Shared by the files of the image half. */

/* The forms of an image's text. */
LeatKernelForm leat_image_target_get_form (const LeatImageTarget *target);
/* Does what was made for @made run where @target is asked for?  Machine code does on later chips of the same major
 * number, PTX on all later ones; CUDA_FORCE_PTX_JIT leaves PTX alone. */
gboolean leat_image_target_runs (const LeatImageTarget *made, const LeatImageTarget *target);
/* What a compiler is asked for: PTX of the same capability where CUDA_FORCE_PTX_JIT is set. */
LeatImageTarget leat_image_target_get_compiled (const LeatImageTarget *target);
/* @target, with the code of @made. */
LeatImageTarget leat_image_target_with_code (const LeatImageTarget *target, const LeatImageTarget *made);
/* The source as it is there; it belongs to @source. */
LeatKernelSource *leat_image_target_get_source (const LeatImageTarget *target, LeatKernelSource *source,
                                                GError **error);

#define LEAT_IMAGE_MOST (1u << 30) /* bytes */

/* 128 bits over the text, options and target of an image, and over the compiler where it matters. */
typedef struct
{
  guint8 bytes[16];
} LeatImageKey;

/* leat_image_get () without an artifact: shipped, cached or compiled. */
GBytes *leat_image_get_here (LeatKernelSource *source, const LeatImageTarget *target, GError **error);

GBytes *leat_image_get_shipped_here (LeatKernelSource *source, const LeatImageTarget *target);

/* The file of the shipped image: "<base name of the source>.<target>.img". */
char *leat_image_dup_shipped_name (const char *source_name, const LeatImageTarget *target);
/* Of everything but the compiler: what shipped images are found by. */
void leat_image_make_key (LeatKernelSource *source, const LeatImageTarget *target, const char *compiler,
                          LeatImageKey *key);

/* A stored image: header, key, checksum, then the bytes. */
GBytes *leat_image_store_seal (const LeatImageKey *key, GBytes *image);
/* NULL when the file is not there, is damaged, or is of another key; *@damaged tells these apart. */
GBytes *leat_image_store_read (int folder, const char *name, const LeatImageKey *key, gboolean *damaged);

/* The cache of this user on disk.  Failing to write is no error: the image is there all the same. */
GBytes *leat_image_cache_lookup (const LeatImageKey *key, gboolean *damaged);
/* @plain: the key without a compiler */
void leat_image_cache_insert (const LeatImageKey *key, const LeatImageKey *plain, GBytes *image);
/* The one that was compiled last, by whatever compiler. @key: without one */
GBytes *leat_image_cache_lookup_last (const LeatImageKey *key);

/* Compilers.  An identity changes when the compiler does; NULL with LEAT_KERNEL_ERROR_COMPILER when there is none. */
char *leat_image_host_dup_identity (GError **error);
/* The words of the command that begin every call. (transfer full) */
char **leat_image_host_find_compiler (GError **error);
/* Whether @compiler is asked twice.  Sanitizers are those of the compiler that the program is built with, and tell of
 * what is left open instead. */
gboolean leat_image_host_settles (char **compiler);
/* From the text on standard input, which is in @language, to @output: a shared object, or, of C++ that is to be
 * settled, LLVM's text before anything was made of it. */
char **leat_image_host_make_command (char **compiler, const LeatImageTarget *target, gboolean strict,
                                     const char *language, const char *output);
GBytes *leat_image_host_compile (LeatKernelSource *source, const LeatImageTarget *target, GError **error);
char *leat_image_nvrtc_dup_identity (LeatKernelSource *source, GError **error);
GBytes *leat_image_nvrtc_compile (LeatKernelSource *source, const LeatImageTarget *target, GError **error);
/* "address", "undefined", ... from LEAT_KERNEL_SANITIZE, or NULL. */
const char *leat_image_get_sanitizer (void);
/* The abilities of this machine's CPU, for keys of native images. */
char *leat_image_dup_cpu (void);
/* Whether this CPU runs images of @level. */
gboolean leat_image_cpu_runs (const char *level);

G_END_DECLS
