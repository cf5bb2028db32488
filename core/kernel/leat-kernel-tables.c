/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The end of a host text: the functions that the CPU driver calls, and the tables that say what there is
 * (leat-host-module.h).  The comments in here show what is generated for
 * `__global__ void saxpy (const float *x, float *y, int x_count)`. */

#include "leat-kernel-host-private.h"
#include "leat-kernel-persistent-private.h"

#define LEAT_TABLES_BOUNDS " | %sleat_bounds_%s << LEAT_HOST_KERNEL_BOUNDS_SHIFT"

/* struct leat_params_saxpy { const float * x; float * y; int x_count; }; */
static void
leat_tables_append_params (GString *out, const char *name, GArray *params)
{
  g_string_append_printf (out, "struct %s { ", name);
  for (guint i = 0; i < params->len; i++)
    g_string_append_printf (out, "%s; ", g_array_index (params, LeatEntryParam, i).declaration);
  g_string_append (out, "};\n");
}

/* p.x, p.y, p.x_count */
static char *
leat_tables_dup_fields (GArray *params)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < params->len; i++)
    g_string_append_printf (out, "%sp.%s", i ? ", " : "", g_array_index (params, LeatEntryParam, i).name);
  return g_string_free (out, FALSE);
}

/* p.x, p.y, (int) leat_take_count (p.x_count_where, p.x_count_value, p.x_count_most, p.x_count_over) */
static char *
leat_tables_dup_wrapped (const LeatPrototype *prototype, gboolean indirect)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < prototype->n_params; i++)
    {
      const LeatParam *param = &prototype->params[i];
      g_autofree char *word = leat_param_dup_word (param);

      g_string_append (out, i ? ", " : "");
      if (param->kind == LEAT_PARAM_INPUT_COUNT)
        g_string_append_printf (out, "(%s) leat_take_count (p.%s_where, p.%s_value, p.%s_most, p.%s_over)", param->type,
                                word, word, word, word);
      else
        g_string_append_printf (out, indirect && leat_entry_resolves (param) ? "leat_resolve (p.%s)" : "p.%s", word);
    }
  return g_string_free (out, FALSE);
}

/* The arguments of a kernel's functions: its parameters, and where it reports to. */
static const char *
leat_tables_get_inner (const LeatEntry *entry)
{
  return entry->reports ? "told" : "params";
}

static char *
leat_tables_dup_loaded (const LeatEntry *entry)
{
  const char *inner = leat_tables_get_inner (entry), *n = entry->name;

  if (entry->params->len == 0 && !entry->reports)
    return g_strdup ("");
  return g_strdup_printf ("const leat_%s_%s p = *(const leat_%s_%s *) params; ", inner, n, inner, n);
}

static const char *
leat_tables_get_enter (const LeatEntry *entry)
{
  return entry->reports ? "t.leat_reports = p.leat_reports; " : "";
}

/* Code that nobody runs takes a compiler most of its time. */
static gboolean
leat_tables_is_whole (LeatHostWriter *self, const char *name)
{
  return (self->form & LEAT_KERNEL_WHOLE) && leat_kernel_unit_find_variant (self->unit, name) != NULL;
}

