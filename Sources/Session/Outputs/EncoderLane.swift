internal import Media

/// The thread that composes and encodes one stream of pictures, and the queue before it.
///
/// A tick is never dropped: a picture that finds no room becomes a repeat of the last, which costs the encoder little.
final class EncoderLane: Sendable {
    private enum Job: Sendable {
        case encode([PictureLayer], tick: Int64, asKey: Bool)
        case repeatLast(tick: Int64, asKey: Bool)

        var isRepeat: Bool { if case .repeatLast = self { true } else { false } }
    }

    private struct State {
        var jobs: [Job] = []
        /// What a new picture and a repeat took lately.
        var pictureTime = Nanoseconds.zero
        var repeatTime = Nanoseconds.zero
        var isFinished = false
        var isAbandoned = false
        var failure: EncodingError?
        var damaged = 0
        /// With which it is to go on.
        var preset: PictureEncodingSettings.Preset?
        /// Why the encoder did not go on as asked.
        var refusal: EncodingError?
        /// That x264 encodes what hardware was to.
        var fallback: EncoderFallback?
        var isFallbackTold = false

        /// A job was done. Eight of them make a mean: one slow picture is no slow encoder.
        mutating func note(_ taken: Nanoseconds, isRepeat: Bool) {
            let mean = isRepeat ? repeatTime : pictureTime
            let next = mean == .zero ? taken : mean + Nanoseconds((taken - mean).count / 8)
            if isRepeat { repeatTime = next } else { pictureTime = next }
        }
    }

    private let state = Monitor(State())
    private let thread: MediaThread
    let waitsForRoom: Bool

    /// That encodes from the beginning on; `nil` where x264 does.
    let hardware: HardwareEncoder?

    /// A second of a program at 30 pictures a second: time for the governor to act before pictures are lost.
    static let capacity = 30

    /// - Parameters:
    ///   - name: The thread's.
    ///   - encoder: Used by this lane's thread alone from here on.
    ///   - lane: Where the packets go.
    ///   - waitsForRoom: In simulated time, where waiting costs nothing.
    init(name: String, encoder: sending any PictureEncoding, to lane: MovieLane, waitsForRoom: Bool) {
        self.waitsForRoom = waitsForRoom
        hardware = encoder.hardware
        let fallback = encoder.takeFallback()
        state.withLock { $0.fallback = fallback }
        let state = state
        let carried = Carried(encoder)
        thread = MediaThread(name: name) {
            Self.run(carried.value, state: state, lane: lane)
        }
    }

    /// Queues a tick's layers.
    ///
    /// - Returns: `false` when there was no room and the tick repeats the last picture instead.
    func encode(_ layers: [PictureLayer], tick: Int64, asKey: Bool) -> Bool {
        let waitsForRoom = waitsForRoom
        let hasRoom = state.wait { state -> Bool? in
            guard state.jobs.count >= Self.capacity, !state.isFinished else {
                state.jobs.append(.encode(layers, tick: tick, asKey: asKey))
                return true
            }
            if waitsForRoom { return nil }
            state.jobs.append(.repeatLast(tick: tick, asKey: asKey))
            return false
        }
        state.broadcast { _ in }
        return hasRoom
    }

    /// Goes on with another preset, from the next picture that it takes.
    func change(to preset: PictureEncodingSettings.Preset) {
        state.withLock { $0.preset = preset }
    }

    func repeatLast(tick: Int64, asKey: Bool) {
        state.broadcast { $0.jobs.append(.repeatLast(tick: tick, asKey: asKey)) }
    }

