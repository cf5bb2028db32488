/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-program-case.h"

/* Host code of a CUDA program, as a grammar has it: C++ that nobody compiles, but of which a reader has to find the
 * ends.
 * `@x` stands for a rule of the kind x, `@n` for a name that is this rule's alone, and `@k` for a launch.  The first
 * rule of each kind has nothing in it that goes deeper. */

#define MOST_DEPTH 6
#define MOST_BYTES 6000

static const char *const declarations[] = {
  "int @n;",
  "static std::vector<@t> @n = { @e, @e };",
  "class @n final : public Base<@t>, private Other { public: @n () : a (@e), b{ @e } {} ~@n () noexcept { @s } @m "
  "private: @t a = @e; @m };",
  "struct @n { @m @m bool operator< (const @n &o) const { return a < o.a; } @t a; int b : 3, c{ 2 }; } @n_one, "
  "*@n_two;",
  "template <class T, template <class> class U = std::vector, int... N> class @n { @m @m };",
  "template <class T> struct @n; template <> struct @n<int> : Base<(1 > 2)> { @m }; template class @n<int>;",
  "@t @n (@t a, @t b = @e) { @s @s return @e; }",
  "template <class F> auto @n (F &&f) -> decltype (f (@e)) { @s return f (@e); }",
  "int main (int argc, char **argv) try { @s @s } catch (...) { @s return 1; }",
  "extern \"C\" { @d int @n (void); }",
  "namespace @n { @d @d }",
  "namespace { @d }",
  "using namespace std; using @n = @t;",
  "typedef struct @n_tag { @m } @n, *@n_p;",
  "enum class @n : unsigned char { @n_a = 1, @n_b = (1 << 2) };",
  "__host__ static inline @t @n () { @s return @e; }",
  "__host__ __device__ inline int @n (int v) { return v < 3 ? v >> 1 : v; }",
  "struct @n { @n (int v); void run () const &; int v, w; }; @n::@n (int v) : v (v), w{ @e } { @s } void @n::run () "
  "const & noexcept { @s }",
  "template <class T> struct @n { T get (); }; template <class T> T @n<T>::get () { @s return {}; }",
  "struct @n { int a; }; static_assert (sizeof (@n) > 0, \"@q\"); bool operator== (const @n &x, const @n &y) { return "
  "@e; }",
  "int (*@n[2]) (int, char) = { nullptr, nullptr }; void (*@n_f) (int (*) (int), @t);",
  "[[maybe_unused]] alignas (16) static char @n[64] = \"@q\";",
  "std::ostream &operator<< (std::ostream &s, const Thing &v) { return s << v.a << @e; }",
  "template <class T> concept @n = requires (T t) { t.a; { t.b () } -> std::same_as<int>; };",
  "TEST (@n, b) { @s }",
  "static auto @n = [] (const auto &v) { @s return v; };",
  "struct @n { int a; @n &operator= (const @n &); explicit operator bool () const; int &operator[] (int); }; @n "
  "&@n::operator= (const @n &o) { @s return *this; } @n::operator bool () const { return @e; } int &@n::operator[] "
  "(int i) { @s return a; }",
  "template <class T> struct @n { T a; }; template <class T> @n<T> operator+ (const @n<T> &x, const @n<T> &y) { @s "
  "return { x.a }; }",
  "void *operator new (size_t n) { @s return 0; } std::string operator\"\" _@n (const char *s, size_t n) { return {}; "
  "}",
  "__attribute__ ((constructor)) static void @n (void) { @s } __declspec (dllexport) int @n_x;",
  "extern \"C\" void @n (void); extern \"C\" int @n_c (int a) { @s return a; } extern \"C++\" { @d }",
  "typename std::enable_if<(sizeof (int) < 8), int>::type @n (int a) { @s return a; } decltype (auto) @n_d (int a) { "
  "@s return (a); }",
  "auto @n (int a) -> std::map<int, std::pair<int, int>> { @s return {}; } const auto [@n_a, @n_b] = f (@e);",
  "namespace @n = std::chrono; namespace @n_a::@n_b { inline namespace @n_c { @d } }",
  "template <int N> requires (N > 3) int @n () { @s return N; } template <auto V> struct @n_v; template <class T> "
  "using @n_u = std::vector<T>;",
  "template <class T> struct @n { @n (T); static const int value; static const char *name; }; template <class T> @n "
  "(T) -> @n<T>; template <class T> const int @n<T>::value = (3 > 2); template <> const char *@n<int>::name = \"@q\";",
  "int (*@n (int a)) (char) { @s return nullptr; } void @n_r (int (&a)[3], int (*b)[4] = nullptr) { @s } int "
  "@n_t::*@n_m = &@n_t::a;",
  "enum { @n_a, @n_b = '{' }; static union { int @n_u; float @n_f; }; struct { int a; @m } @n, @n_c[2] = { { 1 }, { 2 "
  "} };",
  "int @n = [] { @s return 1; } (); thread_local static volatile int @n_t = @e; constinit int @n_c{ 3 };",
  "__global__ void @n (int *p, float (*f) (float)); template <class T> __device__ T @n_d (T v) { return unknown (v); }",
  "static __device__ __noinline__ int @n (int v) { asm (\"nope.u32 %0;\" : \"+r\"(v)); return missing (v); }",
  "const Point @n = { .a = 1, .b = { @e } }, *@n_p = &@n; extern const int @n_e, @n_f[];",
  "extern template @t @n<int> (int); template <> @t @n<char> (char c) { @s return @e; }",
};

