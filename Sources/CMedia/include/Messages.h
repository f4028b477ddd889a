// What libavformat says of a connection only in its log: a server's refusal, a certificate that cannot be verified.
#pragma once

// From now on libav* writes nothing to standard error, and each thread's messages of protocols are kept.
void media_hear_messages(void);
// The calling thread's messages since it forgot the ones before; they may have secrets. Valid until the next call of the library.
const char *media_messages(void);
void media_forget_messages(void);
// The RTP packets that the calling thread's streams have missed since it asked last.
int media_missed_packets(void);
