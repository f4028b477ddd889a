/// Composes layers into a frame and encodes it. Made by the session, then used by one thread alone.
public protocol VideoEncoding: AnyObject {
    /// The stream's codec, size, rate, colour and setup bytes, for the file that takes the packets.
    var parameters: StreamParameters { get }

    /// Composes the layers, the first at the bottom, and encodes the frame of a tick.
    ///
    /// Ticks count from 0, and each is higher than the last. A layer whose JPEG turns out damaged keeps what its rectangle
    /// held.
    ///
    /// - Parameters:
    ///   - layers: From bottom to top.
    ///   - tick: Higher than the last one that was encoded.
    /// - Returns: The packets that are ready, in decoding order, and the indices of the layers that could not be decoded.
    /// - Throws: `EncodingError` when the encoder fails.
    func encode(_ layers: [FrameLayer], tick: Int64) throws(EncodingError) -> EncodedFrames

    /// Encodes the frame of the last tick once more, without decoding or composing anew.
    ///
    /// - Parameter tick: Higher than the last one that was encoded.
    /// - Returns: The packets that are ready, in decoding order.
    /// - Throws: `EncodingError` when the encoder fails.
    func repeatLast(tick: Int64) throws(EncodingError) -> EncodedFrames

    /// Encodes the frame of the last tick once more for each tick of a run.
    ///
    /// A long run must not cost much more than `FrameRun.longestSingly` ticks do, however long it is: an encoder that has
    /// fallen behind catches up by it.
    ///
    /// - Parameter ticks: Consecutive ticks, the first higher than the last one that was encoded.
    /// - Returns: The packets that are ready, in decoding order.
    /// - Throws: `EncodingError` when the encoder fails. Packets of the run may be lost with it.
    func repeatLast(ticks: Range<Int64>) throws(EncodingError) -> EncodedFrames

    /// Makes the next encoded frame one that a file can begin with (H.264: an IDR frame).
    func requestKeyFrame()

    /// Continues the same stream with another preset, beginning with a key frame. The parameter sets stay as they are, so a
    /// file goes on unchanged.
    ///
    /// - Returns: The packets that were still inside.
    /// - Throws: `EncodingError` when the codec cannot change; the stream then goes on with the preset before.
    func change(to preset: VideoEncodingSettings.Preset) throws(EncodingError) -> [EncodedPacket]

    /// Ends the stream, and encodes what is still inside.
    ///
    /// - Returns: The last packets, in decoding order.
    /// - Throws: `EncodingError` when the encoder fails.
    func finish() throws(EncodingError) -> [EncodedPacket]

    /// The frame that was composed last, as I420 in memory of its own; `nil` before the first one, and where the encoder keeps
    /// none. To be called between two calls of `encode`, by the encoder's thread.
    ///
    /// - Parameters:
    ///   - time: The frame's time on the session clock.
    ///   - sequence: The frame's number.
    /// - Returns: The frame, or `nil`.
    func composedFrame(at time: ClockTime, sequence: Int64) -> CapturedFrame?

    /// The hardware encoder that encodes now, or `nil` when x264 does.
    var hardware: HardwareEncoder? { get }

    /// Returns once why x264 encodes what hardware should have encoded; `nil` afterwards, and where nothing fell back.
    func takeFallback() -> EncoderFallback?
}

extension VideoEncoding {
    /// Encodes a run tick by tick: for encoders to which a repeat costs next to nothing.
    ///
    /// - Parameter ticks: Consecutive ticks, the first higher than the last one that was encoded.
    /// - Returns: The packets that are ready, in decoding order.
    /// - Throws: `EncodingError` when the encoder fails.
    public func repeatLast(ticks: Range<Int64>) throws(EncodingError) -> EncodedFrames {
        var packets: [EncodedPacket] = []
        for tick in ticks { packets += try repeatLast(tick: tick).packets }
        return EncodedFrames(packets: packets)
    }

    /// Always `nil`: the encoder keeps no frame.
    public func composedFrame(at time: ClockTime, sequence: Int64) -> CapturedFrame? { nil }
    /// Always `nil`: the encoder uses no hardware.
    public var hardware: HardwareEncoder? { nil }
    /// Always `nil`: the encoder uses no hardware that could fail.
    public func takeFallback() -> EncoderFallback? { nil }
}

/// The result of encoding one tick or a run of ticks.
public struct EncodedFrames: Sendable {
    /// The packets that became ready, in decoding order; they may belong to earlier ticks.
    public let packets: [EncodedPacket]
    /// Indices of the layers whose frames could not be decoded.
    public let damagedLayers: [Int]

    /// Makes a result from an encoder's output.
    public init(packets: [EncodedPacket], damagedLayers: [Int] = []) {
        self.packets = packets
        self.damagedLayers = damagedLayers
    }
}

/// How a video stream is encoded: size, rate, speed, quality, colour, and by which encoder.
public struct VideoEncodingSettings: Sendable, Equatable, Codable {
    /// The speed of x264, fastest first: three of its own presets and `balanced`. Slower ones gain little at this job.
    public enum Preset: String, Sendable, Codable, CaseIterable {
        case ultrafast
        /// A preset made for cameras' noise and rooms that stand still: as close to the original as `superfast`, in three
        /// quarters of its time (measured in docs/performance.md).
        case balanced
        case superfast, veryfast
    }

    /// Width and height of the encoded frames in pixels, both even.
    public var size: FrameSize
    /// The rate of the grid that the frames lie on.
    public var rate: FrameRate
    /// The speed of x264.
    public var preset: Preset
    /// x264's constant rate factor, 0…51; lower is better. Hardware encoders use a quantiser near that number.
    public var quality: Int
    /// The colour matrix and range of the encoded pixels, to which sources are converted; `nil` keeps those of the first
    /// frame.
    public var color: ColorDescription?
    /// The hardware encoder that encodes in place of x264; `nil` for x264. It ignores the preset, and meets the quality as
    /// well as its rate control allows: with a quantiser near that number (`EncoderDialect`).
    public var hardware: HardwareEncoder?
    /// Whether it is an error when the hardware refuses the stream at its start; otherwise x264 encodes it.
    public var isHardwareRequired: Bool

    /// Makes settings; by default x264 at `balanced`, quality 23, in BT.709 limited range.
    public init(
        size: FrameSize, rate: FrameRate, preset: Preset = .balanced, quality: Int = 23,
        color: ColorDescription? = .bt709Limited, hardware: HardwareEncoder? = nil,
        isHardwareRequired: Bool = false
    ) {
        self.size = size
        self.rate = rate
        self.preset = preset
        self.quality = quality
        self.color = color
        self.hardware = hardware
        self.isHardwareRequired = isHardwareRequired
    }
}
