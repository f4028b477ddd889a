/// Composes layers and encodes the result. Made by the session, then used by one thread alone.
public protocol VideoEncoding: AnyObject {
    var parameters: StreamParameters { get }

    /// Composes and encodes the frame of a tick, the first 0, each one higher than the last.
    ///
    /// A layer whose JPEG turns out damaged keeps what its rectangle held.
    /// - Returns: The packets that are ready, in decoding order, and the indices of the layers that could not be decoded.
    func encode(_ layers: [FrameLayer], tick: Int64) throws(EncodingError) -> EncodedFrames

    /// Encodes the frame of the last tick once more, without decoding or composing anew.
    func repeatLast(tick: Int64) throws(EncodingError) -> EncodedFrames

    /// Encodes the frame of the last tick once more for each tick of a run.
    ///
    /// A long run must not cost much more than `FrameRun.longestSingly` ticks do, however long it is: an encoder that has
    /// fallen behind catches up by it.
    ///
    /// - Parameter ticks: In a row, the first higher than the last tick that was encoded.
    /// - Returns: The packets that are ready, in decoding order.
    /// - Throws: When the encoder fails. Packets of the run may be lost with it.
    func repeatLast(ticks: Range<Int64>) throws(EncodingError) -> EncodedFrames

    /// Makes the next encoded frame one that a file can begin with (H.264: an IDR frame).
    func requestKeyFrame()

    /// Goes on with another preset in the same stream, with a key frame. A file of it needs nothing new: its parameter sets
    /// stay as they are.
    ///
    /// - Returns: What was still inside.
    /// - Throws: When the codec cannot go on so; then it goes on as it was.
    func change(to preset: VideoEncodingSettings.Preset) throws(EncodingError) -> [EncodedPacket]

    /// Encodes what is still inside.
    func finish() throws(EncodingError) -> [EncodedPacket]

    /// What encodes now, where it is not x264.
    var hardware: HardwareEncoder? { get }

    /// Why x264 encodes what hardware was to, told once.
    func takeFallback() -> EncoderFallback?
}

extension VideoEncoding {
    /// Encodes a run tick by tick: for encoders to which a repeat costs next to nothing.
    ///
    /// - Parameter ticks: In a row.
    /// - Returns: The packets that are ready, in decoding order.
    /// - Throws: When the encoder fails.
    public func repeatLast(ticks: Range<Int64>) throws(EncodingError) -> EncodedFrames {
        var packets: [EncodedPacket] = []
        for tick in ticks { packets += try repeatLast(tick: tick).packets }
        return EncodedFrames(packets: packets)
    }

    public var hardware: HardwareEncoder? { nil }
    public func takeFallback() -> EncoderFallback? { nil }
}

public struct EncodedFrames: Sendable {
    public let packets: [EncodedPacket]
    public let damagedLayers: [Int]

    public init(packets: [EncodedPacket], damagedLayers: [Int] = []) {
        self.packets = packets
        self.damagedLayers = damagedLayers
    }
}

/// How a video stream is encoded.
public struct VideoEncodingSettings: Sendable, Equatable, Codable {
    /// How x264 spends its time, fastest first: its presets, of which slower ones gain little at this job, and one of our own.
    public enum Preset: String, Sendable, Codable, CaseIterable {
        case ultrafast
        /// What pays with cameras' noise and rooms that stand still (measured in docs/performance.md): as like to the original as
        /// `superfast`, at three quarters of its time.
        case balanced
        case superfast, veryfast
    }

    public var size: FrameSize
    public var rate: FrameRate
    public var preset: Preset
    /// x264's constant rate factor, 0…51, lower is better. Hardware: see `hardware`.
    public var quality: Int
    /// What the encoded pixels mean; sources are converted to it. `nil` keeps the first frame's.
    public var color: ColorDescription?
    /// What encodes instead of x264. The preset means nothing to it, and the quality as much as its rate control allows:
    /// a quantiser near that number (`EncoderDialect`).
    public var hardware: HardwareEncoder?
    /// Whether a stream that its hardware refuses at the start is an error; else x264 encodes it.
    public var isHardwareRequired: Bool

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
