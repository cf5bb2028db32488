/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Memory for one text on its way to a pipeline: given piece by piece, freed all at once. */

#include "leat-arena-private.h"

#include <string.h>

/* Where an address sanitizer watches, all that is asked for is a block of its own, so that it sees the ends of each. */
#ifdef __SANITIZE_ADDRESS__
#define LEAT_ARENA_BLOCK_BYTES 0
#else
#define LEAT_ARENA_BLOCK_BYTES (16 * 1024)
#endif

#define LEAT_ARENA_ALIGN 16

typedef struct _LeatArenaBlock LeatArenaBlock;
struct _LeatArenaBlock
{
  LeatArenaBlock *next;
  /* The memory given out begins as far behind the head as keeps it aligned. */
};

#define LEAT_ARENA_HEAD_BYTES LEAT_ARENA_ALIGN

struct _LeatArena
{
  LeatArenaBlock *blocks;
  char *at; /* in one of them */
  gsize left;
};

LeatArena *
leat_arena_new (void)
{
  return g_new0 (LeatArena, 1);
}

void
leat_arena_free (LeatArena *self)
{
  while (self->blocks != NULL)
    {
      LeatArenaBlock *block = self->blocks;

      self->blocks = block->next;
      g_free (block);
    }
  g_free (self);
}

static char *
leat_arena_add_block (LeatArena *self, gsize bytes)
{
  LeatArenaBlock *block = g_malloc0 (LEAT_ARENA_HEAD_BYTES + bytes);

  block->next = self->blocks;
  self->blocks = block;
  return (char *) block + LEAT_ARENA_HEAD_BYTES;
}

gpointer
leat_arena_alloc (LeatArena *self, gsize bytes)
{
  gsize whole = (bytes + LEAT_ARENA_ALIGN - 1) & ~(gsize) (LEAT_ARENA_ALIGN - 1);
  char *given;

  if (whole > self->left)
    {
      /* A large thing does not end the block that small ones come from. */
      if (whole > LEAT_ARENA_BLOCK_BYTES / 4)
        return leat_arena_add_block (self, bytes);
      self->at = leat_arena_add_block (self, LEAT_ARENA_BLOCK_BYTES);
      self->left = LEAT_ARENA_BLOCK_BYTES;
    }
  given = self->at;
  self->at += whole;
  self->left -= whole;
  return given;
}

char *
leat_arena_strndup (LeatArena *self, const char *text, gsize length)
{
  char *copy = leat_arena_alloc (self, length + 1);

  memcpy (copy, text, length);
  return copy;
}

char *
leat_arena_strdup (LeatArena *self, const char *text)
{
  return text != NULL ? leat_arena_strndup (self, text, strlen (text)) : NULL;
}
