/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-launch-options.h"

G_BEGIN_DECLS

/* A recording: an artifact without images, with the inputs of the last runs and the settings that the runs had. */

typedef struct _LeatRecord LeatRecord;

/* Before the pipeline is read: from now on the process notes which files are. @most: runs whose inputs are kept */
LeatRecord *leat_record_new (guint64 most);
void leat_record_free (LeatRecord *self);
/* Before the session is open. */
void leat_record_watch (LeatRecord *self, LeatSession *session);
/* When the session is closed, however it ended.  The pipeline becomes the one that is kept. */
gboolean leat_record_write (LeatRecord *self, const LeatLaunchOptions *options, LeatPipeline *pipeline,
                            LeatDevice *device, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatRecord, leat_record_free)

G_END_DECLS
