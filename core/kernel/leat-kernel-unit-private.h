/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-token-private.h"

G_BEGIN_DECLS

typedef enum
{
  LEAT_DECL_FUNCTION,  /* with a body */
  LEAT_DECL_PROTOTYPE, /* without one */
  LEAT_DECL_VARIABLE,
  LEAT_DECL_TYPE,
  LEAT_DECL_REPORT, /* LEAT_REPORT (...) */
  LEAT_DECL_OTHER,  /* using namespace, static_assert: nothing to do */
} LeatDeclKind;

typedef enum
{
  LEAT_DECL_IS_GLOBAL = 1 << 0,   /* __global__ */
  LEAT_DECL_IS_DEVICE = 1 << 1,   /* __device__, __managed__ */
  LEAT_DECL_IS_CONSTANT = 1 << 2, /* __constant__ */
  LEAT_DECL_IS_SHARED = 1 << 3,   /* __shared__ */
  LEAT_DECL_IS_STATIC = 1 << 4,
  LEAT_DECL_IS_EXTERN = 1 << 5,
  LEAT_DECL_IS_CONSTEXPR = 1 << 6,
  LEAT_DECL_IS_TEMPLATE = 1 << 7,
  LEAT_DECL_IS_VARIANT = 1 << 8, /* LEAT_HOST_VARIANT */
  LEAT_DECL_IS_OPERATOR = 1 << 9,
} LeatDeclFlags;

/* One declaration at file scope.  Indices are of tokens; those of functions are G_MAXUINT elsewhere. */
typedef struct
{
  LeatDeclKind kind;
  LeatDeclFlags flags;
  guint first, last;
  guint scope; /* of the unit's */
  guint name;
  guint params; /* the opening parenthesis */
  guint body;   /* the opening brace */
} LeatDecl;

/* A kernel file taken apart at file scope. `linkage` are the tokens of `extern "C" {` ... `}`, to be left out. */
typedef struct
{
  LeatTokens *tokens;
  GArray *decls;
  GArray *linkage;
  GPtrArray *scopes;      /* char**: names of the namespaces around, "" for one without; the first is the file */
  GArray *reports;        /* LeatReportCode */
  GHashTable *reporting;  /* (nullable): char*: kernels that report on some device */
  GHashTable *references; /* char*: names of types that are, or keep, a reference */
  const char *instance;   /* (nullable): what users call the kernel that is an instance of a template */
  guint from;             /* of scopes: the one from which names of types and constants are looked up */
} LeatKernelUnit;

LeatKernelUnit *leat_kernel_unit_new (const LeatKernelText *text, GError **error);
void leat_kernel_unit_free (LeatKernelUnit *self);
/* Whether the function launches no kernel. */
gboolean leat_kernel_unit_check_launches (const LeatKernelUnit *self, const LeatDecl *decl, GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatKernelUnit, leat_kernel_unit_free)

const LeatDecl *leat_kernel_unit_at (const LeatKernelUnit *self, guint index);
/* The __global__ function called @entry that is not a template, or NULL. @entry: with or without its namespaces */
const LeatDecl *leat_kernel_unit_find_kernel (const LeatKernelUnit *self, const char *entry);
/* Whether users may call it so: with its namespaces, or without all or the outer ones. */
gboolean leat_kernel_unit_is_called (const LeatKernelUnit *self, const LeatDecl *decl, const char *name);
const LeatDecl *leat_kernel_unit_find_variant (const LeatKernelUnit *self, const char *entry);
/* The functions that can be launched by name, once each: (element-type LeatDecl). */
GPtrArray *leat_kernel_unit_list_kernels (const LeatKernelUnit *self);

/* leat-kernel-scope.c */
GPtrArray *leat_scopes_new (void);
GArray *leat_open_scopes_new (void);
/* Whether a namespace begins or ends at *@index, which has been passed then. @open: those that are open */
gboolean leat_kernel_unit_pass_scope (LeatKernelUnit *self, GArray *open, guint *index, guint *scope);
/* "a::b::", or "". */
char *leat_kernel_unit_dup_scope (const LeatKernelUnit *self, const LeatDecl *decl);
/* What opens the namespaces of @decl again, and what closes them. */
void leat_kernel_unit_append_opening (const LeatKernelUnit *self, const LeatDecl *decl, GString *out);
void leat_kernel_unit_append_closing (const LeatKernelUnit *self, const LeatDecl *decl, GString *out);
/* The unit with names looked up from where @decl is; or from the declaration that has @token.  Nothing of it is to be
 * freed, and it goes with @self. */
LeatKernelUnit leat_kernel_unit_seen_from (const LeatKernelUnit *self, const LeatDecl *decl);
LeatKernelUnit leat_kernel_unit_seen_at (const LeatKernelUnit *self, guint token);

/* Which of several declarations `a :: P` means.  @last: the name without namespaces */
typedef struct
{
  const LeatKernelUnit *unit;
  char **path;
  const char *last;
  guint nearness;
  gboolean is_ambiguous;
} LeatNameSearch;

