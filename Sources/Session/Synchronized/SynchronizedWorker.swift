internal import Inputs
internal import Media
internal import Timing

/// Decides the ticks of one synchronised output by the rules of the tracks. Timeline's thread only.
///
/// The cameras of a tick are decided at its time, and its audio is complete when the next tick is reached. Until then
/// the tick waits here.
final class SynchronizedWorker {
    private enum Device {
        case camera(GridFollower)
        case microphone(AudioWindow)
    }

    /// A tick whose audio is not complete yet.
    private struct Waiting {
        let index: Int64
        /// The cameras' captures, in the order of the output's roles; `nil` stands for a microphone.
        let captures: [SynchronizedCapture?]
    }

    let rate: FrameRate
    private let output: SynchronizedOutput
    private let start: ClockTime
    private var devices: [Device]
    private var waiting: [Waiting] = []

    /// Creates the worker of one output.
    ///
    /// - Parameters:
    ///   - output: The output. All of its roles are among the inputs or the microphones.
    ///   - inputs: The session's cameras.
    ///   - microphones: The session's microphones. Those of the output give their samples to it from here on.
    ///   - start: T0, the time of tick 0.
    init(
        _ output: SynchronizedOutput, inputs: [CameraInput], microphones: [MicrophoneFeed], start: ClockTime
    ) {
        let cameras = output.roles.compactMap { role in inputs.first { $0.role == role } }
        let rate = output.rate ?? cameras.first?.source.format.rate ?? AudioGrid.blocks
        devices = output.roles.map { role in
            if let input = cameras.first(where: { $0.role == role }) {
                return .camera(GridFollower(input: input, track: role, start: start, rate: rate))
            }
            guard let microphone = microphones.first(where: { $0.role == role }) else {
                preconditionFailure("a synchronised output names a role `\(role)` that is not recorded")
            }
            return .microphone(microphone.makeWindow())
        }
        self.output = output
        self.rate = rate
        self.start = start
    }

    /// Takes what a camera delivered since the last call.
    func take(_ deliveries: [CameraInput.Delivery], of input: CameraInput) {
        for index in devices.indices {
            guard case .camera(var follower) = devices[index], follower.input === input else { continue }
            follower.take(deliveries)
            devices[index] = .camera(follower)
        }
    }

    /// Decides the next tick.
    func step(tick: Int64) {
        let captures = devices.indices.map { index -> SynchronizedCapture? in
            guard case .camera(var follower) = devices[index] else { return nil }
            defer { devices[index] = .camera(follower) }
            return capture(&follower, tick)
        }
        waiting.append(Waiting(index: tick, captures: captures))
    }

    /// Gives the output the ticks whose audio is complete. To be called after audio has been advanced.
    func deliverReady() {
        let heard = devices.compactMap { device -> Int64? in
            guard case .microphone(let window) = device else { return nil }
            return window.end
        }.min()
        while let first = waiting.first, heard.map({ sample(ofTick: first.index + 1) <= $0 }) ?? true {
            deliver(waiting.removeFirst())
        }
    }

    /// Gives the output the remaining ticks: no tick and no audio follow, and the audio of the last tick ends with
    /// the recording.
    func finish() {
        for tick in waiting { deliver(tick) }
        waiting = []
    }

    private func sample(ofTick index: Int64) -> Int64 {
        rate.time(ofTick: index).ticks(perSecond: Int64(AudioFormat.sessionRate))
    }

    private func deliver(_ tick: Waiting) {
        let end = sample(ofTick: tick.index + 1)
        let entries = devices.indices.map { index in
            let capture: SynchronizedCapture =
                switch devices[index] {
                case .microphone(let window): .audio(window.take(upTo: end))
                case .camera: tick.captures[index] ?? .nothing
                }
            return SynchronizedTick.Entry(role: output.roles[index], capture: capture)
        }
        output.offer(
            SynchronizedTick(
                index: tick.index, time: rate.time(ofTick: tick.index), leftOut: 0, entries: entries))
    }

    private func capture(_ follower: inout GridFollower, _ tick: Int64) -> SynchronizedCapture {
        switch follower.choose(tick: tick) {
        case .show(let dated): return frame(dated)
        case .repeatLast, .slate:
            // A camera that is away or exposes for longer has captured nothing that could have been dropped.
            return switch follower.missingCause {
            case nil, .away, .exposure, .governor, .change: .nothing
            case .some(let cause): .dropped(cause)
            }
        }
    }

    private func frame(_ dated: DatedFrame) -> SynchronizedCapture {
        var frame = dated.frame
        if output.format != .asCaptured {
            if dated.isUndecodable { return .dropped(.corrupt) }
            // While the stream decoder still holds this frame, there is none for this tick.
            guard let shown = dated.shown else { return .nothing }
            frame = shown
        }
        return .frame(
            SynchronizedFrame(
                frame: frame, capturedAt: MediaTime(dated.time, since: start),
                sequence: dated.frame.sequence))
    }
}
