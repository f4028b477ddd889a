internal import MulticamEncoders
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamTiming

/// Advances all microphones and the program's mix in blocks of 20 ms. Use this type only on the timeline's
/// thread.
final class AudioStage {
    private(set) var microphones: [MicrophoneFeed]
    private let encoder: AudioEncoderWorker?
    private let loudness: LoudnessStream?
    private let taps: TapRegistry?
    private let codecs: any CodecFactory
    /// Linear gain of each microphone in the last block and in the next one. A microphone with gain 0 isn't audible.
    private var gains: [(last: Float, next: Float)]
    /// The audio of each microphone for the program.
    private var voices: [ProcessedSound] = []
    /// The mix of all voices.
    private let mix: ProcessedSound
    /// Blocks that aren't mixed yet, because filters haven't returned their samples, with the gains of their microphones.
    private var blocks: [Block] = []
    /// The processing of the mix from the next block on.
    private var mixProcessing = SoundProcessing.off
    private let start: ClockTime

    /// A block of 20 ms that isn't mixed yet.
    private struct Block {
        /// Index of the sample after the block.
        let end: Int64
        /// Linear gain of each microphone at the beginning and at the end.
        let gains: [(last: Float, next: Float)]
        let mixProcessing: SoundProcessing
    }

    /// Index of the next sample of all microphones.
    private(set) var position: Int64 = 0

    /// Creates a stage at sample 0.
    ///
    /// - Parameters:
    ///   - start: The time of sample 0.
    ///   - microphones: All microphones, whether or not they are mixed.
    ///   - mix: The mix of the program.
    ///   - codecs: Creates filters.
    ///   - encoder: Encodes the mix, or `nil` for a program without audio.
    ///   - loudness: The stream that measures the loudness of the mix.
    ///   - taps: Taps that receive the mix, whether or not it is encoded.
    init(
        start: ClockTime, microphones: [MicrophoneFeed], mix: ProgramMix, codecs: any CodecFactory,
        encoder: AudioEncoderWorker?, loudness: LoudnessStream?, taps: TapRegistry? = nil
    ) {
        self.start = start
        self.microphones = microphones
        self.codecs = codecs
        self.encoder = encoder
        self.loudness = loudness
        self.taps = taps
        self.mix = ProcessedSound("the mix", channels: AudioGrid.mixChannels, from: 0, codecs: codecs)
        gains = microphones.map { microphone in
            let gain = mix.gains[microphone.role] ?? 0
            return (gain, gain)
        }
        voices = microphones.map { makeVoice(of: $0) }
        setProcessing(mix)
    }

    private func makeVoice(of microphone: MicrophoneFeed) -> ProcessedSound {
        let channels =
            [microphone.channels, microphone.voice?.channels ?? 1].map { $0 > 2 ? 1 : $0 }.max() ?? 1
        return ProcessedSound(microphone.role, channels: channels, from: position, codecs: codecs)
    }

    /// Changes the mix. The gains ramp linearly across the next block, and filters are faded, since a sudden change would be
    /// audible as a click.
    func setMix(_ mix: ProgramMix) {
        for index in microphones.indices { gains[index].next = mix.gains[microphones[index].role] ?? 0 }
        setProcessing(mix)
    }

    private func setProcessing(_ mix: ProgramMix) {
        for voice in voices { voice.setProcessing(mix.processing[voice.name] ?? .off) }
        mixProcessing = mix.mixProcessing
    }

