internal import MulticamEncoders
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamTiming

/// Distributes one microphone's aligned audio to its tracks, the program and audio taps. Use this type only
/// on the timeline's thread.
final class MicrophoneFeed {
    let input: MicrophoneInput
    let channels: Int
    /// The tracks, in order of start time. All tracks except the last have ended or will end before the last
    /// one begins.
    private(set) var tracks: [MicrophoneTrack] = []
    /// The feed of the microphone's voice source, from which echo and noise are removed. The program mixes
    /// this feed instead of the microphone's own audio. The value is `nil` without a voice source.
    var voice: MicrophoneFeed?
    /// Measures the loudness of the current track, or of the microphone if it doesn't have a track.
    private(set) var loudness: LoudnessStream?
    private(set) var failure: EncodingError?
    private var failureCount = 0
    private let audio: AudioTrack
    private let taps: TapRegistry?
    private var windows: [AudioWindow] = []
    private let start: ClockTime
    private let firstAudible: Int64
    private var outages: OutageLog
    private var holes: AudioGaps
    private var damage: AudioDamage
    /// The reason why the device is disconnected, or `nil` while the device is present.
    private var absence: String?
    /// Whether the program uses the voice source, according to the last reported state.
    private var hasVoice = true
    /// The reason why the microphone is switched off, or `nil` while it is on.
    private var muteReason: String?
    private var events: [SessionEvent] = []
    private var outageEventLimiter: OutageEventLimiter
    /// Index of the next sample that the feed returns.
    private(set) var position: Int64
    /// Whether the device delivered audio, and whether any of that audio was not digital silence.
    private var (hasAudio, hasSignal) = (false, false)

    /// Maximum sample value that counts as digital silence: one 16-bit step.
    private static let silenceThreshold: Float = 1 / 32768

    /// Maximum number of resampler failures. After this number of failures, the remaining audio is silence, rather than
    /// a mixture of audio and silence.
    private static let maxFailures = 4

    /// Creates the feed of one microphone.
    ///
    /// - Parameters:
    ///   - input: The microphone that supplies the audio.
    ///   - resampler: Converts from the device's format to 48 kHz. After this call, only the new feed may use
    ///     the resampler.
    ///   - start: T0, the time of sample 0.
    ///   - first: Index of the first sample of the feed.
    ///   - firstAudible: Index of the first sample that contains the microphone's audio. Earlier samples are silence and don't
    ///     count as missing.
    ///   - taps: The registry of the taps that receive the aligned audio.
    init(
        input: MicrophoneInput, resampler: sending any Resampling, start: ClockTime, first: Int64 = 0,
        firstAudible: Int64 = 0, taps: TapRegistry? = nil
    ) {
        self.input = input
        self.start = start
        self.firstAudible = firstAudible
        self.taps = taps
        outages = OutageLog(track: input.role, start: start)
        holes = AudioGaps(track: input.role)
        damage = AudioDamage(track: input.role)
        outageEventLimiter = OutageEventLimiter(
            of: "microphone \(input.role)", kind: SourceKind(input.source.device))
        channels = input.channels
        position = first
        audio = AudioTrack(
            resampler: resampler, format: AudioFormat(rate: input.source.format.rate, channels: channels),
            start: start, first: first)
    }

    /// The microphone's role.
    var role: String { input.role }

    /// The gaps of the feed's tracks, each limited to its track. If the feed has no track, this list contains
    /// the microphone's gaps.
    var gaps: [Gap] {
        let all = (outages.gaps + holes.gaps + damage.gaps).sorted { $0.from < $1.from }
        return tracks.isEmpty ? all : tracks.flatMap { $0.parts(of: all) }
    }

    /// Total duration of silence in the tracks caused by missing audio, including a current outage. If the
    /// feed has no track, the value is the total length of the microphone's gaps.
    var missing: Nanoseconds {
        guard tracks.isEmpty else {
            return .duration(
                of: tracks.reduce(0) { $0 + $1.counts.totalSilence },
                perSecond: Int64(AudioFormat.sessionRate)
            )
        }
        return Nanoseconds(Int64(gaps.reduce(0) { $0 + $1.length }))
    }

    /// Begins a track at a sample that `advance` has not reached yet.
    func add(_ track: MicrophoneTrack) {
        tracks.append(track)
        measure(with: track.loudness)
    }

    /// Sets the stream that measures the microphone's loudness from now on.
    func measure(with loudness: LoudnessStream?) { self.loudness = loudness }

    /// Whether the microphone and its voice source missed their deadline and haven't caught up yet.
    private var hasTimedOut = false

