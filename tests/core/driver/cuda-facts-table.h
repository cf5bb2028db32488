/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Included by two files, after Leat's headers in one and after the toolkit's in the other; TABLE and COUNT name what
 * they define. */

#include "cuda-facts.h"

#define FACT_VALUE(name)          { #name, (uint64_t) (name), 0, 0 },
#define FACT_TYPE(type)           { #type, 0, sizeof (type), 0 },
#define FACT_MEMBER(type, member) { #type "." #member, 0, sizeof (((type *) 0)->member), offsetof (type, member) },

const CudaFact TABLE[] = {
#include "cuda-facts-list.h"
};

const size_t COUNT = sizeof TABLE / sizeof TABLE[0];
