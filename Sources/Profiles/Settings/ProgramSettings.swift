public import Media

/// The composed frame with the mixed audio, as a profile asks for it.
public struct ProgramSettings: Sendable, Equatable {
    /// How the cameras are placed in the program's frame.
    public enum Layout: String, Sendable, Codable, CaseIterable {
        /// Picture-in-picture: the main camera fills the frame, and insets are stacked over it from a corner.
        case pip
        /// Equal columns, the main camera first.
        case sideBySide = "side-by-side"
        /// Equal cells, row by row, the main camera first.
        case grid
        /// The main camera alone.
        case single
    }

    /// A corner of the program's frame.
    public enum Corner: String, Sendable, Codable, CaseIterable {
        case topLeft = "top-left"
        case topRight = "top-right"
        case bottomLeft = "bottom-left"
        case bottomRight = "bottom-right"
    }

    /// Who decides what the program shows while it is recorded.
    public enum Cutting: String, Sendable, CaseIterable {
        /// A person, by commands.
        case person
        /// Whoever speaks is shown; a person may take over.
        case voice
    }

    /// The frame's size in pixels; width and height are even, 64…8192 each.
    public var size: FrameSize
    /// The program's frame rate.
    public var rate: FrameRate
    /// How the cameras are placed in the frame.
    public var layout: Layout
    /// The role of the main camera.
    public var main: String
    /// Roles of the other cameras that are shown, in order: from the corner on, or after the main one.
    public var insets: [String]
    /// The corner from which insets are stacked.
    public var corner: Corner
    /// An inset's width as a share of the program's width, 0.05…1.
    public var insetShare: Double
    /// The distance between insets and to the edges, as a share of the program's width, 0…0.5.
    public var marginShare: Double
    /// Width in pixels of a white frame inside each inset, 0…64.
    public var border: Int
    /// How a frame of another shape fills the main camera's place or a cell. Insets have their frame's shape.
    public var filling: FrameLayer.Filling
    /// Whether JPEGs are decoded at half of the size at which they are shown.
    public var isCoarse = false
    /// Who cuts the program while it is recorded.
    public var cutting = Cutting.person
    /// Length of the shortest shot of a cut by voice.
    public var shortestShot = Nanoseconds.seconds(2)
    /// How the frames are encoded.
    public var video: VideoSettings
    /// The microphones in the mix, and how the audio is encoded.
    public var audio: AudioSettings

    /// Creates a program; without a `filling` it has the usual one of its layout.
    public init(
        size: FrameSize = FrameSize(width: 1920, height: 1080), rate: FrameRate = FrameRate(30),
        layout: Layout, main: String, insets: [String] = [], corner: Corner = .bottomRight,
        insetShare: Double = 0.25,
        marginShare: Double = 0.02, border: Int = 0, filling: FrameLayer.Filling? = nil,
        video: VideoSettings = VideoSettings(), audio: AudioSettings = AudioSettings()
    ) {
        self.size = size
        self.rate = rate
        self.layout = layout
        self.main = main
        self.insets = insets
        self.corner = corner
        self.insetShare = insetShare
        self.marginShare = marginShare
        self.border = border
        self.filling = filling ?? layout.usualFilling
        self.video = video
        self.audio = audio
    }

    /// Roles of the cameras that are shown, the main one first.
    public var shown: [String] { layout == .single ? [main] : [main] + insets }
}

extension ProgramSettings.Layout {
    /// The filling where a profile names none: frames are shown whole in `pip` and `single`, and cut in cells, as black beside
    /// every frame would waste most of the program.
    public var usualFilling: FrameLayer.Filling {
        switch self {
        case .pip, .single: .fit
        case .sideBySide, .grid: .fill
        }
    }
}
