/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Graphs in text, for `csr:read`: lines of edges, and Matrix Market files.  Adds to the caller's edges only; errors
 * name the line. */

#include "leat-csr-text.h"

#include <math.h>
#include <string.h>

#define LEAT_CSR_TEXT_WORDS   6
#define LEAT_CSR_TEXT_LETTERS 63 /* of a word that is a number */

/* Where a reader stands, and the words of the line before it. */
typedef struct
{
  const char *name, *at, *end;
  guint64 line;
  const char *words[LEAT_CSR_TEXT_WORDS];
  gsize lengths[LEAT_CSR_TEXT_WORDS];
  guint n_words; /* one more than there is room for where there are more */
  int side;      /* of the diagonal, where the entries of a symmetric matrix are: -1 below, 1 above, 0 not known */
} LeatCsrText;

static gboolean leat_csr_text_refuse (const LeatCsrText *self, GError **error, const char *format, ...)
  G_GNUC_PRINTF (3, 4);

static gboolean
leat_csr_text_refuse (const LeatCsrText *self, GError **error, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, "%s:%" G_GUINT64_FORMAT ": %s", self->name, self->line,
               what);
  return FALSE;
}

static gboolean
leat_csr_text_is_space (char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == ',';
}

/* The next line; FALSE at the end. */
static gboolean
leat_csr_text_next_line (LeatCsrText *self)
{
  const char *stop;

  if (self->at == self->end)
    return FALSE;
  stop = memchr (self->at, '\n', (gsize) (self->end - self->at));
  stop = stop != NULL ? stop : self->end;
  self->line++;
  self->n_words = 0;
  while (self->at < stop && self->n_words <= LEAT_CSR_TEXT_WORDS)
    {
      const char *word;

      while (self->at < stop && leat_csr_text_is_space (*self->at))
        self->at++;
      word = self->at;
      while (self->at < stop && !leat_csr_text_is_space (*self->at))
        self->at++;
      if (self->at > word && self->n_words < LEAT_CSR_TEXT_WORDS)
        {
          self->words[self->n_words] = word;
          self->lengths[self->n_words] = (gsize) (self->at - word);
        }
      self->n_words += self->at > word;
    }
  self->at = stop < self->end ? stop + 1 : self->end;
  return TRUE;
}

static gboolean
leat_csr_text_is_comment (const LeatCsrText *self)
{
  return self->n_words == 0 || self->words[0][0] == '#' || self->words[0][0] == '%';
}

static gboolean
leat_csr_text_parse_whole (const LeatCsrText *self, guint word, guint64 most, guint64 *number, GError **error)
{
  int letters = (int) MIN (self->lengths[word], LEAT_CSR_TEXT_LETTERS);

  *number = 0;
  for (gsize i = 0; i < self->lengths[word]; i++)
    {
      char c = self->words[word][i];

      if (!g_ascii_isdigit (c))
        return leat_csr_text_refuse (self, error, "\"%.*s\" is not a whole number from 0", letters, self->words[word]);
      *number = *number * 10 + (guint64) (c - '0');
      if (*number > most)
        return leat_csr_text_refuse (self, error, "%.*s is too large; at most %" G_GUINT64_FORMAT " will do", letters,
                                     self->words[word], most);
    }
  return TRUE;
}

static gboolean
leat_csr_text_parse_weight (const LeatCsrText *self, guint word, LeatCsrEdges *edges, float *weight, GError **error)
{
  char letters[LEAT_CSR_TEXT_LETTERS + 1];
  gsize n = MIN (self->lengths[word], LEAT_CSR_TEXT_LETTERS);
  double value;
  char *end;

  memcpy (letters, self->words[word], n);
  letters[n] = '\0';
  value = g_ascii_strtod (letters, &end);
  *weight = (float) value;
  if (n == self->lengths[word] && n > 0 && end == letters + n && isfinite (*weight))
    {
      leat_csr_rounding_add_text (&edges->rounding, letters, value);
      return TRUE;
    }
  return leat_csr_text_refuse (self, error, "the weight \"%s\" is not a finite number", letters);
}

static gboolean
leat_csr_text_add (const LeatCsrText *self, LeatCsrEdges *edges, guint64 from, guint64 to, const float *weight,
                   GError **error)
{
  guint32 ends[2] = { (guint32) from, (guint32) to };

  if (edges->from->len == G_MAXUINT32 / sizeof (guint32) - 1)
    return leat_csr_text_refuse (self, error, "more than %u edges in text; use .npy files", edges->from->len);
  g_array_append_val (edges->from, ends[0]);
  g_array_append_val (edges->to, ends[1]);
  if (weight != NULL)
    g_array_append_vals (edges->weights, weight, 1);
  return TRUE;
}

