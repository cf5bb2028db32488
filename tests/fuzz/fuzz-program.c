/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz.h"
#include "leat-program-case.h"

#include "kernel/leat-kernel-instance-private.h"
#include "kernel/leat-kernel-source-private.h"

#include <string.h>
#include <unistd.h>

/* CUDA programs with host code: however much of it stands around kernels, they have the ports and the texts that they
 * have alone.  Some programs are then damaged, and must be read to an end. */

#define FUZZ_PROGRAM_SECONDS 20
/* Compilers' texts begin with headers of Leat's. */
#define FUZZ_PROGRAM_MOST(text) (1 << 20) + 64 * strlen (text)

const char *const leat_fuzz_words[] = { "\1\1\1",  "\2\3\2\4", "\10\0\0\1", "\21\1",
                                        "\6\7\10", "\3\3\3\3", "\0\0\0\0",  NULL };

static LeatKernelSource *
program_read (const char *text)
{
  g_autoptr (GError) error = NULL;
  LeatKernelSource *source = leat_kernel_source_new ("/nowhere/t.cu", text, &error);

  g_assert_no_error (error);
  return source;
}

/* @written: what the tokens look at */
static LeatTokens *
program_read_tokens (LeatKernelSource *source, const char *text, LeatKernelText *written)
{
  g_autoptr (GArray) spots = g_array_new (FALSE, FALSE, sizeof (LeatKernelSpot));
  g_autoptr (GError) error = NULL;
  LeatTokens *tokens;

  *written = *leat_kernel_source_get_text (source);
  written->text = (char *) text;
  written->spots = spots;
  tokens = leat_tokens_new (written, &error);
  g_assert_no_error (error);
  return tokens;
}

/* How many of the last @kept open braces that have had nothing but host code in them: `inline namespace a::b {`,
 * `extern "C" {`. */
static guint
program_count_opening (const LeatTokens *tokens, GArray *kept)
{
  static const char *const words[] = { "namespace", "extern", NULL };
  guint n = 1;

  if (kept->len == 0 || !leat_tokens_is (tokens, g_array_index (kept, guint, kept->len - 1), "{"))
    return 0;
  for (n = 2; n <= kept->len; n++)
    {
      guint token = g_array_index (kept, guint, kept->len - n);

      if (leat_tokens_is_any (tokens, token, words))
        return n + (n < kept->len && leat_tokens_is (tokens, g_array_index (kept, guint, kept->len - n - 1), "inline"));
      if (leat_tokens_at (tokens, token)->kind == LEAT_TOKEN_PUNCT && !leat_tokens_is (tokens, token, "::"))
        return 0;
    }
  return 0;
}

/* Of all tokens, those that are no such braces, and no semicolons between declarations. */
static GArray *
program_list_kept (const LeatTokens *tokens)
{
  static const char *const ends[] = { ";", "{", "}", NULL };
  GArray *kept = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; leat_tokens_at (tokens, i)->kind != LEAT_TOKEN_END; i++)
    {
      guint opening = leat_tokens_is (tokens, i, "}") ? program_count_opening (tokens, kept) : 0;

      if (opening > 0)
        g_array_set_size (kept, kept->len - opening);
      else if (!leat_tokens_is (tokens, i, ";")
               || (kept->len > 0 && !leat_tokens_is_any (tokens, g_array_index (kept, guint, kept->len - 1), ends)))
        g_array_append_val (kept, i);
    }
  return kept;
}

static void
program_compare_texts (LeatKernelSource *program, const char *text, LeatKernelSource *alone, const char *alone_text)
{
  LeatKernelText written, alone_written;
  g_autoptr (LeatTokens) a = program_read_tokens (program, text, &written);
  g_autoptr (LeatTokens) b = program_read_tokens (alone, alone_text, &alone_written);
  g_autoptr (GArray) kept_a = program_list_kept (a), kept_b = program_list_kept (b);

  for (guint i = 0; i < MAX (kept_a->len, kept_b->len); i++)
    {
      g_autofree char *word = i < kept_a->len ? leat_tokens_dup (a, g_array_index (kept_a, guint, i)) : NULL;
      g_autofree char *alone_word = i < kept_b->len ? leat_tokens_dup (b, g_array_index (kept_b, guint, i)) : NULL;

      g_assert_cmpstr (word, ==, alone_word);
    }
}

static void
program_compare_prototypes (const LeatPrototype *a, const LeatPrototype *b)
{
  g_assert_cmpuint (a->n_params, ==, b->n_params);
  for (guint i = 0; i < a->n_params; i++)
    {
      g_assert_cmpstr (a->params[i].name, ==, b->params[i].name);
      g_assert_cmpstr (a->params[i].port, ==, b->params[i].port);
      g_assert_cmpint (a->params[i].kind, ==, b->params[i].kind);
      g_assert_cmpuint (a->params[i].item_bytes, ==, b->params[i].item_bytes);
    }
}

