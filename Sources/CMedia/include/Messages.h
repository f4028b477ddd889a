// Collects connection errors that libavformat reports only in its log, such as a rejected request or a
// certificate that can't be verified.
#pragma once

// Stops the FFmpeg libraries from writing to standard error, and starts collecting the protocol messages of
// each thread.
void media_hear_messages(void);
// Returns the messages of the calling thread since the last reset. The messages may contain secrets. The
// returned text is valid until the calling thread calls an FFmpeg function.
const char *media_messages(void);
void media_forget_messages(void);
// Returns the number of RTP packets that the calling thread's streams have missed since the last call.
int media_missed_packets(void);
