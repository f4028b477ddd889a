import Media

/// The moving test frame as rectangles of the stored frame: coloured tiles with a grid between them, a lane in which a
/// box travels, and the code strip.
struct TestScene: Sendable {
    let turn: Turn
    let color: ColorDescription
    private let look: FrameLook
    private let black: PaintColor
    let white: PaintColor
    private let laneColor: PaintColor
    private let boxColor: PaintColor
    /// Selects which of red, green and blue shade the tiles, so that cameras look different.
    private let tint: Int

    private static let tileColumns = 8
    private static let tileRows = 6
    private static let lineWidth = 2

    /// Makes a scene; code strip and claps ignore `look`.
    init(turn: Turn, color: ColorDescription, choices: SeededChoices, look: FrameLook = .usual) {
        self.turn = turn
        self.color = color
        self.look = look
        tint = Int(choices.bits(.tint, of: 0) % 6)
        black = PaintColor(grey: 0, in: color)
        white = PaintColor(grey: 1, in: color)
        laneColor = PaintColor(look.seen(0.2, 0.2, 0.2), in: color)
        boxColor = PaintColor(look.seen(0.9, 0.7, 0.1), in: color)
    }

    // MARK: What stands still

    /// Paints everything that is the same in every frame.
    func paintBackground(on canvas: Canvas) {
        let upright = turn.upright
        let (columns, rows) = (Self.tileColumns, Self.tileRows)
        canvas.fill(canvas.everything, PaintColor(look.seen(0.45, 0.45, 0.45), in: color))
        for row in 0..<rows {
            for column in 0..<columns {
                // Even edges: chroma has half the resolution.
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
        return PaintColor(look.seen(shades[red], shades[green], shades[blue]), in: color)
    }

    // MARK: What moves

    /// The lane in which the box travels, in stored coordinates. It has one colour, so that its rows are alike.
    var lane: PixelRectangle { turn.stored(uprightLane) }

    /// The rectangle of the box in a frame, in stored coordinates.
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
        // Whole rows of JPEG blocks where the frame is high enough, so that few blocks change.
        let unit = height >= 128 ? 8 : 2
        return PixelRectangle(
            x: 0, y: height * 3 / 4 / unit * unit, width: turn.upright.width,
            height: max(unit, height / 12 / unit * unit))
    }

    // MARK: The code strip

    /// The code strip's rectangle in the stored frame.
    var strip: PixelRectangle {
        let upright = turn.upright
        let height = CodeStrip.height(in: upright)
        return turn.stored(PixelRectangle(x: 0, y: 0, width: upright.width, height: height))
    }

    /// A code strip cell's rectangle in the stored frame.
    func cell(_ index: Int) -> PixelRectangle { turn.stored(CodeStrip.cell(index, of: turn.upright)) }

    /// Whether the bit of a cell is set in the strip's 64-bit number.
    static func isWhite(cell index: Int, in bits: UInt64) -> Bool {
        bits >> UInt64(CodeStrip.cellCount - 1 - index) & 1 == 1
    }

    /// Paints the moving parts of a frame over the background, or over all white when the frame holds a clap.
    func paintMoving(_ frame: ExposedFrame, on canvas: Canvas) {
        let bits = CodeStrip(frame: frame.number, time: frame.time).bits
        paint(
            box: frame.holdsClap ? nil : box(of: frame), cells: 0..<CodeStrip.cellCount, of: bits, on: canvas,
            top: 0)
    }

    /// Paints the box and some cells of the code strip on a canvas that is a band of the frame.
    ///
    /// - Parameters:
    ///   - box: The box in coordinates of the stored frame; `nil` when it does not show.
    ///   - cells: Indices of the cells to paint.
    ///   - bits: The strip's 64-bit number.
    ///   - canvas: The band.
    ///   - top: Row of the stored frame at which the band begins.
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