    /// Audio with a timestamp before this instant is too late. The value is `nil` unless the stage waited longer than
    /// usual for the audio.
    private var acceptedFrom: ClockTime?

    /// Whether the microphone's audio from before an instant has arrived or is no longer expected.
    ///
    /// - Parameters:
    ///   - instant: The instant, on the session's clock.
    ///   - due: Audio before this instant would be abandoned if the stage didn't wait for late audio.
    ///   - isPastDeadline: Whether audio that has not arrived by now is abandoned.
    /// - Returns: `true` when no more audio from before the instant is expected.
    func hasArrived(before instant: ClockTime, due: ClockTime, isPastDeadline: Bool) -> Bool {
        // Audio with a wrong timestamp must not fill the time reserved for late audio.
        if input.deviatesFromClock { acceptedFrom = due }
        let hasOwn = input.hasDelivered(until: instant)
        hasTimedOut = !hasOwn && (hasTimedOut || isPastDeadline)
        let hasVoice = voice?.hasArrived(before: instant, due: due, isPastDeadline: isPastDeadline) ?? true
        return (hasOwn || hasTimedOut) && hasVoice
    }

    /// Advances the feed, and returns the interleaved samples up to index `end`. The samples are also
    /// recorded and delivered to taps.
    func advance(to end: Int64) -> [Float] {
        for delivery in input.dequeueDeliveries() { receive(delivery) }
        var samples = audio.dequeue(upTo: end)
        var silent = audio.dequeueHoles().map { $0.clamped(to: firstAudible..<Int64.max) }.filter {
            !$0.isEmpty
        }
        var damaged = audio.dequeueDamagedRanges()
        var clipped = input.drainOverloads(
            through: time(ofSample: end))
        if muteReason != nil {
            samples = Array(repeating: 0, count: samples.count)
            (silent, damaged) = ([position..<end], [])
            clipped = 0
        }
        detectSignal(samples, besides: silent)
        let missing =
            (holes.causes(of: silent, besides: outages)
            + damaged.map { MissingAudio(samples: $0, cause: .corrupt) }).sorted {
                $0.samples.lowerBound < $1.samples.lowerBound
            }
        for window in windows { window.append(samples, missing: missing) }
        let block = AudioBlock(samples, fates: Self.fates(of: position..<end, missing: missing))
        recordDrops(holes.add(silent, through: end, besides: outages))
        recordDamage(damage.add(damaged, through: end))
        if let taps, taps.wantsAudio(of: role) {
            taps.forward(
                AudioTap.Slice(
                    firstSample: position, capturedAt: time(ofSample: position), channels: channels,
                    samples: samples), of: role)
        }
        for track in tracks where !track.hasEnded {
            track.append(block, at: position, clipped: clipped)
        }
        // A track measures its own loudness, so the feed measures loudness only if no track exists.
        if tracks.isEmpty { loudness?.add(samples) }
        if let last = tracks.last, last.hasEnded { loudness = nil }
        position = end
        return samples
    }

    /// Returns the audio that the program mixes for a range of samples: the voice source, or the microphone's own audio
    /// if the voice source doesn't exist or is unavailable.
    ///
    /// - Parameters:
    ///   - own: The samples that `advance` returned for the range.
    ///   - end: Index of the sample after the range.
    /// - Returns: The samples, interleaved, and their number of channels.
    func programAudio(_ own: [Float], to end: Int64) -> (samples: [Float], channels: Int) {
        guard let voice else { return (own, channels) }
        let samples = voice.advance(to: end)
        let isPresent = voice.absence == nil
        // The microphone's feed reports the outages of the device. Outages of the voice source are reported by a
        // warning while the microphone is present.
        _ = voice.dequeueEvents()
        if isPresent != hasVoice, absence == nil {
            hasVoice = isPresent
            let text =
                isPresent
                ? "the program uses the processed audio of \(role) again."
                : "the sound server no longer processes the audio of \(role). The program uses the unprocessed audio."
            events.append(
                SessionEvent(
                    warning: text, at: AudioGrid.samples.time(ofTick: position), track: role))
        }
        // While the microphone is disconnected, the sound server may use another microphone for the voice source.
        return isPresent && absence == nil && muteReason == nil ? (samples, voice.channels) : (own, channels)
    }

    /// Creates an `AudioWindow` that receives every sample. Call this method before the first sample is
    /// processed.
    func makeWindow() -> AudioWindow {
        let window = AudioWindow(channels: channels)
        windows.append(window)
        return window
    }

