package import Media
package import Monitoring
package import SessionFolder
package import Timing

/// One microphone of the session: assigns capture times to its source's deliveries and queues them for the
/// timeline. Invalid samples are replaced with silence here, once for all consumers.
///
/// `receive` runs on the source's thread, everything else on the timeline's thread.
package final class MicrophoneInput: Sendable {
    /// A delivery from a microphone to the timeline, in arrival order.
    package enum Delivery: Sendable {
        /// A slice of audio. `damaged` contains the frames that were replaced with silence because their samples were
        /// invalid.
        case audio(CapturedAudio, time: ClockTime, clock: ClockReading, damaged: [Range<Int>])
        /// Audio is missing. The gap before the next slice's time gives the position and the exact amount.
        case lost(cause: LossCause, at: ClockTime)
        case away(at: ClockTime, cause: String)
        case returned(at: ClockTime)
        /// A message that the user should read, without any other effect.
        case warning(at: ClockTime, text: String)
        case ended(at: ClockTime, cause: String)

        /// Returns the event for the delivery, or `nil` if it is audio or a loss, or is earlier than `start`.
        package func event(of role: String, since start: ClockTime) -> SessionEvent? {
            let event: SessionEvent
            switch self {
            case .audio, .lost: return nil
            case .away(let time, let cause), .ended(let time, let cause):
                event = SessionEvent(
                    .deviceLost(
                        SessionEvent.DeviceLost(
                            track: role, cause: cause.printable(),
                            text:
                                "microphone \(role) disconnected: \(cause.printable(limit: 400).trimmingFullStop)."
                        )),
                    at: MediaTime(time, since: start))
            case .returned(let time):
                event = SessionEvent(
                    .deviceRestored(
                        SessionEvent.DeviceRestored(track: role, text: "microphone \(role) is back.")),
                    at: MediaTime(time, since: start))
            case .warning(let time, let text):
                event = SessionEvent(
                    warning: text.printable(limit: 400), at: MediaTime(time, since: start), track: role)
            }
            return event.at >= .zero ? event : nil
        }
    }

    private struct Box {
        var deliveries: [Delivery] = []
        var slices = 0
        /// The outage, as delivered when the microphone became unavailable, or `nil` while it is available.
        var outage: Delivery?
        var clock: DeviceClock
        var goodSamples: Int64 = 0
        var slowestDelivery = Nanoseconds.zero
        var jitter = JitterHistogram()
        var watch: AudioMonitor
        /// Time of the last audio, or of the device's return, on the session's clock.
        var lastSign: ClockTime?
        /// Whether the last slice was dropped because the queue was full.
        var isShedding = false
        /// End of the last slice on the session's clock; `nil` before the first one and during an outage.
        var audioEnd: ClockTime?
        /// Whether the last slice was timestamped much later than its time according to the clock model.
        var isOffClock = false
    }

    package let role: String
    package let source: any MicrophoneSource
    private let clock: any SessionClock
    private let offset: Nanoseconds
    private let box: ConditionLock<Box>
    /// Indices of the device's channels that the track contains, from 0; empty for all.
    private let sourceChannels: [Int]
    /// Whether the source is a file, whose timestamps are exact.
    private let isFile: Bool

    /// Maximum number of slices queued before a recording, about two seconds of 10 ms slices.
    private static let keptSlices = 200
    /// Maximum number of slices queued for the timeline. The limit covers the slices before a recording, up to two
    /// seconds of alignment delay, and the same amount for a late timeline. The number assumes slices of half the usual
    /// length. Later slices are dropped.
    private static let boxCapacity = 1200
    /// Additional audio needed after an instant to have all samples before it. The additional audio covers the
    /// resampler's delay and the error of capture times.
    private static let lookahead = Nanoseconds.milliseconds(5)
    /// Maximum difference between the timestamp of audio and its modeled time before the latter is rejected.
    private static let largestDoubt = Nanoseconds.milliseconds(100)
    /// Maximum time without audio from an available device. After that, the user must check it.
    private static let longestPause = Nanoseconds.seconds(2)

    /// Creates the input for a microphone.
    ///
    /// - Parameters:
    ///   - role: The microphone's role.
    ///   - source: The opened source.
    ///   - offset: Offset from the profile, added to every timestamp. A positive offset delays the audio.
    ///   - sourceChannels: Indices of the device's channels that the track contains, from 0; empty for all.
    ///     Channels
    ///     that the device doesn't have are ignored.
    ///   - clock: The session clock.
    package init(
        role: String, source: any MicrophoneSource, offset: Nanoseconds, sourceChannels: [Int],
        clock: any SessionClock
    ) {
        let sourceChannels = sourceChannels.filter { $0 < source.format.channels }
        self.sourceChannels = sourceChannels
        self.role = role
        self.source = source
        self.offset = offset
        self.clock = clock
        isFile = source.device.deviceType == .file
        box = ConditionLock(
            Box(
                clock: Self.clockModel(rate: source.format.rate, correlation: source.stampCorrelation),
                watch: AudioMonitor(format: source.format, sourceChannels: sourceChannels)))
    }

    /// Creates the clock model of a microphone. A sound card's clock is a crystal with an error of up to 200 ppm.
    /// Slices are timestamped three times as often as frames, and hearing is more precise than vision, so the model
    /// uses two minutes of 10 ms slices.
    ///
    /// - Parameters:
    ///   - rate: Nominal samples per second.
    ///   - correlation: Time over which the errors of timestamps are correlated.
    /// - Returns: A model without any timestamps.
    package static func clockModel(rate: Int, correlation: Nanoseconds = .zero) -> DeviceClock {
        DeviceClock(
            nominalSecondsPerCount: 1 / Double(rate), windowLength: 12_000, priorPartsPerMillion: 50,
            correlation: correlation)
    }

    /// Starts the source.
    package func start() throws(DeviceError) {
        try source.start(on: clock.stampClock) { [self] event in receive(event) }
    }

    /// Removes and returns all deliveries since the last call.
    package func dequeueDeliveries() -> [Delivery] {
        box.withLock { box in
            box.slices = 0
            let taken = box.deliveries
            box.deliveries.removeAll(keepingCapacity: true)
            return taken
        }
    }

    /// Drops audio older than two seconds while the deliveries aren't consumed.
    ///
    /// - Returns: The deliveries since the last call that aren't audio.
    @discardableResult
    package func keepLatest() -> [Delivery] {
        box.withLock { box in
            var slices: [Delivery] = []
            var others: [Delivery] = []
            for delivery in box.deliveries {
                if case .audio = delivery { slices.append(delivery) } else { others.append(delivery) }
            }
            let excess = max(box.slices - Self.keptSlices, 0)
            guard excess > 0 || !others.isEmpty else { return [] }
            box.slices = slices.count - excess
            box.deliveries = Array(slices.dropFirst(excess))
            return others
        }
    }

    /// Whether the timestamp of the last audio exceeds its time according to the clock model by too much. The device
    /// has then probably lost samples without counting them. Until the model has adapted, the audio's capture times are
    /// too early.
    package var isOffClock: Bool { box.withLock { $0.isOffClock } }

    /// Returns whether all audio before an instant has been delivered; `true` if no audio is expected.
    package func hasDelivered(until instant: ClockTime) -> Bool {
        box.withLock { $0.audioEnd.map { $0 >= instant + Self.lookahead } ?? true }
    }

    /// Number of channels of the track.
    package var channels: Int { sourceChannels.isEmpty ? source.format.channels : sourceChannels.count }

    /// Returns a slice's samples for the track's channels, interleaved.
    package func selected(_ audio: CapturedAudio) -> [Float] { audio.samples(of: sourceChannels) }

    /// Delivers the outage again if the device is unavailable, for a recording that starts during the outage.
    package func recallOutage() {
        box.withLock { box in
            if let outage = box.outage { box.deliveries.insert(outage, at: 0) }
        }
    }

    // MARK: Signal state and clock

    /// Current audio state of the selected channels, and the state of the clock model.
    package var state:
        (
            level: AudioLevel, alarms: [AudioAlarm.Kind], silentSince: ClockTime?, clips: ClipCount,
            clock: ClockReading
        )
    {
        box.withLock { box in
            let watch = box.watch
            return (watch.level, watch.inForce, watch.silentSince, watch.clips, box.clock.reading)
        }
    }

    /// Sets the maximum duration of silence before an alarm; `nil` for no limit.
    package func limitSilence(to limit: Nanoseconds?) { box.withLock { $0.watch.limitSilence(to: limit) } }

    /// Starts monitoring a recording. Earlier silence and overloads don't count.
    package func beginWatch(at time: ClockTime) {
        // A file is silent until the recording begins.
        box.withLock { $0.watch.begin(at: time, wasOpen: !isFile) }
    }

    /// Removes and returns the alarms that began or ended before an instant. Each alarm is returned once. All audio
    /// before the instant must have been delivered, which is guaranteed `deliveryDelay` after it; missing audio counts
    /// as silence.
    package func takeAlarms(through time: ClockTime) -> [AudioAlarm] {
        let now = clock.now
        return box.withLock { box in
            let hasStopped = box.lastSign.map { now - $0 >= Self.longestPause } ?? false
            return box.watch.takeAlarms(through: time, hasStopped: hasStopped, isAway: box.outage != nil)
        }
    }

    /// Removes and returns the number of overloaded samples in all selected channels, from the start of the
    /// recording to an instant. Each sample is counted once.
    package func takeOverloads(through time: ClockTime) -> Int64 {
        box.withLock { $0.watch.takeOverloads(through: time) }
    }

    /// Number of valid samples received per channel.
    package var goodSamples: Int64 { box.withLock { $0.goodSamples } }
    /// Model of the microphone's clock.
    package var clockModel: DeviceClock { box.withLock { $0.clock } }
    /// Distribution of the timestamps' deviation from the clock model.
    package var jitter: JitterHistogram { box.withLock { $0.jitter } }
    /// State of the microphone's clock model. Meant for occasional queries.
    package var clockReading: ClockReading { box.withLock { $0.clock.reading } }
    /// Maximum measured time from capture to delivery, but at least the source's declared delay, minus the offset.
    package var deliveryDelay: Nanoseconds {
        max(source.deliveryDelay, box.withLock { $0.slowestDelivery }) - offset
    }

    // MARK: Source thread

    private func receive(_ event: MicrophoneEvent) {
        // The source uses `CLOCK_MONOTONIC` for timestamps, and so does the clock model. All stored times are on the
        // session's clock.
        let arrival = clock.stampClock.now
        func instant(_ stamp: ClockTime) -> ClockTime { clock.time(stamped: stamp) }
        box.withLock { box in
            switch event {
            case .audio(let captured):
                let capturedAt = PlausibleStamp.time(captured.capturedAt, arrival: arrival)
                let stamped = capturedAt + offset
                guard captured.format == source.format,
                    captured.samples.count.isMultiple(of: source.format.channels),
                    PlausibleStamp.samples.contains(captured.firstSample)
                else {
                    box.deliveries.append(.lost(cause: .corrupt, at: instant(stamped)))
                    return
                }
                guard captured.frameCount > 0 else { return }
                let (audio, damaged) = DamagedSamples.repaired(captured, sourceChannels: sourceChannels)
                let modeled = box.clock.time(of: audio.firstSample, stamped: stamped)
                box.jitter.add(stamped - modeled)
                let time = instant(
                    isFile ? stamped : PlausibleStamp.time(modeled: modeled, stamped: stamped))
                box.slowestDelivery = max(box.slowestDelivery, arrival - capturedAt)
                box.goodSamples += Int64(audio.frameCount - damaged.reduce(0) { $0 + $1.count })
                box.watch.take(audio.samples, at: time)
                box.lastSign = clock.now
                box.isOffClock = stamped - modeled > Self.largestDoubt
                box.audioEnd =
                    max(time, instant(stamped))
                    + .duration(of: Int64(audio.frameCount), perSecond: Int64(source.format.rate))
                // If the timeline is late and the queue is full, the audio is dropped and replaced with silence.
                guard box.slices < Self.boxCapacity else {
                    if !box.isShedding { box.deliveries.append(.lost(cause: .late, at: time)) }
                    return box.isShedding = true
                }
                box.isShedding = false
                box.slices += 1
                box.deliveries.append(
                    .audio(
                        audio, time: time,
                        clock: box.clock.reading.against(sessionClockAt: clock.partsPerMillion),
                        damaged: damaged))
            case .lost(_, let cause, let time):
                box.deliveries.append(.lost(cause: cause, at: instant(time + offset)))
            case .away(let time, let cause):
                // A repeated outage report contains nothing new.
                if case .away(_, let told)? = box.outage, told == cause { return }
                let outage = Delivery.away(at: instant(time), cause: cause)
                box.outage = outage
                box.audioEnd = nil
                box.deliveries.append(outage)
            case .returned(let time):
                guard box.outage != nil else { return }
                box.outage = nil
                box.lastSign = clock.now
                // The device's sample count now has a different origin.
                box.clock.interrupt()
                box.deliveries.append(.returned(at: instant(time)))
            case .remarked(let time, let text):
                box.deliveries.append(.warning(at: instant(time), text: "microphone \(role): \(text)"))
            case .ended(let time, let cause):
                if case .ended(_, let told)? = box.outage, told == cause { return }
                let outage = Delivery.ended(at: instant(time), cause: cause)
                box.outage = outage
                box.audioEnd = nil
                box.deliveries.append(outage)
            }
        }
    }
}

extension SessionEvent {
    /// Creates the event for an audio alarm that begins or ends.
    ///
    /// - Parameters:
    ///   - alarm: The alarm.
    ///   - role: The microphone's role.
    ///   - start: T0. An alarm found before T0 is reported at T0.
    package init(_ alarm: AudioAlarm, of role: String, since start: ClockTime) {
        let level = Level(AudioLevel.decibels(alarm.peak).map { Manifest.Clock.rounded($0, 10) })
        let state = alarm.isEnd ? AlarmState.ends : .begins
        let text = alarm.sentence(role: role)
        let content: Content =
            switch alarm.kind {
            case .clipping:
                .clipping(
                    Clipping(
                        track: role, alarm: alarm.kind, state: state, level_dbfs: level, text: text))
            case .silence, .noSignal:
                .silence(
                    Silence(
                        track: role, alarm: alarm.kind, state: state, level_dbfs: level,
                        seconds: alarm.duration.inSeconds, text: text))
            }
        self.init(content, at: max(MediaTime(alarm.at, since: start), .zero))
    }
}
