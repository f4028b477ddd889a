internal import FoundationEssentials
internal import Glibc
internal import MulticamContainers
package import MulticamMedia
internal import MulticamSystem
package import MulticamTiming

/// Content of `group.json`: the recording of a group. The session folders of its nodes are in the same directory, each
/// in a folder with the node's name.
package struct GroupManifest: Codable, Sendable, Equatable {
    /// The recording of one node.
    package struct Node: Codable, Sendable, Equatable {
        /// Name of the node and of its folder in this directory.
        package var name: String
        /// Name of the session folder on the node.
        package var folder: String
        /// Start of the node's tracks relative to `t0_utc_ns`, in nanoseconds; negative if they start earlier.
        package var first_ns: Int64
        /// T0 of the node's recording on the node's `CLOCK_MONOTONIC`, in nanoseconds.
        package var t0_monotonic_ns: Int64?
        /// `recording` while the recording is running, then `finished` or another outcome.
        package var outcome: String
        /// Measurements of the node's clock during the recording; `nil` if there are none.
        package var clock: GroupClockSummary?

        /// Creates the entry of a node.
        package init(
            name: String, folder: String, first_ns: Int64, t0_monotonic_ns: Int64?, outcome: String,
            clock: GroupClockSummary?
        ) {
            (self.name, self.folder, self.first_ns) = (name, folder, first_ns)
            (self.t0_monotonic_ns, self.outcome, self.clock) = (t0_monotonic_ns, outcome, clock)
        }

        /// Whether the start is plausible: at most one minute before or thirty days after the group's start.
        package var isPlausible: Bool {
            (-60_000_000_000...2_592_000_000_000_000).contains(first_ns)
        }
    }

    /// Version of the format of `group.json`.
    package var schema = 1
    /// The group's name.
    package var group: String
    /// The recording's name.
    package var recording: String
    /// T0 of the group's recording in nanoseconds since the Unix epoch.
    package var t0_utc_ns: Int64
    /// Planned duration in nanoseconds; `nil` if the recording was stopped manually.
    package var duration_ns: Int64?
    /// The nodes with a folder in this directory.
    package var nodes: [Node]
    /// Maximum time error between two nodes in nanoseconds, which is the sum of the two largest bounds; `nil` if a
    /// bound was not measured.
    package var largest_error_ns: Int64?
    /// Participating nodes with a missing or incomplete folder.
    package var missing: [String]

    /// File name of the group manifest.
    package static let fileName = "group.json"

    /// Creates a manifest. The maximum time error between two nodes is computed from the nodes' error bounds.
    package init(
        group: String, recording: String, t0_utc_ns: Int64, duration_ns: Int64?, nodes: [Node],
        missing: [String]
    ) {
        (self.group, self.recording, self.t0_utc_ns) = (group, recording, t0_utc_ns)
        (self.duration_ns, self.nodes, self.missing) = (duration_ns, nodes, missing)
        let bounds = nodes.compactMap { $0.clock?.max_bound_ns }.sorted(by: >)
        guard bounds.count == nodes.count, !bounds.isEmpty else { return }
        largest_error_ns = bounds.prefix(2).reduce(0) { (Nanoseconds($0) + Nanoseconds($1)).count }
    }

    /// Reads the group manifest in a folder.
    ///
    /// - Parameter folder: Path of the folder.
    /// - Returns: `nil` if the folder isn't a group recording, because it doesn't contain a group manifest.
    /// - Throws: `FileError` if the file is damaged, names a node folder outside of `folder`, lists a node
    ///   twice, or contains an implausible time.
    package static func read(in folder: String) throws(FileError) -> GroupManifest? {
        let path = "\(folder)/\(fileName)"
        let contained: ContainedFolder
        let bytes: [UInt8]
        do throws(FileError) {
            contained = try ContainedFolder(opening: folder)
            bytes = try WholeFile.bytes(of: contained.file(fileName), atMost: Manifest.largestByteCount)
        } catch {
            if [ENOENT, ENOTDIR].contains(error.errno) { return nil }
            throw error
        }
        let manifest: GroupManifest
        do {
            manifest = try JSONText.decoder().decode(GroupManifest.self, from: Data(bytes))
        } catch {
            throw FileError(
                path: path, operation: "reading",
                detail:
                    "the file is damaged or was not written by `multicam collect`. Collect the recording again."
            )
        }
        if let fault = manifest.fault { throw FileError(path: path, operation: "reading", detail: fault) }
        // Files from another computer may contain a symbolic link instead of a node's folder.
        for node in manifest.nodes { try contained.checkFolder(node.name) }
        return manifest
    }

    /// Description of the first implausible value; `nil` if all values are plausible.
    private var fault: String? {
        if nodes.contains(where: { !$0.name.isSafeRelativePath || $0.name.contains("/") }) {
            return "the file lists a node whose folder is outside the recording."
        }
        if Set(nodes.map(\.name)).count != nodes.count { return "the file lists a node more than once." }
        if t0_utc_ns < 0 || nodes.contains(where: { !$0.isPlausible }) {
            return "the file contains an invalid start time. Collect the recording again."
        }
        return nil
    }
}

