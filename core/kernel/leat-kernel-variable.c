/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* `__constant__` and `__device__` variables that a host program fills by cudaMemcpyToSymbol ().  Here no host program
 * runs, so a kernel that reads one without a value is refused; the values that a node has for it become its initialiser
 * in the text, and with that part of every image. */

#include "leat-kernel-variable-private.h"

#include "leat-kernel-locals-private.h"
#include "leat-kernel-source-internal-private.h"

#include <math.h>
#include <string.h>

/* One declarator of a declaration at file scope. */
typedef struct
{
  const LeatDecl *decl;
  guint name, last;
  guint type_end; /* the name of the first declarator */
} LeatVariable;

static void
leat_variable_add_words (const LeatKernelUnit *unit, GHashTable *words, guint first, guint end)
{
  for (guint t = first; t < end; t++)
    g_hash_table_add (words, leat_tokens_dup (unit->tokens, t));
}

/* `p` in `__constant__ point p;` has a value where the type says which, or one by whose name it goes. */
static gboolean
leat_variable_has_type_with_values (const LeatKernelUnit *unit, const LeatVariable *self)
{
  static const char *const names[] = { "typedef", "using", NULL };
  g_autoptr (GHashTable) words = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  leat_variable_add_words (unit, words, self->decl->first, self->type_end);
  for (guint i = unit->decls->len; i-- > 0;)
    {
      const LeatDecl *type = leat_kernel_unit_at (unit, i);
      guint word = leat_kernel_unit_type_name (unit, type);
      g_autofree char *name = word != G_MAXUINT ? leat_tokens_dup (unit->tokens, word) : NULL;

      if (name == NULL || !g_hash_table_contains (words, name))
        continue;
      leat_variable_add_words (unit, words, type->first, type->last);
      for (guint t = type->first; t < type->last && !leat_tokens_is_any (unit->tokens, type->first, names); t++)
        if (leat_tokens_is (unit->tokens, t, "=")
            || (leat_tokens_is (unit->tokens, t, name) && leat_tokens_is (unit->tokens, t + 1, "(")))
          return TRUE;
    }
  return FALSE;
}

static gboolean
leat_variable_is_bare (const LeatKernelUnit *unit, const LeatVariable *self)
{
  static const char *const values[] = { "=", "{", "(", NULL };

  for (guint t = self->name + 1; t <= self->last; t++)
    if (leat_kernel_unit_skip_attribute (unit, t) != t)
      t = leat_kernel_unit_skip_attribute (unit, t);
    else if (leat_tokens_is_any (unit->tokens, t, values))
      return FALSE;
  return !leat_variable_has_type_with_values (unit, self);
}

/* (element-type LeatVariable): those of which the declaration gives no value. */
static GArray *
leat_kernel_unit_list_bare (const LeatKernelUnit *unit)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (LeatVariable));

  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);
      gboolean is_device = (decl->flags & (LEAT_DECL_IS_DEVICE | LEAT_DECL_IS_CONSTANT)) != 0;
      gboolean is_other = (decl->flags & (LEAT_DECL_IS_SHARED | LEAT_DECL_IS_TEMPLATE | LEAT_DECL_IS_CONSTEXPR)) != 0;
      g_autoptr (GArray) pieces = NULL;
      guint type_end;

      if (decl->kind != LEAT_DECL_VARIABLE || !is_device || is_other)
        continue;
      pieces = leat_kernel_unit_split (unit, decl->first, decl->last);
      type_end = leat_kernel_unit_declared_name (unit, decl->first, g_array_index (pieces, guint, 1) + 1);
      if (type_end == G_MAXUINT)
        continue;
      for (guint p = 0; p < pieces->len; p += 2)
        {
          guint first = g_array_index (pieces, guint, p), last = g_array_index (pieces, guint, p + 1);
          LeatVariable variable = { decl, leat_kernel_unit_declared_name (unit, first, last + 1), last, type_end };

          if (variable.name != G_MAXUINT && leat_variable_is_bare (unit, &variable))
            g_array_append_val (list, variable);
        }
    }
  return list;
}

