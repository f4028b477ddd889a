import MulticamMedia

/// The moving test frame, described by rectangles in the stored frame. The frame consists of colored tiles
/// separated by a grid, a lane with a moving box, and the code strip.
struct TestScene: Sendable {
    let turn: Turn
    let color: ColorDescription
    private let appearance: FrameAppearance
    private let black: PaintColor
    let white: PaintColor
    private let laneColor: PaintColor
    private let boxColor: PaintColor
    /// Selects which of the red, green, and blue components shade the tiles, so that cameras look different.
    private let tint: Int

    private static let tileColumns = 8
    private static let tileRows = 6
    private static let lineWidth = 2

    /// Creates a scene. `appearance` doesn't affect the code strip or the claps.
    init(turn: Turn, color: ColorDescription, choices: SeededChoices, appearance: FrameAppearance = .neutral)
    {
        self.turn = turn
        self.color = color
        self.appearance = appearance
        tint = Int(choices.bits(.tint, of: 0) % 6)
        black = PaintColor(grey: 0, in: color)
        white = PaintColor(grey: 1, in: color)
        laneColor = PaintColor(appearance.adjusted(0.2, 0.2, 0.2), in: color)
        boxColor = PaintColor(appearance.adjusted(0.9, 0.7, 0.1), in: color)
    }

    // MARK: Static background

    /// Paints the parts of the scene that are the same in every frame.
    func paintBackground(on canvas: Canvas) {
        let upright = turn.upright
        let (columns, rows) = (Self.tileColumns, Self.tileRows)
        canvas.fill(canvas.bounds, PaintColor(appearance.adjusted(0.45, 0.45, 0.45), in: color))
        for row in 0..<rows {
            for column in 0..<columns {
                // The edges have even positions, because chroma has half the resolution.
                let left = column * upright.width / columns / 2 * 2
                let right = (column + 1) * upright.width / columns / 2 * 2
                let top = row * upright.height / rows / 2 * 2
                let bottom = (row + 1) * upright.height / rows / 2 * 2
                let tile = PixelRectangle(
                    x: left, y: top, width: right - left - Self.lineWidth,
                    height: bottom - top - Self.lineWidth)
                canvas.fill(turn.stored(tile), shade(column: column, row: row))
            }
        }
        canvas.fill(lane, laneColor)
    }

    private func shade(column: Int, row: Int) -> PaintColor {
        let across = Double(column) / Double(Self.tileColumns - 1)
        let down = Double(row) / Double(Self.tileRows - 1)
        let shades = [0.15 + 0.45 * across, 0.15 + 0.4 * down, 0.55 - 0.4 * across]
        let orders = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
        let (red, green, blue) = orders[tint]
        return PaintColor(appearance.adjusted(shades[red], shades[green], shades[blue]), in: color)
    }

    // MARK: Moving parts

    /// The lane of the moving box, in coordinates of the stored frame. The lane has a single color, so all its rows are
    /// identical.
    var lane: PixelRectangle { turn.stored(uprightLane) }

    /// Returns the rectangle of the box in a frame, in coordinates of the stored frame.
    func box(of frame: ExposedFrame) -> PixelRectangle {
        let upright = turn.upright
        let width = max(2, upright.width / 8 / 2 * 2)
        let step = max(2, upright.width / 120 / 2 * 2)
        let places = Int64((upright.width - width) / step + 1)
        let place = frame.number - frame.number.floorDivided(by: places) * places
        let lane = uprightLane
        return turn.stored(PixelRectangle(x: Int(place) * step, y: lane.y, width: width, height: lane.height))
    }

    private var uprightLane: PixelRectangle {
        let height = turn.upright.height
        // If the frame is tall enough, the box is aligned to JPEG block rows, so that few blocks change.
        let unit = height >= 128 ? 8 : 2
        return PixelRectangle(
            x: 0, y: height * 3 / 4 / unit * unit, width: turn.upright.width,
            height: max(unit, height / 12 / unit * unit))
    }

    // MARK: Code strip

    /// The code strip's rectangle in the stored frame.
    var strip: PixelRectangle {
        let upright = turn.upright
        let height = CodeStrip.height(in: upright)
        return turn.stored(PixelRectangle(x: 0, y: 0, width: upright.width, height: height))
    }

