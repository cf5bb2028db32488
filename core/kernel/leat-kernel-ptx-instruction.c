/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The words of a PTX instruction: which function of ours does it, for which types, and what a CPU does not have. */

#include "leat-kernel-ptx-private.h"

#include <string.h>

static const struct
{
  const char *name, *type;
} leat_ptx_types[] = {
  { "u8", "unsigned char" }, { "s8", "signed char" },
  { "b8", "unsigned char" }, { "u16", "unsigned short" },
  { "s16", "short" },        { "b16", "unsigned short" },
  { "u32", "unsigned int" }, { "s32", "int" },
  { "b32", "unsigned int" }, { "u64", "unsigned long long" },
  { "s64", "long long" },    { "b64", "unsigned long long" },
  { "f32", "float" },        { "f64", "double" },
  { "pred", "bool" },
};

/* Names without types, and how many registers each reads.  Of those for floating point the rounding is part. */
static const struct
{
  const char *name;
  guint inputs;
} leat_ptx_plain[] = {
  { "add", 2 },        { "sub", 2 },        { "mul", 2 },         { "mul_lo", 2 },       { "mul_hi", 2 },
  { "mul_wide", 2 },   { "mad_lo", 3 },     { "mad_hi", 3 },      { "mad_wide", 3 },     { "div", 2 },
  { "rem", 2 },        { "min", 2 },        { "max", 2 },         { "abs", 1 },          { "neg", 1 },
  { "and", 2 },        { "or", 2 },         { "xor", 2 },         { "not", 1 },          { "cnot", 1 },
  { "shl", 2 },        { "shr", 2 },        { "sad", 3 },         { "selp", 3 },         { "popc", 1 },
  { "clz", 1 },        { "brev", 1 },       { "bfind", 1 },       { "bfe", 3 },          { "bfi", 4 },
  { "prmt", 3 },       { "shf_l_wrap", 3 }, { "shf_l_clamp", 3 }, { "shf_r_wrap", 3 },   { "shf_r_clamp", 3 },
  { "lop3", 4 },       { "add_rn", 2 },     { "sub_rn", 2 },      { "mul_rn", 2 },       { "div_rn", 2 },
  { "rcp_rn", 1 },     { "sqrt_rn", 1 },    { "fma_rn", 3 },      { "add_rz", 2 },       { "sub_rz", 2 },
  { "mul_rz", 2 },     { "div_rz", 2 },     { "rcp_rz", 1 },      { "sqrt_rz", 1 },      { "fma_rz", 3 },
  { "add_rd", 2 },     { "sub_rd", 2 },     { "mul_rd", 2 },      { "div_rd", 2 },       { "rcp_rd", 1 },
  { "sqrt_rd", 1 },    { "fma_rd", 3 },     { "add_ru", 2 },      { "sub_ru", 2 },       { "mul_ru", 2 },
  { "div_ru", 2 },     { "rcp_ru", 1 },     { "sqrt_ru", 1 },     { "fma_ru", 3 },       { "div_approx", 2 },
  { "div_full", 2 },   { "rcp_approx", 1 }, { "sqrt_approx", 1 }, { "rsqrt_approx", 1 }, { "ex2_approx", 1 },
  { "lg2_approx", 1 }, { "sin_approx", 1 }, { "cos_approx", 1 },  { "tanh_approx", 1 },  { "copysign", 2 },
  { "add_cc", 2 },     { "addc", 2 },       { "addc_cc", 2 },     { "sub_cc", 2 },       { "subc", 2 },
  { "subc_cc", 2 },    { "mad_lo_cc", 3 },  { "madc_lo", 3 },     { "madc_lo_cc", 3 },   { "mad_hi_cc", 3 },
  { "madc_hi", 3 },    { "madc_hi_cc", 3 }, { "setp_eq", 2 },     { "setp_ne", 2 },      { "setp_lt", 2 },
  { "setp_le", 2 },    { "setp_gt", 2 },    { "setp_ge", 2 },     { "setp_lo", 2 },      { "setp_ls", 2 },
  { "setp_hi", 2 },    { "setp_hs", 2 },    { "setp_equ", 2 },    { "setp_neu", 2 },     { "setp_ltu", 2 },
  { "setp_leu", 2 },   { "setp_gtu", 2 },   { "setp_geu", 2 },    { "setp_num", 2 },     { "setp_nan", 2 },
  { "activemask", 0 }, { "vote_any", 2 },   { "vote_all", 2 },    { "vote_ballot", 2 },
};

