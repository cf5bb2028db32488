/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Textures and surfaces of a kernel: the functions that it gives them to tell how many dimensions they have, what a
 * texel is, and whether surfaces are read or written. */

#include "leat-kernel-texture-private.h"

#include <string.h>

#define LEAT_TEXTURE_DEPTH 16 /* of calls through which a texture is followed */

enum
{
  LEAT_SEES_SURFACE = 1 << 0,
  LEAT_SEES_WRITES = 1 << 1,
  LEAT_SEES_GATHERS = 1 << 2,
};

static const struct
{
  const char *name;
  LeatTextureForm form;
  guint sees;
} leat_texture_functions[] = {
  { "tex1Dfetch", LEAT_TEXTURE_LINEAR, 0 },
  { "tex1D", LEAT_TEXTURE_1D, 0 },
  { "tex2D", LEAT_TEXTURE_2D, 0 },
  { "tex2Dgather", LEAT_TEXTURE_2D, LEAT_SEES_GATHERS },
  { "tex3D", LEAT_TEXTURE_3D, 0 },
  { "tex1DLayered", LEAT_TEXTURE_1D_LAYERED, 0 },
  { "tex2DLayered", LEAT_TEXTURE_2D_LAYERED, 0 },
  { "surf1Dread", LEAT_TEXTURE_1D, LEAT_SEES_SURFACE },
  { "surf1Dwrite", LEAT_TEXTURE_1D, LEAT_SEES_SURFACE | LEAT_SEES_WRITES },
  { "surf2Dread", LEAT_TEXTURE_2D, LEAT_SEES_SURFACE },
  { "surf2Dwrite", LEAT_TEXTURE_2D, LEAT_SEES_SURFACE | LEAT_SEES_WRITES },
  { "surf3Dread", LEAT_TEXTURE_3D, LEAT_SEES_SURFACE },
  { "surf3Dwrite", LEAT_TEXTURE_3D, LEAT_SEES_SURFACE | LEAT_SEES_WRITES },
  { "surf1DLayeredread", LEAT_TEXTURE_1D_LAYERED, LEAT_SEES_SURFACE },
  { "surf1DLayeredwrite", LEAT_TEXTURE_1D_LAYERED, LEAT_SEES_SURFACE | LEAT_SEES_WRITES },
  { "surf2DLayeredread", LEAT_TEXTURE_2D_LAYERED, LEAT_SEES_SURFACE },
  { "surf2DLayeredwrite", LEAT_TEXTURE_2D_LAYERED, LEAT_SEES_SURFACE | LEAT_SEES_WRITES },
};

gboolean
leat_kernel_type_is_texture (const char *words, gboolean *is_surface)
{
  *is_surface = g_str_equal (words, "cudaSurfaceObject_t") || g_str_equal (words, "CUsurfObject");
  return *is_surface || g_str_equal (words, "cudaTextureObject_t") || g_str_equal (words, "CUtexObject");
}

static guint
leat_texture_find_function (const LeatTokens *tokens, guint token)
{
  guint i = 0;

  while (i < G_N_ELEMENTS (leat_texture_functions) && !leat_tokens_is (tokens, token, leat_texture_functions[i].name))
    i++;
  return i;
}

gboolean
leat_kernel_texture_is_surface_access (const char *word)
{
  for (guint i = 0; i < G_N_ELEMENTS (leat_texture_functions); i++)
    if ((leat_texture_functions[i].sees & LEAT_SEES_SURFACE) && g_str_equal (leat_texture_functions[i].name, word))
      return TRUE;
  return FALSE;
}

/**
 * leat_texture_form_get_name:
 * @form: a form
 *
 * Gets the name of a form, as messages and printed plans have it: `2d-layered`.
 *
 * Returns: (transfer none): the name
 *
 * Since: 0.1
 */
const char *
leat_texture_form_get_name (LeatTextureForm form)
{
  static const char *const names[] = { "none", "open", "linear", "1d", "2d", "3d", "1d-layered", "2d-layered" };

  return names[form];
}

/* The number of the argument of the call at @open that is @name alone; G_MAXUINT where none is. */
static guint
leat_texture_find_argument (const LeatKernelUnit *unit, guint open, const char *name)
{
  g_autoptr (GArray) pieces = leat_kernel_unit_split (unit, open + 1, leat_tokens_at (unit->tokens, open)->match);

  for (guint i = 0; i < pieces->len; i += 2)
    if (g_array_index (pieces, guint, i) == g_array_index (pieces, guint, i + 1)
        && leat_tokens_is (unit->tokens, g_array_index (pieces, guint, i), name))
      return i / 2;
  return G_MAXUINT;
}

/* T of `tex2D<T> (...)`, where it stands there. @gathers: it has a number of each of four texels */
static void
leat_texture_use_note_type (LeatTextureUse *self, const LeatKernelUnit *unit, guint token, gboolean gathers)
{
  guint open = token + 1,
        end = leat_tokens_is (unit->tokens, open, "<") ? leat_kernel_unit_skip_angles (unit, open) : 0;
  g_autofree char *words = end > open + 2 ? leat_tokens_dup_range (unit->tokens, open + 1, end - 2) : NULL;
  LeatKernelType type;

  if (self->type.lanes > 0 || words == NULL || !leat_kernel_unit_lookup_type (unit, words, &type))
    return;
  self->type = type;
  self->type.lanes = gathers ? 0 : type.lanes;
}