    /// Returns the rectangle of a code strip cell in the stored frame.
    func cell(_ index: Int) -> PixelRectangle { turn.stored(CodeStrip.cell(index, of: turn.upright)) }

    /// Returns whether the bit of a cell is set in the strip's 64-bit number.
    static func isWhite(cell index: Int, in bits: UInt64) -> Bool {
        bits >> UInt64(CodeStrip.cellCount - 1 - index) & 1 == 1
    }

    /// Paints the moving parts of a frame over the background. If the frame contains a clap, the moving parts
    /// are painted over solid white.
    func paintMoving(_ frame: ExposedFrame, on canvas: Canvas) {
        let bits = CodeStrip(frame: frame.number, time: frame.time).bits
        paint(
            box: frame.holdsClap ? nil : box(of: frame), cells: 0..<CodeStrip.cellCount, of: bits, on: canvas,
            top: 0)
    }

    /// Paints the box and some cells of the code strip on a canvas that is a band of the frame.
    ///
    /// - Parameters:
    ///   - box: The moving box in coordinates of the stored frame; `nil` if the box isn't visible.
    ///   - cells: Indices of the cells to paint.
    ///   - bits: The 64-bit number of the code strip.
    ///   - canvas: The canvas that contains the band.
    ///   - top: First row of the band in the stored frame.
    func paint(box: PixelRectangle?, cells: Range<Int>, of bits: UInt64, on canvas: Canvas, top: Int) {
        if let box { canvas.fill(box.moved(up: top), boxColor) }
        for index in cells {
            canvas.fill(cell(index).moved(up: top), Self.isWhite(cell: index, in: bits) ? white : black)
        }
    }
}

extension PixelRectangle {
    func moved(up rows: Int) -> Self { Self(x: x, y: y - rows, width: width, height: height) }
    var rows: Range<Int> { y..<y + height }
}

/// The `bars` test frame: seven vertical 75 % color bars.
enum ColorBars {
    /// The bars from left to right (white, yellow, cyan, green, magenta, red, blue). Red, green, and blue are 0 or 1.
    private static let bars: [(red: Double, green: Double, blue: Double)] = [
        (1, 1, 1), (1, 1, 0), (0, 1, 1), (0, 1, 0), (1, 0, 1), (1, 0, 0), (0, 0, 1),
    ]
    private static let brightness = 0.75

    static func paint(
        on canvas: Canvas, turn: Turn, color: ColorDescription, appearance: FrameAppearance = .neutral
    ) {
        let upright = turn.upright
        for (index, bar) in bars.enumerated() {
            // The edges have even positions, because chroma has half the resolution.
            let left = index * upright.width / bars.count / 2 * 2
            let right =
                index + 1 == bars.count ? upright.width : (index + 1) * upright.width / bars.count / 2 * 2
            let area = PixelRectangle(x: left, y: 0, width: right - left, height: upright.height)
            let color = PaintColor(
                appearance.adjusted(bar.red * brightness, bar.green * brightness, bar.blue * brightness),
                in: color)
            canvas.fill(turn.stored(area), color)
        }
    }
}

/// Converts between an upright frame and the stored frame of a rotated camera.
///
/// `rotation` is the clockwise rotation that displays the stored frame upright. The stored frame is the upright frame
/// rotated counterclockwise by the same angle.
struct Turn: Sendable, Equatable {
    let stored: FrameSize
    let rotation: Rotation

    var upright: FrameSize { rotation.swapsSides ? stored.transposed : stored }

    /// Returns the rectangle of the stored frame that shows a given rectangle of the upright frame.
    func stored(_ area: PixelRectangle) -> PixelRectangle {
        let (right, bottom) = (upright.width - area.x - area.width, upright.height - area.y - area.height)
        switch rotation {
        case .none: return area
        case .quarter: return PixelRectangle(x: area.y, y: right, width: area.height, height: area.width)
        case .half: return PixelRectangle(x: right, y: bottom, width: area.width, height: area.height)
        case .threeQuarters:
            return PixelRectangle(x: bottom, y: area.x, width: area.height, height: area.width)
        }
    }
}
