/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The meaning of the names of types: element type, bytes, lanes. */

#include "leat-kernel-bring-private.h"
#include "leat-kernel-unit-private.h"

#include <string.h>

typedef struct
{
  const char *name;
  const char *dtype;
  guint bytes;
} LeatKernelTypeName;

/* Vectors are these names with 1 to 4 behind them. */
static const LeatKernelTypeName leat_kernel_vectors[] = {
  { "char", "i8", 1 },      { "uchar", "u8", 1 },      { "short", "i16", 2 }, { "ushort", "u16", 2 },
  { "int", "i32", 4 },      { "uint", "u32", 4 },      { "long", "i64", 8 },  { "ulong", "u64", 8 },
  { "longlong", "i64", 8 }, { "ulonglong", "u64", 8 }, { "float", "f32", 4 }, { "double", "f64", 8 },
};

static const LeatKernelTypeName leat_kernel_scalars[] = {
  { "int8_t", "i8", 1 },     { "uint8_t", "u8", 1 },   { "int16_t", "i16", 2 },   { "uint16_t", "u16", 2 },
  { "int32_t", "i32", 4 },   { "uint32_t", "u32", 4 }, { "int64_t", "i64", 8 },   { "uint64_t", "u64", 8 },
  { "size_t", "u64", 8 },    { "ssize_t", "i64", 8 },  { "ptrdiff_t", "i64", 8 }, { "intptr_t", "i64", 8 },
  { "uintptr_t", "u64", 8 }, { "float", "f32", 4 },    { "double", "f64", 8 },    { "bool", "bool", 1 },
  { "uchar", "u8", 1 },      { "ushort", "u16", 2 },   { "uint", "u32", 4 },      { "ulong", "u64", 8 },
  { "clock_t", "i64", 8 },
};

/* Classes, each known to a file that includes its header. */
static const struct
{
  LeatKernelTypeName name;
  guint lanes;
  const char *header;
} leat_kernel_classes[] = {
  { { "__half", "f16", 2 }, 1, "cuda_fp16.h" },
  { { "half", "f16", 2 }, 1, "cuda_fp16.h" },
  { { "__half2", "f16", 2 }, 2, "cuda_fp16.h" },
  { { "half2", "f16", 2 }, 2, "cuda_fp16.h" },
  { { "__nv_bfloat16", "bf16", 2 }, 1, "cuda_bf16.h" },
  { { "nv_bfloat16", "bf16", 2 }, 1, "cuda_bf16.h" },
  { { "__nv_bfloat162", "bf16", 2 }, 2, "cuda_bf16.h" },
  { { "nv_bfloat162", "bf16", 2 }, 2, "cuda_bf16.h" },
  { { "__nv_fp8_e4m3", "f8e4m3", 1 }, 1, "cuda_fp8.h" },
  { { "__nv_fp8x2_e4m3", "f8e4m3", 1 }, 2, "cuda_fp8.h" },
  { { "__nv_fp8x4_e4m3", "f8e4m3", 1 }, 4, "cuda_fp8.h" },
  { { "__nv_fp8_e5m2", "f8e5m2", 1 }, 1, "cuda_fp8.h" },
  { { "__nv_fp8x2_e5m2", "f8e5m2", 1 }, 2, "cuda_fp8.h" },
  { { "__nv_fp8x4_e5m2", "f8e5m2", 1 }, 4, "cuda_fp8.h" },
  { { "cuFloatComplex", "c64", 8 }, 1, "cuComplex.h" },
  { { "cuComplex", "c64", 8 }, 1, "cuComplex.h" },
  { { "cuDoubleComplex", "c128", 16 }, 1, "cuComplex.h" },
  { { "cufftComplex", "c64", 8 }, 1, "cufft.h" },
  { { "cufftDoubleComplex", "c128", 16 }, 1, "cufft.h" },
  { { "cufftReal", "f32", 4 }, 1, "cufft.h" },
  { { "cufftDoubleReal", "f64", 8 }, 1, "cufft.h" },
  { { "thrust :: complex < float >", "c64", 8 }, 1, "thrust/complex.h" },
  { { "thrust :: complex < double >", "c128", 16 }, 1, "thrust/complex.h" },
  { { "std :: complex < float >", "c64", 8 }, 1, "leat-std.h" },
  { { "std :: complex < double >", "c128", 16 }, 1, "leat-std.h" },
  { { "leat_c64", "c64", 8 }, 1, "leat-complex.h" },
  { { "leat_c128", "c128", 16 }, 1, "leat-complex.h" },
};

