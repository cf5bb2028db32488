/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The common part of nodes that compute prefixes: tiles, blocks, text for the kernel, and memory for its progress.
 * Adds that memory to the node's recorder, and nothing else. */

#include "leat-primitive-prefix.h"

/* As in kernels/prefix.cu. */
#define LEAT_PREFIX_EACH       16
#define LEAT_PREFIX_EACH_LARGE 8 /* of a Part of more than 8 bytes */
/* Blocks that a GPU of 132 multiprocessors runs at once, 4 each. */
#define LEAT_PREFIX_BLOCKS        528
#define LEAT_PREFIX_PART          16                            /* bytes of the largest */
#define LEAT_PREFIX_TILE_WORDS    4                             /* for each tile behind those */
#define LEAT_PREFIX_CONTROL_WORDS (48 + 4 * LEAT_PREFIX_BLOCKS) /* ONCE_THERE in kernels/prefix-once.cu */

void
leat_prefix_write (gboolean segmented, gboolean ordered, gboolean pairs, GString *head)
{
  const char *up = pairs ? "Acc (__shfl_up_sync (0xffffffffu, p.value.re, (unsigned int) by), __shfl_up_sync "
                           "(0xffffffffu, p.value.im, (unsigned int) by))"
                         : "(Acc) __shfl_up_sync (0xffffffffu, p.value, (unsigned int) by)";

  g_string_append_printf (head, "#define SEGMENTED %d\n#define ORDERED %d\n", segmented ? 1 : 0, ordered ? 1 : 0);
  g_string_append_printf (head,
                          "struct Part\n{\n  Acc value;\n%s};\n"
                          "static __device__ __forceinline__ Part shuffle_up (Part p, int by)\n{\n"
                          "  Part q;\n\n  q.value = %s;\n%s"
                          "  return q;\n}\n",
                          segmented ? "  uint32_t begins;\n" : "", up,
                          segmented ? "  q.begins = __shfl_up_sync (0xffffffffu, p.begins, (unsigned int) by);\n" : "");
}

guint64
leat_prefix_count_tiles (guint64 items, gsize acc_bytes, gboolean segmented)
{
  guint64 tile =
    LEAT_PREFIX_THREADS * (acc_bytes > 8 || (segmented && acc_bytes > 4) ? LEAT_PREFIX_EACH_LARGE : LEAT_PREFIX_EACH);

  return (items + tile - 1) / tile;
}

guint64
leat_prefix_count_blocks (guint64 tiles)
{
  return CLAMP (tiles, 1, LEAT_PREFIX_BLOCKS);
}

void
leat_prefix_write_counts (GString *head)
{
  g_string_append (head, "typedef uint64_t Acc;\n"
                         "static __device__ Acc identity () { return 0; }\n"
                         "static __device__ Acc combine (Acc a, Acc b) { return a + b; }\n");
  leat_prefix_write (FALSE, FALSE, FALSE, head);
}

LeatBufferId
leat_prefix_add_control (LeatRecorder *recorder, guint64 tiles)
{
  return leat_recorder_add_marks (recorder, "progress",
                                  (LEAT_PREFIX_CONTROL_WORDS + LEAT_PREFIX_TILE_WORDS * tiles) * sizeof (guint64));
}

LeatBufferId
leat_prefix_add_parts (LeatRecorder *recorder, guint64 tiles)
{
  return leat_recorder_add_scratch (recorder, "parts", (tiles + 1) * LEAT_PREFIX_PART);
}
