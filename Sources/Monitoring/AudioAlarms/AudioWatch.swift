package import Media

/// The watch over one microphone as it is captured, recorded or not: it keeps its level and raises alarms.
///
/// A value, fed with each slice. Alarms wait until they are taken, in the order of time.
package struct AudioWatch {
    private let rate: Int
    private let step: Int
    private let picked: [Int]
    /// The microphone's level now.
    package private(set) var level = AudioLevel()
    private var signal = SilenceWatch.ofSignal
    private var silence: SilenceWatch?
    private var clipping: ClippingWatch
    private var end: ClockTime?
    /// The time from which samples at full scale are counted.
    private var start: ClockTime?
    private var alarms: [AudioAlarm] = []
    /// How often the microphone was too loud since the recording began, or since its first sample.
    package private(set) var clips = ClipCount()
    private var overloads: [(at: ClockTime, count: Int64)] = []

    /// Creates a watch without a limit of silence.
    ///
    /// - Parameters:
    ///   - format: The format of the captured audio.
    ///   - pick: The channels that are watched, counted from 0; empty for all of them.
    package init(format: AudioFormat, pick: [Int]) {
        rate = format.rate
        step = format.channels
        picked = pick.isEmpty ? Array(0..<format.channels) : pick
        clipping = ClippingWatch(channels: picked.count)
    }

    /// Sets how long the microphone may be silent from now on; `nil` for no limit.
    package mutating func limitSilence(to limit: Nanoseconds?) {
        silence = limit.map { SilenceWatch.ofProfile($0) }
    }

    /// Notes that a recording begins: silence and overloads before it do not count for it.
    ///
    /// - Parameters:
    ///   - time: T0 on `CLOCK_MONOTONIC`.
    ///   - wasOpen: Whether a signal was to be expected before.
    package mutating func begin(at time: ClockTime, wasOpen: Bool) {
        start = time
        if !wasOpen { signal.begin(at: time) }
        silence?.begin(at: time)
        // Clipping that was reported before the recording is reported in it too.
        clipping.begin()
        if !alarms.contains(where: { $0.kind == .noSignal }) {
            note(signal.ongoing(at: time), .noSignal, at: time, time)
        }
        overloads.removeAll { $0.at < time }
        clips = ClipCount()
    }

    /// The problems that are not over.
    package var inForce: [AudioAlarm.Kind] {
        var kinds: [AudioAlarm.Kind] = []
        if signal.isSilent { kinds.append(.noSignal) }
        if silence?.isSilent == true { kinds.append(.silence) }
        if clipping.isClipping { kinds.append(.clipping) }
        return kinds
    }

    /// The time since which the microphone has given no signal or was silent; `nil` while neither alarm is in force.
    package var silentSince: ClockTime? { signal.since ?? silence?.since }

    /// Takes the next slice.
    ///
    /// - Parameters:
    ///   - samples: The samples as captured: interleaved, 1 being full scale.
    ///   - time: When the first sample was captured, on `CLOCK_MONOTONIC`.
    package mutating func take(_ samples: [Float], at time: ClockTime) {
        let frames = samples.count / step
        guard frames > 0 else { return }
        let duration = Nanoseconds.duration(of: Int64(frames), perSecond: Int64(rate))
        let (peak, squares) = measure(samples, frames: frames)
        level.take(highest: peak, squares: squares, lasting: duration)
        let until = time + duration
        end = until
        note(signal.take(peak: peak, from: time, to: until), .noSignal, at: time, until)
        note(silence?.take(peak: peak, from: time, to: until), .silence, at: time, until)
        let found = clipping.concerns(peak: peak) ? clipping.count(samples, step: step, picked: picked) : 0
        if found > 0, start.map({ time >= $0 }) ?? false { overloads.append((time, Int64(found))) }
        if found > 0 { clips.note(at: time) }
        if let begins = clipping.pass(found, to: until) {
            alarms.append(
                AudioAlarm(
                    kind: .clipping, isEnd: !begins, at: begins ? time : until, peak: peak,
                    duration: .duration(of: Int64(found), perSecond: Int64(rate))))
        }
    }

    /// Takes the alarms until an instant, before which all audio has been delivered.
    ///
    /// - Parameters:
    ///   - now: The instant, on `CLOCK_MONOTONIC`.
    ///   - hasStopped: Whether nothing has come for so long that it is no pause.
    ///   - isAway: Whether the device is known to be away, which is told besides.
    /// - Returns: The alarms until then that were not taken before.
    package mutating func takeAlarms(
        through now: ClockTime, hasStopped: Bool, isAway: Bool
    ) -> [AudioAlarm] {
        if hasStopped { level = AudioLevel() }
        // Audio that does not come, as from a device that is away, counts as silence.
        if let end, end < now {
            note(signal.look(at: now, isOver: hasStopped && !isAway), .noSignal, at: now, now)
            note(silence?.look(at: now), .silence, at: now, now)
        }
        let due = alarms.prefix { $0.at <= now }
        alarms.removeFirst(due.count)
        return Array(due)
    }

    /// The number of samples at full scale that were parts of overloads, of all channels, from the recording's beginning to an
    /// instant, without those that were taken before.
    package mutating func takeOverloads(through now: ClockTime) -> Int64 {
        let due = overloads.prefix { $0.at <= now }
        overloads.removeFirst(due.count)
        return due.reduce(0) { $0 + $1.count }
    }

    private mutating func note(
        _ change: SilenceWatch.Change?, _ kind: AudioAlarm.Kind, at begin: ClockTime, _ end: ClockTime
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
            for channel in picked {
                var place = channel
                for _ in 0..<frames {
                    let magnitude = abs(samples[place])
                    // NaN counts as silence.
                    if magnitude > peak { peak = magnitude }
                    if magnitude < .infinity { sum += magnitude * magnitude }
                    place += step
                }
            }
            return (peak, sum / Float(frames * picked.count))
        }
    }
}
