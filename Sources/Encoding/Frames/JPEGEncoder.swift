internal import CMedia
public import Media

/// Turns planes of Y, Cb and Cr into baseline JPEGs with the standard Huffman tables (ITU-T T.81, annex K.3), so that
/// the tables of any two are the same. Used by one thread alone.
public final class JPEGEncoder {
    private let handle: tjhandle?
    private let quality: Int
    private var scratch = SharedBytes(count: 0)

    /// - Parameter quality: 1…100, as libjpeg counts.
    public init(quality: Int = 90) {
        precondition((1...100).contains(quality), "JPEG quality is 1…100")
        handle = tjInitCompress()
        self.quality = quality
    }

    deinit {
        if let handle { tjDestroy(handle) }
    }

    /// Encodes a full-range BT.601 frame (JFIF) in one pass.
    ///
    /// - Parameters:
    ///   - y: One byte a pixel.
    ///   - yStride: Bytes from row to row, as the other strides.
    ///   - u: Cb, of the size that `chroma` says, odd sides rounded up.
    ///   - uStride: Of Cb.
    ///   - v: Cr, of the size of `u`.
    ///   - vStride: Of Cr.
    ///   - size: In pixels, of the luma plane.
    ///   - chroma: How many pixels share a colour sample.
    /// - Returns: A whole JPEG.
    /// - Throws: When libjpeg-turbo refuses the frame, with its reason.
    public func encode(
        planes y: UnsafePointer<UInt8>, yStride: Int, u: UnsafePointer<UInt8>, uStride: Int,
        v: UnsafePointer<UInt8>,
        vStride: Int, size: FrameSize, chroma: ChromaSampling
    ) throws(EncodingError) -> SharedBytes {
        try encode([y, u, v], strides: [yStride, uStride, vStride], size: size, sampling: chroma.turboJPEG)
    }

    /// - Parameters:
    ///   - planes: Y, Cb and Cr. Grey needs Y only.
    ///   - strides: Bytes from row to row, one a plane.
    ///   - size: In pixels, of the luma plane.
    ///   - sampling: One of turbojpeg's `TJSAMP_` values.
    /// - Returns: A whole JPEG.
    /// - Throws: When libjpeg-turbo refuses the frame, with its reason.
    func encode(
        _ planes: [UnsafePointer<UInt8>], strides: [Int], size: FrameSize, sampling: Int32
    ) throws(EncodingError) -> SharedBytes {
        let (width, height) = (Int32(size.width), Int32(size.height))
        let needed = Int(tjBufSize(width, height, sampling))
        if scratch.count < needed { scratch = SharedBytes(count: needed) }
        var sources = planes.map { Optional($0) }
        let strides = strides.map { Int32($0) }
        var start: UnsafeMutablePointer<UInt8>? = scratch.start.assumingMemoryBound(to: UInt8.self)
        var count = UInt(scratch.count)
        let result = tjCompressFromYUVPlanes(
            handle, &sources, width, strides, height, sampling, &start, &count, Int32(quality),
            TJFLAG_NOREALLOC)
        guard result == 0 else {
            throw EncodingError(
                subject: "a JPEG of \(size)", operation: "tjCompressFromYUVPlanes",
                reason: String(cString: tjGetErrorStr2(handle)))
        }
        return SharedBytes(copying: UnsafeRawBufferPointer(start: scratch.start, count: Int(count)))
    }
}