static void
program_compare (LeatKernelSource *program, LeatKernelSource *alone)
{
  g_auto (GStrv) a = leat_kernel_source_list_entries (program), b = leat_kernel_source_list_entries (alone);
  g_autoptr (GError) error = NULL;

  g_assert_cmpstrv (a, b);
  for (guint i = 0; a[i] != NULL; i++)
    {
      const LeatPrototype *own = leat_kernel_source_get_prototype (program, a[i], &error);

      g_assert_no_error (error);
      program_compare_prototypes (own, leat_kernel_source_get_prototype (alone, a[i], NULL));
    }
  program_compare_texts (program, leat_kernel_source_get_text (program)->text, alone,
                         leat_kernel_source_get_text (alone)->text);
  program_compare_texts (program, leat_kernel_source_get_host_text (program, &error), alone,
                         leat_kernel_source_get_host_text (alone, NULL));
  g_assert_no_error (error);
  program_compare_texts (program, leat_kernel_source_get_cuda_text (program, &error), alone,
                         leat_kernel_source_get_cuda_text (alone, NULL));
  g_assert_no_error (error);
}

/* Each set is read once. (transfer full) */
static LeatKernelSource *
program_read_alone (const ProgramCase *self)
{
  static LeatKernelSource *known[PROGRAM_SETS];

  if (known[self->number] == NULL)
    {
      g_autofree char *text = program_case_dup_alone (self);

      known[self->number] = program_read (text);
    }
  return leat_kernel_source_ref (known[self->number]);
}

static void
program_check (const ProgramCase *self)
{
  g_autoptr (LeatKernelSource) program = program_read (self->text->str), alone = program_read_alone (self);
  g_autoptr (LeatKernelSource) a = NULL, b = NULL;
  g_autoptr (GError) error = NULL;

  program_compare (program, alone);
  if (self->set->instance == NULL)
    return;
  a = leat_kernel_source_new_instance (program, self->set->instance, &error);
  g_assert_no_error (error);
  b = leat_kernel_source_new_instance (alone, self->set->instance, &error);
  g_assert_no_error (error);
  program_compare (a, b);
}

/* A part is gone, is there twice, or something else stands there. */
static void
program_damage (ProgramCase *self)
{
  static const char *const words[] = { "{",          "}",
                                       "(",          ")",
                                       "<",          ">",
                                       "\"",         "'",
                                       "R\"(",       "/*",
                                       "template <", "namespace {",
                                       "#if 1\n",    "\n#endif\n",
                                       "\\\n",       "operator",
                                       "::",         ";",
                                       ",",          "= {",
                                       "class ",     "__global__ void ",
                                       "[[",         "extern \"C\" {",
                                       "<<<",        ">>>",
                                       "...",        "h1<" };

  for (guint n = 1 + leat_fuzz_choose (self->choices, 4); n > 0 && self->text->len > 0; n--)
    {
      gsize at =
        (leat_fuzz_choose (self->choices, 256) * 256u + leat_fuzz_choose (self->choices, 256)) % self->text->len;
      gsize wanted = 1 + leat_fuzz_choose (self->choices, 200), length = MIN (wanted, self->text->len - at);
      g_autofree char *part = g_strndup (self->text->str + at, length);

      switch (leat_fuzz_choose (self->choices, 3))
        {
        case 0:
          g_string_insert (self->text, at, words[leat_fuzz_choose (self->choices, G_N_ELEMENTS (words))]);
          break;
        case 1:
          g_string_erase (self->text, at, length);
          break;
        default:
          g_string_insert (self->text, at, part);
          break;
        }
    }
}

static void
program_check_size (const char *made, const char *text, const GError *error)
{
  g_assert_true (made != NULL || (error != NULL && error->domain == LEAT_KERNEL_ERROR));
  g_assert_true (made == NULL || strlen (made) < FUZZ_PROGRAM_MOST (text));
}

static void
program_check_damaged (const ProgramCase *self)
{
  g_autoptr (GError) error = NULL, host_error = NULL, cuda_error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("/nowhere/t.cu", self->text->str, &error);
  g_autoptr (LeatKernelSource) made = NULL;
  g_auto (GStrv) entries = NULL;
  const char *host, *cuda;

  if (source == NULL)
    {
      g_assert_true (error->domain == LEAT_KERNEL_ERROR && g_utf8_validate (error->message, -1, NULL));
      return;
    }
  entries = leat_kernel_source_list_entries (source);
  for (guint i = 0; entries[i] != NULL; i++)
    leat_kernel_source_get_prototype (source, entries[i], NULL);
  host = leat_kernel_source_get_host_text (source, &host_error);
  program_check_size (host, self->text->str, host_error);
  cuda = leat_kernel_source_get_cuda_text (source, &cuda_error);
  program_check_size (cuda, self->text->str, cuda_error);
  if (self->set->instance != NULL)
    made = leat_kernel_source_new_instance (source, self->set->instance, NULL);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  LeatFuzzChoices choices = { data, size };
  gboolean is_damaged = leat_fuzz_choose (&choices, 3) == 2;
  ProgramCase program;

  /* A text that takes this long hangs. */
  alarm (FUZZ_PROGRAM_SECONDS);
  program_case_init (&program, &choices);
  if (is_damaged)
    program_damage (&program);
  g_debug ("%s", program.text->str);
  if (is_damaged)
    program_check_damaged (&program);
  else
    program_check (&program);
  program_case_clear (&program);
  return 0;
}
