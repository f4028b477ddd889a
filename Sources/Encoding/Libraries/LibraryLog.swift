internal import CMedia

/// libav* and x264 write to standard error by themselves; this program says itself what there is to say.
enum LibraryLog {
    /// Silences them for the whole process, once.
    static let silenced: Void = av_log_set_level(AV_LOG_QUIET)
}
