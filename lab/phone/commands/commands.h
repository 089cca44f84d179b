/* Android's commands, as one program with a name per command (like toybox).
 *
 * One file and one table row each. A command does something true or fails with the words Android
 * uses; scripts look for those words. argv[0] is the command's name; the result is the exit code.
 */
#ifndef MGC_LAB_PHONE_COMMANDS_H
#define MGC_LAB_PHONE_COMMANDS_H

typedef int mgl_command_main(int argc, char **argv);

mgl_command_main mgl_command_am;
mgl_command_main mgl_command_cmd;
mgl_command_main mgl_command_dumpsys;
mgl_command_main mgl_command_getprop;
mgl_command_main mgl_command_input;
mgl_command_main mgl_command_log;
mgl_command_main mgl_command_logcat;
mgl_command_main mgl_command_pidof;
mgl_command_main mgl_command_pm;
mgl_command_main mgl_command_run_as;
mgl_command_main mgl_command_screencap;
mgl_command_main mgl_command_setprop;
mgl_command_main mgl_command_settings;
mgl_command_main mgl_command_start;
mgl_command_main mgl_command_stop;
mgl_command_main mgl_command_su;
mgl_command_main mgl_command_svc;
mgl_command_main mgl_command_wm;

/* "cmd deviceidle ..." and "dumpsys deviceidle ..." are the same; argv[0] is "deviceidle". */
mgl_command_main mgl_deviceidle;
/* "dumpsys thermalservice" and "cmd thermalservice ..." */
mgl_command_main mgl_thermal_dump, mgl_thermal_cmd;

/* The exit code when the phone's PID 1 does not answer: everything is ending. */
enum { MGL_EXIT_DEAD = 255 };

#endif
