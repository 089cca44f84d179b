/* Foreign text on a line of ours. Pure. */
#ifndef MGC_BASE_TEXT_H
#define MGC_BASE_TEXT_H

/* Replace the control characters of a text, U+0080..9f too, by '?', in place: what a peer or a
 * phone says must not begin a line or steer a terminal. */
void mgc_text_one_line(char *text);

#endif
