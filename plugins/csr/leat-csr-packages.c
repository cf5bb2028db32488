/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A list of Debian packages as a graph, for `csr:read` and `csr:names`: stanzas become vertices, relations become
 * edges.  Adds to the caller's names and edges only. */

#include "leat-csr-packages.h"

#include <string.h>

/* A name in a field of a stanza. */
typedef struct
{
  guint32 package;
  gboolean provides; /* else needs */
  char *name;
} LeatCsrRelation;

typedef struct
{
  LeatCsrPackages *packages;
  GArray *relations;
  gint64 package;     /* of this stanza; -1: not known yet */
  GString *fields[2]; /* of this stanza: what it needs, and what it provides */
  GString *field;     /* (nullable): what lines that begin with a space go on with */
} LeatCsrStanzas;

static void
leat_csr_relation_clear (gpointer relation)
{
  g_free (((LeatCsrRelation *) relation)->name);
}

static guint32
leat_csr_packages_add (LeatCsrPackages *self, char *name)
{
  gpointer place;

  if (g_hash_table_lookup_extended (self->places, name, NULL, &place))
    {
      g_free (name);
      return GPOINTER_TO_UINT (place);
    }
  g_hash_table_insert (self->places, name, GUINT_TO_POINTER (self->names->len));
  g_ptr_array_add (self->names, name);
  return self->names->len - 1;
}

/* `libc6 (>= 2.36), default-mta | mail-transport-agent:any`: the names. */
static void
leat_csr_stanzas_add_relations (LeatCsrStanzas *self, const char *list, gboolean provides)
{
  g_auto (GStrv) parts = g_strsplit_set (list, ",|", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    {
      LeatCsrRelation relation = { (guint32) self->package, provides, NULL };
      const char *name = parts[i] + strspn (parts[i], " \t\r");
      gsize length = strcspn (name, " \t\r:([<");

      if (length == 0)
        continue;
      relation.name = g_strndup (name, length);
      g_array_append_val (self->relations, relation);
    }
}

static void
leat_csr_stanzas_end (LeatCsrStanzas *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->fields); i++)
    {
      if (self->package >= 0)
        leat_csr_stanzas_add_relations (self, self->fields[i]->str, i == 1);
      g_string_truncate (self->fields[i], 0);
    }
  self->package = -1;
  self->field = NULL;
}

static gboolean
leat_csr_stanzas_take (const char *line, gsize length, const char *field, const char **value, gsize *value_length)
{
  gsize n = strlen (field);

  if (length < n || g_ascii_strncasecmp (line, field, n) != 0)
    return FALSE;
  *value = line + n;
  *value_length = length - n;
  return TRUE;
}

static void
leat_csr_stanzas_read_line (LeatCsrStanzas *self, const char *line, gsize length)
{
  const char *value;
  gsize n;

  if (length == 0)
    leat_csr_stanzas_end (self);
  else if (line[0] == ' ' || line[0] == '\t')
    {
      if (self->field != NULL)
        g_string_append_len (self->field, line, (gssize) length);
    }
  else
    {
      self->field = NULL;
      if (leat_csr_stanzas_take (line, length, "Package:", &value, &n))
        self->package = leat_csr_packages_add (self->packages, g_strstrip (g_strndup (value, n)));
      else if (leat_csr_stanzas_take (line, length, "Depends:", &value, &n)
               || leat_csr_stanzas_take (line, length, "Pre-Depends:", &value, &n))
        self->field = self->fields[0];
      else if (leat_csr_stanzas_take (line, length, "Provides:", &value, &n))
        self->field = self->fields[1];
      if (self->field != NULL)
        {
          g_string_append_c (self->field, ',');
          g_string_append_len (self->field, value, (gssize) n);
        }
    }
}

static void
leat_csr_edges_add (LeatCsrEdges *edges, guint32 from, guint32 to)
{
  g_array_append_val (edges->from, from);
  g_array_append_val (edges->to, to);
}

