/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Families of CUDA's functions that few kernels use.  On the CPU their headers are put before a text that names one of
 * them; the rest of the texts costs nothing. */

#include "leat-kernel-families-private.h"

#include "leat-kernel-transform-private.h"

#include <string.h>

#define LEAT_FAMILY_WORDS 32

/* A `*` within one of @words stands for anything; those with a `!` first are left out of what the others match. */
typedef struct
{
  const char *header;
  const char *words[LEAT_FAMILY_WORDS];
} LeatFamily;

#define LEAT_FAMILY_DIRECTED                                                                                           \
  {                                                                                                                    \
    "__*_rd", "__*_ru", "__*_rz", "!__float2*", "!__double2i*", "!__double2u*", "!__double2ll*", "__frsqrt_rn",        \
      "__fmaf_ieee_rn", "cudaRound*", "dadd", "dsub", "dmul", "ll2double", "ull2double", "asm", "__asm__", "__asm"     \
  }

/* The functions that leat-kernel-ptx.c calls. */
#define LEAT_FAMILY_ASSEMBLY                                                                                           \
  {                                                                                                                    \
    "asm", "__asm__", "__asm"                                                                                          \
  }

#define LEAT_FAMILY_TEXTURES                                                                                           \
  {                                                                                                                    \
    "tex1D*", "tex2D*", "tex3D*", "surf1D*", "surf2D*", "surf3D*", "cudaTextureObject_t", "cudaSurfaceObject_t",       \
      "CUtexObject", "CUsurfObject", "cudaBoundaryMode*", "cudaSurfaceBoundaryMode"                                    \
  }

static const LeatFamily leat_families[] = {
  { "leat-dialect-host-rounded.h", LEAT_FAMILY_DIRECTED },
  { "leat-dialect-host-directed.h", LEAT_FAMILY_DIRECTED },
  { "leat-dialect-host-modes.h",
    { "cudaRound*", "dadd", "dsub", "dmul", "double2int", "double2uint", "double2ll", "double2ull", "ll2double",
      "ull2double", "int2double", "uint2double", "float2double" } },
  { "leat-dialect-host-lanes.h", { "__v*2", "__v*4", "__dp2a_*", "__dp4a", "__fns" } },
  { "leat-dialect-host-dpx.h", { "__vi*" } },
  { "leat-dialect-host-special.h",
    { "remquo",     "remquof", "scalbln",  "scalblnf",    "jn",          "jnf",       "yn",       "ynf",
      "nan",        "nanf",    "fdivide",  "__tanhf",     "sincospi",    "__finite*", "__isinf*", "__isnan*",
      "__signbit*", "norm",    "normf",    "norm3d*",     "norm4d*",     "rnorm*",    "rhypot",   "rhypotf",
      "erfcx*",     "erfinv*", "erfcinv*", "normcdfinv*", "cyl_bessel_*" } },
  { "leat-dialect-host-ptx.h", LEAT_FAMILY_ASSEMBLY },
  { "leat-dialect-host-ptx-memory.h", LEAT_FAMILY_ASSEMBLY },
  { "leat-dialect-host-vectors.h", { "*4_16a", "*4_32a" } },
  { "leat-texture-view.h", LEAT_FAMILY_TEXTURES },
  { "leat-dialect-host-texel.h", LEAT_FAMILY_TEXTURES },
  { "leat-dialect-host-taps.h", LEAT_FAMILY_TEXTURES },
  { "leat-dialect-host-filter.h", LEAT_FAMILY_TEXTURES },
  { "leat-dialect-host-texture.h", LEAT_FAMILY_TEXTURES },
  { "leat-dialect-host-refused.h",
    { "__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__any", "__all", "__ballot", "any", "all", "ballot", "__pm*",
      "__barrier_sync_count", "__isConstant", "__isGridConstant", "__cluster*", "__isClusterShared", "__isCtaShared",
      "__threadfence_cluster" } },
};

/* The same for those that are members of a struct. */
static const struct
{
  const char *type;
  LeatFamily family;
} leat_families_of_members[] = {
  { "leat_placer",
    { "leat-dialect-host-member.h",
      { "__isLocal", "__isShared", "__isGlobal", "__cvta_*", "__barrier_sync", "syncthreads_*", "__uni_sync",
        "__prof_trigger", "__brkpt" } } },
  { "leat_ptx", { "leat-dialect-host-ptx-member.h", LEAT_FAMILY_ASSEMBLY } },
  { "leat_surfaces", { "leat-dialect-host-surface.h", { "surf1D*", "surf2D*", "surf3D*" } } },
};

static gboolean
leat_family_matches (const char *pattern, const char *word, gsize length)
{
  const char *star = strchr (pattern, '*');
  gsize before = star != NULL ? (gsize) (star - pattern) : strlen (pattern);
  gsize after = star != NULL ? strlen (star + 1) : 0;

  return (star != NULL ? length >= before + after : length == before) && memcmp (word, pattern, before) == 0
         && memcmp (word + length - after, star != NULL ? star + 1 : "", after) == 0;
}

static gboolean
leat_family_has (const LeatFamily *self, const char *word, gsize length)
{
  gboolean has = FALSE;

  for (guint i = 0; i < LEAT_FAMILY_WORDS && self->words[i] != NULL; i++)
    if (self->words[i][0] != '!')
      has = has || leat_family_matches (self->words[i], word, length);
    else if (leat_family_matches (self->words[i] + 1, word, length))
      return FALSE;
  return has;
}

static gboolean
leat_family_is_named (const LeatFamily *self, const LeatKernelUnit *unit)
{
  const LeatTokens *tokens = unit->tokens;

  for (guint i = 0; i < tokens->tokens->len; i++)
    {
      const LeatToken *token = leat_tokens_at (tokens, i);

      if (token->kind == LEAT_TOKEN_IDENT && leat_family_has (self, tokens->text->text + token->offset, token->length))
        return TRUE;
    }
  return FALSE;
}

char *
leat_kernel_unit_dup_host_families (const LeatKernelUnit *self)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (leat_families); i++)
    if (leat_family_is_named (&leat_families[i], self))
      {
        g_autofree char *text = leat_kernel_dup_device_text (leat_families[i].header);

        g_string_append (out, text);
      }
  return g_string_free (out, FALSE);
}

char *
leat_kernel_unit_dup_host_members (const LeatKernelUnit *self, const char **base)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (leat_families_of_members); i++)
    if (leat_family_is_named (&leat_families_of_members[i].family, self))
      {
        g_autofree char *text = leat_kernel_dup_device_text (leat_families_of_members[i].family.header);

        g_string_append_printf (out, "namespace { struct %s : %s {\n%s};\n} // namespace\n",
                                leat_families_of_members[i].type, *base, text);
        *base = leat_families_of_members[i].type;
      }
  return g_string_free (out, FALSE);
}
