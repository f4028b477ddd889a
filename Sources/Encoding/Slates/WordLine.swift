internal import CMedia
import Media

/// One line of words, laid out: shrunk where it is too wide, and then shortened where it is still too wide.
final class WordLine {
    /// Width × height in pixels, with the letters' ascent and descent.
    let size: FrameSize
    private let handle: OpaquePointer
    private let fonts: FontChoice

    /// Smallest size of an em in pixels; smaller letters are illegible on a screen.
    private static let smallestLetters = 7.0
    /// Smallest share of its size that a line shrinks to before it is shortened.
    private static let smallestShare = 0.5
    /// Factor below the proportional size: hinting moves letters to whole pixels, so widths are not quite in proportion
    /// to sizes.
    private static let hintingSlack = 0.97

    /// Lays out a line; `nil` where the text is blank, or letters would be too small to be read.
    ///
    /// - Parameters:
    ///   - text: The words. They are shortened in the middle, as names differ at both ends.
    ///   - letters: Size of an em in pixels.
    ///   - isBold: Whether the weight is bold, else normal.
    ///   - limit: Largest width of the line in pixels.
    ///   - fonts: The fonts of this drawing.
    init?(_ text: String, letters: Double, isBold: Bool, limit: Int, fonts: FontChoice) {
        guard !text.allSatisfy(\.isWhitespace), letters >= Self.smallestLetters, limit > 0,
            let handle = media_words_new(fonts.handle, text)
        else { return nil }
        var size = Self.measure(handle, letters, isBold)
        if size.width > limit {
            let share = max(Double(limit) / Double(size.width) * Self.hintingSlack, Self.smallestShare)
            let smaller = max(letters * share, Self.smallestLetters)
            size = Self.measure(handle, smaller, isBold)
            if size.width > limit {
                media_words_cut(handle, Int32(limit))
                size = Self.measure(handle, smaller, isBold)
            }
        }
        self.size = size
        self.handle = handle
        self.fonts = fonts
    }

    deinit {
        media_words_free(handle)
    }

    private static func measure(_ handle: OpaquePointer, _ letters: Double, _ isBold: Bool) -> FrameSize {
        media_words_set_letters(handle, letters, isBold ? 1 : 0)
        var (width, height): (Int32, Int32) = (0, 0)
        media_words_measure(handle, &width, &height)
        return FrameSize(width: Int(width), height: Int(height))
    }

    /// Draws the line at the current point of a cairo context.
    func show(on context: OpaquePointer) {
        media_words_show(handle, context)
    }
}
