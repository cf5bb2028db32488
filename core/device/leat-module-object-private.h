/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-module-private.h"

G_BEGIN_DECLS

/* For the files of this folder only. */
struct _LeatModule
{
  gatomicrefcount refs;
  LeatDevice *device;
  const LeatDriverTable *table;
  char *what;
  CUmodule module;
  GMutex lock;
  GHashTable *functions; /* name -> LeatModuleFunction */
  gboolean waits;        /* of who opens a session; where waits_known */
  gboolean waits_known;
  gboolean may_wait; /* as far as the image tells */
};

typedef struct
{
  LeatFunction facts; /* first: what callers hold points here */
  char *name;
  guint dynamic_shared; /* that the driver allows now; under the module's lock */
} LeatModuleFunction;

G_END_DECLS
