/// The performance of a hardware encoder, as its trial measured it.
public struct EncoderFigures: Sendable, Equatable, Codable {
    /// The sizes that it encoded correctly in the trial; it is given nothing larger.
    public var sizes: [FrameSize]
    /// Pixels a second that it sustains, over all its streams together.
    public var pixelsPerSecond: Double
    /// Number of streams that it encoded at once, at most as many as were tried.
    public var streams: Int
    /// Processor time that a frame still takes: copying it, and the driver. Its units are pixels.
    public var processor: CostTable.Entry
    /// The lowest luma PSNR of a frame in decibels, at quality 23.
    public var lowestPSNR: Double
    /// Whether its stream does not say what its colours mean, so that this program writes that into it.
    public var lacksColorTags: Bool

    /// Makes figures from the results of a trial.
    public init(
        sizes: [FrameSize], pixelsPerSecond: Double, streams: Int, processor: CostTable.Entry,
        lowestPSNR: Double, lacksColorTags: Bool
    ) {
        self.sizes = sizes
        self.pixelsPerSecond = pixelsPerSecond
        self.streams = streams
        self.processor = processor
        self.lowestPSNR = lowestPSNR
        self.lacksColorTags = lacksColorTags
    }

    /// Whether it encoded frames at least as wide and as high.
    public func covers(_ size: FrameSize) -> Bool {
        sizes.contains { $0.width >= size.width && $0.height >= size.height }
    }
}
