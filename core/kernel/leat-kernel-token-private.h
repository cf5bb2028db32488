/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-source.h"
#include "leat-kernel-texts-private.h"

G_BEGIN_DECLS

/* The compute capability, times ten, that the CPU driver describes itself with. */
#define LEAT_KERNEL_ARCH 800

/* A device that a text is preprocessed for. */
typedef struct
{
  gboolean is_cuda; /* LEAT_CUDA is defined, else LEAT_HOST */
  guint arch;       /* __CUDA_ARCH__: 800 */
  gboolean has_lanes;
} LeatKernelTarget;

/* The questions that a text asks of its target, so that another target may have another text. */
typedef enum
{
  LEAT_KERNEL_ASKED_DEVICE = 1 << 0,
  LEAT_KERNEL_ASKED_ARCH = 1 << 1,
  LEAT_KERNEL_ASKED_LANES = 1 << 2,
} LeatKernelAsked;

/* From this byte on, up to the end of the line, columns are so many more than the text has. */
typedef struct
{
  guint offset;
  gint shift;
} LeatKernelSpot;

/* A kernel's text behind the preprocessor: of directives there are #line, #pragma and, for names of the dialect, #undef
 * alone.  `labels` are the names that the #line directives carry (base names, so that the text does not depend on where
 * the file lies), `files` the names that messages carry; both are in step. */
typedef struct
{
  char *text;
  guint64 hash; /* of it */
  GPtrArray *files;
  GPtrArray *labels;
  GPtrArray *asked;     /* paths of files on which the text depends, whether or not they are there */
  GPtrArray *passed;    /* char*: headers that were passed over, and may be a program's own */
  GArray *spots;        /* LeatKernelSpot, by offset */
  char *whole;          /* (nullable): with what no kernel comes to, if something was left out (leat-kernel-plain.c) */
  GPtrArray *overloads; /* char*: what users call kernels that share a name, `k(const float *)` */
  guint asks;           /* LeatKernelAsked */
  char *name;           /* what it was made of */
  char **defines;
  LeatKernelTexts *texts;
} LeatKernelText;

/* For this machine's CPU, and for all where nothing is asked. @defines: (nullable): NAME or NAME=VALUE */
LeatKernelText *leat_kernel_text_new (const char *name, const char *text, const char *const *defines, GError **error);
/* The same files for another target. */
LeatKernelText *leat_kernel_text_new_for (const LeatKernelText *self, const LeatKernelTarget *target, GError **error);
void leat_kernel_text_free (LeatKernelText *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatKernelText, leat_kernel_text_free)

typedef enum
{
  LEAT_TOKEN_IDENT,
  LEAT_TOKEN_NUMBER,
  LEAT_TOKEN_STRING,
  LEAT_TOKEN_CHAR,
  LEAT_TOKEN_PUNCT,
  LEAT_TOKEN_END,
} LeatTokenKind;

/* `match` is the partner of a bracket. */
typedef struct
{
  LeatTokenKind kind;
  guint offset, length;
  guint file, line, column;
  guint match;
} LeatToken;

/* A comment or a preprocessor line: a stretch of text that is not code. */
typedef struct
{
  guint offset, length;
  guint file, line, column;
} LeatTokenGap;

/* The code tokens of a text, closed by one LEAT_TOKEN_END. */
typedef struct
{
  const LeatKernelText *text;
  GArray *tokens;
  GArray *comments;
  GArray *directives;
} LeatTokens;

LeatTokens *leat_tokens_new (const LeatKernelText *text, GError **error);
void leat_tokens_free (LeatTokens *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatTokens, leat_tokens_free)

const LeatToken *leat_tokens_at (const LeatTokens *self, guint index);
gboolean leat_tokens_is (const LeatTokens *self, guint index, const char *word);
/* Whether the token is one of the NULL-terminated @words. */
gboolean leat_tokens_is_any (const LeatTokens *self, guint index, const char *const *words);
char *leat_tokens_dup (const LeatTokens *self, guint index);
/* The tokens from @first to @last (both included), one blank between them. */
char *leat_tokens_dup_range (const LeatTokens *self, guint first, guint last);
/* The text itself from @first to @last. */
char *leat_tokens_dup_text (const LeatTokens *self, guint first, guint last);
/* "file:line:column" of a token. */
char *leat_tokens_dup_place (const LeatTokens *self, guint index);
void leat_tokens_set_error (const LeatTokens *self, guint index, LeatKernelError code, GError **error,
                            const char *format, ...) G_GNUC_PRINTF (5, 6);

G_END_DECLS
