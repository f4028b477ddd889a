public import MulticamMedia

/// Settings of a profile for the program, which consists of the composed frames and the mixed audio.
public struct ProgramSettings: Sendable, Equatable {
    /// How shots are selected for the program while it is recorded.
    public enum Switching: String, Sendable, CaseIterable {
        /// The user selects the shots with commands.
        case manual
        /// The camera of the current speaker is shown. The user can override this selection.
        case voice
    }

    /// Size of the program's frames in pixels. Width and height are even numbers in 64…8192.
    public var size: FrameSize
    /// Frame rate of the program.
    public var rate: FrameRate
    /// Layout of the cameras in the program's frame.
    public var layout: ProgramLayout
    /// Role of the main camera.
    public var main: String
    /// Roles of the other visible cameras, in the order in which they are placed: from the corner, or after
    /// the main camera.
    public var insets: [String]
    /// Position and size of insets, and the fit of frames.
    public var style: InsetStyle
    /// Whether JPEGs are decoded at half of the displayed size.
    package var isCoarse = false
    /// How shots are selected for the program while it is recorded.
    public var switching = Switching.manual
    /// Minimum length of a shot when switching by voice.
    public var minShot = Nanoseconds.seconds(1)
    /// Encoder settings for the program's frames.
    public var video: VideoSettings
    /// The microphones in the mix, and the audio encoder settings.
    public var audio: AudioSettings

    /// Creates program settings. The fit in the default style depends on the layout.
    public init(
        size: FrameSize = FrameSize(width: 1920, height: 1080), rate: FrameRate = FrameRate(30),
        layout: ProgramLayout, main: String, insets: [String] = [], style: InsetStyle? = nil,
        video: VideoSettings = VideoSettings(), audio: AudioSettings = AudioSettings()
    ) {
        self.size = size
        self.rate = rate
        self.layout = layout
        self.main = main
        self.insets = insets
        self.style = style ?? InsetStyle(fit: layout.defaultFit)
        self.video = video
        self.audio = audio
    }

    /// Roles of the visible cameras, the main camera first.
    package var shown: [String] { layout.visible([main] + insets) }
}

/// The audio of the program: the microphones in its mix, and the encoder settings.
public struct AudioSettings: Sendable, Equatable {
    /// Audio codec.
    package enum Codec: String, Sendable, CaseIterable { case aac }

    /// Audio codec.
    package var codec = Codec.aac
    /// Bit rate in bits per second, 32,000…512,000.
    public var bitrate: Int
    /// Roles of the microphones in the mix; empty for a program without audio.
    public var mix: [String]
    /// Filters for the mix.
    public var processing = SoundProcessing.off

    /// Creates audio settings. Without a mix, the program doesn't contain audio.
    public init(bitrate: Int = 160_000, mix: [String] = []) {
        self.bitrate = bitrate
        self.mix = mix
    }
}

/// A named arrangement of the program, defined in the `scenes` section of a profile and applied with
/// `SessionChange.scene`.
package struct SceneSettings: Sendable, Equatable, Encodable {
    /// Name of the scene.
    package var name: String
    /// Layout of the cameras in the program's frame.
    package var layout: ProgramLayout
    /// Role of the main camera.
    package var main: String
    /// Roles of the other visible cameras, in the order in which they are placed. Cameras that aren't listed
    /// aren't shown.
    package var insets: [String]
    /// Position and size of insets, and the fit of frames.
    package var style: InsetStyle
    /// Camera zooms by role. In the program, these zooms replace the zoom settings of the cameras.
    package var zooms: [String: Zoom]
    /// Roles of the microphones in the mix; `nil` keeps the current mix.
    package var mix: [String]?
    /// Gains in the program's mix in decibels, by role. Gains of other microphones don't change.
    package var gains: [String: Double]

    /// Creates scene settings. By default, the scene doesn't change the audio.
    package init(
        name: String, layout: ProgramLayout, main: String, insets: [String] = [],
        style: InsetStyle? = nil,
        zooms: [String: Zoom] = [:], mix: [String]? = nil, gains: [String: Double] = [:]
    ) {
        self.name = name
        self.layout = layout
        self.main = main
        self.insets = insets
        self.style = style ?? InsetStyle(fit: layout.defaultFit)
        self.zooms = zooms
        self.mix = mix
        self.gains = gains
    }

    /// Roles of the visible cameras, the main camera first.
    package var shown: [String] { layout.visible([main] + insets) }

    /// Whether a name is a valid scene name. A valid name is a single line of words separated by single
    /// spaces, so that it can be passed to `ctl`.
    package static func isValidName(_ name: String) -> Bool {
        let words = name.split(separator: " ", omittingEmptySubsequences: false)
        return (1...40).contains(name.count) && name.printable() == name && words.allSatisfy { !$0.isEmpty }
    }

    /// User-readable rule for scene names.
    package static let nameRule = "1 to 40 characters, with single spaces between words"

    /// Valid range of gains in the program's mix, in decibels.
    package static let gainRange = -60.0...30.0
}

extension [SceneSettings] {
    /// Adds a scene to the list. An existing scene with the same name is replaced.
    package mutating func save(_ scene: SceneSettings) {
        if let index = firstIndex(where: { $0.name == scene.name }) {
            self[index] = scene
        } else {
            append(scene)
        }
    }
}
