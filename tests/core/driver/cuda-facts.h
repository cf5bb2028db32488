/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A constant has a value; a type a size; a member a size and an offset. */
typedef struct
{
  const char *name;
  uint64_t value;
  size_t size;
  size_t offset;
} CudaFact;

typedef struct
{
  const char *name;
  int version;
  int version_agrees; /* the exported symbol has the signature of that version */
} CudaPrototype;

extern const CudaFact cuda_facts_ours[];
extern const CudaFact cuda_facts_toolkit[];
extern const size_t cuda_facts_n_ours;
extern const size_t cuda_facts_n_toolkit;

extern const CudaPrototype cuda_prototypes[];
extern const size_t cuda_prototypes_n;
extern const int cuda_facts_toolkit_version;
