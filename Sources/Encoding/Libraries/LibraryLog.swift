internal import CMedia

/// Silences libav* and x264, which would write to standard error by themselves; this program reports errors itself.
enum LibraryLog {
    /// Silences the libraries for the whole process, once.
    static let silenced: Void = av_log_set_level(AV_LOG_QUIET)
}
