/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-transform-private.h"

G_BEGIN_DECLS

/* PTX in `asm ("..." : outputs : inputs)` as C++ for the CPU.  The functions that instructions become are in
 * device/leat-dialect-host-ptx*.h. */

/* An instruction whose words are known, as `mad.lo.cc.u32`. */
typedef struct
{
  GString *call;   /* leat_ptx_mad_lo_cc<unsigned int> */
  guint inputs;    /* registers that it reads */
  gboolean result; /* whether it writes one */
  gboolean carry;  /* whether it takes or leaves a carry, the first argument of the call */
  gboolean flush;  /* .ftz */
  GString *cut;    /* with .ftz, the call whose result says whether the exact one is too small; empty: it is the same */
  gboolean limit;  /* .sat of floating point */
  enum
  {
    LEAT_PTX_PLAIN,
    LEAT_PTX_MOVE, /* one of several registers may stand for one */
    LEAT_PTX_LOAD,
    LEAT_PTX_STORE,
    LEAT_PTX_CHANGE, /* of memory, atomically */
    LEAT_PTX_NOTHING
  } form;
  gboolean shared;  /* its address counts from the block's shared memory */
  guint parts;      /* .v2, .v4; else 1 */
  const char *type; /* in C++ */
} LeatPtxInstruction;

/* The instruction of these words.  NULL where there is none, with @why: what to do instead, or NULL. */
LeatPtxInstruction *leat_ptx_instruction_new (const char *words, const char **why);
void leat_ptx_instruction_free (LeatPtxInstruction *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatPtxInstruction, leat_ptx_instruction_free)

/* The C++ type of a register: "unsigned int" of `b32`.  NULL where the CPU has none. */
const char *leat_ptx_get_type (const char *name);

/* The text of one `asm` while it is read. */
typedef struct
{
  GString *out;
  const char *carry;
  guint operands;    /* how many there are */
  GHashTable *known; /* registers that the text declares */
  char **problem;
} LeatPtxReader;

/* FALSE, with what is wrong and what to do. */
gboolean leat_ptx_fail (LeatPtxReader *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* The variable or number that @word stands for. */
gboolean leat_ptx_append_operand (LeatPtxReader *self, const char *word);

/* Statements for @text, in which `%0` stands for leat_a0, the first of so many @operands, and @carry is the variable
 * for a carry.  NULL with what is wrong and what to do. */
char *leat_ptx_dup_statements (const char *text, guint operands, const char *carry, char **problem);

/* Rewrites the `asm` of all functions but those for the CPU alone. */
gboolean leat_kernel_unit_edit_assembly (const LeatKernelUnit *self, GArray *edits, GError **error);
/* Whether threads wait for others in the `asm` at @token. */
gboolean leat_tokens_assembly_waits (const LeatTokens *self, guint token);
/* Whether the word is one of a thread's own in the C++ that PTX becomes (device/leat-dialect-host-ptx-member.h). */
gboolean leat_kernel_ptx_is_member (const char *word);

G_END_DECLS
