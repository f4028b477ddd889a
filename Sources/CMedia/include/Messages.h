// Collects connection errors that libavformat reports only in its log, such as a server's refusal or a certificate that
// can't be verified.
#pragma once

// Stops libav* from writing to standard error, and collects each thread's protocol messages.
void media_hear_messages(void);
// Returns the calling thread's messages since the last reset. The messages can contain secrets. The returned text is
// valid until the next call to the library.
const char *media_messages(void);
void media_forget_messages(void);
// Returns the number of RTP packets that the calling thread's streams have missed since the last call.
int media_missed_packets(void);
