/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-cpu-graph.h"

G_BEGIN_DECLS

/* From the API's descriptions of nodes to ops, checked. */
CUresult leat_cpu_op_init_kernel (LeatCpuOp *op, const CUDA_KERNEL_NODE_PARAMS *params);
CUresult leat_cpu_op_init_copy (LeatCpuOp *op, const CUDA_MEMCPY3D *params);
CUresult leat_cpu_op_init_set (LeatCpuOp *op, const CUDA_MEMSET_NODE_PARAMS *params);
CUresult leat_cpu_op_init_host (LeatCpuOp *op, const CUDA_HOST_NODE_PARAMS *params);
/* Any of these four, or CUDA_ERROR_NOT_SUPPORTED. */
CUresult leat_cpu_op_init_params (LeatCpuOp *op, const CUgraphNodeParams *params);

/* Whether an executable's node may go from one to the other without being instantiated again. */
CUresult leat_cpu_op_check_change (const LeatCpuOp *from, const LeatCpuOp *to);

G_END_DECLS
