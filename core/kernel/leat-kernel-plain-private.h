/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-unit-private.h"

G_BEGIN_DECLS

/* A file as people have it becomes one that holds nothing but kernels and what they need, so that all that reads units
 * has less to know. */

/* A member of a type that goes unless a kernel comes to it (leat-kernel-member.c): the tokens [first, last]. */
typedef struct
{
  guint first, last;
  guint name;          /* of a function that a kernel may name; else G_MAXUINT */
  guint decl;          /* the index of the type */
  gboolean is_host;    /* it goes in any case */
  gboolean is_kept;    /* a kernel comes to it */
  guint delete_behind; /* the ")" behind which `= delete` stands for it, so that C++ makes no other of the kind; 0 */
} LeatLooseMember;

GArray *leat_kernel_unit_list_loose_members (const LeatKernelUnit *unit);
/* Whether a token of [first, last] is a word that only code of the host has (leat-kernel-host-words.c). */
gboolean leat_kernel_unit_names_host (const LeatKernelUnit *unit, guint first, guint last);
/* For each declaration whether it stays. @members: (out) (transfer full): LeatLooseMember */
guint8 *leat_kernel_unit_find_reached (const LeatKernelUnit *unit, GArray **members);
/* The "{" of the structure called @name; G_MAXUINT if the file has none that is without bases. */
guint leat_kernel_unit_find_struct (const LeatKernelUnit *unit, const char *name);
/* A structure whose members are gone through: from behind its "{" to its "}".  The members of one declaration are the
 * tokens [first, end). @is_unknown: set if a declaration is of a kind that is not known */
typedef struct
{
  guint at, close;
  guint first, end;
  gboolean is_unknown;
} LeatMembers;

/* The next declaration of members, past functions and types; FALSE if there is none, or one is not known. */
gboolean leat_kernel_unit_next_members (const LeatKernelUnit *unit, LeatMembers *self);
/* The sizes of the array whose declarator has its name at @name and ends before @end; NULL if one is no number. */
GArray *leat_kernel_unit_read_sizes (const LeatKernelUnit *unit, guint name, guint end);
/* The most that a member of the structure with its "{" at @open is aligned to; 0 if its type says (leat-kernel-pack.c).
 */
guint leat_kernel_unit_read_pack (const LeatKernelUnit *unit, guint open);
/* The words of a type without `const`, `struct` and the like. */
char *leat_kernel_dup_bare_type (const char *words);
/* The bytes of the structure called @name; 0 if the file has none that can be measured.  @record: (out) (transfer full)
 * (nullable): its members as a spec writes a record; NULL if one is a pointer */
gsize leat_kernel_unit_measure_struct (const LeatKernelUnit *unit, const char *name, char **record);
/* The instances of templates that the file launches: `scale<float, 256>`. (element-type utf8) (transfer full) */
GPtrArray *leat_kernel_unit_list_launched (const LeatKernelUnit *unit);
/* Whether the parameter [first, last] is a structure or a vector of numbers by value: @params are these, @value makes
 * it of them again. */
gboolean leat_kernel_unit_take_apart (const LeatKernelUnit *unit, guint first, guint last, char **params, char **value);
/* Whether the text was changed; @unit is of another text then.  Places in messages stay those of the user's file. */
gboolean leat_kernel_text_make_plain (LeatKernelText *text, const LeatKernelUnit *unit);

G_END_DECLS
