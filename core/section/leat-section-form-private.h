/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>
#include <xxhash.h>

G_BEGIN_DECLS

/* A file of sections, as docs/reference/artifact.md has it: a head, a row for each section, their names, and their
 * bytes.  All numbers are little-endian, as every machine is that CUDA runs on. */

#define LEAT_SECTION_VERSION 1

/* The line break shows whether somebody took it for text. */
#define LEAT_SECTION_MAGIC "LEATSEC\n"

/* Each section begins at a multiple of it, and zeros fill the file up to the next. */
#define LEAT_SECTION_ALIGN 64

#define LEAT_SECTION_MOST       (1u << 20)
#define LEAT_SECTION_MOST_NAMES (1u << 26) /* bytes of all names */

typedef struct
{
  char magic[8];
  guint32 version;
  guint32 kind;
  guint32 n_sections;
  guint32 names_bytes;
  guint64 file_bytes;
  guint8 checksum[16]; /* XXH3, 128 bits, of the head with zeros here, the rows, the names, and the zeros behind */
  guint8 reserved[16]; /* zeros */
} LeatSectionHead;

typedef struct
{
  guint32 type;
  guint32 name; /* where it begins among the names; a zero ends it */
  guint64 offset, size;
  guint8 checksum[16]; /* of the section and the zeros behind it */
} LeatSectionRow;

G_STATIC_ASSERT (sizeof (LeatSectionHead) == 64 && sizeof (LeatSectionRow) == 40);

static inline guint64
leat_section_align (guint64 at)
{
  return (at + LEAT_SECTION_ALIGN - 1) & ~(guint64) (LEAT_SECTION_ALIGN - 1);
}

/* What comes before the first section. */
static inline guint64
leat_section_head_get_bytes (const LeatSectionHead *head)
{
  return leat_section_align (sizeof *head + head->n_sections * sizeof (LeatSectionRow) + head->names_bytes);
}

static inline void
leat_section_sum_end (XXH3_state_t *state, guint8 checksum[16])
{
  XXH128_canonical_t canonical;

  XXH128_canonicalFromHash (&canonical, XXH3_128bits_digest (state));
  XXH3_freeState (state);
  for (guint i = 0; i < sizeof canonical.digest; i++)
    checksum[i] = canonical.digest[i];
}

G_END_DECLS
