internal import CMedia

/// The fonts of this machine for one drawing: fontconfig lists them, Pango finds one that has a character.
///
/// Each drawing has a choice of its own, so that threads share only fontconfig's list of fonts, which has a lock.
final class FontChoice {
    let handle: OpaquePointer

    /// Finds the fonts; `nil` where there is none. The first call of a process reads fontconfig's files: tens of
    /// milliseconds.
    init?() {
        guard let handle = media_fonts_new() else { return nil }
        self.handle = handle
    }

    deinit {
        media_fonts_free(handle)
    }
}
