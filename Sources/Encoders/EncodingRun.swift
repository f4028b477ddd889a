internal import Media
internal import Writers

/// The work of a video encoder's thread: dequeues jobs, encodes them, and writes the packets to the file.
/// Only the encoder's thread may use this object.
///
/// A failed encoder is replaced by a new one for the same stream, which begins with a key frame at the first
/// tick that isn't in the file. Ticks lost in the failed encoder show the newest frame received before the
/// failure. The first attempt happens immediately, the second after a quarter of a second of ticks, and the
/// third after half a second. An attempt succeeds when one of its packets reaches the file. After three
/// consecutive failed attempts the stream ends at the first tick that isn't in the file.
final class EncodingRun {
    /// Ticks that are not in the file yet.
    private struct Inside {
        var ticks: Range<Int64>
        var fates: FateRun
        /// Whether the tick has a new picture instead of duplicating the previous frame.
        var isNew: Bool
        /// Whether the first of the ticks must be a key frame.
        let asKey: Bool
    }

    private var encoder: (any VideoEncoding)?
    private let another: VideoEncoderWorker.Making
    private let state: ConditionLock<VideoEncoderWorker.State>
    private let sink: TrackSink
    private let watching: VideoEncoderWorker.Watching?
    private let parameters: StreamParameters
    private let rate: FrameRate
    private var preset: VideoEncodingSettings.Preset?
    /// The ticks that are not in the file yet, in order, without gaps.
    private var inside: [Inside] = []
    private var packets: VideoPackets
    /// The last tick passed to the current encoder, or `nil` before the first tick.
    private var given: Int64?
    private var layers: [FrameLayer]?
    private var damaged: Set<ObjectIdentifier> = []
    /// Whether the encoder is a replacement that has not written a packet yet.
    private var isOnTrial = false
    private var failedAttempts = 0
    /// The earliest tick for the next attempt.
    private var retryTick: Int64 = 0
    /// The current failure: its error, and the number of frames lost because of it.
    private var outage: (error: EncodingError, lost: Int)?

    private static let attempts = 3

    /// Creates the encoding work for one stream.
    ///
    /// - Parameters:
    ///   - encoder: The encoder that begins the stream.
    ///   - another: Creates replacement encoders.
    ///   - state: The worker's state.
    ///   - sink: The sink for the packets.
    ///   - watching: Inspects each newly composed frame; `nil` for no inspection.
    init(
        _ encoder: any VideoEncoding, another: @escaping VideoEncoderWorker.Making,
        state: ConditionLock<VideoEncoderWorker.State>, sink: TrackSink,
        watching: VideoEncoderWorker.Watching?
    ) {
        self.encoder = encoder
        self.another = another
        self.state = state
        self.sink = sink
        self.watching = watching
        parameters = encoder.parameters
        rate = encoder.parameters.rate ?? FrameRate(30)
        packets = VideoPackets(of: sink.name, rate: rate)
    }

    /// Encodes jobs until the worker is finished or abandoned, or until the stream has ended.
    func run() {
        let clock = MonotonicClock()
        while let job = next() {
            let begin = clock.now
            let isHealthy = encoder != nil
            follow(job)
            let taken = clock.now - begin
            guard isHealthy, encoder != nil else { continue }
            state.withLock { state in
                switch job {
                case .encode: state.note(taken, isRepeat: false)
                case .repeatLast(let ticks, _, _):
                    let count = min(ticks.count, FrameRun.maxIndividualRepeats)
                    state.note(taken / Int64(count), isRepeat: true)
                }
            }
        }
        finish()
        sink.finish()
    }

    private func next() -> EncoderQueue.Job? {
        let job: EncoderQueue.Job? = state.wait { state -> EncoderQueue.Job?? in
            state.ticksAtHand = 0
            if state.isAbandoned || state.conclusion != nil { return .some(nil) }
            let job = state.queue.takeFirst()
            state.ticksAtHand = job?.tickCount ?? 0
            if let job { return .some(job) }
            return state.isFinished ? .some(nil) : nil
        }
        state.broadcast { _ in }
        return job
    }

    // MARK: Encoding

    private func follow(_ job: EncoderQueue.Job) {
        note(job)
        guard encoder != nil else { return retryWhenDue() }
        do throws(EncodingError) {
            if let preset = state.withLock({ $0.preset.take() }) { try change(to: preset) }
            switch job {
            case .encode(let frame):
                if frame.asKey { encoder?.requestKeyFrame() }
                try encode(frame.layers, at: frame.tick)
            case .repeatLast(let ticks, let asKey, _): try repeatLast(ticks, asKey: asKey)
            }
        } catch {
            fail(error)
        }
        noteFallback()
    }

