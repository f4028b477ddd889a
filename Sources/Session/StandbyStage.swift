internal import MulticamEncoders
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamTiming
internal import MulticamWriters

/// Produces the data for taps while nothing is being recorded: aligned audio, the mix, the composed program,
/// and its packets. Only the data that taps request is produced, so an idle stage uses no processor time. Use
/// this type only on the standby thread.
final class StandbyStage {
    private let inputs: SessionInputs
    private let clock: any SessionClock
    private let codecs: any CodecFactory
    private let taps: TapRegistry
    private let plan: @Sendable () -> SessionPlan
    private var audio: (stage: AudioStage, start: ClockTime)?
    /// The encoders, which also compose the program and exist only while a tap requests packets.
    private var encoders: StandbyEncoders?
    /// The composer, and the grid of its frames: not more frames than the taps need.
    private var program: (composer: any FrameComposing, rate: FrameRate, start: ClockTime)?
    private var nextTick: Int64 = 0
    private var sequence: Int64 = 0
    /// Capture times of the frames that were composed last.
    private var shown: [ClockTime?]?
    private var shownLayers: [PlannedLayer] = []
    private var failures: [String] = []
    /// The error that stopped all output for the rest of this pause.
    private var failure: EncodingError?

    /// Interval of audio delivery when no tap requests the program: one slice at a time.
    private static let audioInterval = Nanoseconds.milliseconds(20)

    /// Creates the stage for one pause between recordings.
    ///
    /// - Parameters:
    ///   - inputs: The devices on standby.
    ///   - clock: The session clock.
    ///   - codecs: Creates resamplers and the compositor.
    ///   - taps: Taps that receive the stage's output.
    ///   - plan: Returns the plan with all changes.
    init(
        _ inputs: SessionInputs, clock: any SessionClock, codecs: any CodecFactory, taps: TapRegistry,
        plan: @escaping @Sendable () -> SessionPlan
    ) {
        self.inputs = inputs
        self.clock = clock
        self.codecs = codecs
        self.taps = taps
        self.plan = plan
    }

    /// When to call `advance` next, or `nil` while no tap requests anything.
    var nextTime: ClockTime? {
        guard failure == nil else { return nil }
        if let encoders {
            let due = encoders.settings.rate.time(ofTick: nextTick).nanoseconds
            return encoders.start + delay + Nanoseconds(due)
        }
        if taps.wantsStandbyPackets { return clock.now + Self.audioInterval }
        if let program, taps.wantsProgramFrames {
            let due = program.start + Nanoseconds(program.rate.time(ofTick: nextTick).nanoseconds)
            // If the standby thread is late, some ticks are omitted.
            let next = max(due, clock.now)
            return taps.wantsAudio ? min(next, clock.now + Self.audioInterval) : next
        }
        return taps.wantsProgramFrames || taps.wantsAudio ? clock.now + Self.audioInterval : nil
    }

    /// Delivers to the taps all data that is due.
    ///
    /// - Returns: The error after which no more data can be produced. Each error is returned only once.
    func advance() -> EncodingError? {
        guard failure == nil else { return nil }
        let plan = plan()
        do throws(EncodingError) {
            try advanceEncoders(plan)
            try advanceAudio(plan)
            if encoders == nil { try advanceProgram(plan) }
        } catch {
            end()
            failure = error
        }
        return failure
    }

    /// Ends all running outputs. Call this method before a recording takes over the devices, and before the
    /// session ends.
    func end() {
        encoders?.finish()
        encoders = nil
        audio = nil
        program = nil
        shown = nil
        nextTick = 0
        taps.clearPacketHistory()
    }

    /// Delay from a tick until its frame is composed. After this delay, both the audio and the frames
    /// captured at the tick are available.
    private var delay: Nanoseconds { inputs.slowestDelivery }

    // MARK: Packets

