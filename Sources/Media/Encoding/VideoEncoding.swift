/// Composes layers into a frame and encodes it. The session creates the encoder, and only one thread uses it
/// afterwards.
package protocol VideoEncoding: AnyObject {
    /// Codec, size, rate, color, and setup bytes of the stream, for the file that receives the packets.
    var parameters: StreamParameters { get }

    /// Composes the layers, with the first at the bottom, and encodes the frame for a tick.
    ///
    /// Ticks are numbered from 0, and each call requires a higher tick than the previous call. If a layer's
    /// JPEG is damaged, its rectangle keeps the previous content.
    ///
    /// - Parameters:
    ///   - layers: The layers, from bottom to top.
    ///   - tick: The tick, which must be higher than the last encoded tick.
    /// - Returns: The finished packets in decoding order, and the indices of the layers that couldn't be
    ///   decoded.
    /// - Throws: `EncodingError` if the encoder fails.
    func encode(_ layers: [FrameLayer], tick: Int64) throws(EncodingError) -> EncodedFrames

    /// Encodes the last tick's frame again, without decoding or composing it again.
    ///
    /// - Parameter tick: The tick, which must be higher than the last encoded tick.
    /// - Returns: The finished packets, in decoding order.
    /// - Throws: `EncodingError` if the encoder fails.
    func repeatLast(tick: Int64) throws(EncodingError) -> EncodedFrames

    /// Encodes the last tick's frame again for each tick in a run.
    ///
    /// A long run must not cost much more than `FrameRun.maxIndividualRepeats` ticks, regardless of its
    /// length. This limit on the cost lets an encoder that has fallen behind catch up.
    ///
    /// - Parameter ticks: Consecutive ticks; the first must be higher than the last encoded tick.
    /// - Returns: The finished packets, in decoding order.
    /// - Throws: `EncodingError` if the encoder fails. If encoding fails, packets from the run may be lost.
    func repeatLast(ticks: Range<Int64>) throws(EncodingError) -> EncodedFrames

    /// Makes the next encoded frame a key frame that can start a file (H.264: an IDR frame).
    func requestKeyFrame()

    /// Continues the same stream with another preset, beginning with a key frame. The parameter sets don't
    /// change, so the stream can continue in the same file.
    ///
    /// - Returns: The packets that were still buffered.
    /// - Throws: `EncodingError` if the codec can't change; the stream then continues with the previous
    ///   preset.
    func changePreset(to preset: VideoEncodingSettings.Preset) throws(EncodingError) -> [EncodedPacket]

    /// Ends the stream after encoding the remaining frames.
    ///
    /// - Parameter isAbandoned: Called before each remaining frame is encoded. When the closure returns
    ///   `true`, the remaining frames are dropped. A hardware encoder always encodes its few remaining
    ///   frames.
    /// - Returns: The last packets, in decoding order.
    /// - Throws: `EncodingError` if the encoder fails.
    func finish(unless isAbandoned: () -> Bool) throws(EncodingError) -> [EncodedPacket]

    /// Returns the most recently composed frame as an I420 frame that owns its memory; `nil` before the first
    /// frame, or if the encoder doesn't keep composed frames. Call this method on the encoder's thread,
    /// between two calls of `encode`.
    ///
    /// - Parameters:
    ///   - time: The frame's time on the session clock.
    ///   - sequence: The frame's number.
    /// - Returns: The composed frame; `nil` if it isn't available.
    func composedFrame(at time: ClockTime, sequence: Int64) -> CapturedFrame?

    /// The hardware encoder in use, or `nil` if x264 is in use.
    var hardware: HardwareEncoder? { get }

    /// Returns the reason why x264 is encoding instead of the hardware encoder. The reason is returned only
    /// once. All other calls return `nil`.
    func dequeueFallback() -> EncoderFallback?
}

extension VideoEncoding {
    /// Ends the stream after encoding all remaining frames.
    ///
    /// - Returns: The last packets, in decoding order.
    /// - Throws: `EncodingError` if the encoder fails.
    package func finish() throws(EncodingError) -> [EncodedPacket] { try finish(unless: { false }) }

