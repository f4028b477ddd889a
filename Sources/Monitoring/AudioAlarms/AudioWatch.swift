package import Media

/// Listens to one microphone as it is captured, whether it is recorded or not: its level, and what a person must know of it.
///
/// A value, fed with each slice. What it finds waits until it is taken, in the order of time.
package struct AudioWatch {
    private let rate: Int
    private let step: Int
    private let picked: [Int]
    package private(set) var level = AudioLevel()
    private var signal = SilenceWatch.ofSignal
    private var silence: SilenceWatch?
    private var clipping: ClippingWatch
    private var end: ClockTime?
    /// From when on samples at full scale are counted.
    private var start: ClockTime?
    private var alarms: [AudioAlarm] = []
    private var overloads: [(at: ClockTime, count: Int64)] = []

    /// - Parameters:
    ///   - format: As it is captured.
    ///   - pick: Which of its channels count, from 0; all when empty.
    package init(format: AudioFormat, pick: [Int]) {
        rate = format.rate
        step = format.channels
        picked = pick.isEmpty ? Array(0..<format.channels) : pick
        clipping = ClippingWatch(channels: picked.count)
    }

    /// How long it may be silent from now on; `nil` is no limit.
    package mutating func limitSilence(to limit: Nanoseconds?) {
        silence = limit.map { SilenceWatch.ofProfile($0) }
    }

    /// A recording begins: what was before is not its silence, nor its overloads.
    ///
    /// - Parameters:
    ///   - time: T0.
    ///   - wasOpen: Whether a signal was to be expected before.
    package mutating func begin(at time: ClockTime, wasOpen: Bool) {
        start = time
        if !wasOpen { signal.begin(at: time) }
        silence?.begin(at: time)
        // What was told of while nothing was recorded is told of in the recording too.
        clipping.begin()
        if !alarms.contains(where: { $0.kind == .noSignal }) {
            note(signal.ongoing(at: time), .noSignal, at: time, time)
        }
        overloads.removeAll { $0.at < time }
    }

    /// Alarms that are not over.
    package var inForce: [AudioAlarm.Kind] {
        var kinds: [AudioAlarm.Kind] = []
        if signal.isSilent { kinds.append(.noSignal) }
        if silence?.isSilent == true { kinds.append(.silence) }
        if clipping.isClipping { kinds.append(.clipping) }
        return kinds
    }

    /// Passes a slice.
    ///
    /// - Parameters:
    ///   - samples: Interleaved, as captured.
    ///   - time: Of the first one.
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
        if let begins = clipping.pass(found, to: until) {
            alarms.append(
                AudioAlarm(
                    kind: .clipping, isEnd: !begins, at: begins ? time : until, peak: peak,
                    duration: .duration(of: Int64(found), perSecond: Int64(rate))))
        }
    }

    /// Everything that was captured before an instant has come.
    ///
    /// - Parameter now: That instant.
    /// - Returns: What began or ended until then and was not taken yet.
    package mutating func takeAlarms(through now: ClockTime) -> [AudioAlarm] {
        // What does not come is silence too: of a device that is away.
        if let end, end < now {
            note(signal.look(at: now), .noSignal, at: now, now)
            note(silence?.look(at: now), .silence, at: now, now)
        }
        let due = alarms.prefix { $0.at <= now }
        alarms.removeFirst(due.count)
        return Array(due)
    }

    /// Samples at full scale that were parts of overloads, of all channels, from the recording's beginning to an instant, and
    /// not taken yet.
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
                    // What is no number is nothing.
                    if magnitude > peak { peak = magnitude }
                    if magnitude < .infinity { sum += magnitude * magnitude }
                    place += step
                }
            }
            return (peak, sum / Float(frames * picked.count))
        }
    }
}
