internal import Foundation
internal import Media

/// One microphone's track: its aligned sound, its file, its taps and its loudness. Timeline's thread only.
final class MicrophoneTrack {
    let input: MicrophoneInput
    let channels: Int
    private let sound: SoundTrack
    private let writer: WaveWriter?
    /// Fills its stream of a common movie, where there is one.
    var encoder: SoundEncoderLane?
    private let taps: [SoundTap]
    private var windows: [SoundWindow] = []
    private let start: ClockTime
    private var outages: OutageLog
    private var holes: SoundHoles
    /// The same microphone with something taken out, which the program has in its place.
    var voice: MicrophoneTrack?
    /// Whether its device is there.
    private var isPresent = true
    /// Measures it.
    var loudness: LoudnessStream?
    /// Samples at full scale that were parts of overloads.
    private(set) var clipped: Int64 = 0
    private(set) var failure: EncodingError?
    private var events: [SessionEvent] = []
    private var position: Int64 = 0
    private var split: (sample: Int64, relativePath: String, startedAt: Date)?

    /// - Parameters:
    ///   - input: The microphone, whose role is the track's name.
    ///   - resampler: From the device's format; used by this track alone from here on.
    ///   - start: T0, the time of sample 0.
    ///   - writer: The track's own file, where there is one.
    ///   - taps: Sinks for the aligned sound.
    init(
        input: MicrophoneInput, resampler: sending any Resampling, start: ClockTime,
        writer: WaveWriter?,
        taps: [SoundTap]
    ) {
        self.input = input
        self.start = start
        outages = OutageLog(track: input.role, start: start)
        holes = SoundHoles(track: input.role)
        self.writer = writer
        self.taps = taps
        channels = input.channels
        sound = SoundTrack(
            resampler: resampler, format: SoundFormat(rate: input.source.format.rate, channels: channels),
            start: start)
    }

    var role: String { input.role }
    var gaps: [Gap] { (outages.gaps + holes.gaps).sorted { $0.from < $1.from } }
    var written: Int64 { sound.written }
    var filled: Int64 { sound.filled }
    var file: WaveWriter? { writer }

    /// The track's samples up to index `end`, interleaved, written to its file on the way.
    func advance(to end: Int64) -> [Float] {
        for delivery in input.takeDeliveries() { take(delivery) }
        let samples = sound.take(upTo: end)
        let silent = sound.takeHoles()
        if !windows.isEmpty {
            let missing = holes.causes(of: silent, besides: outages)
            for window in windows { window.append(samples, missing: missing) }
        }
        note(holes.take(silent, through: end, besides: outages))
        write(samples, from: position, to: end)
        encoder?.encode(samples)
        for tap in taps {
            tap.offer(SoundTap.Slice(firstSample: position, channels: channels, samples: samples))
        }
        loudness?.add(samples)
        clipped += input.takeOverloads(
            through: start + Nanoseconds(Self.samples.time(ofTick: end).nanoseconds))
        position = end
        return samples
    }

    /// What the program has of the same stretch: the voice, where there is one, and the microphone itself while that is away.
    ///
    /// - Parameters:
    ///   - own: What `advance` returned for it.
    ///   - end: As of `advance`.
    /// - Returns: Interleaved samples and how many channels they have.
    func heard(_ own: [Float], to end: Int64) -> (samples: [Float], channels: Int) {
        guard let voice else { return (own, channels) }
        let wasPresent = voice.isPresent
        let samples = voice.advance(to: end)
        // The device's coming and going is told by the microphone; that of its voice alone by a sentence.
        _ = voice.takeEvents()
        if voice.isPresent != wasPresent, isPresent {
            let text =
                voice.isPresent
                ? "the program has the voice of \(role) again."
                : "the sound server does not take anything out of the sound of \(role) any more: the program has it as it is."
            events.append(
                SessionEvent(
                    .warning, at: Self.samples.time(ofTick: position),
                    ["track": .string(role), "text": .string(text)]))
        }
        return voice.isPresent ? (samples, voice.channels) : (own, channels)
    }

    private static let samples = FrameRate(Int64(SoundFormat.sessionRate), per: 1)

    /// A window that gets every sample of the track. To be made before the first sample.
    func makeWindow() -> SoundWindow {
        let window = SoundWindow(channels: channels)
        windows.append(window)
        return window
    }

    /// Goes on in a new file from a sample on that has not been reached yet.
    func split(at sample: Int64, relativePath: String, startedAt: Date) {
        split = (sample, relativePath, startedAt)
    }

    private func write(_ samples: [Float], from position: Int64, to end: Int64) {
        guard let writer else { return }
        guard let split, split.sample < end else {
            writer.append(samples)
            return
        }
        let before = Int(max(split.sample - position, 0)) * channels
        writer.append(Array(samples[..<before]))
        writer.split(
            WaveWriter.Part(relativePath: split.relativePath, firstSample: split.sample),
            startedAt: split.startedAt)
        writer.append(Array(samples[before...]))
        self.split = nil
    }

    /// No sample follows.
    func finish(at end: MediaTime) {
        note(holes.finish(besides: outages))
        outages.end(at: start + Nanoseconds(end.nanoseconds))
        writer?.finish()
        encoder?.finish()
        loudness?.finish()
        voice?.finish(at: end)
    }

    private func take(_ delivery: MicrophoneInput.Delivery) {
        switch delivery {
        case .sound(let captured, let time, let clock):
            do throws(EncodingError) {
                try sound.add(input.picked(captured), at: time, clock: clock)
            } catch {
                // The track goes on in silence, and the manifest says why.
                failure = failure ?? error
            }
        case .lost(let cause, let time): holes.lose(at: MediaTime(time, since: start), cause: cause)
        case .away(let time, let cause), .ended(let time, let cause):
            isPresent = false
            outages.begin(at: time, cause: cause)
        case .returned(let time):
            isPresent = true
            outages.end(at: time)
        }
        if let event = delivery.event(of: role, since: start) { events.append(event) }
    }

    private func note(_ gaps: [Gap]) {
        for gap in gaps {
            events.append(
                SessionEvent(
                    .drop, at: gap.from,
                    [
                        "track": .string(role), "cause": .string(gap.cause),
                        "duration_ns": .integer(gap.to.nanoseconds - gap.from.nanoseconds),
                    ]))
        }
    }

    /// What happened to the device since the last call.
    func takeEvents() -> [SessionEvent] {
        defer { events.removeAll() }
        return events
    }
}
