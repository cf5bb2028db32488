/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A whole text in memory, for `csr:read` and `csr:names`.  The bytes are the caller's. */

#include "leat-csr-load.h"

#include "leat-input-file.h"

static GBytes *
leat_csr_load_refuse (const char *path, const char *why, GError **error)
{
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, "cannot read \"%s\": %s", path, why);
  return NULL;
}

GBytes *
leat_csr_load (const char *path, GError **error)
{
  g_autoptr (LeatInputFile) input = leat_input_file_open (path, error);
  g_autofree char *text = NULL;
  gsize size, got, more;
  char beyond;

  if (input == NULL)
    return NULL;
  if (!leat_input_file_is_regular (input) || g_str_equal (path, "-"))
    return leat_csr_load_refuse (path, "it is not a regular file; save the edges to one first", error);
  size = leat_input_file_get_size (input);
  text = g_try_malloc (MAX (size, 1));
  if (text == NULL)
    return leat_csr_load_refuse (path, "it is too large for this machine's memory", error);
  if (leat_input_file_read (input, text, size, &got, TRUE, NULL, error) == LEAT_FLOW_ERROR
      || leat_input_file_read (input, &beyond, 1, &more, TRUE, NULL, error) == LEAT_FLOW_ERROR)
    return NULL;
  if (got < size || more > 0)
    return leat_csr_load_refuse (
      path, got < size ? "it became shorter while it was read" : "it became longer while it was read", error);
  return g_bytes_new_take (g_steal_pointer (&text), size);
}
