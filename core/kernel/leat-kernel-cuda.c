/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The text for NVRTC: a kernel's body becomes a device function, called by two generated kernels: one with the
 * parameters as they are, and the wrapper, which takes counts from the device.  Both stand right behind the body. */

#include "leat-kernel-bring-private.h"
#include "leat-kernel-entry-private.h"
#include "leat-kernel-queue-private.h"
#include "leat-kernel-report-private.h"
#include "leat-kernel-persistent-private.h"

#include <string.h>

static void
leat_cuda_append_params (GString *out, GArray *params)
{
  for (guint i = 0; i < params->len; i++)
    g_string_append_printf (out, "%s%s", i ? ", " : "", g_array_index (params, LeatEntryParam, i).declaration);
}

/* After the body: see leat-dialect-cuda.h. */
static void
leat_cuda_append_pointers (GString *out, GArray *params)
{
  for (guint i = 0; i < params->len; i++)
    {
      const LeatEntryParam *param = &g_array_index (params, LeatEntryParam, i);

      if (strchr (param->declaration, '*') != NULL)
        g_string_append_printf (out, " leat_might_write (%s);", param->name);
    }
}

/* The code that all kernels have around the body, with a parameter more: whether to wait for others. @clock_end: what
 * tells the end, whose time goes with that of the beginning to one more; NULL without */
static void
leat_cuda_append_entry (GString *out, const LeatEntry *entry, const char *prefix, GArray *params, const char *arguments,
                        const char *clock_end)
{
  g_string_append_printf (out, " extern \"C\" __global__ void %s %s%s (", entry->launch_bounds, prefix, entry->name);
  leat_cuda_append_params (out, params);
  g_string_append_printf (out, "%sint leat_early%s) { LEAT_WAIT_FOR_OTHERS (leat_early); %sleat_body_%s (%s);",
                          params->len > 0 ? ", " : "", clock_end != NULL ? ", uint64_t *leat_clock" : "",
                          clock_end != NULL ? "leat_clock_begin (leat_clock); " : "", entry->name, arguments);
  leat_cuda_append_pointers (out, params);
  if (clock_end != NULL)
    g_string_append_printf (out, " %s (leat_clock);", clock_end);
  g_string_append (out, " }");
}

/* The kernel itself, for counts that the host knows, and the wrapper, for those on the device. */
static void
leat_cuda_append_entries (GString *out, const LeatEntry *entry, const char *clock_end)
{
  leat_cuda_append_entry (out, entry, "", entry->params, entry->arguments, NULL);
  if (clock_end != NULL)
    leat_cuda_append_entry (out, entry, "leat_clock_", entry->params, entry->arguments, clock_end);
  if (entry->wrapper == NULL)
    return;
  leat_cuda_append_entry (out, entry, "leat_wrap_", entry->wrapper, entry->wrapper_arguments, NULL);
  if (clock_end != NULL)
    leat_cuda_append_entry (out, entry, "leat_time_", entry->wrapper, entry->wrapper_arguments, clock_end);
}

/* A block's threads meet at its end, where none of them gets there while others still wait for it in the kernel. */
static const char *
leat_cuda_get_clock_end (const LeatKernelUnit *unit, const LeatDecl *decl)
{
  g_autoptr (LeatKernelCalls) calls = leat_kernel_calls_new (unit);

  return leat_kernel_unit_find_missed_wait (unit, calls, decl, FALSE) != G_MAXUINT ? "leat_clock_end_apart"
                                                                                   : "leat_clock_end";
}

/* The body of a kernel that reports is told where to. */
static void
leat_cuda_edit_reporting (GArray *edits, const LeatKernelUnit *unit, const LeatDecl *decl, const LeatEntry *entry)
{
  guint close = leat_tokens_at (unit->tokens, decl->params)->match;

  if (entry->params->len > 0)
    leat_edits_insert_before (edits, unit->tokens, close, ", LeatReportBlock *leat_reports");
  else
    leat_edits_replace (edits, unit->tokens, decl->params, close, "(LeatReportBlock *leat_reports)");
  leat_edits_insert_after (edits, unit->tokens, decl->body, " leat_report_begin (leat_reports);");
}

