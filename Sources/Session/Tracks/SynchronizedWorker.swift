internal import MulticamInputs
internal import MulticamMedia
internal import MulticamTiming

/// Processes the ticks of one synchronized output by the same rules as tracks. Use this type only on the
/// timeline's thread.
///
/// Frames are selected at the time of the tick. A tick's audio is complete only when the next tick is
/// reached, so ticks are held back until then.
final class SynchronizedWorker {
    private enum Device {
        case camera(GridAligner)
        case microphone(AudioWindow)
    }

    /// A tick with incomplete audio.
    private struct PendingTick {
        let index: Int64
        /// The cameras' captures, in the order of the output's roles; `nil` for a microphone.
        let captures: [SynchronizedCapture?]
    }

    let rate: FrameRate
    private let output: SynchronizedOutput
    private let start: ClockTime
    private var devices: [Device]
    private var pendingTicks: [PendingTick] = []

    /// Creates the worker of one output.
    ///
    /// - Parameters:
    ///   - output: The output. All roles of the output must be among the inputs or the microphones.
    ///   - inputs: The session's cameras.
    ///   - microphones: The session's microphones. From now on, the microphones of this output deliver their
    ///     samples to the output.
    ///   - start: T0, the time of tick 0.
    init(
        _ output: SynchronizedOutput, inputs: [CameraInput], microphones: [MicrophoneFeed], start: ClockTime
    ) {
        let cameras = output.roles.compactMap { role in inputs.first { $0.role == role } }
        let rate = output.rate ?? cameras.first?.source.format.rate ?? AudioGrid.blocks
        devices = output.roles.map { role in
            if let input = cameras.first(where: { $0.role == role }) {
                return .camera(GridAligner(input: input, track: role, start: start, rate: rate))
            }
            guard let microphone = microphones.first(where: { $0.role == role }) else {
                preconditionFailure("a synchronized output uses the role `\(role)`, which is not recorded")
            }
            return .microphone(microphone.makeWindow())
        }
        self.output = output
        self.rate = rate
        self.start = start
    }

    /// Processes a camera's deliveries since the last call.
    func receive(_ deliveries: [CameraInput.Delivery], from input: CameraInput) {
        for index in devices.indices {
            guard case .camera(var aligner) = devices[index], aligner.input === input else { continue }
            aligner.handle(deliveries)
            devices[index] = .camera(aligner)
        }
    }

    /// Processes the next tick.
    func step(tick: Int64) {
        let captures = devices.indices.map { index -> SynchronizedCapture? in
            guard case .camera(var aligner) = devices[index] else { return nil }
            defer { devices[index] = .camera(aligner) }
            return capture(&aligner, tick)
        }
        pendingTicks.append(PendingTick(index: tick, captures: captures))
    }

    /// Passes the ticks with complete audio to the output. Call this method after the audio has been
    /// advanced.
    func deliverReady() {
        let heard = devices.compactMap { device -> Int64? in
            guard case .microphone(let window) = device else { return nil }
            return window.end
        }.min()
        while let first = pendingTicks.first, heard.map({ sample(ofTick: first.index + 1) <= $0 }) ?? true {
            deliver(pendingTicks.removeFirst())
        }
    }

    /// Passes the remaining ticks to the output. No more ticks or audio may follow; the audio of the last tick ends
    /// with the recording.
    func finish() {
        for tick in pendingTicks { deliver(tick) }
        pendingTicks = []
    }

    private func sample(ofTick index: Int64) -> Int64 {
        rate.time(ofTick: index).ticks(perSecond: Int64(AudioFormat.sessionRate))
    }

    private func deliver(_ tick: PendingTick) {
        let end = sample(ofTick: tick.index + 1)
        let entries = devices.indices.map { index in
            let capture: SynchronizedCapture =
                switch devices[index] {
                case .microphone(let window): .audio(window.dequeue(upTo: end))
                case .camera: tick.captures[index] ?? .nothing
                }
            return SynchronizedTick.Entry(role: output.roles[index], capture: capture)
        }
        output.offer(
            SynchronizedTick(
                index: tick.index, time: rate.time(ofTick: tick.index), droppedBefore: 0, entries: entries))
    }

    private func capture(_ aligner: inout GridAligner, _ tick: Int64) -> SynchronizedCapture {
        switch aligner.choose(tick: tick) {
        case .show(let dated): return frame(dated)
        case .repeatLast, .slate:
            guard let cause = aligner.fate.cause else { return .nothing }
            // A camera that is disconnected or uses a longer exposure did not capture a frame for the tick,
            // so no frame was dropped.
            return switch cause.origin {
            case .device, .request: .nothing
            case .transfer, .computer: .dropped(cause)
            }
        }
    }

    private func frame(_ dated: DatedFrame) -> SynchronizedCapture {
        var frame = dated.frame
        if output.format != .asCaptured {
            if dated.isUndecodable { return .dropped(.corrupt) }
            // While the stream decoder hasn't returned this frame yet, the tick doesn't have a frame.
            guard let shown = dated.shown else { return .nothing }
            frame = shown
        }
        return .frame(
            SynchronizedFrame(
                frame: frame, capturedAt: MediaTime(dated.time, since: start),
                sequence: dated.frame.sequence))
    }
}

/// Buffers a microphone's aligned samples until a tick of a synchronized output consumes them. Use this type
/// only on the timeline's thread.
final class AudioWindow {
    private let channels: Int
    /// Index of the first buffered sample.
    private var position: Int64 = 0
    private var samples: [Float] = []
    private var missing: [MissingAudio] = []

    init(channels: Int) {
        self.channels = channels
    }

    /// Index after the last buffered sample.
    var end: Int64 { position + Int64(samples.count / channels) }

    /// Appends the microphone's next samples, interleaved, with their missing ranges.
    func append(_ samples: [Float], missing: [MissingAudio]) {
        self.samples += samples
        self.missing += missing
    }

    /// Removes and returns the samples before an index, or fewer if not all are available.
    func dequeue(upTo wanted: Int64) -> SynchronizedAudio {
        let first = position
        let limit = max(min(wanted, end), first)
        let taken = Array(samples.prefix(Int(limit - first) * channels))
        samples.removeFirst(taken.count)
        position = limit
        let within = Self.parts(of: missing, in: first..<limit)
        missing = Self.parts(of: missing, in: limit..<max(end, limit))
        return SynchronizedAudio(firstSample: first, channels: channels, samples: taken, missing: within)
    }

    private static func parts(of missing: [MissingAudio], in range: Range<Int64>) -> [MissingAudio] {
        missing.compactMap { stretch in
            let part = stretch.samples.clamped(to: range)
            return part.isEmpty ? nil : MissingAudio(samples: part, cause: stretch.cause)
        }
    }
}
