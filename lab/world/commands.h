/* The subcommands of mglab; each returns the program's exit code. */
#ifndef MGC_LAB_COMMANDS_H
#define MGC_LAB_COMMANDS_H

int mgc_lab_cmd_run(int argc, char **argv);
int mgc_lab_cmd_up(int argc, char **argv);
int mgc_lab_cmd_down(int argc, char **argv);
int mgc_lab_cmd_shell(int argc, char **argv);
int mgc_lab_cmd_exec(int argc, char **argv);
int mgc_lab_cmd_fault(int argc, char **argv);
int mgc_lab_cmd_status(int argc, char **argv);
int mgc_lab_cmd_kill(int argc, char **argv);

#endif
