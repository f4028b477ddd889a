internal import MulticamMedia
internal import MulticamWriters

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
    private struct PendingTicks {
        var ticks: Range<Int64>
        var fates: FateRun
        /// Whether the tick has a new picture instead of duplicating the previous frame.
        var isNew: Bool
        /// Whether the first of the ticks must be a key frame.
        let asKey: Bool
    }

    private var encoder: (any VideoEncoding)?
    private let makeReplacement: VideoEncoderWorker.EncoderFactory
    private let state: ConditionLock<VideoEncoderWorker.State>
    private let sink: TrackSink
    private let frameObserver: VideoEncoderWorker.FrameObserver?
    private let parameters: StreamParameters
    private let rate: FrameRate
    private var preset: VideoEncodingSettings.Preset?
    /// The ticks that are not in the file yet, in order, without gaps.
    private var pending: [PendingTicks] = []
    private var packets: PacketReorderBuffer
    /// The last tick passed to the current encoder, or `nil` before the first tick.
    private var lastSentTick: Int64?
    private var layers: [FrameLayer]?
    private var damagedFrames: Set<ObjectIdentifier> = []
    /// Whether the encoder is a replacement that has not written a packet yet.
    private var isAwaitingFirstPacket = false
    private var failedAttempts = 0
    /// The earliest tick for the next attempt.
    private var retryTick: Int64 = 0
    /// The current failure: its error, and the number of frames lost because of it.
    private var outage: (error: EncodingError, lost: Int)?

    private static let maxFailedAttempts = 3

    /// Creates the encoding work for one stream.
    ///
    /// - Parameters:
    ///   - encoder: The encoder that begins the stream.
    ///   - another: Creates replacement encoders.
    ///   - state: The worker's state.
    ///   - sink: The sink for the packets.
    ///   - watching: Inspects each newly composed frame; `nil` for no inspection.
    init(
        _ encoder: any VideoEncoding, another: @escaping VideoEncoderWorker.EncoderFactory,
        state: ConditionLock<VideoEncoderWorker.State>, sink: TrackSink,
        watching: VideoEncoderWorker.FrameObserver?
    ) {
        self.encoder = encoder
        self.makeReplacement = another
        self.state = state
        self.sink = sink
        self.frameObserver = watching
        parameters = encoder.parameters
        rate = encoder.parameters.rate ?? FrameRate(30)
        packets = PacketReorderBuffer(of: sink.name, rate: rate)
    }

    /// Encodes jobs until the worker is finished or abandoned, or until the stream has ended.
    func run() {
        let clock = MonotonicClock()
        while let job = next() {
            let begin = clock.now
            let isHealthy = encoder != nil
            process(job)
            let taken = clock.now - begin
            guard isHealthy, encoder != nil else { continue }
            state.withLock { state in
                switch job {
                case .encode: state.recordEncodingTime(taken, isRepeat: false)
                case .repeatLast(let ticks, _, _):
                    let count = min(ticks.count, FrameRun.maxIndividualRepeats)
                    state.recordEncodingTime(taken / Int64(count), isRepeat: true)
                }
            }
        }
        finish()
        sink.finish()
    }

    private func next() -> EncoderQueue.Job? {
        let job: EncoderQueue.Job? = state.wait { state -> EncoderQueue.Job?? in
            state.ticksInProgress = 0
            if state.isAbandoned || state.earlyEnd != nil { return .some(nil) }
            let job = state.queue.popFirst()
            state.ticksInProgress = job?.tickCount ?? 0
            if let job { return .some(job) }
            return state.isFinished ? .some(nil) : nil
        }
        state.broadcast { _ in }
        return job
    }

    // MARK: Encoding

    private func process(_ job: EncoderQueue.Job) {
        recordPendingTicks(of: job)
        guard encoder != nil else { return restartWhenDue() }
        do throws(EncodingError) {
            if let preset = state.withLock({ $0.preset.take() }) { try change(to: preset) }
            switch job {
            case .encode(let frame):
                if frame.asKey { encoder?.requestKeyFrame() }
                try encode(frame.layers, at: frame.tick)
            case .repeatLast(let ticks, let asKey, _): try repeatLast(ticks, asKey: asKey)
            }
        } catch {
            handleFailure(error)
        }
        recordFallback()
    }

    private func recordPendingTicks(of job: EncoderQueue.Job) {
        switch job {
        case .encode(let frame):
            layers = frame.layers
            pending.append(
                PendingTicks(
                    ticks: frame.tick..<frame.tick + 1, fates: job.fates, isNew: true, asKey: frame.asKey))
        case .repeatLast(let ticks, let asKey, let fates):
            pending.append(PendingTicks(ticks: ticks, fates: fates, isNew: false, asKey: asKey))
        }
    }

    private func encode(_ layers: [FrameLayer], at tick: Int64) throws(EncodingError) {
        guard let encoder else { return }
        let result = try encoder.encode(layers, tick: tick)
        frameObserver?(encoder, tick)
        // A damaged frame that is shown at several ticks is reported each time but counted once.
        let damagedLayers = result.damagedLayers.filter(layers.indices.contains)
        let now = Set(damagedLayers.compactMap { layers[$0].frame.map { ObjectIdentifier($0) } })
        if !now.isSubset(of: damagedFrames),
            let index = pending.firstIndex(where: { $0.ticks.contains(tick) })
        {
            pending[index].fates = pending[index].fates.superseded(by: .corrupt)
        }
        damagedFrames = now
        recordFallback()
        try accept(result.packets, through: tick)
    }

    private func repeatLast(_ ticks: Range<Int64>, asKey: Bool) throws(EncodingError) {
        guard let encoder else { return }
        if asKey { encoder.requestKeyFrame() }
        let packets = try encoder.repeatLast(ticks: ticks).packets
        recordFallback()
        try accept(packets, through: ticks.upperBound - 1)
    }

    /// Changes the preset. An encoder that rejects the new preset continues with its old preset, because a rejection
    /// doesn't justify losing the track.
    private func change(to preset: VideoEncodingSettings.Preset) throws(EncodingError) {
        self.preset = preset
        var left: [EncodedPacket] = []
        do throws(EncodingError) {
            left = try encoder?.changePreset(to: preset) ?? []
        } catch {
            state.withLock { $0.presetRejection = error }
        }
        guard let first = pending.first?.ticks.lowerBound, let lastSentTick else { return }
        if first <= lastSentTick { try accept(left, through: lastSentTick) }
    }

    private func recordFallback() {
        guard let fallback = encoder?.dequeueFallback() else { return }
        state.withLock { $0.fallback = fallback }
        if let tick = fallback.tick { _ = supersedeOlderFrames(from: tick) }
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
        lastSentTick = tick
        for packet in new {
            if let ready = try packets.add(packet, of: pendingTicks(through: tick)) {
                writePackets(ready.packets, through: ready.through)
            }
        }
        try packets.check(pendingTicks(through: tick), isLast: isLast)
    }

    /// Returns the ticks up to `tick` that aren't in the file.
    private func pendingTicks(through tick: Int64) -> Range<Int64> {
        let first = pending.first?.ticks.lowerBound ?? tick + 1
        return first..<max(first, tick + 1)
    }

    private func writePackets(_ ready: [EncodedPacket], through tick: Int64) {
        let first = pending.first?.ticks.lowerBound ?? tick
        var fates: [Fate] = []
        while var entry = pending.first, entry.ticks.lowerBound <= tick {
            let rest = min(entry.ticks.upperBound, tick + 1)..<entry.ticks.upperBound
            fates += entry.fates.removeFirst(entry.ticks.count - rest.count).elements
            if rest.isEmpty {
                pending.removeFirst()
            } else {
                pending[0] = PendingTicks(ticks: rest, fates: entry.fates, isNew: entry.isNew, asKey: false)
            }
        }
        for packet in ready {
            // Each packet belongs to one of these ticks, as verified by `PacketReorderBuffer`.
            sink.append(packet.withFate(fates[Int(packet.presentation / rate.seconds - first)]))
        }
        failedAttempts = 0
        isAwaitingFirstPacket = false
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

    private func handleFailure(_ error: EncodingError) {
        encoder = nil
        lastSentTick = nil
        packets.removeAll()
        outage = (error, outage?.lost ?? 0)
        state.withLock { $0.isFailing = true }
        retryTick = lastTick
        if isAwaitingFirstPacket {
            isAwaitingFirstPacket = false
            failedAttempts += 1
            guard failedAttempts < Self.maxFailedAttempts else { return endStreamEarly(error) }
            let pause = MediaTime(nanoseconds: Int64(failedAttempts) * 250_000_000)
            retryTick += rate.ticks(before: pause)
        }
        restartWhenDue()
    }

    private var lastTick: Int64 { pending.last.map { $0.ticks.upperBound - 1 } ?? 0 }

    private func restartWhenDue() {
        guard encoder == nil, !pending.isEmpty, lastTick >= retryTick else { return }
        isAwaitingFirstPacket = true
        do throws(EncodingError) { try continueWithReplacement() } catch { handleFailure(error) }
    }

    /// Creates a new encoder, and encodes all ticks that aren't in the file.
    private func continueWithReplacement() throws(EncodingError) {
        let fresh = try makeReplacement().value
        guard fresh.parameters.setup == parameters.setup else {
            throw EncodingError(
                subject: sink.name, operation: "continuing with a new encoder",
                reason: "the new parameter sets differ from those in the file")
        }
        if let preset { _ = try fresh.changePreset(to: preset) }
        encoder = fresh
        supersedeOlderFrames()
        fresh.requestKeyFrame()
        for (index, entry) in pending.enumerated() {
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
    private func supersedeOlderFrames() {
        let lost = supersedeOlderFrames(from: pending.first?.ticks.lowerBound ?? 0)
        if let outage { self.outage = (outage.error, outage.lost + lost) }
    }

    /// Turns the frames at and after a tick that aren't in the file into duplicates, except the newest frame.
    ///
    /// - Returns: Number of captured frames among the replaced frames.
    private func supersedeOlderFrames(from tick: Int64) -> Int {
        let newest = pending.lastIndex { $0.isNew }
        var lost = 0
        for index in pending.indices
        where index != newest && pending[index].isNew && pending[index].ticks.lowerBound >= tick {
            lost += pending[index].fates.counts[.captured]
            pending[index].fates = pending[index].fates.superseded(by: .encoder)
            pending[index].isNew = false
        }
        return lost
    }

    /// Ends the stream at the first tick that isn't in the file.
    private func endStreamEarly(_ error: EncodingError) {
        let tick = pending.first?.ticks.lowerBound ?? 0
        sink.endIfOnlyStream(at: rate.time(ofTick: tick))
        dropPendingTicks()
        state.broadcast { state in
            state.isFailing = false
            state.earlyEnd = VideoEncoderWorker.EarlyEnd(tick: tick, error: error)
        }
    }

    /// Drops all ticks that aren't in the file.
    private func dropPendingTicks() {
        let inside = pending
        state.withLock { state in
            for entry in inside { state.dropped.add(entry.fates.counts) }
            while let job = state.queue.popFirst() { state.dropped.add(job.fates.counts) }
        }
        self.pending = []
    }

    /// Encodes the frames that are still in the encoder, without pauses between attempts, until the worker is
    /// abandoned. Frames that aren't in the file at that time are dropped.
    private func finish() {
        let isAbandoned = { [state] in state.withLock { $0.isAbandoned } }
        while state.withLock({ $0.earlyEnd == nil }) {
            if isAbandoned() { return dropPendingTicks() }
            guard let encoder else {
                guard !pending.isEmpty else { return }
                retryTick = lastTick
                restartWhenDue()
                continue
            }
            do throws(EncodingError) {
                let packets = try encoder.finish(unless: isAbandoned)
                recordFallback()
                guard isAbandoned() else { return try accept(packets, through: lastTick, isLast: true) }
                try accept(packets, through: lastTick)
            } catch {
                // All ticks are in the file, so nothing was lost.
                guard !pending.isEmpty else { return }
                handleFailure(error)
            }
        }
    }
}
