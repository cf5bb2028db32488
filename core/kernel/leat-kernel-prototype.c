/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Reads a kernel's parameters by the conventions: `const T *` is an input, `T *` an output, a scalar an argument, and
 * the reserved names. */

#include "leat-kernel-plain-private.h"
#include "leat-kernel-queue-private.h"
#include "leat-kernel-texture-private.h"
#include "leat-kernel-transform-private.h"

#include "device/leat-report-block.h"

#include <string.h>

typedef struct
{
  LeatParam param;
  guint token;      /* its name's */
  guint value, end; /* tokens of its default value; none where they are the same */
  guint stars;
  gboolean is_const;
  gboolean is_integer;
  guint lane_bytes;
  gboolean is_signed;
} LeatParamDraft;

static void
leat_param_clear (LeatParam *param)
{
  g_free (param->name);
  g_free (param->port);
  g_free (param->type);
  g_free (param->dtype);
  g_free (param->initial);
  g_free (param->blurb);
}

void
leat_prototype_free (LeatPrototype *self)
{
  for (guint i = 0; i < self->n_params; i++)
    leat_param_clear (&self->params[i]);
  g_free (self->params);
  g_free (self->entry);
  g_free (self->comment);
  g_free (self);
}

static void
leat_param_draft_clear (gpointer data)
{
  leat_param_clear (&((LeatParamDraft *) data)->param);
}

/* A number of a value is called p.gain by users (leat-kernel-fields.c). */
static char *
leat_param_dup_name (const LeatTokens *tokens, guint name)
{
  g_autofree char *word = leat_tokens_dup (tokens, name);
  g_auto (GStrv) parts = g_strsplit (word, "__dot__", -1);

  return g_strjoinv (".", parts);
}

char *
leat_param_dup_word (const LeatParam *param)
{
  g_auto (GStrv) parts = g_strsplit (param->name, ".", -1);

  return g_strjoinv ("__dot__", parts);
}

/* Words, stars, qualifiers and name of one parameter. */
static gboolean
leat_param_draft_read (const LeatKernelUnit *unit, LeatParamDraft *draft, guint first, guint last, GError **error)
{
  static const char *const ignored[] = { "volatile",          "__restrict__", "__restrict", "restrict",
                                         "__grid_constant__", "struct",       NULL };
  const LeatTokens *tokens = unit->tokens;
  g_autoptr (GString) words = g_string_new (NULL);
  g_autoptr (GPtrArray) idents = g_ptr_array_new ();
  guint name = leat_kernel_unit_declared_name (unit, first, last + 1);
  gboolean is_rows = FALSE; /* an array of rows is one array */
  guint n_words = 0;

  draft->value = draft->end = last + 1;
  for (guint i = first; i <= last && !leat_tokens_is (tokens, i, "="); i++)
    {
      if (leat_tokens_is (tokens, i + 1, "="))
        draft->value = MIN (i + 2, draft->end);
      if (leat_kernel_unit_skip_attribute (unit, i) != i)
        i = leat_kernel_unit_skip_attribute (unit, i);
      else if (leat_tokens_is (tokens, i, "const"))
        draft->is_const |= draft->stars == 0;
      else if (leat_tokens_is (tokens, i, "*"))
        draft->stars++;
      else if (leat_tokens_is (tokens, i, "["))
        {
          draft->stars += !is_rows;
          is_rows = TRUE;
          i = leat_tokens_at (tokens, i)->match;
        }
      else if (leat_tokens_is (tokens, i, "(") && leat_tokens_is (tokens, i + 1, "*")
               && leat_tokens_is (tokens, leat_tokens_at (tokens, i)->match + 1, "["))
        is_rows = TRUE; /* `T (*name)[4]` */
      else if (is_rows && leat_tokens_is (tokens, i, ")"))
        continue;
      else if (leat_tokens_is (tokens, i, "&") || leat_tokens_is (tokens, i, "&&") || leat_tokens_is (tokens, i, "("))
        {
          leat_tokens_set_error (
            tokens, i, LEAT_KERNEL_ERROR_PROTOTYPE, error,
            "a kernel takes pointers and plain values; references and function pointers cannot be bound");
          return FALSE;
        }
      else if (!leat_tokens_is_any (tokens, i, ignored) && i != name)
        {
          g_autofree char *word = leat_tokens_dup (tokens, i);

          g_string_append_printf (words, "%s%s", n_words++ ? " " : "", word);
        }
    }
  if (name == G_MAXUINT || n_words == 0)
    {
      leat_tokens_set_error (tokens, first, LEAT_KERNEL_ERROR_PROTOTYPE, error,
                             "this parameter has no name; ports and arguments are called by the names of parameters");
      return FALSE;
    }
  draft->token = name;
  draft->param.name = leat_param_dup_name (tokens, name);
  draft->param.type = g_strdup (words->str);
  draft->param.line = leat_tokens_at (tokens, name)->line;
  draft->param.column = leat_tokens_at (tokens, name)->column;
  return TRUE;
}