    /// Encodes a run of ticks one by one, for encoders that can repeat a frame at almost no cost.
    ///
    /// - Parameter ticks: Consecutive ticks; the first must be higher than the last encoded tick.
    /// - Returns: The finished packets, in decoding order.
    /// - Throws: `EncodingError` if the encoder fails.
    package func repeatLast(ticks: Range<Int64>) throws(EncodingError) -> EncodedFrames {
        var packets: [EncodedPacket] = []
        for tick in ticks { packets += try repeatLast(tick: tick).packets }
        return EncodedFrames(packets: packets)
    }

    /// Always `nil`: the encoder doesn't keep frames.
    package func composedFrame(at time: ClockTime, sequence: Int64) -> CapturedFrame? { nil }
    /// Always `nil`: the encoder doesn't use hardware.
    package var hardware: HardwareEncoder? { nil }
    /// Always `nil`: the encoder uses no hardware that could fail.
    package func dequeueFallback() -> EncoderFallback? { nil }
}

/// Result of encoding one tick or a run of ticks.
package struct EncodedFrames: Sendable {
    /// Finished packets, in decoding order; the packets may belong to earlier ticks.
    package let packets: [EncodedPacket]
    /// Indices of the layers that couldn't be decoded.
    package let damagedLayers: [Int]

    /// Creates a result from an encoder's output.
    package init(packets: [EncodedPacket], damagedLayers: [Int] = []) {
        self.packets = packets
        self.damagedLayers = damagedLayers
    }
}

/// Video encoding settings: size, rate, speed, quality, color, and the encoder to use.
public struct VideoEncodingSettings: Sendable, Equatable, Codable {
    /// Encoding speeds of x264, fastest first: three standard x264 presets and `balanced`. Slower presets
    /// offer little benefit for live recording.
    public enum Preset: String, Sendable, Codable, CaseIterable {
        case ultrafast
        /// A preset for camera noise and static scenes. The output is as close to the original as with
        /// `superfast`, and encoding takes three quarters of the time (measured in docs/performance.md).
        case balanced
        case superfast, veryfast
    }

    /// Width and height of the encoded frames in pixels, both even.
    public var size: FrameSize
    /// Rate of the frame grid.
    public var rate: FrameRate
    /// Encoding speed of x264.
    public var preset: Preset
    /// x264's constant rate factor, 0…51; lower is better. Hardware encoders use a quantizer close to this
    /// number.
    public var quality: Int
    /// Color matrix and range of the encoded pixels. Frames with a different color description are converted.
    /// If the value is `nil`, the first frame's color description is used.
    public var color: ColorDescription?
    /// The hardware encoder to use instead of x264; `nil` for x264. Hardware encoders ignore the preset, and
    /// their rate control approximates the quality (`EncoderOptions`).
    package var hardware: HardwareEncoder?
    /// Whether rejection of the stream by the hardware at the start is treated as an error. If `false`, x264
    /// encodes the stream instead.
    public var isHardwareRequired: Bool

    /// Creates settings for x264.
    ///
    /// - Parameters:
    ///   - size: Width and height of the encoded frames in pixels, both even.
    ///   - rate: Rate of the frame grid.
    ///   - preset: Encoding speed of x264.
    ///   - quality: x264's constant rate factor, 0…51; lower is better.
    public init(size: FrameSize, rate: FrameRate, preset: Preset = .balanced, quality: Int = 23) {
        self.init(size: size, rate: rate, preset: preset, quality: quality, hardware: nil)
    }

    /// Creates video encoding settings; the default is x264 at `balanced`, quality 23, in BT.709 limited
    /// range.
    package init(
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

/// Boundary between short and long runs of duplicated ticks.
package enum FrameRun {
    /// Longest run of ticks that an encoder repeats one by one. Encoding a longer run doesn't cost much more
    /// than encoding this number of ticks (`VideoEncoding.repeatLast(ticks:)`).
    package static let maxIndividualRepeats = 8
}
