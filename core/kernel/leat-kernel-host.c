/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The text for the host's C++ compiler.  The file stays a file: shared variables become references, loops and atomics
 * are edited, and then each function is given the thread that runs it (leat-kernel-self.c). */

#include "leat-kernel-bring-private.h"
#include "leat-kernel-families-private.h"
#include "leat-kernel-host-private.h"
#include "leat-kernel-locals-private.h"
#include "leat-kernel-ptx-private.h"
#include "leat-kernel-queue-private.h"
#include "leat-kernel-report-private.h"
#include "leat-kernel-persistent-private.h"

#include <string.h>

static const char *const leat_host_qualifiers[] = { "static", "extern", "__global__", "LEAT_HOST_VARIANT", NULL };
static const char *const leat_host_kernel_qualifiers[] = {
  "static", "extern", "__global__", "inline", "__forceinline__", "__noinline__", "LEAT_HOST_VARIANT", NULL
};

/* Whether @index names a shared variable: the first thing in the argument list of an atomic operation. */
static gboolean
leat_host_writer_is_shared (LeatHostWriter *self, LeatLocals *locals, guint index)
{
  LeatLocal *local;

  while (leat_tokens_is (self->unit->tokens, index, "&") || leat_tokens_is (self->unit->tokens, index, "("))
    index++;
  if (leat_tokens_at (self->unit->tokens, index)->kind != LEAT_TOKEN_IDENT
      || leat_tokens_is (self->unit->tokens, index + 1, "->"))
    return FALSE;
  local = leat_locals_find (locals, index);
  if (local != NULL)
    return local->is_shared;
  for (guint i = 0; i < self->unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self->unit, i);
      guint name = decl->kind == LEAT_DECL_VARIABLE && (decl->flags & LEAT_DECL_IS_SHARED)
                     ? leat_kernel_unit_declared_name (self->unit, decl->first, decl->last)
                     : G_MAXUINT;
      g_autofree char *word = name != G_MAXUINT ? leat_tokens_dup (self->unit->tokens, name) : NULL;

      if (word != NULL && leat_tokens_is (self->unit->tokens, index, word))
        return TRUE;
    }
  return FALSE;
}

/* A block's threads share one thread of the host: atomics on shared memory need no lock. */
static void
leat_host_writer_edit_atomics (LeatHostWriter *self, const LeatDecl *decl)
{
  static const char *const names[] = { "atomicAdd", "atomicSub", "atomicExch", "atomicMin", "atomicMax", "atomicInc",
                                       "atomicDec", "atomicAnd", "atomicOr",   "atomicXor", "atomicCAS", NULL };
  g_autoptr (LeatLocals) locals = leat_locals_new (self->unit, self->calls, decl);

  for (guint i = decl->body; i < decl->last; i++)
    if (leat_tokens_is_any (self->unit->tokens, i, names) && leat_tokens_is (self->unit->tokens, i + 1, "(")
        && leat_host_writer_is_shared (self, locals, i + 2))
      leat_edits_insert_after (self->edits, self->unit->tokens, i, "_block");
}

static void
leat_host_writer_edit_strides (LeatHostWriter *self, const LeatDecl *decl)
{
  g_autoptr (GArray) loops = leat_kernel_unit_find_stride_loops (self->unit, self->calls, decl);
  const LeatTokens *tokens = self->unit->tokens;

  for (guint i = 0; i < loops->len; i++)
    {
      const LeatStrideLoop *loop = &g_array_index (loops, LeatStrideLoop, i);
      g_autofree char *type = leat_tokens_dup_range (tokens, loop->type_first, loop->type_last);
      g_autofree char *name = leat_tokens_dup (tokens, loop->name);
      g_autofree char *init = leat_tokens_dup_range (tokens, loop->init_first, loop->init_last);
      g_autofree char *bound = leat_tokens_dup_range (tokens, loop->bound_first, loop->bound_last);
      const char *typed =
        strstr (type, "auto") != NULL ? init : name; /* `auto i` may not be named before it is there */

      if (loop->blocker == G_MAXUINT)
        leat_edits_replace (
          self->edits, tokens, loop->open, loop->close,
          "(%s %s = leat_stride_piece<decltype (%s)> (%s, false), leat_end_of_%s = leat_stride_piece<decltype (%s)> "
          "(%s, true); %s < leat_end_of_%s; %s++)",
          type, name, typed, bound, name, typed, bound, name, name, name);
    }
}

