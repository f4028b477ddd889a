/// Reads the state of the computer while a session runs: stalls, temperatures, speed, power, disk.
public protocol HostReading: Sendable {
    /// Reads the computer's state anew.
    ///
    /// It may block for as long as a driver or a disk does not answer: call it on a thread that may wait, never in a Swift
    /// task.
    ///
    /// - Parameters:
    ///   - folder: The session folder, whose disk is looked at.
    ///   - time: The present instant on the session clock.
    /// - Returns: What could be read, and which sources could not.
    func read(folder: String, at time: ClockTime) -> HostState

    /// Reads the room on a disk, and nothing else. It may block, too.
    ///
    /// - Parameter folder: A folder on the disk.
    /// - Returns: Bytes that this user can still write; `nil` where the system does not say.
    func freeBytes(folder: String) -> Int64?
}

extension HostReading {
    /// Unknown, where a reader does not tell.
    public func freeBytes(folder: String) -> Int64? { nil }
}
