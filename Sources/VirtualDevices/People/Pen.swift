import CMulticamMedia
import Glibc
import MulticamMedia

/// A color for drawing: red, green, and blue from 0 to 1, and opacity.
struct DrawingColor: Sendable {
    let red: Double
    let green: Double
    let blue: Double
    var opacity = 1.0

    /// Creates a color from a hexadecimal number, such as `0xefc3a0`.
    init(_ code: UInt32, opacity: Double = 1) {
        red = Double(code >> 16 & 0xFF) / 255
        green = Double(code >> 8 & 0xFF) / 255
        blue = Double(code & 0xFF) / 255
        self.opacity = opacity
    }

    /// A darker color for a share below 1, and a lighter color for a share above 1.
    func shaded(_ share: Double) -> Self {
        var code: UInt32 = 0
        for component in [red, green, blue] {
            let value = share < 1 ? component * share : 1 - (1 - component) * (2 - share)
            code = code << 8 | UInt32(min(max(value, 0), 1) * 255)
        }
        return Self(code, opacity: opacity)
    }
}

/// Draws antialiased shapes with Cairo into an image in memory. A pen is used by one thread.
final class Pen {
    let size: FrameSize
    private let surface: OpaquePointer?
    private let context: OpaquePointer?
    private let appearance: FrameAppearance

