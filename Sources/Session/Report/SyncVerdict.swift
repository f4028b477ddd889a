internal import Media

/// Whether a recording is sound, by what its manifest says: a level and a sentence for each thing to know.
struct SyncVerdict: Equatable {
    enum Level: Int, Comparable {
        case good, look, bad

        static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    private(set) var level = Level.good
    private(set) var sentences: [String] = []

    /// From this share of lost pictures or silent samples on, a track is not what it should be.
    private static let badShare = 0.01
    /// A gap of this length shows a slate.
    private static let badGap: Int64 = 1_000_000_000
    /// A clock that is known worse may be seen or heard.
    private static let looseClock = 1000.0

    init(_ manifest: Manifest) {
        if manifest.recovery != nil {
            note(.look, "The recording did not come to its end: what was on the disk was recovered.")
        }
        for track in manifest.tracks {
            if let failure = track.failure { note(.bad, "\(track.name) ended early: \(failure)") }
            if let frames = track.frames { judge(frames, of: track.name) }
            if let samples = track.samples { judge(samples, of: track.name) }
        }
        for name in Set(manifest.gaps.map(\.track)).sorted() {
            let gaps = manifest.gaps.filter { $0.track == name }
            let longest = gaps.map { $0.to.nanoseconds - $0.from.nanoseconds }.max() ?? 0
            let length = "\(Self.seconds(longest)) s"
            note(
                longest >= Self.badGap ? .bad : .look,
                gaps.count == 1
                    ? "\(name) has a gap of \(length)."
                    : "\(name) has \(gaps.count) gaps, the longest of \(length).")
        }
        for device in manifest.devices where device.clock.residual_us > Self.looseClock {
            note(
                .look,
                "The clock of \(device.role) is known to ±\((device.clock.residual_us / 100).rounded() / 10) ms only."
            )
        }
        if sentences.isEmpty {
            let worst = manifest.devices.map(\.clock.residual_us).max() ?? 0
            sentences = [
                "Every picture and every sample is there, and every clock is known to \(max((worst / 10).rounded(.up) / 100, 0.01)) ms."
            ]
        }
    }

    private mutating func judge(_ frames: Manifest.Frames, of name: String) {
        let lost = frames.lost.values.reduce(0, +)
        guard lost > 0 else { return }
        let causes = frames.lost.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" }
        let isBad = Double(lost) >= Self.badShare * Double(frames.captured + lost)
        note(
            isBad ? .bad : .look,
            "\(name) lost \(lost) of \(Self.counted(frames.captured + lost, "picture")) (\(causes.joined(separator: ", ")))."
        )
    }

    private mutating func judge(_ samples: Manifest.Samples, of name: String) {
        guard samples.filled > 0 else { return }
        let isBad = Double(samples.filled) >= Self.badShare * Double(samples.written)
        let length = samples.filled * 1_000_000_000 / Int64(SoundFormat.sessionRate)
        note(isBad ? .bad : .look, "\(name) is silent for \(Self.seconds(length)) s where no sound came.")
    }

    private mutating func note(_ level: Level, _ sentence: String) {
        self.level = max(self.level, level)
        sentences.append(sentence)
    }

    private static func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    private static func seconds(_ nanoseconds: Int64) -> Double {
        (Double(nanoseconds) / 1e6).rounded() / 1000
    }
}