    /// Switches the microphone off or on, starting with the next block of audio. A microphone that is off is
    /// silent in its track and in the program.
    ///
    /// - Parameter reason: The reason why the microphone is off, or `nil` to switch the microphone on.
    func setMuteReason(_ reason: String?) {
        guard (reason == nil) != (muteReason == nil) else { return }
        muteReason = reason
        updateOutage(at: time(ofSample: position))
    }

    /// Whether the device delivered audio, and all of it was digital silence.
    var isSilent: Bool { hasAudio && !hasSignal }

    /// Returns the fates of a range of samples. Tracks begin at `firstAudible` or later, so no track contains the
    /// silence before `firstAudible`.
    ///
    /// - Parameters:
    ///   - range: The range of samples.
    ///   - missing: The parts without audio, in order and without overlap.
    /// - Returns: The fates of the samples, in order.
    private static func fates(of range: Range<Int64>, missing: [MissingAudio]) -> AudioFateRun {
        var fates = AudioFateRun()
        for part in missing {
            fates.append(.captured, count: Int(part.samples.lowerBound - range.lowerBound) - fates.count)
            fates.append(.silence(part.cause), count: part.samples.count)
        }
        fates.append(.captured, count: range.count - fates.count)
        return fates
    }

    private func detectSignal(_ samples: [Float], besides missing: [Range<Int64>]) {
        guard !hasSignal else { return }
        if missing.reduce(0, { $0 + $1.count }) * channels < samples.count { hasAudio = true }
        hasSignal = samples.contains { abs($0) > Self.silenceThreshold }
    }

    private func time(ofSample index: Int64) -> ClockTime {
        start + Nanoseconds(AudioGrid.samples.time(ofTick: index).nanoseconds)
    }

    private func updateOutage(at time: ClockTime) {
        if let muteReason {
            outages.begin(at: time, cause: muteReason, loss: .reconfigured)
        } else if let absence {
            outages.begin(at: time, cause: absence)
        } else {
            outages.end(at: time)
        }
    }

    /// Ends the feed and its tracks. Don't call `advance` after this call.
    func finish(at end: MediaTime) {
        recordDrops(holes.finish(besides: outages))
        recordDamage(damage.finish())
        outages.finish(at: start + Nanoseconds(end.nanoseconds))
        for track in tracks { track.finish() }
        if tracks.isEmpty { loudness?.finish() }
        voice?.finish(at: end)
    }

    private func receive(_ delivery: MicrophoneInput.Delivery) {
        switch delivery {
        case .audio(let captured, let time, let clock, let damaged):
            if time < self.time(ofSample: position) || failureCount > 0 { holes.recordLateAudio() }
            if let acceptedFrom, time < acceptedFrom {
                holes.recordLateAudio()
                break
            }
            guard failureCount < Self.maxFailures else { break }
            do throws(EncodingError) {
                try audio.add(input.selectedSamples(of: captured), at: time, clock: clock, damaged: damaged)
            } catch {
                // The slice is replaced by silence, and the manifest lists the cause.
                failureCount += 1
                if failure == nil {
                    failure = error
                    events.append(
                        SessionEvent(
                            warning:
                                "microphone \(role) can't be aligned, so its audio is replaced by silence: "
                                + error.description.printable(limit: 1000),
                            at: AudioGrid.samples.time(ofTick: position), track: role))
                }
            }
        case .lost(let cause, let time): holes.recordLoss(at: MediaTime(time, since: start), cause: cause)
        case .away(let time, let cause), .ended(let time, let cause):
            absence = cause
            updateOutage(at: time)
        case .returned(let time):
            absence = nil
            updateOutage(at: time)
        case .warning: break
        }
        if let event = delivery.event(of: role, since: start).flatMap({ outageEventLimiter.filter($0) }) {
            events.append(event)
        }
    }

    private func recordDrops(_ gaps: [Gap], text: String? = nil) {
        for gap in gaps {
            let drop = SessionEvent.Drop(
                track: tracks.last?.name ?? role, cause: gap.cause,
                duration_ns: gap.to.nanoseconds - gap.from.nanoseconds, text: text)
            events.append(SessionEvent(.drop(drop), at: gap.from))
        }
    }

    private func recordDamage(_ gaps: [Gap]) {
        recordDrops(
            gaps,
            text:
                "microphone \(role) delivered invalid samples (not a number, or far beyond full scale). "
                + "These samples were replaced by silence. Check the microphone's driver, or its source file."
        )
    }

    /// Returns the device events since the last call.
    func dequeueEvents() -> [SessionEvent] {
        defer { events.removeAll() }
        return events
    }
}
