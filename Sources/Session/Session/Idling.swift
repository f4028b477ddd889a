internal import Inputs
internal import Media
internal import Monitoring
internal import SessionFolder
internal import Timing

/// Observes the devices between two recordings: their events and their status. Times count from the beginning of the
/// pause.
struct Idling {
    private let inputs: SessionInputs
    private let start: ClockTime
    private let freeSpace: FreeSpaceWatch?

    /// - Parameters:
    ///   - inputs: The devices.
    ///   - start: When the pause began.
    ///   - freeSpace: Reads the room where recordings are written; `nil` reads nothing.
    init(_ inputs: SessionInputs, since start: ClockTime, freeSpace: FreeSpaceWatch? = nil) {
        self.inputs = inputs
        self.start = start
        self.freeSpace = freeSpace
    }

    /// Drops what no recording will have, and collects the devices' events.
    ///
    /// - Parameter time: The present instant.
    /// - Returns: What happened to devices, and which audio alarms began or ended, since the last call.
    func takeNews(at time: ClockTime) -> [SessionEvent] {
        let heard = time - inputs.slowestDelivery
        return inputs.takeNews(since: start)
            + inputs.microphones.flatMap { microphone in
                microphone.takeAlarms(through: heard).map {
                    SessionEvent($0, of: microphone.role, since: start)
                }
            }
    }

    /// Time since the pause began.
    func position(at time: ClockTime) -> MediaTime { MediaTime(time, since: start) }

    /// The status of the devices on standby.
    func status(at time: ClockTime) -> SessionStatus {
        var status = SessionStatus()
        status.phase = .standby
        status.time = position(at: time)
        status.takenAt = time
        status.cameras = inputs.cameras.map { SessionStatus.Camera($0, standsBy: true) }
        status.microphones = inputs.microphones.map { SessionStatus.Microphone($0) }
        status.freeBytes = freeSpace?.bytes
        return status
    }
}
