/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The text of an `asm` in PTX: its instructions, one after the other, become statements of C++. */

#include "leat-kernel-ptx-private.h"

#include <string.h>

#define LEAT_PTX_MOST_REGISTERS 4096 /* of one asm */

/* Without comments. */
static char *
leat_ptx_dup_code (const char *text)
{
  GString *out = g_string_new (NULL);

  while (*text != '\0')
    {
      const char *end = g_str_has_prefix (text, "//")   ? strchr (text, '\n')
                        : g_str_has_prefix (text, "/*") ? strstr (text + 2, "*/")
                                                        : text;

      if (end == text)
        g_string_append_c (out, *text++);
      else
        {
          g_string_append_c (out, ' ');
          text = end == NULL ? text + strlen (text) : *text == '/' && text[1] == '*' ? end + 2 : end;
        }
    }
  return g_string_free (out, FALSE);
}

/* Cuts at commas that are in no brackets. */
static GPtrArray *
leat_ptx_split (const char *text)
{
  GPtrArray *pieces = g_ptr_array_new_with_free_func (g_free);
  int depth = 0;
  const char *begin = text;

  for (;; text++)
    {
      depth += *text == '[' || *text == '{' ? 1 : *text == ']' || *text == '}' ? -1 : 0;
      if (*text != '\0' && (*text != ',' || depth > 0))
        continue;
      if (text > begin || *text == ',')
        g_ptr_array_add (pieces, g_strstrip (g_strndup (begin, text - begin)));
      if (*text == '\0')
        return pieces;
      begin = text + 1;
    }
}

/* What is between the brackets around @word, of which the first is there; NULL with a problem where the last is not. */
static char *
leat_ptx_dup_inner (LeatPtxReader *self, const char *word)
{
  gsize length = strlen (word);

  if (length > 1 && word[length - 1] == (*word == '[' ? ']' : '}'))
    return g_strstrip (g_strndup (word + 1, length - 2));
  leat_ptx_fail (self, "the brackets of \"%s\" are not closed", word);
  return NULL;
}

/* A value that is read. */
static gboolean
leat_ptx_append_input (LeatPtxReader *self, const LeatPtxInstruction *instruction, const char *word)
{
  g_string_append (self->out, instruction->flush ? "leat_ptx_of (leat_ptx_flush (" : "leat_ptx_of ((");
  if (!leat_ptx_append_operand (self, word))
    return FALSE;
  g_string_append (self->out, "))");
  return TRUE;
}

/* call (inputs from the word @first on) */
static gboolean
leat_ptx_append_call (LeatPtxReader *self, const LeatPtxInstruction *instruction, const char *call, GPtrArray *words,
                      guint first)
{
  g_string_append_printf (self->out, "%s (%s", call, instruction->carry ? self->carry : "");
  for (guint i = first; i < words->len; i++)
    {
      if (i > first || instruction->carry)
        g_string_append (self->out, ", ");
      if (!leat_ptx_append_input (self, instruction, g_ptr_array_index (words, i)))
        return FALSE;
    }
  g_string_append_c (self->out, ')');
  return TRUE;
}

/* `p|q` of a comparison: the second is what the first is not. */
static gboolean
leat_ptx_append_result (LeatPtxReader *self, const LeatPtxInstruction *instruction, GPtrArray *words)
{
  g_auto (GStrv) both = NULL;

  if (words->len != instruction->inputs + 1)
    return leat_ptx_fail (self, "this PTX instruction has %u operands and takes %u", words->len,
                          instruction->inputs + 1);
  both = g_strsplit (g_ptr_array_index (words, 0), "|", 2);
  g_string_append (self->out, "leat_ptx_set (");
  if (!leat_ptx_append_operand (self, both[0]))
    return FALSE;
  g_string_append_printf (self->out, ", %s%s", instruction->flush ? "leat_ptx_flush (" : "(",
                          instruction->limit ? "leat_ptx_limit (" : "(");
  if (!leat_ptx_append_call (self, instruction, instruction->call->str, words, 1))
    return FALSE;
  g_string_append (self->out, instruction->cut->len > 0 ? "), " : ")");
  if (instruction->cut->len > 0 && !leat_ptx_append_call (self, instruction, instruction->cut->str, words, 1))
    return FALSE;
  g_string_append (self->out, "));");
  if (both[1] == NULL)
    return TRUE;
  g_string_append (self->out, " leat_ptx_set (");
  if (!leat_ptx_append_operand (self, both[1]))
    return FALSE;
  g_string_append (self->out, ", !(");
  if (!leat_ptx_append_operand (self, both[0]))
    return FALSE;
  g_string_append (self->out, "));");
  return TRUE;
}

