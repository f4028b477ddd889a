internal import Media

/// The description of a run to make.
struct StressTrial {
    let name: String
    let kind: StressKind
    let title: String
    var step: Int?
    /// Whether the run is the profile as it stands, in its own formats.
    let isProfile: Bool
    /// The cameras that take part, with their formats, in the profile's order.
    let cameras: [(role: String, format: VideoFormat)]
    let duration: Nanoseconds
    /// Whether pressure and clocks, which show only with time, are judged too.
    var isLong: Bool { kind == .soak }
}