    private func note(_ job: EncoderQueue.Job) {
        switch job {
        case .encode(let frame):
            layers = frame.layers
            inside.append(
                Inside(
                    ticks: frame.tick..<frame.tick + 1, fates: job.fates, isNew: true, asKey: frame.asKey))
        case .repeatLast(let ticks, let asKey, let fates):
            inside.append(Inside(ticks: ticks, fates: fates, isNew: false, asKey: asKey))
        }
    }

    private func encode(_ layers: [FrameLayer], at tick: Int64) throws(EncodingError) {
        guard let encoder else { return }
        let result = try encoder.encode(layers, tick: tick)
        watching?(encoder, tick)
        // A damaged frame that is shown at several ticks is reported each time but counted once.
        let damagedLayers = result.damagedLayers.filter(layers.indices.contains)
        let now = Set(damagedLayers.compactMap { layers[$0].frame.map { ObjectIdentifier($0) } })
        if !now.isSubset(of: damaged), let index = inside.firstIndex(where: { $0.ticks.contains(tick) }) {
            inside[index].fates = inside[index].fates.superseded(by: .corrupt)
        }
        damaged = now
        noteFallback()
        try accept(result.packets, through: tick)
    }

    private func repeatLast(_ ticks: Range<Int64>, asKey: Bool) throws(EncodingError) {
        guard let encoder else { return }
        if asKey { encoder.requestKeyFrame() }
        let packets = try encoder.repeatLast(ticks: ticks).packets
        noteFallback()
        try accept(packets, through: ticks.upperBound - 1)
    }

    /// Changes the preset. An encoder that rejects the new preset continues with its old preset, because a rejection
    /// doesn't justify losing the track.
    private func change(to preset: VideoEncodingSettings.Preset) throws(EncodingError) {
        self.preset = preset
        var left: [EncodedPacket] = []
        do throws(EncodingError) {
            left = try encoder?.change(to: preset) ?? []
        } catch {
            state.withLock { $0.refusal = error }
        }
        guard let first = inside.first?.ticks.lowerBound, let given else { return }
        if first <= given { try accept(left, through: given) }
    }

    private func noteFallback() {
        guard let fallback = encoder?.takeFallback() else { return }
        state.withLock { $0.fallback = fallback }
        if let tick = fallback.tick { _ = supersedeOlder(from: tick) }
    }

    /// Writes packets to the file when all packets that are displayed earlier have arrived.
    ///
    /// - Parameters:
    ///   - new: The packets that the encoder returned.
    ///   - tick: The last tick that the encoder received.
    ///   - isLast: Whether the encoder has returned all packets.
    /// - Throws: `EncodingError` when a packet is invalid in the stream, or when frames are missing.
    private func accept(
        _ new: [EncodedPacket], through tick: Int64, isLast: Bool = false
    ) throws(EncodingError) {
        given = tick
        for packet in new {
            if let ready = try packets.add(packet, of: ticksInside(through: tick)) {
                release(ready.packets, through: ready.through)
            }
        }
        try packets.check(ticksInside(through: tick), isLast: isLast)
    }

    /// Returns the ticks up to `tick` that aren't in the file.
    private func ticksInside(through tick: Int64) -> Range<Int64> {
        let first = inside.first?.ticks.lowerBound ?? tick + 1
        return first..<max(first, tick + 1)
    }

    private func release(_ ready: [EncodedPacket], through tick: Int64) {
        let first = inside.first?.ticks.lowerBound ?? tick
        var fates: [Fate] = []
        while var entry = inside.first, entry.ticks.lowerBound <= tick {
            let rest = min(entry.ticks.upperBound, tick + 1)..<entry.ticks.upperBound
            fates += entry.fates.removeFirst(entry.ticks.count - rest.count).elements
            if rest.isEmpty {
                inside.removeFirst()
            } else {
                inside[0] = Inside(ticks: rest, fates: entry.fates, isNew: entry.isNew, asKey: false)
            }
        }
        for packet in ready {
            // Each packet belongs to one of these ticks, as verified by `VideoPackets`.
            sink.append(packet.with(fates[Int(packet.presentation / rate.seconds - first)]))
        }
        failedAttempts = 0
        isOnTrial = false
        guard let outage else { return }
        self.outage = nil
        state.withLock { state in
            state.isFailing = false
            let untold = state.recovery
            state.recovery = VideoEncoderWorker.Recovery(
                tick: untold?.tick ?? first, error: outage.error, lost: outage.lost + (untold?.lost ?? 0))
        }
    }