/* The "(" around what stands at @index in its statement, or 0. */
static guint
leat_variable_find_bracket (const LeatKernelUnit *unit, guint index)
{
  static const char *const bounds[] = { ";", "{", "}", NULL };

  for (guint i = index; i-- > 0 && !leat_tokens_is_any (unit->tokens, i, bounds);)
    if (leat_tokens_at (unit->tokens, i)->match < i)
      i = leat_tokens_at (unit->tokens, i)->match;
    else if (leat_tokens_is (unit->tokens, i, "("))
      return i;
  return 0;
}

/* Whether one of the parameters in (@open, its partner) is a `T &`, or with @pointers a `T *`, of no `const T`. */
static gboolean
leat_variable_params_change (const LeatKernelUnit *unit, guint open, gboolean pointers)
{
  guint close = leat_tokens_at (unit->tokens, open)->match;
  gboolean is_const = FALSE;

  for (guint t = open + 1; t < close; t++)
    {
      if (leat_tokens_is (unit->tokens, t, ","))
        is_const = FALSE;
      is_const = is_const || leat_tokens_is (unit->tokens, t, "const");
      if (!is_const && ((pointers && leat_tokens_is (unit->tokens, t, "*")) || leat_kernel_unit_is_reference (unit, t)))
        return TRUE;
    }
  return FALSE;
}

/* Whether a function of the file that is called with the brackets at @open changes what it gets; @others: what is said
 * of those that the file does not have. */
static gboolean
leat_variable_call_changes (const LeatKernelUnit *unit, guint open, gboolean pointers, gboolean others)
{
  gboolean known = FALSE;

  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);
      g_autofree char *name = decl->kind == LEAT_DECL_FUNCTION ? leat_tokens_dup (unit->tokens, decl->name) : NULL;

      if (name == NULL || !leat_tokens_is (unit->tokens, open - 1, name))
        continue;
      known = TRUE;
      if ((decl->flags & LEAT_DECL_IS_TEMPLATE) && pointers)
        return TRUE;
      if (leat_variable_params_change (unit, decl->params, pointers))
        return TRUE;
    }
  return !known && others;
}

/* `const T *p = x;`, where @index is that of `x`. */
static gboolean
leat_variable_is_kept_const (const LeatKernelUnit *unit, guint index)
{
  static const char *const bounds[] = { ";", "{", "}", NULL };
  const LeatTokens *tokens = unit->tokens;
  guint first = index;

  while (first > 0 && !leat_tokens_is_any (tokens, first - 1, bounds))
    first--;
  for (guint t = first; t < index && !leat_tokens_is (tokens, t, "="); t++)
    if (leat_tokens_is (tokens, t, "const"))
      return leat_tokens_is (tokens, t + 1, "auto") || leat_tokens_is (tokens, t + 2, "*")
             || leat_tokens_is (tokens, t + 1, "*");
  return FALSE;
}

/* Whether an address that is taken at @index, by `&x` or by an array's name, is one to read from. */
static gboolean
leat_variable_address_is_read (const LeatKernelUnit *unit, guint index)
{
  static const char *const readers[] = { "__ldg",
                                         "__ldca",
                                         "__ldcg",
                                         "__ldcs",
                                         "__ldcv",
                                         "__ldlu",
                                         "leat_load_relaxed",
                                         "sizeof",
                                         "leat_load_acquire",
                                         "leat_load_plainly",
                                         NULL };
  static const char *const changes[] = { "=",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=",
                                         "^=", "<<=", ">>=", "++", "--", "[",  NULL };
  const LeatTokens *tokens = unit->tokens;
  guint open = leat_variable_find_bracket (unit, index);

  if (open == 0)
    return leat_variable_is_kept_const (unit, index);
  if (leat_tokens_is_any (tokens, open - 1, readers))
    return TRUE;
  if (leat_tokens_is (tokens, open - 1, "*"))
    return !leat_tokens_is_any (tokens, leat_tokens_at (tokens, open)->match + 1, changes);
  return !leat_variable_call_changes (unit, open, TRUE, TRUE);
}