static gboolean
leat_host_writer_edit_function (LeatHostWriter *self, guint index, GError **error)
{
  const LeatDecl *decl = leat_kernel_unit_at (self->unit, index);
  const LeatTokens *tokens = self->unit->tokens;
  gboolean kernel = (decl->flags & LEAT_DECL_IS_GLOBAL) && !(decl->flags & LEAT_DECL_IS_TEMPLATE);
  gboolean variant = decl->flags & LEAT_DECL_IS_VARIANT;

  if ((decl->flags & LEAT_DECL_IS_GLOBAL) && !kernel) /* nobody can launch it */
    {
      leat_edits_replace (self->edits, tokens, decl->first, decl->last, "%s", "");
      return TRUE;
    }
  leat_entry_strip_qualifiers (self->edits, self->unit, decl,
                               kernel || variant ? leat_host_kernel_qualifiers : leat_host_qualifiers);
  if (kernel || variant)
    leat_edits_insert_before (self->edits, tokens, leat_entry_find_head (self->unit, decl), "LEAT_INLINE ");
  else if (!(decl->flags & LEAT_DECL_IS_TEMPLATE) && leat_kernel_unit_is_plain_name (self->unit, decl))
    leat_edits_insert_before (self->edits, tokens, leat_entry_find_head (self->unit, decl), "static ");
  if (variant)
    leat_edits_insert_before (self->edits, tokens, decl->name, "leat_variant_");
  if (decl->kind == LEAT_DECL_PROTOTYPE)
    return TRUE;
  leat_host_writer_edit_atomics (self, decl);
  leat_host_writer_edit_strides (self, decl);
  if (self->form & LEAT_KERNEL_PERSISTENT)
    leat_kernel_unit_edit_budget (self->unit, self->calls, self->edits, index);
  if (kernel && !leat_kernel_calls_may_wait (self->calls, index))
    g_hash_table_insert (self->flat, (gpointer) decl, leat_host_writer_plan_flat (self, index));
  return leat_host_writer_edit_shared (self, index, error);
}

static gboolean
leat_host_writer_edit_variable (LeatHostWriter *self, const LeatDecl *decl, GError **error)
{
  const LeatTokens *tokens = self->unit->tokens;
  g_autoptr (GArray) pieces = leat_kernel_unit_split (self->unit, decl->first, decl->last);

  if (decl->flags & LEAT_DECL_IS_SHARED)
    {
      leat_edits_replace (self->edits, tokens, decl->first, decl->last, "%s", "");
      return TRUE;
    }
  if (decl->flags & LEAT_DECL_IS_EXTERN)
    {
      leat_tokens_set_error (tokens, decl->first, LEAT_KERNEL_ERROR_SYNTAX, error,
                             "a kernel file is complete in itself; define the variable instead of declaring it extern");
      return FALSE;
    }
  if (!(decl->flags & (LEAT_DECL_IS_DEVICE | LEAT_DECL_IS_CONSTANT)) || (decl->flags & LEAT_DECL_IS_TEMPLATE))
    return TRUE;
  for (guint i = 0; i < pieces->len; i += 2)
    {
      guint name = leat_kernel_unit_declared_name (self->unit, g_array_index (pieces, guint, i),
                                                   g_array_index (pieces, guint, i + 1) + 1);

      if (name != G_MAXUINT)
        {
          g_autofree char *scope = leat_kernel_unit_dup_scope (self->unit, decl),
                          *word = leat_tokens_dup (tokens, name);

          g_ptr_array_add (self->globals, g_strconcat (scope, word, NULL));
        }
    }
  return TRUE;
}

static gboolean
leat_host_writer_edit_decl (LeatHostWriter *self, guint index, GError **error)
{
  const LeatDecl *decl = leat_kernel_unit_at (self->unit, index);

  switch (decl->kind)
    {
    case LEAT_DECL_FUNCTION:
    case LEAT_DECL_PROTOTYPE:
      return leat_host_writer_edit_function (self, index, error);
    case LEAT_DECL_VARIABLE:
      return leat_host_writer_edit_variable (self, decl, error);
    case LEAT_DECL_REPORT:
      leat_kernel_unit_edit_report (self->unit, self->edits, decl);
      return TRUE;
    case LEAT_DECL_OTHER:
      return TRUE;
    case LEAT_DECL_TYPE:
      return leat_host_writer_edit_shared (self, index, error);
    default:
      g_assert_not_reached ();
    }
}

static void
leat_host_append_headers (GString *out, const char *const *names)
{
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *text = leat_kernel_dup_device_text (names[i]);

      g_string_append (out, text);
    }
}

