public import Media
public import Plan

/// Keeps the last audio of one microphone of a session, for the clips around stills.
///
/// It hears what the session's own source delivers, whether anything is recorded or not: give the session the source that
/// `listening(to:)` returns.
public final class ClipMicrophone: Sendable {
    private struct State {
        var slices: [CapturedAudio] = []
        /// The capture time of the end of the last slice.
        var end: ClockTime?
    }

    /// The microphone's role.
    public let role: String
    private let pick: [Int]
    private let offset: Nanoseconds
    private let length: Nanoseconds
    private let state = ConditionLock(State())

    /// Creates the memory of a microphone.
    ///
    /// - Parameters:
    ///   - planned: The microphone's plan.
    ///   - live: The length of the clip around each still. A second more is kept.
    public init(_ planned: PlannedMicrophone, live: Nanoseconds) {
        role = planned.role
        pick = planned.pick
        offset = planned.offset
        length = live + .seconds(1)
    }

    /// The source to give to the session in place of the microphone's own.
    public func listening(to source: any MicrophoneSource) -> any MicrophoneSource {
        HeardMicrophone(source: source, ear: self)
    }

    fileprivate func take(_ event: MicrophoneEvent) {
        guard case .audio(let audio) = event else { return }
        state.broadcast { state in
            let end =
                audio.capturedAt + .seconds(rounding: Double(audio.frameCount) / Double(audio.format.rate))
            if state.slices.last.map({ $0.format != audio.format }) ?? false { state.slices = [] }
            state.slices.append(audio)
            state.end = end
            let old = state.slices.prefix { end - $0.capturedAt > length }
            state.slices.removeFirst(old.count)
        }
    }

    /// The audio of a clip. Waits until its end has been heard; blocks its thread.
    ///
    /// - Parameters:
    ///   - start: The time of the clip's first sample, with the microphone's offset counted in.
    ///   - length: The length of the clip.
    ///   - patience: How long to wait at most; what is missing then is silence.
    /// - Returns: The audio; `nil` when none was heard.
    func sound(from start: ClockTime, length: Nanoseconds, within patience: Nanoseconds) -> ClipSound? {
        let end = start + length - offset
        _ = state.wait(until: MonotonicClock().now + patience) { state in
            state.end.flatMap { $0 >= end ? true : nil }
        }
        return ClipSound(
            role: role, slices: state.withLock { $0.slices }, pick: pick, offset: offset, from: start,
            length: length)
    }
}

/// A microphone that a `ClipMicrophone` hears too.
private struct HeardMicrophone: MicrophoneSource {
    let source: any MicrophoneSource
    let ear: ClipMicrophone

    var device: CaptureDevice { source.device }
    var format: AudioFormat { source.format }
    var deliveryDelay: Nanoseconds { source.deliveryDelay }
    var stampCorrelation: Nanoseconds { source.stampCorrelation }
    var settlingTime: Nanoseconds { source.settlingTime }
    var simulationTime: Nanoseconds { source.simulationTime }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        try source.start(on: clock) { [ear] event in
            ear.take(event)
            receive(event)
        }
    }

    func recordingBegins(at start: ClockTime) { source.recordingBegins(at: start) }

    func stop() { source.stop() }
}
