/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-driver-private.h"

G_BEGIN_DECLS

/* Sees the driver calls that other people's libraries make by themselves, through CUPTI, where that is installed and no
 * profiler has it.  All calls of the process are slower meanwhile: this is for finding out what went wrong. */

/* Of the thread that began: the first call that said why nothing can be captured. */
typedef struct
{
  gpointer subscriber;
  gulong thread;
  gboolean within;  /* the last that was heard is that call's return */
  CUresult failure; /* CUDA_SUCCESS: none */
  const char *call; /* as people write it: that of the runtime API where it was made there; NULL: none */
} LeatDriverWitness;

/* FALSE: there is nobody to tell. */
gboolean leat_driver_witness_begin (LeatDriverWitness *self, LeatDriver *driver);
void leat_driver_witness_end (LeatDriverWitness *self);

G_END_DECLS