/* By threads, one and all. */
static void
leat_tables_append_threads (GString *out, LeatHostWriter *self, const LeatEntry *entry, const char *loaded,
                            const char *fields)
{
  const LeatFlatPlan *plan = g_hash_table_lookup (self->flat, entry->decl);
  const char *n = entry->name, *comma = fields[0] != '\0' ? ", " : "";

  g_string_append_printf (
    out,
    "static __attribute__ ((noinline)) void leat_thread_%s (LeatHostBlock *block, const void *params, "
    "LeatHostDim3 thread) { %sleat_module t; leat_enter (t, block, thread.x, thread.y, thread.z); %s%s (&t%s%s); }\n",
    n, loaded, leat_tables_get_enter (entry), entry->function, comma, fields);
  if (plan != NULL)
    g_string_append_printf (
      out,
      "static __attribute__ ((flatten, noinline)) void leat_flat_%s (LeatHostBlock *block, const void *params) { "
      "if (leat_is_wide (block)) { leat_run_wide (block, params, leat_thread_%s); return; } %s"
      "LEAT_RUN_FLAT (block, (%s), (%s), (%s), %s%s (&leat_t%s%s)) }\n",
      n, n, loaded, plan->limits[0] ? plan->limits[0] : "leat_b.block.x",
      plan->limits[1] ? plan->limits[1] : "leat_b.block.y", plan->limits[2] ? plan->limits[2] : "leat_b.block.z",
      entry->reports ? "leat_t.leat_reports = p.leat_reports; " : "", entry->function, comma, fields);
}

/* The functions of the kernel itself. */
static void
leat_tables_append_kernel (GString *out, LeatHostWriter *self, const LeatEntry *entry)
{
  g_autofree char *fields = leat_tables_dup_fields (entry->params), *loaded = leat_tables_dup_loaded (entry);
  const char *n = entry->name;

  if (!leat_tables_is_whole (self, n))
    leat_tables_append_threads (out, self, entry, loaded, fields);
  if (leat_kernel_unit_find_variant (self->unit, n) != NULL)
    g_string_append_printf (out,
                            "static void leat_whole_%s (LeatHostBlock *block, const void *params) { %sleat_module t; "
                            "leat_enter (t, block, 0, 0, 0); %sleat_variant_%s (&t%s%s); }\n",
                            n, loaded, leat_tables_get_enter (entry), entry->function, fields[0] != '\0' ? ", " : "",
                            fields);
}

/* Functions that turn what they are given into what the kernel's own take, and go on. @turn: makes `q` of `params` */
static void
leat_tables_append_turning (GString *out, LeatHostWriter *self, const LeatEntry *entry, const char *prefix,
                            const char *turn)
{
  const char *n = entry->name;
  gboolean whole = leat_tables_is_whole (self, n);

  if (!whole)
    g_string_append_printf (out,
                            "static void %sthread_%s (LeatHostBlock *block, const void *params, LeatHostDim3 thread) "
                            "{ %s leat_thread_%s (block, &q, thread); }\n",
                            prefix, n, turn, n);
  if (!whole && !leat_kernel_calls_may_wait (self->calls, entry->index))
    g_string_append_printf (
      out, "static void %sflat_%s (LeatHostBlock *block, const void *params) { %s leat_flat_%s (block, &q); }\n",
      prefix, n, turn, n);
  if (leat_kernel_unit_find_variant (self->unit, n) != NULL)
    g_string_append_printf (
      out, "static void %swhole_%s (LeatHostBlock *block, const void *params) { %s leat_whole_%s (block, &q); }\n",
      prefix, n, turn, n);
}

/* Those of the wrapper, where it differs: they load the counts, and where the items are, and go on. */
static void
leat_tables_append_wrapper (GString *out, LeatHostWriter *self, const LeatEntry *entry)
{
  g_autoptr (LeatPrototype) prototype = leat_kernel_unit_parse_prototype (self->unit, entry->decl, NULL);
  g_autofree char *wrapped = leat_tables_dup_wrapped (prototype, (self->form & LEAT_KERNEL_INDIRECT) != 0);
  const char *n = entry->name;
  g_autofree char *turn = g_strdup_printf ("const leat_wrapped_%s &p = *(const leat_wrapped_%s *) params; "
                                           "leat_%s_%s q = { %s%s%s };",
                                           n, n, leat_tables_get_inner (entry), n, entry->reports ? "{ " : "", wrapped,
                                           entry->reports ? " }, p.leat_reports" : "");

  leat_tables_append_turning (out, self, entry, "leat_wrap_", turn);
}

