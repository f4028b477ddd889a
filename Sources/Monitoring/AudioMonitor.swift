internal import Glibc
package import MulticamMedia

/// Monitors one captured microphone, whether or not it's being recorded: measures its level and raises
/// alarms.
///
/// This value type receives every slice of audio. Alarms are queued in chronological order until they're
/// removed.
package struct AudioMonitor {
    private let rate: Int
    private let step: Int
    private let selected: [Int]
    /// The microphone's current level.
    package private(set) var level = AudioLevel()
    private var signal = SilenceMonitor.ofSignal
    private var silence: SilenceMonitor?
    private var clipping: ClippingMonitor
    private var end: ClockTime?
    /// The time from which full-scale samples are counted.
    private var start: ClockTime?
    private var alarms: [AudioAlarm] = []
    /// Number of clipping events since the start of the recording, or since the first sample.
    package private(set) var clips = ClipCount()
    private var overloads: [(at: ClockTime, count: Int64)] = []

    /// Creates a monitor without a silence limit.
    ///
    /// - Parameters:
    ///   - format: The format of the captured audio.
    ///   - sourceChannels: The channels to monitor, counted from 0. An empty list selects all channels.
    package init(format: AudioFormat, sourceChannels: [Int]) {
        rate = format.rate
        step = format.channels
        selected = sourceChannels.isEmpty ? Array(0..<format.channels) : sourceChannels
        clipping = ClippingMonitor(channels: selected.count)
    }

    /// Sets the maximum duration of the microphone's silence, effective immediately. `nil` disables the
    /// limit.
    package mutating func limitSilence(to limit: Nanoseconds?) {
        silence = limit.map { SilenceMonitor.ofProfile($0) }
    }

    /// Marks the start of a recording. Silence and overloads before the start don't count for this recording.
    ///
    /// - Parameters:
    ///   - time: T0 on `CLOCK_MONOTONIC`.
    ///   - wasOpen: Whether the microphone was expected to deliver a signal before T0.
    package mutating func beginRecording(at time: ClockTime, wasOpen: Bool) {
        start = time
        if !wasOpen { signal.beginRecording(at: time) }
        silence?.beginRecording(at: time)
        // Ongoing clipping is reported again in the recording, even if it was already reported before T0.
        clipping.beginRecording()
        if !alarms.contains(where: { $0.kind == .noSignal }) {
            appendAlarm(signal.ongoing(at: time), .noSignal, at: time, time)
        }
        overloads.removeAll { $0.at < time }
        clips = ClipCount()
    }

    /// The kinds of alarms that are currently active.
    package var activeAlarms: [AudioAlarm.Kind] {
        var kinds: [AudioAlarm.Kind] = []
        if signal.isSilent { kinds.append(.noSignal) }
        if silence?.isSilent == true { kinds.append(.silence) }
        if clipping.isClipping { kinds.append(.clipping) }
        return kinds
    }

    /// Start of the silence, or time since which the signal has been missing. `nil` if neither alarm is
    /// active.
    package var silentSince: ClockTime? { signal.since ?? silence?.since }

    /// Processes the next slice of audio.
    ///
    /// - Parameters:
    ///   - samples: The captured samples, interleaved; full scale is ±1.
    ///   - time: Capture time of the first sample, on `CLOCK_MONOTONIC`.
    package mutating func process(_ samples: [Float], at time: ClockTime) {
        let frames = samples.count / step
        guard frames > 0 else { return }
        let duration = Nanoseconds.duration(of: Int64(frames), perSecond: Int64(rate))
        let (peak, squares) = measure(samples, frames: frames)
        level.update(highest: peak, squares: squares, lasting: duration)
        let until = time + duration
        end = until
        appendAlarm(signal.process(peak: peak, from: time, to: until), .noSignal, at: time, until)
        appendAlarm(silence?.process(peak: peak, from: time, to: until), .silence, at: time, until)
        let found =
            clipping.needsExamination(peak: peak)
            ? clipping.countOverloads(samples, step: step, selected: selected) : 0
        if found > 0, start.map({ time >= $0 }) ?? false { overloads.append((time, Int64(found))) }
        if found > 0 { clips.recordOverload(at: time) }
        if let begins = clipping.record(found, to: until) {
            alarms.append(
                AudioAlarm(
                    kind: .clipping, isEnd: !begins, at: begins ? time : until, peak: peak,
                    duration: .duration(of: Int64(found), perSecond: Int64(rate))))
        }
    }

    /// Removes and returns the alarms up to a given time. All earlier audio must have been delivered.
    ///
    /// - Parameters:
    ///   - now: The time, on `CLOCK_MONOTONIC`.
    ///   - hasStopped: Whether the audio has been missing for too long to be a normal pause.
    ///   - isAway: Whether the device is known to be disconnected, which is reported separately.
    /// - Returns: The alarms up to this time that haven't been removed yet.
    package mutating func dequeueAlarms(
        through now: ClockTime, hasStopped: Bool, isAway: Bool
    ) -> [AudioAlarm] {
        if hasStopped { level = AudioLevel() }
        // Audio that is missing, for example because the device is disconnected, counts as silence.
        if let end, end < now {
            appendAlarm(
                signal.checkSilence(at: now, ignoringLimit: hasStopped && !isAway), .noSignal, at: now, now)
            appendAlarm(silence?.checkSilence(at: now), .silence, at: now, now)
        }
        let due = alarms.prefix { $0.at <= now }
        alarms.removeFirst(due.count)
        return Array(due)
    }

    /// Returns the number of full-scale samples in overloads on all channels, from the start of the recording
    /// to the given time, and resets the count.
    package mutating func drainOverloadCount(through now: ClockTime) -> Int64 {
        let due = overloads.prefix { $0.at <= now }
        overloads.removeFirst(due.count)
        return due.reduce(0) { $0 + $1.count }
    }

    private mutating func appendAlarm(
        _ change: SilenceMonitor.Change?, _ kind: AudioAlarm.Kind, at begin: ClockTime, _ end: ClockTime
    ) {
        guard let change else { return }
        alarms.append(
            AudioAlarm(
                kind: kind, isEnd: !change.isSilent, at: change.isSilent ? end : begin, peak: change.peak,
                duration: change.lasting))
    }

    private func measure(_ samples: [Float], frames: Int) -> (peak: Float, squares: Float) {
        samples.withUnsafeBufferPointer { samples in
            var peak: Float = 0
            var sum: Float = 0
            for channel in selected {
                var place = channel
                for _ in 0..<frames {
                    let magnitude = abs(samples[place])
                    // With this comparison, NaN counts as silence.
                    if magnitude > peak { peak = magnitude }
                    if magnitude < .infinity { sum += magnitude * magnitude }
                    place += step
                }
            }
            return (peak, sum / Float(frames * selected.count))
        }
    }
}

