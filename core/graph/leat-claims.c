/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Knows which files nodes and options read and write, by whatever path, and refuses two uses that clash.  Opens and
 * changes no file. */

#include "leat-claims-private.h"

#include "leat-endpoint.h"
#include "leat-graph-error.h"
#include "leat-node-private.h"
#include "leat-output-file-private.h"
#include "leat-pipeline-private.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct
{
  char *who, *path;
  LeatClaimKind kind;
  int fd;           /* that the process has open already; -1: none */
  gboolean there;   /* else it is yet to be made, */
  char *target;     /* under this name */
  struct stat info; /* of what is there */
} LeatClaim;

struct _LeatClaims
{
  GPtrArray *claims;
};

static void
leat_claim_free (gpointer data)
{
  LeatClaim *self = data;

  g_free (self->who);
  g_free (self->path);
  g_free (self->target);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatClaim, leat_claim_free)

LeatClaims *
leat_claims_new (void)
{
  LeatClaims *self = g_new0 (LeatClaims, 1);

  self->claims = g_ptr_array_new_with_free_func (leat_claim_free);
  return self;
}

void
leat_claims_free (LeatClaims *self)
{
  g_ptr_array_unref (self->claims);
  g_free (self);
}

static int
leat_claim_find_descriptor (const char *path, LeatClaimKind kind)
{
  if (kind == LEAT_CLAIM_READ && (g_str_equal (path, "-") || g_str_equal (path, "/dev/stdin")))
    return STDIN_FILENO;
  return leat_output_file_find_descriptor (path);
}

/* The folder may be named in several ways as well. */
static char *
leat_claim_dup_target (const char *path)
{
  g_autofree char *target = leat_output_file_dup_target (path);
  g_autofree char *folder = g_path_get_dirname (target), *name = g_path_get_basename (target);
  g_autofree char *real = leat_output_file_dup_target (folder);

  return g_build_filename (real, name, NULL);
}

static LeatClaim *
leat_claim_new (const char *who, const char *path, LeatClaimKind kind)
{
  LeatClaim *self = g_new0 (LeatClaim, 1);

  self->who = g_strdup (who);
  self->path = g_strdup (path);
  self->kind = kind;
  self->fd = leat_claim_find_descriptor (path, kind);
  self->there = self->fd >= 0 ? fstat (self->fd, &self->info) == 0 : stat (path, &self->info) == 0;
  if (!self->there && self->fd < 0)
    self->target = leat_claim_dup_target (path);
  return self;
}

static gboolean
leat_claim_is_same (const LeatClaim *self, const LeatClaim *other)
{
  if (self->there && other->there)
    return self->info.st_dev == other->info.st_dev && self->info.st_ino == other->info.st_ino;
  return self->target != NULL && g_strcmp0 (self->target, other->target) == 0;
}

/* Files and disks keep their bytes, so that one user would lose them to another. */
static gboolean
leat_claim_is_kept (const LeatClaim *self)
{
  return !self->there || S_ISREG (self->info.st_mode) || S_ISBLK (self->info.st_mode);
}

/* A reader of a stream takes from the others the part that it reads. */
static gboolean
leat_claim_shares_input (const LeatClaim *self, const LeatClaim *other)
{
  if (self->kind != LEAT_CLAIM_READ || other->kind != LEAT_CLAIM_READ)
    return FALSE;
  if (self->fd >= 0 && self->fd == other->fd)
    return TRUE;
  return self->there && leat_claim_is_same (self, other)
         && (S_ISFIFO (self->info.st_mode) || S_ISSOCK (self->info.st_mode));
}

/* Several writers of one descriptor are no clash: their bytes come one after the other. */
static gboolean
leat_claim_meets (const LeatClaim *self, const LeatClaim *other)
{
  if (self->kind == LEAT_CLAIM_READ && other->kind == LEAT_CLAIM_READ)
    return FALSE;
  return (self->fd < 0 || self->fd != other->fd) && leat_claim_is_kept (self) && leat_claim_is_same (self, other);
}

static gboolean
leat_claim_check (const LeatClaim *self, const LeatClaim *other, GError **error)
{
  const LeatClaim *writer = self->kind == LEAT_CLAIM_WRITE ? self : other;
  const LeatClaim *reader = writer == self ? other : self;

  if (leat_claim_shares_input (self, other))
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TWO_WRITERS,
                 "%s and %s cannot both read %s, as each would have a part of it: name a file for one of them",
                 other->who, self->who, g_str_equal (self->path, "-") ? "standard input" : self->path);
  else if (!leat_claim_meets (self, other))
    return TRUE;
  else if (reader->kind == LEAT_CLAIM_WRITE)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TWO_WRITERS,
                 "%s and %s cannot both write to %s: name two files", other->who, self->who, self->path);
  else
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TWO_WRITERS,
                 "%s would write over %s (%s): name another file", writer->who, writer->path, reader->who);
  return FALSE;
}

gboolean
leat_claims_add (LeatClaims *self, const char *who, const char *path, LeatClaimKind kind, GError **error)
{
  g_autoptr (LeatClaim) claim = NULL;

  if (path == NULL || *path == '\0')
    return TRUE;
  claim = leat_claim_new (who, path, kind);
  for (guint i = 0; i < self->claims->len; i++)
    if (!leat_claim_check (claim, self->claims->pdata[i], error))
      return FALSE;
  g_ptr_array_add (self->claims, g_steal_pointer (&claim));
  return TRUE;
}

/* A sink writes its `path`; every other file that a node names is read. */
static LeatClaimKind
leat_claims_get_kind (LeatNode *node, const LeatProp *prop)
{
  return LEAT_IS_ENDPOINT (node) && !leat_endpoint_is_source (LEAT_ENDPOINT (node)) && g_str_equal (prop->name, "path")
           ? LEAT_CLAIM_WRITE
           : LEAT_CLAIM_READ;
}

static gboolean
leat_claims_add_prop (LeatClaims *self, LeatNode *node, const LeatProp *prop, const char *where, GError **error)
{
  const char *given = *(char **) ((char *) node + prop->offset);
  g_autofree char *path = NULL, *who = NULL;

  if (given == NULL || (g_str_equal (given, "-") && !LEAT_IS_ENDPOINT (node)))
    return TRUE;
  path = g_str_equal (given, "-") ? g_strdup (given) : leat_node_dup_path (node, prop->name);
  who = g_strdup_printf ("\"%s\" of node \"%s\"%s%s", prop->name, leat_node_get_name (node),
                         where != NULL ? " of " : "", where != NULL ? where : "");
  return leat_claims_add (self, who, path, leat_claims_get_kind (node, prop), error);
}

gboolean
leat_claims_add_node (LeatClaims *self, LeatNode *node, const char *where, GError **error)
{
  const LeatNodeInfo *info = leat_node_get_info (node);

  for (guint i = 0; info != NULL && i < info->n_props; i++)
    if (info->props[i].type == LEAT_PROP_PATH && !leat_claims_add_prop (self, node, &info->props[i], where, error))
      return FALSE;
  return TRUE;
}