/* Those of a kernel that reports when it is launched by its own name, with nowhere to report to. */
static void
leat_tables_append_plain (GString *out, LeatHostWriter *self, const LeatEntry *entry)
{
  const char *n = entry->name;
  g_autofree char *turn = g_strdup_printf ("leat_told_%s q = { *(const leat_params_%s *) params, nullptr };", n, n);

  leat_tables_append_turning (out, self, entry, "leat_plain_", turn);
}

static gboolean
leat_tables_has_wide (LeatHostWriter *self, const LeatEntry *entry)
{
  return (self->form & LEAT_KERNEL_WIDE) && entry->wrapper != NULL
         && leat_kernel_unit_why_not_wide (self->unit, self->calls, entry->index) == NULL;
}

/* static const LeatHostParam leat_layout_saxpy[] = { { offset, size }, ... }; */
static void
leat_tables_append_layout (GString *out, const char *name, const char *type, GArray *params)
{
  g_string_append_printf (out, "static const LeatHostParam %s[] = { ", name);
  for (guint i = 0; i < params->len; i++)
    {
      const char *field = g_array_index (params, LeatEntryParam, i).name;

      g_string_append_printf (out, "{ __builtin_offsetof (%s, %s), sizeof (%s::%s) }, ", type, field, type, field);
    }
  g_string_append (out, params->len ? "};\n" : "{ 0, 0 } };\n");
}

/* static constexpr unsigned int leat_bounds_saxpy = 256; */
static void
leat_tables_append_bounds (GString *out, LeatHostWriter *self, const LeatEntry *entry)
{
  guint first, end, value = leat_kernel_unit_read_bounds (self->unit, entry->decl);
  g_autofree char *words = NULL;

  if (value == 0 && leat_kernel_unit_find_bounds (self->unit, entry->decl, &first, &end))
    words = leat_tokens_dup_range (self->unit->tokens, first, end - 1);
  else
    words = g_strdup_printf ("%u", value);
  g_string_append_printf (
    out,
    "static constexpr unsigned int leat_bounds_%s = (%s) > 0 && (%s) <= 1024 ? (unsigned int) (%s) "
    ": 0;\n",
    entry->name, words, words, words);
}

/* flat, thread, variant */
static char *
leat_tables_dup_functions (LeatHostWriter *self, const LeatEntry *entry, const char *prefix)
{
  const char *n = entry->name;
  gboolean whole = leat_tables_is_whole (self, n), waits = leat_kernel_calls_may_wait (self->calls, entry->index);
  g_autofree char *flat = waits || whole ? NULL : g_strdup_printf ("LEAT_FLAT (%s%sflat_%s)", entry->scope, prefix, n);
  g_autofree char *thread = whole ? NULL : g_strdup_printf ("%s%sthread_%s", entry->scope, prefix, n);
  g_autofree char *variant =
    leat_kernel_unit_find_variant (self->unit, n) ? g_strdup_printf ("%s%swhole_%s", entry->scope, prefix, n) : NULL;

  return g_strdup_printf ("%s, %s, %s", flat != NULL ? flat : "nullptr", thread != NULL ? thread : "nullptr",
                          variant != NULL ? variant : "nullptr");
}

/* One row of the table of kernels. */
static void
leat_tables_append_row (GString *out, LeatHostWriter *self, const LeatEntry *entry, gboolean wrapper)
{
  gboolean own = wrapper && entry->differs;
  GArray *params = own ? entry->wrapper : entry->params;
  gboolean waits = leat_kernel_calls_may_wait (self->calls, entry->index);
  const char *prefix = own ? "leat_wrap_" : entry->reports ? "leat_plain_" : "leat_", *n = entry->name;
  g_autofree char *size = params->len
                            ? g_strdup_printf ("sizeof (%sleat_%s_%s)", entry->scope, own ? "wrapped" : "params", n)
                            : g_strdup ("0");
  g_autofree char *functions = leat_tables_dup_functions (self, entry, prefix);

  g_string_append_printf (out, "  { \"%s%s\", %u, %sleat_layout_%s_%s, %s, 0, %s%s" LEAT_TABLES_BOUNDS ", %s },\n",
                          wrapper ? "leat_wrap_" : "", n, params->len, entry->scope, own ? "wrapped" : "params", n,
                          size, waits ? "LEAT_HOST_KERNEL_MAY_WAIT" : "0",
                          leat_kernel_calls_syncs_grid (self->calls, entry->index) ? " | LEAT_HOST_KERNEL_GRID_BARRIER"
                                                                                   : "",
                          entry->scope, n, functions);
}

