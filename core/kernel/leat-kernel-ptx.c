/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* `asm ("..." : outputs : inputs : clobbers)` of a kernel file as a block of C++ for the CPU: a variable for each
 * operand, the statements, and what goes back to the outputs. */

#include "leat-kernel-ptx-private.h"

#include <string.h>

typedef struct
{
  char *constraint;
  guint first, last; /* its expression */
} LeatAsmOperand;

typedef struct
{
  guint keyword, open, text;
  char *code; /* the strings, joined */
  GArray *operands;
  guint outputs; /* of them, the first so many */
} LeatAsm;

static void
leat_asm_operand_clear (gpointer data)
{
  g_free (((LeatAsmOperand *) data)->constraint);
}

static void
leat_asm_free (LeatAsm *self)
{
  g_free (self->code);
  g_array_unref (self->operands);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatAsm, leat_asm_free)

static gboolean
leat_asm_is_keyword (const LeatTokens *tokens, guint token)
{
  static const char *const words[] = { "asm", "__asm__", "__asm", NULL };

  return leat_tokens_at (tokens, token)->kind == LEAT_TOKEN_IDENT && leat_tokens_is_any (tokens, token, words);
}

/* The characters of a literal, "..." or R"x(...)x". */
static char *
leat_asm_dup_string (const LeatTokens *tokens, guint token)
{
  g_autofree char *word = leat_tokens_dup (tokens, token);
  char *open = strchr (word, '"'), *end = strrchr (word, '"');

  if (open == NULL || end == open)
    return g_strdup ("");
  if (open > word && open[-1] == 'R')
    {
      gsize mark = strcspn (open + 1, "(");
      char *first = open + 1 + mark + (open[1 + mark] != '\0');

      return end - first > (gssize) mark ? g_strndup (first, end - first - mark - 1) : g_strdup ("");
    }
  *end = '\0';
  return g_strcompress (open + 1);
}

/* Appends the literals from @token on to @text; returns what follows them. */
static guint
leat_asm_read_strings (const LeatTokens *tokens, guint token, GString *text)
{
  for (; leat_tokens_at (tokens, token)->kind == LEAT_TOKEN_STRING; token++)
    {
      g_autofree char *part = leat_asm_dup_string (tokens, token);

      g_string_append (text, part);
    }
  return token;
}

/* `"=r" (x)` from @token on; returns what follows it, or G_MAXUINT where it is no operand. */
static guint
leat_asm_read_operand (LeatAsm *self, const LeatTokens *tokens, guint token)
{
  LeatAsmOperand operand = { NULL };
  g_autoptr (GString) constraint = g_string_new (NULL);
  guint close;

  token = leat_asm_read_strings (tokens, token, constraint);
  close = leat_tokens_is (tokens, token, "(") ? leat_tokens_at (tokens, token)->match : G_MAXUINT;
  operand.constraint = g_strdup (constraint->str);
  operand.first = token + 1;
  operand.last = close - 1;
  g_array_append_val (self->operands, operand);
  return close == G_MAXUINT || close == token + 1 ? G_MAXUINT : close + 1;
}

/* NULL where it is not written as `asm` is. */
static LeatAsm *
leat_asm_new (const LeatTokens *tokens, guint keyword)
{
  static const char *const qualifiers[] = { "volatile", "__volatile__", "__volatile", "inline", "__inline__", NULL };
  g_autoptr (LeatAsm) self = g_new0 (LeatAsm, 1);
  g_autoptr (GString) code = g_string_new (NULL);
  guint token = keyword + 1, part = 0;

  self->operands = g_array_new (FALSE, FALSE, sizeof (LeatAsmOperand));
  g_array_set_clear_func (self->operands, leat_asm_operand_clear);
  while (leat_tokens_is_any (tokens, token, qualifiers))
    token++;
  if (!leat_tokens_is (tokens, token, "("))
    return NULL;
  self->keyword = keyword;
  self->open = token;
  self->text = token + 1;
  token = leat_asm_read_strings (tokens, self->text, code);
  self->code = g_strdup (code->str);
  while (token < leat_tokens_at (tokens, self->open)->match && token != G_MAXUINT)
    {
      part += leat_tokens_is (tokens, token, ":") ? 1 : leat_tokens_is (tokens, token, "::") ? 2 : 0;
      if (leat_tokens_is (tokens, token, ":") || leat_tokens_is (tokens, token, "::")
          || leat_tokens_is (tokens, token, ",") || part > 2)
        token++;
      else if (part == 0)
        return NULL;
      else
        {
          token = leat_asm_read_operand (self, tokens, token);
          self->outputs = part == 1 ? self->operands->len : self->outputs;
        }
    }
  return token != G_MAXUINT ? g_steal_pointer (&self) : NULL;
}

static const char *
leat_asm_operand_get_type (const LeatAsmOperand *self)
{
  switch (self->constraint[strspn (self->constraint, "=+&")])
    {
    case 'h':
      return "unsigned short";
    case 'r':
      return "unsigned int";
    case 'l':
      return "unsigned long long";
    case 'n':
      return "long long";
    case 'f':
      return "float";
    case 'd':
      return "double";
    default:
      return NULL;
    }
}

