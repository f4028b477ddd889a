internal import Media
internal import Monitoring
internal import SessionFolder
internal import Timing

/// One microphone of the session: dates what its source delivers and keeps it for the timeline. Samples that are no audio become
/// silence here, once for all that listen.
///
/// `receive` runs on the source's thread, everything else on the timeline's.
final class MicrophoneInput: Sendable {
    enum Delivery: Sendable {
        /// `damaged` are the frames of the slice whose samples were no audio, and are silence now.
        case audio(CapturedAudio, time: ClockTime, clock: ClockReading, damaged: [Range<Int>])
        /// Audio is missing; the jump of the next slice's time tells where, and how much exactly.
        case lost(cause: LossCause, at: ClockTime)
        case away(at: ClockTime, cause: String)
        case returned(at: ClockTime)
        case ended(at: ClockTime, cause: String)

        /// What to tell of it in events, if it is of the time after `start` and changes the device.
        func event(of role: String, since start: ClockTime) -> SessionEvent? {
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
        /// What was said when it went away, as long as it is.
        var outage: Delivery?
        var clock: DeviceClock
        var goodSamples: Int64 = 0
        var slowestDelivery = Nanoseconds.zero
        var jitter = JitterHistogram()
        var watch: AudioWatch
    }

    let role: String
    let source: any MicrophoneSource
    private let clock: any SessionClock
    private let offset: Nanoseconds
    private let box: ConditionLock<Box>
    /// Which of the device's channels the track has, from 0; all of them when empty.
    private let pick: [Int]
    /// Whether its stamps are exact.
    private let isFile: Bool

    /// About four seconds of slices of 10 ms.
    private static let boxCapacity = 400