/* `LeatQueue<T> work`: T is an array's item, and the rest of the queue is the plan's. */
static gboolean
leat_param_draft_resolve_queue (const LeatKernelUnit *unit, LeatParamDraft *draft, const char *item, GError **error)
{
  LeatKernelType type;

  if (draft->stars > 0)
    {
      leat_tokens_set_error (unit->tokens, draft->token, LEAT_KERNEL_ERROR_PROTOTYPE, error,
                             "\"%s\" is a pointer to a queue; a kernel takes the queue itself: LeatQueue<%s> %s",
                             draft->param.name, item, draft->param.name);
      return FALSE;
    }
  if (!leat_kernel_unit_lookup_type (unit, item, &type) || !leat_kernel_type_is_number (&type))
    {
      leat_tokens_set_error (unit->tokens, draft->token, LEAT_KERNEL_ERROR_PROTOTYPE, error,
                             "\"%s\" is a queue of \"%s\", which it cannot hold; known are float, double, the integer "
                             "types, bool and vectors such as uint4 or double4; of more, queue the number",
                             draft->param.name, item);
      return FALSE;
    }
  g_free (draft->param.type);
  draft->param.type = g_strdup (item);
  draft->param.dtype = g_strdup (type.dtype);
  draft->param.item_bytes = type.lane_bytes * type.lanes;
  draft->param.item_lanes = type.lanes;
  draft->param.kind = LEAT_PARAM_QUEUE;
  return TRUE;
}

/* Programs say `float *x` of what they only read, too; where a kernel leaves its count, it may well not write. */
static void
leat_param_draft_note_reads (const LeatKernelUnit *unit, LeatParamDraft *draft, const LeatDecl *decl)
{
  if (draft->stars == 1 && !draft->is_const && decl->kind == LEAT_DECL_FUNCTION
      && !g_str_has_suffix (draft->param.name, "_count"))
    draft->is_const = leat_kernel_unit_only_reads (unit, decl, draft->token);
}

/* An array of structures is one of records; with pointers in them, of bytes, so many to each; and `void *` is one of
 * single bytes. @record: (out) (nullable) */
static gboolean
leat_param_draft_find_struct (const LeatKernelUnit *unit, const LeatParamDraft *draft, LeatKernelType *type,
                              char **record)
{
  gsize bytes = draft->stars != 1 ? 0
                : g_str_equal (draft->param.type, "void")
                  ? 1
                  : leat_kernel_unit_measure_struct (unit, draft->param.type, record);

  *type = (LeatKernelType){ .dtype = "u8", .lane_bytes = 1, .lanes = (guint) bytes };
  if (*record != NULL)
    *type = (LeatKernelType){ .dtype = *record, .lane_bytes = (guint) bytes, .lanes = 1 };
  return bytes > 0 && bytes <= 65536;
}

/* A texture is what it is read from.  A surface is an input where it is only read, and an output else. */
static gboolean
leat_param_draft_resolve_texture (const LeatKernelUnit *unit, LeatParamDraft *draft, const LeatDecl *decl,
                                  gboolean is_surface, GError **error)
{
  LeatTextureUse use;

  if (draft->stars > 0)
    {
      leat_tokens_set_error (unit->tokens, draft->token, LEAT_KERNEL_ERROR_PROTOTYPE, error,
                             "\"%s\" is a pointer to %s objects; a kernel takes each as a parameter of its own: %s %s",
                             draft->param.name, is_surface ? "surface" : "texture", draft->param.type,
                             draft->param.name);
      return FALSE;
    }
  if (!leat_kernel_unit_find_texture_use (unit, decl, draft->param.name, &use, error))
    return FALSE;
  draft->param.form = use.form;
  draft->param.is_surface = is_surface;
  draft->param.gathers = use.gathers;
  draft->param.kind = is_surface && (use.writes || !use.reads) ? LEAT_PARAM_OUTPUT : LEAT_PARAM_INPUT;
  draft->param.reads_line =
    draft->param.kind == LEAT_PARAM_OUTPUT && use.reads ? leat_tokens_at (unit->tokens, use.read)->line : 0;
  draft->param.item_bytes = sizeof (guint64);
  draft->param.item_lanes = MAX (use.type.lanes, 1);
  draft->param.texel_is_open = use.type.lanes == 0;
  draft->param.dtype = g_strdup (use.type.dtype);
  return TRUE;
}

