public import Media

/// The sets of cameras that can run together on a machine, and their formats.
///
/// Pure. Each camera has a track of its own: its own frames where they are compressed, else encoded ones. A set fits if the
/// cost of all its cameras together is within the limit, each in the least of its formats; only the maximal sets are listed,
/// which no other camera could join.
///
/// The work is bounded. Only a few cameras that do not fit together are left out in turn, since every set that fits lacks one
/// of them, and each combination is reckoned once; after `mostTrials` combinations or more than `mostSets` sets the answer
/// says that it is incomplete. Sixteen alike cameras on one bus end so after some hundred combinations.
public struct CameraSets: Sendable, Equatable {
    /// A camera of a set.
    public struct Member: Sendable, Equatable {
        /// The camera's name: a role or a node.
        public let name: String
        /// The best format that the camera can have beside the others.
        public let format: VideoFormat
        /// The resource that a better format would exceed; `nil` where the camera has the best that it offers.
        public let limit: String?
        /// Whether the USB bandwidth that the camera reserves is an assumption, as long as it has not streamed.
        public let isAssumed: Bool
    }

    /// Cameras that can run together.
    public struct Group: Sendable, Equatable {
        /// The cameras, in the order in which they were given.
        public let members: [Member]
        /// The cost of the cameras together in their formats.
        public let cost: HardwareCost
    }

    /// Two cameras that cannot run together.
    public struct Exclusion: Sendable, Equatable {
        /// The name of the first camera.
        public let first: String
        /// The name of the second camera.
        public let second: String
        /// The resource that both together would exceed most.
        public let resource: String
        /// The share of the resource that both need together: 1 is all of it.
        public let cost: Double
    }

    /// A camera that cannot even run alone.
    public struct Outsider: Sendable, Equatable {
        /// The camera's name: a role or a node.
        public let name: String
        /// A sentence that says why it cannot run.
        public let reason: String
    }

    /// The maximal sets, the largest first.
    public let groups: [Group]
    /// Pairs of cameras that each run alone but not together.
    public let exclusions: [Exclusion]
    /// Cameras that do not even run alone.
    public let outsiders: [Outsider]
    /// Whether all maximal sets are in `groups`.
    public let isComplete: Bool

    /// The number of cameras that are considered; further ones are left out.
    public static let mostCameras = 60
    /// The number of combinations that are tried.
    static let mostTrials = 5000
    /// The number of sets that are listed: nobody reads more.
    static let mostSets = 32

    /// Finds the sets of cameras that can run together.
    ///
    /// - Parameters:
    ///   - cameras: The cameras in order of priority; those after the first `mostCameras` are left out.
    ///   - machine: The machine that they are to run on.
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
