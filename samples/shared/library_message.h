/* SPDX-License-Identifier: MIT */
/* What the library says, told to whoever typed a command line, and knows nothing of options.fan_out or CDP_FAN_OUT_CLASSIC. */
#ifndef CDPSORT_SAMPLES_LIBRARY_MESSAGE_H
#define CDPSORT_SAMPLES_LIBRARY_MESSAGE_H

/* cdp_last_message() with the options and values named as a command line names them; good until the next call of this. */
const char *library_message(void);

#endif
