/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Goes over LLVM's text of a module, which has an instruction in each line of a function, and settles what is left
 * open. Opaque and typed pointers, and the versions of LLVM from 12 on, differ in nothing that is looked at here. */

#include "leat-image-values-private.h"

#include <string.h>

#define LEAT_VALUES_CONSTRAINED "@llvm.experimental.constrained."
#define LEAT_VALUES_KNOWN       "leat_known_quotient" /* in leat-dialect-host-thread.h */

typedef struct
{
  GString *out;
  GHashTable *written;  /* names of functions of ours, and of LLVM's that are declared */
  GString *definitions; /* of ours, and declarations that were not there */
  GHashTable *pairs;    /* lines */
  gboolean is_known;    /* this function is LEAT_VALUES_KNOWN, whose values are defined as they are */
  GHashTable *shorts;   /* of this function, values of 32 bits that cannot have more than 16 */
} LeatValues;

/* The first of @stops in @text, or its end; not within quotes, nor within brackets. */
static const char *
leat_values_find (const char *text, const char *stops)
{
  gboolean quoted = FALSE;
  int depth = 0;

  for (; *text != '\0'; text++)
    {
      if (*text == '"')
        quoted = !quoted;
      if (quoted)
        continue;
      if (depth == 0 && strchr (stops, *text) != NULL)
        return text;
      if (strchr ("([{<", *text) != NULL)
        depth++;
      else if (strchr (")]}>", *text) != NULL)
        depth--;
    }
  return text;
}

/* The word before the first of @stops; *@text goes behind that, and past the blanks that follow. */
static char *
leat_values_cut (const char **text, const char *stops)
{
  const char *end = leat_values_find (*text, stops);
  char *word = g_strndup (*text, end - *text);

  *text = *end != '\0' ? end + 1 : end;
  while (**text == ' ')
    (*text)++;
  return g_strstrip (word);
}

/* A value that is none becomes one: LLVM makes such of constants that C++ leaves open. */
static void
leat_values_append (LeatValues *self, const char *text)
{
  static const char *const none[] = { "poison", "undef" };
  const char *from = text;
  gboolean quoted = FALSE;

  for (const char *at = text; *at != '\0'; at++)
    {
      quoted ^= *at == '"';
      for (guint i = 0; i < G_N_ELEMENTS (none) && !quoted; i++)
        if (at > text && at[-1] == ' ' && g_str_has_prefix (at, none[i])
            && strchr (" ,)]}>", at[strlen (none[i])]) != NULL)
          {
            g_string_append_len (self->out, from, at - from);
            g_string_append (self->out, "zeroinitializer");
            from = at + strlen (none[i]);
          }
    }
  g_string_append (self->out, from);
}

/* Adds what is defined once; takes @text. */
static void
leat_values_define (LeatValues *self, const char *name, char *text)
{
  if (g_hash_table_add (self->written, g_strdup (name)))
    g_string_append (self->definitions, text);
  g_free (text);
}

/* The operands of a call, from behind its bracket on: those that are values, and the first that is none. */
static GPtrArray *
leat_values_list_operands (const char *text, char **first_word)
{
  GPtrArray *operands = g_ptr_array_new_with_free_func (g_free);

  while (*text != ')' && *text != '\0')
    {
      const char *end = leat_values_find (text, ",)");
      char *operand = g_strndup (text, end - text);

      text = *end == ',' ? end + 1 : end;
      g_strstrip (operand);
      if (!g_str_has_prefix (operand, "metadata "))
        {
          g_ptr_array_add (operands, operand);
          continue;
        }
      if (*first_word == NULL)
        *first_word = g_strdup (operand + strlen ("metadata "));
      g_free (operand);
    }
  return operands;
}

/* A function of LLVM's instead of the one with exceptions, which takes the same values. */
static char *
leat_values_dup_plain_call (LeatValues *self, const char *flags, const char *type, const char *name,
                            GPtrArray *operands)
{
  GString *call = g_string_new (NULL), *declaration = g_string_new (NULL);
  g_autofree char *full = g_strconcat ("llvm.", name, NULL);

  g_string_printf (call, "call %s%s%s @%s(", flags, *flags != '\0' ? " " : "", type, full);
  g_string_printf (declaration, "declare %s @%s(", type, full);
  for (guint i = 0; i < operands->len; i++)
    {
      const char *operand = g_ptr_array_index (operands, i), *end = leat_values_find (operand, " ");

      g_string_append_printf (call, "%s%s", i > 0 ? ", " : "", operand);
      g_string_append_printf (declaration, "%s%.*s", i > 0 ? ", " : "", (int) (end - operand), operand);
    }
  g_string_append_c (call, ')');
  g_string_append (declaration, ")\n");
  leat_values_define (self, full, g_string_free (declaration, FALSE));
  return g_string_free (call, FALSE);
}