/* What only functions of its header look into, so that a port carries its bytes. */
static const struct
{
  const char *name;
  gsize bytes, align;
} leat_kernel_states[] = {
  { "curandState", 48, 8 },
  { "curandState_t", 48, 8 },
  { "curandStateXORWOW", 48, 8 },
  { "curandStateXORWOW_t", 48, 8 },
  { "curandStatePhilox4_32_10", 64, 16 },
  { "curandStatePhilox4_32_10_t", 64, 16 },
};

static gboolean
leat_kernel_type_set (LeatKernelType *type, const LeatKernelTypeName *name, guint lanes)
{
  type->dtype = name->dtype;
  type->lane_bytes = name->bytes;
  type->lanes = lanes;
  type->is_bool = g_str_equal (name->name, "bool");
  type->is_integer = (name->dtype[0] == 'u' || name->dtype[0] == 'i') && !type->is_bool;
  return TRUE;
}

/* `unsigned long long int` in any order. */
static gboolean
leat_kernel_type_combine (const char *words, LeatKernelType *type)
{
  g_auto (GStrv) list = g_strsplit (words, " ", -1);
  guint is_unsigned = 0, is_signed = 0, longs = 0, shorts = 0, chars = 0, ints = 0;
  static const LeatKernelTypeName sized[2][4] = {
    { { "char", "i8", 1 }, { "short", "i16", 2 }, { "int", "i32", 4 }, { "long", "i64", 8 } },
    { { "uchar", "u8", 1 }, { "ushort", "u16", 2 }, { "uint", "u32", 4 }, { "ulong", "u64", 8 } },
  };

  for (guint i = 0; list[i] != NULL; i++)
    {
      if (g_str_equal (list[i], "unsigned"))
        is_unsigned++;
      else if (g_str_equal (list[i], "signed"))
        is_signed++;
      else if (g_str_equal (list[i], "long"))
        longs++;
      else if (g_str_equal (list[i], "short"))
        shorts++;
      else if (g_str_equal (list[i], "char"))
        chars++;
      else if (g_str_equal (list[i], "int"))
        ints++;
      else
        return FALSE;
    }
  if (is_unsigned + is_signed > 1 || longs > 2 || shorts + (longs > 0) + chars > 1 || ints > 1 || (chars && ints))
    return FALSE;
  return leat_kernel_type_set (type, &sized[is_unsigned][chars ? 0 : shorts ? 1 : longs ? 3 : 2], 1);
}

static gboolean
leat_kernel_type_lookup_vector (const char *word, LeatKernelType *type)
{
  gsize length = strlen (word);

  if (length < 2 || word[length - 1] < '1' || word[length - 1] > '4')
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (leat_kernel_vectors); i++)
    if (strlen (leat_kernel_vectors[i].name) == length - 1
        && strncmp (leat_kernel_vectors[i].name, word, length - 1) == 0)
      return leat_kernel_type_set (type, &leat_kernel_vectors[i], word[length - 1] - '0');
  return FALSE;
}

/* The words that `typedef W name;` or `using name = W;` of the file gives to @name. */
static char *
leat_kernel_unit_dup_typedef (const LeatKernelUnit *self, const char *name)
{
  const LeatTokens *tokens = self->tokens;
  g_auto (LeatNameSearch) search = { NULL };
  char *found = NULL;

  leat_name_search_init (&search, self, name);
  for (guint i = 0; i < self->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self, i);
      guint first = 0, last = decl->last - 1;

      if (decl->kind != LEAT_DECL_TYPE || decl->last < decl->first + 3)
        continue;
      if (leat_tokens_is (tokens, decl->first, "typedef") && leat_tokens_is (tokens, last, search.last))
        first = decl->first + 1, last--;
      else if (leat_tokens_is (tokens, decl->first, "using") && leat_tokens_is (tokens, decl->first + 1, search.last)
               && leat_tokens_is (tokens, decl->first + 2, "="))
        first = decl->first + 3;
      if (first == 0 || !leat_name_search_takes (&search, decl))
        continue;
      g_free (found);
      found = leat_tokens_dup_range (tokens, first, last);
    }
  if (search.is_ambiguous)
    g_clear_pointer (&found, g_free);
  return found;
}

