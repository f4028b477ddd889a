internal import CMulticamMedia
package import MulticamMedia

/// Encodes H.264 like a camera's stream or for live output. Every frame is returned immediately. Not
/// thread-safe: use it from one thread only.
package final class H264Encoder {
    private let stream: X264Stream
    private let size: FrameSize
    private let frame: OwnedFrame
    private let subject: String

    /// Opens x264 with settings that imitate a camera, including a key frame every second.
    ///
    /// - Parameters:
    ///   - size: Width × height in pixels, both even.
    ///   - rate: Frame rate of the stream. The ticks passed to `encode` are counted at this rate.
    ///   - preset: Tradeoff between speed and size, as in x264's presets.
    ///   - annexB: Whether each key frame contains the parameter sets, as in a camera's byte stream. If
    ///     `false`, only `parameters` contains the parameter sets. The packets have start codes in both
    ///     cases.
    ///   - quality: x264's constant rate factor, 0…51, lower is better.
    ///   - color: Color description of the frames, which is written to the stream.
    /// - Throws: An error if the width or height is odd, or x264 is missing, rejects the settings, or can't allocate
    ///   memory.
    package init(
        size: FrameSize, rate: FrameRate, preset: VideoEncodingSettings.Preset = .ultrafast,
        annexB: Bool = true,
        quality: Int = 23, color: ColorDescription = .bt709Limited
    ) throws(EncodingError) {
        self.size = size
        subject = "a virtual H.264 camera"
        frame = try OwnedFrame(subject)
        stream = try X264Stream(
            subject, size: size, rate: rate, preset: preset, quality: quality, color: color,
            purpose: .camera(parameterSetsInBand: annexB))
    }

    /// Opens x264 for live output, with a key frame every two seconds and no B-frames. The packets don't contain
    /// parameter sets; use `parameters`.
    ///
    /// - Parameters:
    ///   - name: Name of the live output, used in messages.
    ///   - size: Width × height in pixels, both even.
    ///   - rate: Frame rate of the stream. The ticks passed to `encode` are counted at this rate.
    ///   - bitrate: Bit rate in bits per second. The bit rate within any one-second interval exceeds this
    ///     value only slightly.
    ///   - color: Color description of the frames, which is written to the stream.
    /// - Throws: An error if the width or height is odd, or x264 is missing, rejects the settings, or can't allocate
    ///   memory.
    package init(
        live name: String, size: FrameSize, rate: FrameRate, bitrate: Int, color: ColorDescription
    ) throws(EncodingError) {
        self.size = size
        subject = name
        frame = try OwnedFrame(name)
        stream = try X264Stream(
            name, size: size, rate: rate, preset: .superfast, quality: 23, color: color,
            purpose: .live(bitrate: bitrate))
    }

    /// Changes the bit rate of live output, in bits per second, starting with the next frame. The stream
    /// isn't interrupted.
    package func change(bitrate: Int) { stream.change(bitrate: bitrate) }

    /// Description of the stream for a file. A tick lasts `rate.seconds` units of the time scale `rate.frames`.
    package var parameters: StreamParameters { stream.parameters }

    /// Encodes a frame without copying it first.
    ///
    /// - Parameters:
    ///   - memory: Memory with the three planes of an I420 frame of the encoder's size.
    ///   - planes: Layout of Y, Cb, and Cr in `memory`, as exactly three elements.
    ///   - tick: Tick of the frame, higher than the previous one.
    ///   - asKey: Whether the frame must be a key frame.
    /// - Returns: One packet, the access unit of this frame.
    /// - Throws: An error if memory allocation fails or x264 fails.
    package func encode(
        i420 memory: SharedBytes, planes: [FramePlane], tick: Int64, asKey: Bool = false
    ) throws(EncodingError) -> [EncodedPacket] {
        precondition(planes.count == 3, "an I420 frame must have three planes")
        let held = Unmanaged.passRetained(memory)
        let start = memory.start.assumingMemoryBound(to: UInt8.self)
        let buffer = av_buffer_create(
            start, memory.count,
            { holder, _ in if let holder { Unmanaged<SharedBytes>.fromOpaque(holder).release() } },
            held.toOpaque(), AV_BUFFER_FLAG_READONLY)
        guard let buffer else {
            held.release()
            throw .outOfMemory(subject, "av_buffer_create")
        }
        let lent = frame.pointer
        defer { av_frame_unref(lent) }
        lent.pointee.buf.0 = buffer
        lent.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        lent.pointee.width = Int32(size.width)
        lent.pointee.height = Int32(size.height)
        lent.pointee.data.0 = start + planes[0].offset
        lent.pointee.data.1 = start + planes[1].offset
        lent.pointee.data.2 = start + planes[2].offset
        lent.pointee.linesize.0 = Int32(planes[0].stride)
        lent.pointee.linesize.1 = Int32(planes[1].stride)
        lent.pointee.linesize.2 = Int32(planes[2].stride)
        return try stream.encode(lent, tick: tick, asKey: asKey)
    }
}
