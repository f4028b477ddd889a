import MulticamEncoding
import MulticamMedia

/// Encodes a JPEG from bands of one block row, so that unchanged bands are encoded only once.
///
/// Each band is a restart interval (ITU-T T.81, B.2.4.4 and E.1.4). DC prediction restarts at a restart marker, as at
/// the start of a scan. A band that is encoded separately therefore has the same entropy-coded data as the band within
/// the frame. The bands of a frame are joined with restart markers.
final class JPEGBandEncoder {
    /// The rows of each band, from top to bottom.
    let bands: [Range<Int>]
    private let size: FrameSize
    private let encoder = JPEGEncoder()
    /// The JPEG headers, which precede the first band's data.
    private var header: [UInt8] = []
    /// Number of bytes before the entropy-coded data in a separately encoded band. The number is the same for all
    /// bands, because they share their tables.
    private var scanStart = 0

    static let bandHeight = 8
    // Width in pixels of a 4:2:2 MCU, which has 16 × 8 pixels.
    private static let blockWidth = 16

    init(size: FrameSize) {
        self.size = size
        bands = stride(from: 0, to: size.height, by: Self.bandHeight).map {
            $0..<min($0 + Self.bandHeight, size.height)
        }
    }

    /// Encodes one band.
    ///
    /// - Parameters:
    ///   - canvas: An `i422` canvas with the width of the frame.
    ///   - rows: The rows of `canvas` that contain the band.
    /// - Returns: The band's entropy-coded data, which is located between its scan header and its end marker.
    /// - Throws: An error if encoding fails.
    func encode(_ canvas: Canvas, rows: Range<Int>) throws(EncodingError) -> SharedBytes {
        let jpeg = try canvas.encode(by: encoder, rows: rows)
        return withExtendedLifetime(jpeg) {
            if header.isEmpty { readHeader(of: Array(jpeg.bytes)) }
            return SharedBytes(
                copying: UnsafeRawBufferPointer(rebasing: jpeg.bytes[scanStart..<jpeg.count - 2]))
        }
    }

    /// Joins the data of all bands, from top to bottom, to a JPEG.
    func join(_ pieces: [SharedBytes]) -> SharedBytes {
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

    // MARK: Markers

    /// Copies the headers of a separately encoded band and patches them for the whole frame: the height is
    /// replaced, and the restart interval is set to one band.
    private func readHeader(of bytes: [UInt8]) {
        var heightOffset = 0
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

    private static let startOfFrame: UInt8 = 0xC0
    private static let startOfScan: UInt8 = 0xDA
    private static let restartInterval: UInt8 = 0xDD
    private static let restart: UInt8 = 0xD0
    private static let endOfImage: UInt8 = 0xD9
}
