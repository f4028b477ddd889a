package import MulticamMedia
internal import MulticamMonitoring
package import MulticamProfiles
package import MulticamSession
package import MulticamSessionFolder
package import MulticamTiming

/// The verdict on a run: whether it passed, the reasons for a failure, and the limiting part of the system.
package struct StressJudgment: Sendable, Equatable {
    /// Whether the run passed.
    package let verdict: StressCertificate.Verdict
    /// The limiting part of the system; `nil` if the run passed.
    package let cause: StressCause?
    /// The reasons why the run failed, one sentence each, starting with the most important one; empty if the run
    /// passed.
    package let reasons: [String]

    /// Evaluates a recording that started. The reasons are sorted by importance: failures, then disconnections and
    /// losses, then pressure and clocks.
    package init(_ findings: StressFindings, limits: StressLimits) {
        var reasons: [(cause: StressCause, sentence: String)] = []
        reasons += findings.storageFailures.map { (.disk, $0) }
        reasons += findings.encodingFailures.map { (.processor, $0) }
        // Disconnections are listed first because they explain losses.
        reasons += Self.disconnectionReasons(findings.gaps)
        reasons += findings.tracks.compactMap { Self.loss(of: $0, limits) }
        reasons += findings.silences.map { (.device, $0) }
        if limits.checksPressureAndClocks {
            if let pressure = findings.pressure, pressure.peak > .serious {
                let worst = pressure.factors.filter { $0.level == pressure.peak }.map(\.text)
                let causes = worst.isEmpty ? "" : ": " + worst.joined(separator: "; ")
                reasons.append((.pressure, "System pressure was \(pressure.peak.rawValue)\(causes)."))
            }
            reasons += findings.unlocked.map {
                (
                    .device,
                    "The clock of \($0) was unreliable at the end of the run: its timestamps varied or jumped."
                )
            }
        }
        verdict = reasons.isEmpty ? .held : .failed
        let isStorage = !findings.storageFailures.isEmpty || !findings.encodingFailures.isEmpty
        cause =
            isStorage
            ? reasons.first?.cause : Self.heaviest(findings.tracks, limits) ?? reasons.first?.cause
        self.reasons = reasons.map { $0.sentence.printable(limit: 1000) }
    }

    /// Evaluates a recording that didn't start.
    ///
    /// - Parameters:
    ///   - cause: The cause that the error suggests.
    ///   - sentence: A description of the failure and its reason.
    ///   - isSilent: Whether a device started but delivered no data. If so, and if an overload of the processor was
    ///     predicted, the overload is the cause.
    ///   - predicted: The prediction for the run.
    package init(
        notStarted cause: StressCause, _ sentence: String, isSilent: Bool = false,
        predicted: StressCertificate.Predicted? = nil
    ) {
        verdict = .notRun
        let processor = predicted?.terms.filter { $0.resource == "cpu" || $0.resource.hasPrefix("thread:") }
        if isSilent, let worst = processor?.map(\.used).max(), worst > 1 {
            self.cause = .processor
            let times = (worst * 10).rounded() / 10
            reasons = [
                "The predicted processor load was \(times) times the available capacity, so a device delivered no data.",
                sentence,
            ].map { $0.printable(limit: 1000) }
        } else {
            self.cause = cause
            reasons = [sentence.printable(limit: 1000)]
        }
    }

    private static func loss(
        of track: StressCertificate.Track, _ limits: StressLimits
    ) -> (StressCause, String)? {
        let share = track.kind == "microphone" ? limits.lostAudioShare : limits.lostShare
        guard track.lostShare > share else { return nil }
        let limit = share == 0 ? "the limit is 0" : "the limit is \(percent(share)) %"
        guard track.kind != "microphone" else {
            let milliseconds = track.lostInAll * 1000 / Int64(AudioFormat.sessionRate)
            return (.device, "\(track.name) lost \(milliseconds) ms of audio; \(limit).")
        }
        let all = track.captured + track.lostInAll
        let causes = track.lost.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        return (
            heaviest([track], limits) ?? .device,
            "\(track.name) lost \(track.lostInAll) of \(all) frames (\(causes)); \(limit)."
        )
    }

    /// Returns the devices that were disconnected or delivered no data. Each device is listed only once.
    private static func disconnectionReasons(_ gaps: [Gap]) -> [(StressCause, String)] {
        // If a camera has its own track and is also in the program, each outage is reported twice.
        let once = gaps.enumerated().filter { index, gap in !gaps[..<index].contains(gap) }.map(\.element)
        return Set(once.map(\.track)).sorted().map { track in
            let own = once.filter { $0.track == track }
            let length = own.reduce(0) { $0 + $1.to.nanoseconds - $1.from.nanoseconds }
            let causes = Set(own.map(\.cause)).sorted().joined(separator: ", ")
            let times = own.count == 1 ? "once" : "\(own.count) times"
            return (
                .device,
                "\(track) was disconnected or silent \(times), for a total of \((Double(length) / 1e8).rounded() / 10) s (\(causes))."
            )
        }
    }

    /// Returns the cause that accounts for most of the losses beyond the limit. The program's losses include
    /// the losses of its cameras and of its encoder.
    private static func heaviest(_ tracks: [StressCertificate.Track], _ limits: StressLimits) -> StressCause?
    {
        let beyond = tracks.filter { $0.kind != "microphone" && $0.lostShare > limits.lostShare }
        let cameras = beyond.filter { $0.kind == "camera" }
        var counts: [StressCause: Int64] = [:]
        for track in cameras.isEmpty ? beyond : cameras {
            for (word, count) in track.lost {
                guard let cause = LossCause(rawValue: word) else { continue }
                counts[StressCause(cause), default: 0] += count
            }
        }
        if !cameras.isEmpty, let program = beyond.first(where: { $0.kind == "program" }) {
            counts[.processor, default: 0] += program.lost[LossCause.encoder.rawValue] ?? 0
        }
        return StressCause.allCases.max { (counts[$0] ?? 0) < (counts[$1] ?? 0) }
            .flatMap { counts[$0] ?? 0 > 0 ? $0 : nil }
    }

    private static func percent(_ share: Double) -> Double { (share * 1000).rounded() / 10 }
}