/* `&x`, and not `a & x`. */
static gboolean
leat_variable_is_addressed (const LeatKernelUnit *unit, guint index)
{
  const LeatTokens *tokens = unit->tokens;

  if (!leat_tokens_is (tokens, index - 1, "&"))
    return FALSE;
  if (leat_tokens_is (tokens, index - 2, ")"))
    return leat_tokens_is (tokens, index - 3, "*");
  return leat_tokens_is (tokens, index - 2, "return")
         || (leat_tokens_at (tokens, index - 2)->kind == LEAT_TOKEN_PUNCT && !leat_tokens_is (tokens, index - 2, "]"));
}

/* Whether the mention at @index of a variable with @n_dims dimensions may give it a value. */
static gboolean
leat_variable_may_be_set_at (const LeatKernelUnit *unit, guint index, guint n_dims)
{
  static const char *const changes[] = { "=",  "+=", "-=",  "*=",  "/=", "%=", "&=",
                                         "|=", "^=", "<<=", ">>=", "++", "--", NULL };
  static const char *const before[] = { "++", "--", NULL };
  guint next = index + 1, n_indices = 0;

  if (leat_tokens_is_any (unit->tokens, index - 1, before))
    return TRUE;
  for (;;)
    if (leat_tokens_is (unit->tokens, next, "["))
      {
        next = leat_tokens_at (unit->tokens, next)->match + 1;
        n_indices++;
      }
    else if (leat_tokens_is (unit->tokens, next, "."))
      next += 2;
    else
      break;
  if (leat_tokens_is_any (unit->tokens, next, changes) || leat_tokens_is (unit->tokens, next, "("))
    return TRUE;
  if (leat_variable_is_addressed (unit, index) || n_indices < n_dims)
    return !leat_variable_address_is_read (unit, index);
  return leat_variable_call_changes (unit, leat_variable_find_bracket (unit, index), FALSE, FALSE);
}

/* `int x`, `int a, x`, and not `return x`, `f (a, x)`. */
static gboolean
leat_variable_is_behind_type (const LeatKernelUnit *unit, guint index)
{
  if (leat_tokens_is (unit->tokens, index - 1, ","))
    return leat_variable_find_bracket (unit, index) == 0;
  return leat_tokens_at (unit->tokens, index - 1)->kind == LEAT_TOKEN_IDENT
         && !leat_tokens_is (unit->tokens, index - 1, "return");
}

/* Whether @decl has something of its own by that name: a parameter, a local variable, a member. */
static gboolean
leat_variable_is_hidden (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatVariable *self,
                         const LeatDecl *decl)
{
  static const char *const after[] = { ";", ",", "=", "[", "{", ")", NULL };
  g_autofree char *name = leat_tokens_dup (unit->tokens, self->name);

  if (decl->kind == LEAT_DECL_FUNCTION)
    {
      g_autoptr (LeatLocals) locals = leat_locals_new (unit, calls, decl);

      return leat_locals_find (locals, self->name) != NULL;
    }
  for (guint t = decl->first + 1; t < decl->last; t++)
    if (leat_tokens_is (unit->tokens, t, name) && leat_tokens_is_any (unit->tokens, t + 1, after)
        && leat_variable_is_behind_type (unit, t))
      return TRUE;
  return FALSE;
}

/* A mention of the variable in the function, or in the functions of the type; with @sets one that may give it a value.
 */
static gboolean
leat_variable_is_mentioned (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatVariable *self,
                            const LeatDecl *decl, gboolean sets)
{
  static const char *const before[] = { ".", "->", NULL };
  g_autofree char *name = leat_tokens_dup (unit->tokens, self->name);
  guint n_dims = 0;

  if (decl == self->decl)
    return FALSE;
  for (guint t = self->name + 1; leat_tokens_is (unit->tokens, t, "["); t = leat_tokens_at (unit->tokens, t)->match + 1)
    n_dims++;
  for (guint t = decl->kind == LEAT_DECL_FUNCTION ? decl->body : decl->first; t < decl->last; t++)
    if (leat_tokens_is (unit->tokens, t, name) && !leat_tokens_is_any (unit->tokens, t - 1, before)
        && (!sets || leat_variable_may_be_set_at (unit, t, n_dims)))
      return !leat_variable_is_hidden (unit, calls, self, decl);
  return FALSE;
}