/* An operand, with its type or without. */
static const char *
leat_values_get_operand (GPtrArray *operands, guint index)
{
  return index < operands->len ? g_ptr_array_index (operands, index) : "";
}

static const char *
leat_values_get_value (GPtrArray *operands, guint index)
{
  const char *operand = leat_values_get_operand (operands, index), *end = leat_values_find (operand, " ");

  return *end != '\0' ? end + 1 : end;
}

/* The instruction, or plain function, that does what a function with exceptions does. */
static char *
leat_values_dup_unconstrained (LeatValues *self, const char *flags, const char *type, const char *name,
                               GPtrArray *operands, const char *word)
{
  static const char *const binary[] = { "fadd", "fsub", "fmul", "fdiv", "frem", NULL };
  static const char *const casts[] = { "fptosi", "fptoui", "sitofp", "uitofp", "fpext", "fptrunc", NULL };
  g_autofree char *operation = g_strndup (name, strcspn (name, "."));

  if (g_strv_contains (binary, operation))
    return g_strdup_printf ("%s %s%s%s, %s", operation, flags, *flags != '\0' ? " " : "",
                            leat_values_get_operand (operands, 0), leat_values_get_value (operands, 1));
  if (g_strv_contains (casts, operation))
    return g_strdup_printf ("%s %s to %s", operation, leat_values_get_operand (operands, 0), type);
  if (g_str_has_prefix (operation, "fcmp") && g_str_has_prefix (word, "!\""))
    return g_strdup_printf ("fcmp %.*s %s, %s", (int) strcspn (word + 2, "\""), word + 2,
                            leat_values_get_operand (operands, 0), leat_values_get_value (operands, 1));
  return leat_values_dup_plain_call (self, flags, type, name, operands);
}

/* "call contract float @llvm.experimental.constrained.fadd.f32(float %1, float %2, metadata !"...", metadata !"...")
 * #3" becomes "fadd contract float %1, %2".  NULL where @text is another instruction. */
static char *
leat_values_dup_without_exceptions (LeatValues *self, const char *text)
{
  const char *at = strstr (text, LEAT_VALUES_CONSTRAINED), *behind;
  g_autofree char *head = NULL, *name = NULL, *word = NULL, *type = NULL, *plain = NULL;
  g_autoptr (GPtrArray) operands = NULL;
  const char *space;

  if (!g_str_has_prefix (text, "call ") || at == NULL)
    return NULL;
  head = g_strstrip (g_strndup (text + strlen ("call "), at - text - strlen ("call ")));
  space = g_str_has_suffix (head, ">") ? strrchr (head, '<') : strrchr (head, ' ');
  space = space != NULL ? space : head;
  type = g_strstrip (g_strdup (space));
  head[space - head] = '\0';
  at += strlen (LEAT_VALUES_CONSTRAINED);
  name = g_strndup (at, strcspn (at, "("));
  at += strlen (name);
  at += *at == '(' ? 1 : 0;
  operands = leat_values_list_operands (at, &word);
  behind = leat_values_find (leat_values_find (at, ")"), ",");
  plain = leat_values_dup_unconstrained (self, g_strstrip (head), type, name, operands, word != NULL ? word : "!\"\"");
  return g_strconcat (plain, behind, NULL);
}

/* Remembers @name where @text gives it no more than 16 bits: a number without a sign that was widened, or a mask. */
static void
leat_values_note_short (LeatValues *self, const char *name, const char *text)
{
  static const char *const widened[] = { "zext i1 ", "zext i8 ", "zext i16 " };
  const char *mask = g_str_has_prefix (text, "and i32 ") ? leat_values_find (text, ",") : "";
  guint64 bits;
  gboolean is_short =
    g_str_has_prefix (mask, ", ") && g_ascii_string_to_unsigned (mask + 2, 10, 0, G_MAXUINT16, &bits, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (widened); i++)
    is_short = is_short || g_str_has_prefix (text, widened[i]);
  if (is_short)
    g_hash_table_add (self->shorts, g_strdup (name));
}

static gboolean
leat_values_is_short (LeatValues *self, const char *value)
{
  guint64 number;

  return g_hash_table_contains (self->shorts, value)
         || g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT16, &number, NULL);
}

