public import Media

/// What a stress test is asked to do.
public struct StressOptions: Sendable, Equatable {
    /// In the order of `StressKind`.
    public var kinds: Set<StressKind>
    /// How long each set and each step of the climb records.
    public var each: Nanoseconds
    /// How long the soak records.
    public var soak: Nanoseconds
    /// Where the folder of the test is made.
    public var output: String
    /// Whether what the runs recorded stays.
    public var keepsMedia: Bool
    /// At most so many sets are tried.
    public var setLimit: Int
    /// The program's version, for the certificate.
    public var version: String

    public static let usualEach = Nanoseconds.seconds(5)
    public static let usualSoak = Nanoseconds.seconds(3600)

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
