/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "../graph/leat-pipeline.h"

G_BEGIN_DECLS

#define LEAT_PARSE_ERROR (leat_parse_error_quark ())

/**
 * LeatParseError:
 * @LEAT_PARSE_ERROR_FAILED: anything else
 * @LEAT_PARSE_ERROR_SYNTAX: a token where another was expected
 * @LEAT_PARSE_ERROR_QUOTE: a quote that is not closed, an unknown escape
 * @LEAT_PARSE_ERROR_ENCODING: text that is not UTF-8, or a control character outside quotes
 * @LEAT_PARSE_ERROR_VERSION: no version line, or a version that this library does not read
 * @LEAT_PARSE_ERROR_NAME: a name that cannot be one, or a reserved word
 * @LEAT_PARSE_ERROR_DUPLICATE: a property set twice on one node
 * @LEAT_PARSE_ERROR_VARIABLE_UNKNOWN: `$name` that no `let` declares before it
 * @LEAT_PARSE_ERROR_VARIABLE_DUPLICATE: a second `let` of one name
 * @LEAT_PARSE_ERROR_VARIABLE_OVERRIDE: `name=value` from outside for a name that the file does not declare, or a
 *   second one for a name
 * @LEAT_PARSE_ERROR_VALUE: an override that is not `name=value`
 * @LEAT_PARSE_ERROR_INCLUDE: an included file that cannot be read
 * @LEAT_PARSE_ERROR_INCLUDE_CYCLE: a file that includes itself, directly or not
 * @LEAT_PARSE_ERROR_IO: the file itself cannot be read
 * @LEAT_PARSE_ERROR_LIMIT: larger, longer or deeper than a limit allows
 * @LEAT_PARSE_ERROR_EMPTY: no node at all
 *
 * Errors of the text of a pipeline. Errors of the pipeline that it describes are #LeatGraphError, with the position
 * in the text before the message.
 */
typedef enum
{
  LEAT_PARSE_ERROR_FAILED,
  LEAT_PARSE_ERROR_SYNTAX,
  LEAT_PARSE_ERROR_QUOTE,
  LEAT_PARSE_ERROR_ENCODING,
  LEAT_PARSE_ERROR_VERSION,
  LEAT_PARSE_ERROR_NAME,
  LEAT_PARSE_ERROR_DUPLICATE,
  LEAT_PARSE_ERROR_VARIABLE_UNKNOWN,
  LEAT_PARSE_ERROR_VARIABLE_DUPLICATE,
  LEAT_PARSE_ERROR_VARIABLE_OVERRIDE,
  LEAT_PARSE_ERROR_VALUE,
  LEAT_PARSE_ERROR_INCLUDE,
  LEAT_PARSE_ERROR_INCLUDE_CYCLE,
  LEAT_PARSE_ERROR_IO,
  LEAT_PARSE_ERROR_LIMIT,
  LEAT_PARSE_ERROR_EMPTY,
} LeatParseError;

GQuark leat_parse_error_quark (void);

/**
 * LeatTextStyle:
 * @LEAT_TEXT_STYLE_FILE: the form of a `.leat` file, nodes linked by `->`
 * @LEAT_TEXT_STYLE_TERMINAL: the form for a shell's command line, nodes linked by `+`
 *
 * The two spellings of the one language.
 */
typedef enum
{
  LEAT_TEXT_STYLE_FILE,
  LEAT_TEXT_STYLE_TERMINAL
} LeatTextStyle;

LeatPipeline *leat_parse_file (const char *path, const char *const *variables, GError **error);
LeatPipeline *leat_parse_text (const char *text, LeatTextStyle style, const char *const *variables, GError **error);
LeatPipeline *leat_parse_args (const char *const *args, GError **error);

LeatPipeline *leat_parse_file_full (const char *path, const char *const *variables, GPtrArray *errors);
LeatPipeline *leat_parse_text_full (const char *text, LeatTextStyle style, const char *const *variables,
                                    GPtrArray *errors);
LeatPipeline *leat_parse_args_full (const char *const *args, GPtrArray *errors);

GVariant *leat_parse_list_variables (const char *path, GError **error);

char *leat_pipeline_to_text (LeatPipeline *self, LeatTextStyle style, const char *folder);

G_END_DECLS
