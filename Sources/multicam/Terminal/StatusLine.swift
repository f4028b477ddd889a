import MulticamInputs
import MulticamMedia
internal import MulticamMonitoring
import MulticamSession
internal import MulticamSessionFolder
import MulticamTiming

/// Formats the state of a recording as one line, for a terminal or a log.
struct StatusLine {
    private let status: SessionStatus
    private let detail: Detail

    /// Level of abbreviation for a status line that is too long for the terminal. Each level includes the
    /// abbreviations of all previous levels.
    private enum Detail: Int, CaseIterable, Comparable {
        case all, unstableClocksOnly, noLoudness, shortFigures, adviceOnly, givenUpCounted, devicesCounted,
            nothingGivenUp

        static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// Formats the state of a recording, without control characters.
    ///
    /// - Parameters:
    ///   - status: The state of the session.
    ///   - columns: The maximum number of characters; `nil` for no limit.
    /// - Returns: One line with at most `columns` characters.
    static func text(_ status: SessionStatus, columns: Int? = nil) -> String {
        var text = ""
        for detail in Detail.allCases {
            let line = Self(status: status, detail: detail)
            text = line.whole
            guard let columns, text.count > columns else { return text }
        }
        // The time until the disk is full is always shown, even if other parts of the line are truncated.
        let end = Self(status: status, detail: .devicesCounted).disk ?? ""
        guard let columns, columns > end.count + 2 else { return text }
        return text.prefix(columns - end.count - 2) + "… " + end
    }

    private var whole: String {
        guard let head else { return "waiting for the devices" }
        let parts =
            [head, pressure, givenUp].compactMap(\.self) + live + cameras + microphones
            + [disk].compactMap(\.self)
        return parts.joined(separator: detail < .shortFigures ? " │ " : " ").printable(limit: 400)
    }

    private var head: String? {
        switch status.phase {
        case .starting: nil
        case .standby: "○ standby"
        case .recording: "● \(Self.clock(status.time))"
        case .finishing: "■ finishing \(Self.clock(status.time))"
        }
    }

    /// The first factor of system pressure with its remedy: `serious: busy processor, close other programs`.
    /// If space is limited, the cause is omitted before the remedy.
    private var pressure: String? {
        guard let factor = status.pressure?.factors.first else { return nil }
        let advice = factor.advice.prefix { $0 != "," && $0 != "(" }
        let cause = detail < .adviceOnly ? "\(factor.cause.summary), " : ""
        return "\(factor.level.rawValue): \(cause)\(advice)"
    }

    private var givenUp: String? {
        guard let last = status.reductions.last, detail < .nothingGivenUp else { return nil }
        guard detail < .givenUpCounted else { return "reduced: \(status.reductions.count)" }
        let more = status.reductions.count > 1 ? " and \(status.reductions.count - 1) more" : ""
        return "reduced: \(last)\(more)"
    }

    /// The state of the live outputs: `live show`, or the reason why an output isn't live.
    private var live: [String] {
        let wanted = status.liveOutputs.filter { ![.off, .ended].contains($0.state) }
        let connected = wanted.count { $0.state == .connected }
        guard detail < .devicesCounted || wanted.count < 2 else {
            return ["live \(connected)/\(wanted.count)"]
        }
        return wanted.map { $0.state == .connected ? "live \($0.name)" : "\($0.name) \($0.state.rawValue)" }
    }

    private var cameras: [String] {
        if detail >= .devicesCounted, status.cameras.count > 1 {
            let lost = status.cameras.reduce(0) { $0 + $1.lost }
            return ["\(status.cameras.count) cameras\(lost > 0 ? " −\(lost)" : "")"]
        }
        return status.cameras.map { camera in
            let rate = Int64(rounding: camera.rate * 10)
            let words = [
                camera.role,
                detail < .shortFigures ? "\(rate / 10).\(rate % 10) fps" : "\((rate + 5) / 10)",
                camera.lost > 0 ? "−\(camera.lost)" : nil, clockAccuracy(camera.clock),
            ]
            return words.compactMap(\.self).joined(separator: " ")
        }
    }

    private var microphones: [String] {
        if detail >= .devicesCounted, status.microphones.count > 1 {
            let alarms = Set(status.microphones.flatMap(\.alarms).map(AudioText.word)).sorted()
            return [(["\(status.microphones.count) mics"] + alarms).joined(separator: " ")]
        }
        return status.microphones.map { microphone in
            var words = [microphone.role, meter(microphone.level.peak)]
            words += microphone.alarms.map(AudioText.word)
            if detail < .noLoudness, let loudness = microphone.loudness?.shortTerm {
                words.append(AudioText.loudness(loudness))
            }
            if microphone.missing > .zero {
                let hundredths = (microphone.missing.count + 9_999_999) / 10_000_000
                words.append("−\(hundredths / 100).\(hundredths % 100 / 10)\(hundredths % 10) s")
            }
            words += [clockAccuracy(microphone.clock)].compactMap(\.self)
            return words.joined(separator: " ")
        }
    }

    private var disk: String? {
        guard let time = status.pressure?.diskTime else { return nil }
        let seconds = time.count / 1_000_000_000
        if seconds < 120 { return "disk \(seconds) s" }
        return seconds < 600 * 60 ? "disk \(seconds / 60) min" : "disk \(seconds / 3600) h"
    }

    /// Formats the accuracy of a device's clock model, rounded up: `clock ±0.3 ms`. If the accuracy is
    /// unknown, the text is `clock unstable` or `clock?`.
    private func clockAccuracy(_ clock: ClockReading) -> String? {
        guard clock.isLocked else { return detail < .shortFigures ? "clock unstable" : "clock?" }
        guard detail < .unstableClocksOnly else { return nil }
        let tenths = max(1, (clock.residual.count + 99_999) / 100_000)
        return "clock ±\(tenths / 10).\(tenths % 10) ms"
    }

    /// Formats a time in hours, minutes, and seconds: `0:03:07`.
    private static func clock(_ time: MediaTime) -> String {
        let seconds = time.nanoseconds / 1_000_000_000
        return "\(seconds / 3600):\((seconds / 60 % 60).padded(2)):\((seconds % 60).padded(2))"
    }

    /// Returns a text-based level meter with eight steps of 6 dB or four steps of 12 dB below full scale.
    private func meter(_ peak: Float) -> String {
        var steps = 0
        var level = peak
        while steps < 8, level > 0.0039 {
            level /= 2
            steps += 1
        }
        let (shown, all) = detail < .shortFigures ? (steps, 8) : ((steps + 1) / 2, 4)
        return String(repeating: "▮", count: shown) + String(repeating: "▯", count: all - shown)
    }
}

/// Formats audio levels and alarms as short texts.
enum AudioText {
    /// Formats a loudness in LUFS: `−23.1 LUFS`.
    static func loudness(_ value: Double) -> String {
        "\(value < 0 ? "−" : "")\(abs(value).decimals(1)) LUFS"
    }

    static func word(_ alarm: AudioAlarm.Kind) -> String {
        switch alarm {
        case .noSignal: "NO SIGNAL"
        case .silence: "SILENT"
        case .clipping: "TOO LOUD"
        }
    }
}
