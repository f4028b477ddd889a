internal import CMedia
import Media

/// A sheet of coverage, one byte per pixel: 0 where there is no word, 255 where a word covers all.
///
/// It owns its cairo surface and belongs to one thread at a time.
final class WordSheet {
    /// Width × height of the stored sheet in pixels.
    let size: FrameSize
    private let surface: OpaquePointer
    private let context: OpaquePointer

    /// Makes an empty sheet; `nil` when memory is short.
    ///
    /// - Parameters:
    ///   - upright: Width × height of the sheet as it is read.
    ///   - rotation: The clockwise rotation after which the stored sheet can be read.
    init?(_ upright: FrameSize, readAfter rotation: Rotation) {
        size = rotation.swapsSides ? upright.turned : upright
        // cairo never returns null; failures are in the object's status.
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

    /// The transformation from positions as they are read to positions as they are stored.
    private static func matrix(toStored rotation: Rotation, _ stored: FrameSize) -> cairo_matrix_t {
        let (width, height) = (Double(stored.width), Double(stored.height))
        return switch rotation {
        case .none: cairo_matrix_t(xx: 1, yx: 0, xy: 0, yy: 1, x0: 0, y0: 0)
        case .quarter: cairo_matrix_t(xx: 0, yx: -1, xy: 1, yy: 0, x0: 0, y0: height)
        case .half: cairo_matrix_t(xx: -1, yx: 0, xy: 0, yy: -1, x0: width, y0: height)
        case .threeQuarters: cairo_matrix_t(xx: 0, yx: 1, xy: -1, yy: 0, x0: width, y0: 0)
        }
    }

    /// Draws a line of words.
    ///
    /// - Parameters:
    ///   - line: A line that was laid out for this drawing.
    ///   - x: Its left edge in pixels of the sheet as it is read.
    ///   - y: Its upper edge in pixels of the sheet as it is read.
    ///   - strength: Opacity of the words, 0…1.
    func draw(_ line: WordLine, x: Int, y: Int, strength: Double) {
        cairo_set_source_rgba(context, 0, 0, 0, strength)
        cairo_move_to(context, Double(x), Double(y))
        line.show(on: context)
    }

    /// Reads the coverage: `size.height` rows, `stride` bytes apart.
    func read(_ body: (_ first: UnsafePointer<UInt8>, _ stride: Int) -> Void) {
        cairo_surface_flush(surface)
        guard let first = cairo_image_surface_get_data(surface) else { return }
        body(first, Int(cairo_image_surface_get_stride(surface)))
    }
}
