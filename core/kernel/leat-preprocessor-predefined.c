/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The macros that a file finds.  Kernel files are CUDA C for device code, so they find what nvcc 13.0 and NVRTC
 * define for that, on every machine and whether or not CUDA is there.  The dialect's own macros are defined, and left
 * to compilers: the transformation knows them by name. */

#include "leat-preprocessor-private.h"

#include <string.h>

static const char *const leat_pp_valued[][2] = {
  { "__cplusplus", "201703L" },
  { "__STDC__", "1" },
  { "__STDC_HOSTED__", "1" },
  { "__STDCPP_DEFAULT_NEW_ALIGNMENT__", "16ul" },
  { "__CUDACC__", "1" },
  { "__CUDACC_RTC__", "1" },
  { "__NVCC__", "1" },
  { "__CUDACC_VER_MAJOR__", "13" },
  { "__CUDACC_VER_MINOR__", "0" },
  { "__CUDACC_VER_BUILD__", "88" },
  { "__CUDA_API_VER_MAJOR__", "13" },
  { "__CUDA_API_VER_MINOR__", "0" },
  { "CUDART_VERSION", "13000" },
  { "CUDA_VERSION", "13000" },
  { "__CUDA_FTZ", "0" },
  { "__GNUC__", "12" },
  { "__GNUC_MINOR__", "2" },
  { "__GNUC_PATCHLEVEL__", "0" },
  { "__linux__", "1" },
  { "__linux", "1" },
  { "__gnu_linux__", "1" },
  { "__unix__", "1" },
  { "__unix", "1" },
  { "__LP64__", "1" },
  { "_LP64", "1" },
  { "__CHAR_BIT__", "8" },
  { "__SIZEOF_SHORT__", "2" },
  { "__SIZEOF_INT__", "4" },
  { "__SIZEOF_LONG__", "8" },
  { "__SIZEOF_LONG_LONG__", "8" },
  { "__SIZEOF_FLOAT__", "4" },
  { "__SIZEOF_DOUBLE__", "8" },
  { "__SIZEOF_POINTER__", "8" },
  { "__SIZEOF_SIZE_T__", "8" },
  { "__ORDER_LITTLE_ENDIAN__", "1234" },
  { "__ORDER_BIG_ENDIAN__", "4321" },
  { "__BYTE_ORDER__", "1234" },
  { "__cpp_aggregate_bases", "201603L" },
  { "__cpp_aggregate_nsdmi", "201304L" },
  { "__cpp_alias_templates", "200704L" },
  { "__cpp_attributes", "200809L" },
  { "__cpp_binary_literals", "201304L" },
  { "__cpp_capture_star_this", "201603L" },
  { "__cpp_constexpr", "201603L" },
  { "__cpp_decltype", "200707L" },
  { "__cpp_decltype_auto", "201304L" },
  { "__cpp_deduction_guides", "201703L" },
  { "__cpp_delegating_constructors", "200604L" },
  { "__cpp_enumerator_attributes", "201411L" },
  { "__cpp_fold_expressions", "201603L" },
  { "__cpp_generic_lambdas", "201304L" },
  { "__cpp_guaranteed_copy_elision", "201606L" },
  { "__cpp_hex_float", "201603L" },
  { "__cpp_if_constexpr", "201606L" },
  { "__cpp_inheriting_constructors", "201511L" },
  { "__cpp_init_captures", "201304L" },
  { "__cpp_initializer_lists", "200806L" },
  { "__cpp_inline_variables", "201606L" },
  { "__cpp_lambdas", "200907L" },
  { "__cpp_noexcept_function_type", "201510L" },
  { "__cpp_nontype_template_args", "201411L" },
  { "__cpp_nontype_template_parameter_auto", "201606L" },
  { "__cpp_nsdmi", "200809L" },
  { "__cpp_range_based_for", "201603L" },
  { "__cpp_raw_strings", "200710L" },
  { "__cpp_ref_qualifiers", "200710L" },
  { "__cpp_return_type_deduction", "201304L" },
  { "__cpp_rvalue_references", "200610L" },
  { "__cpp_static_assert", "201411L" },
  { "__cpp_structured_bindings", "201606L" },
  { "__cpp_template_template_args", "201611L" },
  { "__cpp_unicode_characters", "200704L" },
  { "__cpp_unicode_literals", "200710L" },
  { "__cpp_user_defined_literals", "200809L" },
  { "__cpp_variable_templates", "201304L" },
  { "__cpp_variadic_templates", "200704L" },
  { "__cpp_variadic_using", "201611L" },
  { "CHAR_BIT", "8" },
  { "SCHAR_MIN", "(-128)" },
  { "SCHAR_MAX", "127" },
  { "UCHAR_MAX", "255" },
  { "CHAR_MIN", "(-128)" },
  { "CHAR_MAX", "127" },
  { "SHRT_MIN", "(-32768)" },
  { "SHRT_MAX", "32767" },
  { "USHRT_MAX", "65535" },
  { "INT_MIN", "(-2147483647 - 1)" },
  { "INT_MAX", "2147483647" },
  { "UINT_MAX", "4294967295u" },
  { "LONG_MIN", "(-9223372036854775807l - 1)" },
  { "LONG_MAX", "9223372036854775807l" },
  { "ULONG_MAX", "18446744073709551615ul" },
  { "LLONG_MIN", "(-9223372036854775807ll - 1)" },
  { "LLONG_MAX", "9223372036854775807ll" },
  { "ULLONG_MAX", "18446744073709551615ull" },
  { "INT8_MIN", "(-128)" },
  { "INT8_MAX", "127" },
  { "UINT8_MAX", "255" },
  { "INT16_MIN", "(-32768)" },
  { "INT16_MAX", "32767" },
  { "UINT16_MAX", "65535" },
  { "INT32_MIN", "(-2147483647 - 1)" },
  { "INT32_MAX", "2147483647" },
  { "UINT32_MAX", "4294967295u" },
  { "INT64_MIN", "(-9223372036854775807l - 1)" },
  { "INT64_MAX", "9223372036854775807l" },
  { "UINT64_MAX", "18446744073709551615ul" },
  { "SIZE_MAX", "18446744073709551615ul" },
  { "FLT_DIG", "6" },
  { "DBL_DIG", "15" },
};

