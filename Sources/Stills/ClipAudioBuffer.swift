package import MulticamMedia
internal import MulticamMonitoring
package import MulticamPlan
internal import MulticamTiming

/// Buffers the most recent audio of one session microphone, for the clips around stills.
///
/// The buffer receives the same audio as the session, whether or not a recording is running. Pass the source
/// returned by `tapped(to:)` to the session.
package final class ClipAudioBuffer: Sendable {
    private struct State {
        var slices: [CapturedAudio] = []
        /// Total number of samples per channel in all slices.
        var frameCount = 0
        /// Capture time of the end of the last slice.
        var end: ClockTime?
    }

    /// The microphone's role.
    package let role: String
    private let sourceChannels: [Int]
    private let offset: Nanoseconds
    private let length: Nanoseconds
    private let state = ConditionLock(State())

    /// Creates the buffer of a microphone.
    ///
    /// - Parameters:
    ///   - planned: The microphone's plan.
    ///   - live: Length of the clip around each still. The buffer holds one second more than the clip.
    package init(_ planned: PlannedMicrophone, live: Nanoseconds) {
        role = planned.role
        sourceChannels = planned.sourceChannels
        offset = planned.offset
        length = live + .seconds(1)
    }

    /// Returns the source to pass to the session instead of the microphone's own source.
    package func tapped(_ source: any MicrophoneSource) -> any MicrophoneSource {
        TappedMicrophone(source: source, buffer: self)
    }

    /// Buffers a slice of audio from a device if the slice is valid for the device's format. The time and
    /// samples of the slice are corrected in the same way as for the session's own input.
    fileprivate func receive(_ event: MicrophoneEvent, in format: AudioFormat, at arrival: ClockTime) {
        guard case .audio(let captured) = event, captured.format == format, captured.frameCount > 0,
            captured.samples.count.isMultiple(of: format.channels),
            PlausibleStamp.samples.contains(captured.firstSample)
        else { return }
        let audio = CapturedAudio(
            format: format, capturedAt: PlausibleStamp.time(captured.capturedAt, arrival: arrival),
            firstSample: captured.firstSample,
            samples: DamagedSamples.repaired(captured, sourceChannels: sourceChannels).audio.samples)
        // The buffer is also limited to twice the length of a clip, in case the device's time stamps don't
        // advance.
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

    /// Returns the audio of a clip. Blocks the thread until the end of the clip has been captured.
    ///
    /// - Parameters:
    ///   - start: Time of the clip's first sample, including the microphone's offset.
    ///   - length: The length of the clip.
    ///   - patience: Maximum time to wait. Audio that is still missing after this time is replaced with silence.
    /// - Returns: The audio, or `nil` if no audio was captured.
    func sound(from start: ClockTime, length: Nanoseconds, within patience: Nanoseconds) -> ClipSound? {
        let end = start + length - offset
        _ = state.wait(until: MonotonicClock().now + patience) { state in
            state.end.flatMap { $0 >= end ? true : nil }
        }
        return ClipSound(
            role: role, slices: state.withLock { $0.slices }, sourceChannels: sourceChannels, offset: offset,
            from: start,
            length: length)
    }
}

/// A microphone source that also feeds a `ClipAudioBuffer`.
private struct TappedMicrophone: DetailedMicrophoneSource {
    let source: any MicrophoneSource
    let buffer: ClipAudioBuffer

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
        try source.start(on: clock) { [buffer, format] event in
            buffer.receive(event, in: format, at: clock.now)
            receive(event)
        }
    }

    func setRecordingStart(_ start: ClockTime) { source.setRecordingStart(start) }

    func stop() { source.stop() }
}

/// The audio of a clip around a still, from one microphone, starting with the clip's first visible frame.
package struct ClipSound: Sendable, Equatable {
    /// The microphone's role.
    package let role: String
    /// Sample rate and number of channels, at most two.
    package let format: AudioFormat
    /// Interleaved samples; full scale is ±1. Missing audio is replaced with silence.
    package let samples: [Float]

    /// Creates the audio of a clip. Each parameter sets the property of the same name.
    package init(role: String, format: AudioFormat, samples: [Float]) {
        self.role = role
        self.format = format
        self.samples = samples
    }
}

extension ClipSound {
    /// Places a microphone's slices of audio at their positions in a clip.
    ///
    /// - Parameters:
    ///   - role: The microphone's role.
    ///   - slices: The slices of audio in order of capture, all in the same format. Time stamps are inexact,
    ///     so slices with contiguous device sample counts are aligned together, by the median of their time
    ///     stamps.
    ///   - sourceChannels: The channels to use, starting at 0. If the list is empty, the first two channels
    ///     are used, or the only channel of a mono microphone.
    ///   - offset: The offset added to each capture time.
    ///   - start: Capture time of the clip's first sample.
    ///   - length: The length of the clip.
    package init?(
        role: String, slices: [CapturedAudio], sourceChannels: [Int], offset: Nanoseconds,
        from start: ClockTime,
        length: Nanoseconds
    ) {
        guard let format = slices.first?.format, length > .zero else { return nil }
        let wanted =
            sourceChannels.isEmpty
            ? Array(0..<format.channels) : sourceChannels.filter { $0 < format.channels }
        let channels = Array(wanted.prefix(2))
        guard !channels.isEmpty else { return nil }
        let rate = FrameRate(Int64(format.rate))
        let frameCount = Int(rate.ticks(before: MediaTime(nanoseconds: length.count)))
        var samples = [Float](repeating: 0, count: frameCount * channels.count)
        for run in Self.runs(slices) {
            let origins = run.map {
                $0.capturedAt + offset
                    - Nanoseconds(rate.time(ofTick: $0.firstSample - run[0].firstSample).nanoseconds)
            }.sorted()
            let distance = (origins[origins.count / 2] - start).inSeconds
            let place = Int64(rounding: distance * Double(format.rate)) - run[0].firstSample
            for slice in run {
                let selected = slice.samples(of: channels)
                for frame in 0..<slice.frameCount {
                    let index = Int(place + slice.firstSample) + frame
                    guard index >= 0, index < frameCount else { continue }
                    for channel in channels.indices {
                        samples[index * channels.count + channel] = selected[frame * channels.count + channel]
                    }
                }
            }
        }
        self.init(
            role: role, format: AudioFormat(rate: format.rate, channels: channels.count), samples: samples)
    }

    /// Splits the slices into runs in which the device's sample count increases consistently with the capture times.
    private static func runs(_ slices: [CapturedAudio]) -> [[CapturedAudio]] {
        slices.reduce(into: []) { runs, slice in
            guard let last = runs.last?.last else {
                runs.append([slice])
                return
            }
            let counted = Double(slice.firstSample - last.firstSample) / Double(slice.format.rate)
            let elapsed = (slice.capturedAt - last.capturedAt).inSeconds
            if slice.firstSample > last.firstSample, abs(counted - elapsed) < 0.2 {
                runs[runs.count - 1].append(slice)
            } else {
                runs.append([slice])
            }
        }
    }
}