/// A warning about a running microphone: the start or end of a problem.
package struct AudioAlarm: Sendable, Equatable {
    /// The problem that an alarm reports.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        /// The microphone delivers no signal, or a weaker signal than an open microphone in the quietest
        /// room. The microphone is probably muted, switched off, or disconnected.
        case noSignal = "no-signal"
        /// The microphone has been silent for longer than the profile permits.
        case silence
        /// The signal exceeds the range of the microphone's A/D converter.
        case clipping
    }

    /// The problem that the alarm reports.
    package let kind: Kind
    /// Whether the alarm reports the end of the problem. The value is `false` if the alarm reports the start.
    package let isEnd: Bool
    /// The time when the problem was detected or ended, on `CLOCK_MONOTONIC`, based on the capture times of the audio.
    package let at: ClockTime
    /// Maximum magnitude since the microphone was last in a normal state, as a linear value; full scale is 1.
    package let peak: Float
    /// Duration of the problem. For clipping, this is the total duration of samples at full scale.
    package let duration: Nanoseconds

    /// Returns the alarm as one sentence for the user. The sentence names the microphone's role.
    package func sentence(role: String) -> String {
        let seconds = "\((duration.inSeconds * 10).rounded() / 10) s"
        switch (kind, isEnd) {
        case (.noSignal, false):
            return
                "microphone \(role) has delivered no signal for \(seconds). It may be muted, switched off, or disconnected."
        case (.silence, false): return "microphone \(role) has been silent for \(seconds)."
        case (.noSignal, true), (.silence, true):
            return "microphone \(role) has a signal again after \(seconds) of silence."
        case (.clipping, false):
            return
                "microphone \(role) is clipping (its level reached full scale). Lower the gain, or move the microphone away from the sound source."
        case (.clipping, true): return "microphone \(role) is no longer clipping."
        }
    }
}

