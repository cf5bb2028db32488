/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Memory that goes all at once: a text becomes thousands of small things on its way into a pipeline, and asking for
 * each of them and giving it back took longer than reading it. */
typedef struct _LeatArena LeatArena;

LeatArena *leat_arena_new (void);
void leat_arena_free (LeatArena *self);
/* Zeros, aligned for any type. */
gpointer leat_arena_alloc (LeatArena *self, gsize bytes);
char *leat_arena_strndup (LeatArena *self, const char *text, gsize length);
/* NULL for NULL. */
char *leat_arena_strdup (LeatArena *self, const char *text);

#define leat_arena_new0(arena, Type) ((Type *) leat_arena_alloc (arena, sizeof (Type)))

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatArena, leat_arena_free)

G_END_DECLS