/* What a CPU does not have, by how the words begin. */
static const struct
{
  const char *prefix, *instead;
} leat_ptx_refused[] = {
  { "bra", "write the branch in C++" },
  { "call", "call the function in C++" },
  { "ret", "return in C++" },
  { "exit", "return in C++" },
  { "shfl", "__shfl_sync () and its kin do it" },
  { "redux", "__reduce_add_sync () and its kin do it" },
  { "match", "__match_any_sync () and __match_all_sync () do it" },
  { "bar.red", "__syncthreads_count (), __syncthreads_and () and __syncthreads_or () do it" },
  { "bar.arrive", "__syncthreads () is a barrier of the whole block" },
  { "barrier.cluster", "a CPU has no clusters" },
  { "vote.sync.uni", "__all_sync () and __any_sync () do it" },
};

const char *
leat_ptx_get_type (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (leat_ptx_types); i++)
    if (g_str_equal (leat_ptx_types[i].name, name))
      return leat_ptx_types[i].type;
  return NULL;
}

/* Takes the first @word out of @words. */
static gboolean
leat_ptx_take (GPtrArray *words, const char *word)
{
  guint at;

  if (!g_ptr_array_find_with_equal_func (words, word, g_str_equal, &at))
    return FALSE;
  g_ptr_array_remove_index (words, at);
  return TRUE;
}

static void
leat_ptx_take_all (GPtrArray *words, const char *const *unwanted)
{
  for (; *unwanted != NULL; unwanted++)
    leat_ptx_take (words, *unwanted);
}

static char *
leat_ptx_dup_joined (GPtrArray *words)
{
  GString *name = g_string_new (NULL);

  for (guint i = 0; i < words->len; i++)
    g_string_append_printf (name, "%s%s", i > 0 ? "_" : "", (char *) g_ptr_array_index (words, i));
  return g_string_free (name, FALSE);
}

/* PTX says rm and rp where CUDA says rd and ru. */
static void
leat_ptx_rename_rounding (GPtrArray *words)
{
  for (guint i = 1; i < words->len; i++)
    {
      const char *word = g_ptr_array_index (words, i);

      if (g_str_equal (word, "rm") || g_str_equal (word, "rp"))
        g_ptr_array_index (words, i) = (gpointer) (word[1] == 'm' ? "rd" : "ru");
    }
}

static gboolean
leat_ptx_name_carries (const char *name)
{
  return g_str_has_suffix (name, "_cc") || g_str_has_prefix (name, "addc") || g_str_has_prefix (name, "subc")
         || g_str_has_prefix (name, "madc");
}

/* Of a sum with carry the sign says nothing, of an upper half it does. */
static const char *
leat_ptx_choose_carried (const char *name, const char *type)
{
  if (g_str_equal (type, "int") && strstr (name, "_hi") == NULL)
    return "unsigned int";
  if (g_str_equal (type, "long long") && strstr (name, "_hi") == NULL)
    return "unsigned long long";
  return g_str_has_prefix (type, "unsigned ") ? type : NULL;
}

static gboolean
leat_ptx_read_plain (LeatPtxInstruction *self, GPtrArray *words)
{
  static const char *const unwanted[] = { "sync", "mode", NULL };
  const char *type = leat_ptx_get_type (g_ptr_array_index (words, words->len - 1));
  g_autofree char *name = NULL;

  if (type == NULL)
    return FALSE;
  g_ptr_array_remove_index (words, words->len - 1);
  leat_ptx_take_all (words, unwanted);
  self->flush = leat_ptx_take (words, "ftz");
  self->limit = leat_ptx_take (words, "sat");
  if (words->len == 0)
    return FALSE;
  leat_ptx_rename_rounding (words);
  name = leat_ptx_dup_joined (words);
  self->carry = leat_ptx_name_carries (name);
  type = self->carry ? leat_ptx_choose_carried (name, type) : type;
  if (type == NULL || (self->limit && !g_str_equal (type, "float")))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (leat_ptx_plain); i++)
    if (g_str_equal (leat_ptx_plain[i].name, name))
      {
        self->inputs = leat_ptx_plain[i].inputs;
        self->result = TRUE;
        g_string_printf (self->call, "leat_ptx_%s<%s>", name, type);
        /* Only products come from below to the least number that is not flushed. */
        if (self->flush && (g_str_has_prefix (name, "mul") || g_str_has_prefix (name, "fma")))
          g_string_printf (self->cut, "leat_ptx_%.3s_rz<%s>", name, type);
        return TRUE;
      }
  return FALSE;
}