static void
leat_cuda_append_lane_entry (GString *out, const LeatKernelUnit *unit, const LeatEntry *entry)
{
  g_autoptr (LeatKernelCalls) calls = leat_kernel_calls_new (unit);
  g_autoptr (LeatPrototype) prototype = leat_kernel_unit_parse_prototype (unit, entry->decl, NULL);
  g_autoptr (GArray) params = NULL;
  g_autofree char *arguments = NULL, *reports = NULL, *all = NULL;

  if (entry->wrapper == NULL || leat_kernel_unit_why_not_wide (unit, calls, entry->index) != NULL)
    return;
  params = leat_entry_list_wide_params (entry);
  arguments = leat_entry_dup_wide_arguments (entry, prototype, "blockIdx.z", "");
  reports = leat_entry_dup_wide_reports (entry, "blockIdx.z", "");
  all = g_strconcat (arguments, arguments[0] != '\0' && reports[0] != '\0' ? ", " : "", reports, NULL);
  leat_cuda_append_entry (out, entry, "leat_wide_", params, all, NULL);
}

static void
leat_cuda_edit_kernel (GArray *edits, const LeatKernelUnit *unit, const LeatDecl *decl, GPtrArray *entries,
                       LeatKernelForm form)
{
  static const char *const qualifiers[] = { "__global__", "static", "extern", "inline", "__forceinline__", NULL };
  g_autoptr (GString) tail = g_string_new (NULL);

  leat_entry_strip_qualifiers (edits, unit, decl, qualifiers);
  leat_edits_insert_before (edits, unit->tokens, leat_entry_find_head (unit, decl),
                            "static __device__ __forceinline__ ");
  leat_edits_insert_before (edits, unit->tokens, decl->name, "leat_body_");
  for (guint i = 0; i < entries->len; i++)
    {
      const LeatEntry *entry = g_ptr_array_index (entries, i);

      if (!leat_tokens_is (unit->tokens, decl->name, entry->name))
        continue;
      if (entry->reports)
        leat_cuda_edit_reporting (edits, unit, decl, entry);
      if (form & LEAT_KERNEL_PERSISTENT)
        continue;
      if (form & LEAT_KERNEL_WIDE)
        leat_cuda_append_lane_entry (tail, unit, entry);
      else
        leat_cuda_append_entries (tail, entry, form & LEAT_KERNEL_TIMED ? leat_cuda_get_clock_end (unit, decl) : NULL);
    }
  leat_edits_insert_after (edits, unit->tokens, decl->last, "%s", tail->str);
}

/* Whether only variants, and functions that are left out with them, reach the function: it may be plain C that no GPU
 * compiler takes. */
static gboolean
leat_cuda_serves_variants (const LeatKernelUnit *unit, LeatKernelCalls *calls, const guint8 *left_out, guint index)
{
  gboolean serves = FALSE;

  for (guint i = 0; i < unit->decls->len; i++)
    if (i != index && leat_kernel_calls_reaches (calls, i, index))
      {
        if (!left_out[i])
          return FALSE;
        serves = TRUE;
      }
  return serves;
}

/* For each declaration 1 when the GPU does without it. */
static guint8 *
leat_cuda_find_left_out (const LeatKernelUnit *unit)
{
  g_autoptr (LeatKernelCalls) calls = leat_kernel_calls_new (unit);
  guint8 *left_out = g_new0 (guint8, unit->decls->len + 1);
  gboolean variants = FALSE, changed = TRUE;

  for (guint i = 0; i < unit->decls->len; i++)
    {
      left_out[i] = (leat_kernel_unit_at (unit, i)->flags & LEAT_DECL_IS_VARIANT) != 0;
      variants = variants || left_out[i];
    }
  while (variants && changed)
    {
      changed = FALSE;
      for (guint i = 0; i < unit->decls->len; i++)
        {
          const LeatDecl *decl = leat_kernel_unit_at (unit, i);

          if (left_out[i] || decl->kind != LEAT_DECL_FUNCTION || (decl->flags & LEAT_DECL_IS_GLOBAL)
              || !leat_cuda_serves_variants (unit, calls, left_out, i))
            continue;
          left_out[i] = 1;
          changed = TRUE;
        }
    }
  return left_out;
}

/* `[] __device__ (int v) { .. }`: nvcc has an option for what NVRTC does not take, and within a kernel it says nothing.
 */