static void
leat_tables_append_wide_params (GString *out, const LeatEntry *entry)
{
  g_autoptr (GArray) params = leat_entry_list_wide_params (entry);
  g_autofree char *name = g_strdup_printf ("leat_wide_%s", entry->name);

  leat_tables_append_params (out, name, params);
}

/* The functions for many lanes: they find the memory of the block's lane and go on. */
static void
leat_tables_append_wide (GString *out, LeatHostWriter *self, const LeatEntry *entry)
{
  g_autoptr (LeatPrototype) prototype = leat_kernel_unit_parse_prototype (self->unit, entry->decl, NULL);
  g_autoptr (GArray) params = leat_entry_list_wide_params (entry);
  g_autofree char *arguments = leat_entry_dup_wide_arguments (entry, prototype, "block->index.z", "p.");
  g_autofree char *reports = leat_entry_dup_wide_reports (entry, "block->index.z", "p.");
  const char *n = entry->name;
  g_autofree char *layout = g_strdup_printf ("leat_layout_wide_%s", n);
  g_autofree char *type = g_strdup_printf ("leat_wide_%s", n);
  g_autofree char *turn = g_strdup_printf ("const leat_wide_%s &p = *(const leat_wide_%s *) params; (void) p; "
                                           "leat_%s_%s q = { %s%s%s%s };",
                                           n, n, leat_tables_get_inner (entry), n, entry->reports ? "{ " : "",
                                           arguments, entry->reports ? " }, " : "", reports);

  leat_tables_append_turning (out, self, entry, "leat_wide_", turn);
  leat_tables_append_layout (out, layout, type, params);
}

static void
leat_tables_append_wide_row (GString *out, LeatHostWriter *self, const LeatEntry *entry)
{
  g_autoptr (GArray) params = leat_entry_list_wide_params (entry);
  gboolean waits = leat_kernel_calls_may_wait (self->calls, entry->index);
  const char *n = entry->name;
  g_autofree char *size = params->len ? g_strdup_printf ("sizeof (%sleat_wide_%s)", entry->scope, n) : g_strdup ("0");
  g_autofree char *functions = leat_tables_dup_functions (self, entry, "leat_wide_");

  g_string_append_printf (
    out, "  { \"leat_wide_%s\", %u, %sleat_layout_wide_%s, %s, 0, %s" LEAT_TABLES_BOUNDS ", %s },\n", n, params->len,
    entry->scope, n, size, waits ? "LEAT_HOST_KERNEL_MAY_WAIT" : "0", entry->scope, n, functions);
}

/* For each function with shared variables 1 or 0: those of the kernel itself, or those that it reaches too. */
static void
leat_tables_append_set (GString *out, LeatHostWriter *self, const char *name, const LeatEntry *entry, gboolean reach)
{
  g_string_append_printf (out, "  static const unsigned char %s[] = { ", name);
  for (guint i = 0; i < self->owners->len; i++)
    {
      guint owner = g_array_index (self->owners, guint, i);
      gboolean in = entry != NULL
                      ? owner == entry->index || (reach && leat_kernel_calls_reaches (self->calls, entry->index, owner))
                      : !(leat_kernel_unit_at (self->unit, owner)->flags & LEAT_DECL_IS_GLOBAL);

      g_string_append_printf (out, "%d, ", in);
    }
  g_string_append (out, "};\n");
}