/* mov.b64 %0, {%1, %2}, and the other way about */
static gboolean
leat_ptx_append_move (LeatPtxReader *self, const LeatPtxInstruction *instruction, GPtrArray *words)
{
  gboolean packs = words->len == 2 && *(char *) g_ptr_array_index (words, 1) == '{';
  gboolean cuts = words->len == 2 && *(char *) g_ptr_array_index (words, 0) == '{';
  g_autofree char *inner = packs || cuts ? leat_ptx_dup_inner (self, g_ptr_array_index (words, packs ? 1 : 0)) : NULL;
  g_autoptr (GPtrArray) halves = inner != NULL ? leat_ptx_split (inner) : NULL;
  const char *half = strstr (instruction->type, "long") != NULL ? "unsigned int" : "unsigned short";
  const char *whole = strstr (instruction->type, "long") != NULL ? "unsigned long long" : "unsigned int";

  if (halves == NULL)
    return !packs && !cuts && leat_ptx_append_result (self, instruction, words);
  if (halves->len != 2 || (packs && cuts))
    return leat_ptx_fail (self, "on a CPU mov joins or parts two registers, and no other number of them");
  if (packs)
    {
      g_string_append (self->out, "leat_ptx_set (");
      if (!leat_ptx_append_operand (self, g_ptr_array_index (words, 0)))
        return FALSE;
      g_string_append_printf (self->out, ", leat_ptx_pack<%s, %s> (", whole, half);
      if (!leat_ptx_append_input (self, instruction, g_ptr_array_index (halves, 0)))
        return FALSE;
      g_string_append (self->out, ", ");
      if (!leat_ptx_append_input (self, instruction, g_ptr_array_index (halves, 1)))
        return FALSE;
      g_string_append (self->out, "));");
      return TRUE;
    }
  g_string_append_printf (self->out, "{ const %s leat_whole = ", whole);
  if (!leat_ptx_append_input (self, instruction, g_ptr_array_index (words, 1)))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    {
      g_string_append (self->out, "; leat_ptx_set (");
      if (!g_str_equal (g_ptr_array_index (halves, i), "_")
          && !leat_ptx_append_operand (self, g_ptr_array_index (halves, i)))
        return FALSE;
      if (g_str_equal (g_ptr_array_index (halves, i), "_"))
        g_string_truncate (self->out, self->out->len - strlen ("; leat_ptx_set ("));
      else
        g_string_append_printf (self->out, ", leat_ptx_%s<%s> (leat_whole))", i == 0 ? "low" : "high", half);
    }
  g_string_append (self->out, "; }");
  return TRUE;
}

/* `[%1 + 8]` as a variable of its own */
static gboolean
leat_ptx_append_address (LeatPtxReader *self, const LeatPtxInstruction *instruction, const char *word)
{
  g_autofree char *inner = NULL, *base = NULL;
  const char *plus;

  if (*word != '[')
    return leat_ptx_fail (self, "an address is in brackets, and not \"%s\"", word);
  inner = leat_ptx_dup_inner (self, word);
  if (inner == NULL)
    return FALSE;
  plus = *inner != '\0' ? strpbrk (inner + 1, "+-") : NULL;
  base = g_strstrip (g_strndup (inner, plus != NULL ? (gsize) (plus - inner) : strlen (inner)));
  g_string_append_printf (self->out, "{ const size_t leat_at = %s ((size_t) leat_ptx_as<unsigned long long> (",
                          instruction->shared ? "leat_ptx_shared" : "(size_t)");
  if (!leat_ptx_append_operand (self, base))
    return FALSE;
  g_string_append (self->out, ")");
  if (plus != NULL)
    {
      g_autofree char *rest = g_strstrip (g_strdup (plus + 1));

      g_string_append_printf (self->out, " %c (", *plus);
      if (!leat_ptx_append_operand (self, rest))
        return FALSE;
      g_string_append_c (self->out, ')');
    }
  g_string_append (self->out, "); ");
  return TRUE;
}