static const char *const leat_pp_kept[] = {
  "__global__",
  "__device__",
  "__host__",
  "__constant__",
  "__shared__",
  "__managed__",
  "__forceinline__",
  "__noinline__",
  "__align__",
  "__launch_bounds__",
  "__maxnreg__",
  "__cluster_dims__",
  "__grid_constant__",
  "__builtin_align__",
  "assert",
  "NULL",
  "__DATE__",
  "__TIME__",
  "__TIMESTAMP__",
  "GRID_FOR",
  "QUEUE_FOR",
  "QUEUE_EACH",
  "LEAT_CLUSTER",
  "LEAT_HOST_VARIANT",
  "LEAT_REPORT",
  "FLT_MIN",
  "FLT_MAX",
  "FLT_EPSILON",
  "DBL_MIN",
  "DBL_MAX",
  "DBL_EPSILON",
  "INFINITY",
  "HUGE_VALF",
  "HUGE_VAL",
  "NAN",
  "M_E",
  "M_LOG2E",
  "M_LOG10E",
  "M_LN2",
  "M_LN10",
  "M_PI",
  "M_PI_2",
  "M_PI_4",
  "M_1_PI",
  "M_2_PI",
  "M_2_SQRTPI",
  "M_SQRT2",
  "M_SQRT1_2",
  "CUDART_INF_F",
  "CUDART_NAN_F",
  "CUDART_PI_F",
  "CUDART_SQRT_TWO_F",
  "CUDART_LN2_F",
  "CUDART_INF",
  "CUDART_PI",
};

static const struct
{
  const char *name;
  LeatPpMacroKind kind;
} leat_pp_known[] = {
  { "__LINE__", LEAT_PP_LINE },
  { "__FILE__", LEAT_PP_FILE },
  { "__COUNTER__", LEAT_PP_COUNTER },
  { "__INCLUDE_LEVEL__", LEAT_PP_LEVEL },
  { "__has_include", LEAT_PP_ASKS },
  { "__has_include_next", LEAT_PP_ASKS },
  { "__has_cpp_attribute", LEAT_PP_ASKS },
};

static LeatPpMacro *
leat_pp_add_shared (GHashTable *table, const char *name, LeatPpMacroKind kind)
{
  LeatPpMacro *macro = g_new0 (LeatPpMacro, 1);
  LeatPpWord *word = g_new (LeatPpWord, 1);

  macro->kind = kind;
  macro->name = g_strdup (name);
  macro->is_shared = TRUE;
  word->text = macro->name;
  word->length = strlen (name);
  g_hash_table_replace (table, word, macro);
  return macro;
}

