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
    package var mixProcessing = SoundProcessing.off
    /// Bit rate of the audio, in bits per second.
    package var audioBitrate: Int
    /// Named arrangements that can replace the current one.
    package var scenes: [SceneSettings]
    /// The motions of cameras that are framed automatically, by role, on the session clock.
    package private(set) var motions: [String: FramingMotion] = [:]

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
        let framed = cameras.filter { arrangement.framingMode(of: $0) != .off }.map(\.role)
        motions = motions.filter { framed.contains($0.key) }
        layers = Self.layers(arrangement, cameras, settings.size, isCoarse, motions)
    }

    /// Sets the motion of a camera that is framed automatically, and derives the layers again.
    ///
    /// - Parameters:
    ///   - motion: The motion, on the session clock.
    ///   - role: The camera's role.
    ///   - cameras: The plan's cameras.
    package mutating func setMotion(
        _ motion: FramingMotion, of role: String, cameras: [PlannedCamera]
    ) {
        motions[role] = motion
        arrange(arrangement, cameras: cameras)
    }

    /// Returns the layers with motions whose times are relative to T0.
    ///
    /// - Parameter start: T0 on the session clock.
    /// - Returns: The program's layers, from back to front.
    package func layers(since start: ClockTime) -> [PlannedLayer] {
        layers.map { $0.shifted(by: .zero - Nanoseconds(start.nanoseconds)) }
    }

    private static func layers(
        _ arrangement: ProgramArrangement, _ cameras: [PlannedCamera], _ size: FrameSize, _ isCoarse: Bool,
        _ motions: [String: FramingMotion] = [:]
    ) -> [PlannedLayer] {
        arrangement.layers(of: cameras, size: size, motions: motions).map { layer in
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
    /// The motion of the visible part if the camera is framed automatically, which then replaces `crop` at each tick.
    package var motion: FramingMotion?

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

extension PlannedLayer {
    /// Returns the layer with the visible part at a time. A layer without a motion is returned unchanged.
    ///
    /// - Parameters:
    ///   - nanoseconds: The time, with the same zero point as the motion.
    ///   - frame: Size of the camera's stored frames.
    /// - Returns: A layer without a motion.
    package func framed(at nanoseconds: Int64, of frame: FrameSize) -> PlannedLayer {
        guard let motion else { return self }
        var layer = self
        layer.crop = motion.crop(at: nanoseconds, of: frame, rotation: shape.rotation)
        layer.motion = nil
        return layer
    }

    /// Returns the layer with another zero point of its motion's time.
    package func shifted(by offset: Nanoseconds) -> PlannedLayer {
        var layer = self
        layer.motion = motion?.shifted(by: offset)
        return layer
    }
}
