/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Queues of work items in kernel files: parameters `LeatQueue<T> name`, and what is put before the text of kernels that
 * have some. */

#include "leat-kernel-queue-private.h"

#include "leat-kernel-report-private.h"
#include "leat-kernel-transform-private.h"

#include <string.h>

#define LEAT_QUEUE_WORD "LeatQueue"

/* Whether the file speaks of queues: the rest of one that does not costs nothing. */
static gboolean
leat_kernel_unit_mentions_queues (const LeatKernelUnit *self)
{
  return strstr (self->tokens->text->text, LEAT_QUEUE_WORD) != NULL;
}

gboolean
leat_kernel_unit_has_queue (const LeatKernelUnit *self, const LeatDecl *decl)
{
  for (guint i = decl->params; i < leat_tokens_at (self->tokens, decl->params)->match; i++)
    if (leat_tokens_is (self->tokens, i, LEAT_QUEUE_WORD))
      return TRUE;
  return FALSE;
}

/* Totals of queues lie in the block for reports, which is there already where the file reports. */
static char *
leat_kernel_unit_dup_queue_text (const LeatKernelUnit *self, const char *dialect)
{
  const char *const names[] = { leat_kernel_unit_mentions_reports (self) ? NULL : "leat-report-block.h",
                                "leat-queue-ring.h", dialect, "leat-queue.h", "leat-queue-claim.h" };
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *text = names[i] != NULL ? leat_kernel_dup_device_text (names[i]) : NULL;

      g_string_append (out, text != NULL ? text : "");
    }
  return g_string_free (out, FALSE);
}

char *
leat_kernel_unit_dup_cuda_queue_text (const LeatKernelUnit *self)
{
  g_autofree char *text = NULL, *waiting = NULL;

  if (!leat_kernel_unit_mentions_queues (self))
    return g_strdup ("");
  text = leat_kernel_unit_dup_queue_text (self, "leat-dialect-cuda-queue.h");
  waiting = leat_kernel_dup_device_text ("leat-queue-wait.h");
  return g_strconcat (text, waiting, NULL);
}

char *
leat_kernel_unit_dup_host_queue_text (const LeatKernelUnit *self)
{
  g_autofree char *text = NULL, *waiting = NULL;

  if (!leat_kernel_unit_mentions_queues (self))
    return g_strdup ("");
  text = leat_kernel_unit_dup_queue_text (self, "leat-dialect-host-queue.h");
  waiting = leat_kernel_dup_device_text ("leat-queue-wait.h");
  return g_strconcat (text, waiting, NULL);
}

char *
leat_kernel_queue_dup_item (const char *words)
{
  static const char before[] = LEAT_QUEUE_WORD " < ", after[] = " >";

  if (!g_str_has_prefix (words, before) || !g_str_has_suffix (words, after)
      || strlen (words) < strlen (before) + strlen (after))
    return NULL;
  return g_strndup (words + strlen (before), strlen (words) - strlen (before) - strlen (after));
}