static gboolean
leat_param_draft_resolve (const LeatKernelUnit *unit, LeatParamDraft *draft, const LeatDecl *decl, GError **error)
{
  g_autofree char *item = leat_kernel_queue_dup_item (draft->param.type), *record = NULL;
  g_autofree char *plain = leat_kernel_unit_dup_plain_type (unit, draft->param.type);
  LeatKernelType type;
  gboolean is_surface;

  if (item != NULL)
    return leat_param_draft_resolve_queue (unit, draft, item, error);
  if (leat_kernel_type_is_texture (plain, &is_surface))
    return leat_param_draft_resolve_texture (unit, draft, decl, is_surface, error);
  if (draft->stars > 1)
    {
      leat_tokens_set_error (unit->tokens, draft->token, LEAT_KERNEL_ERROR_PROTOTYPE, error,
                             "\"%s\" is a pointer to pointers; a port is one array", draft->param.name);
      return FALSE;
    }
  if (!leat_kernel_unit_lookup_type (unit, draft->param.type, &type)
      && !leat_param_draft_find_struct (unit, draft, &type, &record)
      && (draft->stars > 0 || !leat_kernel_unit_lookup_enum (unit, draft->param.type, &type)))
    {
      const char *header = leat_kernel_type_get_header (draft->param.type);
      g_autofree char *hint = header != NULL ? g_strdup_printf ("; #include <%s> for it", header) : g_strdup ("");

      leat_tokens_set_error (
        unit->tokens, draft->token, LEAT_KERNEL_ERROR_PROTOTYPE, error,
        "\"%s\" has the type \"%s\", which %s; known are float, double, the integer types, bool%s%s", draft->param.name,
        draft->param.type, draft->stars ? "a port cannot carry" : "an argument cannot have",
        draft->stars ? " and vectors such as float4" : ", and vectors and structures of these",
        draft->stars ? hint : "");
      return FALSE;
    }
  if (draft->stars == 0 && !leat_kernel_type_is_number (&type))
    {
      leat_tokens_set_error (unit->tokens, draft->token, LEAT_KERNEL_ERROR_PROTOTYPE, error,
                             "\"%s\" is a %s by value, which an argument cannot be; take \"%s %s\" and convert it in "
                             "the kernel, or take an input \"const %s *%s\"",
                             draft->param.name, draft->param.type, type.dtype[0] == 'c' ? "double" : "float",
                             draft->param.name, draft->param.type, draft->param.name);
      return FALSE;
    }
  draft->param.dtype = g_strdup (type.dtype);
  draft->param.item_bytes = type.lane_bytes * type.lanes;
  draft->param.item_lanes = type.lanes;
  draft->param.is_bool = type.is_bool;
  draft->lane_bytes = type.lane_bytes;
  draft->is_integer = type.is_integer && type.lanes == 1;
  draft->is_signed = type.dtype != NULL && type.dtype[0] == 'i';
  if (draft->stars == 0 && draft->value < draft->end)
    draft->param.initial = leat_kernel_unit_dup_default (unit, draft->value, draft->end, &type);
  draft->param.kind = draft->stars == 0 ? LEAT_PARAM_SCALAR : draft->is_const ? LEAT_PARAM_INPUT : LEAT_PARAM_OUTPUT;
  return TRUE;
}

static gboolean
leat_param_draft_is_port (const LeatParamDraft *self)
{
  return self->stars == 1 || self->param.form != LEAT_TEXTURE_NONE;
}

/* The port that @name without @suffix names, or NULL. */
static LeatParamDraft *
leat_prototype_find_port (GArray *drafts, const char *name, const char *suffix)
{
  if (!g_str_has_suffix (name, suffix))
    return NULL;
  for (guint i = 0; i < drafts->len; i++)
    {
      LeatParamDraft *draft = &g_array_index (drafts, LeatParamDraft, i);
      gsize length = strlen (draft->param.name);

      if (leat_param_draft_is_port (draft) && strlen (name) == length + strlen (suffix)
          && strncmp (draft->param.name, name, length) == 0)
        return draft;
    }
  return NULL;
}

