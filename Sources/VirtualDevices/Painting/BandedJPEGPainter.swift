import Glibc
import MulticamEncoding
import MulticamMedia

/// Paints the moving test frame as JPEGs, at a fraction of the cost of full encoding.
///
/// The frame is divided into bands of one block row. Each band is a restart interval (ITU-T T.81, B.2.4.4 and
/// E.1.4). DC prediction restarts at a restart marker, as at the start of a scan. A band that is encoded
/// separately therefore has the same entropy-coded data as the band within the frame. Static bands are
/// encoded once. For each frame, only the moving bands are encoded, and all bands are joined with restart
/// markers.
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
    private let encoder: JPEGEncoder
    private let size: FrameSize
    private let background: Canvas
    private let bands: [Band]
    /// The JPEG headers, which precede the first band's data.
    private var header: [UInt8] = []
    /// Number of bytes before the entropy-coded data in a separately encoded band. The number is the same for all
    /// bands, because they share their tables.
    private var scanStart = 0
    private var staticBands: [SharedBytes] = []
    private var whiteBand = SharedBytes(count: 0)
    /// A cache of encoded data for bands that have few possible contents. The cache exists for the lifetime
    /// of the painter.
    private var cachedBands: [Content: SharedBytes] = [:]

    // Width in pixels of a 4:2:2 MCU, which has 16 × 8 pixels.
    private static let blockWidth = 16
    private static let bandHeight = 8
    /// Limit for caching: the encoded data of all variants is kept for bands with at most this many code
    /// strip cells.
    private static let maxCachedCells = 4

    init(scene: TestScene) throws(EncodingError) {
        self.scene = scene
        size = scene.turn.stored
        encoder = JPEGEncoder()
        background = Canvas(.i422, size)
        scene.paintBackground(on: background)
        bands = Self.bands(of: scene)
        try readHeader(of: encode(background, top: 0, rows: min(Self.bandHeight, size.height)))
        for band in bands {
            staticBands.append(scan(of: try encode(background, top: band.top, rows: band.rows)))
        }
        let blank = Canvas(.i422, FrameSize(width: size.width, height: Self.bandHeight))
        blank.fill(blank.bounds, scene.white)
        whiteBand = scan(of: try encode(blank, top: 0, rows: Self.bandHeight))
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
        return PaintedFrame(memory: join(pieces))
    }

    // MARK: Bands

    private static func bands(of scene: TestScene) -> [Band] {
        let (size, strip, lane) = (scene.turn.stored, scene.strip, scene.lane)
        let lieAcross = !scene.turn.rotation.swapsSides
        return stride(from: 0, to: size.height, by: bandHeight).enumerated().map { index, top in
            let rows = top..<min(top + bandHeight, size.height)
            let cells = (0..<CodeStrip.cellCount).filter { scene.cell($0).rows.overlaps(rows) }
            // The code strip cells in a band are adjacent in every rotation.
            let range = (cells.first ?? 0)..<(cells.last ?? -1) + 1
            let mask = range.reduce(UInt64(0)) { $0 | 1 << UInt64(CodeStrip.cellCount - 1 - $1) }
            let isWhole = rows.count == bandHeight && lieAcross
            let group =
                isWhole && strip.rows.contains(rows) ? -1 : isWhole && lane.rows.contains(rows) ? -2 : index
            return Band(
                top: top, rows: rows.count, group: group, cells: range, mask: mask,
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
            for plane in 0..<3 {
                let byteCount = canvas.planes[plane].stride * band.rows
                memcpy(canvas.row(0, of: plane), background.row(band.top, of: plane), byteCount)
            }
        }
        scene.paint(box: box, cells: band.cells, of: bits, on: canvas, top: band.top)
        return scan(of: try encode(canvas, top: 0, rows: band.rows))
    }

    private func encode(_ canvas: Canvas, top: Int, rows: Int) throws(EncodingError) -> SharedBytes {
        try canvas.encode(by: encoder, rows: top..<top + rows)
    }

    // MARK: Markers

    /// Copies the headers of a separately encoded band and patches them for the whole frame: the height is
    /// replaced, and the restart interval is set to one band.
    private func readHeader(of jpeg: SharedBytes) {
        let bytes = withExtendedLifetime(jpeg) { Array(jpeg.bytes) }
        var place = 2
        while bytes[place + 1] != Self.startOfScan {
            if bytes[place + 1] == Self.startOfFrame { heightOffset = place + 5 }
            place += 2 + Int(bytes[place + 2]) << 8 + Int(bytes[place + 3])
        }
        scanStart = place + 2 + Int(bytes[place + 2]) << 8 + Int(bytes[place + 3])
        let interval = (size.width + Self.blockWidth - 1) / Self.blockWidth
        header = Array(bytes[..<place])
        header[heightOffset] = UInt8(size.height >> 8)
        header[heightOffset + 1] = UInt8(size.height & 0xFF)
        header += [0xFF, Self.restartInterval, 0, 4, UInt8(interval >> 8), UInt8(interval & 0xFF)]
        header += bytes[place..<scanStart]
    }

    private var heightOffset = 0

    private static let startOfFrame: UInt8 = 0xC0
    private static let startOfScan: UInt8 = 0xDA
    private static let restartInterval: UInt8 = 0xDD
    private static let restart: UInt8 = 0xD0
    private static let endOfImage: UInt8 = 0xD9

    /// Returns the entropy-coded data of a band, which is located between its scan header and its end marker.
    private func scan(of jpeg: SharedBytes) -> SharedBytes {
        withExtendedLifetime(jpeg) {
            SharedBytes(copying: UnsafeRawBufferPointer(rebasing: jpeg.bytes[scanStart..<jpeg.count - 2]))
        }
    }

    private func join(_ pieces: [SharedBytes]) -> SharedBytes {
        let count = header.count + pieces.reduce(0) { $0 + $1.count + 2 }
        let joined = SharedBytes(count: count)
        var end = joined.start
        header.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { end.copyMemory(from: start, byteCount: bytes.count) }
        }
        end += header.count
        for (index, piece) in pieces.enumerated() {
            end.copyMemory(from: piece.start, byteCount: piece.count)
            end += piece.count
            // Restart markers are numbered modulo 8. The last band is followed by the end-of-image marker.
            let marker = index + 1 == pieces.count ? Self.endOfImage : Self.restart + UInt8(index % 8)
            end.storeBytes(of: 0xFF, as: UInt8.self)
            end.storeBytes(of: marker, toByteOffset: 1, as: UInt8.self)
            end += 2
        }
        return joined
    }
}

extension Range<Int> {
    fileprivate func moved(by offset: Int) -> Self { lowerBound + offset..<upperBound + offset }
}
