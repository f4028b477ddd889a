internal import CMulticamMedia
package import MulticamMedia

/// Decodes JPEGs into planes, at full size or at a reduced scale, which is faster. Not thread-safe: use it
/// from one thread only.
///
/// Old webcams send JPEGs without Huffman tables. For such JPEGs, libjpeg-turbo uses the standard tables.
final class JPEGDecoder {
    private var handle: tjhandle?

    /// JPEG header fields that are needed for decoding.
    struct Header {
        let size: FrameSize
        fileprivate let sampling: Int32

        /// Binary logarithms of the chroma subsampling, horizontal and vertical; `nil` for grayscale and unknown
        /// subsamplings.
        var shifts: (horizontal: Int, vertical: Int)? {
            switch TJSAMP(UInt32(sampling)) {
            case TJSAMP_444: (0, 0)
            case TJSAMP_422: (1, 0)
            case TJSAMP_420: (1, 1)
            case TJSAMP_440: (0, 1)
            case TJSAMP_411: (2, 0)
            default: nil
            }
        }

        /// Raw pixel format with the same chroma subsampling as the JPEG; `nil` if no such format exists.
        var sharedPixel: PixelFormat? {
            switch TJSAMP(UInt32(sampling)) {
            case TJSAMP_422: .i422
            case TJSAMP_420: .i420
            default: nil
            }
        }

        /// Chroma subsampling as a `TJSAMP` value of turbojpeg.
        var turboJPEG: Int32 { sampling }
    }

    init() {
        handle = tjInitDecompress()
    }

    deinit {
        if let handle { tjDestroy(handle) }
    }

    /// Reads the header of a JPEG.
    ///
    /// - Returns: The header; `nil` for bytes that aren't a JPEG, or for a JPEG of a type that cameras don't send
    ///   (CMYK, unknown subsampling).
    func header(of bytes: SharedBytes) -> Header? {
        var (width, height, sampling, space): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        let start = bytes.start.assumingMemoryBound(to: UInt8.self)
        let result = tjDecompressHeader3(handle, start, UInt(bytes.count), &width, &height, &sampling, &space)
        if result != 0 {
            // After a broken header, libjpeg-turbo 2.1 remains in an intermediate state, and decoding every
            // following frame also fails. Therefore, the decoder handle is recreated. A header that only
            // causes a warning is read completely, so its image size is valid.
            if let handle { tjDestroy(handle) }
            handle = tjInitDecompress()
        }
        let knownSpaces = [Int32(TJCS_YCbCr.rawValue), Int32(TJCS_GRAY.rawValue)]
        guard (0..<Int32(TJ_NUMSAMP)).contains(sampling), knownSpaces.contains(space),
            (1...16384).contains(width), (1...16384).contains(height)
        else { return nil }
        return Header(size: FrameSize(width: Int(width), height: Int(height)), sampling: sampling)
    }

    /// Decodes a JPEG into planes that have exactly the scaled size and the JPEG's chroma subsampling.
    ///
    /// With some cameras, libjpeg-turbo reports warnings for every frame although the frames aren't damaged.
    /// Decoding such frames takes 50 % more time.
    ///
    /// - Returns: Whether the JPEG was complete. If the JPEG is incomplete, parts of the planes are
    ///   undefined.
    func decode(_ bytes: SharedBytes, _ header: Header, into target: Planes) -> Bool {
        var planes: [UnsafeMutablePointer<UInt8>?] = [target.y, target.u, target.v]
        var strides = [Int32(target.yStride), Int32(target.uStride), Int32(target.vStride)]
        let result = tjDecompressToYUVPlanes(
            handle, bytes.start.assumingMemoryBound(to: UInt8.self), UInt(bytes.count), &planes,
            Int32(target.size.width), &strides, Int32(target.size.height), 0)
        return result == 0 || !Self.isDamaged(bytes)
    }

    /// Decodes only the luma plane of a JPEG, at one of the decoder's scales, into rows without padding.
    ///
    /// - Returns: Whether the JPEG was complete.
    func decodeLuma(_ bytes: SharedBytes, _ size: FrameSize, into target: UnsafeMutablePointer<UInt8>)
        -> Bool
    {
        let result = tjDecompress2(
            handle, bytes.start.assumingMemoryBound(to: UInt8.self), UInt(bytes.count), target,
            Int32(size.width), Int32(size.width), Int32(size.height), Int32(TJPF_GRAY.rawValue), 0)
        return result == 0 || !Self.isDamaged(bytes)
    }

