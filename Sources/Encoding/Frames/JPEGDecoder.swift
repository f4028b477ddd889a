internal import CMedia
import Media

/// Decodes JPEGs into planes, at full size or at a cheaper reduced scale. Used by one thread alone.
///
/// JPEGs without Huffman tables, as old webcams make them, get the standard tables from libjpeg-turbo.
final class JPEGDecoder {
    private var handle: tjhandle?

    /// The fields of a JPEG header that decoding needs.
    struct Header {
        let size: FrameSize
        fileprivate let sampling: Int32

        /// Binary logarithms of the chroma subsampling, horizontal and vertical; `nil` for grey and unknown samplings.
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

        /// The raw pixel format with the JPEG's own sampling; `nil` where there is none.
        var sharedPixel: PixelFormat? {
            switch TJSAMP(UInt32(sampling)) {
            case TJSAMP_422: .i422
            case TJSAMP_420: .i420
            default: nil
            }
        }

        /// The sampling as a value of turbojpeg's `TJSAMP`.
        var turboJPEG: Int32 { sampling }
    }

    init() {
        handle = tjInitDecompress()
    }

    deinit {
        if let handle { tjDestroy(handle) }
    }

    /// Reads the header.
    ///
    /// - Returns: `nil` for bytes that are no JPEG, or one of a kind that no camera makes (CMYK, unknown sampling).
    func header(of bytes: SharedBytes) -> Header? {
        var (width, height, sampling, space): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        let start = bytes.start.assumingMemoryBound(to: UInt8.self)
        let result = tjDecompressHeader3(handle, start, UInt(bytes.count), &width, &height, &sampling, &space)
        if result != 0 {
            // A broken header leaves libjpeg-turbo 2.1 in the middle of it, where every following frame fails too. One
            // that is only complained of is read to its end: then the size below is known.
            if let handle { tjDestroy(handle) }
            handle = tjInitDecompress()
        }
        let knownSpaces = [Int32(TJCS_YCbCr.rawValue), Int32(TJCS_GRAY.rawValue)]
        guard (0..<Int32(TJ_NUMSAMP)).contains(sampling), knownSpaces.contains(space),
            (1...16384).contains(width), (1...16384).contains(height)
        else { return nil }
        return Header(size: FrameSize(width: Int(width), height: Int(height)), sampling: sampling)
    }

    /// Decodes into planes of exactly the scaled size and the JPEG's own sampling.
    ///
    /// Some cameras' frames all make libjpeg-turbo complain without being damaged; they cost half as much again.
    ///
    /// - Returns: Whether the JPEG was whole. When not, parts of the planes are garbage.
    func decode(_ bytes: SharedBytes, _ header: Header, into target: Planes) -> Bool {
        var planes: [UnsafeMutablePointer<UInt8>?] = [target.y, target.u, target.v]
        var strides = [Int32(target.yStride), Int32(target.uStride), Int32(target.vStride)]
        let result = tjDecompressToYUVPlanes(
            handle, bytes.start.assumingMemoryBound(to: UInt8.self), UInt(bytes.count), &planes,
            Int32(target.size.width), &strides, Int32(target.size.height), 0)
        return result == 0 || !Self.isDamaged(bytes)
    }

    /// Decodes the luma alone, at one of the scales, into rows without padding.
    ///
    /// - Returns: Whether the JPEG was whole.
    func decodeLuma(_ bytes: SharedBytes, _ size: FrameSize, into target: UnsafeMutablePointer<UInt8>)
        -> Bool
    {
        let result = tjDecompress2(
            handle, bytes.start.assumingMemoryBound(to: UInt8.self), UInt(bytes.count), target,
            Int32(size.width), Int32(size.width), Int32(size.height), Int32(TJPF_GRAY.rawValue), 0)
        return result == 0 || !Self.isDamaged(bytes)
    }

    /// Whether blocks are missing or wrong, as far as a decoder can tell: a JPEG has no checksum, so damage that
    /// happens to be another valid frame stays undetected. On any thread.
    static func isDamaged(_ bytes: SharedBytes) -> Bool {
        media_jpeg_is_damaged(bytes.start.assumingMemoryBound(to: UInt8.self), bytes.count) != 0
    }
}
