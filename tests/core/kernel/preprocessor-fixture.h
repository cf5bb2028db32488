/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A folder for the files of a test. */
typedef struct
{
  char *folder;
} PreprocessorFixture;

/* /leat/preprocessor/NAME, with a folder of its own. */
void preprocessor_fixture_add (const char *name, void (*test) (PreprocessorFixture *, gconstpointer));
/* Its path. (transfer full) */
char *preprocessor_fixture_write (PreprocessorFixture *self, const char *name, const char *text);

/* The tokens of a text that went through a preprocessor, a line each, by rules that are not Leat's.  Digraphs are what
 * they stand for, as one of the two spells them so. (transfer full) */
char *preprocessor_dup_tokens (const char *text);
/* What the preprocessor makes of a file; NULL with an error. */
char *preprocessor_dup_own_tokens (const char *path, GError **error);
/* Fails where g++'s has other tokens for it, or only one of the two refuses it; FALSE where both do. */
gboolean preprocessor_check_same (const char *path);
/* Skips the test where there is no g++. */
gboolean preprocessor_has_compiler (void);

G_END_DECLS
