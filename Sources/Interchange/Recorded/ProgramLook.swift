internal import Media
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

    /// Creates a look; by default the one of profiles that say nothing.
    public init(
        corner: ProgramSettings.Corner = .bottomRight, insetShare: Double = 0.25, marginShare: Double = 0.02,
        border: Int = 0
    ) {
        self.corner = corner
        self.insetShare = insetShare
        self.marginShare = marginShare
        self.border = border
    }

    /// Takes the look of a profile's program.
    public init(_ program: ProgramSettings) {
        self.init(
            corner: program.corner, insetShare: program.insetShare, marginShare: program.marginShare,
            border: program.border)
    }
}
