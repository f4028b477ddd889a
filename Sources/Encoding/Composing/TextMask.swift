internal import CMulticamMedia
import MulticamMedia

/// Coverage mask of text, one byte per pixel: 0 outside the text, 255 fully inside it.
///
/// The mask owns its cairo surface. Not thread-safe: use it from one thread at a time.
final class TextMask {
    /// Width × height of the stored mask in pixels.
    let size: FrameSize
    private let surface: OpaquePointer
    private let context: OpaquePointer

    /// Creates an empty mask; `nil` if memory allocation fails.
    ///
    /// - Parameters:
    ///   - upright: Width × height of the upright mask.
    ///   - rotation: Clockwise rotation that makes the stored mask upright.
    init?(_ upright: FrameSize, readAfter rotation: Rotation) {
        size = rotation.swapsSides ? upright.transposed : upright
        // This cairo function never returns null. Failures are reported in the surface's status.
        surface = cairo_image_surface_create(CAIRO_FORMAT_A8, Int32(size.width), Int32(size.height))
        context = cairo_create(surface)
        guard cairo_status(context) == CAIRO_STATUS_SUCCESS else { return nil }
        var matrix = Self.matrix(toStored: rotation, size)
        cairo_set_matrix(context, &matrix)
    }

    deinit {
        cairo_destroy(context)
        cairo_surface_destroy(surface)
    }

    /// Returns the transformation from upright positions to stored positions.
    private static func matrix(toStored rotation: Rotation, _ stored: FrameSize) -> cairo_matrix_t {
        let (width, height) = (Double(stored.width), Double(stored.height))
        return switch rotation {
        case .none: cairo_matrix_t(xx: 1, yx: 0, xy: 0, yy: 1, x0: 0, y0: 0)
        case .quarter: cairo_matrix_t(xx: 0, yx: -1, xy: 1, yy: 0, x0: 0, y0: height)
        case .half: cairo_matrix_t(xx: -1, yx: 0, xy: 0, yy: -1, x0: width, y0: height)
        case .threeQuarters: cairo_matrix_t(xx: 0, yx: 1, xy: -1, yy: 0, x0: width, y0: 0)
        }
    }

    /// Draws a line of text.
    ///
    /// - Parameters:
    ///   - line: A line that was laid out for this drawing.
    ///   - x: Left edge of the line, in pixels of the upright mask.
    ///   - y: Top edge of the line, in pixels of the upright mask.
    ///   - strength: Opacity of the text, 0…1.
    func draw(_ line: TextLine, x: Int, y: Int, strength: Double) {
        cairo_set_source_rgba(context, 0, 0, 0, strength)
        cairo_move_to(context, Double(x), Double(y))
        line.draw(on: context)
    }

    /// Calls `body` with the coverage: `size.height` rows, `stride` bytes apart.
    func withCoverage(_ body: (_ first: UnsafePointer<UInt8>, _ stride: Int) -> Void) {
        cairo_surface_flush(surface)
        guard let first = cairo_image_surface_get_data(surface) else { return }
        body(first, Int(cairo_image_surface_get_stride(surface)))
    }
}

extension TextMask {
    /// Letter height of the camera's role, as a fraction of the frame's shorter side. The constants below use
    /// the same unit. At 320×180, the smallest program size, the letters of the three lines are 29, 15, and
    /// 13 pixels high.
    private static let roleTextSize = 0.16
    private static let deviceTextSize = 0.085
    private static let problemTextSize = 0.07
    private static let lineGap = 0.02
    private static let padding = 0.06
    /// Distance from the frame's edges to the text mask.
    private static let margin = 0.1