/// The data of a recording that determines whether the run passed. This is a value type, so the evaluation has no side
/// effects.
package struct StressFindings: Sendable, Equatable {
    /// The captured and lost frames or samples of each track.
    package var tracks: [StressCertificate.Track]
    /// The periods during which devices delivered no data.
    package var gaps: [Gap]
    /// Descriptions of file failures, one sentence each.
    package var storageFailures: [String]
    /// Descriptions of encoder failures, one sentence each.
    package var encodingFailures: [String]
    /// Messages about microphones that were silent for longer than the profile's limit, one sentence each.
    package var silences: [String]
    /// The system pressure during the recording; `nil` if it wasn't measured.
    package var pressure: Manifest.Pressure?
    /// Roles of the devices with an unreliable clock model at the end.
    package var unlocked: [String]

    /// Creates findings. Each parameter sets the property of the same name.
    package init(
        tracks: [StressCertificate.Track], gaps: [Gap] = [], storageFailures: [String] = [],
        encodingFailures: [String] = [], silences: [String] = [], pressure: Manifest.Pressure? = nil,
        unlocked: [String] = []
    ) {
        self.tracks = tracks
        self.gaps = gaps
        self.storageFailures = storageFailures
        self.encodingFailures = encodingFailures
        self.silences = silences
        self.pressure = pressure
        self.unlocked = unlocked
    }

    /// Creates the findings of a recording.
    ///
    /// - Parameters:
    ///   - result: The result of the recording.
    ///   - silences: One sentence for each microphone that was silent for too long.
    package init(_ result: RecordingResult, silences: [String]) {
        let manifest = result.manifest
        self.init(
            tracks: manifest.tracks.map { track in
                StressCertificate.Track(
                    track,
                    besides: Set(manifest.tracks.filter { $0.kind == "camera" }.map { $0.role ?? $0.name }))
            }, gaps: manifest.gaps,
            storageFailures: result.storageFailures.map(\.description),
            encodingFailures: result.encodingFailures.map(\.description), silences: silences,
            pressure: manifest.cost?.pressure,
            unlocked: manifest.devices.filter { !$0.clock.locked }.map(\.role))
    }
}