/* A conversion or operation as a call of the function that settles it; NULL where there is nothing to settle. */
static char *
leat_values_dup_settled (LeatValues *self, const char *line, const char *text)
{
  static const char *const conversions[] = { "fptosi", "fptoui", NULL };
  static const char *const operations[] = { "shl", "lshr", "ashr", "sdiv", "udiv", "srem", "urem", NULL };
  static const char *const flags[] = { "nuw", "nsw", "exact", NULL };
  g_autofree char *operation = leat_values_cut (&text, " "), *type = NULL, *value = NULL, *right = NULL, *name = NULL;
  gboolean converts = g_strv_contains (conversions, operation);
  LeatValuesFlags divisions = 0;
  const char *end;
  char *definition = NULL;

  if ((!converts && !g_strv_contains (operations, operation)) || self->is_known)
    return NULL;
  type = leat_values_cut (&text, " ");
  while (g_strv_contains (flags, type))
    {
      g_free (type);
      type = leat_values_cut (&text, " ");
    }
  value = leat_values_cut (&text, converts ? " " : ",");
  if (converts)
    g_free (leat_values_cut (&text, " "));
  end = leat_values_find (text, ",");
  right = g_strndup (text, end - text);
  if (operation[0] == 's' || operation[0] == 'u')
    divisions = (g_str_equal (type, "i32") && leat_values_is_short (self, value) && leat_values_is_short (self, right)
                   ? LEAT_VALUES_SHORT
                   : 0)
                | (g_hash_table_contains (self->pairs, line) ? LEAT_VALUES_PAIRED : 0);
  name = converts ? leat_image_values_dup_conversion (operation, type, right, &definition)
                  : leat_image_values_dup_operation (operation, type, right, divisions, &definition);
  if (name == NULL)
    return NULL;
  leat_values_define (self, name, definition);
  return converts ? g_strdup_printf ("call %s @%s(%s %s)%s", right, name, type, value, end)
                  : g_strdup_printf ("call %s @%s(%s %s, %s %s)%s", type, name, type, value, type, right, end);
}

static void
leat_values_add_instruction (LeatValues *self, const char *line)
{
  const char *equals = leat_values_find (line, "="), *text = g_str_has_prefix (equals, "= ") ? equals + 2 : line;
  g_autofree char *plain = NULL, *settled = NULL;

  if (line[2] == '%' && text > line + 4)
    {
      g_autofree char *name = g_strndup (line + 2, equals - line - 3);

      leat_values_note_short (self, name, text);
      plain = leat_values_dup_without_exceptions (self, text);
      settled = leat_values_dup_settled (self, line, plain != NULL ? plain : text);
    }
  if (plain != NULL || settled != NULL)
    g_string_append_len (self->out, line, text - line);
  leat_values_append (self, settled != NULL ? settled : plain != NULL ? plain : line);
}

static void
leat_values_add_line (LeatValues *self, const char *line)
{
  if (g_str_has_prefix (line, "  "))
    leat_values_add_instruction (self, line);
  else if (g_str_has_prefix (line, "define "))
    {
      self->is_known = strstr (line, LEAT_VALUES_KNOWN) != NULL;
      g_string_append (self->out, line);
    }
  else if (g_str_has_prefix (line, "}"))
    {
      g_hash_table_remove_all (self->shorts);
      g_string_append (self->out, line);
    }
  else if (g_str_has_prefix (line, "attributes #"))
    {
      GString *text = g_string_new (line);

      /* A group without any is refused; nothing throws here. */
      g_string_replace (text, " strictfp", " nounwind", 0);
      g_string_replace (text, " \"strictfp\"", "", 0);
      g_string_append (self->out, text->str);
      g_string_free (text, TRUE);
    }
  else if (!g_str_has_prefix (line, "declare ") || strstr (line, LEAT_VALUES_CONSTRAINED) == NULL)
    g_string_append (self->out, line);
  g_string_append_c (self->out, '\n');
}

/* LLVM's functions that the module declares by itself. */
static void
leat_values_note_declared (LeatValues *self, const char *line)
{
  const char *at = g_str_has_prefix (line, "declare ") ? strstr (line, "@llvm.") : NULL;

  if (at != NULL)
    g_hash_table_add (self->written, g_strndup (at + 1, strcspn (at + 1, "(")));
}

/* Cuts @text at the ends of its lines; they stay in it. (transfer container) (array zero-terminated=1) */
static char **
leat_values_cut_lines (char *text)
{
  GPtrArray *lines = g_ptr_array_new ();
  char *end = text + strlen (text), *next;

  g_ptr_array_add (lines, text);
  for (char *line = text; (next = memchr (line, '\n', end - line)) != NULL; line = next + 1)
    {
      *next = '\0';
      g_ptr_array_add (lines, next + 1);
    }
  g_ptr_array_add (lines, NULL);
  return (char **) g_ptr_array_free (lines, FALSE);
}

char *
leat_image_settle_values (const char *text)
{
  g_autofree char *cut = g_strdup (text);
  g_autofree char **lines = leat_values_cut_lines (cut);
  g_autoptr (GHashTable) written = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GString) definitions = g_string_new (NULL);
  g_autoptr (GHashTable) pairs = leat_image_values_find_pairs (lines);
  g_autoptr (GHashTable) shorts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  LeatValues self = { g_string_sized_new (strlen (text) * 2), written, definitions, pairs, FALSE, shorts };

  for (guint i = 0; lines[i] != NULL; i++)
    leat_values_note_declared (&self, lines[i]);
  for (guint i = 0; lines[i] != NULL; i++)
    leat_values_add_line (&self, lines[i]);
  g_string_append (self.out, definitions->str);
  return g_string_free (self.out, FALSE);
}
