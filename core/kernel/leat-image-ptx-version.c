/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The least version of PTX that has all of a text.  A compiler writes its own, which older drivers refuse.  What is not
 * in the tables below is not known to be old, and then the text stays as it is. */

#include "leat-image-ptx-version-private.h"

#include <string.h>

typedef struct
{
  const char *words; /* with blanks between */
  guint version;     /* times 10: 78 is 7.8 */
} LeatPtxRow;

/* As the PTX ISA's notes say.  A modifier that is older with some instructions than with others has the newest. */
static const LeatPtxRow leat_ptx_opcodes[] = {
  { "abs add addc and atom bar barrier bfe bfi bfind bra brev brkpt call clz cnot copysign cos cvt cvta div dp2a dp4a "
    "ex2 exit fma fns isspacep ld ldu lg2 lop3 mad mad24 madc match max membar min mov mul mul24 neg not or pmevent "
    "popc "
    "prefetch prefetchu prmt rcp red rem ret rsqrt sad selp set setp shf shfl shl shr sin slct sqrt st sub subc suld "
    "suq sured sust testp tex tld4 trap txq vote xor",
    60 },
  { "brx fence", 60 },
  { "activemask", 62 },
  { "nanosleep ldmatrix", 65 },
  { "cp mma redux tanh", 70 },
  { "wmma", 71 },
  { "alloca stackrestore stacksave", 73 },
  { "applypriority createpolicy discard", 74 },
  { "bmsk szext", 76 },
  { "barrier.cluster getctarank griddepcontrol mapa stmatrix", 78 },
  { "mbarrier elect", 80 },
};

static const LeatPtxRow leat_ptx_modifiers[] = {
  { "1d 2d 3d a1d a2d acos add aligned all and any approx array b16 b32 b4e b64 b8 ballot bfly ca cas cc cg clamp cs "
    "cta "
    "cv dec down eq equ exch f16 f16x2 f32 f64 finite ftz full gbl ge geu gl global gpu gt gtu hi hs idx inc infinite "
    "normal notanumber number subnormal cube acube rect "
    "L1 L2 l le leu lo local ls lt ltu lu max min mode nan ne neu noftz not num or param pred r g b a rc8 rc16 ecl ecr "
    "f4e "
    "red relaxed rm rmi rn rni rp rpi rz rzi s16 s32 s64 s8 sat shared shiftamt sync sys to trap u16 u32 u64 u8 "
    "uni up v2 v4 volatile vec warp width height depth wide wrap x xor zero sc acq_rel acquire release nc c const "
    "level "
    "entry func",
    60 },
  { "noinc", 63 },
  { "m8n8 x1 x2 x4 trans m16n8k8", 65 },
  { "bf16x2 tf32 NaN async commit_group wait_group wait_all ca relu", 70 },
  { "xorsign row col m16n8k16 m16n8k4", 72 },
  { "evict_first evict_last evict_normal evict_unchanged no_allocate 64B 128B 256B cache_hint L1::evict_last "
    "L1::evict_first L1::evict_normal L1::evict_unchanged L1::no_allocate L2::64B L2::128B L2::256B L2::cache_hint "
    "L2::evict_last L2::evict_normal L2::evict_first",
    74 },
  { "bf16 cluster shared::cta shared::cluster arrive wait launch_dependents satfinite param::entry param::func", 78 },
  { "e4m3x2 e5m2x2", 81 },
  { "b128", 83 },
};

static const LeatPtxRow leat_ptx_directives[] = {
  { "version target address_size visible extern weak common entry func param reg local shared global const align b1 b8 "
    "b16 "
    "b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 f32 f64 pred pragma file loc section maxntid minnctapersm reqntid "
    "maxnreg ptr v2 v4 branchtargets calltargets callprototype texref samplerref surfref",
    60 },
  { "alias noreturn", 64 },
  { "reqnctapercluster explicitcluster maxclusterrank", 78 },
};

static const LeatPtxRow leat_ptx_registers[] = {
  { "%tid %ntid %ctaid %nctaid %laneid %warpid %nwarpid %smid %nsmid %gridid %lanemask_eq %lanemask_le %lanemask_lt "
    "%lanemask_ge %lanemask_gt %clock %clock_hi %clock64 %globaltimer %globaltimer_lo %globaltimer_hi "
    "%total_smem_size %dynamic_smem_size %SP %SPL",
    60 },
  { "%clusterid %nclusterid %cluster_ctaid %cluster_nctaid %cluster_ctarank %cluster_nctarank %is_explicit_cluster",
    78 },
};

static const LeatPtxRow leat_ptx_pragmas[] = {
  { "nounroll", 60 },
  { "used_bytes_mask", 83 },
};

static const struct
{
  guint capability, version;
} leat_ptx_targets[] = {
  { 70, 60 }, { 72, 61 }, { 75, 63 }, { 80, 70 }, { 86, 71 }, { 87, 74 }, { 89, 78 }, { 90, 78 }
};

#define LEAT_PTX_UNKNOWN G_MAXUINT

static gboolean
leat_ptx_words_have (const char *words, const char *word, gsize length)
{
  for (const char *at = words; *at != '\0'; at += strspn (at, " "))
    {
      gsize n = strcspn (at, " ");

      if (n == length && strncmp (at, word, n) == 0)
        return TRUE;
      at += n;
    }
  return FALSE;
}

static guint
leat_ptx_rows_find (const LeatPtxRow *rows, guint n, const char *word, gsize length)
{
  for (guint i = 0; i < n; i++)
    if (leat_ptx_words_have (rows[i].words, word, length))
      return rows[i].version;
  return LEAT_PTX_UNKNOWN;
}

