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
}