    /// - Parameters:
    ///   - role: The microphone's.
    ///   - source: Opened.
    ///   - offset: By the profile; added to every stamp, so that above 0 the audio comes later.
    ///   - pick: Channels of the device, from 0. Ones that it lacks are left out.
    ///   - clock: The session's.
    init(
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

    /// A sound card's clock is a crystal: within 200 ppm. Slices are dated three times as often as frames, and the ear
    /// is finer than the eye: two minutes of slices of 10 ms.
    ///
    /// - Parameters:
    ///   - rate: Samples per second, nominal.
    ///   - correlation: Over what time its stamps share their error.
    /// - Returns: A model that knows nothing yet.
    static func clockModel(rate: Int, correlation: Nanoseconds = .zero) -> DeviceClock {
        DeviceClock(
            nominalSecondsPerCount: 1 / Double(rate), windowLength: 12_000, priorPartsPerMillion: 50,
            correlation: correlation)
    }

    func start() throws(DeviceError) {
        try source.start(on: clock) { [self] event in receive(event) }
    }

    func takeDeliveries() -> [Delivery] {
        box.withLock { box in
            box.slices = 0
            let taken = box.deliveries
            box.deliveries.removeAll(keepingCapacity: true)
            return taken
        }
    }

    /// Makes room for what comes while nobody takes anything yet: of audio that is older the last two seconds stay.
    ///
    /// - Returns: What happened to it since the last call.
    @discardableResult
    func keepLatest() -> [Delivery] {
        box.withLock { box in
            var audioBlocks: [Delivery] = []
            var others: [Delivery] = []
            for delivery in box.deliveries {
                if case .audio = delivery { audioBlocks.append(delivery) } else { others.append(delivery) }
            }
            let excess = max(box.slices - Self.boxCapacity / 2, 0)
            guard excess > 0 || !others.isEmpty else { return [] }
            box.slices = audioBlocks.count - excess
            box.deliveries = Array(audioBlocks.dropFirst(excess))
            return others
        }
    }

    /// Of the track.
    var channels: Int { pick.isEmpty ? source.format.channels : pick.count }

    /// A slice's samples in the track's channels, interleaved.
    func picked(_ audio: CapturedAudio) -> [Float] { audio.samples(of: pick) }

    /// The recording that begins is told of the device's absence, which began before it.
    func recallOutage() {
        box.withLock { box in
            if let outage = box.outage { box.deliveries.insert(outage, at: 0) }
        }
    }

    // MARK: How it sounds, recorded or not

    /// Its level now, of the channels that were picked.
    var level: AudioLevel { box.withLock { $0.watch.level } }
    /// Alarms that are not over.
    var alarms: [AudioAlarm.Kind] { box.withLock { $0.watch.inForce } }

    /// How long it may be silent from now on; `nil` is no limit.
    func limitSilence(to limit: Nanoseconds?) { box.withLock { $0.watch.limitSilence(to: limit) } }

    /// A recording begins: what was before is not its silence, nor its overloads.
    func beginWatch(at time: ClockTime) {
        // A file waits in silence until then.
        box.withLock { $0.watch.begin(at: time, wasOpen: !isFile) }
    }

    /// What began or ended until an instant and was not taken yet. Everything from before that instant must have been delivered,
    /// which it has `deliveryDelay` after it: what has not come is silence.
    func takeAlarms(through time: ClockTime) -> [AudioAlarm] {
        box.withLock { $0.watch.takeAlarms(through: time) }
    }

    /// See `AudioWatch.takeOverloads`.
    func takeOverloads(through time: ClockTime) -> Int64 {
        box.withLock { $0.watch.takeOverloads(through: time) }
    }

    /// Samples per channel that have come.
    var goodSamples: Int64 { box.withLock { $0.goodSamples } }
    var clockModel: DeviceClock { box.withLock { $0.clock } }
    /// How its time stamps scatter about that.
    var jitter: JitterHistogram { box.withLock { $0.jitter } }
    /// What that knows, for a look now and then.
    var clockReading: ClockReading { box.withLock { $0.clock.reading } }
    /// The longest time from capture to delivery so far; audio that is moved forward comes so much later.
    var deliveryDelay: Nanoseconds {
        max(source.deliveryDelay, box.withLock { $0.slowestDelivery }) - offset
    }

    // MARK: On the source's thread

    private func receive(_ event: MicrophoneEvent) {
        let arrival = clock.now
        box.withLock { box in
            switch event {
            case .audio(let captured):
                let capturedAt = PlausibleStamp.time(captured.capturedAt, arrival: arrival)
                let stamped = capturedAt + offset
                guard captured.format == source.format,
                    captured.samples.count.isMultiple(of: source.format.channels),
                    PlausibleStamp.samples.contains(captured.firstSample)
                else {
                    box.deliveries.append(.lost(cause: .corrupt, at: stamped))
                    return
                }
                guard captured.frameCount > 0 else { return }
                let (audio, damaged) = DamagedSamples.repaired(captured, pick: pick)
                let modelled = box.clock.time(of: audio.firstSample, stamped: stamped)
                box.jitter.add(stamped - modelled)
                let time = isFile ? stamped : modelled
                box.slowestDelivery = max(box.slowestDelivery, arrival - capturedAt)
                box.goodSamples += Int64(audio.frameCount - damaged.reduce(0) { $0 + $1.count })
                box.watch.take(audio.samples, at: time)
                // A timeline that does not come finds silence where the box was full.
                guard box.slices < Self.boxCapacity else { return }
                box.slices += 1
                box.deliveries.append(
                    .audio(audio, time: time, clock: box.clock.reading, damaged: damaged))
            case .lost(_, let cause, let time):
                box.deliveries.append(.lost(cause: cause, at: time + offset))
            case .away(let time, let cause):
                // A source that says the same again says nothing new.
                if case .away(_, let told)? = box.outage, told == cause { return }
                let outage = Delivery.away(at: time, cause: cause)
                box.outage = outage
                box.deliveries.append(outage)
            case .returned(let time):
                guard box.outage != nil else { return }
                box.outage = nil
                // What is counted from now on began at another instant.
                box.clock.interrupt()
                box.deliveries.append(.returned(at: time))
            case .ended(let time, let cause):
                if case .ended(_, let told)? = box.outage, told == cause { return }
                let outage = Delivery.ended(at: time, cause: cause)
                box.outage = outage
                box.deliveries.append(outage)
            }
        }
    }
}
