/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-csr-graph.h"

G_BEGIN_DECLS

/* Packages of a Debian system as a graph: an edge goes from a package to each one that its Depends and Pre-Depends
 * name, alternatives too.  A name that no package has, or that others provide, is a vertex <name> with edges to those
 * that have or provide it.  Versions are not looked at. */
typedef struct
{
  GPtrArray *names;   /* by vertex: `name`, or `<name>` */
  GHashTable *places; /* vertices by these */
} LeatCsrPackages;

/* A file as /var/lib/dpkg/status is, or what `apt-cache dumpavail` prints. */
gboolean leat_csr_packages_read (LeatCsrPackages *self, LeatCsrEdges *edges, const char *name, const char *text,
                                 gsize size, GError **error);
void leat_csr_packages_clear (LeatCsrPackages *self);
/* The vertex of a package, or of a name that is only provided. */
gboolean leat_csr_packages_find (const LeatCsrPackages *self, const char *name, guint32 *vertex, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatCsrPackages, leat_csr_packages_clear)

G_END_DECLS
