/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* CUDA's functions that a host C++ compiler refuses, each with what to do instead.  Put before a text that names any. */

#define LEAT_REFUSED(name, why)                                                                                        \
  template <class... T> int name (T...) __attribute__ ((unavailable (why)));
#define LEAT_SHUFFLED(name)                                                                                            \
  LEAT_REFUSED (name, "no GPU has it since compute capability 7.0; " #name "_sync () is told which lanes take part")

LEAT_SHUFFLED (__shfl)
LEAT_SHUFFLED (__shfl_up)
LEAT_SHUFFLED (__shfl_down)
LEAT_SHUFFLED (__shfl_xor)
LEAT_SHUFFLED (__any)
LEAT_SHUFFLED (__all)
LEAT_SHUFFLED (__ballot)
#undef LEAT_SHUFFLED
LEAT_REFUSED (any, "no GPU has it since compute capability 7.0; __any_sync () is told which lanes take part")
LEAT_REFUSED (all, "no GPU has it since compute capability 7.0; __all_sync () is told which lanes take part")
LEAT_REFUSED (ballot, "no GPU has it since compute capability 7.0; __ballot_sync () is told which lanes take part")

#define LEAT_COUNTED(name) LEAT_REFUSED (name, "a CPU has no counters for profilers of GPUs; clock64 () tells the time")
LEAT_COUNTED (__pm0)
LEAT_COUNTED (__pm1)
LEAT_COUNTED (__pm2)
LEAT_COUNTED (__pm3)
#undef LEAT_COUNTED

LEAT_REFUSED (__barrier_sync_count, "a CPU has no barrier for a part of a block; __syncthreads () is one for all of it, "
                                    "__syncwarp (mask) one for lanes of a warp")
#define LEAT_UNPLACED(name) LEAT_REFUSED (name, "constants and parameters have no memory of their own on a CPU")
LEAT_UNPLACED (__isConstant)
LEAT_UNPLACED (__isGridConstant)
#undef LEAT_UNPLACED

#define LEAT_CLUSTERED(name) LEAT_REFUSED (name, "a CPU has no clusters; LEAT_HAS_CLUSTERS says where there are any")
LEAT_CLUSTERED (__clusterDim)
LEAT_CLUSTERED (__clusterDimIsSpecified)
LEAT_CLUSTERED (__clusterGridDimInClusters)
LEAT_CLUSTERED (__clusterIdx)
LEAT_CLUSTERED (__clusterRelativeBlockIdx)
LEAT_CLUSTERED (__clusterRelativeBlockRank)
LEAT_CLUSTERED (__clusterSizeInBlocks)
LEAT_CLUSTERED (__cluster_barrier_arrive)
LEAT_CLUSTERED (__cluster_barrier_arrive_relaxed)
LEAT_CLUSTERED (__cluster_barrier_wait)
LEAT_CLUSTERED (__cluster_map_shared_multicast)
LEAT_CLUSTERED (__cluster_map_shared_rank)
LEAT_CLUSTERED (__cluster_query_shared_rank)
LEAT_CLUSTERED (__isClusterShared)
LEAT_CLUSTERED (__isCtaShared)
LEAT_CLUSTERED (__threadfence_cluster)
#undef LEAT_CLUSTERED
#undef LEAT_REFUSED
