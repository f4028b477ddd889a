internal import Media
internal import Writers

/// The work of a video encoder's thread: takes jobs, encodes them, and hands the packets to the file. Used by that
/// thread alone.
///
/// An encoder that fails is replaced by a new one of the same stream, which begins with a key frame at the first tick
/// that is not in the file. The ticks that were lost with the old encoder show the newest frame that came until then.
/// The first attempt is made at once, the second after a quarter, the third after half a second of ticks. An attempt
/// has succeeded when a packet of it has come to the file; after three failed ones in a row the stream ends at the
/// first tick that is not in the file.
final class EncodingRun {
    /// The content of a tick: a captured frame, a slate, or the frame before it again.
    enum Kind { case captured, slate, again }

    /// Ticks that are not in the file yet.
    private struct Inside {
        var ticks: Range<Int64>
        var kind: Kind
        /// Whether the first of the ticks is to be a key frame.
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
    /// The last tick that the present encoder was given, or `nil` while it was given none.
    private var given: Int64?
    private var layers: [FrameLayer]?
    private var damaged: Set<ObjectIdentifier> = []
    /// Whether the encoder is a successor that has brought nothing to the file yet.
    private var isOnTrial = false
    private var failedAttempts = 0
    /// The tick from which on the next attempt may be made.
    private var retryTick: Int64 = 0
    /// The failure that is being mended: its error, and how many frames were lost with it.
    private var outage: (error: EncodingError, lost: Int)?

    private static let attempts = 3

    /// Creates the work of one stream.
    ///
    /// - Parameters:
    ///   - encoder: The encoder that begins the stream.
    ///   - another: Makes its successors.
    ///   - state: The worker's state.
    ///   - sink: The sink of the packets.
    ///   - watching: Looks at each new frame that was composed, or `nil`.
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

    /// Encodes until the worker is finished or abandoned, or the stream has ended.
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
                case .repeatLast(let ticks, _):
                    let count = min(ticks.count, FrameRun.longestSingly)
                    state.note(taken / Int64(count), isRepeat: true)
                }
            }
        }
        // An abandoned worker does not wait either for what the encoder holds back to look ahead.
        if !state.withLock({ $0.isAbandoned }) { finish() }
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
            case .repeatLast(let ticks, let asKey): try repeatLast(ticks, asKey: asKey)
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
                    ticks: frame.tick..<frame.tick + 1, kind: frame.isSlate ? .slate : .captured,
                    asKey: frame.asKey))
        case .repeatLast(let ticks, let asKey):
            inside.append(Inside(ticks: ticks, kind: .again, asKey: asKey))
        }
    }

    private func encode(_ layers: [FrameLayer], at tick: Int64) throws(EncodingError) {
        guard let encoder else { return }
        let result = try encoder.encode(layers, tick: tick)
        watching?(encoder, tick)
        // A damaged frame that is shown at several ticks is reported each time, and counts once.
        let damagedLayers = result.damagedLayers.filter(layers.indices.contains)
        let now = Set(damagedLayers.compactMap { layers[$0].frame.map { ObjectIdentifier($0) } })
        let count = now.subtracting(damaged).count
        if count > 0 { state.withLock { $0.damaged += count } }
        damaged = now
        try accept(result.packets, through: tick)
    }

    private func repeatLast(_ ticks: Range<Int64>, asKey: Bool) throws(EncodingError) {
        guard let encoder else { return }
        if asKey { encoder.requestKeyFrame() }
        try accept(try encoder.repeatLast(ticks: ticks).packets, through: ticks.upperBound - 1)
    }

    /// Changes the preset. An encoder that refuses continues with its old preset, since a refusal is no reason to
    /// lose the track.
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
    }

    /// Hands packets to the file as soon as all packets that are shown before them have come.
    ///
    /// - Parameters:
    ///   - new: The packets that the encoder returned.
    ///   - tick: The last tick that it was given.
    ///   - isLast: Whether it has returned everything.
    /// - Throws: `EncodingError` when a packet cannot belong to the stream, or when frames are missing.
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

    /// The ticks up to `tick` that are not in the file.
    private func ticksInside(through tick: Int64) -> Range<Int64> {
        let first = inside.first?.ticks.lowerBound ?? tick + 1
        return first..<max(first, tick + 1)
    }

    private func release(_ ready: [EncodedPacket], through tick: Int64) {
        let first = inside.first?.ticks.lowerBound ?? tick
        for packet in ready { sink.append(packet) }
        while let entry = inside.first, entry.ticks.lowerBound <= tick {
            if entry.ticks.upperBound <= tick + 1 {
                inside.removeFirst()
            } else {
                inside[0] = Inside(
                    ticks: tick + 1..<entry.ticks.upperBound, kind: entry.kind, asKey: false)
            }
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

    /// Makes a new encoder, and encodes all ticks that are not in the file.
    private func goOn() throws(EncodingError) {
        let fresh = try another().value
        guard fresh.parameters.setup == parameters.setup else {
            throw EncodingError(
                subject: sink.name, operation: "going on with a new encoder",
                reason: "its parameter sets differ from those that the file has")
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

    /// Makes all frames that are not in the file repeats, except the newest: only its layers are still at hand.
    private func replaceOlder() {
        let newest = inside.lastIndex { $0.kind != .again }
        var replaced = EncoderQueue.Replaced()
        for index in inside.indices where index != newest {
            switch inside[index].kind {
            case .captured: replaced.captured += 1
            case .slate: replaced.slates += 1
            case .again: continue
            }
            inside[index].kind = .again
        }
        if let outage { self.outage = (outage.error, outage.lost + replaced.captured) }
        state.withLock { state in
            state.replaced.captured += replaced.captured
            state.replaced.slates += replaced.slates
        }
    }

    /// Ends the stream at the first tick that is not in the file.
    private func conclude(_ error: EncodingError) {
        let tick = inside.first?.ticks.lowerBound ?? 0
        sink.endAlone(at: rate.time(ofTick: tick))
        let inside = inside
        state.broadcast { state in
            for entry in inside { state.unwritten.add(entry.kind, ticks: entry.ticks.count) }
            while let job = state.queue.takeFirst() { state.leaveOut(job) }
            state.isFailing = false
            state.conclusion = VideoEncoderWorker.Conclusion(tick: tick, error: error)
        }
        self.inside = []
    }

    /// Encodes the frames that the encoder still holds, without pauses between attempts.
    private func finish() {
        while state.withLock({ $0.conclusion == nil }) {
            guard let encoder else {
                guard !inside.isEmpty else { return }
                retryTick = lastTick
                retryWhenDue()
                continue
            }
            do throws(EncodingError) {
                try accept(try encoder.finish(), through: lastTick, isLast: true)
                return noteFallback()
            } catch {
                // Everything is in the file, so nothing was lost.
                guard !inside.isEmpty else { return }
                fail(error)
            }
        }
    }
}