/* No kernel can write what is __constant__. */
static gboolean
leat_variable_is_set (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatVariable *self)
{
  if (self->decl->flags & LEAT_DECL_IS_CONSTANT)
    return FALSE;
  for (guint i = 0; i < unit->decls->len; i++)
    if (leat_variable_is_mentioned (unit, calls, self, leat_kernel_unit_at (unit, i), TRUE))
      return TRUE;
  return FALSE;
}

/* Calls of an operator cannot be seen by a name. */
static gboolean
leat_variable_is_used (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatVariable *self, guint entry)
{
  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);

      if ((i == entry || (decl->flags & LEAT_DECL_IS_OPERATOR) || leat_kernel_calls_reaches (calls, entry, i))
          && leat_variable_is_mentioned (unit, calls, self, decl, FALSE))
        return TRUE;
    }
  return FALSE;
}

guint
leat_kernel_unit_find_unfilled (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *entry)
{
  g_autoptr (GArray) bare = leat_kernel_unit_list_bare (unit);

  for (guint i = 0; i < bare->len; i++)
    {
      const LeatVariable *variable = &g_array_index (bare, LeatVariable, i);

      if (leat_variable_is_used (unit, calls, variable, (guint) (entry - leat_kernel_unit_at (unit, 0)))
          && !leat_variable_is_set (unit, calls, variable))
        return variable->name;
    }
  return G_MAXUINT;
}

/**
 * leat_kernel_source_only_reads: (skip)
 * @self: a source
 * @entry: one of its kernels
 * @name: a parameter that is a pointer
 *
 * Tells whether all that a kernel does with the items of a pointer is to read them.
 *
 * Returns: %TRUE where nothing is written
 *
 * Since: 0.1
 */
gboolean
leat_kernel_source_only_reads (LeatKernelSource *self, const char *entry, const char *name)
{
  static const char *const before[] = { ".", "->", NULL };
  const LeatDecl *decl = leat_kernel_unit_find_kernel (self->unit, entry);
  const LeatTokens *tokens = self->unit->tokens;
  gboolean reads = FALSE;

  for (guint t = decl != NULL ? decl->body : 0; decl != NULL && t < decl->last; t++)
    {
      if (!leat_tokens_is (tokens, t, name) || leat_tokens_is_any (tokens, t - 1, before))
        continue;
      if (leat_variable_may_be_set_at (self->unit, t, 1))
        return FALSE;
      reads = TRUE;
    }
  return reads;
}

static const LeatVariable *
leat_variable_find (const LeatKernelUnit *unit, GArray *bare, const char *name)
{
  for (guint i = 0; i < bare->len; i++)
    if (leat_tokens_is (unit->tokens, g_array_index (bare, LeatVariable, i).name, name))
      return &g_array_index (bare, LeatVariable, i);
  return NULL;
}

/* The type of its items: the words of the declaration that say nothing of where it lies. */
static gboolean
leat_variable_read_type (const LeatKernelUnit *unit, const LeatVariable *self, LeatKernelType *type)
{
  static const char *const left_out[] = { "__constant__", "__device__", "__managed__", "static",
                                          "const",        "volatile",   NULL };
  g_autoptr (GString) words = g_string_new (NULL);

  for (guint t = self->decl->first; t < self->type_end && !leat_tokens_is (unit->tokens, t, "*"); t++)
    {
      g_autofree char *word = leat_tokens_dup (unit->tokens, t);

      if (!leat_tokens_is_any (unit->tokens, t, left_out))
        g_string_append_printf (words, "%s%s", words->len ? " " : "", word);
    }
  return !leat_tokens_is (unit->tokens, self->name - 1, "*") && leat_kernel_unit_lookup_type (unit, words->str, type);
}

