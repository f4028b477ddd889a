internal import MulticamEncoding
internal import MulticamMedia

/// Composites and encodes the frames of a rendering in segments, using all processors. Each segment starts
/// with a key frame, so any thread can encode it. Segments are delivered in order. The output doesn't depend
/// on the number of threads.
///
/// Segments start at the positions of the encoder's regular key frames.
final class SegmentQueue: Sendable {
    private struct State {
        /// Index of the next segment to encode.
        var next = 0
        /// Number of segments that have been delivered to the file.
        var deliveredCount = 0
        var finished: [Int: [EncodedPacket]] = [:]
        var frameCount: Int64 = 0
        var failure: EncodingError?
        var faults: Set<String> = []
        var isStopped = false
    }

    /// The description of one segment to encode.
    private struct Work {
        let index: Int
        let ticks: Range<Int64>
        /// The tick of the recording that becomes tick 0 of the file.
        let first: Int64
        let settings: VideoEncodingSettings
        let keyInterval: Int64
    }

    /// Range of ticks of each segment, counted from T0.
    private let segments: [Range<Int64>]
    private let state = ConditionLock(State())
    private let threads: [MediaThread]

    /// Usual number of key frames in a segment. Segments are as long as half a minute, because the rate
    /// control of x264 restarts with each segment.
    static let defaultKeyFrames: Int64 = 15

    /// Starts the encoding threads.
    ///
    /// - Parameters:
    ///   - ticks: Ticks of the recording to render. The first tick becomes tick 0 of the file.
    ///   - settings: The encoding settings.
    ///   - keyInterval: Number of ticks between key frames; `nil` for the encoder's default interval.
    ///   - keyFrames: Number of key frames in a segment.
    ///   - processorCount: Number of processors to use. Each encoder uses two threads in addition to the
    ///     thread that composites the frames.
    ///   - makeSource: Creates the source of the layers. The closure is called once on each encoding thread.
    init(
        ticks: Range<Int64>, settings: VideoEncodingSettings, keyInterval: Int64? = nil,
        keyFrames: Int64 = defaultKeyFrames, processorCount: Int,
        makeSource: @escaping @Sendable () -> any LayerSource
    ) {
        let length = max(1, Int64(rounding: 2 * settings.rate.perSecond, .down)) * max(1, keyFrames)
        let segments = stride(from: ticks.lowerBound, to: ticks.upperBound, by: Int(length)).map {
            $0..<min($0 + length, ticks.upperBound)
        }
        self.segments = segments
        let state = state
        let threadCount = max(1, min((processorCount + 1) / 2, segments.count))
        threads = (0..<threadCount).map { index in
            MediaThread.startWhenPossible(name: "render:\(index)") {
                let source = makeSource()
                while let index = Self.dequeueSegment(state, of: segments.count, ahead: threadCount) {
                    let work = Work(
                        index: index, ticks: segments[index], first: ticks.lowerBound, settings: settings,
                        keyInterval: keyInterval ?? length)
                    Self.encode(work, from: source, state)
                }
            }
        }
    }

    /// Number of segments of the rendering.
    var count: Int { segments.count }
    /// Returns the range of ticks of a segment, counted from T0.
    func ticks(of segment: Int) -> Range<Int64> { segments[segment] }
    /// Number of frames encoded so far.
    var frameCount: Int64 { state.withLock { $0.frameCount } }
    /// One sentence for each read error so far.
    var faults: [String] { state.withLock { $0.faults.sorted() } }

    /// Waits for the packets of a segment. Each segment must be requested exactly once, in order.
    ///
    /// - Parameters:
    ///   - segment: Index of the segment.
    ///   - proceed: Called several times per second. The closure returns whether to continue.
    /// - Returns: The packets of the segment, in decoding order.
    /// - Throws: `RenderError` if an encoder failed or `proceed` returned `false`.
    func wait(for segment: Int, proceed: () -> Bool) throws(RenderError) -> [EncodedPacket] {
        let clock = MonotonicClock()
        while true {
            guard proceed() else { throw .stopped }
            do throws(EncodingError) {
                if let packets = try packets(of: segment, until: clock.now + .milliseconds(200)) {
                    return packets
                }
            } catch {
                throw .encoding(error)
            }
        }
    }

    private func packets(of segment: Int, until deadline: ClockTime) throws(EncodingError) -> [EncodedPacket]?
    {
        let (packets, failure) =
            state.wait(until: deadline) { state -> ([EncodedPacket]?, EncodingError?)? in
                if let failure = state.failure { return (nil, failure) }
                guard let packets = state.finished.removeValue(forKey: segment) else { return nil }
                state.deliveredCount = segment + 1
                return (packets, nil)
            } ?? (nil, nil)
        if let failure { throw failure }
        if packets != nil { state.broadcast { _ in } }
        return packets
    }

    /// Stops the encoding threads and waits until they have ended.
    func stop() {
        state.broadcast { $0.isStopped = true }
        for thread in threads { thread.join() }
    }

    /// Returns the index of the next segment to encode; `nil` if no segments are left. This method waits
    /// while too many encoded segments haven't been written to the file yet.
    private static func dequeueSegment(_ state: ConditionLock<State>, of count: Int, ahead: Int) -> Int? {
        state.wait { state -> Int?? in
            if state.isStopped || state.failure != nil || state.next >= count { return .some(nil) }
            guard state.next <= state.deliveredCount + ahead else { return nil }
            defer { state.next += 1 }
            return .some(state.next)
        }
    }

    private static func encode(_ work: Work, from source: any LayerSource, _ state: ConditionLock<State>) {
        do throws(EncodingError) {
            let encoder = try Codecs().makeVideoEncoder(work.settings, name: "the rendered picture")
            var packets: [EncodedPacket] = []
            for tick in work.ticks {
                if (tick - work.ticks.lowerBound) % work.keyInterval == 0 { encoder.requestKeyFrame() }
                packets += try encoder.encode(source.layers(at: tick), tick: tick - work.first).packets
                let goesOn = state.withLock { state in
                    state.frameCount += 1
                    return !state.isStopped
                }
                guard goesOn else { return }
            }
            packets += try encoder.finish()
            let (made, faults) = (packets, source.faults)
            state.broadcast { state in
                state.finished[work.index] = made
                state.faults.formUnion(faults)
            }
        } catch {
            state.broadcast { $0.failure = $0.failure ?? error }
        }
    }
}