static gboolean
leat_tables_reaches_called (LeatHostWriter *self, const LeatEntry *entry)
{
  for (guint i = 0; i < self->owners->len; i++)
    {
      guint owner = g_array_index (self->owners, guint, i);

      if (owner != entry->index && leat_kernel_calls_reaches (self->calls, entry->index, owner))
        return TRUE;
    }
  return FALSE;
}

/* leat_place_slots (): see leat-dialect-host-block.h */
static void
leat_tables_append_places (GString *out, LeatHostWriter *self)
{
  guint row = 0;

  g_string_append (out, "namespace { void leat_place_slots () {\n");
  if (self->slots->len > 0)
    {
      g_string_append (out, "  static const unsigned char owners[] = { ");
      for (guint i = 0; i < self->slots->len; i++)
        g_string_append_printf (out, "%u, ", g_array_index (self->slots, guint, i));
      g_string_append_printf (out, "};\n  const unsigned int n = %u;\n  unsigned int base = 0, end;\n",
                              self->slots->len);
      leat_tables_append_set (out, self, "called", NULL, FALSE);
      for (guint i = 0; i < self->entries->len; i++)
        {
          const LeatEntry *entry = g_ptr_array_index (self->entries, i);
          g_autofree char *set = g_strdup_printf ("own_%u", i);

          leat_tables_append_set (out, self, set, entry, FALSE);
          g_string_append_printf (out, "  end = leat_place (0, %s, owners, n);%s\n", set,
                                  leat_tables_reaches_called (self, entry) ? " base = end > base ? end : base;" : "");
        }
      g_string_append (out, "  leat_place (base, called, owners, n);\n");
      for (guint i = 0; i < self->entries->len; i++)
        {
          const LeatEntry *entry = g_ptr_array_index (self->entries, i);
          g_autofree char *set = g_strdup_printf ("reach_%u", i);

          leat_tables_append_set (out, self, set, entry, TRUE);
          for (guint r = 0, n = (entry->wrapper ? 2 : 1) + (guint) leat_tables_has_wide (self, entry); r < n; r++)
            g_string_append_printf (out, "  leat_kernels[%u].static_shared = leat_place_end (%s, owners);\n", row++,
                                    set);
        }
      if (self->form & LEAT_KERNEL_PERSISTENT)
        g_string_append_printf (out,
                                "  for (unsigned int i = 0; i < %u; i++)\n"
                                "    if (leat_kernels[i].static_shared > leat_kernels[%u].static_shared)\n"
                                "      leat_kernels[%u].static_shared = leat_kernels[i].static_shared;\n",
                                row, row, row);
    }
  g_string_append (out, "} } // namespace\n");
}

static void
leat_tables_append_module (GString *out, LeatHostWriter *self)
{
  guint rows = 0;

  g_string_append (out, "static LeatHostKernel leat_kernels[] = {\n");
  for (guint i = 0; i < self->entries->len; i++)
    {
      const LeatEntry *entry = g_ptr_array_index (self->entries, i);

      leat_tables_append_row (out, self, entry, FALSE);
      rows++;
      if (entry->wrapper == NULL)
        continue;
      leat_tables_append_row (out, self, entry, TRUE);
      rows++;
      if (!leat_tables_has_wide (self, entry))
        continue;
      leat_tables_append_wide_row (out, self, entry);
      rows++;
    }
  if (self->form & LEAT_KERNEL_PERSISTENT)
    {
      g_string_append (out,
                       "  { \"leat_persistent\", 1, leat_layout_leat_persistent, sizeof (LeatPersistentParams), 0, "
                       "LEAT_HOST_KERNEL_MAY_WAIT | LEAT_HOST_KERNEL_GRID_BARRIER, nullptr, "
                       "leat_thread_leat_persistent, nullptr },\n");
      rows++;
    }
  g_string_append (out, rows ? "};\n" : "  {} };\n");
  leat_tables_append_places (out, self);
  g_string_append (out, "static const LeatHostGlobal leat_globals[] = { ");
  for (guint i = 0; i < self->globals->len; i++)
    {
      const char *name = g_ptr_array_index (self->globals, i);

      g_string_append_printf (out, "{ \"%s\", (void *) &%s, sizeof (%s) }, ", name, name, name);
    }
  g_string_append (out, "{} };\n");
  g_string_append_printf (
    out,
    "extern \"C\" __attribute__ ((visibility (\"default\"), used)) const LeatHostModule leat_host_module = { "
    "LEAT_HOST_MODULE_MAGIC, LEAT_HOST_MODULE_ABI, &leat_runtime, %u, %u, leat_kernels, leat_globals };\n",
    rows, self->globals->len);
}