/* Of one register, or of each of those in braces: `leat_ptx_set (%0, load (leat_at + 4));`, `store (leat_at, %1);` */
static gboolean
leat_ptx_append_transfer (LeatPtxReader *self, const LeatPtxInstruction *instruction, GPtrArray *words)
{
  gboolean loads = instruction->form == LEAT_PTX_LOAD;
  const char *registers = words->len == 2 ? g_ptr_array_index (words, loads ? 0 : 1) : "";
  g_autofree char *inner = *registers == '{' ? leat_ptx_dup_inner (self, registers) : g_strdup (registers);
  g_autoptr (GPtrArray) list = inner != NULL ? leat_ptx_split (inner) : NULL;

  if (list == NULL)
    return FALSE;
  if (words->len != 2 || list->len != instruction->parts)
    return leat_ptx_fail (self, "this PTX instruction takes an address and %u register%s", instruction->parts,
                          instruction->parts == 1 ? "" : "s");
  if (!leat_ptx_append_address (self, instruction, g_ptr_array_index (words, loads ? 1 : 0)))
    return FALSE;
  for (guint i = 0; i < list->len; i++)
    {
      g_string_append (self->out, loads ? "leat_ptx_set (" : "");
      if (loads && !leat_ptx_append_operand (self, g_ptr_array_index (list, i)))
        return FALSE;
      g_string_append_printf (self->out, "%s%s (leat_at + %u * sizeof (%s)", loads ? ", " : "", instruction->call->str,
                              i, instruction->type);
      g_string_append (self->out, loads ? ")" : ", ");
      if (!loads && !leat_ptx_append_input (self, instruction, g_ptr_array_index (list, i)))
        return FALSE;
      g_string_append (self->out, "); ");
    }
  g_string_append_c (self->out, '}');
  return TRUE;
}

/* atom.global.add.u32 %0, [%1], %2 */
static gboolean
leat_ptx_append_change (LeatPtxReader *self, const LeatPtxInstruction *instruction, GPtrArray *words)
{
  guint address = instruction->result ? 1 : 0;

  if (words->len != address + 1 + instruction->inputs)
    return leat_ptx_fail (self, "this PTX instruction has %u operands and takes %u", words->len,
                          address + 1 + instruction->inputs);
  if (!leat_ptx_append_address (self, instruction, g_ptr_array_index (words, address)))
    return FALSE;
  g_string_append (self->out, instruction->result ? "leat_ptx_set (" : "");
  if (instruction->result && !leat_ptx_append_operand (self, g_ptr_array_index (words, 0)))
    return FALSE;
  g_string_append_printf (self->out, "%s%s (leat_at", instruction->result ? ", " : "", instruction->call->str);
  for (guint i = address + 1; i < words->len; i++)
    {
      g_string_append (self->out, ", ");
      if (!leat_ptx_append_input (self, instruction, g_ptr_array_index (words, i)))
        return FALSE;
    }
  g_string_append_printf (self->out, ")%s; }", instruction->result ? ")" : "");
  return TRUE;
}

static gboolean
leat_ptx_append_instruction (LeatPtxReader *self, const char *name, const char *operands)
{
  const char *why;
  g_autoptr (LeatPtxInstruction) instruction = leat_ptx_instruction_new (name, &why);
  g_autoptr (GPtrArray) words = leat_ptx_split (operands);

  if (instruction == NULL)
    return leat_ptx_fail (self, "a CPU has no PTX instruction \"%s\"; %s", name,
                          why != NULL ? why
                                      : "write it in C++, or keep it for GPUs between #ifdef LEAT_CUDA and #else");
  switch (instruction->form)
    {
    case LEAT_PTX_NOTHING:
      return TRUE;
    case LEAT_PTX_MOVE:
      return leat_ptx_append_move (self, instruction, words);
    case LEAT_PTX_LOAD:
    case LEAT_PTX_STORE:
      return leat_ptx_append_transfer (self, instruction, words);
    case LEAT_PTX_CHANGE:
      return leat_ptx_append_change (self, instruction, words);
    default:
      if (instruction->result)
        return leat_ptx_append_result (self, instruction, words);
      if (words->len > instruction->inputs)
        return leat_ptx_fail (self, "on a CPU \"%s\" takes no more than %u operand%s", name, instruction->inputs,
                              instruction->inputs == 1 ? "" : "s");
      if (!leat_ptx_append_call (self, instruction, instruction->call->str, words, 0))
        return FALSE;
      g_string_append (self->out, ";");
      return TRUE;
    }
}

