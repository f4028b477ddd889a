public import Media

/// Which cameras can run together on a machine, and in which formats.
///
/// Pure. Each camera has a track of its own: its own frames where they are compressed, else encoded ones. A set fits if the
/// cost of all its cameras together is within the limit, each in the least of its formats; of those that fit only the maximal
/// ones are told: no camera could join them.
///
/// The work is bounded. Whatever fits lacks one of each few cameras that do not go together, so only those are left out in turn,
/// and each combination is reckoned once; after `mostTrials` combinations or more than `mostSets` sets, which nobody reads, the
/// answer says that it is incomplete. Sixteen alike cameras on one bus end so after some hundred combinations.
public struct CameraSets: Sendable, Equatable {
    /// A camera of a set.
    public struct Member: Sendable, Equatable {
        public let name: String
        /// The best that it can have beside the others.
        public let format: VideoFormat
        /// Why it cannot have a better one: the resource that would be exceeded. `nil` where it has the best that it offers.
        public let limit: String?
        /// Whether what it keeps of its USB is an assumption, until it has streamed.
        public let isAssumed: Bool
    }

    /// Cameras that run together.
    public struct Group: Sendable, Equatable {
        /// In the order in which they were given.
        public let members: [Member]
        public let cost: HardwareCost
    }

    /// Two cameras that do not run together.
    public struct Exclusion: Sendable, Equatable {
        public let first: String
        public let second: String
        /// What they would need more than there is of.
        public let resource: String
        public let cost: Double
    }

    /// A camera that does not even run alone.
    public struct Outsider: Sendable, Equatable {
        public let name: String
        /// A sentence.
        public let reason: String
    }

    /// The largest first.
    public let groups: [Group]
    public let exclusions: [Exclusion]
    public let outsiders: [Outsider]
    /// Whether every maximal set is told.
    public let isComplete: Bool

    /// Others are left out: sets are bits of a number.
    public static let mostCameras = 60
    static let mostTrials = 5000
    static let mostSets = 32

    /// - Parameters:
    ///   - cameras: In the order of their priority; those after the first `mostCameras` are left out.
    ///   - machine: That they are to run on.
    ///   - limit: The hardware cost that a set may have.
    public init(of cameras: [SetCamera], on machine: MachineModel, limit: Double = 1) {
        let cameras = cameras.prefix(Self.mostCameras)
        var search = CameraSetSearch(
            cameras: Array(cameras.filter { !$0.formats.isEmpty }), machine: machine, limit: limit)
        let (sets, isComplete) = search.maximalSets()
        self.isComplete = isComplete && sets.count <= Self.mostSets
        groups = sets.prefix(Self.mostSets).map { search.group($0) }
        exclusions = search.exclusions()
        let formatless = cameras.filter(\.formats.isEmpty).map {
            Outsider(name: $0.name, reason: "it offers no format that can be recorded.")
        }
        outsiders = formatless + search.outsiders()
    }
}
