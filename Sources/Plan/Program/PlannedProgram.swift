public import MulticamMedia
package import MulticamProfiles

/// The program of a plan: a movie with composed frames and mixed audio.
public struct PlannedProgram: Sendable, Equatable, Encodable {
    /// The program's file, relative to the session folder.
    public var file: String
    /// Encoder settings for the composed frames. Width and height are even.
    public var settings: VideoEncodingSettings
    /// Whether camera JPEGs are decoded at half of their displayed size to save processor time.
    package let isCoarse: Bool
    /// The cameras that the program shows and their positions, as the user specified them.
    package private(set) var arrangement: ProgramArrangement
    /// Layers derived from the arrangement, from back to front.
    package private(set) var layers: [PlannedLayer]
    /// Roles of the microphones in the mix, in order; empty for a program without audio.
    public var mix: [String]
    /// The filters for the mix.
    public var mixProcessing = SoundProcessing.off
    /// Bit rate of the audio, in bits per second.
    public var audioBitrate: Int
    /// Named arrangements that can replace the current one.
    package var scenes: [SceneSettings]

    /// Creates a program. The program's layers are derived from the arrangement and the cameras.
    package init(
        file: String, settings: VideoEncodingSettings, isCoarse: Bool = false,
        arrangement: ProgramArrangement, cameras: [PlannedCamera], mix: [String], audioBitrate: Int,
        scenes: [SceneSettings] = []
    ) {
        self.file = file
        self.settings = settings
        self.isCoarse = isCoarse
        self.arrangement = arrangement
        layers = Self.layers(arrangement, cameras, settings.size, isCoarse)
        self.mix = mix
        self.audioBitrate = audioBitrate
        self.scenes = scenes
    }

    /// Replaces the program's arrangement, and derives its layers again.
    ///
    /// - Parameters:
    ///   - arrangement: The new arrangement of cameras, identified by role.
    ///   - cameras: The plan's cameras. Roles that don't belong to one of these cameras aren't shown.
    package mutating func arrange(_ arrangement: ProgramArrangement, cameras: [PlannedCamera]) {
        self.arrangement = arrangement
        layers = Self.layers(arrangement, cameras, settings.size, isCoarse)
    }

    private static func layers(
        _ arrangement: ProgramArrangement, _ cameras: [PlannedCamera], _ size: FrameSize, _ isCoarse: Bool
    ) -> [PlannedLayer] {
        arrangement.layers(of: cameras, size: size).map { layer in
            var layer = layer
            layer.isCoarse = isCoarse
            return layer
        }
    }
}

/// The position of one camera in the program.
@dynamicMemberLookup
package struct PlannedLayer: Sendable, Equatable, Encodable {
    /// The camera's role.
    package var role: String
    /// Where and how the camera's frame is drawn. The crop refers to the camera's stored frame.
    package var shape: LayerShape

    /// Creates the position of a camera in the program.
    package init(role: String, _ shape: LayerShape) {
        self.role = role
        self.shape = shape
    }

    package subscript<Value>(dynamicMember path: WritableKeyPath<LayerShape, Value>) -> Value {
        get { shape[keyPath: path] }
        set { shape[keyPath: path] = newValue }
    }
}