    var queueLength: Int { state.withLock { $0.jobs.count } }
    /// How long it will take to encode what waits, as far as the last pictures tell.
    var backlog: Nanoseconds {
        state.withLock { state in
            let repeats = state.jobs.count { $0.isRepeat }
            return state.pictureTime * Int64(state.jobs.count - repeats) + state.repeatTime * Int64(repeats)
        }
    }
    /// Why it did not go on with another preset, told once.
    func takeRefusal() -> EncodingError? { state.withLock { $0.refusal.take() } }
    var failure: EncodingError? { state.withLock { $0.failure } }
    /// That x264 encodes what hardware was to.
    var fallback: EncoderFallback? { state.withLock { $0.fallback } }
    /// The same, told once.
    func takeFallback() -> EncoderFallback? {
        state.withLock { state in
            guard !state.isFallbackTold, let fallback = state.fallback else { return nil }
            state.isFallbackTold = true
            return fallback
        }
    }
    /// New pictures that went down with their hardware.
    var lostInHardware: Int { state.withLock { $0.fallback?.lostPictures ?? 0 } }
    /// Pictures that could not be decoded, though their JPEG had looked whole.
    var damagedCount: Int { state.withLock { $0.damaged } }

    /// No job follows.
    func finish() {
        state.broadcast { $0.isFinished = true }
    }

    /// Leaves the waiting jobs undone.
    func abandon() {
        state.broadcast { state in
            state.isFinished = true
            state.isAbandoned = true
        }
    }

    func join() { thread.join() }

    private static func run(_ encoder: any PictureEncoding, state: Monitor<State>, lane: MovieLane) {
        var damaged: Set<ObjectIdentifier> = []
        do throws(EncodingError) {
            let clock = MonotonicClock()
            while let job = next(state) {
                let begin = clock.now
                if let preset = state.withLock({ $0.preset.take() }) {
                    for packet in change(encoder, to: preset, state) { lane.append(packet) }
                }
                let result: EncodedPictures
                switch job {
                case .encode(let layers, let tick, let asKey):
                    if asKey { encoder.requestKeyPicture() }
                    result = try encoder.encode(layers, tick: tick)
                    // A picture that is shown at several ticks is told each time, and counts once.
                    let now = Set(
                        result.damagedLayers.compactMap { layers[$0].picture.map { ObjectIdentifier($0) } })
                    let count = now.subtracting(damaged).count
                    if count > 0 { state.withLock { $0.damaged += count } }
                    damaged = now
                case .repeatLast(let tick, let asKey):
                    if asKey { encoder.requestKeyPicture() }
                    result = try encoder.repeatLast(tick: tick)
                }
                for packet in result.packets { lane.append(packet) }
                let taken = clock.now - begin
                state.withLock { $0.note(taken, isRepeat: job.isRepeat) }
                noteFallback(of: encoder, state)
            }
            // Whoever abandons does not wait for what the encoder holds back to look ahead either.
            if !state.withLock({ $0.isAbandoned }) {
                for packet in try encoder.finish() { lane.append(packet) }
                noteFallback(of: encoder, state)
            }
        } catch {
            state.broadcast { state in
                state.failure = error
                state.isFinished = true
                state.isAbandoned = true
            }
        }
        lane.finish()
    }

    private static func noteFallback(of encoder: any PictureEncoding, _ state: Monitor<State>) {
        guard let fallback = encoder.takeFallback() else { return }
        state.withLock { $0.fallback = fallback }
    }

    /// What the encoder will not do is no reason to lose the track: it goes on as it was.
    private static func change(
        _ encoder: any PictureEncoding, to preset: PictureEncodingSettings.Preset, _ state: Monitor<State>
    ) -> [EncodedPacket] {
        do throws(EncodingError) {
            return try encoder.change(to: preset)
        } catch {
            state.withLock { $0.refusal = error }
            return []
        }
    }

    private static func next(_ state: Monitor<State>) -> Job? {
        let job: Job? = state.wait { state -> Job?? in
            if state.isAbandoned { return .some(nil) }
            if !state.jobs.isEmpty { return .some(state.jobs.removeFirst()) }
            return state.isFinished ? .some(nil) : nil
        }
        state.broadcast { _ in }
        return job
    }
}

/// Takes a value that is not `Sendable` to the one thread that uses it.
struct Carried<Value>: @unchecked Sendable {
    // The maker gives the value away (`sending`); only the receiving thread reads it.
    let value: Value

    init(_ value: sending Value) {
        self.value = value
    }
}
