internal import MulticamMedia

/// One source of a camera input, with the state that is specific to this source.
final class CameraStream: Sendable {
    let source: any CameraSource
    /// Delay between an event in front of the camera and the timestamp, which is subtracted from every
    /// timestamp.
    let latency: Nanoseconds
    let decoder: StreamDecoder?
    /// Number of sources that the camera input had before this source.
    let number: Int
    /// Route that forwards the events of the source to an input.
    let route: CameraRoute
    /// Whether timestamps are exact. Timestamps are exact for files, and for screens that this computer
    /// captures itself.
    let hasExactTimes: Bool

    init(
        source: any CameraSource, latency: Nanoseconds, decoder: StreamDecoder?, number: Int = 0,
        route: CameraRoute = CameraRoute()
    ) {
        self.source = source
        self.latency = latency
        self.decoder = decoder
        self.number = number
        self.route = route
        hasExactTimes = source.device.deviceType.hasExactTimes
    }

    /// Returns a copy of the stream for another input, which had `number` sources before.
    func numbered(_ number: Int) -> CameraStream {
        CameraStream(source: source, latency: latency, decoder: decoder, number: number, route: route)
    }
}

/// Routes the events of a source to the camera input that owns the source. Initially, this is the input that
/// started the source; a replacement moves the source to another input.
final class CameraRoute: Sendable {
    private struct State {
        /// The reference is weak because an input owns its sources, and each source owns its route.
        weak var input: CameraInput?
        /// The stream that represents the source within the input.
        weak var stream: CameraStream?
        /// Number of events currently being processed.
        var running = 0
        var isPaused = false
    }

    private let state = ConditionLock(State())

    /// Routes all further events to an input, as events from one of its streams.
    func setTarget(_ input: CameraInput, as stream: CameraStream) {
        state.withLock { ($0.input, $0.stream) = (input, stream) }
    }

    /// Forwards an event to the input. This method runs on the source's thread.
    func forward(_ event: CameraEvent) {
        let (input, stream) = state.wait { state -> (CameraInput?, CameraStream?)? in
            guard !state.isPaused else { return nil }
            state.running += 1
            return (state.input, state.stream)
        }
        if let input, let stream { input.receive(event, of: stream) }
        state.broadcast { $0.running -= 1 }
    }

    /// Waits until no event is being processed, and blocks further events until `resume` is called. Call
    /// `resume` as soon as possible.
    func pause() {
        state.withLock { $0.isPaused = true }
        state.wait { $0.running == 0 ? true : nil }
    }

    /// Resumes forwarding events to the input that now owns the source, if any.
    func resume(to target: (input: CameraInput, stream: CameraStream)?) {
        state.broadcast { state in
            (state.input, state.stream) = (target?.input, target?.stream)
            state.isPaused = false
        }
    }
}

/// A decoder for the H.264 stream of one camera. The decoder is used on the camera's thread.
///
/// H.264 frames depend on each other, so every frame is decoded when it arrives, even if no output shows it.
/// A damaged frame doesn't produce output, and the last intact frame is shown until the next key frame.
final class StreamDecoder: @unchecked Sendable {
    // Only the camera's thread calls `decode`, one frame at a time.
    private let decoder: any VideoDecoding

    init(_ decoder: sending any VideoDecoding) {
        self.decoder = decoder
    }

    /// Decodes one frame. A damaged frame doesn't produce output.
    func decode(_ frame: CapturedFrame) -> DecodedFrames {
        do {
            return try decoder.decode(frame)
        } catch {
            return DecodedFrames(ready: [], isDamaged: true)
        }
    }
}
