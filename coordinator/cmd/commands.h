/* The subcommands of mgcoord: one function per file in this folder, one row each in main.c. All
 * take their own name as argv[0] and return an enum mgc_exit. */
#ifndef MGC_CMD_COMMANDS_H
#define MGC_CMD_COMMANDS_H

int mgc_cmd_cancel(int argc, char **argv);
int mgc_cmd_compare(int argc, char **argv);
int mgc_cmd_heartbeat(int argc, char **argv);
int mgc_cmd_history(int argc, char **argv);
int mgc_cmd_hosts(int argc, char **argv);
int mgc_cmd_keys(int argc, char **argv);
int mgc_cmd_plan(int argc, char **argv);
int mgc_cmd_report(int argc, char **argv);
int mgc_cmd_run(int argc, char **argv);
int mgc_cmd_schedule(int argc, char **argv);
int mgc_cmd_version(int argc, char **argv);
int mgc_cmd_watch(int argc, char **argv);

#endif
