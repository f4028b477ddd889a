package import MulticamMedia
package import MulticamWriters

/// The taps that are attached to a session. Taps can be attached and detached at any time, in any phase. Each
/// tap has its own thread. Thread-safe.
package final class TapRegistry: Sendable {
    /// Role of taps that receive the session's composed frames and mixed audio.
    package static let program = "program"

    private struct State {
        var frames: [String: [FrameTap]] = [:]
        var audio: [String: [AudioTap]] = [:]
        var metadata: [String: [MetadataTap]] = [:]
        var packets: [PacketTap] = []
        var history = ProgramPacketHistory()
        /// Whether the governor has paused preview taps, including taps that are attached later.
        var pausesPreviews = false
        /// The codecs for taps; `nil` unless the session is running.
        var codecs: (any CodecFactory)?
        /// Whether passing audio to taps blocks until the handlers have processed the audio.
        var waitsForSound = false
        var isOver = false
        /// Number of handler threads by role that the session waits for when it ends.
        var running: [String: Int] = [:]
    }

    private let state = ConditionLock(State())

    /// Maximum number of frames in driver memory that taps may hold at the same time. Further frames are
    /// copied, because a driver has only a few buffers.
    private static let mostLent = 2

    /// Creates a registry without taps.
    package init() {}

    // MARK: Attachment and detachment

    /// Attaches a frame tap. A preview tap is paused if the governor has paused previews. If the session has
    /// ended, the tap is ended immediately.
    package func attach(_ tap: FrameTap) {
        attach(tap.finish, tap.role, waits: !tap.mayStall, run: tap.run) { state in
            tap.pause(tap.isPreview && state.pausesPreviews)
            state.frames[tap.role, default: []].append(tap)
        }
    }

    /// Attaches a tap. If the session has ended, the tap is ended immediately.
    package func attach(_ tap: AudioTap) {
        attach(tap.finish, tap.role, waits: !tap.mayStall, run: { _ in tap.run() }) {
            $0.audio[tap.role, default: []].append(tap)
        }
    }

    /// Attaches a tap. If the session has ended, the tap is ended immediately.
    package func attach(_ tap: MetadataTap) {
        attach(tap.finish, tap.role, waits: true, run: { _ in tap.run() }) {
            $0.metadata[tap.role, default: []].append(tap)
        }
    }

    /// Attaches a packet tap, which first receives the packets since the last key frame. If the session has
    /// ended, the tap is ended immediately.
    package func attach(_ tap: PacketTap) {
        attach(tap.finish, Self.program, waits: !tap.mayStall, run: { _ in tap.run() }) { state in
            if !state.history.isOfStandby || tap.includesStandby {
                for packet in state.history.sinceKey { tap.offer(packet) }
            }
            state.packets.append(tap)
        }
    }

    private func attach(
        _ finish: () -> Void, _ role: String, waits: Bool,
        run: @escaping @Sendable (any CodecFactory) -> Void, adding: (inout State) -> Void
    ) {
        let isOver = state.withLock { state in
            if !state.isOver {
                adding(&state)
                if let codecs = state.codecs { startThread(role, waits, run, codecs, &state) }
            }
            return state.isOver
        }
        if isOver { finish() }
    }

    private func startThread(
        _ role: String, _ waits: Bool, _ run: @escaping @Sendable (any CodecFactory) -> Void,
        _ codecs: any CodecFactory, _ state: inout State
    ) {
        if waits { state.running[role, default: 0] += 1 }
        MediaThread.startWhenPossible(name: "tap:\(role)") { [board = self] in
            run(codecs)
            guard waits else { return }
            board.state.broadcast { state in
                let others = state.running[role, default: 1] - 1
                state.running[role] = others > 0 ? others : nil
            }
        }
    }

    /// Detaches a frame tap. The tap's handler still receives the queued frames before the tap ends.
    package func detach(_ tap: FrameTap) {
        state.withLock { $0.frames[tap.role]?.removeAll { $0 === tap } }
        tap.finish()
    }

    /// Detaches an audio tap. The tap's handler still receives the queued slices before the tap ends.
    package func detach(_ tap: AudioTap) {
        state.withLock { $0.audio[tap.role]?.removeAll { $0 === tap } }
        tap.finish()
    }

    /// Detaches a metadata tap. The tap's handler still receives the queued values before the tap ends.
    package func detach(_ tap: MetadataTap) {
        state.withLock { $0.metadata[tap.role]?.removeAll { $0 === tap } }
        tap.finish()
    }

    /// Detaches a packet tap. The tap's handler still receives the queued packets before the tap ends.
    package func detach(_ tap: PacketTap) {
        state.withLock { $0.packets.removeAll { $0 === tap } }
        tap.finish()
    }

    /// Starts the handler threads of all attached taps. Taps that are attached later are started immediately.
    ///
    /// - Parameters:
    ///   - codecs: The factory for the decoders of taps that request converted frames.
    ///   - waitsForSound: Whether passing audio to taps waits for the handlers, which is required with
    ///     simulated time.
    package func start(with codecs: any CodecFactory, waitsForSound: Bool) {
        state.withLock { state in
            guard state.codecs == nil, !state.isOver else { return }
            state.codecs = codecs
            state.waitsForSound = waitsForSound
            for tap in state.frames.values.joined() {
                startThread(tap.role, !tap.mayStall, tap.run, codecs, &state)
            }
            for tap in state.audio.values.joined() {
                startThread(tap.role, !tap.mayStall, { _ in tap.run() }, codecs, &state)
            }
            for tap in state.metadata.values.joined() {
                startThread(tap.role, true, { _ in tap.run() }, codecs, &state)
            }
            for tap in state.packets {
                startThread(Self.program, !tap.mayStall, { _ in tap.run() }, codecs, &state)
            }
        }
    }

    /// Ends all taps, and waits for their handlers until a deadline.
    ///
    /// - Parameter deadline: Time on `CLOCK_MONOTONIC`.
    /// - Returns: Roles of the taps whose handlers haven't returned, in alphabetical order.
    package func finish(until deadline: ClockTime) -> [String] {
        let all = state.withLock { state in
            defer {
                state = State(codecs: state.codecs, isOver: true, running: state.running)
            }
            return state
        }
        for tap in all.frames.values.joined() { tap.finish() }
        for tap in all.audio.values.joined() { tap.finish() }
        for tap in all.metadata.values.joined() { tap.finish() }
        for tap in all.packets { tap.finish() }
        let hasReturned = state.wait(until: deadline) { $0.running.isEmpty ? true : nil } ?? false
        return hasReturned ? [] : state.withLock { $0.running.keys.sorted() }
    }

    /// Ends the frame and metadata taps of a camera that has been removed.
    package func finish(role: String) {
        let (frames, metadata) = state.withLock {
            ($0.frames.removeValue(forKey: role), $0.metadata.removeValue(forKey: role))
        }
        for tap in frames ?? [] { tap.finish() }
        for tap in metadata ?? [] { tap.finish() }
    }

    // MARK: Delivery

    /// Whether any attached tap is only for a preview.
    package var hasPreviews: Bool {
        state.withLock { $0.frames.values.joined().contains(where: \.isPreview) }
    }

    /// Pauses or resumes all preview taps, including taps that are attached later.
    package func pausePreviews(_ isPaused: Bool) {
        state.withLock { state in
            state.pausesPreviews = isPaused
            for tap in state.frames.values.joined() where tap.isPreview { tap.pause(isPaused) }
        }
    }

    /// Whether any tap needs the program's composed frames.
    package var wantsProgramFrames: Bool {
        state.withLock { !($0.frames[Self.program] ?? []).isEmpty }
    }

    /// Returns the highest rate at which taps need the program's composed frames.
    ///
    /// - Parameter limit: The program's rate.
    /// - Returns: The rate, at most `limit`; `nil` if no tap needs the frames.
    package func programFrameRate(atMost limit: FrameRate) -> FrameRate? {
        let taps = state.withLock { $0.frames[Self.program] ?? [] }
        return taps.map { min($0.request.rate ?? limit, limit) }.max()
    }

    /// Whether any tap must receive every frame of a camera without delay.
    package func needsPromptFrames(of role: String) -> Bool {
        state.withLock { $0.frames[role] ?? [] }.contains(where: \.needsPromptFrames)
    }

    /// Whether any tap needs the program's packets on standby.
    package var wantsStandbyPackets: Bool { state.withLock { $0.packets.contains(where: \.includesStandby) } }

    /// Whether any tap needs the audio of a microphone, or of the program's mix.
    package func wantsAudio(of role: String) -> Bool { state.withLock { !($0.audio[role] ?? []).isEmpty } }

    /// Whether any tap needs audio.
    package var wantsAudio: Bool { state.withLock { $0.audio.values.contains { !$0.isEmpty } } }

    /// Whether any tap needs audio or packets. Because these are produced when ticks are decided, ticks must
    /// then be decided without delay.
    package var needsPromptTicks: Bool {
        state.withLock { state in !state.packets.isEmpty || state.audio.values.contains { !$0.isEmpty } }
    }

    /// Whether any tap needs a camera's metadata.
    package func wantsMetadata(of role: String) -> Bool {
        state.withLock { !($0.metadata[role] ?? []).isEmpty }
    }

    /// Passes a frame of a camera or of the program to the taps that need it. Never blocks. If taps already
    /// hold several frames in driver memory, the frame is copied.
    package func forward(_ frame: CapturedFrame, of role: String) {
        guard let taps = state.withLock({ $0.frames[role] }), !taps.isEmpty else { return }
        let isScarce = !frame.isOwned && taps.reduce(0) { $0 + $1.lentCount } >= Self.mostLent
        let given = isScarce ? frame.ownedCopy() : frame
        for tap in taps { tap.offer(given) }
    }

    /// Passes aligned audio to the taps that need it. With simulated time, this method blocks until the
    /// handlers have processed the audio; otherwise, it never blocks.
    package func forward(_ slice: AudioTap.Slice, of role: String) {
        let (taps, waits) = state.withLock { ($0.audio[role] ?? [], $0.waitsForSound) }
        for tap in taps { tap.offer(slice) }
        if waits { for tap in taps where !tap.mayStall { tap.waitUntilHandled() } }
    }

    /// Passes the metadata of a frame to the taps that need it. Never blocks.
    package func forward(_ metadata: CameraMetadata, of role: String) {
        for tap in state.withLock({ $0.metadata[role] }) ?? [] { tap.offer(metadata) }
    }

    /// Passes a packet of the program to the taps. Never blocks.
    ///
    /// - Parameters:
    ///   - packet: The encoded packet.
    ///   - parameters: Parameters of the packet's stream.
    ///   - start: Time 0 of the packet's times, on the session's clock.
    ///   - isOfStandby: Whether the packet was encoded on standby. Only taps that requested such packets
    ///     receive it.
    package func forward(
        _ packet: EncodedPacket, parameters: StreamParameters, since start: ClockTime,
        isOfStandby: Bool = false
    ) {
        let packet = PacketTap.Packet(packet, parameters: parameters, start: start)
        state.withLock { state in
            state.history.add(packet, isOfStandby: isOfStandby)
            for tap in state.packets where !isOfStandby || tap.includesStandby { tap.offer(packet) }
        }
    }

    /// Discards the packets that are retained for new taps, because the recording of these packets has ended.
    package func clearPacketHistory() { state.withLock { $0.history.clear() } }
}