char *
leat_host_writer_dup_tables (LeatHostWriter *self)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < self->entries->len; i++)
    {
      const LeatEntry *entry = g_ptr_array_index (self->entries, i);
      g_autofree char *params = g_strdup_printf ("leat_params_%s", entry->name);
      g_autofree char *wrapped = g_strdup_printf ("leat_wrapped_%s", entry->name);

      leat_kernel_unit_append_opening (self->unit, entry->decl, out);
      leat_tables_append_params (out, params, entry->params);
      leat_tables_append_bounds (out, self, entry);
      if (entry->reports)
        g_string_append_printf (out, "struct leat_told_%s : %s { LeatReportBlock *leat_reports; };\n", entry->name,
                                params);
      if (entry->differs)
        leat_tables_append_params (out, wrapped, entry->wrapper);
      if (leat_tables_has_wide (self, entry))
        leat_tables_append_wide_params (out, entry);
      leat_kernel_unit_append_closing (self->unit, entry->decl, out);
    }
  if (self->form & LEAT_KERNEL_PERSISTENT)
    {
      g_autofree char *stages = leat_kernel_unit_dup_host_stages (self->unit, self->entries);

      g_string_append (out, stages);
    }
  if (self->form & LEAT_KERNEL_INDIRECT)
    {
      g_autofree char *resolver = leat_entry_dup_resolver ("static inline");

      g_string_append (out, resolver);
    }
  if (self->form & LEAT_KERNEL_WIDE)
    {
      g_autofree char *helper = leat_entry_dup_wide_helper ("static inline");

      g_string_append (out, helper);
    }
  for (guint i = 0; i < self->entries->len; i++)
    {
      const LeatEntry *entry = g_ptr_array_index (self->entries, i);
      g_autofree char *params = g_strdup_printf ("leat_params_%s", entry->name);
      g_autofree char *wrapped = g_strdup_printf ("leat_wrapped_%s", entry->name);
      g_autofree char *layout = g_strdup_printf ("leat_layout_params_%s", entry->name);
      g_autofree char *wrapped_layout = g_strdup_printf ("leat_layout_wrapped_%s", entry->name);

      leat_kernel_unit_append_opening (self->unit, entry->decl, out);
      leat_tables_append_kernel (out, self, entry);
      if (entry->reports)
        leat_tables_append_plain (out, self, entry);
      leat_tables_append_layout (out, layout, params, entry->params);
      if (leat_tables_has_wide (self, entry))
        leat_tables_append_wide (out, self, entry);
      if (entry->differs)
        {
          leat_tables_append_wrapper (out, self, entry);
          leat_tables_append_layout (out, wrapped_layout, wrapped, entry->wrapper);
        }
      leat_kernel_unit_append_closing (self->unit, entry->decl, out);
    }
  if (self->form & LEAT_KERNEL_PERSISTENT)
    {
      g_autofree char *entry = leat_kernel_dup_host_persistent_entry ();

      g_string_append (out, entry);
    }
  leat_tables_append_module (out, self);
  return g_string_free (out, FALSE);
}