/* The place of a name: <name> if that is known, else the package, else a new <name>. */
static guint32
leat_csr_packages_resolve (LeatCsrPackages *self, const char *name)
{
  g_autofree char *virtual_name = g_strdup_printf ("<%s>", name);
  gpointer place;

  if (g_hash_table_lookup_extended (self->places, virtual_name, NULL, &place)
      || g_hash_table_lookup_extended (self->places, name, NULL, &place))
    return GPOINTER_TO_UINT (place);
  return leat_csr_packages_add (self, g_steal_pointer (&virtual_name));
}

static void
leat_csr_stanzas_link (LeatCsrStanzas *self, LeatCsrEdges *edges)
{
  LeatCsrPackages *packages = self->packages;
  guint32 n_real = packages->names->len;

  for (guint i = 0; i < self->relations->len; i++)
    {
      const LeatCsrRelation *relation = &g_array_index (self->relations, LeatCsrRelation, i);

      if (relation->provides)
        leat_csr_edges_add (edges, leat_csr_packages_add (packages, g_strdup_printf ("<%s>", relation->name)),
                            relation->package);
    }
  for (guint32 v = n_real; v < packages->names->len; v++)
    {
      const char *name = packages->names->pdata[v];
      g_autofree char *bare = g_strndup (name + 1, strlen (name) - 2);
      gpointer place;

      if (g_hash_table_lookup_extended (packages->places, bare, NULL, &place))
        leat_csr_edges_add (edges, v, GPOINTER_TO_UINT (place));
    }
  for (guint i = 0; i < self->relations->len; i++)
    {
      const LeatCsrRelation *relation = &g_array_index (self->relations, LeatCsrRelation, i);

      if (!relation->provides)
        leat_csr_edges_add (edges, relation->package, leat_csr_packages_resolve (packages, relation->name));
    }
  edges->vertices = packages->names->len;
}

gboolean
leat_csr_packages_read (LeatCsrPackages *self, LeatCsrEdges *edges, const char *name, const char *text, gsize size,
                        GError **error)
{
  LeatCsrStanzas stanzas = { .packages = self, .package = -1 };
  const char *end = text + size;

  self->names = g_ptr_array_new_with_free_func (g_free);
  self->places = g_hash_table_new (g_str_hash, g_str_equal);
  stanzas.relations = g_array_new (FALSE, FALSE, sizeof (LeatCsrRelation));
  g_array_set_clear_func (stanzas.relations, leat_csr_relation_clear);
  for (guint i = 0; i < G_N_ELEMENTS (stanzas.fields); i++)
    stanzas.fields[i] = g_string_new (NULL);
  while (text < end)
    {
      const char *stop = memchr (text, '\n', (gsize) (end - text));

      stop = stop != NULL ? stop : end;
      leat_csr_stanzas_read_line (&stanzas, text, (gsize) (stop - text));
      text = MIN (stop + 1, end);
    }
  leat_csr_stanzas_end (&stanzas);
  leat_csr_stanzas_link (&stanzas, edges);
  g_array_unref (stanzas.relations);
  for (guint i = 0; i < G_N_ELEMENTS (stanzas.fields); i++)
    g_string_free (stanzas.fields[i], TRUE);
  if (self->names->len > 0)
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
               "%s: no \"Package:\" in it; give /var/lib/dpkg/status, or the output of apt-cache dumpavail", name);
  return FALSE;
}

void
leat_csr_packages_clear (LeatCsrPackages *self)
{
  g_clear_pointer (&self->places, g_hash_table_unref);
  g_clear_pointer (&self->names, g_ptr_array_unref);
}

gboolean
leat_csr_packages_find (const LeatCsrPackages *self, const char *name, guint32 *vertex, GError **error)
{
  g_autofree char *virtual_name = g_strdup_printf ("<%s>", name);
  gpointer place;

  if (!g_hash_table_lookup_extended (self->places, name, NULL, &place)
      && !g_hash_table_lookup_extended (self->places, virtual_name, NULL, &place))
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_NAME,
                   "there is no package \"%s\" among the %u that are known", name, self->names->len);
      return FALSE;
    }
  *vertex = GPOINTER_TO_UINT (place);
  return TRUE;
}
