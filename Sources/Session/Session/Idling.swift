internal import Media
internal import SessionFolder
internal import Timing

/// Devices between two recordings: what happens to them, and how they are. Times count from its beginning.
struct Idling {
    private let inputs: SessionInputs
    private let start: ClockTime

    init(_ inputs: SessionInputs, since start: ClockTime) {
        self.inputs = inputs
        self.start = start
    }

    /// Lets go what no recording will have, and listens.
    ///
    /// - Parameter time: Now.
    /// - Returns: What has become of devices, and is the matter with microphones, since the last call.
    func takeNews(at time: ClockTime) -> [SessionEvent] {
        let heard = time - inputs.slowestDelivery
        return inputs.takeNews(since: start)
            + inputs.microphones.flatMap { microphone in
                microphone.takeAlarms(through: heard).map {
                    SessionEvent($0, of: microphone.role, since: start)
                }
            }
    }

    func status(at time: ClockTime) -> SessionStatus {
        var status = SessionStatus()
        status.phase = .standby
        status.time = MediaTime(time, since: start)
        status.cameras = inputs.cameras.map { camera in
            let clock = camera.clockReading
            let rate = camera.isAway ? 0 : 1e9 / Double(max(clock.interval.count, 1))
            return SessionStatus.Camera(role: camera.role, rate: rate, lost: 0, clock: clock)
        }
        status.microphones = inputs.microphones.map { SessionStatus.Microphone($0) }
        return status
    }
}