/* Numbers, parentheses and signs. */
static void
leat_pp_set_value (LeatPpMacro *macro, const char *value)
{
  g_autoptr (GArray) body = g_array_new (FALSE, FALSE, sizeof (LeatPpToken));

  for (const char *p = value; *p != '\0';)
    {
      LeatPpToken token = { .text = p, .length = 1, .kind = LEAT_PP_PUNCT };

      if (g_ascii_isdigit (*p))
        {
          token.kind = LEAT_PP_NUMBER;
          for (token.length = 1; g_ascii_isalnum (p[token.length]);)
            token.length++;
        }
      if (p > value && p[-1] == ' ')
        token.flags = LEAT_PP_WHITE;
      g_array_append_val (body, token);
      p += token.length;
      p += strspn (p, " ");
    }
  macro->n_body = body->len;
  macro->body = g_memdup2 (body->data, body->len * sizeof (LeatPpToken));
}

static GHashTable *
leat_pp_get_shared (void)
{
  static GHashTable *shared;
  GHashTable *table;

  if (g_once_init_enter (&shared))
    {
      table = leat_pp_macros_new ();
      for (guint i = 0; i < G_N_ELEMENTS (leat_pp_valued); i++)
        leat_pp_set_value (leat_pp_add_shared (table, leat_pp_valued[i][0], LEAT_PP_TEXT), leat_pp_valued[i][1]);
      for (guint i = 0; i < G_N_ELEMENTS (leat_pp_kept); i++)
        leat_pp_add_shared (table, leat_pp_kept[i], LEAT_PP_KEPT);
      for (guint i = 0; i < G_N_ELEMENTS (leat_pp_known); i++)
        leat_pp_add_shared (table, leat_pp_known[i].name, leat_pp_known[i].kind);
      g_once_init_leave (&shared, table);
    }
  return shared;
}

static gboolean
leat_pp_word_is (const LeatPpWord *word, const char *name)
{
  return strncmp (word->text, name, word->length) == 0 && name[word->length] == '\0';
}

/* A number that one target has and another has not. */
static LeatPpMacro *
leat_pp_get_number (LeatPreprocessor *self, const LeatPpWord *word, guint number)
{
  g_autofree char *text = g_strdup_printf ("%u", number);
  LeatPpMacro *macro = g_new0 (LeatPpMacro, 1);

  macro->kind = LEAT_PP_TEXT;
  macro->name = g_strndup (word->text, word->length);
  leat_pp_set_value (macro, g_string_chunk_insert_const (self->words, text));
  g_ptr_array_add (self->owned, macro);
  return macro;
}

/* Tells a text about the device that it is for, and notes that it asked. */
static LeatPpMacro *
leat_pp_find_target (LeatPreprocessor *self, const LeatPpWord *word)
{
  const LeatKernelTarget *target = self->target;
  const struct
  {
    const char *name;
    LeatKernelAsked asks;
    guint value;
    gboolean has_zero; /* it is defined as 0, and not left undefined */
  } names[] = {
    { "LEAT_HOST", LEAT_KERNEL_ASKED_DEVICE, !target->is_cuda, FALSE },
    { "LEAT_CUDA", LEAT_KERNEL_ASKED_DEVICE, target->is_cuda, FALSE },
    { "__CUDA_ARCH__", LEAT_KERNEL_ASKED_ARCH, target->arch, FALSE },
    { "__CUDA_ARCH_LIST__", LEAT_KERNEL_ASKED_ARCH, target->arch, FALSE },
    { "LEAT_HAS_CLUSTERS", LEAT_KERNEL_ASKED_ARCH, target->is_cuda && target->arch >= 900, TRUE },
    { "LEAT_WIDE", LEAT_KERNEL_ASKED_LANES, target->has_lanes, FALSE },
  };
  guint found = G_N_ELEMENTS (names);
  LeatPpMacro *macro = NULL;
  LeatPpWord *key;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (leat_pp_word_is (word, names[i].name))
      found = i;
  if (found == G_N_ELEMENTS (names))
    return NULL;
  self->out->asks |= names[found].asks;
  if (names[found].value != 0 || names[found].has_zero)
    macro = leat_pp_get_number (self, word, names[found].value);
  key = g_new (LeatPpWord, 1);
  *key = (LeatPpWord){ names[found].name, strlen (names[found].name) };
  g_hash_table_replace (self->macros, key, macro);
  return macro;
}

static LeatPpMacro *
leat_pp_find_predefined (LeatPreprocessor *self, const LeatPpWord *word)
{
  LeatPpMacro *shared = g_hash_table_lookup (leat_pp_get_shared (), word);

  if (shared != NULL)
    return shared;
  return word->length >= 9 && (word->text[0] == 'L' || word->text[0] == '_') ? leat_pp_find_target (self, word) : NULL;
}

LeatPpMacro *
leat_pp_find (LeatPreprocessor *self, const char *name, gsize length)
{
  LeatPpWord word = { name, length };
  gpointer found;

  if (g_hash_table_lookup_extended (self->macros, &word, NULL, &found))
    return found;
  return leat_pp_find_predefined (self, &word);
}