void leat_name_search_init (LeatNameSearch *self, const LeatKernelUnit *unit, const char *words);
void leat_name_search_clear (LeatNameSearch *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatNameSearch, leat_name_search_clear)
/* Whether @decl, which declares @last, is meant rather than those that were asked for before. */
gboolean leat_name_search_takes (LeatNameSearch *self, const LeatDecl *decl);
/* A kernel in a namespace is called a__b__k in the text, which no other is, and a::b::k by users.  An instance of a
 * template is k__float_256 in the text, and k<float, 256> by users. */
char *leat_kernel_dup_symbol (const char *entry);
/* The template arguments of an entry, and what stands before them; NULL where it has none. */
char **leat_kernel_split_entry (const char *entry, char **path);
/* leat-kernel-overload.c: the types of the parameters that an entry names, `k(const float *x)`, and what stands before
 * them; NULL where it names none. */
char *leat_kernel_split_overload (const char *entry, char **path);
/* @params, what stands between the parentheses, in the same words. */
char *leat_kernel_dup_signature (const char *params);
/* Those of @decl. */
char *leat_kernel_unit_dup_signature (const LeatKernelUnit *self, const LeatDecl *decl);
/* Whether there are kernels of the name with different parameters. */
gboolean leat_kernel_unit_is_overloaded (const LeatKernelUnit *self, const LeatDecl *decl);
char *leat_kernel_unit_dup_symbol (const LeatKernelUnit *self, const LeatDecl *decl);
char *leat_kernel_unit_dup_full_name (const LeatKernelUnit *self, const LeatDecl *decl);

/* The pieces between commas from @open to its partner: pairs of first and last token; (element-type guint). */
GArray *leat_kernel_unit_split (const LeatKernelUnit *self, guint first, guint end);
/* The last token of the attribute (`[[..]]`, `alignas (..)` ...) at @index, or @index where there is none. */
guint leat_kernel_unit_skip_attribute (const LeatKernelUnit *self, guint index);
/* Past `<...>` at @index, whose ends the lexer does not pair. */
guint leat_kernel_unit_skip_angles (const LeatKernelUnit *self, guint index);
/* The "{" of what begins at @token, within a function, and does not see the function's parameters and locals: a lambda
 * that does not capture all, or a type (leat-kernel-closed.c); else G_MAXUINT. */
guint leat_kernel_unit_find_closed (const LeatKernelUnit *self, guint token);
/* Whether the function @decl is named without a type or a namespace before its name. */
gboolean leat_kernel_unit_is_plain_name (const LeatKernelUnit *self, const LeatDecl *decl);
/* Words behind which parentheses stand, and those with which a type begins (leat-kernel-declarator.c). */
extern const char *const leat_kernel_attribute_words[];
extern const char *const leat_kernel_type_words[];
/* The name that a declarator's tokens (`*const x[4] = 2`) declare, or G_MAXUINT. */
guint leat_kernel_unit_declared_name (const LeatKernelUnit *self, guint first, guint end);

void leat_kernel_unit_find_references (LeatKernelUnit *self);
/* Whether the token makes a type a reference: `&`, or such a name. */
gboolean leat_kernel_unit_is_reference (const LeatKernelUnit *self, guint token);
/* The name of the type that @decl declares, or G_MAXUINT. */
guint leat_kernel_unit_type_name (const LeatKernelUnit *self, const LeatDecl *decl);

LeatPrototype *leat_kernel_unit_parse_prototype (const LeatKernelUnit *self, const LeatDecl *decl, GError **error);
void leat_prototype_free (LeatPrototype *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatPrototype, leat_prototype_free)

/* What the text calls a parameter: its name, but for the numbers of a value (leat-kernel-fields.c). */
char *leat_param_dup_word (const LeatParam *param);

/* The words of the type that @words are another name of; themselves where no typedef of the unit says more. */
char *leat_kernel_unit_dup_plain_type (const LeatKernelUnit *self, const char *words);
/* @words: the type's words, one blank between them; typedefs of the unit are followed. */
gboolean leat_kernel_unit_lookup_type (const LeatKernelUnit *self, const char *words, LeatKernelType *type);
/* The whole number that the constant expression in the tokens [first, end) is (leat-kernel-constant.c); FALSE where
 * they do not tell. */
gboolean leat_kernel_unit_read_whole (const LeatKernelUnit *unit, guint first, guint end, gint64 *whole);
/* What it gives a parameter as its default, as a node's argument is written; NULL where they do not tell, or it is no
 * number of @type. */
char *leat_kernel_unit_dup_default (const LeatKernelUnit *unit, guint first, guint end, const LeatKernelType *type);
/* Is it a type of a header that ports carry as bytes, and how large? */
gboolean leat_kernel_unit_lookup_state (const LeatKernelUnit *self, const char *words, gsize *bytes, gsize *align);
/* The whole numbers that the enumeration @name of the unit is: an int, unless it says otherwise. */
gboolean leat_kernel_unit_lookup_enum (const LeatKernelUnit *self, const char *name, LeatKernelType *type);
/* Is it a number of C's own, or a vector of such?  An argument can have no other. */
gboolean leat_kernel_type_is_number (const LeatKernelType *type);
/* The header that has a class of that name; NULL where none has. */
const char *leat_kernel_type_get_header (const char *words);

G_END_DECLS