static gboolean
leat_prototype_bind_count (const LeatKernelUnit *unit, LeatParamDraft *draft, LeatParamDraft *port, GError **error)
{
  gboolean output = port->param.kind == LEAT_PARAM_OUTPUT;
  gboolean is_u64 = draft->is_integer && draft->lane_bytes == 8 && !draft->is_signed;
  const char *rule = output ? "the count of an output is written by the kernel: uint64_t *"
                            : "the count of an input is a value: uint64_t ";

  if (output ? (draft->stars != 1 || draft->is_const || !is_u64) : (draft->stars != 0 || !draft->is_integer))
    {
      leat_tokens_set_error (unit->tokens, draft->token, LEAT_KERNEL_ERROR_PROTOTYPE, error, "\"%s\": %s%s",
                             draft->param.name, rule, draft->param.name);
      return FALSE;
    }
  draft->param.kind = output ? LEAT_PARAM_OUTPUT_COUNT : LEAT_PARAM_INPUT_COUNT;
  draft->param.port = g_strdup (port->param.name);
  return TRUE;
}

static gboolean
leat_prototype_bind_shape (const LeatKernelUnit *unit, LeatParamDraft *draft, LeatParamDraft *port, LeatParamKind kind,
                           guint dim, GError **error)
{
  if (draft->stars != 0 || !draft->is_integer)
    {
      leat_tokens_set_error (unit->tokens, draft->token, LEAT_KERNEL_ERROR_PROTOTYPE, error,
                             "\"%s\" is part of the shape of \"%s\" and must be an integer value", draft->param.name,
                             port->param.name);
      return FALSE;
    }
  draft->param.kind = kind;
  draft->param.port = g_strdup (port->param.name);
  draft->param.dim = dim;
  return TRUE;
}

/* Gives reserved names their meaning. */
static gboolean
leat_prototype_bind (const LeatKernelUnit *unit, GArray *drafts, LeatParamDraft *draft, GError **error)
{
  LeatParamDraft *port = leat_prototype_find_port (drafts, draft->param.name, "_count");

  if (port != NULL && port != draft)
    return leat_prototype_bind_count (unit, draft, port, error);
  port = leat_prototype_find_port (drafts, draft->param.name, "_capacity");
  if (port != NULL)
    return leat_prototype_bind_shape (unit, draft, port, LEAT_PARAM_CAPACITY, 0, error);
  for (guint dim = 0; dim < 8; dim++)
    {
      char suffix[] = { '_', 'd', 'i', 'm', '0' + dim, '\0' };

      port = leat_prototype_find_port (drafts, draft->param.name, suffix);
      if (port != NULL)
        return leat_prototype_bind_shape (unit, draft, port, LEAT_PARAM_DIM, dim, error);
    }
  if (draft->stars > 0 || draft->param.form != LEAT_TEXTURE_NONE)
    draft->param.port = g_strdup (draft->param.name);
  return TRUE;
}

/* The text of the comment that ends right before @decl, without its marks. */
static char *
leat_prototype_dup_comment (const LeatKernelUnit *unit, const LeatDecl *decl)
{
  const char *text = unit->tokens->text->text;
  guint end = leat_tokens_at (unit->tokens, decl->first)->offset;
  g_autoptr (GString) joined = g_string_new (NULL);
  g_auto (GStrv) lines = NULL;

  for (guint i = unit->tokens->comments->len; i-- > 0;)
    {
      const LeatTokenGap *gap = &g_array_index (unit->tokens->comments, LeatTokenGap, i);
      guint newlines = 0;
      gboolean blank = TRUE;

      if (gap->offset >= end)
        continue;
      for (guint p = gap->offset + gap->length; p < end; p++)
        {
          newlines += text[p] == '\n';
          blank = blank && g_ascii_isspace (text[p]);
        }
      if (!blank || newlines > 1)
        break;
      g_string_prepend_c (joined, '\n');
      g_string_prepend_len (joined, text + gap->offset, gap->length);
      end = gap->offset;
      if (text[gap->offset + 1] == '*')
        break;
    }
  lines = g_strsplit (joined->str, "\n", -1);
  g_string_truncate (joined, 0);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      char *line = g_strstrip (lines[i]);

      if (g_str_has_suffix (line, "*/"))
        line[strlen (line) - 2] = '\0';
      line += strspn (line, "/*");
      g_strstrip (line);
      if (*line != '\0' && joined->len > 0)
        g_string_append_c (joined, '\n');
      g_string_append (joined, line);
    }
  return joined->len > 0 ? g_utf8_make_valid (joined->str, joined->len) : NULL;
}

