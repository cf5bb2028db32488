/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-unit-private.h"

G_BEGIN_DECLS

/* What a kernel does with a parameter that is a texture or a surface, as far as its text tells. */
typedef struct
{
  LeatTextureForm form; /* LEAT_TEXTURE_OPEN: it does not tell */
  gboolean gathers;
  gboolean reads, writes;
  guint read;          /* the token of the first that reads a surface */
  LeatKernelType type; /* of a texel; without dtype, or without lanes: that it does not tell */
} LeatTextureUse;

/* Is @words the type of textures, or of surfaces? */
gboolean leat_kernel_type_is_texture (const char *words, gboolean *is_surface);
/* Whether a word is a function that reads or writes surfaces. */
gboolean leat_kernel_texture_is_surface_access (const char *word);
/* Of the parameter @name of the kernel @decl, through the functions that it is given to.  FALSE where two functions see
 * it in two forms. */
gboolean leat_kernel_unit_find_texture_use (const LeatKernelUnit *unit, const LeatDecl *decl, const char *name,
                                            LeatTextureUse *use, GError **error);
/* Has the kernel @decl a texture or a surface? */
gboolean leat_kernel_unit_has_texture (const LeatKernelUnit *unit, const LeatDecl *decl);
/* Refuses what CUDA no longer has: `texture<float, 2> t;` */
gboolean leat_kernel_unit_check_textures (const LeatKernelUnit *unit, GError **error);

G_END_DECLS
