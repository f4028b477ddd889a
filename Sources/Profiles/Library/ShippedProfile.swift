/// A profile built into the program, so that it can be named wherever the program runs.
public struct ShippedProfile: Sendable, Equatable {
    /// The profile's name.
    public let name: String
    /// The text of its file in `Profiles/`.
    public let bytes: [UInt8]

    /// Creates a profile from its name and its text.
    public init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// The profiles built into the program, one for each file of `Profiles/`; a test compares the two.
    public static let all = [
        ShippedProfile(name: "grid", bytes: PackageResources.grid_yaml),
        ShippedProfile(name: "interview", bytes: PackageResources.interview_yaml),
        ShippedProfile(name: "pip", bytes: PackageResources.pip_yaml),
        ShippedProfile(name: "portrait", bytes: PackageResources.portrait_yaml),
        ShippedProfile(name: "side-by-side", bytes: PackageResources.side_by_side_yaml),
        ShippedProfile(name: "stress", bytes: PackageResources.stress_yaml),
        ShippedProfile(name: "tracks", bytes: PackageResources.tracks_yaml),
    ]
}
