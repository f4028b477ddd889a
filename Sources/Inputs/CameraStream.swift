internal import Media

/// One source of a camera's input, with the state that belongs only to this source.
final class CameraStream: Sendable {
    let source: any CameraSource
    /// Time from the scene to the timestamp, subtracted from every timestamp.
    let latency: Nanoseconds
    let decoder: StreamDecoder?
    /// Number of sources that the input had before this one.
    let number: Int
    /// Destination of the source's events.
    let route: CameraRoute
    /// Whether timestamps are exact, as for files, and for screens, which this computer captures itself.
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

    /// Returns the same source for another input, which had `number` sources before it.
    func numbered(_ number: Int) -> CameraStream {
        CameraStream(source: source, latency: latency, decoder: decoder, number: number, route: route)
    }
}

/// Routes a source's events to the input that owns the source: initially the input that started it, and after
/// a replacement, another one.
final class CameraRoute: Sendable {
    private struct State {
        /// The input owns its sources, and they own their routes.
        weak var input: CameraInput?
        /// The source's representation within the input.
        weak var stream: CameraStream?
        /// Number of events currently being processed.
        var running = 0
        var isHeld = false
    }

    private let state = ConditionLock(State())

    /// Starts routing events to an input, as events from one of its streams.
    func lead(to input: CameraInput, as stream: CameraStream) {
        state.withLock { ($0.input, $0.stream) = (input, stream) }
    }

    /// Forwards an event. Runs on the source's thread.
    func carry(_ event: CameraEvent) {
        let (input, stream) = state.wait { state -> (CameraInput?, CameraStream?)? in
            guard !state.isHeld else { return nil }
            state.running += 1
            return (state.input, state.stream)
        }
        if let input, let stream { input.receive(event, of: stream) }
        state.broadcast { $0.running -= 1 }
    }

    /// Waits until no event is being processed, and blocks new ones until `release`, which must follow immediately.
    func hold() {
        state.withLock { $0.isHeld = true }
        state.wait { $0.running == 0 ? true : nil }
    }

    /// Resumes event forwarding to the input that now owns the source, if any.
    func release(to target: (input: CameraInput, stream: CameraStream)?) {
        state.broadcast { state in
            (state.input, state.stream) = (target?.input, target?.stream)
            state.isHeld = false
        }
    }
}

/// A decoder that serves one camera's thread for the camera's lifetime.
///
/// H.264 frames depend on each other, so each is decoded when it arrives, whether it is needed or not. A damaged frame
/// produces no output, and the last intact frame is shown until the next key frame.
final class StreamDecoder: @unchecked Sendable {
    // Only the camera's thread calls `decode`, one frame at a time.
    private let decoder: any VideoDecoding

    init(_ decoder: sending any VideoDecoding) {
        self.decoder = decoder
    }

    /// Decodes one frame. A damaged frame yields no output.
    func decode(_ frame: CapturedFrame) -> DecodedFrames {
        do {
            return try decoder.decode(frame)
        } catch {
            return DecodedFrames(ready: [], isDamaged: true)
        }
    }
}
