public import Media
public import Profiles

/// The program of a plan: the composed frame with the mixed audio.
public struct PlannedProgram: Sendable, Equatable, Codable {
    /// The program's file, relative to the session folder.
    public var file: String
    /// How the composed frame is encoded; width and height are even.
    public var settings: VideoEncodingSettings
    /// Whether JPEGs are decoded at half of the size at which they are shown.
    public let isCoarse: Bool
    /// The cameras that the program shows and their places, as a person would say it.
    public private(set) var arrangement: ProgramArrangement
    /// The layers that follow from the arrangement, from the back to the front.
    public private(set) var layers: [PlannedLayer]
    /// Roles of the microphones that are heard, in order; empty for a program without audio.
    public var mix: [String]
    /// Bit rate of the audio, in bits per second.
    public var audioBitrate: Int
    /// Named arrangements that can be shown in its place.
    public var scenes: [SceneSettings]

    /// Creates a program, whose layers follow from the arrangement and the cameras.
    public init(
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

    /// Shows other cameras, or the same ones in other places.
    ///
    /// - Parameters:
    ///   - arrangement: The new arrangement, which names cameras by their roles.
    ///   - cameras: The plan's cameras; roles that are not among them are not shown.
    public mutating func arrange(_ arrangement: ProgramArrangement, cameras: [PlannedCamera]) {
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

/// One camera's place in the program.
public struct PlannedLayer: Sendable, Equatable, Codable {
    /// The camera's role.
    public var role: String
    /// The camera's place in the program in pixels; position and size are even.
    public var rectangle: PixelRectangle
    /// How the frame fills the rectangle: cut to its shape, or whole with bars.
    public var filling: FrameLayer.Filling
    /// The clockwise rotation with which the camera's stored frame is painted.
    public var rotation: Rotation
    /// Whether the frame is mirrored left to right.
    public var isMirrored: Bool
    /// The part of the camera's stored frame that is shown, in pixels; `nil` for the whole frame.
    public var crop: PixelRectangle?
    /// Width in pixels of the white frame inside the rectangle; 0 for none.
    public var border: Int
    /// Whether the camera's JPEGs are decoded at half of the rectangle's size.
    public var isCoarse = false

    /// Creates a camera's place in the program.
    public init(
        role: String, rectangle: PixelRectangle, filling: FrameLayer.Filling = .fill,
        rotation: Rotation = .none,
        isMirrored: Bool = false, crop: PixelRectangle? = nil, border: Int = 0
    ) {
        self.role = role
        self.rectangle = rectangle
        self.filling = filling
        self.rotation = rotation
        self.isMirrored = isMirrored
        self.crop = crop
        self.border = border
    }
}
