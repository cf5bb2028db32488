static const ErrorCase file_cases[] = { { "leat 1\n", "" } };
static const ErrorCase terminal_cases[] = { { "", "" } };
static const char args_errors[] = "";
