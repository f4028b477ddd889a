package import MulticamMedia
package import MulticamMonitoring
package import MulticamSessionFolder
package import MulticamTiming

/// One microphone of the session. The input assigns capture times to the audio of its source and queues the
/// audio for the timeline. Invalid samples are replaced with silence, so consumers don't have to handle them.
///
/// `receive` runs on the source's thread; everything else runs on the timeline's thread.
package final class MicrophoneInput: Sendable {
    /// A delivery from a microphone to the timeline. Deliveries are in arrival order.
    package enum Delivery: Sendable {
        /// A slice of audio. `damaged` contains the ranges of invalid sample frames that were replaced with
        /// silence.
        case audio(CapturedAudio, time: ClockTime, clock: ClockReading, damaged: [Range<Int>])
        /// Audio is missing. The position and exact length of the gap follow from the time of the next slice.
        case lost(cause: LossCause, at: ClockTime)
        case away(at: ClockTime, cause: String)
        case returned(at: ClockTime)
        /// A warning message for the user.
        case warning(at: ClockTime, text: String)
        case ended(at: ClockTime, cause: String)

        /// Returns the session event for the delivery. The result is `nil` for audio, for a loss, and for a
        /// delivery before `start`.
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

    private struct Inbox {
        var deliveries: [Delivery] = []
        var slices = 0
        /// The delivery that reported the current outage; `nil` while the microphone is available.
        var outage: Delivery?
        var clock: DeviceClock
        var goodSamples: Int64 = 0
        var slowestDelivery = Nanoseconds.zero
        var jitter = JitterHistogram()
        var monitor: AudioMonitor
        /// Time of the last audio or of the end of the last outage, on the session's clock.
        var lastActivity: ClockTime?
        /// Whether the last slice was dropped because the queue was full.
        var isDroppingAudio = false
        /// End of the last slice, on the session's clock; `nil` before the first slice and during an outage.
        var audioEnd: ClockTime?
        /// Whether the timestamp of the last slice was much later than the time according to the clock model.
        var deviatesFromClock = false
    }

    package let role: String
    package let source: any MicrophoneSource
    private let clock: any SessionClock
    private let offset: Nanoseconds
    private let inbox: ConditionLock<Inbox>
    /// Channels of the device that the track contains, counted from 0; empty for all channels.
    private let sourceChannels: [Int]
    /// Whether the source is a file, whose timestamps are exact.
    private let isFile: Bool

    /// Maximum number of slices queued before a recording: about two seconds of 10 ms slices.
    private static let maxStandbySlices = 200
    /// Maximum number of slices queued for the timeline. The limit includes the slices from before a
    /// recording, up to two seconds of alignment delay, and two more seconds in case the timeline is late.
    /// The limit assumes slices of half the usual length. If the queue is full, new slices are dropped.
    private static let inboxCapacity = 1200
    /// Length of the audio that must be available after an instant to be sure that all samples before the
    /// instant are available. This length covers the delay of the resampler and the error of capture times.
    private static let lookahead = Nanoseconds.milliseconds(5)
    /// Difference between the timestamp of audio and the time according to the clock model above which the
    /// model isn't trusted.
    private static let largestDoubt = Nanoseconds.milliseconds(100)
    /// Time without audio from an available device after which the user is asked to check the device.
    private static let longestPause = Nanoseconds.seconds(2)

    /// Creates the input for a microphone.
    ///
    /// - Parameters:
    ///   - role: The microphone's role.
    ///   - source: The opened source.
    ///   - offset: Offset from the profile, which is added to every timestamp. A positive offset delays the
    ///     audio.
    ///   - sourceChannels: Channels of the device that the track contains, counted from 0; empty for all.
    ///     Channels that the device doesn't have are ignored.
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
        inbox = ConditionLock(
            Inbox(
                clock: Self.clockModel(rate: source.format.rate, correlation: source.stampCorrelation),
                monitor: AudioMonitor(format: source.format, sourceChannels: sourceChannels)))
    }

    /// Creates the clock model of a microphone. The clock of a sound card is a crystal oscillator with an
    /// error of up to 200 ppm. The model uses the timestamps of two minutes of 10 ms slices, because slices
    /// are timestamped three times as often as video frames, and audio requires higher accuracy.
    ///
    /// - Parameters:
    ///   - rate: Nominal samples per second.
    ///   - correlation: Time over which the errors of timestamps are correlated.
    /// - Returns: A clock model that hasn't processed any timestamps.
    package static func clockModel(rate: Int, correlation: Nanoseconds = .zero) -> DeviceClock {
        DeviceClock(
            nominalSecondsPerCount: 1 / Double(rate), windowLength: 12_000, priorPartsPerMillion: 50,
            correlation: correlation)
    }

    /// Starts the microphone's source.
    package func start() throws(DeviceError) {
        try source.start(on: clock.stampClock) { [self] event in receive(event) }
    }

    /// Removes and returns all queued deliveries.
    package func dequeueDeliveries() -> [Delivery] {
        inbox.withLock { box in
            box.slices = 0
            let taken = box.deliveries
            box.deliveries.removeAll(keepingCapacity: true)
            return taken
        }
    }

    /// Drops queued audio that is older than two seconds. Call this method while the timeline doesn't consume
    /// deliveries.
    ///
    /// - Returns: The queued deliveries other than audio, which are removed from the queue.
    @discardableResult
    package func dropOldAudio() -> [Delivery] {
        inbox.withLock { box in
            var slices: [Delivery] = []
            var others: [Delivery] = []
            for delivery in box.deliveries {
                if case .audio = delivery { slices.append(delivery) } else { others.append(delivery) }
            }
            let excess = max(box.slices - Self.maxStandbySlices, 0)
            guard excess > 0 || !others.isEmpty else { return [] }
            box.slices = slices.count - excess
            box.deliveries = Array(slices.dropFirst(excess))
            return others
        }
    }

    /// Whether the timestamp of the last audio is much later than the time according to the clock model. Such
    /// a difference usually means that the device lost samples without reporting the loss. Until the model
    /// has adapted, the capture times of the audio are too early.
    package var deviatesFromClock: Bool { inbox.withLock { $0.deviatesFromClock } }

    /// Returns whether all audio before an instant has been delivered. If no audio is expected, the result is
    /// `true`.
    package func hasDelivered(until instant: ClockTime) -> Bool {
        inbox.withLock { $0.audioEnd.map { $0 >= instant + Self.lookahead } ?? true }
    }

    /// Number of channels in the microphone's track.
    package var channels: Int { sourceChannels.isEmpty ? source.format.channels : sourceChannels.count }

    /// Returns the samples of a slice for the channels in the track, interleaved.
    package func selectedSamples(of audio: CapturedAudio) -> [Float] { audio.samples(of: sourceChannels) }

    /// Delivers the current outage again, for a recording that starts during the outage. Nothing happens if
    /// the device is available.
    ///
    /// - Parameter start: T0 of the recording. An outage that began earlier is reported for this time.
    package func redeliverOutage(since start: ClockTime) {
        inbox.withLock { box in
            switch box.outage {
            case .away(let time, let cause):
                box.deliveries.insert(.away(at: max(time, start), cause: cause), at: 0)
            case .ended(let time, let cause):
                box.deliveries.insert(.ended(at: max(time, start), cause: cause), at: 0)
            case .audio, .lost, .returned, .warning, nil: break
            }
        }
    }

    // MARK: Signal state and clock

    /// Current levels and alarms of the selected channels, and the state of the clock model.
    package var state:
        (
            level: AudioLevel, alarms: [AudioAlarm.Kind], silentSince: ClockTime?, clips: ClipCount,
            clock: ClockReading
        )
    {
        inbox.withLock { box in
            let watch = box.monitor
            return (watch.level, watch.activeAlarms, watch.silentSince, watch.clips, box.clock.reading)
        }
    }

    /// Sets the duration of silence after which an alarm is raised; `nil` to disable the alarm.
    package func limitSilence(to limit: Nanoseconds?) {
        inbox.withLock { $0.monitor.limitSilence(to: limit) }
    }

    /// Starts monitoring the audio of a recording. Earlier silence and overloads aren't considered.
    package func beginMonitoring(at time: ClockTime) {
        // A file doesn't deliver audio before the recording starts.
        inbox.withLock { $0.monitor.beginRecording(at: time, wasOpen: !isFile) }
    }

    /// Removes and returns the alarms that began or ended before the instant `time`. Each alarm is returned
    /// once. Call this method only after all audio before `time` has been delivered, that is, at least
    /// `deliveryDelay` after `time`. Missing audio counts as silence.
    package func drainAlarms(through time: ClockTime) -> [AudioAlarm] {
        let now = clock.now
        return inbox.withLock { box in
            let hasStopped = box.lastActivity.map { now - $0 >= Self.longestPause } ?? false
            return box.monitor.dequeueAlarms(through: time, hasStopped: hasStopped, isAway: box.outage != nil)
        }
    }

    /// Removes and returns the number of overloaded samples in all selected channels from the start of the
    /// recording to the instant `time`. Each sample is counted once.
    package func drainOverloads(through time: ClockTime) -> Int64 {
        inbox.withLock { $0.monitor.drainOverloadCount(through: time) }
    }

    /// Number of valid samples received per channel.
    package var goodSamples: Int64 { inbox.withLock { $0.goodSamples } }
    /// Model of the microphone's clock.
    package var clockModel: DeviceClock { inbox.withLock { $0.clock } }
    /// Distribution of the timestamps' deviation from the clock model.
    package var jitter: JitterHistogram { inbox.withLock { $0.jitter } }
    /// Current state of the microphone's clock model, including its accuracy.
    package var clockReading: ClockReading { inbox.withLock { $0.clock.reading } }
    /// Delivery delay of the microphone: the maximum measured time from timestamp to delivery or the delay
    /// that the source declares, whichever is greater, minus the offset.
    package var deliveryDelay: Nanoseconds {
        max(source.deliveryDelay, inbox.withLock { $0.slowestDelivery }) - offset
    }

    // MARK: Source thread

    private func receive(_ event: MicrophoneEvent) {
        // The source and the clock model use `CLOCK_MONOTONIC` for timestamps. All stored times are on the
        // session's clock.
        let arrival = clock.stampClock.now
        func instant(_ stamp: ClockTime) -> ClockTime { clock.time(stamped: stamp) }
        inbox.withLock { box in
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
                let modeled = box.clock.estimateTime(of: audio.firstSample, stamped: stamped)
                box.jitter.add(stamped - modeled)
                let time = instant(
                    isFile ? stamped : PlausibleStamp.time(modeled: modeled, stamped: stamped))
                box.slowestDelivery = max(box.slowestDelivery, arrival - capturedAt)
                box.goodSamples += Int64(audio.frameCount - damaged.reduce(0) { $0 + $1.count })
                box.monitor.process(audio.samples, at: time)
                box.lastActivity = clock.now
                box.deviatesFromClock = stamped - modeled > Self.largestDoubt
                box.audioEnd =
                    max(time, instant(stamped))
                    + .duration(of: Int64(audio.frameCount), perSecond: Int64(source.format.rate))
                // If the queue is full because the timeline is late, the audio is dropped and replaced with
                // silence.
                guard box.slices < Self.inboxCapacity else {
                    if !box.isDroppingAudio { box.deliveries.append(.lost(cause: .late, at: time)) }
                    return box.isDroppingAudio = true
                }
                box.isDroppingAudio = false
                box.slices += 1
                box.deliveries.append(
                    .audio(
                        audio, time: time,
                        clock: box.clock.reading.adjusted(forSessionClockAt: clock.partsPerMillion),
                        damaged: damaged))
            case .lost(_, let cause, let time):
                box.deliveries.append(.lost(cause: cause, at: instant(time + offset)))
            case .outageBegan(let time, let cause):
                // A repeated report of the same outage is ignored.
                if case .away(_, let reported)? = box.outage, reported == cause { return }
                let outage = Delivery.away(at: instant(time), cause: cause)
                box.outage = outage
                box.audioEnd = nil
                box.deliveries.append(outage)
            case .outageEnded(let time):
                guard box.outage != nil else { return }
                box.outage = nil
                box.lastActivity = clock.now
                // After the outage, the device's sample count starts at a different value.
                box.clock.interrupt()
                box.deliveries.append(.returned(at: instant(time)))
            case .notice(let time, let text):
                box.deliveries.append(.warning(at: instant(time), text: "microphone \(role): \(text)"))
            case .ended(let time, let cause):
                if case .ended(_, let reported)? = box.outage, reported == cause { return }
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
    ///   - start: T0 of the recording. An alarm that began before T0 is reported at T0.
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
