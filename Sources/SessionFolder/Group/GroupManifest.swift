internal import FoundationEssentials
public import Media

/// What `group.json` says: the recording of a group whose nodes' session folders lie beside it, each in a folder of the node's name.
public struct GroupManifest: Codable, Sendable, Equatable {
    /// A node's part.
    public struct Node: Codable, Sendable, Equatable {
        /// Its name, which is also that of its folder here.
        public var name: String
        /// Name of the session folder on the node.
        public var folder: String
        /// How much later than `t0_utc_ns` its tracks begin, in nanoseconds; negative where they begin earlier.
        public var first_ns: Int64
        /// Its own T0 on its CLOCK_MONOTONIC, in nanoseconds.
        public var t0_monotonic_ns: Int64?
        /// `recording` while it runs, then `finished` or another outcome.
        public var outcome: String
        /// What was measured of its clock while it recorded; `nil` where nothing was.
        public var clock: GroupClockSummary?

        /// Creates a node from its values.
        public init(
            name: String, folder: String, first_ns: Int64, t0_monotonic_ns: Int64?, outcome: String,
            clock: GroupClockSummary?
        ) {
            (self.name, self.folder, self.first_ns) = (name, folder, first_ns)
            (self.t0_monotonic_ns, self.outcome, self.clock) = (t0_monotonic_ns, outcome, clock)
        }

        /// Whether it began when a node can: from a minute early to thirty days late.
        public var isPlausible: Bool {
            (-60_000_000_000...2_592_000_000_000_000).contains(first_ns)
        }
    }

    /// Version of this format.
    public var schema = 1
    /// The group's name.
    public var group: String
    /// The recording's name.
    public var recording: String
    /// T0, in nanoseconds since 1970.
    public var t0_utc_ns: Int64
    /// How long it was to be, in nanoseconds; `nil` where somebody has ended it.
    public var duration_ns: Int64?
    /// The nodes whose folders are here.
    public var nodes: [Node]
    /// The largest error between two nodes' time: the sum of the two largest bounds, in nanoseconds; `nil` where one was not
    /// measured.
    public var largest_error_ns: Int64?
    /// Nodes that took part and whose folders are not here, or not whole yet.
    public var missing: [String]

    /// The file's name.
    public static let fileName = "group.json"

    /// Creates a manifest; the largest error follows from the nodes.
    public init(
        group: String, recording: String, t0_utc_ns: Int64, duration_ns: Int64?, nodes: [Node],
        missing: [String]
    ) {
        (self.group, self.recording, self.t0_utc_ns) = (group, recording, t0_utc_ns)
        (self.duration_ns, self.nodes, self.missing) = (duration_ns, nodes, missing)
        let bounds = nodes.compactMap { $0.clock?.max_bound_ns }.sorted(by: >)
        guard bounds.count == nodes.count, !bounds.isEmpty else { return }
        largest_error_ns = bounds.prefix(2).reduce(0) { (Nanoseconds($0) + Nanoseconds($1)).count }
    }

    /// Reads the file of a folder.
    ///
    /// - Parameter folder: Path of the folder.
    /// - Returns: `nil` for a folder that has none, which is no recording of a group.
    /// - Throws: `FileError` when it is damaged, names a node's folder that is outside or one twice, or tells a time that cannot be.
    public static func read(in folder: String) throws(FileError) -> GroupManifest? {
        let path = "\(folder)/\(fileName)"
        guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
        let manifest: GroupManifest
        do {
            manifest = try JSONText.decoder().decode(GroupManifest.self, from: bytes)
        } catch {
            throw FileError(
                path: path, operation: "read",
                detail: "it is not what `multicam collect` wrote: collect the recording again")
        }
        if let fault = manifest.fault { throw FileError(path: path, operation: "read", detail: fault) }
        return manifest
    }

    /// What cannot be of it; `nil` for nothing.
    private var fault: String? {
        if nodes.contains(where: { !$0.name.isPathWithin || $0.name.contains("/") }) {
            return "it names a node with a folder outside of this one"
        }
        if Set(nodes.map(\.name)).count != nodes.count { return "it names a node twice" }
        if t0_utc_ns < 0 || nodes.contains(where: { !$0.isPlausible }) {
            return "it tells a beginning that cannot be: collect the recording again"
        }
        return nil
    }
}