    /// Starts encoding when a tap requests packets, ends encoding when no tap requests packets, and encodes
    /// the ticks that are due.
    private func advanceEncoders(_ plan: SessionPlan) throws(EncodingError) {
        let wanted = taps.wantsStandbyPackets ? plan.program : nil
        let isOther =
            encoders?.settings != wanted?.settings || encoders?.hasAudio != wanted.map { !$0.mix.isEmpty }
        if isOther {
            end()
            if let wanted {
                encoders = try StandbyEncoders(wanted, codecs: codecs, taps: taps, since: clock.now)
            }
        }
        guard let encoders, let wanted else { return }
        if let failure = encoders.video.failure ?? encoders.audio?.failure { throw failure }
        let rate = encoders.settings.rate
        let position = MediaTime(clock.now - delay, since: encoders.start)
        guard rate.time(ofTick: nextTick) <= position else { return }
        // Ticks that were missed on a busy computer repeat the previous picture.
        while rate.time(ofTick: nextTick + 1) <= position, shown != nil {
            encoders.video.repeatLast(tick: nextTick, asKey: false)
            nextTick += 1
        }
        if let layers = newLayers(wanted) {
            encoders.video.encode(layers, tick: nextTick, asKey: false)
        } else {
            encoders.video.repeatLast(tick: nextTick, asKey: false)
        }
        nextTick += 1
    }

    // MARK: Audio

    /// Returns a sentence for each failure of filters since the last call.
    func dequeueFailures() -> [String] {
        defer { failures = [] }
        return failures
    }

    private func advanceAudio(_ plan: SessionPlan) throws(EncodingError) {
        guard taps.wantsAudio || encoders?.audio != nil else {
            audio = nil
            return
        }
        if audio == nil { audio = try makeAudio() }
        guard let (stage, start) = audio else { return }
        stage.setMix(plan.mix)
        let heard = clock.now - inputs.slowestDelivery - start
        guard heard > .zero else { return }
        let block = MediaTime(nanoseconds: heard.count).ticks(perSecond: Int64(AudioFormat.sessionRate))
        // Audio is delivered in whole blocks, as in a recording.
        let samples = Int64(AudioFormat.sessionRate) / 50
        stage.advance(to: block / samples * samples)
        // The microphones' events are dropped here because the owner of the devices reports them.
        for microphone in stage.microphones { _ = microphone.dequeueEvents() }
        failures += stage.dequeueFailures()
    }

    private func makeAudio() throws(EncodingError) -> (AudioStage, ClockTime) {
        let start = encoders?.start ?? clock.now
        func feed(_ input: MicrophoneInput) throws(EncodingError) -> MicrophoneFeed {
            let format = AudioFormat(rate: input.source.format.rate, channels: input.channels)
            return MicrophoneFeed(
                input: input, resampler: try codecs.makeResampler(from: format, name: input.role),
                start: start, taps: taps)
        }
        var feeds: [MicrophoneFeed] = []
        for input in inputs.microphones {
            let microphone = try feed(input)
            if let voice = inputs.voices.first(where: { $0.role == input.role }) {
                microphone.voice = try feed(voice)
            }
            feeds.append(microphone)
        }
        return (
            AudioStage(
                start: start, microphones: feeds, mix: ProgramMix(), codecs: codecs, encoder: encoders?.audio,
                loudness: nil, taps: taps), start
        )
    }

    // MARK: Program

    private func advanceProgram(_ plan: SessionPlan) throws(EncodingError) {
        guard let planned = plan.program,
            let rate = taps.programFrameRate(atMost: planned.settings.rate)
        else {
            program = nil
            return
        }
        if program == nil {
            let settings = planned.settings
            let composer = try codecs.makeComposer(
                size: settings.size, color: settings.color ?? .jpeg, name: TapRegistry.program)
            program = (composer, rate, clock.now)
            nextTick = 0
            shown = nil
        }
        if let other = program, other.rate != rate {
            program = (other.composer, rate, clock.now)
            nextTick = 0
        }
        guard let (composer, _, start) = program else { return }
        let position = MediaTime(clock.now, since: start)
        guard rate.time(ofTick: nextTick) <= position else { return }
        let due = rate.ticks(before: position)
        nextTick = rate.time(ofTick: due) > position ? due : due + 1
        guard let layers = newLayers(planned) else { return }
        sequence += 1
        let frame = try composer.compose(layers, at: clock.now, sequence: sequence)
        taps.forward(frame, of: TapRegistry.program)
    }