/**
 * leat_kernel_source_check_filled: (skip)
 * @self: a source
 * @entry: one of its kernels
 * @error: return location for %LEAT_KERNEL_ERROR_SOURCE
 *
 * Looks whether all variables at file scope that a kernel reads have a value.
 *
 * Returns: %FALSE where nothing gives one of them a value
 *
 * Since: 0.1
 */
gboolean
leat_kernel_source_check_filled (LeatKernelSource *self, const char *entry, GError **error)
{
  const LeatDecl *decl = leat_kernel_unit_find_kernel (self->unit, entry);
  g_autoptr (LeatKernelCalls) calls = leat_kernel_calls_new (self->unit);
  guint name = leat_kernel_unit_find_unfilled (self->unit, calls, decl);
  g_autofree char *word = name != G_MAXUINT ? leat_tokens_dup (self->unit->tokens, name) : NULL;
  g_autofree char *way = NULL;
  g_autoptr (GArray) bare = NULL;
  LeatKernelType type;

  if (name == G_MAXUINT)
    return TRUE;
  bare = leat_kernel_unit_list_bare (self->unit);
  way = leat_variable_read_type (self->unit, leat_variable_find (self->unit, bare, word), &type)
          ? g_strdup_printf ("set variables=%s=FILE.npy on the node, or a number in place of the file, ", word)
          : g_strdup ("");
  leat_tokens_set_error (self->unit->tokens, name, LEAT_KERNEL_ERROR_SOURCE, error,
                         "kernel %s reads \"%s\", and nothing gives it a value: a CUDA program would copy one there; "
                         "%swrite an initialiser, or make it an input of the kernel",
                         entry, word, way);
  return FALSE;
}

/**
 * leat_kernel_source_find_variable: (skip)
 * @self: a source
 * @name: a `__constant__` or `__device__` variable without an initialiser
 * @type: (out): the type of its items
 * @error: return location for %LEAT_KERNEL_ERROR_SOURCE
 *
 * Looks for a variable that leat_kernel_source_new_filled() can give a value, one item or an array.
 *
 * Returns: whether there is one
 *
 * Since: 0.1
 */
gboolean
leat_kernel_source_find_variable (LeatKernelSource *self, const char *name, LeatKernelType *type, GError **error)
{
  g_autoptr (GArray) bare = leat_kernel_unit_list_bare (self->unit);
  const LeatVariable *variable = leat_variable_find (self->unit, bare, name);

  if (variable == NULL)
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE,
                 "%s has no __constant__ or __device__ variable \"%s\" without an initialiser", self->name, name);
  else if (!leat_variable_read_type (self->unit, variable, type))
    leat_tokens_set_error (
      self->unit->tokens, variable->name, LEAT_KERNEL_ERROR_SOURCE, error,
      "\"%s\" is no number and no array of numbers, and only such are filled; write an initialiser, "
      "or make it an input of the kernel",
      name);
  else
    return TRUE;
  return FALSE;
}

static gboolean
leat_variable_append_item (GString *out, const char *dtype, guint bytes, const void *at)
{
  LeatKernelNumber item = { 0 };

  memcpy (&item, at, bytes);
  if (dtype[0] == 'f')
    {
      double value = bytes == 4 ? item.f : item.d;

      if (!isfinite (value))
        return FALSE;
      g_string_append_printf (out, "%a%s", value, bytes == 4 ? "f" : "");
    }
  else if (dtype[0] == 'u')
    g_string_append_printf (out, "%" G_GUINT64_FORMAT "u%s", item.u, bytes == 8 ? "ll" : "");
  else
    {
      item.i = (gint64) (item.u << (64 - 8 * bytes)) >> (64 - 8 * bytes);
      g_string_append_printf (out, "(%s) %" G_GUINT64_FORMAT "ull", bytes == 8 ? "long long" : "int", (guint64) item.i);
    }
  return TRUE;
}