static gboolean
leat_texture_use_note (LeatTextureUse *self, const LeatKernelUnit *unit, guint token, guint row, const char *name,
                       GError **error)
{
  LeatTextureForm form = leat_texture_functions[row].form;
  guint sees = leat_texture_functions[row].sees;

  if (self->form != LEAT_TEXTURE_OPEN && self->form != form)
    {
      leat_tokens_set_error (unit->tokens, token, LEAT_KERNEL_ERROR_PROTOTYPE, error,
                             "%s takes \"%s\" as %s, and another function as %s; give the kernel a parameter for each",
                             leat_texture_functions[row].name, name, leat_texture_form_get_name (form),
                             leat_texture_form_get_name (self->form));
      return FALSE;
    }
  self->form = form;
  self->gathers = self->gathers || (sees & LEAT_SEES_GATHERS);
  if (!self->reads && !(sees & LEAT_SEES_WRITES))
    self->read = token;
  self->reads = self->reads || !(sees & LEAT_SEES_WRITES);
  self->writes = self->writes || (sees & LEAT_SEES_WRITES);
  leat_texture_use_note_type (self, unit, token, (sees & LEAT_SEES_GATHERS) != 0);
  return TRUE;
}

/* The name of the parameter number @number of the function called as the word at @token; NULL where the file has none.
 */
static char *
leat_texture_dup_parameter (const LeatKernelUnit *unit, guint token, guint number, const LeatDecl **callee)
{
  g_autofree char *word = leat_tokens_dup (unit->tokens, token);

  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);
      g_autoptr (GArray) pieces = NULL;
      guint name;

      if (decl->kind != LEAT_DECL_FUNCTION || !leat_tokens_is (unit->tokens, decl->name, word))
        continue;
      pieces = leat_kernel_unit_split (unit, decl->params + 1, leat_tokens_at (unit->tokens, decl->params)->match);
      if (number >= pieces->len / 2)
        continue;
      name = leat_kernel_unit_declared_name (unit, g_array_index (pieces, guint, 2 * number),
                                             g_array_index (pieces, guint, 2 * number + 1) + 1);
      *callee = decl;
      return name != G_MAXUINT ? leat_tokens_dup (unit->tokens, name) : NULL;
    }
  return NULL;
}

static gboolean
leat_texture_use_follow (LeatTextureUse *self, const LeatKernelUnit *unit, const LeatDecl *decl, const char *name,
                         guint depth, GError **error)
{
  const LeatTokens *tokens = unit->tokens;

  for (guint i = decl->body; i < decl->last && depth < LEAT_TEXTURE_DEPTH; i++)
    {
      guint open = i + 1, row, number;
      const LeatDecl *callee = NULL;
      g_autofree char *inner = NULL;

      if (leat_tokens_at (tokens, i)->kind != LEAT_TOKEN_IDENT)
        continue;
      if (leat_tokens_is (tokens, open, "<"))
        open = leat_kernel_unit_skip_angles (unit, open);
      number = leat_tokens_is (tokens, open, "(") ? leat_texture_find_argument (unit, open, name) : G_MAXUINT;
      if (number == G_MAXUINT)
        continue;
      row = leat_texture_find_function (tokens, i);
      if (row < G_N_ELEMENTS (leat_texture_functions))
        {
          if (!leat_texture_use_note (self, unit, i, row, name, error))
            return FALSE;
          continue;
        }
      inner = leat_texture_dup_parameter (unit, i, number, &callee);
      if (inner != NULL && !leat_texture_use_follow (self, unit, callee, inner, depth + 1, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
leat_kernel_unit_find_texture_use (const LeatKernelUnit *unit, const LeatDecl *decl, const char *name,
                                   LeatTextureUse *use, GError **error)
{
  *use = (LeatTextureUse){ .form = LEAT_TEXTURE_OPEN };
  return decl->kind != LEAT_DECL_FUNCTION || leat_texture_use_follow (use, unit, decl, name, 0, error);
}

gboolean
leat_kernel_unit_has_texture (const LeatKernelUnit *unit, const LeatDecl *decl)
{
  g_autoptr (LeatPrototype) prototype = leat_kernel_unit_parse_prototype (unit, decl, NULL);

  for (guint i = 0; prototype != NULL && i < prototype->n_params; i++)
    if (prototype->params[i].form != LEAT_TEXTURE_NONE)
      return TRUE;
  return FALSE;
}

gboolean
leat_kernel_unit_check_textures (const LeatKernelUnit *unit, GError **error)
{
  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);
      guint first = decl->first + leat_tokens_is (unit->tokens, decl->first, "static");
      gboolean is_texture = leat_tokens_is (unit->tokens, first, "texture");
      guint name =
        decl->kind == LEAT_DECL_VARIABLE ? leat_kernel_unit_declared_name (unit, decl->first, decl->last) : G_MAXUINT;
      g_autofree char *word = NULL;

      if (name == G_MAXUINT || (!is_texture && !leat_tokens_is (unit->tokens, first, "surface"))
          || !leat_tokens_is (unit->tokens, first + 1, "<"))
        continue;
      word = leat_tokens_dup (unit->tokens, name);
      leat_tokens_set_error (
        unit->tokens, name, LEAT_KERNEL_ERROR_PROTOTYPE, error,
        "\"%s\" is a %s reference, which CUDA has had no more since version 12; give the kernel a "
        "parameter \"%s %s\", and write %s in place of %s",
        word, is_texture ? "texture" : "surface", is_texture ? "cudaTextureObject_t" : "cudaSurfaceObject_t", word,
        is_texture ? "tex2D<float> (...)" : "surf2Dread<float> (...)", is_texture ? "tex2D (...)" : "surf2Dread (...)");
      return FALSE;
    }
  return TRUE;
}