    /// Whether a decoder detects missing or invalid blocks in a JPEG. A JPEG doesn't contain a checksum, so
    /// damage that results in another valid frame isn't detected. Safe to call from any thread.
    static func isDamaged(_ bytes: SharedBytes) -> Bool {
        media_jpeg_is_damaged(bytes.start.assumingMemoryBound(to: UInt8.self), bytes.count) != 0
    }
}

/// Properties found in the markers of a JPEG (ITU-T T.81, annex B) without decoding it.
package struct JPEGMarkers {
    /// Width × height in pixels, from the frame header.
    package let size: FrameSize
    /// Whether an end-of-image marker follows the scan. Bytes after the marker, which some webcams send, are
    /// ignored.
    package let hasEnd: Bool
    /// Whether black is code 16 and white is code 235, as indicated by a comment segment that FFmpeg writes
    /// and reads. JPEGs without this comment have full range.
    package let isLimitedRange: Bool

    /// The color description of the JPEG.
    package var color: ColorDescription { isLimitedRange ? .bt601Limited : .jpeg }

    /// Reads the markers of a JPEG; `nil` if the bytes don't contain a valid sequence from the start-of-image
    /// marker to the scan.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] == Self.startOfImage else { return nil }
        var position = 2
        var size: FrameSize?
        var isLimitedRange = false
        while true {
            guard let marker = Self.marker(in: bytes, at: &position), position + 2 <= bytes.count else {
                return nil
            }
            let length = Int(bytes[position]) << 8 | Int(bytes[position + 1])
            guard length >= 2, position + length <= bytes.count else { return nil }
            if Self.supportedFrameMarkers.contains(marker) {
                guard length >= 8, size == nil else { return nil }
                let height = Int(bytes[position + 3]) << 8 | Int(bytes[position + 4])
                let width = Int(bytes[position + 5]) << 8 | Int(bytes[position + 6])
                size = FrameSize(width: width, height: height)
            }
            if marker == Self.comment,
                bytes[(position + 2)..<(position + length)].starts(with: Self.limitedRange)
            {
                isLimitedRange = true
            }
            position += length
            if marker == Self.startOfScan { break }
        }
        guard let size else { return nil }
        self.size = size
        self.isLimitedRange = isLimitedRange
        hasEnd = Self.hasEndMarker(in: bytes, from: position)
    }

    private static let startOfImage: UInt8 = 0xD8
    private static let endOfImage: UInt8 = 0xD9
    private static let startOfScan: UInt8 = 0xDA
    private static let comment: UInt8 = 0xFE
    private static let limitedRange = Array("CS=ITU601".utf8)
    /// Start-of-frame marker codes of the supported JPEG types: baseline, extended sequential, and
    /// progressive.
    private static let supportedFrameMarkers: ClosedRange<UInt8> = 0xC0...0xC2

    /// Returns the code of the next marker, which must start a segment. Any number of 0xFF fill bytes may
    /// precede the marker code.
    private static func marker(in bytes: UnsafeRawBufferPointer, at position: inout Int) -> UInt8? {
        guard position < bytes.count, bytes[position] == 0xFF else { return nil }
        while position < bytes.count, bytes[position] == 0xFF { position += 1 }
        guard position < bytes.count else { return nil }
        let code = bytes[position]
        position += 1
        // Start-of-image, end-of-image, restart, and TEM markers don't start a segment, and aren't allowed
        // before the scan.
        return code == 0x00 || code == 0x01 || (0xD0...0xD9).contains(code) ? nil : code
    }

    /// Whether an end-of-image marker follows the scan. In scan data, 0xFF is followed by 0 or a restart
    /// marker, so any 0xFFD9 marks the end of the image. The search runs backward because the marker is
    /// nearly always at the end of the data.
    private static func hasEndMarker(in bytes: UnsafeRawBufferPointer, from start: Int) -> Bool {
        guard let base = bytes.baseAddress else { return false }
        return media_has_pair(base + start, bytes.count - start, 0xFF, endOfImage) != 0
    }
}
