internal import Media

/// A run that is to be made.
struct StressTrial {
    let name: String
    let kind: StressKind
    let title: String
    var step: Int?
    /// Whether it is the profile as it stands, in its own formats.
    let isProfile: Bool
    /// In the profile's order; no other cameras take part.
    let cameras: [(role: String, format: VideoFormat)]
    let duration: Nanoseconds
    /// Whether it is also judged by what only shows with time.
    var isLong: Bool { kind == .soak }
}