    /// Creates a transparent image.
    init(size: FrameSize, appearance: FrameAppearance) {
        self.size = size
        self.appearance = appearance
        surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(size.width), Int32(size.height))
        context = cairo_create(surface)
    }

    deinit {
        cairo_destroy(context)
        cairo_surface_destroy(surface)
    }

    // MARK: Coordinates

    func translate(_ x: Double, _ y: Double) { cairo_translate(context, x, y) }
    func scale(_ factor: Double) { cairo_scale(context, factor, factor) }
    func rotate(degrees: Double) { cairo_rotate(context, degrees * .pi / 180) }

    /// Draws with coordinates that are valid only in `body`.
    func group(_ body: () -> Void) {
        cairo_save(context)
        body()
        cairo_restore(context)
    }

    // MARK: Shapes

    /// The interior of the current path.
    enum Fill {
        case color(DrawingColor)
        /// Changes from one color to another along a line.
        case line(from: (Double, Double), to: (Double, Double), DrawingColor, DrawingColor)
        /// Changes from the color at the center to the color at the radius.
        case glow(center: (Double, Double), radius: Double, DrawingColor, DrawingColor)
    }

    /// Fills a path in SVG's notation with absolute coordinates. `M`, `L`, `C`, `Q`, and `Z` are supported.
    func fill(_ path: String, _ fill: Fill) {
        trace(path)
        paint(fill)
    }

    func fill(_ path: String, _ color: DrawingColor) { fill(path, .color(color)) }

    func stroke(_ path: String, _ color: DrawingColor, width: Double) {
        trace(path)
        select(.color(color))
        cairo_set_line_width(context, width)
        cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
        cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
        cairo_stroke(context)
    }

    func ellipse(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ fill: Fill) {
        cairo_save(context)
        cairo_translate(context, x, y)
        cairo_scale(context, width, height)
        cairo_new_path(context)
        cairo_arc(context, 0, 0, 1, 0, 2 * .pi)
        cairo_restore(context)
        paint(fill)
    }

    func ellipse(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ color: DrawingColor) {
        ellipse(x, y, width, height, .color(color))
    }

    func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ fill: Fill) {
        cairo_new_path(context)
        cairo_rectangle(context, x, y, width, height)
        paint(fill)
    }

    func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ color: DrawingColor) {
        rectangle(x, y, width, height, .color(color))
    }

    /// Draws only within a path until the current `group` ends.
    func clip(_ path: String) {
        trace(path)
        cairo_clip(context)
    }

    /// Draws another image, which begins at the origin. Pixels are interpolated linearly.
    func draw(_ image: Pen, enlarged factor: Double) {
        cairo_save(context)
        cairo_scale(context, factor, factor)
        cairo_set_source_surface(context, image.surface, 0, 0)
        cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_BILINEAR)
        cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
        cairo_paint(context)
        cairo_restore(context)
    }

    private func trace(_ path: String) {
        cairo_new_path(context)
        var numbers: [Double] = []
        var command: Character = "M"
        var last = (0.0, 0.0)
        let words = path.split { " ,".contains($0) }
        for word in words {
            var word = word
            if let letter = word.first, letter.isLetter {
                command = letter
                word = word.dropFirst()
                numbers = []
                if command == "Z" { cairo_close_path(context) }
            }
            guard let number = Double(word) else { continue }
            numbers.append(number)
            switch (command, numbers.count) {
            case ("M", 2): cairo_move_to(context, numbers[0], numbers[1])
            case ("L", 2): cairo_line_to(context, numbers[0], numbers[1])
            case ("Q", 4):
                let (x, y) = (numbers[0], numbers[1])
                cairo_curve_to(
                    context, last.0 + (x - last.0) * 2 / 3, last.1 + (y - last.1) * 2 / 3,
                    numbers[2] + (x - numbers[2]) * 2 / 3, numbers[3] + (y - numbers[3]) * 2 / 3, numbers[2],
                    numbers[3])
            case ("C", 6):
                cairo_curve_to(
                    context, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5])
            default: continue
            }
            last = (numbers[numbers.count - 2], numbers[numbers.count - 1])
            numbers = []
        }
    }

    private func paint(_ fill: Fill) {
        select(fill)
        cairo_fill(context)
    }

    private func select(_ fill: Fill) {
        switch fill {
        case .color(let color):
            let (red, green, blue) = appearance.adjusted(color.red, color.green, color.blue)
            cairo_set_source_rgba(context, red, green, blue, color.opacity)
        case .line(let from, let to, let first, let second):
            select(cairo_pattern_create_linear(from.0, from.1, to.0, to.1), first, second)
        case .glow(let center, let radius, let first, let second):
            select(
                cairo_pattern_create_radial(center.0, center.1, 0, center.0, center.1, radius), first, second)
        }
    }

    private func select(_ pattern: OpaquePointer?, _ first: DrawingColor, _ second: DrawingColor) {
        for (place, color) in [(0.0, first), (1.0, second)] {
            let (red, green, blue) = appearance.adjusted(color.red, color.green, color.blue)
            cairo_pattern_add_color_stop_rgba(pattern, place, red, green, blue, color.opacity)
        }
        cairo_set_source(context, pattern)
        cairo_pattern_destroy(pattern)
    }

    // MARK: Result

    /// Converts the image to a camera's pixel format: full range for `i422` (JPEG) and `grey`, limited range for the
    /// other formats, both with the BT.601 matrix.
    func canvas(_ pixel: PixelFormat) -> Canvas {
        cairo_surface_flush(surface)
        let canvas = Canvas(pixel, size)
        guard let source = cairo_image_surface_get_data(surface) else { return canvas }
        let stride = cairo_image_surface_get_stride(surface)
        let (width, height) = (Int32(size.width), Int32(size.height))
        func plane(_ index: Int) -> (UnsafeMutablePointer<UInt8>, Int32) {
            (canvas.row(0, of: index), Int32(canvas.planes[index].stride))
        }
        let (y, yStride) = plane(0)
        switch pixel {
        case .yuyv: ARGBToYUY2(source, stride, y, yStride, width, height)
        case .grey: ARGBToJ400(source, stride, y, yStride, width, height)
        case .nv12:
            let (chroma, chromaStride) = plane(1)
            ARGBToNV12(source, stride, y, yStride, chroma, chromaStride, width, height)
        default:
            let (u, uStride) = plane(1)
            let (v, vStride) = plane(2)
            if pixel == .i420 {
                ARGBToI420(source, stride, y, yStride, u, uStride, v, vStride, width, height)
            } else {
                ARGBToJ422(source, stride, y, yStride, u, uStride, v, vStride, width, height)
            }
        }
        return canvas
    }
}