/* struct leat_module: the thread with all that this file's kernels need of one. */
static void
leat_host_writer_append_module (LeatHostWriter *self, GString *out)
{
  static const char *const behind[] = { "leat-dialect-host-self.h", NULL };
  g_autofree char *reports = leat_kernel_unit_dup_report_text (self->unit, "leat-dialect-host-report.h");
  gboolean persistent = (self->form & LEAT_KERNEL_PERSISTENT) != 0;
  g_autofree char *words = persistent ? leat_kernel_dup_host_persistent_words () : NULL;
  g_autofree char *members = persistent ? leat_kernel_dup_host_persistent_members () : NULL;
  const char *base = reports[0] != '\0' ? "leat_reporter" : "leat_thread";
  g_autofree char *families = leat_kernel_unit_dup_host_members (self->unit, &base);

  g_string_append (out, reports);
  g_string_append (out, families);
  g_string_append (out, words != NULL ? words : "");
  g_string_append_printf (out, "namespace { struct leat_module : %s {\n%s}; } // namespace\n", base,
                          members != NULL ? members : "");
  leat_host_append_headers (out, behind);
}

static char *
leat_host_writer_dup_text (LeatHostWriter *self, GError **error)
{
  static const char *const headers[] = { "leat-dialect-host-types.h",  "leat-host-module.h",
                                         "leat-dialect-host-math.h",   "leat-dialect-host-bits.h",
                                         "leat-dialect-mixed.h",       "leat-dialect-host-atomic.h",
                                         "leat-dialect-host-thread.h", "leat-dialect-host-block.h",
                                         "leat-dialect-constants.h",   NULL };
  g_autofree char *edited = leat_edits_apply (self->edits, self->unit->tokens);
  g_autofree char *queues = leat_kernel_unit_dup_host_queue_text (self->unit);
  g_autofree char *threads = leat_kernel_unit_dup_brought_threads (self->unit);
  g_autofree char *written = g_strconcat (queues, threads, edited, NULL);
  g_autofree char *brought = leat_kernel_unit_dup_brought_text (self->unit, FALSE);
  g_autofree char *families = leat_kernel_unit_dup_host_families (self->unit);
  gboolean anywhere = FALSE;
  g_autofree char *body = leat_kernel_dup_with_selves (self, written, &anywhere, error);
  g_autofree char *tables = NULL, *assertions = NULL;
  GString *out;

  if (body == NULL)
    return NULL;
  tables = leat_host_writer_dup_tables (self);
  assertions = leat_kernel_unit_dup_assertions (self->unit, self->entries);
  out = g_string_sized_new (65536);
  g_string_append (out, anywhere ? "#define LEAT_ANYWHERE 1\n" : "");
  g_string_append (out, self->form & LEAT_KERNEL_WIDE ? "#define LEAT_WIDE 1\n" : "");
  leat_host_append_headers (out, headers);
  g_string_append (out, families);
  g_string_append (out, brought);
  leat_host_writer_append_module (self, out);
  g_string_append (out, body);
  g_string_append (out, assertions);
  g_string_append (out, "\n#line 1 \"leat-entries\"\n");
  g_string_append (out, tables);
  return g_string_free (out, FALSE);
}

char *
leat_kernel_unit_to_host (const LeatKernelUnit *unit, LeatKernelForm form, GError **error)
{
  gboolean indirect = (form & LEAT_KERNEL_INDIRECT) != 0;
  g_autoptr (LeatKernelCalls) calls = leat_kernel_calls_new (unit);
  g_autoptr (GPtrArray) entries = leat_kernel_unit_list_entries (unit, indirect, error);
  g_autoptr (GArray) edits = leat_edits_new (), slots = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) owners = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GPtrArray) globals = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) flat = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) leat_flat_plan_free);
  LeatHostWriter writer = { unit, calls, entries, edits, slots, owners, globals, flat, form };

  if (entries == NULL)
    return NULL;
  for (guint i = 0; i < unit->linkage->len; i++)
    {
      guint token = g_array_index (unit->linkage, guint, i);

      leat_edits_replace (edits, unit->tokens, token, token, "%s", "");
    }
  for (guint i = 0; i < unit->decls->len; i++)
    if (!leat_host_writer_edit_decl (&writer, i, error))
      return NULL;
  if (!leat_kernel_unit_edit_assembly (unit, edits, error))
    return NULL;
  return leat_host_writer_dup_text (&writer, error);
}
