internal import Media
internal import Writers

/// What an encoder lane's thread does: takes jobs, encodes them, and hands the packets to the file. Used by that thread alone.
///
/// An encoder that fails is replaced by a new one of the same stream, which begins with a key frame at the first tick that
/// is not in the file. The ticks that went down with the old one show the newest frame that came until then. The first
/// attempt is made at once, the others after a quarter and half a second of ticks. An attempt has succeeded when a packet
/// of it has come to the file; after three failed ones in a row the stream ends at the first tick that is not in it.
final class EncodingRun {
    /// What a tick shows.
    enum Kind { case captured, slate, again }

    /// Ticks that are not in the file yet.
    private struct Inside {
        var ticks: Range<Int64>
        var kind: Kind
        /// Whether the first of them is to be a key frame.
        let asKey: Bool
    }

    private var encoder: (any VideoEncoding)?
    private let another: VideoEncoderWorker.Making
    private let state: ConditionLock<VideoEncoderWorker.State>
    private let lane: TrackSink
    private let parameters: StreamParameters
    private let rate: FrameRate
    private var preset: VideoEncodingSettings.Preset?
    /// In order, without gaps.
    private var inside: [Inside] = []
    private var packets: VideoPackets
    /// The last tick that the encoder was given; `nil` for a new one.
    private var given: Int64?
    private var layers: [FrameLayer]?
    private var damaged: Set<ObjectIdentifier> = []
    /// Whether the encoder is a successor of which nothing has come to the file.
    private var isOnTrial = false
    private var failedAttempts = 0
    /// The tick from which on the next attempt may be made.
    private var retryTick: Int64 = 0
    /// Of the failure that is being mended: its error, and the frames that went down with it.
    private var outage: (error: EncodingError, lost: Int)?

    private static let attempts = 3

    /// - Parameters:
    ///   - encoder: That begins the stream.
    ///   - another: Makes its successors.
    ///   - state: Of the lane.
    ///   - lane: Where the packets go.
    init(
        _ encoder: any VideoEncoding, another: @escaping VideoEncoderWorker.Making,
        state: ConditionLock<VideoEncoderWorker.State>, lane: TrackSink
    ) {
        self.encoder = encoder
        self.another = another
        self.state = state
        self.lane = lane
        parameters = encoder.parameters
        rate = encoder.parameters.rate ?? FrameRate(30)
        packets = VideoPackets(of: lane.name, rate: rate)
    }

    /// Encodes until the lane is finished or abandoned, or the stream has ended.
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
        // Whoever abandons does not wait for what the encoder holds back to look ahead either.
        if !state.withLock({ $0.isAbandoned }) { finish() }
        lane.finish()
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
        // A frame that is shown at several ticks is told each time, and counts once.
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

    /// What the encoder will not do is no reason to lose the track: it goes on as it was.
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

    /// Hands packets to the file as soon as all that are shown before them are there.
    ///
    /// - Parameters:
    ///   - new: What the encoder gave out.
    ///   - tick: The last one that it was given.
    ///   - isLast: Whether it has given out all it had.
    /// - Throws: When a packet cannot be of the stream, or frames are missing.
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

    /// The ticks up to one that are not in the file.
    private func ticksInside(through tick: Int64) -> Range<Int64> {
        let first = inside.first?.ticks.lowerBound ?? tick + 1
        return first..<max(first, tick + 1)
    }

    private func release(_ ready: [EncodedPacket], through tick: Int64) {
        let first = inside.first?.ticks.lowerBound ?? tick
        for packet in ready { lane.append(packet) }
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

    /// Makes a new encoder and has it encode all ticks that are not in the file.
    private func goOn() throws(EncodingError) {
        let fresh = try another().value
        guard fresh.parameters.setup == parameters.setup else {
            throw EncodingError(
                subject: lane.name, operation: "going on with a new encoder",
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

    /// Of the frames that are not in the file only the newest is at hand.
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
        lane.endAlone(at: rate.time(ofTick: tick))
        let inside = inside
        state.broadcast { state in
            for entry in inside { state.unwritten.add(entry.kind, ticks: entry.ticks.count) }
            while let job = state.queue.takeFirst() { state.leaveOut(job) }
            state.isFailing = false
            state.conclusion = VideoEncoderWorker.Conclusion(tick: tick, error: error)
        }
        self.inside = []
    }

    /// Encodes what is inside of the encoder, without pauses between attempts.
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
                // All is in the file: nothing was lost.
                guard !inside.isEmpty else { return }
                fail(error)
            }
        }
    }
}
