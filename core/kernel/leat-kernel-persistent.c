/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The generated half of a persistent kernel: a function for each kernel of the file that can be a stage, called with
 * the parameters of its wrapper as they lie in memory, and what chooses among them.  The comments show what becomes of
 * `__global__ void saxpy (const float *x, float *y, int x_count)`. */

#include "leat-kernel-persistent-private.h"

#include <string.h>

char *
leat_kernel_dup_cuda_persistent_words (void)
{
  return g_strdup ("__shared__ uint3 leat_persistent_index, leat_persistent_grid;\n"
                   "#define blockIdx leat_persistent_index\n#define gridDim leat_persistent_grid\n");
}

static char *
leat_persistent_dup_texts (const char *const *names)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *text = leat_kernel_dup_device_text (names[i]);

      g_string_append (out, text);
    }
  return g_string_free (out, FALSE);
}

char *
leat_kernel_dup_cuda_persistent_text (void)
{
  static const char *const names[] = { "leat-run-signal.h", "leat-dialect-cuda-run-signal.h", "leat-persistent.h",
                                       NULL };
  g_autofree char *text = leat_persistent_dup_texts (names);

  return g_strconcat (
    text, "#define __syncthreads() leat_persistent_sync ()\n#define leat_grid_sync() leat_persistent_meet ()\n", NULL);
}

char *
leat_kernel_dup_host_persistent_words (void)
{
  static const char *const names[] = { "leat-run-signal.h", NULL };

  return leat_persistent_dup_texts (names);
}

static gboolean
leat_persistent_has_stage (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatEntry *entry)
{
  return entry->wrapper != NULL && leat_kernel_unit_why_no_stage (unit, calls, entry->index) == NULL;
}

/* struct leat_stage_params_saxpy { union { const float * x; char leat_room_0[LEAT_PERSISTENT_PARAM]; }; ... }; */
static void
leat_persistent_append_params (GString *out, const LeatEntry *entry)
{
  g_string_append_printf (out, "struct leat_stage_params_%s { ", entry->name);
  for (guint i = 0; i < entry->wrapper->len; i++)
    g_string_append_printf (out, "union { %s; char leat_room_%u[LEAT_PERSISTENT_PARAM]; }; ",
                            g_array_index (entry->wrapper, LeatEntryParam, i).declaration, i);
  g_string_append (out, "};\n");
}

static void
leat_persistent_append_declarations (GString *out, const LeatEntry *entry)
{
  for (guint i = 0; i < entry->wrapper->len; i++)
    g_string_append_printf (out, "%s%s", i ? ", " : "", g_array_index (entry->wrapper, LeatEntryParam, i).declaration);
}

/* case 0: { const leat_stage_params_saxpy &p = ...; leat_stage_saxpy (p.x, p.y, ...); break; } */
static void
leat_persistent_append_case (GString *out, const LeatEntry *entry, guint number, const char *self)
{
  g_string_append_printf (out, "    case %u: { ", number);
  if (entry->wrapper->len > 0)
    g_string_append_printf (out, "const leat_stage_params_%s &leat_p = *(const leat_stage_params_%s *) args; ",
                            entry->name, entry->name);
  g_string_append_printf (out, "leat_stage_%s (%s%s", entry->name, self,
                          self[0] != '\0' && entry->wrapper->len > 0 ? ", " : "");
  for (guint i = 0; i < entry->wrapper->len; i++)
    g_string_append_printf (out, "%sleat_p.%s", i ? ", " : "", g_array_index (entry->wrapper, LeatEntryParam, i).name);
  g_string_append (out, "); break; }\n");
}