/* unsigned int leat_a0 = leat_ptx_get<unsigned int> (x); and of an output its place, which is looked up once. */
static gboolean
leat_asm_append_operands (const LeatAsm *self, const LeatTokens *tokens, GArray *edits, GString *out, GError **error)
{
  for (guint i = 0; i < self->operands->len; i++)
    {
      const LeatAsmOperand *operand = &g_array_index (self->operands, LeatAsmOperand, i);
      const char *type = leat_asm_operand_get_type (operand);
      g_autofree char *value = leat_edits_apply_range (edits, tokens, operand->first, operand->last);

      if (type == NULL)
        {
          leat_tokens_set_error (tokens, self->keyword, LEAT_KERNEL_ERROR_SYNTAX, error,
                                 "a CPU has no asm operand \"%s\"; h, r, l, f, d and n are those of PTX",
                                 operand->constraint);
          return FALSE;
        }
      if (i < self->outputs)
        g_string_append_printf (out, "auto &leat_o%u = (%s); ", i, value);
      if (i >= self->outputs || operand->constraint[0] == '+')
        g_string_append_printf (out, "%s leat_a%u = leat_ptx_get<%s> (%s%s); ", type, i, type,
                                i < self->outputs ? "leat_o" : "", i < self->outputs ? "" : value);
      else
        g_string_append_printf (out, "%s leat_a%u = 0; ", type, i);
      if (i < self->outputs && operand->constraint[0] == '+')
        {
          g_string_truncate (out, out->len - strlen ("); "));
          g_string_append_printf (out, "%u); ", i);
        }
    }
  return TRUE;
}

static gboolean
leat_asm_edit (const LeatAsm *self, const LeatTokens *tokens, const char *carry, GArray *edits, GError **error)
{
  g_autoptr (GString) out = g_string_new ("do { ");
  g_autofree char *problem = NULL, *statements = NULL;

  statements = leat_ptx_dup_statements (self->code, self->operands->len, carry, &problem);
  if (statements == NULL)
    {
      leat_tokens_set_error (tokens, self->keyword, LEAT_KERNEL_ERROR_SYNTAX, error, "%s", problem);
      return FALSE;
    }
  if (!leat_asm_append_operands (self, tokens, edits, out, error))
    return FALSE;
  g_string_append (out, statements);
  for (guint i = 0; i < self->outputs; i++)
    g_string_append_printf (out, "leat_ptx_set (leat_o%u, leat_a%u); ", i, i);
  g_string_append (out, "} while (0)");
  leat_edits_replace (edits, tokens, self->keyword, leat_tokens_at (tokens, self->open)->match, "%s", out->str);
  return TRUE;
}

/* One that says nothing only keeps the compiler from moving code, here too. */
static gboolean
leat_asm_says_nothing (const LeatAsm *self)
{
  return self->code[strspn (self->code, " \t\n;")] == '\0';
}

gboolean
leat_kernel_unit_edit_assembly (const LeatKernelUnit *self, GArray *edits, GError **error)
{
  for (guint i = 0; i < self->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self, i);
      const char *carry = decl->kind == LEAT_DECL_TYPE ? "leat_ptx_carry_of_types" : "leat_ptx_carry";

      for (guint token = decl->first; token < decl->last && !(decl->flags & LEAT_DECL_IS_VARIANT); token++)
        {
          g_autoptr (LeatAsm) found =
            leat_asm_is_keyword (self->tokens, token) ? leat_asm_new (self->tokens, token) : NULL;

          if (found != NULL && !leat_asm_says_nothing (found)
              && !leat_asm_edit (found, self->tokens, carry, edits, error))
            return FALSE;
        }
    }
  return TRUE;
}

gboolean
leat_tokens_assembly_waits (const LeatTokens *self, guint token)
{
  static const char *const waits[] = { "bar.", "barrier.", "vote.", "activemask", "nanosleep" };
  g_autoptr (LeatAsm) found = leat_asm_is_keyword (self, token) ? leat_asm_new (self, token) : NULL;

  for (guint i = 0; found != NULL && i < G_N_ELEMENTS (waits); i++)
    if (strstr (found->code, waits[i]) != NULL)
      return TRUE;
  return FALSE;
}

gboolean
leat_kernel_ptx_is_member (const char *word)
{
  static const char *const registers[] = { "tid_",
                                           "ntid_",
                                           "ctaid_",
                                           "nctaid_",
                                           "laneid",
                                           "warpid",
                                           "nwarpid",
                                           "smid",
                                           "nsmid",
                                           "lanemask_",
                                           "clock",
                                           "globaltimer",
                                           "dynamic_smem_size",
                                           "total_smem_size",
                                           "cvta_shared",
                                           "cvta_to_shared",
                                           "bar_sync",
                                           "bar_warp_sync",
                                           "nanosleep",
                                           "trap",
                                           "activemask",
                                           "vote_",
                                           "carry" };
  const char *name = word + strlen ("leat_ptx_");

  if (!g_str_has_prefix (word, "leat_ptx_"))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (registers); i++)
    if (g_str_has_prefix (name, registers[i]))
      return TRUE;
  return g_str_equal (name, "shared");
}
