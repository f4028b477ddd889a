public import MulticamMedia
package import MulticamProfiles

/// The program of a plan: a movie with composed frames and mixed audio.
public struct PlannedProgram: Sendable, Equatable, Codable {
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
package struct PlannedLayer: Sendable, Equatable, Codable {
    /// The camera's role.
    package var role: String
    /// The camera's rectangle in the program in pixels. Position and size are even.
    package var rectangle: PixelRectangle
    /// How the frame is fitted into the rectangle: cropped to the rectangle's aspect ratio, or shown in full
    /// with bars.
    package var fit: FrameLayer.Fit
    /// Clockwise rotation that is applied to the camera's stored frame when it is drawn.
    package var rotation: Rotation
    /// Whether the frame is mirrored left to right.
    package var isMirrored: Bool
    /// Pixel aspect ratio of the camera's stored frame; `nil` for square pixels.
    package var pixelAspect: AspectRatio?
    /// The visible part of the camera's stored frame, in pixels; `nil` for the whole frame.
    package var crop: PixelRectangle?
    /// Width in pixels of the white border inside the rectangle; 0 for none.
    package var border: Int
    /// Whether the camera's JPEGs are decoded at half of the rectangle's size.
    package var isCoarse = false

    /// Creates the position of a camera in the program.
    package init(
        role: String, rectangle: PixelRectangle, fit: FrameLayer.Fit = .cover,
        rotation: Rotation = .none,
        isMirrored: Bool = false, pixelAspect: AspectRatio? = nil, crop: PixelRectangle? = nil,
        border: Int = 0
    ) {
        self.role = role
        self.rectangle = rectangle
        self.fit = fit
        self.rotation = rotation
        self.isMirrored = isMirrored
        self.pixelAspect = pixelAspect
        self.crop = crop
        self.border = border
    }
}