static char *
leat_param_dup_blurb (const LeatParam *param)
{
  if (param->kind != LEAT_PARAM_OUTPUT)
    return NULL;
  if (param->form != LEAT_TEXTURE_NONE)
    return g_strdup_printf ("the surface \"%s\" is an output, since the kernel writes it", param->name);
  return g_strdup_printf ("\"%s *%s\" is an output, since it is not const and may be written; update=%s gives it an "
                          "input %s_in, and as \"const %s *%s\" it is an input",
                          param->type, param->name, param->name, param->name, param->type, param->name);
}

static LeatPrototype *
leat_prototype_finish (const LeatKernelUnit *unit, const LeatDecl *decl, GArray *drafts)
{
  LeatPrototype *self = g_new0 (LeatPrototype, 1);

  self->entry = leat_kernel_unit_dup_full_name (unit, decl);
  self->line = leat_tokens_at (unit->tokens, decl->name)->line;
  self->comment = leat_prototype_dup_comment (unit, decl);
  self->n_params = drafts->len;
  self->params = g_new0 (LeatParam, drafts->len);
  for (guint i = 0; i < drafts->len; i++)
    {
      LeatParamDraft *draft = &g_array_index (drafts, LeatParamDraft, i);

      self->params[i] = draft->param;
      self->params[i].blurb = leat_param_dup_blurb (&draft->param);
      memset (&draft->param, 0, sizeof draft->param);
    }
  return self;
}

static gboolean
leat_prototype_check_queues (const LeatKernelUnit *unit, GArray *drafts, GError **error)
{
  guint n = 0;

  for (guint i = 0; i < drafts->len; i++)
    {
      const LeatParamDraft *draft = &g_array_index (drafts, LeatParamDraft, i);

      if (draft->param.kind != LEAT_PARAM_QUEUE || n++ < LEAT_QUEUES_MOST)
        continue;
      leat_tokens_set_error (unit->tokens, draft->token, LEAT_KERNEL_ERROR_PROTOTYPE, error,
                             "\"%s\" is one queue too many: a kernel has at most %d", draft->param.name,
                             LEAT_QUEUES_MOST);
      return FALSE;
    }
  return TRUE;
}

static gboolean
leat_prototype_check_name (const LeatKernelUnit *unit, GArray *drafts, const LeatParamDraft *draft, GError **error)
{
  for (guint i = 0; i < drafts->len; i++)
    {
      const LeatParamDraft *other = &g_array_index (drafts, LeatParamDraft, i);

      if (other == draft || g_strcmp0 (other->param.name, draft->param.name) != 0)
        continue;
      leat_tokens_set_error (unit->tokens, draft->token, LEAT_KERNEL_ERROR_PROTOTYPE, error,
                             "two parameters are called \"%s\"; ports and arguments need names of their own",
                             draft->param.name);
      return FALSE;
    }
  return TRUE;
}

LeatPrototype *
leat_kernel_unit_parse_prototype (const LeatKernelUnit *unit, const LeatDecl *decl, GError **error)
{
  const LeatKernelUnit seen = leat_kernel_unit_seen_from (unit, decl), *self = &seen;
  guint close = leat_tokens_at (self->tokens, decl->params)->match;
  g_autoptr (GArray) pieces = leat_kernel_unit_split (self, decl->params + 1, close);
  g_autoptr (GArray) drafts = g_array_new (FALSE, TRUE, sizeof (LeatParamDraft));

  g_array_set_clear_func (drafts, leat_param_draft_clear);
  if (pieces->len == 2 && leat_tokens_is (self->tokens, decl->params + 1, "void") && close == decl->params + 2)
    return leat_prototype_finish (self, decl, drafts);
  for (guint i = 0; i < pieces->len; i += 2)
    {
      guint first = g_array_index (pieces, guint, i), last = g_array_index (pieces, guint, i + 1);
      LeatParamDraft *draft;

      g_array_set_size (drafts, drafts->len + 1);
      draft = &g_array_index (drafts, LeatParamDraft, drafts->len - 1);
      if (!leat_param_draft_read (self, draft, first, last, error))
        return NULL;
      leat_param_draft_note_reads (self, draft, decl);
      if (!leat_param_draft_resolve (self, draft, decl, error)
          || !leat_prototype_check_name (self, drafts, draft, error))
        return NULL;
    }
  for (guint i = 0; i < drafts->len; i++)
    if (!leat_prototype_bind (self, drafts, &g_array_index (drafts, LeatParamDraft, i), error))
      return NULL;
  if (!leat_prototype_check_queues (self, drafts, error))
    return NULL;
  return leat_prototype_finish (self, decl, drafts);
}
