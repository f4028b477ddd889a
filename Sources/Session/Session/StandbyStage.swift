internal import Encoders
internal import Inputs
internal import Media
internal import Plan
internal import Timing

/// Makes what taps want while nothing is recorded: aligned audio, the mix, the composed program, and its packets. Where nobody wants
/// it, it costs nothing. Standby's thread only.
final class StandbyStage {
    private let inputs: SessionInputs
    private let clock: any SessionClock
    private let codecs: any CodecFactory
    private let taps: TapBoard
    private let plan: @Sendable () -> SessionPlan
    private var audio: (stage: AudioStage, start: ClockTime)?
    /// Set while somebody wants packets: they compose, too.
    private var encoders: StandbyEncoders?
    private var program: (composer: any FrameComposing, settings: VideoEncodingSettings, start: ClockTime)?
    private var nextTick: Int64 = 0
    private var sequence: Int64 = 0
    /// Capture times of the frames that were composed last.
    private var shown: [ClockTime?]?
    private var shownLayers: [PlannedLayer] = []
    /// Why nothing more is made during this pause.
    private var failure: EncodingError?

    /// How often audio is given where nobody wants the program: a slice at a time.
    private static let audioInterval = Nanoseconds.milliseconds(20)

    /// Creates the stage of one pause between recordings.
    ///
    /// - Parameters:
    ///   - inputs: The devices.
    ///   - clock: The session clock.
    ///   - codecs: Makes resamplers and the compositor.
    ///   - taps: Get what is made.
    ///   - plan: Returns the plan with all changes.
    init(
        _ inputs: SessionInputs, clock: any SessionClock, codecs: any CodecFactory, taps: TapBoard,
        plan: @escaping @Sendable () -> SessionPlan
    ) {
        self.inputs = inputs
        self.clock = clock
        self.codecs = codecs
        self.taps = taps
        self.plan = plan
    }

    /// When `advance` is to be called next, or `nil` while nobody wants anything.
    var nextTime: ClockTime? {
        guard failure == nil else { return nil }
        if let encoders {
            let due = encoders.settings.rate.time(ofTick: nextTick).nanoseconds
            return encoders.start + delay + Nanoseconds(due)
        }
        if taps.wantsStandbyPackets { return clock.now + Self.audioInterval }
        if let program, taps.wantsProgramFrames {
            let due = program.start + Nanoseconds(program.settings.rate.time(ofTick: nextTick).nanoseconds)
            // A thread that is late leaves ticks out.
            let next = max(due, clock.now)
            return taps.wantsAudio ? min(next, clock.now + Self.audioInterval) : next
        }
        return taps.wantsProgramFrames || taps.wantsAudio ? clock.now + Self.audioInterval : nil
    }

    /// Gives the taps what is due.
    ///
    /// - Returns: Once, why nothing more can be made.
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

    /// Ends what runs, before a recording has the devices or the session ends.
    func end() {
        encoders?.finish()
        encoders = nil
        audio = nil
        program = nil
        shown = nil
        nextTick = 0
        taps.endPackets()
    }

    /// How long after a tick its frame is composed: audio and frames of one instant are there then.
    private var delay: Nanoseconds { inputs.slowestDelivery }

    // MARK: Packets

    /// Begins and ends encoding as taps want packets, and encodes the ticks that are due.
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
        // The ticks that a busy computer missed show what was there before.
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

    private func advanceAudio(_ plan: SessionPlan) throws(EncodingError) {
        guard taps.wantsAudio || encoders?.audio != nil else {
            audio = nil
            return
        }
        if audio == nil { audio = try makeAudio() }
        guard let (stage, start) = audio else { return }
        stage.arrange(plan.mixGains)
        let heard = clock.now - inputs.slowestDelivery - start
        guard heard > .zero else { return }
        let block = MediaTime(nanoseconds: heard.count).ticks(perSecond: Int64(AudioFormat.sessionRate))
        // Whole blocks, as in a recording.
        let samples = Int64(AudioFormat.sessionRate) / 50
        stage.advance(to: block / samples * samples)
        // What happens to devices is told by who keeps them.
        for microphone in stage.microphones { _ = microphone.takeEvents() }
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
                start: start, microphones: feeds, mix: [:], encoder: encoders?.audio, loudness: nil,
                taps: taps), start
        )
    }

    // MARK: The program

    private func advanceProgram(_ plan: SessionPlan) throws(EncodingError) {
        guard taps.wantsProgramFrames, let planned = plan.program else {
            program = nil
            return
        }
        if program == nil {
            let settings = planned.settings
            let composer = try codecs.makeComposer(
                size: settings.size, color: settings.color ?? .jpeg, name: TapBoard.program)
            program = (composer, settings, clock.now)
            nextTick = 0
            shown = nil
        }
        guard let (composer, settings, start) = program else { return }
        let position = MediaTime(clock.now, since: start)
        guard settings.rate.time(ofTick: nextTick) <= position else { return }
        let due = settings.rate.ticks(before: position)
        nextTick = settings.rate.time(ofTick: due) > position ? due : due + 1
        guard let layers = newLayers(planned) else { return }
        sequence += 1
        let frame = try composer.compose(layers, at: clock.now, sequence: sequence)
        taps.give(frame, of: TapBoard.program)
    }

    /// Returns the layers of the latest frames, or `nil` when they are those of the last call.
    private func newLayers(_ planned: PlannedProgram) -> [FrameLayer]? {
        let frames = planned.layers.map { inputs.latestFrame(of: $0.role) }
        let seen = frames.map { $0?.capturedAt }
        guard shown != seen || shownLayers != planned.layers else { return nil }
        (shown, shownLayers) = (seen, planned.layers)
        return zip(planned.layers, frames).compactMap { place, frame in
            inputs.cameras.first { $0.role == place.role }.map { camera in
                FrameLayer(
                    frame: frame, place, plannedSize: camera.source.format.size,
                    caption: SlateCaption(role: place.role, device: camera.source.device.name),
                    isCoarse: false)
            }
        }
    }
}