static void
leat_cuda_edit_lambdas (GArray *edits, const LeatKernelUnit *unit)
{
  static const char *const words[] = { "__device__", "__host__", NULL };

  for (guint i = 1; i < unit->tokens->tokens->len; i++)
    if (leat_tokens_is (unit->tokens, i - 1, "]"))
      for (; leat_tokens_is_any (unit->tokens, i, words); i++)
        leat_edits_replace (edits, unit->tokens, i, i, "%s", "");
}

char *
leat_kernel_unit_to_cuda (const LeatKernelUnit *unit, LeatKernelForm form, GError **error)
{
  gboolean indirect = (form & LEAT_KERNEL_INDIRECT) != 0;
  g_autoptr (GPtrArray) entries = leat_kernel_unit_list_entries (unit, indirect, error);
  g_autoptr (GArray) edits = leat_edits_new ();
  g_autofree guint8 *left_out = leat_cuda_find_left_out (unit);
  g_autofree char *constants = NULL, *dialect = NULL, *grid = NULL, *mixed = NULL, *helper = NULL, *reports = NULL,
                  *queues = NULL, *brought = NULL, *toolkit = NULL;
  g_autofree char *body = NULL, *words = NULL, *persistent = NULL, *stages = NULL, *assertions = NULL;
  g_autoptr (LeatKernelCalls) calls = form & LEAT_KERNEL_PERSISTENT ? leat_kernel_calls_new (unit) : NULL;

  if (entries == NULL)
    return NULL;
  for (guint i = 0; i < unit->linkage->len; i++)
    {
      guint token = g_array_index (unit->linkage, guint, i);

      leat_edits_replace (edits, unit->tokens, token, token, "%s", "");
    }
  leat_cuda_edit_lambdas (edits, unit);
  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);
      gboolean global = (decl->flags & LEAT_DECL_IS_GLOBAL) && !(decl->flags & LEAT_DECL_IS_TEMPLATE);

      if (left_out[i] || (global && decl->kind == LEAT_DECL_PROTOTYPE))
        leat_edits_replace (edits, unit->tokens, decl->first, decl->last, "%s", "");
      else if (decl->kind == LEAT_DECL_REPORT)
        leat_kernel_unit_edit_report (unit, edits, decl);
      else if (global && decl->kind == LEAT_DECL_FUNCTION)
        leat_cuda_edit_kernel (edits, unit, decl, entries, form);
      if (calls != NULL && decl->kind == LEAT_DECL_FUNCTION && !left_out[i])
        leat_kernel_unit_edit_budget (unit, calls, edits, i);
    }
  constants = leat_kernel_dup_device_text ("leat-dialect-constants.h");
  dialect = leat_kernel_dup_device_text ("leat-dialect-cuda.h");
  grid = leat_kernel_dup_device_text ("leat-dialect-cuda-grid.h");
  mixed = leat_kernel_dup_device_text ("leat-dialect-mixed.h");
  helper = indirect                  ? leat_entry_dup_resolver ("static __device__ __forceinline__")
           : form & LEAT_KERNEL_WIDE ? leat_entry_dup_wide_helper ("static __device__ __forceinline__")
                                     : g_strdup ("");
  reports = leat_kernel_unit_dup_report_text (unit, "leat-dialect-cuda-report.h");
  queues = leat_kernel_unit_dup_cuda_queue_text (unit);
  brought = leat_kernel_unit_dup_brought_text (unit, TRUE);
  toolkit = leat_kernel_unit_dup_toolkit_lines (unit);
  body = leat_edits_apply (edits, unit->tokens);
  assertions = leat_kernel_unit_dup_assertions (unit, entries);
  words = calls != NULL ? leat_kernel_dup_cuda_persistent_words () : g_strdup ("");
  persistent = calls != NULL ? leat_kernel_dup_cuda_persistent_text () : g_strdup ("");
  stages = calls != NULL ? leat_kernel_unit_dup_cuda_stages (unit, entries) : g_strdup ("");
  return g_strconcat (toolkit, form & LEAT_KERNEL_WIDE ? "#define LEAT_WIDE 1\n" : "",
                      form & LEAT_KERNEL_ENCLOSED ? "#define LEAT_ENCLOSED 1\n" : "", words, dialect, grid, mixed,
                      constants, brought, helper, reports, queues, persistent, body, assertions, stages, NULL);
}
