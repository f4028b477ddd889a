#include "Messages.h"
#include <libavutil/log.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char heard[4096];
static _Thread_local int missed;

static void hear(void *source, int level, const char *format, va_list arguments) {
    if (!source || level < 0 || (level & 0xFF) > AV_LOG_DEBUG) return;
    const AVClass *class = *(const AVClass **)source;
    if (!class) return;
    // libavformat reports lost packets only in this log message.
    if (!strcmp(class->class_name, "AVFormatContext") && !strncmp(format, "RTP: missed %d", 14)) {
        int count = va_arg(arguments, int);
        if (count > 0 && missed < 1000000) missed += count < 1000000 ? count : 1000000;
        return;
    }
    if (strcmp(class->class_name, "URLContext")) return;
    size_t length = strlen(heard);
    // Older messages are discarded, because only the latest messages are relevant.
    if (length > sizeof heard / 2) {
        memmove(heard, heard + length - 512, 513);
        length = 512;
    }
    vsnprintf(heard + length, sizeof heard - length, format, arguments);
}

void media_hear_messages(void) { av_log_set_callback(hear); }
const char *media_messages(void) { return heard; }
void media_forget_messages(void) { heard[0] = 0; }

int media_missed_packets(void) {
    int count = missed;
    missed = 0;
    return count;
}
