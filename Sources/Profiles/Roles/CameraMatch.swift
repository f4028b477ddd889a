/// The traits that a camera takes over from another one.
public struct CameraMatch: Sendable, Equatable, Codable {
    /// A trait in which cameras are made alike.
    public enum Trait: String, Sendable, Equatable, Codable, CaseIterable {
        /// Exposure time and gain.
        case exposure
        /// The colour temperature.
        case whiteBalance = "white-balance"
        /// Each camera's own settled focus is held; no distance is copied.
        case focus
        /// The best size or rate that all matched cameras offer.
        case size, rate
    }

    /// The role of the camera that is followed.
    public var camera: String
    /// The traits that are taken over.
    public var traits: [Trait]

    /// The traits that are taken over where a profile names none.
    public static let usualTraits: [Trait] = [.exposure, .whiteBalance, .focus]

    /// Creates a match with a camera.
    public init(camera: String, traits: [Trait] = Self.usualTraits) {
        self.camera = camera
        self.traits = traits
    }
}
