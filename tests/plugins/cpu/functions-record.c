/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Prints functions-recorded.h: what a GPU makes of kernels/functions-*.cu.  Needs nothing but CUDA, and is started in
 * this folder:
 *   cc functions-record.c -I$CUDA_HOME/include -L$CUDA_HOME/lib64 -lcuda -lnvrtc -lm -o functions-record
 *   ./functions-record >functions-recorded.h
 * With a file's name it writes all results there too, item by item, for looking at differences. */

#include "functions-inputs.h"

#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>

static void
fail (const char *what, const char *why)
{
  fprintf (stderr, "functions-record: %s: %s\n", what, why);
  exit (1);
}

static void
check (const char *what, CUresult result)
{
  const char *why = "unknown";

  if (result == CUDA_SUCCESS)
    return;
  cuGetErrorString (result, &why);
  fail (what, why);
}

/* As the framework compiles kernels. */
static CUmodule
load (const char *file, int arch)
{
  static const char text[] =
    "typedef signed char int8_t;\n#define GRID_FOR(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); "
    "i += gridDim.x * blockDim.x)\n#include \"%s\"\n";
  char source[sizeof text + 100], target[40];
  const char *options[] = { target,         "--std=c++17",
                            "--fmad=false", "--disable-warnings",
                            "-Ikernels",    "--device-as-default-execution-space" };
  nvrtcProgram program;
  nvrtcResult result;
  size_t size;
  char *image;
  CUmodule module;

  snprintf (source, sizeof source, text, file);
  snprintf (target, sizeof target, "--gpu-architecture=sm_%d", arch);
  nvrtcCreateProgram (&program, source, "record.cu", 0, NULL, NULL);
  result = nvrtcCompileProgram (program, sizeof options / sizeof options[0], options);
  if (result != NVRTC_SUCCESS)
    {
      nvrtcGetProgramLogSize (program, &size);
      image = calloc (size + 1, 1);
      nvrtcGetProgramLog (program, image);
      fail (file, image);
    }
  nvrtcGetCUBINSize (program, &size);
  image = malloc (size);
  nvrtcGetCUBIN (program, image);
  check (file, cuModuleLoadData (&module, image));
  nvrtcDestroyProgram (&program);
  free (image);
  return module;
}

/* The results of @row go to @results. */
static void
run (const FunctionRow *row, CUmodule module, CUdeviceptr *memory, void *results)
{
  static char bytes[FUNCTION_ITEMS * 8];
  int n = (int) function_count (row);
  void *params[5] = { &n };
  char kernel[100];
  CUfunction function;

  for (unsigned int k = 0; k < row->arity; k++)
    {
      function_fill (row, k, bytes);
      check ("cuMemcpyHtoD", cuMemcpyHtoD (memory[k], bytes, sizeof bytes));
      params[1 + k] = &memory[k];
    }
  params[1 + row->arity] = &memory[3];
  snprintf (kernel, sizeof kernel, "of_%s", row->name);
  check (kernel, cuModuleGetFunction (&function, module, kernel));
  check (kernel, cuLaunchKernel (function, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
  check (kernel, cuMemcpyDtoH (results, memory[3], FUNCTION_ITEMS * 8));
}

static void
print_row (const FunctionRow *row, const void *results)
{
  int digits = (int) function_size (row->result) * 2;

  if (row->kind == FUNCTION_EXACT)
    printf ("  { \"%s\", UINT64_C (0x%llx), 0 },\n", row->name, (unsigned long long) function_hash (row, results));
  else if (function_recorded_row (row) == row)
    {
      printf ("  { \"%s\", 0,\n    \"", row->name);
      for (unsigned int i = 0; i < function_count (row); i++)
        printf ("%0*llx", digits, (unsigned long long) function_result (row, results, i));
      printf ("\" },\n");
    }
}

int
main (int argc, char **argv)
{
  static char results[FUNCTION_ITEMS * 8];
  FILE *all = argc > 1 ? fopen (argv[1], "wb") : NULL;
  CUmodule module = NULL;
  CUdeviceptr memory[4];
  CUcontext context;
  CUdevice device;
  char name[100];
  int major, minor, version;

  check ("cuInit", cuInit (0));
  check ("cuDeviceGet", cuDeviceGet (&device, 0));
  check ("cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain (&context, device));
  check ("cuCtxSetCurrent", cuCtxSetCurrent (context));
  cuDeviceGetName (name, sizeof name, device);
  cuDeviceGetAttribute (&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  cuDeviceGetAttribute (&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  cuDriverGetVersion (&version);
  for (int k = 0; k < 4; k++)
    check ("cuMemAlloc", cuMemAlloc (&memory[k], FUNCTION_ITEMS * 8));
  printf (
    "/* Leat - dataflow for GPU work that repeats\n * SPDX-License-Identifier: LGPL-2.1-or-later\n */\n#pragma once\n\n"
    "/* Made by functions-record.c on an %s with CUDA %d.%d: of exact functions a hash of all results, of others the\n"
    " * results. */\n\n#include <stdint.h>\n\ntypedef struct\n{\n  const char *name;\n  uint64_t hash;\n"
    "  const char *values;\n} FunctionRecord;\n\n/* clang-format off */\n"
    "static const FunctionRecord function_records[] = {\n",
    name, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
  for (size_t i = 0; i < FUNCTION_ROWS; i++)
    {
      const FunctionRow *row = &function_rows[i];

      if (i == 0 || strcmp (row->file, function_rows[i - 1].file) != 0)
        module = load (row->file, major * 10 + minor);
      run (row, module, memory, results);
      print_row (row, results);
      if (all != NULL)
        fwrite (results, function_size (row->result), function_count (row), all);
    }
  printf ("};\n/* clang-format on */\n");
  return all != NULL && fclose (all) != 0;
}
