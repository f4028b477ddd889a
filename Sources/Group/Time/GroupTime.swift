internal import Glibc
internal import Media

/// chrony for a group: on the computer that serves it the source of its time, on a node the measurement of how far its own clock is from
/// that. Neither sets a clock.
enum GroupTime {
    /// The package that has chronyd and chronyc.
    static let package = "chrony"

    /// Starts the source of the group's time: this computer's own clock.
    ///
    /// - Throws: `GroupError` when chronyd is not installed.
    static func serve(
        _ folder: GroupFolder, port: Int, saying say: @escaping @Sendable (String) -> Void
    ) throws(GroupError) -> KeptProgram {
        try start(
            "time", in: folder,
            ["local stratum 8", "allow all", "port \(port)"], saying: say)
    }

    /// Starts the measurement against the group's time.
    ///
    /// - Throws: `GroupError` when chronyd is not installed.
    static func measure(
        _ folder: GroupFolder, of address: String, port: Int, saying say: @escaping @Sendable (String) -> Void
    ) throws(GroupError) -> KeptProgram {
        guard GroupAddress.isValid(address) else { throw GroupError("the group's address is none.") }
        return try start(
            "clock", in: folder,
            ["server \(address) port \(port) iburst minpoll 0 maxpoll 1 xleave", "port 0"], saying: say)
    }

    /// The socket of the measurement, for chronyc.
    static func socket(in folder: GroupFolder) -> String { folder.file("clock/clock.sock") }

    private static func start(
        _ name: String, in folder: GroupFolder, _ lines: [String],
        saying say: @escaping @Sendable (String) -> Void
    ) throws(GroupError) -> KeptProgram {
        // chronyd takes a folder for its socket that nobody else may enter.
        try folder.make(name)
        let place = folder.file("\(name)/\(name)")
        guard place.utf8.count + 5 <= 100 else {
            throw GroupError(
                "\(place.printable()): the path is too long for a socket. Set XDG_CONFIG_HOME to a shorter one."
            )
        }
        let common = ["cmdport 0", "bindcmdaddress \(place).sock", "pidfile \(place).pid"]
        try folder.write((lines + common).joined(separator: "\n") + "\n", to: "\(name)/\(name).conf")
        var arguments = ["-x", "-U", "-n", "-f", "\(place).conf"]
        // As root it would become another user, who may not enter the folder.
        if geteuid() == 0 { arguments += ["-u", "root"] }
        return try KeptProgram("chronyd", arguments, pidFile: "\(place).pid", package: package, saying: say)
    }
}