char *
leat_kernel_unit_dup_plain_type (const LeatKernelUnit *self, const char *words)
{
  char *current = g_strdup (words);

  for (guint depth = 0; depth < 8; depth++)
    {
      /* The file's own names come first: it may well have another `uint` than CUDA. */
      char *next = leat_kernel_unit_dup_typedef (self, current);

      if (next == NULL || g_str_equal (next, current))
        {
          g_free (next);
          break;
        }
      g_free (current);
      current = next;
    }
  return current;
}

gboolean
leat_kernel_unit_lookup_state (const LeatKernelUnit *self, const char *words, gsize *bytes, gsize *align)
{
  g_autofree char *current = leat_kernel_unit_dup_plain_type (self, words);

  for (guint i = 0; i < G_N_ELEMENTS (leat_kernel_states); i++)
    if (g_str_equal (leat_kernel_states[i].name, current))
      {
        *bytes = leat_kernel_states[i].bytes;
        *align = leat_kernel_states[i].align;
        return leat_kernel_unit_has_brought (self, "curand_kernel.h");
      }
  return FALSE;
}

gboolean
leat_kernel_unit_lookup_type (const LeatKernelUnit *self, const char *words, LeatKernelType *type)
{
  g_autofree char *current = leat_kernel_unit_dup_plain_type (self, words);

  for (guint i = 0; i < G_N_ELEMENTS (leat_kernel_scalars); i++)
    if (g_str_equal (leat_kernel_scalars[i].name, current))
      return leat_kernel_type_set (type, &leat_kernel_scalars[i], 1);
  for (guint i = 0; i < G_N_ELEMENTS (leat_kernel_classes); i++)
    if (g_str_equal (leat_kernel_classes[i].name.name, current)
        && leat_kernel_unit_has_brought (self, leat_kernel_classes[i].header))
      return leat_kernel_type_set (type, &leat_kernel_classes[i].name, leat_kernel_classes[i].lanes);
  return leat_kernel_type_combine (current, type) || leat_kernel_type_lookup_vector (current, type);
}

gboolean
leat_kernel_unit_lookup_enum (const LeatKernelUnit *self, const char *name, LeatKernelType *type)
{
  g_auto (LeatNameSearch) search = { NULL };
  g_autofree char *found = NULL;

  leat_name_search_init (&search, self, name);
  for (guint i = 0; i < self->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self, i);
      guint t = decl->first + leat_tokens_is (self->tokens, decl->first, "typedef"), begin;
      gboolean is_named = leat_tokens_is (self->tokens, decl->last - 1, search.last);

      if (decl->kind != LEAT_DECL_TYPE || !leat_tokens_is (self->tokens, t, "enum"))
        continue;
      for (; t < decl->last && !leat_tokens_is (self->tokens, t, "{") && !leat_tokens_is (self->tokens, t, ":"); t++)
        is_named = is_named || leat_tokens_is (self->tokens, t, search.last);
      for (begin = t + 1; t < decl->last && !leat_tokens_is (self->tokens, t, "{");)
        t++;
      if (!is_named || !leat_tokens_is (self->tokens, t, "{") || !leat_name_search_takes (&search, decl))
        continue;
      g_free (found);
      found = t > begin ? leat_tokens_dup_range (self->tokens, begin, t - 1) : g_strdup ("int");
    }
  return found != NULL && !search.is_ambiguous && leat_kernel_unit_lookup_type (self, found, type) && type->lanes == 1;
}

gboolean
leat_kernel_type_is_number (const LeatKernelType *type)
{
  return type->is_bool || type->is_integer || g_str_equal (type->dtype, "f32") || g_str_equal (type->dtype, "f64");
}

const char *
leat_kernel_type_get_header (const char *words)
{
  for (guint i = 0; i < G_N_ELEMENTS (leat_kernel_classes); i++)
    if (g_str_equal (leat_kernel_classes[i].name.name, words))
      return leat_kernel_classes[i].header;
  for (guint i = 0; i < G_N_ELEMENTS (leat_kernel_states); i++)
    if (g_str_equal (leat_kernel_states[i].name, words))
      return "curand_kernel.h";
  return NULL;
}