/* @head: of the function that chooses; @append: the function that is the stage; @self: its first argument, or "" */
static char *
leat_persistent_dup_stages (const LeatKernelUnit *unit, GPtrArray *entries, const char *head, const char *self,
                            void (*append) (GString *, const LeatEntry *))
{
  g_autoptr (LeatKernelCalls) calls = leat_kernel_calls_new (unit);
  g_autoptr (GString) cases = g_string_new (NULL);
  GString *out = g_string_new ("\n#line 1 \"leat-stages\"\n");

  for (guint i = 0; i < entries->len; i++)
    {
      const LeatEntry *entry = g_ptr_array_index (entries, i);

      if (!leat_persistent_has_stage (unit, calls, entry))
        continue;
      leat_persistent_append_params (out, entry);
      append (out, entry);
      leat_persistent_append_case (cases, entry, i, self);
    }
  g_string_append_printf (out,
                          "%sleat_persistent_do (unsigned int kind, const unsigned char *args)\n{\n  switch "
                          "(kind)\n    {\n%s    }\n}\n",
                          head, cases->str);
  return g_string_free (out, FALSE);
}

static void
leat_persistent_append_cuda_stage (GString *out, const LeatEntry *entry)
{
  g_string_append_printf (out, "static __device__ __forceinline__ void leat_stage_%s (", entry->name);
  leat_persistent_append_declarations (out, entry);
  g_string_append_printf (out, ") { leat_body_%s (%s);", entry->name, entry->wrapper_arguments);
  for (guint i = 0; i < entry->wrapper->len; i++)
    if (strchr (g_array_index (entry->wrapper, LeatEntryParam, i).declaration, '*') != NULL)
      g_string_append_printf (out, " leat_might_write (%s);", g_array_index (entry->wrapper, LeatEntryParam, i).name);
  g_string_append (out, " }\n");
}

char *
leat_kernel_unit_dup_cuda_stages (const LeatKernelUnit *unit, GPtrArray *entries)
{
  g_autofree char *stages = leat_persistent_dup_stages (unit, entries, "static __device__ __forceinline__ void ", "",
                                                        leat_persistent_append_cuda_stage);

  return g_strconcat (stages,
                      "extern \"C\" __global__ void leat_persistent (const __grid_constant__ LeatPersistentParams s) "
                      "{ leat_persistent_run (s); }\n",
                      NULL);
}

/* The body on the CPU finds where to report in its thread, and not among its parameters. */
static void
leat_persistent_append_host_stage (GString *out, const LeatEntry *entry)
{
  g_autofree char *arguments = g_strdup (entry->wrapper_arguments);

  if (entry->reports)
    *g_strrstr (arguments, "leat_reports") = '\0';
  if (g_str_has_suffix (arguments, ", "))
    arguments[strlen (arguments) - 2] = '\0';
  g_string_append_printf (out, "LEAT_INLINE void leat_stage_%s (leat_module *leat_self%s", entry->name,
                          entry->wrapper->len > 0 ? ", " : "");
  leat_persistent_append_declarations (out, entry);
  g_string_append_printf (out, ") { %s%s (leat_self%s%s); }\n",
                          entry->reports ? "leat_self->leat_reports = leat_reports; " : "", entry->function,
                          arguments[0] != '\0' ? ", " : "", arguments);
}

char *
leat_kernel_unit_dup_host_stages (const LeatKernelUnit *unit, GPtrArray *entries)
{
  return leat_persistent_dup_stages (unit, entries, "inline void leat_module::", "this",
                                     leat_persistent_append_host_stage);
}

char *
leat_kernel_dup_host_persistent_members (void)
{
  static const char *const names[] = { "leat-dialect-host-run-signal.h", "leat-persistent.h", NULL };
  g_autofree char *text = leat_persistent_dup_texts (names);

  return g_strconcat (
    text,
    "__attribute__ ((noinline)) void leat_persistent_main (const LeatPersistentParams &s) "
    "{ leat_persistent_enter (s); if (__builtin_setjmp (leat_escape) == 0) leat_persistent_run (s); }\n",
    NULL);
}

char *
leat_kernel_dup_host_persistent_entry (void)
{
  return g_strdup (
    "static void leat_thread_leat_persistent (LeatHostBlock *block, const void *params, LeatHostDim3 thread) "
    "{ leat_module t; leat_enter (t, block, thread.x, thread.y, thread.z); "
    "t.leat_persistent_main (*(const LeatPersistentParams *) params); }\n"
    "static const LeatHostParam leat_layout_leat_persistent[] = { { 0, sizeof (LeatPersistentParams) } };\n");
}
