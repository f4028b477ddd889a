/// Tells what the computer says of itself while a session runs.
public protocol HostReading: Sendable {
    /// Looks anew.
    ///
    /// May block for as long as a driver or a disk does not answer: on a thread that may wait, never in a Swift task.
    ///
    /// - Parameters:
    ///   - folder: The session folder, for what its disk still holds.
    ///   - time: Now, on the session clock.
    /// - Returns: What could be read, and what could not.
    func read(folder: String, at time: ClockTime) -> HostState
}