/* `{ 1, 2 }`, for a bool `{ true, false }`; NULL where an item is no number. */
static char *
leat_variable_dup_items (const LeatKernelType *type, gconstpointer items, guint64 n)
{
  g_autoptr (GString) out = g_string_new ("{ ");

  for (guint64 i = 0; i < n; i++)
    {
      const guint8 *at = (const guint8 *) items + i * type->lane_bytes;

      if (type->is_bool)
        g_string_append (out, *at ? "true" : "false");
      else if (!leat_variable_append_item (out, type->dtype, type->lane_bytes, at))
        return NULL;
      g_string_append (out, ", ");
    }
  g_string_append_c (out, '}');
  return g_string_free (g_steal_pointer (&out), FALSE);
}

/* A source whose variable has values, for the text of each target. */
typedef struct
{
  LeatKernelSource *from;
  char *name;
  char *values; /* as an initialiser */
  guint64 n, bytes;
} LeatFilled;

static void
leat_filled_free (gpointer data)
{
  LeatFilled *self = data;

  leat_kernel_source_unref (self->from);
  g_free (self->name);
  g_free (self->values);
  g_free (self);
}

/* A target whose conditions leave the variable out has no use for its values; where they give it another type, the
 * compiler says so. */
static char *
leat_filled_make (gpointer data, const LeatKernelTarget *target, GError **error)
{
  const LeatFilled *self = data;
  const LeatKernelSource *part = leat_kernel_source_get_for (self->from, target, error);
  g_autoptr (GArray) bare = NULL, edits = NULL;
  const LeatVariable *variable;

  if (part == NULL)
    return NULL;
  bare = leat_kernel_unit_list_bare (part->unit);
  variable = leat_variable_find (part->unit, bare, self->name);
  if (variable == NULL)
    return g_strdup (part->text->text);
  edits = leat_edits_new ();
  leat_edits_insert_after (edits, part->unit->tokens, variable->last, " = %s", self->values);
  leat_edits_insert_after (edits, part->unit->tokens, variable->decl->last,
                           " static_assert (sizeof (%s) == %" G_GUINT64_FORMAT
                           ", \"variable %s is not of the size of the %" G_GUINT64_FORMAT " values for it\");",
                           self->name, self->bytes, self->name, self->n);
  return leat_edits_apply (edits, part->unit->tokens);
}

/**
 * leat_kernel_source_new_filled: (skip)
 * @self: a source
 * @name: a variable that leat_kernel_source_find_variable() finds
 * @items: its lanes, one behind the other
 * @n: how many lanes
 * @error: return location for %LEAT_KERNEL_ERROR_SOURCE
 *
 * Makes a source in which a variable has values, as a CUDA program gives it by `cudaMemcpyToSymbol ()`.
 *
 * Returns: (transfer full): the new source; @self stays as it is
 *
 * Since: 0.1
 */
LeatKernelSource *
leat_kernel_source_new_filled (LeatKernelSource *self, const char *name, gconstpointer items, guint64 n, GError **error)
{
  g_autofree char *values = NULL;
  LeatKernelSource *made;
  LeatKernelType type;
  LeatFilled *filled;

  if (!leat_kernel_source_find_variable (self, name, &type, error))
    return NULL;
  values = leat_variable_dup_items (&type, items, n);
  if (values == NULL)
    {
      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE,
                   "the values of \"%s\" are not all finite numbers, and no others can be an initialiser; make it an "
                   "input of the kernel",
                   name);
      return NULL;
    }
  filled = g_new (LeatFilled, 1);
  *filled =
    (LeatFilled){ leat_kernel_source_ref (self), g_strdup (name), g_steal_pointer (&values), n, n * type.lane_bytes };
  made = leat_kernel_source_new_made (self->name, leat_filled_make, filled, leat_filled_free,
                                      leat_kernel_source_get_asks (self), error);
  if (made != NULL)
    leat_kernel_source_set_strict (made, leat_kernel_source_is_strict (self));
  return made;
}
