/// What a camera takes over from another one.
public struct CameraMatch: Sendable, Equatable, Codable {
    public enum Trait: String, Sendable, Equatable, Codable, CaseIterable {
        /// Exposure time and gain.
        case exposure
        /// The colour temperature.
        case whiteBalance = "white-balance"
        /// Each camera's own settled focus is held; no distance is copied.
        case focus
        /// The best that all have.
        case size, rate
    }

    /// The role of the other camera.
    public var camera: String
    public var traits: [Trait]

    /// What is taken over where a profile does not say.
    public static let usualTraits: [Trait] = [.exposure, .whiteBalance, .focus]

    public init(camera: String, traits: [Trait] = Self.usualTraits) {
        self.camera = camera
        self.traits = traits
    }
}
