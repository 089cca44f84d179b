/* Foreign text inside an XML 1.0 document. Internal to report/. Pure.
 *
 * XML has no way to write most control characters, not even as a reference, so they are replaced:
 * by a blank, and what is no UTF-8, or no character of XML (U+FFFE, U+FFFF), by '?'
 * (https://www.w3.org/TR/xml/#charsets).
 */
#ifndef MGC_REPORT_XML_H
#define MGC_REPORT_XML_H

#include "common/base/buf.h"

/* Between two tags; line ends stay. NULL is nothing. */
void mgc_xml_text(struct mgc_buf *out, const char *text);
/* ` name="text"` with a blank before it; on one line, since a parser makes blanks of line ends
 * there anyway. NULL text: nothing at all. */
void mgc_xml_attribute(struct mgc_buf *out, const char *name, const char *text);

#endif