    /// Adds a microphone, which isn't audible until `setMix` mixes it.
    ///
    /// - Parameter microphone: The microphone. Its first sample must be the next sample of the stage.
    func add(_ microphone: MicrophoneFeed) {
        microphones.append(microphone)
        gains.append((0, 0))
        voices.append(makeVoice(of: microphone))
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

    /// Advances all microphones up to sample `end`, and the mix as far as the filters have returned samples.
    func advance(to end: Int64) {
        guard end > position else { return }
        let slices = microphones.map { $0.programAudio($0.advance(to: end), to: end) }
        if isMixed {
            for (voice, slice) in zip(voices, slices) {
                voice.append(Self.samples(of: slice, channels: voice.channels))
            }
            blocks.append(Block(end: end, gains: gains, mixProcessing: mixProcessing))
        } else {
            blocks = []
            for sound in voices + [mix] { sound.skip(to: end) }
        }
        for index in gains.indices { gains[index].last = gains[index].next }
        position = end
        mixBlocks()
    }

    /// Whether the mix is encoded or tapped. If a tap is added later, the mix begins then.
    private var isMixed: Bool { encoder != nil || (taps?.wantsAudio(of: TapRegistry.program) ?? false) }

    private func mixBlocks() {
        while let block = blocks.first,
            voices.prefix(block.gains.count).allSatisfy({ $0.available >= block.end })
        {
            blocks.removeFirst()
            mix.setProcessing(block.mixProcessing)
            mix.append(mixed(block.gains, to: block.end))
        }
        deliver(to: mix.available)
    }

    private func deliver(to end: Int64) {
        let first = mix.first
        guard end > first else { return }
        let audio = mix.dequeue(upTo: end).map { min(max($0, -1), 1) }
        encoder?.encode(AudioBlock(audio, fates: AudioFateRun(.captured, count: Int(end - first))))
        loudness?.add(audio)
        guard let taps, taps.wantsAudio(of: TapRegistry.program) else { return }
        let time = start + Nanoseconds(AudioGrid.samples.time(ofTick: first).nanoseconds)
        let slice = AudioTap.Slice(
            firstSample: first, capturedAt: time, channels: AudioGrid.mixChannels, samples: audio)
        taps.forward(slice, of: TapRegistry.program)
    }

    /// Ends all microphones and the mix.
    func finish(at end: MediaTime) {
        for microphone in microphones { microphone.finish(at: end) }
        let last = blocks.last?.end ?? mix.end
        for voice in voices { voice.finish() }
        mixBlocks()
        mix.finish()
        deliver(to: min(last, mix.available))
        encoder?.finish()
        loudness?.finish()
    }

    /// Returns a sentence for each failure of filters since the last call.
    func dequeueFailures() -> [String] { (voices + [mix]).flatMap { $0.dequeueFailures() } }

    private func mixed(_ gains: [(last: Float, next: Float)], to end: Int64) -> [Float] {
        let frames = Int(end - mix.end)
        var sum = [Float](repeating: 0, count: frames * AudioGrid.mixChannels)
        for (voice, (last, next)) in zip(voices, gains) {
            let samples = voice.dequeue(upTo: end)
            guard last != 0 || next != 0 else { continue }
            let (step, right) = (voice.channels, voice.channels - 1)
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
        return sum
    }

    /// Returns audio with 1 or 2 channels: more than two channels are averaged, and a single channel is used for both.
    private static func samples(of audio: (samples: [Float], channels: Int), channels: Int) -> [Float] {
        guard audio.channels != channels else { return audio.samples }
        let mono = audio.channels > 2 ? mean(of: audio) : audio.samples
        return channels == 1 ? mono : mono.flatMap { [$0, $0] }
    }

    private static func mean(of audio: (samples: [Float], channels: Int)) -> [Float] {
        let share = 1 / Float(audio.channels)
        return stride(from: 0, to: audio.samples.count, by: audio.channels).map { start in
            audio.samples[start..<start + audio.channels].reduce(0, +) * share
        }
    }
}

extension CodecFactory {
    /// Creates all filters of a mix once, because loading the library and measuring the delays would take too long on the timeline's
    /// thread.
    ///
    /// - Throws: `EncodingError` if filters can't be created.
    func prepareSoundFilters(of mix: ProgramMix) throws(EncodingError) {
        for (role, processing) in mix.processing where !processing.isOff {
            _ = try makeSoundFilters(processing, channels: 1, name: role)
        }
        guard !mix.mixProcessing.isOff else { return }
        _ = try makeSoundFilters(mix.mixProcessing, channels: AudioGrid.mixChannels, name: "the mix")
    }
}
