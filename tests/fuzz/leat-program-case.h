/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-fuzz-choices.h"

G_BEGIN_DECLS

/* Kernels and what they need, in pieces between which any host code may stand. */
typedef struct
{
  const char *pieces[8]; /* up to NULL */
  const char *launch;    /* of one of them, in host code */
  const char *instance;  /* (nullable): of a template among them */
} ProgramSet;

#define PROGRAM_SETS 4

/* A CUDA program around such a set. */
typedef struct
{
  LeatFuzzChoices *choices;
  guint number; /* of the set */
  const ProgramSet *set;
  GString *text;
  guint n_names; /* of host code, so far */
} ProgramCase;

/* Chooses a set, and writes a program around it. */
void program_case_init (ProgramCase *self, LeatFuzzChoices *choices);
void program_case_clear (ProgramCase *self);
/* The set by itself. (transfer full) */
char *program_case_dup_alone (const ProgramCase *self);
/* Puts host code in: of kind d, a declaration, l, a line or comment, and so on. */
void program_case_add_host (ProgramCase *self, char kind, guint depth);

G_END_DECLS