    /// Lays out and draws the text of a slate. Each line is centered: the role in large letters, then the
    /// device's name, then the problem. The mask is smaller than the frame, so the caller must center it in
    /// the frame.
    ///
    /// The initializer returns `nil` if no font is available, memory allocation fails, or the frame is too
    /// small for text.
    ///
    /// - Parameters:
    ///   - caption: The text, and the rotation that players apply to the frame.
    ///   - frame: Width × height of the stored frame in pixels.
    convenience init?(_ caption: SlateCaption, in frame: FrameSize) {
        guard let fonts = InstalledFonts() else { return nil }
        let upright = caption.rotation.swapsSides ? frame.transposed : frame
        let unit = Double(min(upright.width, upright.height))
        let (padding, gap) = (Int(unit * Self.padding), Int(unit * Self.lineGap))
        let limit = upright.width - 2 * (Int(unit * Self.margin) + padding)
        let lines = [
            (caption.role, Self.roleTextSize, true, 1.0), (caption.device, Self.deviceTextSize, false, 0.9),
            (caption.problem, Self.problemTextSize, false, 0.7),
        ].compactMap { text, letters, isBold, strength in
            TextLine(text, letters: unit * letters, isBold: isBold, limit: limit, fonts: fonts)
                .map { (line: $0, strength: strength) }
        }
        guard let widest = lines.map(\.line.size.width).max() else { return nil }
        let height = lines.map(\.line.size.height).reduce(0, +) + gap * (lines.count - 1)
        let sheet = FrameSize(width: widest + 2 * padding, height: height + 2 * padding)
        guard sheet.width <= upright.width, sheet.height <= upright.height else { return nil }
        self.init(sheet, readAfter: caption.rotation)
        var y = padding
        for (line, strength) in lines {
            draw(line, x: (sheet.width - line.size.width) / 2, y: y, strength: strength)
            y += line.size.height + gap
        }
    }
}

/// One line of text with its computed layout. A line that is too wide is shrunk first, and then shortened if
/// it is still too wide.
final class TextLine {
    /// Width × height in pixels, including ascent and descent.
    let size: FrameSize
    private let handle: OpaquePointer
    private let fonts: InstalledFonts

    /// Minimum size of an em in pixels. Smaller letters are illegible on a screen.
    private static let minTextSize = 7.0
    /// Minimum scale of a line that is shrunk to fit, relative to its original size. If the line is still too
    /// wide at this scale, its text is shortened.
    private static let minScale = 0.5
    /// Additional reduction when a line is shrunk. Hinting moves letters to whole pixels, so widths aren't
    /// exactly proportional to font sizes.
    private static let hintingSlack = 0.97

    /// Lays out a line; `nil` if the text is blank or the letters would be too small to read.
    ///
    /// - Parameters:
    ///   - text: Text of the line. Long text is shortened in the middle because names differ at both ends.
    ///   - letters: Size of an em in pixels.
    ///   - isBold: Whether the font weight is bold instead of normal.
    ///   - limit: Maximum width of the line in pixels.
    ///   - fonts: The fonts used for this drawing.
    init?(_ text: String, letters: Double, isBold: Bool, limit: Int, fonts: InstalledFonts) {
        guard !text.allSatisfy(\.isWhitespace), letters >= Self.minTextSize, limit > 0,
            let handle = media_words_new(fonts.handle, text)
        else { return nil }
        var size = Self.measure(handle, letters, isBold)
        if size.width > limit {
            let share = max(Double(limit) / Double(size.width) * Self.hintingSlack, Self.minScale)
            let smaller = max(letters * share, Self.minTextSize)
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
    func draw(on context: OpaquePointer) {
        media_words_show(handle, context)
    }
}

/// The fonts of this machine, as used for one drawing. The library fontconfig lists the fonts, and Pango
/// finds a font that contains a given character.
///
/// Each drawing has a separate instance, so threads share only fontconfig's list of fonts, which a lock
/// protects.
final class InstalledFonts {
    let handle: OpaquePointer

    /// Finds the installed fonts; `nil` if no font is installed. The first call in a process reads
    /// fontconfig's files, which takes tens of milliseconds.
    init?() {
        guard let handle = media_fonts_new() else { return nil }
        self.handle = handle
    }

    deinit {
        media_fonts_free(handle)
    }
}