    // MARK: Failures

    private func fail(_ error: EncodingError) {
        encoder = nil
        given = nil
        packets.removeAll()
        outage = (error, outage?.lost ?? 0)
        state.withLock { $0.isFailing = true }
        retryTick = lastTick
        if isOnTrial {
            isOnTrial = false
            failedAttempts += 1
            guard failedAttempts < Self.attempts else { return conclude(error) }
            let pause = MediaTime(nanoseconds: Int64(failedAttempts) * 250_000_000)
            retryTick += rate.ticks(before: pause)
        }
        retryWhenDue()
    }

    private var lastTick: Int64 { inside.last.map { $0.ticks.upperBound - 1 } ?? 0 }

    private func retryWhenDue() {
        guard encoder == nil, !inside.isEmpty, lastTick >= retryTick else { return }
        isOnTrial = true
        do throws(EncodingError) { try goOn() } catch { fail(error) }
    }

    /// Creates a new encoder, and encodes all ticks that aren't in the file.
    private func goOn() throws(EncodingError) {
        let fresh = try another().value
        guard fresh.parameters.setup == parameters.setup else {
            throw EncodingError(
                subject: sink.name, operation: "continuing with a new encoder",
                reason: "the new parameter sets differ from those in the file")
        }
        if let preset { _ = try fresh.change(to: preset) }
        encoder = fresh
        replaceOlder()
        fresh.requestKeyFrame()
        for (index, entry) in inside.enumerated() {
            var rest = entry.ticks
            if index == 0, let layers {
                try encode(layers, at: rest.lowerBound)
                rest = rest.lowerBound + 1..<rest.upperBound
            }
            if !rest.isEmpty { try repeatLast(rest, asKey: entry.asKey) }
        }
    }

    /// Turns all frames that aren't in the file into duplicates, except the newest frame. Only the newest
    /// frame's layers are still available.
    private func replaceOlder() {
        let lost = supersedeOlder(from: inside.first?.ticks.lowerBound ?? 0)
        if let outage { self.outage = (outage.error, outage.lost + lost) }
    }

    /// Turns the frames at and after a tick that aren't in the file into duplicates, except the newest frame.
    ///
    /// - Returns: Number of captured frames among the replaced frames.
    private func supersedeOlder(from tick: Int64) -> Int {
        let newest = inside.lastIndex { $0.isNew }
        var lost = 0
        for index in inside.indices
        where index != newest && inside[index].isNew && inside[index].ticks.lowerBound >= tick {
            lost += inside[index].fates.counts[.captured]
            inside[index].fates = inside[index].fates.superseded(by: .encoder)
            inside[index].isNew = false
        }
        return lost
    }

    /// Ends the stream at the first tick that isn't in the file.
    private func conclude(_ error: EncodingError) {
        let tick = inside.first?.ticks.lowerBound ?? 0
        sink.endIfOnlyStream(at: rate.time(ofTick: tick))
        drop()
        state.broadcast { state in
            state.isFailing = false
            state.conclusion = VideoEncoderWorker.Conclusion(tick: tick, error: error)
        }
    }

    /// Drops all ticks that aren't in the file.
    private func drop() {
        let inside = inside
        state.withLock { state in
            for entry in inside { state.dropped.add(entry.fates.counts) }
            while let job = state.queue.takeFirst() { state.dropped.add(job.fates.counts) }
        }
        self.inside = []
    }

    /// Encodes the frames that are still in the encoder, without pauses between attempts, until the worker is
    /// abandoned. Frames that aren't in the file at that time are dropped.
    private func finish() {
        let isAbandoned = { [state] in state.withLock { $0.isAbandoned } }
        while state.withLock({ $0.conclusion == nil }) {
            if isAbandoned() { return drop() }
            guard let encoder else {
                guard !inside.isEmpty else { return }
                retryTick = lastTick
                retryWhenDue()
                continue
            }
            do throws(EncodingError) {
                let packets = try encoder.finish(unless: isAbandoned)
                noteFallback()
                guard isAbandoned() else { return try accept(packets, through: lastTick, isLast: true) }
                try accept(packets, through: lastTick)
            } catch {
                // All ticks are in the file, so nothing was lost.
                guard !inside.isEmpty else { return }
                fail(error)
            }
        }
    }
}
