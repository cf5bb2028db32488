/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Whether plans of a pipeline join kernels by themselves. */

#include "leat-pipeline.h"

GType
leat_fuse_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_FUSE_MODE_OFF, "LEAT_FUSE_MODE_OFF", "off" },
                                       { LEAT_FUSE_MODE_AUTO, "LEAT_FUSE_MODE_AUTO", "auto" },
                                       { LEAT_FUSE_MODE_NEVER, "LEAT_FUSE_MODE_NEVER", "never" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatFuseMode", values));
  return type;
}

static GQuark
leat_pipeline_get_fuse_quark (void)
{
  return g_quark_from_static_string ("leat-pipeline-fuse");
}

/**
 * leat_pipeline_set_fuse:
 * @self: a pipeline
 * @mode: which kernels become one
 *
 * Chooses which kernels become one in the plans that are made from now on, without a node `megakernel` around them.
 *
 * Since: 1.0
 */
void
leat_pipeline_set_fuse (LeatPipeline *self, LeatFuseMode mode)
{
  g_return_if_fail (LEAT_IS_PIPELINE (self));
  g_object_set_qdata (G_OBJECT (self), leat_pipeline_get_fuse_quark (), GINT_TO_POINTER (mode));
}

/**
 * leat_pipeline_get_fuse:
 * @self: a pipeline
 *
 * Gets which kernels become one by themselves.
 *
 * Returns: as leat_pipeline_set_fuse() was told, else %LEAT_FUSE_MODE_OFF
 *
 * Since: 1.0
 */
LeatFuseMode
leat_pipeline_get_fuse (LeatPipeline *self)
{
  g_return_val_if_fail (LEAT_IS_PIPELINE (self), LEAT_FUSE_MODE_OFF);
  return (LeatFuseMode) GPOINTER_TO_INT (g_object_get_qdata (G_OBJECT (self), leat_pipeline_get_fuse_quark ()));
}
