/* Foreign text on a line of ours. Pure. */
#ifndef MGC_BASE_TEXT_H
#define MGC_BASE_TEXT_H

/* Make a text one line, in place: line breaks, with the blanks around them, become one blank
 * (nothing at either end), a tab a blank, other control characters, U+0080..9f too, '?'. What a
 * peer or a phone says must not begin a line or steer a terminal. */
void mgc_text_one_line(char *text);

#endif
