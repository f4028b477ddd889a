internal import Glibc
internal import MulticamMedia

/// Runs chrony for a group. On the computer that serves the group, chrony is the source of the group's time.
/// On a node, chrony measures the offset of the node's clock from that time. Neither instance of chrony sets
/// the system clock.
enum GroupTime {
    /// The package that contains chronyd and chronyc.
    static let package = "chrony"

    /// Starts serving this computer's clock as the group's time.
    ///
    /// - Throws: `GroupError` if chronyd isn't installed.
    static func serve(
        _ folder: GroupFolder, port: Int, messageHandler: @escaping @Sendable (String) -> Void
    ) throws(GroupError) -> SupervisedProgram {
        try start(
            "time", in: folder,
            ["local stratum 8", "allow all", "port \(port)"], messageHandler: messageHandler)
    }

    /// Starts measuring this computer's clock against the group's time.
    ///
    /// - Throws: `GroupError` if chronyd isn't installed.
    static func measure(
        _ folder: GroupFolder, of address: String, port: Int,
        messageHandler: @escaping @Sendable (String) -> Void
    ) throws(GroupError) -> SupervisedProgram {
        guard GroupAddress.isValid(address) else {
            throw GroupError("the address of the group is invalid.")
        }
        return try start(
            "clock", in: folder,
            ["server \(address) port \(port) iburst minpoll 0 maxpoll 1 xleave", "port 0"],
            messageHandler: messageHandler)
    }

    /// Path of the measurement socket, relative to the group's folder.
    static let socketName = "clock/clock.sock"

    /// Returns the path of the measurement socket, as passed to chronyc.
    static func socket(in folder: GroupFolder) -> String { folder.file(socketName) }

    private static func start(
        _ name: String, in folder: GroupFolder, _ lines: [String],
        messageHandler: @escaping @Sendable (String) -> Void
    ) throws(GroupError) -> SupervisedProgram {
        // chronyd requires that its socket be in a folder that no other user can access.
        try folder.make(name)
        let place = folder.file("\(name)/\(name)")
        guard place.utf8.count + 5 <= 100 else {
            throw GroupError(
                "\(place.printable()): the path is too long for a socket. Set XDG_CONFIG_HOME to a shorter path."
            )
        }
        let common = ["cmdport 0", "bindcmdaddress \(place).sock", "pidfile \(place).pid"]
        try folder.write((lines + common).joined(separator: "\n") + "\n", to: "\(name)/\(name).conf")
        var arguments = ["-x", "-U", "-n", "-f", "\(place).conf"]
        // When started as root, chronyd would switch to another user, who can't access the folder.
        if geteuid() == 0 { arguments += ["-u", "root"] }
        return try SupervisedProgram(
            "chronyd", arguments, pidFile: "\(place).pid", package: package, messageHandler: messageHandler)
    }
}

/// Estimate of the group's time on a coordinator's computer, derived from several clocks. A single wrong
/// clock can't distort the estimate. If a clock deviates too far, the recording is refused with a message
/// that names the affected computer.
struct GroupTimeEstimate: Equatable {
    /// Difference between the group's time and this computer's clock.
    let correction: Nanoseconds

    /// Maximum plausible difference between clocks. The clocks in a group usually differ by far less than
    /// this value, and message delays are shorter even with 20 % packet loss.
    static let largestDifference = Nanoseconds.seconds(5)

    /// Estimates the group's time.
    ///
    /// - Parameters:
    ///   - nodes: Difference between each node's time and this computer's clock. Only participating nodes
    ///     whose clocks are measured may be included.
    ///   - own: Difference between the group's time and this computer's clock, if this computer measures the
    ///     difference or serves the group; otherwise `nil`.
    /// - Throws: `GroupError` with the names of the nodes that deviate from the others.
    init(of nodes: [String: Nanoseconds], own: Nanoseconds?) throws(GroupError) {
        let values = (nodes.values + [own].compactMap { $0 }).sorted()
        guard let first = values.first, let last = values.last else {
            correction = .zero
            return
        }
        // A delayed message makes a node's time appear too low, but never too high. Therefore, if the number
        // of values is even, the higher of the two middle values is more accurate.
        let median = values[values.count / 2]
        correction = own ?? median
        guard last - first > Self.largestDifference else { return }
        let isClose = { (value: Nanoseconds) in (value - median).magnitude <= Self.largestDifference }
        guard values.filter(isClose).count * 2 > values.count else {
            let list = nodes.keys.sorted().joined(separator: ", ")
            throw GroupError(
                "the recording was not started: the clocks of \(list)\(own == nil ? "" : " and this computer") are up to \(Self.text(last - first)) apart, and it is unclear which clock is correct. Run `multicam group status` to see the error of each clock, and check that `chronyd` is running on these computers."
            )
        }
        let wrong = nodes.filter { !isClose($0.value) }.sorted { $0.key < $1.key }.map { name, value in
            "\(name)'s clock is \(Self.text((value - median).magnitude)) \(value > median ? "ahead of" : "behind") the other clocks"
        }
        guard wrong.isEmpty else {
            throw GroupError(
                "the recording was not started: \(wrong.joined(separator: ", ")). Restart `multicam node` on \(wrong.count == 1 ? "this node, or remove it" : "these nodes, or remove them") from `nodes` in the profile."
            )
        }
        if let own, !isClose(own) {
            throw GroupError(
                "the recording was not started: this computer's clock differs from the group time by \(Self.text((own - median).magnitude)). Start the recording from another computer, or check that `chronyd` is running here."
            )
        }
    }

    private static func text(_ difference: Nanoseconds) -> String {
        "\(Int64(rounding: difference.inSeconds)) s"
    }
}
