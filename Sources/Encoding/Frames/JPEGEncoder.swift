internal import CMedia
public import Media

/// Encodes planes of Y, Cb and Cr as baseline JPEGs with the standard Huffman tables (ITU-T T.81, annex K.3), so that
/// all JPEGs have the same tables. Used by one thread alone.
public final class JPEGEncoder {
    private let handle: tjhandle?
    private let quality: Int
    private var scratch = SharedBytes(count: 0)

    /// Makes an encoder.
    ///
    /// - Parameter quality: JPEG quality of 1…100, as libjpeg counts.
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
    ///   - y: The first luma sample, one byte per pixel.
    ///   - yStride: Bytes from one row of `y` to the next.
    ///   - u: The first Cb sample, in the resolution that `chroma` says, odd sides rounded up.
    ///   - uStride: Bytes from one row of `u` to the next.
    ///   - v: The first Cr sample, in the resolution of `u`.
    ///   - vStride: Bytes from one row of `v` to the next.
    ///   - size: Width × height of the luma plane in pixels.
    ///   - chroma: Resolution of `u` and `v`.
    /// - Returns: A whole JPEG.
    /// - Throws: When libjpeg-turbo refuses the frame, with its reason.
    public func encode(
        planes y: UnsafePointer<UInt8>, yStride: Int, u: UnsafePointer<UInt8>, uStride: Int,
        v: UnsafePointer<UInt8>,
        vStride: Int, size: FrameSize, chroma: ChromaSampling
    ) throws(EncodingError) -> SharedBytes {
        try encode([y, u, v], strides: [yStride, uStride, vStride], size: size, sampling: chroma.turboJPEG)
    }

    /// Encodes planes of any sampling.
    ///
    /// - Parameters:
    ///   - planes: The first samples of Y, Cb and Cr; grey needs Y only.
    ///   - strides: Bytes from one row to the next, for each plane.
    ///   - size: Width × height of the luma plane in pixels.
    ///   - sampling: A value of turbojpeg's `TJSAMP`.
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