/// Current level of a microphone, as shown by meters. The values are linear magnitudes over all channels; 1 is full
/// scale.
public struct AudioLevel: Sendable, Equatable {
    /// Recent peak sample value, as a linear value; full scale is 1. The value decays by 20 dB in 1.7 s, as
    /// in a type I program meter (IEC 60268-10). Between samples, the signal may exceed this value; see
    /// `Loudness.truePeak`.
    public private(set) var peak: Float
    /// Root mean square, as a linear value, with the 300 ms integration time of a volume indicator (IEC
    /// 60268-17).
    public var rootMeanSquare: Float { meanSquare.squareRoot() }

    private var meanSquare: Float = 0

    /// Creates a level with the given peak and a mean square of 0.
    package init(peak: Float = 0) {
        self.peak = peak
    }

    /// Converts a linear magnitude to decibels relative to full scale. Returns `nil` for zero.
    public static func decibels(_ magnitude: Float) -> Double? {
        magnitude > 0 ? 20 * log10(Double(magnitude)) : nil
    }

    /// Processes a slice of audio.
    ///
    /// - Parameters:
    ///   - highest: Magnitude of the highest sample in the slice.
    ///   - squares: Mean of the squared samples.
    ///   - duration: Length of the slice.
    mutating func update(highest: Float, squares: Float, lasting duration: Nanoseconds) {
        let seconds = Float(duration.inSeconds)
        peak = max(highest, peak * powf(0.1, seconds / 1.7))
        meanSquare += (squares - meanSquare) * (1 - expf(-seconds / 0.3))
    }
}

/// Finds invalid sample values in a slice and replaces them with silence.
///
/// A damaged sample is NaN, infinite, or more than 60 dB above full scale. A single damaged sample would
/// permanently corrupt the state of a resampler, an encoder, and a meter. Audio between full scale and this
/// limit is kept because such samples are valid, although too loud.
package enum DamagedSamples {
    /// Maximum valid magnitude of a sample; full scale is 1.
    static let limit: Float = 1000

    /// Returns whether all values are valid audio. The cost is one pass of integer maximum operations, which the
    /// compiler vectorizes.
    static func isAudio(_ samples: [Float]) -> Bool {
        samples.withUnsafeBufferPointer { samples in
            // Without the sign bit, the bit patterns of floats are ordered by magnitude. Infinity and NaN
            // rank above all other values.
            var highest: UInt32 = 0
            for sample in samples { highest = max(highest, sample.bitPattern & 0x7fff_ffff) }
            return highest <= limit.bitPattern
        }
    }

    /// Replaces damaged samples with silence.
    ///
    /// - Parameters:
    ///   - audio: A captured slice.
    ///   - sourceChannels: The channels in use, counted from 0. An empty list selects all channels.
    /// - Returns: The slice with damaged samples replaced by silence, and the ranges of frames that are
    ///   damaged in a channel in use, in ascending order.
    package static func repaired(_ audio: CapturedAudio, sourceChannels: [Int]) -> (
        audio: CapturedAudio, frames: [Range<Int>]
    ) {
        guard !isAudio(audio.samples) else { return (audio, []) }
        let channels = audio.format.channels
        var samples = audio.samples
        var frames: [Range<Int>] = []
        for place in samples.indices where !(abs(samples[place]) <= limit) {
            samples[place] = 0
            let frame = place / channels
            guard sourceChannels.isEmpty || sourceChannels.contains(place % channels),
                frame < audio.frameCount
            else { continue }
            if let last = frames.last, frame <= last.upperBound {
                frames[frames.count - 1] = last.lowerBound..<frame + 1
            } else {
                frames.append(frame..<frame + 1)
            }
        }
        let repaired = CapturedAudio(
            format: audio.format, capturedAt: audio.capturedAt, firstSample: audio.firstSample,
            samples: samples)
        return (repaired, frames)
    }
}