/* cvt.rni.sat.s32.f32 */
static gboolean
leat_ptx_read_conversion (LeatPtxInstruction *self, GPtrArray *words)
{
  static const char *const ways[] = { "rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi" };
  const char *to, *from, *way = "0";

  if (words->len < 3)
    return FALSE;
  to = leat_ptx_get_type (g_ptr_array_index (words, words->len - 2));
  from = leat_ptx_get_type (g_ptr_array_index (words, words->len - 1));
  g_ptr_array_set_size (words, words->len - 2);
  if (to == NULL || from == NULL)
    return FALSE;
  self->flush = leat_ptx_take (words, "ftz");
  self->limit = leat_ptx_take (words, "sat");
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    if (leat_ptx_take (words, ways[i]))
      way = i % 4 == 0 ? "'n'" : i % 4 == 1 ? "'z'" : i % 4 == 2 ? "'d'" : "'u'";
  if (words->len != 1)
    return FALSE;
  self->inputs = 1;
  self->result = TRUE;
  g_string_printf (self->call, "leat_ptx_cvt%s<%s, %s, %s>",
                   self->limit && !g_str_has_prefix (to, "f") && !g_str_has_prefix (to, "d")
                       && !g_str_has_prefix (from, "f") && !g_str_has_prefix (from, "d")
                     ? "_sat"
                     : "",
                   way, to, from);
  self->limit = self->limit && g_str_equal (to, "float");
  return TRUE;
}

/* ld, st, atom and red, without what says how to cache. */
static gboolean
leat_ptx_read_memory (LeatPtxInstruction *self, GPtrArray *words)
{
  static const char *const unwanted[] = { "global",
                                          "nc",
                                          "ca",
                                          "cg",
                                          "cs",
                                          "lu",
                                          "cv",
                                          "wb",
                                          "wt",
                                          "local",
                                          "const",
                                          "weak",
                                          "noftz",
                                          "cta",
                                          "gpu",
                                          "sys",
                                          "L1::evict_last",
                                          "L1::no_allocate",
                                          "L1::evict_first",
                                          "L1::evict_normal",
                                          "L2::64B",
                                          "L2::128B",
                                          "L2::256B",
                                          NULL };
  const char *verb = g_ptr_array_index (words, 0);
  gboolean changes = g_str_equal (verb, "atom") || g_str_equal (verb, "red"), ordered, relaxed;
  g_autofree char *name = NULL;

  self->type = leat_ptx_get_type (g_ptr_array_index (words, words->len - 1));
  g_ptr_array_remove_index (words, words->len - 1);
  leat_ptx_take_all (words, unwanted);
  self->shared = leat_ptx_take (words, "shared") || leat_ptx_take (words, "shared::cta");
  self->parts = leat_ptx_take (words, "v2") ? 2 : leat_ptx_take (words, "v4") ? 4 : 1;
  ordered = leat_ptx_take (words, "acquire") || leat_ptx_take (words, "release") || leat_ptx_take (words, "acq_rel");
  relaxed = leat_ptx_take (words, "relaxed") || leat_ptx_take (words, "volatile");
  if (self->type == NULL || words->len != (changes ? 2 : 1) || (changes && self->parts > 1))
    return FALSE;
  if (changes)
    {
      const char *change = g_ptr_array_index (words, 1);
      static const char *const known[] = { "add", "min", "max", "and", "or", "xor", "exch", "inc", "dec", "cas", NULL };

      if (!g_strv_contains (known, change))
        return FALSE;
      self->form = LEAT_PTX_CHANGE;
      self->inputs = g_str_equal (change, "cas") ? 2 : 1;
      self->result = g_str_equal (verb, "atom");
      g_string_printf (self->call, "leat_ptx_atom_%s<%s>", change, self->type);
      return TRUE;
    }
  self->form = g_str_equal (verb, "ld") ? LEAT_PTX_LOAD : LEAT_PTX_STORE;
  g_string_printf (self->call, "leat_ptx_%s%s<%s>", verb, ordered ? "_ordered" : relaxed ? "_relaxed" : "", self->type);
  return TRUE;
}

