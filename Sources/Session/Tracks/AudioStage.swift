internal import MulticamEncoders
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamTiming

/// Advances all microphones and the program's mix in blocks of 20 ms. Use this type only on the timeline's
/// thread.
final class AudioStage {
    private(set) var microphones: [MicrophoneFeed]
    private let encoder: AudioEncoderWorker?
    private let loudness: LoudnessStream?
    private let taps: TapRegistry?
    /// Linear gain of each microphone in the last block and in the next one. A microphone with gain 0 isn't audible.
    private var gains: [(last: Float, next: Float)]
    private let start: ClockTime
    /// Index of the next sample of all microphones.
    private(set) var position: Int64 = 0

    /// Creates a stage at sample 0.
    ///
    /// - Parameters:
    ///   - start: The time of sample 0.
    ///   - microphones: All microphones, whether or not they are mixed.
    ///   - mix: Linear gain of each microphone in the program, by role. Microphones without an entry aren't mixed.
    ///   - encoder: Encodes the mix, or `nil` for a program without audio.
    ///   - loudness: The stream that measures the loudness of the mix.
    ///   - taps: Taps that receive the mix, whether or not it is encoded.
    init(
        start: ClockTime, microphones: [MicrophoneFeed], mix: [String: Float], encoder: AudioEncoderWorker?,
        loudness: LoudnessStream?, taps: TapRegistry? = nil
    ) {
        self.start = start
        self.microphones = microphones
        self.encoder = encoder
        self.loudness = loudness
        self.taps = taps
        gains = microphones.map { microphone in
            let gain = mix[microphone.role] ?? 0
            return (gain, gain)
        }
    }

    /// Changes the mix. The gains ramp linearly across the next block, since a sudden change would be audible as a
    /// click.
    ///
    /// - Parameter mix: Linear gain of each microphone in the program, by role. Microphones without an entry aren't
    ///   mixed.
    func setMix(_ mix: [String: Float]) {
        for index in microphones.indices { gains[index].next = mix[microphones[index].role] ?? 0 }
    }

    /// Adds a microphone, which isn't audible until `setMix` mixes it.
    ///
    /// - Parameter microphone: The microphone. Its first sample must be the next sample of the stage.
    func add(_ microphone: MicrophoneFeed) {
        microphones.append(microphone)
        gains.append((0, 0))
    }

    /// Whether all expected audio from before an instant has arrived.
    ///
    /// The stage doesn't wait for a disconnected microphone. The stage also doesn't wait for a microphone
    /// whose audio was already abandoned, until that microphone has caught up with the stage. A microphone
    /// that hangs therefore delays the others only once.
    ///
    /// - Parameters:
    ///   - instant: The instant, on the session's clock.
    ///   - due: Audio before this instant would be abandoned if the stage didn't wait for late audio.
    ///   - isPastDeadline: Whether audio that has not arrived by now is abandoned.
    /// - Returns: `true` when the stage doesn't wait for any more audio from before the instant.
    func hasArrived(before instant: ClockTime, due: ClockTime, isPastDeadline: Bool) -> Bool {
        // Every microphone is queried, without short-circuit evaluation, because the audio of each microphone
        // may have to be abandoned.
        microphones.reduce(true) { all, microphone in
            microphone.hasArrived(before: instant, due: due, isPastDeadline: isPastDeadline) && all
        }
    }

    /// Advances all microphones and the mix up to sample `end`.
    func advance(to end: Int64) {
        guard end > position else { return }
        let slices = microphones.map { $0.programAudio($0.advance(to: end), to: end) }
        let isTapped = taps?.wantsAudio(of: TapRegistry.program) ?? false
        if encoder != nil || isTapped {
            let audio = mixed(slices, frames: Int(end - position))
            encoder?.encode(
                AudioBlock(audio, fates: AudioFateRun(.captured, count: Int(end - position))))
            loudness?.add(audio)
            if isTapped {
                let time = start + Nanoseconds(AudioGrid.samples.time(ofTick: position).nanoseconds)
                let slice = AudioTap.Slice(
                    firstSample: position, capturedAt: time, channels: AudioGrid.mixChannels, samples: audio)
                taps?.forward(slice, of: TapRegistry.program)
            }
        }
        position = end
    }

    /// Ends all microphones and the mix.
    func finish(at end: MediaTime) {
        for microphone in microphones { microphone.finish(at: end) }
        encoder?.finish()
        loudness?.finish()
    }

    private func mixed(_ slices: [(samples: [Float], channels: Int)], frames: Int) -> [Float] {
        var sum = [Float](repeating: 0, count: frames * AudioGrid.mixChannels)
        for (index, heard) in slices.enumerated() {
            let (last, next) = gains[index]
            gains[index].last = next
            guard last != 0 || next != 0 else { continue }
            let samples = heard.channels > 2 ? Self.mean(of: heard) : heard.samples
            let step = heard.channels > 2 ? 1 : heard.channels
            let right = step > 1 ? 1 : 0
            let rise = (next - last) / Float(frames)
            samples.withUnsafeBufferPointer { slice in
                sum.withUnsafeMutableBufferPointer { sum in
                    for frame in 0..<frames {
                        let gain = last + rise * Float(frame + 1)
                        sum[2 * frame] += slice[frame * step] * gain
                        sum[2 * frame + 1] += slice[frame * step + right] * gain
                    }
                }
            }
        }
        return sum.map { min(max($0, -1), 1) }
    }

    private static func mean(of audio: (samples: [Float], channels: Int)) -> [Float] {
        let share = 1 / Float(audio.channels)
        return stride(from: 0, to: audio.samples.count, by: audio.channels).map { start in
            audio.samples[start..<start + audio.channels].reduce(0, +) * share
        }
    }
}