#define leat_ptx_find(rows, word, length) leat_ptx_rows_find (rows, G_N_ELEMENTS (rows), word, length)

/* "ld.global.nc.b32": its first word and all behind it. */
static guint
leat_ptx_find_instruction (const char *word, gsize length)
{
  gsize n = strcspn (word, ". \t\n;(");
  guint version = leat_ptx_find (leat_ptx_opcodes, word, MIN (n, length));

  for (gsize at = n + 1; at < length && version != LEAT_PTX_UNKNOWN; at += n + 1)
    {
      guint modifier;

      n = strcspn (word + at, ".");
      n = MIN (n, length - at);
      modifier = leat_ptx_find (leat_ptx_modifiers, word + at, n);
      version = modifier == LEAT_PTX_UNKNOWN ? modifier : MAX (version, modifier);
    }
  return version;
}

static guint
leat_ptx_find_target (const char *word)
{
  guint64 capability = strncmp (word, "sm_", 3) == 0 ? g_ascii_strtoull (word + 3, NULL, 10) : 0;

  for (guint i = 0; i < G_N_ELEMENTS (leat_ptx_targets); i++)
    if (leat_ptx_targets[i].capability == capability && !g_ascii_isalnum (word[5]))
      return leat_ptx_targets[i].version;
  return LEAT_PTX_UNKNOWN;
}

/* .pragma "used_bytes_mask 0xff"; */
static guint
leat_ptx_find_pragma (const char *at)
{
  at += strcspn (at, "\"\n");
  return *at == '"' ? leat_ptx_find (leat_ptx_pragmas, at + 1, strcspn (at + 1, " \"")) : LEAT_PTX_UNKNOWN;
}

/* A register that the text declares ends with a number, or is declared there: %r<4>. */
static guint
leat_ptx_find_register (const char *word, gsize length)
{
  gsize n = strcspn (word, ".");

  return g_ascii_isdigit (word[length - 1]) || word[length] == '<'
           ? 0
           : leat_ptx_find (leat_ptx_registers, word, MIN (n, length));
}

/* Where the word ends that begins at @at. */
static gsize
leat_ptx_measure_word (const char *at)
{
  gsize n = 1;

  while (g_ascii_isalnum (at[n]) || at[n] == '_' || at[n] == '$' || at[n] == '.' || (at[n] == ':' && at[n + 1] == ':')
         || (at[n] == ':' && at[n - 1] == ':'))
    n++;
  return n;
}

static const char *
leat_ptx_skip_quiet (const char *at)
{
  const char *end = NULL;

  if (at[0] == '/' && at[1] == '/')
    end = strchr (at, '\n');
  else if (at[0] == '/' && at[1] == '*')
    end = strstr (at + 2, "*/");
  else if (at[0] == '"')
    end = strchr (at + 1, '"');
  else
    return at;
  return end != NULL ? end + 1 : at + strlen (at);
}

/* Of the word at @at, which begins a statement if @is_first. */
static guint
leat_ptx_find_word (const char *at, gsize length, gboolean is_first)
{
  if (*at == '.')
    return leat_ptx_find (leat_ptx_directives, at + 1, length - 1);
  if (*at == '%')
    return leat_ptx_find_register (at, length);
  /* A label, or a name. */
  if (!is_first || at[length + strspn (at + length, " \t")] == ':')
    return 0;
  return leat_ptx_find_instruction (at, length);
}

/* The least version of all, times 10. */
static guint
leat_ptx_find_version (const char *ptx)
{
  gboolean is_first = TRUE;
  guint version = 60;

  for (const char *at = ptx; *at != '\0' && version != LEAT_PTX_UNKNOWN;)
    {
      const char *next = leat_ptx_skip_quiet (at);
      guint found;
      gsize n;

      if (next != at || g_ascii_isspace (*at))
        {
          at = next != at ? next : at + 1;
          continue;
        }
      if (g_ascii_isalpha (*at) || *at == '_' || *at == '$' || *at == '%' || (*at == '.' && g_ascii_isalpha (at[1])))
        {
          n = leat_ptx_measure_word (at);
          found = leat_ptx_find_word (at, n, is_first);
          if (n == 7 && strncmp (at, ".target", n) == 0)
            found = leat_ptx_find_target (at + n + strspn (at + n, " \t"));
          else if (n == 7 && strncmp (at, ".pragma", n) == 0)
            found = leat_ptx_find_pragma (at + n);
          version = found == LEAT_PTX_UNKNOWN ? found : MAX (version, found);
          /* Behind a predicate, the instruction. */
          is_first = FALSE;
          at += n;
        }
      else if (*at == '@')
        {
          at += 1 + (at[1] == '!');
          at += leat_ptx_measure_word (at);
          is_first = TRUE;
        }
      else
        {
          is_first = *at == ';' || *at == '{' || *at == '}' || *at == ':';
          at++;
        }
    }
  return version;
}

char *
leat_image_ptx_lower (const char *ptx)
{
  const char *line = g_str_has_prefix (ptx, ".version ") ? ptx : strstr (ptx, "\n.version ");
  const char *number = line != NULL ? strstr (line, ".version ") + strlen (".version ") : NULL;
  guint version, now;
  gsize n;

  if (number == NULL)
    return g_strdup (ptx);
  n = strspn (number, "0123456789.");
  now = (guint) (g_ascii_strtod (number, NULL) * 10 + 0.5);
  version = leat_ptx_find_version (ptx);
  if (version >= now)
    return g_strdup (ptx);
  return g_strdup_printf ("%.*s%u.%u%s", (int) (number - ptx), ptx, version / 10, version % 10, number + n);
}
