import MulticamEncoding
import MulticamMedia

/// Paints the moving test frame as JPEGs. Static bands are encoded once. For each frame, only the moving bands
/// are encoded.
final class BandedJPEGPainter: FramePainting {
    /// A band of the frame, which is one block row high.
    private struct Band {
        let top: Int
        let rows: Int
        /// Bands of the same group share their encoded data if their contents are equal. The group is -1 in the code
        /// strip, -2 in the lane, and the band's own index elsewhere.
        let group: Int
        /// Indices of the code strip cells that are visible in this band.
        let cells: Range<Int>
        /// Bit mask of `cells` in the code strip's 64-bit number.
        let mask: UInt64
        let showsLane: Bool

        var isMoving: Bool { showsLane || !cells.isEmpty }
    }

    /// All inputs that determine a band's encoded bytes.
    private struct Content: Hashable {
        let group: Int
        let isWhite: Bool
        let bits: UInt64
        /// The box's left edge in pixels; 0 if the box isn't visible in this band.
        let boxLeft: Int
        /// The band's rows that the box covers; empty if the box isn't visible in this band.
        let boxRows: Range<Int>
    }

    private let scene: TestScene
    private let encoder: JPEGBandEncoder
    private let size: FrameSize
    private let background: Canvas
    private let bands: [Band]
    private var staticBands: [SharedBytes] = []
    private var whiteBand = SharedBytes(count: 0)
    /// A cache of encoded data for bands that have few possible contents. The cache exists for the lifetime
    /// of the painter.
    private var cachedBands: [Content: SharedBytes] = [:]

    /// Limit for caching: the encoded data of all variants is kept for bands with at most this many code
    /// strip cells.
    private static let maxCachedCells = 4

    init(scene: TestScene) throws(EncodingError) {
        self.scene = scene
        size = scene.turn.stored
        encoder = JPEGBandEncoder(size: scene.turn.stored)
        background = Canvas(.i422, size)
        scene.paintBackground(on: background)
        bands = Self.bands(encoder.bands, of: scene)
        for rows in encoder.bands { staticBands.append(try encoder.encode(background, rows: rows)) }
        let blank = Canvas(.i422, FrameSize(width: size.width, height: JPEGBandEncoder.bandHeight))
        blank.fill(blank.bounds, scene.white)
        whiteBand = try encoder.encode(blank, rows: 0..<JPEGBandEncoder.bandHeight)
    }

    func paint(_ frame: ExposedFrame) throws(EncodingError) -> PaintedFrame {
        let bits = CodeStrip(frame: frame.number, time: frame.time).bits
        let box = scene.box(of: frame)
        var passing: [Content: SharedBytes] = [:]
        var pieces = frame.holdsClap ? Array(repeating: whiteBand, count: bands.count) : staticBands
        for (index, band) in bands.enumerated() where band.isMoving {
            let seen = frame.holdsClap ? 0..<0 : box.rows.clamped(to: band.top..<band.top + band.rows)
            guard !seen.isEmpty || !band.cells.isEmpty else { continue }
            let content = Content(
                group: band.group, isWhite: frame.holdsClap, bits: bits & band.mask,
                boxLeft: seen.isEmpty ? 0 : box.x, boxRows: seen.isEmpty ? 0..<0 : seen.moved(by: -band.top))
            if let piece = cachedBands[content] ?? passing[content] {
                pieces[index] = piece
                continue
            }
            let piece = try encode(band, isWhite: frame.holdsClap, bits: bits, box: seen.isEmpty ? nil : box)
            pieces[index] = piece
            if band.cells.count <= Self.maxCachedCells {
                cachedBands[content] = piece
            } else {
                passing[content] = piece
            }
        }
        return PaintedFrame(memory: encoder.join(pieces))
    }

    // MARK: Bands

    private static func bands(_ bands: [Range<Int>], of scene: TestScene) -> [Band] {
        let (strip, lane) = (scene.strip, scene.lane)
        let lieAcross = !scene.turn.rotation.swapsSides
        return bands.enumerated().map { index, rows in
            let cells = (0..<CodeStrip.cellCount).filter { scene.cell($0).rows.overlaps(rows) }
            // The code strip cells in a band are adjacent in every rotation.
            let range = (cells.first ?? 0)..<(cells.last ?? -1) + 1
            let mask = range.reduce(UInt64(0)) { $0 | 1 << UInt64(CodeStrip.cellCount - 1 - $1) }
            let isWhole = rows.count == JPEGBandEncoder.bandHeight && lieAcross
            let group =
                isWhole && strip.rows.contains(rows) ? -1 : isWhole && lane.rows.contains(rows) ? -2 : index
            return Band(
                top: rows.lowerBound, rows: rows.count, group: group, cells: range, mask: mask,
                showsLane: lane.rows.overlaps(rows))
        }
    }

    private func encode(
        _ band: Band, isWhite: Bool, bits: UInt64, box: PixelRectangle?
    ) throws(EncodingError) -> SharedBytes {
        let canvas = Canvas(.i422, FrameSize(width: size.width, height: band.rows))
        if isWhite {
            canvas.fill(canvas.bounds, scene.white)
        } else {
            canvas.paint(background, x: 0, y: -band.top)
        }
        scene.paint(box: box, cells: band.cells, of: bits, on: canvas, top: band.top)
        return try encoder.encode(canvas, rows: 0..<band.rows)
    }
}

extension Range<Int> {
    fileprivate func moved(by offset: Int) -> Self { lowerBound + offset..<upperBound + offset }
}