static gboolean
leat_csr_text_read_edge (LeatCsrText *self, LeatCsrEdges *edges, GError **error)
{
  gboolean weighted = self->n_words == 3;
  guint64 from, to;
  float weight = 0;

  if (self->n_words < 2 || self->n_words > 3)
    return leat_csr_text_refuse (self, error, "expected \"from to\" or \"from to weight\"");
  if (edges->from->len > 0 && weighted != (edges->weights->len > 0))
    return leat_csr_text_refuse (self, error, "this edge has %s, and those before it have %s; give all one or none",
                                 weighted ? "a weight" : "no weight", weighted ? "none" : "one");
  if (!leat_csr_text_parse_whole (self, 0, LEAT_CSR_MOST_VERTICES - 1, &from, error)
      || !leat_csr_text_parse_whole (self, 1, LEAT_CSR_MOST_VERTICES - 1, &to, error)
      || (weighted && !leat_csr_text_parse_weight (self, 2, edges, &weight, error)))
    return FALSE;
  edges->vertices = MAX (edges->vertices, MAX (from, to) + 1);
  return leat_csr_text_add (self, edges, from, to, weighted ? &weight : NULL, error);
}

gboolean
leat_csr_text_read_edges (LeatCsrEdges *edges, const char *name, const char *text, gsize size, GError **error)
{
  LeatCsrText self = { .name = name, .at = text, .end = text + size };

  while (leat_csr_text_next_line (&self))
    if (!leat_csr_text_is_comment (&self) && !leat_csr_text_read_edge (&self, edges, error))
      return FALSE;
  return TRUE;
}

static gboolean
leat_csr_text_has (const LeatCsrText *self, guint word, const char *wanted)
{
  return self->lengths[word] == strlen (wanted)
         && g_ascii_strncasecmp (self->words[word], wanted, self->lengths[word]) == 0;
}

/* Where a banner is mistyped, the line of sizes would be taken for an edge. */
static gboolean
leat_csr_text_resembles_banner (const LeatCsrText *self)
{
  static const char *const words[] = { "coordinate", "array",   "matrix",    "real",      "integer",       "pattern",
                                       "complex",    "general", "symmetric", "hermitian", "skew-symmetric" };
  guint n_words = MIN (self->n_words, LEAT_CSR_TEXT_WORDS), n = 0;
  gboolean layout = FALSE;

  for (guint i = 0; i < n_words; i++)
    for (guint k = 0; k < G_N_ELEMENTS (words); k++)
      if (leat_csr_text_has (self, i, words[k]))
        {
          n++;
          layout = layout || k < 2;
        }
  return n > 2 || (n > 1 && layout);
}

/* Do the letters of the line begin with the name, whatever is between them? */
static gboolean
leat_csr_text_is_named (const LeatCsrText *self)
{
  const char *wanted = "matrixmarket", *at = wanted;
  guint n_words = MIN (self->n_words, LEAT_CSR_TEXT_WORDS);

  for (guint i = 0; i < n_words; i++)
    for (gsize k = 0; k < self->lengths[i] && *at != '\0'; k++)
      if (g_ascii_isalpha (self->words[i][k]) && g_ascii_tolower (self->words[i][k]) != *at++)
        return FALSE;
  return *at == '\0';
}

gboolean
leat_csr_text_find_banner (const char *text, gsize size)
{
  LeatCsrText self = { .at = text, .end = text + size };

  while (leat_csr_text_next_line (&self) && leat_csr_text_is_comment (&self))
    if (leat_csr_text_is_named (&self) || leat_csr_text_resembles_banner (&self))
      return TRUE;
  return FALSE;
}

/* `%%MatrixMarket matrix coordinate real general` and its like. */
static gboolean
leat_csr_text_read_banner (LeatCsrText *self, gboolean *weighted, gboolean *whole, gboolean *symmetric, GError **error)
{
  if (!leat_csr_text_next_line (self) || self->n_words != 5 || !leat_csr_text_has (self, 0, "%%MatrixMarket")
      || !leat_csr_text_has (self, 1, "matrix"))
    return leat_csr_text_refuse (self, error,
                                 "a Matrix Market file begins with \"%%%%MatrixMarket matrix coordinate FIELD "
                                 "SYMMETRY\"; for lines of edges use format=edges");
  if (!leat_csr_text_has (self, 2, "coordinate"))
    return leat_csr_text_refuse (self, error, "the matrix is dense (\"%.*s\"); a graph is \"coordinate\"",
                                 (int) MIN (self->lengths[2], LEAT_CSR_TEXT_LETTERS), self->words[2]);
  *whole = leat_csr_text_has (self, 3, "integer");
  *weighted = *whole || leat_csr_text_has (self, 3, "real");
  if (!*weighted && !leat_csr_text_has (self, 3, "pattern"))
    return leat_csr_text_refuse (self, error, "entries are \"%.*s\"; real, integer and pattern can be read",
                                 (int) MIN (self->lengths[3], LEAT_CSR_TEXT_LETTERS), self->words[3]);
  *symmetric = leat_csr_text_has (self, 4, "symmetric");
  if (!*symmetric && !leat_csr_text_has (self, 4, "general"))
    return leat_csr_text_refuse (self, error, "the matrix is \"%.*s\"; general and symmetric ones can be read",
                                 (int) MIN (self->lengths[4], LEAT_CSR_TEXT_LETTERS), self->words[4]);
  return TRUE;
}

