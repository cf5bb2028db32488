/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-state-file-private.h"

#include <xxhash.h>

G_BEGIN_DECLS

#define LEAT_STATE_VERSION 2

/* That much of a file is in memory at a time. */
#define LEAT_STATE_PIECE (G_GUINT64_CONSTANT (8) << 20)

/* The line break shows whether somebody took it for text. */
#define LEAT_STATE_MAGIC "LEATST\r\n"

/* As it lies in the file: every machine that CUDA runs on is little-endian. */
typedef struct
{
  char magic[8];
  guint32 version;
  guint32 n_entries;
  guint64 file_bytes;
  guint64 key;
  guint8 checksum[16]; /* XXH3, 128 bits, of the whole file, with zeros here */
} LeatStateHead;

typedef struct
{
  guint32 name_bytes, spec_bytes;
  guint64 bytes; /* of each lane's contents */
  guint64 n_lanes;
} LeatStateRow;

/* Of a file: begun with its head, whose checksum is zeros, and fed with all that is behind. */
XXH3_state_t *leat_state_sum_begin (const LeatStateHead *blank);
/* Frees @sum. */
void leat_state_sum_end (XXH3_state_t *sum, guint8 checksum[16]);

G_END_DECLS
