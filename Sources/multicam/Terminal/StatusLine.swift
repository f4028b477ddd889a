import Media
import Session

/// Tells people how a recording goes: one line that is written over on a terminal, a line every 10 s elsewhere.
struct StatusLine {
    /// What the line says, without control characters, cut to the terminal's width.
    static func text(_ status: SessionStatus) -> String {
        var parts: [String] = []
        switch status.phase {
        case .starting: return "waiting for the devices"
        case .standby: parts.append("○ standby")
        case .recording: parts.append("● \(clock(status.time))")
        case .finishing: parts.append("■ finishing \(clock(status.time))")
        }
        // First, as the line is cut at the terminal's width.
        if let factor = status.pressure?.factors.first {
            parts.append("\(factor.level.rawValue): \(factor.cause.rawValue)")
        }
        if let last = status.givenUp.last {
            let more = status.givenUp.count > 1 ? " and \(status.givenUp.count - 1) more" : ""
            parts.append("given up: \(last)\(more)")
        }
        for camera in status.cameras {
            let rate = Int64((camera.rate * 10).rounded())
            let lost = camera.lost > 0 ? " −\(camera.lost)" : ""
            parts.append("\(camera.role) \(rate / 10).\(rate % 10)/s \(sureness(camera.clock))\(lost)")
        }
        for microphone in status.microphones {
            let words =
                [meter(microphone.level.peak)] + microphone.alarms.map(SoundText.word)
                + [microphone.loudness?.shortTerm].compactMap { $0.map(SoundText.loudness) }
            parts.append(
                "\(microphone.role) \(words.joined(separator: " ")) \(sureness(microphone.clock))")
        }
        if let time = status.pressure?.diskTime {
            let seconds = time.count / 1_000_000_000
            parts.append(seconds < 120 ? "disk \(seconds) s" : "disk \(seconds / 60) min")
        }
        return parts.joined(separator: "  ").printable(limit: 400)
    }

    /// `±0.3 ms`, rounded up; what is not known yet, or not any more, is said.
    private static func sureness(_ clock: ClockReading) -> String {
        guard clock.isLocked else { return "(clock unsure)" }
        let tenths = max(1, (clock.residual.count + 99_999) / 100_000)
        return "±\(tenths / 10).\(tenths % 10) ms"
    }

    /// `0:03:07`.
    private static func clock(_ time: MediaTime) -> String {
        let seconds = time.nanoseconds / 1_000_000_000
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    }

    /// Eight steps of 6 dB up to full scale.
    private static func meter(_ peak: Float) -> String {
        var steps = 0
        var level = peak
        while steps < 8, level > 0.0039 {
            level /= 2
            steps += 1
        }
        return String(repeating: "▮", count: steps) + String(repeating: "▯", count: 8 - steps)
    }
}
