/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The bytes of the file that is read, and what lies between its tokens: blanks, comments, line ends.  A backslash at
 * the end of a line joins it with the next, in the midst of a token too, though not in a raw string. */

#include "leat-preprocessor-private.h"

const char *
leat_pp_find_spliced (const char *p)
{
  const char *q = p + 1 + strspn (p + 1, " \t\v\f\r");

  return *q == '\n' ? q + 1 : NULL;
}

char
leat_pp_peek (LeatPreprocessorFile *file)
{
  while (G_UNLIKELY (*file->at == '\\'))
    {
      const char *next = leat_pp_find_spliced (file->at);

      if (next == NULL)
        break;
      file->at = file->line_start = next;
      file->line++;
      file->spliced = TRUE;
    }
  return *file->at;
}

void
leat_pp_step (LeatPreprocessorFile *file)
{
  /* A file may end behind a spliced line. */
  if (G_UNLIKELY (*file->at == '\0'))
    return;
  if (*file->at == '\n')
    {
      file->line++;
      file->line_start = file->at + 1;
    }
  file->at++;
}

void
leat_pp_peek_ahead (const LeatPreprocessorFile *file, char *bytes, guint n)
{
  LeatPreprocessorFile copy = *file;

  for (guint i = 0; i < n; i++)
    {
      bytes[i] = leat_pp_peek (&copy);
      if (bytes[i] != '\0')
        leat_pp_step (&copy);
    }
}

/* Past the comment at `/`; FALSE where it has no end. */
static gboolean
leat_pp_skip_comment (LeatPreprocessorFile *file, gboolean line)
{
  while (line ? leat_pp_peek (file) != '\n' && *file->at != '\0' : *file->at != '\0')
    {
      char c = leat_pp_peek (file);

      leat_pp_step (file);
      if (!line && c == '*' && leat_pp_peek (file) == '/')
        {
          leat_pp_step (file);
          return TRUE;
        }
    }
  return line;
}

/* The kind of comment at `/`: the second byte of its mark, or 0 for none. */
static char
leat_pp_get_comment (const LeatPreprocessorFile *file)
{
  char bytes[2];

  if (file->at[1] != '/' && file->at[1] != '*' && file->at[1] != '\\')
    return '\0';
  leat_pp_peek_ahead (file, bytes, 2);
  return bytes[1] == '/' || bytes[1] == '*' ? bytes[1] : '\0';
}

static gboolean
leat_pp_copies (const LeatPreprocessor *self)
{
  return self->contexts->len == 0 && self->collecting == 0 && !self->in_directive && self->text != NULL;
}

/* Past the comment at hand, which goes into the text where blanks do. */
static gboolean
leat_pp_pass_comment (LeatPreprocessor *self, char kind)
{
  LeatPreprocessorFile *file = self->file;
  const char *begin = file->at;
  guint line = file->line, column = file->at - file->line_start + 1;

  leat_pp_step (file);
  leat_pp_peek (file);
  leat_pp_step (file);
  if (!leat_pp_skip_comment (file, kind == '/'))
    {
      leat_pp_fail (self, line, column, "this comment is never closed");
      return FALSE;
    }
  if (leat_pp_copies (self))
    leat_pp_write_blanks (self, begin, file->at, line);
  return TRUE;
}

gboolean
leat_pp_skip_blanks (LeatPreprocessor *self)
{
  LeatPreprocessorFile *file = self->file;
  const char *start = file->at;

  for (;;)
    {
      char c = leat_pp_peek (file), comment;
      const char *begin = file->at;

      while (*file->at == ' ' || *file->at == '\t' || *file->at == '\v' || *file->at == '\f' || *file->at == '\r')
        file->at++;
      if (file->at > begin)
        {
          if (leat_pp_copies (self))
            leat_pp_write_blanks (self, begin, file->at, file->line);
        }
      else if (c == '\n' && !self->in_directive)
        {
          if (leat_pp_copies (self))
            leat_pp_write_blanks (self, begin, begin + 1, file->line);
          leat_pp_step (file);
          file->fresh = TRUE;
        }
      else if (c == '/' && (comment = leat_pp_get_comment (file)) != '\0')
        {
          if (!leat_pp_pass_comment (self, comment))
            return TRUE;
        }
      else
        return file->at > start;
    }
}
