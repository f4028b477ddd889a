public import Media

/// The composed frame with the mixed audio, as a profile asks for it.
public struct ProgramSettings: Sendable, Equatable {
    public enum Layout: String, Sendable, Codable, CaseIterable {
        /// The main camera fills the frame, insets lie over a corner.
        case pip
        /// Equal columns, the main camera first.
        case sideBySide = "side-by-side"
        /// Equal cells, row by row, the main camera first.
        case grid
        /// The main camera alone.
        case single
    }

    public enum Corner: String, Sendable, Codable, CaseIterable {
        case topLeft = "top-left"
        case topRight = "top-right"
        case bottomLeft = "bottom-left"
        case bottomRight = "bottom-right"
    }

    /// Even sides, 64…8192 each.
    public var size: FrameSize
    public var rate: FrameRate
    public var layout: Layout
    /// A camera's role.
    public var main: String
    /// The other cameras that are shown, in order: from the corner on, or after the main one.
    public var insets: [String]
    public var corner: Corner
    /// An inset's width as a share of the program's, 0.05…1.
    public var insetShare: Double
    /// Between insets and the edges, as a share of the program's width, 0…0.5.
    public var marginShare: Double
    /// Width in pixels of a white frame inside each inset, 0…64.
    public var border: Int
    /// How the main camera and the cells are filled by a frame of another shape. Insets have their frame's shape.
    public var filling: FrameLayer.Filling
    /// Whether JPEGs are decoded at half of the size at which they are shown.
    public var isCoarse = false
    public var video: VideoSettings
    public var audio: AudioSettings

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

    /// The shown cameras, the main one first.
    public var shown: [String] { layout == .single ? [main] : [main] + insets }
}

extension ProgramSettings.Layout {
    /// Nobody's frame is cut where it is alone; cells are narrow, and black beside every frame would waste most of
    /// the program.
    public var usualFilling: FrameLayer.Filling {
        switch self {
        case .pip, .single: .fit
        case .sideBySide, .grid: .fill
        }
    }
}
