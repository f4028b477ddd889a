public import Media
public import Profiles

/// How a composed picture looks besides its layout and cameras: where insets stand, and how frames fill their places.
public struct ProgramLook: Sendable, Equatable {
    /// The corner from which insets are stacked.
    public var corner: ProgramSettings.Corner
    /// An inset's width as a share of the picture's width, 0.05…1.
    public var insetShare: Double
    /// The distance between insets and to the edges, as a share of the picture's width, 0…0.5.
    public var marginShare: Double
    /// Width in pixels of a white frame inside each inset; 0 for none.
    public var border: Int
    /// How frames fill their places; `nil` for what is usual in the layout. Insets are always filled.
    public var filling: FrameLayer.Filling?

    /// Creates a look; by default the one of profiles that say nothing.
    public init(
        corner: ProgramSettings.Corner = .bottomRight, insetShare: Double = 0.25, marginShare: Double = 0.02,
        border: Int = 0, filling: FrameLayer.Filling? = nil
    ) {
        self.corner = corner
        self.insetShare = insetShare
        self.marginShare = marginShare
        self.border = border
        self.filling = filling
    }

    /// Takes the look of a profile's program, for a picture of another size where one is given.
    public init(_ program: ProgramSettings, size: FrameSize? = nil) {
        self.init(
            corner: program.corner, insetShare: program.insetShare, marginShare: program.marginShare,
            border: Self.border(program.border, from: program.size, to: size ?? program.size),
            filling: program.filling)
    }

    /// The even width in pixels of a border in a picture of another size.
    static func border(_ width: Int, from size: FrameSize, to other: FrameSize) -> Int {
        guard size != other else { return width }
        let scaled = width.multipliedReportingOverflow(by: other.width)
        return scaled.overflow ? 0 : scaled.partialValue / max(1, size.width) / 2 * 2
    }
}
