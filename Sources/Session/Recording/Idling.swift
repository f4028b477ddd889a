internal import Media

/// Devices between two recordings: what happens to them, and how they are. Times count from its beginning.
struct Idling {
    private let inputs: SessionInputs
    private let start: ClockTime
    private var levels: [SoundLevel]

    init(_ inputs: SessionInputs, since start: ClockTime) {
        self.inputs = inputs
        self.start = start
        levels = inputs.microphones.map { _ in SoundLevel() }
    }

    /// Lets go what no recording will have, and listens.
    ///
    /// - Returns: What has become of devices since the last call.
    mutating func takeNews() -> [SessionEvent] {
        for (index, microphone) in inputs.microphones.enumerated() {
            for sound in microphone.takeUnheard() {
                levels[index].take(microphone.picked(sound), channels: microphone.channels)
            }
        }
        return inputs.takeNews(since: start)
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
        status.microphones = zip(inputs.microphones, levels).map { microphone, level in
            SessionStatus.Microphone(role: microphone.role, peak: level.peak, clock: microphone.clockReading)
        }
        return status
    }
}
