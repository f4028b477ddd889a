public import Media

/// The composed frame with the mixed audio.
public struct PlannedProgram: Sendable, Equatable, Codable {
    /// Relative to the session folder.
    public var file: String
    /// Of the composed frame; sides are even.
    public var settings: VideoEncodingSettings
    /// Whether JPEGs are decoded at half of the size at which they are shown.
    public let isCoarse: Bool
    /// Which cameras it shows, and where, as a person would say it.
    public private(set) var arrangement: ProgramArrangement
    /// What follows from that, from the back to the front.
    public private(set) var layers: [PlannedLayer]
    /// Roles of the microphones that are heard, in order. Empty: no audio.
    public var mix: [String]
    /// Of the audio, in bits per second.
    public var audioBitrate: Int

    public init(
        file: String, settings: VideoEncodingSettings, isCoarse: Bool = false,
        arrangement: ProgramArrangement, cameras: [PlannedCamera], mix: [String], audioBitrate: Int
    ) {
        self.file = file
        self.settings = settings
        self.isCoarse = isCoarse
        self.arrangement = arrangement
        layers = Self.layers(arrangement, cameras, settings.size, isCoarse)
        self.mix = mix
        self.audioBitrate = audioBitrate
    }

    /// Shows other cameras, or in other places.
    ///
    /// - Parameters:
    ///   - arrangement: Of cameras by their roles.
    ///   - cameras: The plan's.
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
    public var role: String
    /// In pixels of the program, even.
    public var rectangle: PixelRectangle
    public var filling: FrameLayer.Filling
    public var rotation: Rotation
    public var isMirrored: Bool
    public var crop: PixelRectangle?
    public var border: Int
    /// Whether its JPEGs are decoded at half of the rectangle's size.
    public var isCoarse = false

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