/* mov.b32, cvta.to.shared.u64 */
static gboolean
leat_ptx_read_move (LeatPtxInstruction *self, GPtrArray *words)
{
  static const char *const unwanted[] = { "global", "local", "const", NULL };
  gboolean is_address = g_str_equal (g_ptr_array_index (words, 0), "cvta"), to;

  self->type = leat_ptx_get_type (g_ptr_array_index (words, words->len - 1));
  g_ptr_array_remove_index (words, words->len - 1);
  to = is_address && leat_ptx_take (words, "to");
  self->shared = is_address && leat_ptx_take (words, "shared");
  if (is_address)
    leat_ptx_take_all (words, unwanted);
  if (self->type == NULL || words->len != 1)
    return FALSE;
  self->form = is_address ? LEAT_PTX_PLAIN : LEAT_PTX_MOVE;
  self->inputs = 1;
  self->result = TRUE;
  g_string_printf (self->call, "leat_ptx_%s%s<%s>", is_address ? "cvta" : "mov",
                   self->shared ? to ? "_to_shared" : "_shared" : "", self->type);
  self->shared = FALSE;
  return TRUE;
}

/* Those without a result, by all their words. */
static gboolean
leat_ptx_read_whole (LeatPtxInstruction *self, const char *words)
{
  static const struct
  {
    const char *words, *call;
    guint inputs;
  } known[] = {
    { "bar.sync", "leat_ptx_bar_sync", 1 },
    { "barrier.sync", "leat_ptx_bar_sync", 1 },
    { "barrier.sync.aligned", "leat_ptx_bar_sync", 1 },
    { "barrier.cta.sync", "leat_ptx_bar_sync", 1 },
    { "barrier.cta.sync.aligned", "leat_ptx_bar_sync", 1 },
    { "bar.warp.sync", "leat_ptx_bar_warp_sync", 1 },
    { "nanosleep.u32", "leat_ptx_nanosleep", 1 },
    { "trap", "leat_ptx_trap", 0 },
    { "membar.cta", "__threadfence_block", 0 },
    { "membar.gl", "__threadfence", 0 },
    { "membar.sys", "__threadfence_system", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_equal (known[i].words, words))
      {
        g_string_assign (self->call, known[i].call);
        self->inputs = known[i].inputs;
        return TRUE;
      }
  if (g_str_has_prefix (words, "fence.acq_rel.") || g_str_has_prefix (words, "fence.sc."))
    g_string_assign (self->call, g_str_has_suffix (words, ".cta") ? "__threadfence_block" : "__threadfence");
  /* It fetches nothing that a program sees; runs follow each other. */
  if (g_str_has_prefix (words, "prefetch") || g_str_has_prefix (words, "griddepcontrol."))
    self->form = LEAT_PTX_NOTHING;
  return self->call->len > 0 || self->form == LEAT_PTX_NOTHING;
}

void
leat_ptx_instruction_free (LeatPtxInstruction *self)
{
  g_string_free (self->call, TRUE);
  g_string_free (self->cut, TRUE);
  g_free (self);
}

LeatPtxInstruction *
leat_ptx_instruction_new (const char *words, const char **why)
{
  g_autoptr (LeatPtxInstruction) self = g_new0 (LeatPtxInstruction, 1);
  g_auto (GStrv) parts = g_strsplit (words, ".", -1);
  g_autoptr (GPtrArray) list = g_ptr_array_new ();
  gboolean known;

  self->call = g_string_new (NULL);
  self->cut = g_string_new (NULL);
  self->parts = 1;
  *why = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (leat_ptx_refused); i++)
    if (g_str_has_prefix (words, leat_ptx_refused[i].prefix))
      *why = leat_ptx_refused[i].instead;
  for (guint i = 0; parts[i] != NULL; i++)
    g_ptr_array_add (list, parts[i]);
  if (*why != NULL)
    return NULL;
  if (leat_ptx_read_whole (self, words))
    return g_steal_pointer (&self);
  if (list->len < 2)
    return NULL;
  if (g_str_equal (parts[0], "cvt"))
    known = leat_ptx_read_conversion (self, list);
  else if (g_str_equal (parts[0], "ld") || g_str_equal (parts[0], "st") || g_str_equal (parts[0], "atom")
           || g_str_equal (parts[0], "red"))
    known = leat_ptx_read_memory (self, list);
  else if (g_str_equal (parts[0], "mov") || g_str_equal (parts[0], "cvta"))
    known = leat_ptx_read_move (self, list);
  else
    known = leat_ptx_read_plain (self, list);
  return known ? g_steal_pointer (&self) : NULL;
}
