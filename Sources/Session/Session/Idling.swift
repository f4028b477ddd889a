internal import Inputs
internal import Media
internal import SessionFolder
internal import Timing

/// Observes the devices between two recordings: their events and their status. Times count from the beginning of the
/// pause.
struct Idling {
    private let inputs: SessionInputs
    private let start: ClockTime

    init(_ inputs: SessionInputs, since start: ClockTime) {
        self.inputs = inputs
        self.start = start
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
        status.cameras = inputs.cameras.map { camera in
            let clock = camera.clockReading
            let rate = camera.isAway ? 0 : 1e9 / Double(max(clock.interval.count, 1))
            return SessionStatus.Camera(role: camera.role, rate: rate, lost: 0, clock: clock)
        }
        status.microphones = inputs.microphones.map { SessionStatus.Microphone($0) }
        return status
    }
}
