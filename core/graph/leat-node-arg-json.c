/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sets all numbers of a structure, a vector or an array by one text: p={"gain": 2, "clip": [0, 255]} is p.gain=2
 * p.clip.0=0 p.clip.1=255.  JSON, of which a pipeline file takes the quotes away: names need none.  Numbers are read as
 * those of single arguments, so that they mean the same. */

#include "leat-graph-error-private.h"
#include "leat-node-arg-private.h"

#include <string.h>

typedef struct
{
  LeatNode *node;
  const char *name, *text, *at;
  GArray *values; /* LeatArgValue */
  GError **error;
} LeatJson;

static gboolean leat_json_read (LeatJson *self, const char *path);

G_GNUC_PRINTF (2, 3)
static gboolean
leat_json_fail (LeatJson *self, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (self->error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE, "%s=%s, column %" G_GSIZE_FORMAT ": %s",
               self->name, self->text, (gsize) (self->at - self->text) + 1, what);
  return FALSE;
}

static char
leat_json_peek (LeatJson *self)
{
  while (g_ascii_isspace (*self->at))
    self->at++;
  return *self->at;
}

/* The names behind `path.` of the node's arguments, each once. (element-type utf8) (transfer full) */
static GPtrArray *
leat_json_list_members (LeatNode *node, const char *path)
{
  GPtrArray *args = leat_node_get_private (node)->args, *names = g_ptr_array_new_with_free_func (g_free);
  gsize length = strlen (path);

  for (guint i = 0; i < args->len; i++)
    {
      const char *name = ((LeatNodeArg *) args->pdata[i])->name;
      g_autofree char *member = NULL;

      if (strncmp (name, path, length) != 0 || name[length] != '.')
        continue;
      member = g_strndup (name + length + 1, strcspn (name + length + 1, "."));
      if (!g_ptr_array_find_with_equal_func (names, member, g_str_equal, NULL))
        g_ptr_array_add (names, g_steal_pointer (&member));
    }
  return names;
}

gboolean
leat_node_has_members (LeatNode *self, const char *name)
{
  g_autoptr (GPtrArray) names = leat_json_list_members (self, name);

  return names->len > 0;
}

static gboolean
leat_json_read_member (LeatJson *self, const char *path, const char *member)
{
  g_autofree char *inner = g_strconcat (path, ".", member, NULL);

  return leat_json_read (self, inner);
}

/* `"gain":` or `gain:` */
static char *
leat_json_read_key (LeatJson *self)
{
  gboolean quoted = leat_json_peek (self) == '"';
  const char *start = self->at + quoted, *end = start;
  g_autofree char *key = NULL;

  while (g_ascii_isalnum (*end) || *end == '_')
    end++;
  key = g_strndup (start, end - start);
  if (end == start || (quoted && *end != '"'))
    {
      leat_json_fail (self, "expected the name of a member, as in {\"gain\": 2}");
      return NULL;
    }
  self->at = end + quoted;
  if (leat_json_peek (self) == ':')
    {
      self->at++;
      return g_steal_pointer (&key);
    }
  leat_json_fail (self, "expected \":\" behind \"%s\"", key);
  return NULL;
}

static gboolean
leat_json_read_object (LeatJson *self, const char *path, GPtrArray *members)
{
  do
    {
      const char *start = ++self->at;
      g_autofree char *key = leat_json_peek (self) != '}' ? leat_json_read_key (self) : NULL, *hint = NULL;

      if (key == NULL)
        break;
      if (g_ptr_array_find_with_equal_func (members, key, g_str_equal, NULL))
        {
          if (!leat_json_read_member (self, path, key))
            return FALSE;
          continue;
        }
      self->at = start;
      leat_json_peek (self);
      g_ptr_array_add (members, NULL);
      hint = leat_graph_error_hint (key, (const char *const *) members->pdata, "members");
      return leat_json_fail (self, "\"%s\" has no member \"%s\"%s", path, key, hint);
    }
  while (leat_json_peek (self) == ',');
  if (self->error != NULL && *self->error != NULL)
    return FALSE;
  return leat_json_peek (self) == '}' || leat_json_fail (self, "expected \",\" or \"}\"");
}

/* Members in their order; all of them. */
static gboolean
leat_json_read_array (LeatJson *self, const char *path, GPtrArray *members)
{
  const char *start = self->at;
  guint n = 0;

  do
    {
      self->at++;
      if (n < members->len && !leat_json_read_member (self, path, members->pdata[n]))
        return FALSE;
      if (n++ == members->len)
        break;
    }
  while (leat_json_peek (self) == ',');
  if (n == members->len)
    return leat_json_peek (self) == ']' || leat_json_fail (self, "expected \",\" or \"]\"");
  self->at = start;
  return leat_json_fail (self, "\"%s\" has %u members, and %s are given", path, members->len,
                         n < members->len ? "fewer" : "more");
}

static gboolean
leat_json_read_number (LeatJson *self, const char *path, LeatNodeArg *arg)
{
  LeatArgValue value = { .arg = arg };
  gsize length = strcspn (self->at, ",:{}[] \t\r\n");
  g_autofree char *word = g_strndup (self->at, length);

  if (length == 0)
    return leat_json_fail (self, "\"%s\" takes a number", path);
  if (!leat_node_arg_parse (arg, word, &value.number, self->error))
    return FALSE;
  g_array_append_val (self->values, value);
  self->at += length;
  return TRUE;
}

/* The value of an argument, or of all whose names begin with @path and a dot.  No deeper than names are. */
static gboolean
leat_json_read (LeatJson *self, const char *path)
{
  g_autoptr (GPtrArray) members = leat_json_list_members (self->node, path);
  LeatNodeArg *arg = leat_node_peek_arg (self->node, path);
  char opens = leat_json_peek (self);

  if (arg != NULL)
    return leat_json_read_number (self, path, arg);
  if (opens != '{' && opens != '[')
    {
      g_autofree char *list = NULL;

      g_ptr_array_add (members, NULL);
      list = g_strjoinv (", ", (char **) members->pdata);
      return leat_json_fail (self, "\"%s\" has members (%s): give it {\"%s\": VALUE, ...} or an array of all values",
                             path, list, (char *) members->pdata[0]);
    }
  if (opens == '{' ? !leat_json_read_object (self, path, members) : !leat_json_read_array (self, path, members))
    return FALSE;
  self->at++;
  return TRUE;
}

gboolean
leat_node_parse_args (LeatNode *self, const char *name, const char *text, GArray *values, GError **error)
{
  g_autoptr (GError) local = NULL;
  LeatJson json = { self, name, text, text, values, &local };

  if (leat_json_read (&json, name)
      && (leat_json_peek (&json) == '\0' || leat_json_fail (&json, "nothing may follow here")))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}