static const char *const members[] = {
  "int @n;",
  "void @n (@t a = @e) const { @s }",
  "template <class U, int N = (3 > 2)> static U @n (U u) { @s return u; }",
  "enum { @n = 1, @n_b }; union { int @n_i; float @n_f; };",
  "using @n = @t; friend void @n_f (int);",
  "explicit operator bool () const { return @e; }",
  "@t @n[3] = { @e, @e }; static constexpr int @n_c = 5;",
  "struct @n { @m ~@n () = default; } @n_v;",
  "virtual int @n () = 0; protected: @n_t operator() (int a) volatile &&;",
};

static const char *const statements[] = {
  ";",
  "@e;",
  "if (@e) { @s } else @s",
  "for (auto &@n : all) { @s }",
  "for (int @n = 0; @n < @e; @n++) @s",
  "try { @s } catch (const std::exception &@n) { @s } catch (...) { }",
  "switch (@e) { case 1: { @s } break; default: @s }",
  "auto @n = [&, a = @e] (auto v, int w = 3) mutable -> @t { @s return @e; };",
  "@k;",
  "std::cout << R\"x(@q)x\" << @e << std::endl; /* @q */",
  "struct @n { int a; @m } one{ @e };",
  "goto @n; @n: do @s while (@e);",
  "static const char *@n[] = { \"@q\", \"a\\\"b\", \"\\\\\" };",
  "@t @n = @e; /* @q */",
  "case 'a' ... 'z': default: if constexpr (@e) return { 1, 2 }; else throw @n (\"@q\", ({ int a = @e; a; }));",
  "for (;;) ; while (0); delete[] p; new (p) T (@e); using @n = @t; asm volatile (\"\" ::: \"memory\");",
  "\n#pragma omp parallel for\nfor (int @n = 0; @n < 3; ++@n) { // } @q\n @s }",
  "\n#ifdef @n\nif (x) {\n#else\nif (y) {\n#endif\n@s }",
  "auto [@n, @n_b] = std::make_pair (@e, [=] <class T> (T v) noexcept -> @t { @s return v; });",
  "cudaMemcpyToSymbol (@n, &@n_h, sizeof (int), 0, cudaMemcpyHostToDevice);",
};

static const char *const expressions[] = {
  "1",
  "'{'",
  "'\\''",
  "0x1'000ull",
  "\"} ) // /* \"",
  "(@e ? @e : @e)",
  "f<@t> (@e)",
  "a < b",
  "a>>3",
  "new @t[@e]",
  "L'\"'",
  "1.5e+3f",
  "static_cast<@t> (@e)",
  "[] { return @e; } ()",
  "T{ @e }",
  "&*p->q[@e]",
  "u8R\"(\" ) )\"",
  "sizeof (@t)",
  "x.template get<3> (@e)",
  "\"k<<<1, 1>>>\" \"@q\"",
  "u\"\\\"\" L\"{\"",
  "0b1'0 + 0x1p-3 + 1.e5",
  "'ab'",
  "R\"--(\" )\" )- } { )--\"",
  "__builtin_expect (!!(@e), 1)",
  "(a < b && c > d)",
  "a<b>::c",
  "(int (*) (int)) @e",
  "p->~T (), *this",
  "{ 1, @e }.b",
  "!x ? y : z",
  "a ->* b .* c",
  "[&x = a, this] (auto &&...v) { return (v + ...); }",
};

static const char *const types[] = {
  "int",
  "std::map<std::string, std::vector<int>>",
  "const char *",
  "unsigned long long",
  "std::function<void (int, T &&)>",
  "typename A<B<(1 > 2)>>::C",
};

static const char *const noise[] = { "", "} { ( ' /* __global__ void z (int *p) { #if 0", "<<<1, 2>>>",
                                     "%d [[ ?"
                                     "?/ \\t" };

static const char *const lines[] = {
  "/* @q\n@q } */",
  "// @q {",
  "#include <@n/@n.h>",
  "#include \"helper_cuda.h\"",
  "#define @n(x) do { @e; (x); } while (0)",
  "#define @n_begin namespace {\n#define @n_end }\n@n_begin @d @n_end",
  "#ifdef @n\n} ) ' \" {\n#endif",
  "#if 0\n} __global__ void @n () {\n#else\n@d\n#endif",
  "#pragma omp parallel for",
  "#undef @n",
  "#if defined (@n) || 0\n#error none\n#elif 1\n@d\n#endif",
};

static const struct
{
  char kind;
  const char *const *rules;
  guint n_rules;
} grammar[] = {
  { 'd', declarations, G_N_ELEMENTS (declarations) },
  { 'm', members, G_N_ELEMENTS (members) },
  { 's', statements, G_N_ELEMENTS (statements) },
  { 'e', expressions, G_N_ELEMENTS (expressions) },
  { 't', types, G_N_ELEMENTS (types) },
  { 'q', noise, G_N_ELEMENTS (noise) },
  { 'l', lines, G_N_ELEMENTS (lines) },
};

static void
program_add_rule (ProgramCase *self, const char *rule, guint depth)
{
  guint name = self->n_names++;

  for (const char *p = rule; *p != '\0'; p++)
    if (*p != '@')
      g_string_append_c (self->text, *p);
    else if (*++p == 'n')
      g_string_append_printf (self->text, "h%u", name);
    else if (*p == 'k')
      g_string_append (self->text, self->set->launch);
    else
      program_case_add_host (self, *p, depth + 1);
}

void
program_case_add_host (ProgramCase *self, char kind, guint depth)
{
  gboolean ends = depth > MOST_DEPTH || self->text->len > MOST_BYTES;

  for (guint i = 0; i < G_N_ELEMENTS (grammar); i++)
    if (grammar[i].kind == kind)
      program_add_rule (self, grammar[i].rules[ends ? 0 : leat_fuzz_choose (self->choices, grammar[i].n_rules)], depth);
}
