public import Media
internal import Monitoring
public import Plan
internal import Timing

/// Keeps the last audio of one microphone of a session, for the clips around stills.
///
/// It hears what the session's own source delivers, whether anything is recorded or not: give the session the source that
/// `listening(to:)` returns.
public final class ClipMicrophone: Sendable {
    private struct State {
        var slices: [CapturedAudio] = []
        /// Samples per channel in all slices.
        var frameCount = 0
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

    /// Keeps a slice that a device delivered, as far as it can be audio of the device's format; its time and its samples are
    /// corrected as the session's own input corrects them.
    fileprivate func take(_ event: MicrophoneEvent, in format: AudioFormat, at arrival: ClockTime) {
        guard case .audio(let captured) = event, captured.format == format, captured.frameCount > 0,
            captured.samples.count.isMultiple(of: format.channels),
            PlausibleStamp.samples.contains(captured.firstSample)
        else { return }
        let audio = CapturedAudio(
            format: format, capturedAt: PlausibleStamp.time(captured.capturedAt, arrival: arrival),
            firstSample: captured.firstSample,
            samples: DamagedSamples.repaired(captured, pick: pick).audio.samples)
        // Twice what a clip needs, for a device whose time stamps stand still.
        let most = Int64(rounding: length.inSeconds * Double(format.rate)) * 2
        state.broadcast { state in
            let end = audio.capturedAt + .seconds(rounding: Double(audio.frameCount) / Double(format.rate))
            state.slices.append(audio)
            state.frameCount += audio.frameCount
            state.end = end
            while let oldest = state.slices.first,
                end - oldest.capturedAt > length || Int64(state.frameCount) > most
            {
                state.frameCount -= oldest.frameCount
                state.slices.removeFirst()
            }
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
    var timeError: Nanoseconds { source.timeError }
    var simulationTime: Nanoseconds { source.simulationTime }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        try source.start(on: clock) { [ear, format] event in
            ear.take(event, in: format, at: clock.now)
            receive(event)
        }
    }

    func recordingBegins(at start: ClockTime) { source.recordingBegins(at: start) }

    func stop() { source.stop() }
}
