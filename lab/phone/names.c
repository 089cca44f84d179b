#include "lab/phone/names.h"

#include <stddef.h>

const char *const mgl_command_names[] = {"log", NULL};