extension StressCertificate.Track {
    /// - Parameters:
    ///   - track: The recorded track.
    ///   - others: Roles of the cameras with separate tracks.
    init(_ track: Manifest.Track, besides others: Set<String>) {
        self.init(name: track.name, kind: track.kind, captured: 0, lost: [:])
        if let frames = track.frames {
            captured = Int64(frames.captured)
            lost = frames.lost.mapValues { Int64($0) }
            // If only the program is recorded, its cameras are evaluated by their missing frames in the program.
            for (cause, count) in (track.missing ?? [:]).filter({ !others.contains($0.key) }).flatMap(\.value)
            {
                lost[cause, default: 0] += Int64(count)
            }
        }
        if let samples = track.samples {
            captured = samples.captured
            lost = samples.silence > 0 ? ["silence": samples.silence] : [:]
        }
    }
}

/// The limiting part of the system, which caused a run to fail.
package enum StressCause: String, Sendable, Codable, CaseIterable {
    /// The connection between the cameras and the computer.
    case bus
    /// Encoders, late threads, or drivers that had no free buffer.
    case processor
    case disk
    /// A camera or a microphone.
    case device
    /// The computer as a whole: heat, power, memory.
    case pressure
    /// The formats can't be combined into a plan.
    case setup

    /// Maps the cause of a lost frame to the responsible part of the system. A driver that had no free buffer
    /// indicates an overloaded processor.
    package init(_ loss: LossCause) {
        switch loss.part {
        case .bus: self = .bus
        case .processor: self = .processor
        case .disk: self = .disk
        case .device: self = .device
        }
    }

    /// Maps a device's failure to start to the responsible part of the system.
    package init(_ error: DeviceError) {
        switch error.reason {
        case .noBandwidth: self = .bus
        case .limit: self = .pressure
        default: self = .device
        }
    }

    /// Maps a failed recording to the responsible part of the system.
    package init(_ error: RecordingError) {
        switch error {
        case .device(let error): self = StressCause(error)
        case .file(let error): self = error.limit == nil ? .disk : .pressure
        case .thread: self = .pressure
        case .encoding: self = .processor
        case .unknownRole, .nothingToBackUp, .nothingToWrite, .plan, .stopped, .tap, .busy, .ended,
            .clockNotRealTime, .invalidDuration:
            self = .setup
        }
    }

    /// The name of the part as the subject of a sentence, for example `the bus`.
    package var words: String {
        switch self {
        case .bus: "the bus"
        case .processor: "the processor"
        case .disk: "the disk"
        case .device: "a device"
        case .pressure: "the computer as a whole"
        case .setup: "the plan"
        }
    }
}

/// The maximum losses permitted for a run to pass.
package struct StressLimits: Sendable, Equatable {
    /// Maximum fraction of frames that a track may lose, lost ÷ (captured + lost), 0…1.
    package var lostShare: Double
    /// Maximum fraction of samples that a microphone may lose, silence ÷ (captured + silence), 0…1.
    package var lostAudioShare: Double
    /// Whether system pressure and clocks are also evaluated. Problems with pressure and clocks appear only
    /// in long runs.
    package var checksPressureAndClocks: Bool

    /// Creates the limits of a run.
    ///
    /// - Parameters:
    ///   - limits: The profile's limits. If a limit isn't set, any amount of loss is allowed.
    ///   - checksPressureAndClocks: Whether system pressure and clocks are also evaluated.
    package init(_ limits: RecordingLimits, checksPressureAndClocks: Bool) {
        lostShare = limits.lostFrames ?? 1
        lostAudioShare = limits.lostSamples ?? 1
        self.checksPressureAndClocks = checksPressureAndClocks
    }
}
