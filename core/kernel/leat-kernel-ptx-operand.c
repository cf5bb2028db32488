/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What an operand of a PTX instruction stands for: a variable, a register that only the runtime knows, a number. */

#include "leat-kernel-ptx-private.h"

#include <string.h>

gboolean
leat_ptx_fail (LeatPtxReader *self, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  *self->problem = g_strdup_vprintf (format, args);
  va_end (args);
  return FALSE;
}

/* A register that only the runtime knows, behind its percent signs. */
static gboolean
leat_ptx_append_special (LeatPtxReader *self, const char *name)
{
  static const char *const known[] = { "tid.x",
                                       "tid.y",
                                       "tid.z",
                                       "ntid.x",
                                       "ntid.y",
                                       "ntid.z",
                                       "ctaid.x",
                                       "ctaid.y",
                                       "ctaid.z",
                                       "nctaid.x",
                                       "nctaid.y",
                                       "nctaid.z",
                                       "laneid",
                                       "warpid",
                                       "nwarpid",
                                       "smid",
                                       "nsmid",
                                       "lanemask_eq",
                                       "lanemask_lt",
                                       "lanemask_le",
                                       "lanemask_gt",
                                       "lanemask_ge",
                                       "clock",
                                       "clock_hi",
                                       "clock64",
                                       "globaltimer",
                                       "globaltimer_lo",
                                       "globaltimer_hi",
                                       "dynamic_smem_size",
                                       "total_smem_size",
                                       NULL };
  g_autofree char *plain = g_strdelimit (g_strdup (name), ".", '_');

  if (!g_strv_contains (known, name))
    return leat_ptx_fail (self, "a CPU has no PTX register \"%%%s\"; write what it stands for in C++", name);
  g_string_append_printf (self->out, "leat_ptx_%s ()", plain);
  return TRUE;
}

/* `%0`, `%laneid`, `%%laneid` */
static gboolean
leat_ptx_append_percent (LeatPtxReader *self, const char *word)
{
  const char *name = word + strspn (word, "%");
  guint64 number = g_ascii_strtoull (name, NULL, 10);

  if (!g_ascii_isdigit (*name))
    return leat_ptx_append_special (self, name);
  if (number >= self->operands)
    return leat_ptx_fail (self, "there is no operand \"%s\"; this asm has %u, from %%0 on", word, self->operands);
  g_string_append_printf (self->out, "leat_a%u", (guint) number);
  return TRUE;
}

/* 12, -0x3U, 0f3F800000, 0d3FF0000000000000, 1.5 */
static gboolean
leat_ptx_append_number (LeatPtxReader *self, const char *word)
{
  const char *digits = word + (*word == '-');
  char *end;
  guint64 number;

  if (digits[0] == '0' && digits[1] != '\0' && strchr ("fFdD", digits[1]) != NULL)
    {
      number = g_ascii_strtoull (digits + 2, &end, 16);
      g_string_append_printf (self->out, "%sleat_bits<%s> (0x%" G_GINT64_MODIFIER "x%s)", *word == '-' ? "-" : "",
                              g_ascii_tolower (digits[1]) == 'f' ? "float" : "double", number,
                              g_ascii_tolower (digits[1]) == 'f' ? "u" : "ull");
    }
  else if (strpbrk (digits, ".") != NULL)
    {
      g_ascii_strtod (digits, &end);
      g_string_append (self->out, word);
    }
  else
    {
      number = g_ascii_strtoull (digits, &end, 0);
      end += *end == 'U';
      g_string_append_printf (self->out, "%s0x%" G_GINT64_MODIFIER "xll", *word == '-' ? "-" : "", number);
    }
  return *end == '\0' || leat_ptx_fail (self, "\"%s\" is no number of PTX", word);
}

/* The variable or number that @word stands for. */
gboolean
leat_ptx_append_operand (LeatPtxReader *self, const char *word)
{
  if (*word == '!')
    {
      g_string_append_c (self->out, '!');
      word++;
    }
  if (*word == '%')
    return leat_ptx_append_percent (self, word);
  if (g_ascii_isdigit (*word) || *word == '-')
    return leat_ptx_append_number (self, word);
  if (g_hash_table_contains (self->known, word))
    {
      g_string_append_printf (self->out, "leat_r_%s", word);
      return TRUE;
    }
  return leat_ptx_fail (
    self, "there is no PTX register \"%s\"; declare it with .reg, or give the variable as an operand", word);
}