/* .reg .u32 t, u<3>; */
static gboolean
leat_ptx_append_registers (LeatPtxReader *self, const char *text)
{
  g_auto (GStrv) words = g_strsplit_set (text, " \t\n", 2);
  const char *type = words[0] != NULL && words[0][0] == '.' ? leat_ptx_get_type (words[0] + 1) : NULL;
  g_autoptr (GPtrArray) names = leat_ptx_split (words[0] != NULL && words[1] != NULL ? words[1] : "");

  if (type == NULL)
    return leat_ptx_fail (self, "a CPU has no PTX register of type \"%s\"", words[0] != NULL ? words[0] : "");
  for (guint i = 0; i < names->len; i++)
    {
      char *name = g_ptr_array_index (names, i), *angle = strchr (name, '<');
      guint count = angle != NULL ? (guint) MIN (g_ascii_strtoull (angle + 1, NULL, 10), G_MAXINT) : 1;

      if (angle != NULL)
        *angle = '\0';
      if (*name == '\0' || strspn (name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_") != strlen (name))
        return leat_ptx_fail (self, "on a CPU a PTX register has a name of C, and not \"%s\"", name);
      if (g_hash_table_size (self->known) + count > LEAT_PTX_MOST_REGISTERS)
        return leat_ptx_fail (self, "on a CPU an asm has at most %d PTX registers; declare those that it uses",
                              LEAT_PTX_MOST_REGISTERS);
      for (guint k = 0; k < count; k++)
        {
          char *full = angle != NULL ? g_strdup_printf ("%s%u", name, k) : g_strdup (name);

          g_string_append_printf (self->out, "%s leat_r_%s = 0; ", type, full);
          g_hash_table_add (self->known, full);
        }
    }
  return TRUE;
}

/* One statement, without its semicolon. */
static gboolean
leat_ptx_append_statement (LeatPtxReader *self, const char *text)
{
  const char *operands;
  g_autofree char *name = NULL;

  if (g_str_has_prefix (text, ".reg"))
    {
      g_autofree char *rest = g_strstrip (g_strdup (text + strlen (".reg")));

      return leat_ptx_append_registers (self, rest);
    }
  if (*text == '@')
    {
      gsize length = strcspn (text, " \t\n");
      g_autofree char *guard = g_strndup (text + 1, length - 1);

      g_string_append (self->out, "if (");
      if (!leat_ptx_append_operand (self, guard))
        return FALSE;
      g_string_append (self->out, ") ");
      text += length + strspn (text + length, " \t\n");
    }
  operands = text + strcspn (text, " \t\n");
  name = g_strndup (text, operands - text);
  if (strchr (name, ':') != NULL && strstr (name, "::") == NULL)
    return leat_ptx_fail (self, "a CPU has no PTX label; write the branch to \"%s\" in C++", name);
  g_string_append (self->out, "{ ");
  if (!leat_ptx_append_instruction (self, name, operands))
    return FALSE;
  g_string_append (self->out, " } ");
  return TRUE;
}

char *
leat_ptx_dup_statements (const char *text, guint operands, const char *carry, char **problem)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *code = leat_ptx_dup_code (text);
  g_autoptr (GString) out = g_string_new (NULL);
  LeatPtxReader self = { out, carry, operands, known, problem };
  int depth = 0;

  for (const char *at = code + strspn (code, " \t\n;"); *at != '\0'; at += strspn (at, " \t\n;"))
    {
      gsize length = strcspn (at, ";");
      g_autofree char *statement = NULL;

      if (*at == '{' || *at == '}')
        {
          depth += *at == '{' ? 1 : -1;
          g_string_append_printf (out, "%c ", *at++);
          if (depth < 0)
            break;
          continue;
        }
      statement = g_strstrip (g_strndup (at, length));
      if (!leat_ptx_append_statement (&self, statement))
        return NULL;
      at += length;
    }
  if (depth != 0)
    {
      *problem = g_strdup ("the braces of this PTX are not closed");
      return NULL;
    }
  return g_strdup (out->str);
}
