public import Media

/// What a stress test tries, and for how long.
public struct StressOptions: Sendable, Equatable {
    /// The kinds of test to run, in the order of `StressKind.allCases`.
    public var kinds: Set<StressKind>
    /// The duration of each set and each step of the climb.
    public var each: Nanoseconds
    /// The duration of the soak.
    public var soak: Nanoseconds
    /// The path of the folder in which the test's folder is created.
    public var output: String
    /// Whether the recordings of the runs are kept.
    public var keepsMedia: Bool
    /// The greatest number of sets to try.
    public var setLimit: Int
    /// The program's version, for the certificate.
    public var version: String

    /// The usual duration of a set or a step: 5 s.
    public static let usualEach = Nanoseconds.seconds(5)
    /// The usual duration of a soak: one hour.
    public static let usualSoak = Nanoseconds.seconds(3600)

    /// Creates options from their values.
    public init(
        kinds: Set<StressKind>, each: Nanoseconds = usualEach, soak: Nanoseconds = usualSoak,
        output: String, keepsMedia: Bool = false, setLimit: Int = StressSets.usualLimit, version: String
    ) {
        self.kinds = kinds
        self.each = each
        self.soak = soak
        self.output = output
        self.keepsMedia = keepsMedia
        self.setLimit = setLimit
        self.version = version
    }
}
