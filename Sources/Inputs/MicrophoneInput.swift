package import Media
package import Monitoring
package import SessionFolder
package import Timing

/// One microphone of the session: dates what its source delivers and keeps it for the timeline. Samples that are no
/// valid audio become silence here, once for all consumers.
///
/// `receive` runs on the source's thread, everything else on the timeline's.
package final class MicrophoneInput: Sendable {
    /// What the timeline takes from a microphone, in the order of coming.
    package enum Delivery: Sendable {
        /// A slice of audio; `damaged` are its frames that are silence because their samples were no valid audio.
        case audio(CapturedAudio, time: ClockTime, clock: ClockReading, damaged: [Range<Int>])
        /// Audio is missing. The jump to the next slice's time tells where, and exactly how much.
        case lost(cause: LossCause, at: ClockTime)
        case away(at: ClockTime, cause: String)
        case returned(at: ClockTime)
        case ended(at: ClockTime, cause: String)

        /// The event that tells of the delivery, or `nil` when it is audio or a loss, or lies before `start`.
        package func event(of role: String, since start: ClockTime) -> SessionEvent? {
            let event: SessionEvent
            switch self {
            case .audio, .lost: return nil
            case .away(let time, let cause), .ended(let time, let cause):
                event = SessionEvent(
                    .unplug, at: MediaTime(time, since: start),
                    [
                        "track": .string(role), "cause": .string(cause.printable()),
                        "text": .string(
                            "microphone \(role) is away: \(cause.printable(limit: 400).trimmingFullStop)."),
                    ])
            case .returned(let time):
                event = SessionEvent(
                    .replug, at: MediaTime(time, since: start),
                    ["track": .string(role), "text": .string("microphone \(role) is back.")])
            }
            return event.at >= .zero ? event : nil
        }
    }

    private struct Box {
        var deliveries: [Delivery] = []
        var slices = 0
        /// The outage as delivered when the microphone went away, or `nil` while it is present.
        var outage: Delivery?
        var clock: DeviceClock
        var goodSamples: Int64 = 0
        var slowestDelivery = Nanoseconds.zero
        var jitter = JitterHistogram()
        var watch: AudioWatch
        /// When audio came last, or the device came back, on the session's clock.
        var lastSign: ClockTime?
        /// Whether the last slice found no room.
        var isShedding = false
    }

    package let role: String
    package let source: any MicrophoneSource
    private let clock: any SessionClock
    private let offset: Nanoseconds
    private let box: ConditionLock<Box>
    /// The device's channels that the track has, from 0; empty for all.
    private let pick: [Int]
    /// Whether the source is a file, whose time stamps are exact.
    private let isFile: Bool

    /// Most slices that are kept before a recording: about two seconds of slices of 10 ms.
    private static let keptSlices = 200
    /// Most slices that wait for the timeline: those, up to two seconds of alignment delay, and as much for a timeline that is late, all of
    /// slices half as long. Later ones are dropped.
    private static let boxCapacity = 1200
    /// A device that is there delivers without a pause: after so much nothing of it a person must look.
    private static let longestPause = Nanoseconds.seconds(2)

    /// Creates the input of one microphone.
    ///
    /// - Parameters:
    ///   - role: The microphone's role.
    ///   - source: The opened source.
    ///   - offset: Offset from the profile, added to every stamp: above 0 the audio comes later.
    ///   - pick: The device's channels that the track has, from 0; empty for all. Channels that the device lacks are
    ///     ignored.
    ///   - clock: The session clock.
    package init(
        role: String, source: any MicrophoneSource, offset: Nanoseconds, pick: [Int], clock: any SessionClock
    ) {
        let pick = pick.filter { $0 < source.format.channels }
        self.pick = pick
        self.role = role
        self.source = source
        self.offset = offset
        self.clock = clock
        isFile = source.device.deviceType == .file
        box = ConditionLock(
            Box(
                clock: Self.clockModel(rate: source.format.rate, correlation: source.stampCorrelation),
                watch: AudioWatch(format: source.format, pick: pick)))
    }

    /// Makes the clock model of a microphone. A sound card's clock is a crystal: within 200 ppm. Slices are dated
    /// three times as often as frames, and the ear is more exact than the eye, so the model looks at two minutes of
    /// slices of 10 ms.
    ///
    /// - Parameters:
    ///   - rate: Nominal samples per second.
    ///   - correlation: Time over which the errors of time stamps are correlated.
    /// - Returns: A model that has seen no stamp yet.
    package static func clockModel(rate: Int, correlation: Nanoseconds = .zero) -> DeviceClock {
        DeviceClock(
            nominalSecondsPerCount: 1 / Double(rate), windowLength: 12_000, priorPartsPerMillion: 50,
            correlation: correlation)
    }

    /// Starts the source.
    package func start() throws(DeviceError) {
        try source.start(on: clock.stampClock) { [self] event in receive(event) }
    }

    /// Takes all deliveries since the last call.
    package func takeDeliveries() -> [Delivery] {
        box.withLock { box in
            box.slices = 0
            let taken = box.deliveries
            box.deliveries.removeAll(keepingCapacity: true)
            return taken
        }
    }

    /// Drops audio that is older than the last two seconds, while nobody takes any.
    ///
    /// - Returns: The deliveries since the last call that are no audio.
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

    /// Number of channels of the track.
    package var channels: Int { pick.isEmpty ? source.format.channels : pick.count }

    /// The samples of a slice in the track's channels, interleaved.
    package func picked(_ audio: CapturedAudio) -> [Float] { audio.samples(of: pick) }

    /// Delivers the outage again when the device is away, for a recording that begins during it.
    package func recallOutage() {
        box.withLock { box in
            if let outage = box.outage { box.deliveries.insert(outage, at: 0) }
        }
    }

    // MARK: How it sounds, recorded or not

    /// How the microphone sounds now, of the picked channels, and the state of its clock model.
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

    /// Sets how long the microphone may be silent from now on; `nil` for no limit.
    package func limitSilence(to limit: Nanoseconds?) { box.withLock { $0.watch.limitSilence(to: limit) } }

    /// Begins the watch of a recording: earlier silence and overloads do not count.
    package func beginWatch(at time: ClockTime) {
        // A file is silent until the recording begins.
        box.withLock { $0.watch.begin(at: time, wasOpen: !isFile) }
    }

    /// Takes the alarms that began or ended until an instant, each once. All audio from before that instant must have
    /// been delivered, as is the case `deliveryDelay` after it: what has not come counts as silence.
    package func takeAlarms(through time: ClockTime) -> [AudioAlarm] {
        let now = clock.now
        return box.withLock { box in
            let hasStopped = box.lastSign.map { now - $0 >= Self.longestPause } ?? false
            return box.watch.takeAlarms(through: time, hasStopped: hasStopped, isAway: box.outage != nil)
        }
    }

    /// Takes the number of samples of all picked channels that are parts of overloads, from the beginning of the recording
    /// to an instant, each once.
    package func takeOverloads(through time: ClockTime) -> Int64 {
        box.withLock { $0.watch.takeOverloads(through: time) }
    }

    /// Samples of valid audio per channel that have come.
    package var goodSamples: Int64 { box.withLock { $0.goodSamples } }
    /// Model of the microphone's clock.
    package var clockModel: DeviceClock { box.withLock { $0.clock } }
    /// How the time stamps scatter about the clock model.
    package var jitter: JitterHistogram { box.withLock { $0.jitter } }
    /// State of the microphone's clock model, for a look now and then.
    package var clockReading: ClockReading { box.withLock { $0.clock.reading } }
    /// The longest time from capture to delivery so far, at least what the source declares, less the offset.
    package var deliveryDelay: Nanoseconds {
        max(source.deliveryDelay, box.withLock { $0.slowestDelivery }) - offset
    }

    // MARK: On the source's thread

    private func receive(_ event: MicrophoneEvent) {
        // The source stamps by `CLOCK_MONOTONIC`, as the clock model does; all that is kept is on the session's clock.
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
                let (audio, damaged) = DamagedSamples.repaired(captured, pick: pick)
                let modelled = box.clock.time(of: audio.firstSample, stamped: stamped)
                box.jitter.add(stamped - modelled)
                let time = instant(
                    isFile ? stamped : PlausibleStamp.time(modelled: modelled, stamped: stamped))
                box.slowestDelivery = max(box.slowestDelivery, arrival - capturedAt)
                box.goodSamples += Int64(audio.frameCount - damaged.reduce(0) { $0 + $1.count })
                box.watch.take(audio.samples, at: time)
                box.lastSign = clock.now
                // A timeline that is late finds silence in place of audio that found the box full.
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
                // A source that repeats an outage tells nothing new.
                if case .away(_, let told)? = box.outage, told == cause { return }
                let outage = Delivery.away(at: instant(time), cause: cause)
                box.outage = outage
                box.deliveries.append(outage)
            case .returned(let time):
                guard box.outage != nil else { return }
                box.outage = nil
                box.lastSign = clock.now
                // The device counts its samples from another instant now.
                box.clock.interrupt()
                box.deliveries.append(.returned(at: instant(time)))
            case .ended(let time, let cause):
                if case .ended(_, let told)? = box.outage, told == cause { return }
                let outage = Delivery.ended(at: instant(time), cause: cause)
                box.outage = outage
                box.deliveries.append(outage)
            }
        }
    }
}
