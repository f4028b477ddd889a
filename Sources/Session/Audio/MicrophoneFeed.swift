internal import Encoders
internal import Inputs
internal import Media
internal import SessionFolder
internal import Timing

/// One microphone's aligned audio on its way to its tracks, the program and audio taps. Timeline's thread only.
final class MicrophoneFeed {
    let input: MicrophoneInput
    let channels: Int
    /// The tracks in the order of their beginnings. All but the last have ended, or will before the last begins.
    private(set) var tracks: [MicrophoneTrack] = []
    /// The same microphone without echo or noise, which the program mixes in its place; `nil` for none.
    var voice: MicrophoneFeed?
    /// Measures the track that is recorded now, or the microphone when it has no track.
    private(set) var loudness: LoudnessStream?
    private(set) var failure: EncodingError?
    private var failureCount = 0
    private let audio: AudioTrack
    private let taps: TapBoard?
    private var windows: [AudioWindow] = []
    private let start: ClockTime
    private let heard: Int64
    private var outages: OutageLog
    private var holes: AudioGaps
    private var damage: AudioDamage
    /// Why the device is away, or `nil` while it is present.
    private var absence: String?
    /// Whether the program has the voice, as told last.
    private var hasVoice = true
    /// Why the microphone is switched off, or `nil` while it is on.
    private var offReason: String?
    private var events: [SessionEvent] = []
    private var telling: OutageTelling
    /// Index of the next sample.
    private(set) var position: Int64

    /// Failures of the resampler after which the rest is silence, rather than a patchwork of audio and silence.
    private static let mostFailures = 4

    /// Creates the feed of one microphone.
    ///
    /// - Parameters:
    ///   - input: The microphone.
    ///   - resampler: Converts from the device's format to 48 kHz; used by this feed alone from here on.
    ///   - start: T0, the time of sample 0.
    ///   - first: Index of the first sample of the feed.
    ///   - heard: Index of the sample from which the microphone is heard: before it is silence, and nothing is missing there.
    ///   - taps: Sinks for the aligned audio.
    init(
        input: MicrophoneInput, resampler: sending any Resampling, start: ClockTime, first: Int64 = 0,
        heard: Int64 = 0, taps: TapBoard? = nil
    ) {
        self.input = input
        self.start = start
        self.heard = heard
        self.taps = taps
        outages = OutageLog(track: input.role, start: start)
        holes = AudioGaps(track: input.role)
        damage = AudioDamage(track: input.role)
        telling = OutageTelling(of: "microphone \(input.role)")
        channels = input.channels
        position = first
        audio = AudioTrack(
            resampler: resampler, format: AudioFormat(rate: input.source.format.rate, channels: channels),
            start: start, first: first)
    }

    /// The microphone's role.
    var role: String { input.role }

    /// The gaps of the feed's tracks, each cut to its track; the microphone's gaps when it has no track.
    var gaps: [Gap] {
        let all = (outages.gaps + holes.gaps + damage.gaps).sorted { $0.from < $1.from }
        return tracks.isEmpty ? all : tracks.flatMap { $0.parts(of: all) }
    }

    /// How much of its tracks is silence because audio is missing, also of what goes on to be missing; of a microphone without a track the
    /// length of its gaps.
    var missing: Nanoseconds {
        guard tracks.isEmpty else {
            return .duration(
                of: tracks.reduce(0) { $0 + $1.filled }, perSecond: Int64(AudioFormat.sessionRate))
        }
        return Nanoseconds(Int64(gaps.reduce(0) { $0 + $1.length }))
    }

    /// Begins a track at a sample that `advance` has not come to.
    func begin(_ track: MicrophoneTrack) {
        tracks.append(track)
        measure(with: track.loudness)
    }

    /// Measures the microphone from now on.
    func measure(with loudness: LoudnessStream?) { self.loudness = loudness }

    /// Advances the feed, and returns the samples up to index `end`, interleaved. They are recorded and given to taps
    /// on the way.
    func advance(to end: Int64) -> [Float] {
        for delivery in input.takeDeliveries() { take(delivery) }
        var samples = audio.take(upTo: end)
        var silent = audio.takeHoles().map { $0.clamped(to: heard..<Int64.max) }.filter { !$0.isEmpty }
        var damaged = audio.takeDamaged()
        var clipped = input.takeOverloads(
            through: time(ofSample: end))
        if offReason != nil {
            samples = Array(repeating: 0, count: samples.count)
            (silent, damaged) = ([position..<end], [])
            clipped = 0
        }
        if !windows.isEmpty {
            let missing =
                (holes.causes(of: silent, besides: outages)
                + damaged.map { MissingAudio(samples: $0, cause: .corrupt) }).sorted {
                    $0.samples.lowerBound < $1.samples.lowerBound
                }
            for window in windows { window.append(samples, missing: missing) }
        }
        note(holes.take(silent, through: end, besides: outages))
        noteDamage(damage.take(damaged, through: end))
        if let taps, taps.wantsAudio(of: role) {
            taps.give(
                AudioTap.Slice(
                    firstSample: position, capturedAt: time(ofSample: position), channels: channels,
                    samples: samples), of: role)
        }
        for track in tracks where !track.hasEnded {
            track.take(samples, at: position, silent: silent + damaged, clipped: clipped)
        }
        // Where there is a track, the track measures itself.
        if tracks.isEmpty { loudness?.add(samples) }
        if let last = tracks.last, last.hasEnded { loudness = nil }
        position = end
        return samples
    }

