/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Makes a node by its id and adds it to a pipeline, in one call. */

#include "leat-pipeline.h"
#include "leat-registry.h"

/**
 * leat_pipeline_make:
 * @self: a pipeline
 * @id: which kind of node, such as `text:scan`
 * @name: (nullable): its name; %NULL makes one from the id
 * @error: return location
 *
 * Makes a node by its id and adds it.
 *
 * Returns: (transfer none): the node, or %NULL with the errors of leat_registry_find(), leat_factory_make() and
 *   leat_pipeline_add()
 *
 * Since: 0.1
 */
LeatNode *
leat_pipeline_make (LeatPipeline *self, const char *id, const char *name, GError **error)
{
  g_autoptr (LeatNode) node = NULL;
  LeatFactory *factory;

  g_return_val_if_fail (LEAT_IS_PIPELINE (self), NULL);
  g_return_val_if_fail (id != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  factory = leat_registry_find (leat_registry_get_default (), id, error);
  node = factory != NULL ? leat_factory_make (factory, name, error) : NULL;
  if (node == NULL || !leat_pipeline_add (self, node, error))
    return NULL;
  return node; /* the pipeline's reference keeps it */
}
