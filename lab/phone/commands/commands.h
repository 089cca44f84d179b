/* Android's commands, as one program with a name per command (like toybox).
 *
 * One file and one table row each. A command does something true or fails with the words Android
 * uses; scripts look for those words. argv[0] is the command's name; the result is the exit code.
 */
#ifndef MGC_LAB_PHONE_COMMANDS_H
#define MGC_LAB_PHONE_COMMANDS_H

typedef int mgl_command_main(int argc, char **argv);

mgl_command_main mgl_command_log;

#endif