/// Measurements of a node's clock during the recording.
package struct GroupClockSummary: Codable, Sendable, Equatable {
    /// Address of the time source.
    package var source: String
    /// Maximum absolute offset, in nanoseconds.
    package var max_offset_ns: Int64
    /// Maximum error bound in nanoseconds: root delay ÷ 2 + root dispersion. The error of the node's estimate
    /// of the group's time never exceeded this value.
    package var max_bound_ns: Int64
    /// Maximum age of a measurement, in nanoseconds.
    package var max_age_ns: Int64
    /// Number of times the clock was stepped.
    package var steps: Int
    /// Difference in nanoseconds between the elapsed group time and the elapsed `CLOCK_MONOTONIC` of this node, from
    /// the first to the last reading; positive if the group time ran faster. The node's session clock follows the group
    /// time, so its tracks don't drift by this amount.
    package var drift_ns: Int64
    /// Number of clock readings.
    package var readings: Int

    /// Creates a summary of a node's clock measurements.
    package init(
        source: String, max_offset_ns: Int64, max_bound_ns: Int64, max_age_ns: Int64, steps: Int,
        drift_ns: Int64,
        readings: Int
    ) {
        (self.source, self.max_offset_ns, self.max_bound_ns) = (source, max_offset_ns, max_bound_ns)
        (self.max_age_ns, self.steps, self.drift_ns) = (max_age_ns, steps, drift_ns)
        self.readings = readings
    }
}

extension Manifest {
    /// Statistics on how the session clock followed the common time of a group of computers.
    package struct GroupTime: Codable, Sendable, Equatable {
        /// Number of accepted time measurements, about one per second.
        package var followed: Int
        /// Number of rejected time measurements: steps and implausible values.
        package var refused: Int
        /// Maximum error bound of a measurement in nanoseconds. According to chrony, the error of the group
        /// time on this computer never exceeded this value.
        package var max_bound_ns: Int64
        /// Maximum deviation of the session clock from the measured group time, in nanoseconds.
        package var max_error_ns: Int64
        /// Number of steps of the group time relative to `CLOCK_MONOTONIC`. The session clock never steps.
        package var steps: Int
        /// Length of the recording on the session clock minus its length on `CLOCK_MONOTONIC`, in
        /// nanoseconds.
        package var gained_ns: Int64
        /// Final rate deviation of the group time from `CLOCK_MONOTONIC`, in parts per million.
        package var ppm: Double
    }
}

extension Manifest.GroupTime {
    package init(_ summary: ClockSteering.Summary) {
        self.init(
            followed: summary.accepted, refused: summary.rejected, max_bound_ns: summary.largestBound.count,
            max_error_ns: summary.largestError.count, steps: summary.steps, gained_ns: summary.gained.count,
            ppm: (summary.partsPerMillion * 1000).rounded() / 1000)
    }
}