static gboolean
leat_csr_text_read_size (LeatCsrText *self, guint64 *vertices, guint64 *entries, GError **error)
{
  guint64 columns;

  do
    if (!leat_csr_text_next_line (self))
      return leat_csr_text_refuse (self, error, "the line with rows, columns and entries is missing");
  while (leat_csr_text_is_comment (self));
  if (self->n_words != 3)
    return leat_csr_text_refuse (self, error, "expected how many rows, columns and entries there are");
  if (!leat_csr_text_parse_whole (self, 0, LEAT_CSR_MOST_VERTICES, vertices, error)
      || !leat_csr_text_parse_whole (self, 1, LEAT_CSR_MOST_VERTICES, &columns, error)
      || !leat_csr_text_parse_whole (self, 2, LEAT_CSR_MOST_EDGES, entries, error))
    return FALSE;
  if (*vertices == columns)
    return TRUE;
  return leat_csr_text_refuse (
    self, error, "%" G_GUINT64_FORMAT " rows and %" G_GUINT64_FORMAT " columns; a graph is a square matrix", *vertices,
    columns);
}

static gboolean
leat_csr_text_is_whole (const LeatCsrText *self, guint word)
{
  for (gsize i = 0; i < self->lengths[word]; i++)
    if (!g_ascii_isdigit (self->words[word][i]) && (i > 0 || strchr ("+-", self->words[word][i]) == NULL))
      return FALSE;
  return TRUE;
}

/* A symmetric matrix has an entry for each pair; one whose pairs are there twice would get its edges twice. */
static gboolean
leat_csr_text_check_side (LeatCsrText *self, guint64 from, guint64 to, GError **error)
{
  int side = from < to ? 1 : from > to ? -1 : self->side;

  if (self->side != 0 && side != self->side)
    return leat_csr_text_refuse (self, error,
                                 "a symmetric matrix has entries on one side of its diagonal, and this one is on the "
                                 "other; say general where both sides are there");
  self->side = side;
  return TRUE;
}

static gboolean
leat_csr_text_read_entry (LeatCsrText *self, LeatCsrEdges *edges, gboolean weighted, gboolean whole, gboolean symmetric,
                          GError **error)
{
  guint64 from, to;
  float weight = 0;

  if (self->n_words != (weighted ? 3 : 2))
    return leat_csr_text_refuse (self, error, "expected \"row column%s\"", weighted ? " value" : "");
  if (!leat_csr_text_parse_whole (self, 0, edges->vertices, &from, error)
      || !leat_csr_text_parse_whole (self, 1, edges->vertices, &to, error)
      || (weighted && !leat_csr_text_parse_weight (self, 2, edges, &weight, error)))
    return FALSE;
  if (whole && !leat_csr_text_is_whole (self, 2))
    return leat_csr_text_refuse (self, error, "\"%.*s\" is not a whole number, and the banner says integer; say real",
                                 (int) MIN (self->lengths[2], LEAT_CSR_TEXT_LETTERS), self->words[2]);
  if (from == 0 || to == 0)
    return leat_csr_text_refuse (self, error, "rows and columns are counted from 1");
  if (symmetric && !leat_csr_text_check_side (self, from, to, error))
    return FALSE;
  return leat_csr_text_add (self, edges, from - 1, to - 1, weighted ? &weight : NULL, error);
}

gboolean
leat_csr_text_read_matrix (LeatCsrEdges *edges, const char *name, const char *text, gsize size, gboolean *symmetric,
                           GError **error)
{
  LeatCsrText self = { .name = name, .at = text, .end = text + size };
  guint64 entries = 0, found = 0;
  gboolean weighted = FALSE, whole = FALSE;

  if (!leat_csr_text_read_banner (&self, &weighted, &whole, symmetric, error)
      || !leat_csr_text_read_size (&self, &edges->vertices, &entries, error))
    return FALSE;
  while (leat_csr_text_next_line (&self))
    if (!leat_csr_text_is_comment (&self))
      {
        if (++found > entries)
          return leat_csr_text_refuse (&self, error,
                                       "there are more than the %" G_GUINT64_FORMAT " entries it promises", entries);
        if (!leat_csr_text_read_entry (&self, edges, weighted, whole, *symmetric, error))
          return FALSE;
      }
  return found == entries
         || leat_csr_text_refuse (&self, error,
                                  "%" G_GUINT64_FORMAT " entries are promised and %" G_GUINT64_FORMAT " are there",
                                  entries, found);
}