    /// Returns the layers of the latest frames, or `nil` when they haven't changed since the last call.
    private func newLayers(_ planned: PlannedProgram) -> [FrameLayer]? {
        let frames = planned.layers.map { inputs.latestFrame(of: $0.role) }
        let seen = frames.map { $0?.capturedAt }
        let now = clock.now.nanoseconds
        let layers = planned.layers.map { layer in
            let camera = inputs.cameras.first { $0.role == layer.role }
            return camera.map { layer.framed(at: now, of: $0.source.format.size) } ?? layer
        }
        guard shown != seen || shownLayers != layers else { return nil }
        (shown, shownLayers) = (seen, layers)
        return zip(layers, frames).compactMap { place, frame in
            inputs.cameras.first { $0.role == place.role }.map { camera in
                FrameLayer(
                    frame: frame, place, plannedSize: camera.source.format.size,
                    caption: SlateCaption(role: place.role, device: camera.source.device.name),
                    isCoarse: false)
            }
        }
    }
}

/// The program's encoders during one pause between recordings. The packets of these encoders go only to taps.
/// Use this type only on the standby thread.
final class StandbyEncoders {
    /// Time of tick 0 and of sample 0.
    let start: ClockTime
    /// The settings with which the encoders were created.
    let settings: VideoEncodingSettings
    let video: VideoEncoderWorker
    /// Encodes the mix, or `nil` for a program without audio.
    let audio: AudioEncoderWorker?

    /// Whether the mix is encoded as well.
    var hasAudio: Bool { audio != nil }

    /// Starts the encoders of the program.
    ///
    /// - Parameters:
    ///   - program: The planned program.
    ///   - codecs: The codec factory, which creates the encoders.
    ///   - taps: Receive packets and composed frames.
    ///   - start: Time of tick 0 and of sample 0.
    /// - Throws: `EncodingError` when no encoder is available.
    init(
        _ program: PlannedProgram, codecs: any CodecFactory, taps: TapRegistry, since start: ClockTime
    ) throws(EncodingError) {
        self.start = start
        settings = program.settings
        func sink(of parameters: StreamParameters) -> TrackSink {
            TrackSink(named: "program, on standby") { packet in
                taps.forward(packet, parameters: parameters, since: start, isOfStandby: true)
            }
        }
        let makeAudio: RestartingAudioEncoder.EncoderFactory = { () throws(EncodingError) in
            Carried(
                try codecs.makeAudioEncoder(
                    channels: AudioGrid.mixChannels, bitrate: program.audioBitrate, name: "program"))
        }
        let frames = try codecs.makeVideoEncoder(settings, name: SessionPlan.programOwner)
        let framesSink = sink(of: frames.parameters)
        if program.mix.isEmpty {
            audio = nil
        } else {
            let first = try makeAudio().value
            let audioSink = sink(of: first.parameters)
            audio = AudioEncoderWorker(encoder: first, making: makeAudio, to: audioSink)
        }
        video = VideoEncoderWorker(
            name: "program", encoder: frames,
            another: VideoEncoderWorker.makeEncoderFactory(
                settings, named: SessionPlan.programOwner, by: codecs),
            to: framesSink,
            watching: OutputAssembly.makeFrameObserver(for: taps, since: start, rate: settings.rate),
            waitsForRoom: false)
    }

    /// Ends the encoders and waits for them. The taps receive all remaining packets.
    func finish() {
        video.finish()
        audio?.finish()
        video.join()
        audio?.join()
    }
}
