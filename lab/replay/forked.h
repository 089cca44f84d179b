/* The render server as a client's child (spawn.h): one session over shared memory, then the end. */
#ifndef MGC_LAB_REPLAY_FORKED_H
#define MGC_LAB_REPLAY_FORKED_H

/* Role of a process that MOBILEGL_IPC_ROLE=server started without arguments; its exit code. */
int mgr_forked_main(void);

#endif
