public import Media

/// A named arrangement of the program, which one word shows at once (`scenes` of a profile, `multicam ctl scene NAME`).
public struct SceneSettings: Sendable, Equatable, Codable {
    /// The scene's name.
    public var name: String
    /// How the cameras are placed in the frame.
    public var layout: ProgramSettings.Layout
    /// The role of the main camera.
    public var main: String
    /// Roles of the other cameras that are shown, in order; no others are.
    public var insets: [String]
    /// The corner from which insets are stacked.
    public var corner: ProgramSettings.Corner
    /// An inset's width as a share of the program's width, 0.05…1.
    public var insetShare: Double
    /// The distance between insets and to the edges, as a share of the program's width, 0…0.5.
    public var marginShare: Double
    /// Width in pixels of a white frame inside each inset, 0…64.
    public var border: Int
    /// How a frame of another shape fills the main camera's place or a cell.
    public var filling: FrameLayer.Filling
    /// Zooms of cameras by role, in place of their own, in the program alone.
    public var zooms: [String: Zoom]
    /// Roles of the microphones that are heard; `nil` leaves that as it is.
    public var mix: [String]?
    /// Gains in the program's mix in decibels, by role; others stay as they are.
    public var gains: [String: Double]

    /// Creates a scene from its values; by default it leaves the audio as it is.
    public init(
        name: String, layout: ProgramSettings.Layout, main: String, insets: [String] = [],
        corner: ProgramSettings.Corner = .bottomRight, insetShare: Double = 0.25,
        marginShare: Double = 0.02, border: Int = 0, filling: FrameLayer.Filling? = nil,
        zooms: [String: Zoom] = [:], mix: [String]? = nil, gains: [String: Double] = [:]
    ) {
        self.name = name
        self.layout = layout
        self.main = main
        self.insets = insets
        self.corner = corner
        self.insetShare = insetShare
        self.marginShare = marginShare
        self.border = border
        self.filling = filling ?? layout.usualFilling
        self.zooms = zooms
        self.mix = mix
        self.gains = gains
    }

    /// Roles of the cameras that are shown, the main one first.
    public var shown: [String] { layout == .single ? [main] : [main] + insets }

    /// Whether a name can be a scene's: a few words of one line, with single spaces between them, as they are said to `ctl`.
    public static func isName(_ name: String) -> Bool {
        let words = name.split(separator: " ", omittingEmptySubsequences: false)
        return (1...40).contains(name.count) && name.printable() == name && words.allSatisfy { !$0.isEmpty }
    }

    /// The rule for names of scenes, in words.
    public static let nameRule = "1 to 40 characters, with single spaces between words"

    /// Gains that the program's mix can have, in decibels.
    public static let gainRange = -60.0...30.0
}

extension [SceneSettings] {
    /// Adds a scene, in the place of one of its name where there is one.
    package mutating func keep(_ scene: SceneSettings) {
        if let index = firstIndex(where: { $0.name == scene.name }) {
            self[index] = scene
        } else {
            append(scene)
        }
    }
}
