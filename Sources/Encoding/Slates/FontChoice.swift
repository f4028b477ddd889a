internal import CMedia

/// The fonts of this machine for one drawing: fontconfig knows which there are, Pango which of them has a character.
///
/// Each drawing has a choice of its own, so that threads share only fontconfig's list of fonts, which has a lock.
final class FontChoice {
    let handle: OpaquePointer

    /// `nil` where there is no font at all. The first call of a process reads fontconfig's files: tens of milliseconds.
    init?() {
        guard let handle = media_fonts_new() else { return nil }
        self.handle = handle
    }

    deinit {
        media_fonts_free(handle)
    }
}