    /// The audio that the program mixes for a stretch: the voice, or the microphone's own audio when there is no
    /// voice or the voice is away.
    ///
    /// - Parameters:
    ///   - own: The samples that `advance` returned for the stretch.
    ///   - end: Index of the sample after the stretch.
    /// - Returns: The samples, interleaved, and their number of channels.
    func heard(_ own: [Float], to end: Int64) -> (samples: [Float], channels: Int) {
        guard let voice else { return (own, channels) }
        let samples = voice.advance(to: end)
        let isPresent = voice.absence == nil
        // The microphone's feed tells the outages of the device. Those of the voice are told by a sentence while the
        // microphone is present.
        _ = voice.takeEvents()
        if isPresent != hasVoice, absence == nil {
            hasVoice = isPresent
            let text =
                isPresent
                ? "the program has the voice of \(role) again."
                : "the sound server does not take anything out of the audio of \(role) any more: the program has it as it is."
            events.append(
                SessionEvent(
                    .warning, at: AudioGrid.samples.time(ofTick: position),
                    ["track": .string(role), "text": .string(text)]))
        }
        // While the microphone is away, the sound server may take the voice from another one.
        return isPresent && absence == nil && offReason == nil ? (samples, voice.channels) : (own, channels)
    }

    /// Makes a window that gets every sample. To be called before the first sample.
    func makeWindow() -> AudioWindow {
        let window = AudioWindow(channels: channels)
        windows.append(window)
        return window
    }

    /// Switches the microphone off or on from the next block on. While off, it is silent in its track and in the
    /// program.
    ///
    /// - Parameter reason: Why it is off, or `nil` for on.
    func switchOff(_ reason: String?) {
        guard (reason == nil) != (offReason == nil) else { return }
        offReason = reason
        noteAbsence(at: time(ofSample: position))
    }

    private func time(ofSample index: Int64) -> ClockTime {
        start + Nanoseconds(AudioGrid.samples.time(ofTick: index).nanoseconds)
    }

    private func noteAbsence(at time: ClockTime) {
        if let offReason {
            outages.begin(at: time, cause: offReason, loss: .change)
        } else if let absence {
            outages.begin(at: time, cause: absence)
        } else {
            outages.end(at: time)
        }
    }

    /// Ends the feed and its tracks: no sample follows.
    func finish(at end: MediaTime) {
        note(holes.finish(besides: outages))
        noteDamage(damage.finish())
        outages.finish(at: start + Nanoseconds(end.nanoseconds))
        for track in tracks { track.finish() }
        if tracks.isEmpty { loudness?.finish() }
        voice?.finish(at: end)
    }

    private func take(_ delivery: MicrophoneInput.Delivery) {
        switch delivery {
        case .audio(let captured, let time, let clock, let damaged):
            if time < self.time(ofSample: position) || failureCount > 0 { holes.comeLate() }
            guard failureCount < Self.mostFailures else { break }
            do throws(EncodingError) {
                try audio.add(input.picked(captured), at: time, clock: clock, damaged: damaged)
            } catch {
                // The slice is silence, and the manifest says why.
                failureCount += 1
                if failure == nil {
                    failure = error
                    events.append(
                        SessionEvent(
                            .warning, at: AudioGrid.samples.time(ofTick: position),
                            [
                                "track": .string(role),
                                "text": .string(
                                    "microphone \(role) cannot be aligned, so its audio is silence: "
                                        + error.description.printable(limit: 1000)),
                            ]))
                }
            }
        case .lost(let cause, let time): holes.lose(at: MediaTime(time, since: start), cause: cause)
        case .away(let time, let cause), .ended(let time, let cause):
            absence = cause
            noteAbsence(at: time)
        case .returned(let time):
            absence = nil
            noteAbsence(at: time)
        }
        if let event = delivery.event(of: role, since: start).flatMap({ telling.told($0) }) {
            events.append(event)
        }
    }

    private func note(_ gaps: [Gap], text: String? = nil) {
        for gap in gaps {
            var fields: [String: JSONValue] = [
                "track": .string(tracks.last?.name ?? role), "cause": .string(gap.cause),
                "duration_ns": .integer(gap.to.nanoseconds - gap.from.nanoseconds),
            ]
            if let text { fields["text"] = .string(text) }
            events.append(SessionEvent(.drop, at: gap.from, fields))
        }
    }

    private func noteDamage(_ gaps: [Gap]) {
        note(
            gaps,
            text:
                "microphone \(role) delivered samples that are no audio (not a number, or far beyond full scale): "
                + "they are silence. Look at its driver, or at the file it plays.")
    }

    /// Returns what happened to the device since the last call.
    func takeEvents() -> [SessionEvent] {
        defer { events.removeAll() }
        return events
    }
}
