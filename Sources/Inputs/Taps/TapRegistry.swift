package import Media
package import Writers

/// The current taps of a session. Taps can be attached and detached at any time, in any phase. Each has its own thread.
/// Safe to use from any thread.
package final class TapRegistry: Sendable {
    /// Role of taps that receive the session's composed frames and mixed audio.
    package static let program = "program"

    private struct State {
        var frames: [String: [FrameTap]] = [:]
        var audio: [String: [AudioTap]] = [:]
        var metadata: [String: [MetadataTap]] = [:]
        var packets: [PacketTap] = []
        var history = PacketHistory()
        /// Whether the governor has paused previews, including those attached later.
        var pausesPreviews = false
        /// Set while the session is running.
        var codecs: (any CodecFactory)?
        /// Whether passing audio to taps blocks until it has been handled.
        var waitsForSound = false
        var isOver = false
        /// Number of handler threads that the session waits for when it ends.
        var running = 0
    }

    private let state = ConditionLock(State())

    /// Maximum number of frames in a camera's own memory that taps may hold at a time. A driver has few buffers, so
    /// further frames are copied.
    private static let mostLent = 2

    /// Creates a registry without taps.
    package init() {}

    // MARK: Attachment and detachment

    /// Attaches a tap. A preview tap is paused if the governor has paused previews. After the end of the session, the
    /// tap is finished immediately.
    package func attach(_ tap: FrameTap) {
        attach(tap.finish, tap.role, waits: !tap.mayStall, run: tap.run) { state in
            tap.pause(tap.isPreview && state.pausesPreviews)
            state.frames[tap.role, default: []].append(tap)
        }
    }

    /// Attaches a tap. After the end of the session, the tap is finished immediately.
    package func attach(_ tap: AudioTap) {
        attach(tap.finish, tap.role, waits: !tap.mayStall, run: { _ in tap.run() }) {
            $0.audio[tap.role, default: []].append(tap)
        }
    }

    /// Attaches a tap. After the end of the session, the tap is finished immediately.
    package func attach(_ tap: MetadataTap) {
        attach(tap.finish, tap.role, waits: true, run: { _ in tap.run() }) {
            $0.metadata[tap.role, default: []].append(tap)
        }
    }

    /// Attaches a tap, which first receives the packets since the last key frame. After the end of the session, the tap
    /// is finished immediately.
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
                if let codecs = state.codecs { begin(role, waits, run, codecs, &state) }
            }
            return state.isOver
        }
        if isOver { finish() }
    }

    private func begin(
        _ role: String, _ waits: Bool, _ run: @escaping @Sendable (any CodecFactory) -> Void,
        _ codecs: any CodecFactory, _ state: inout State
    ) {
        if waits { state.running += 1 }
        MediaThread.eventually(name: "tap:\(role)") { [board = self] in
            run(codecs)
            if waits { board.state.broadcast { $0.running -= 1 } }
        }
    }

    /// Detaches a tap. The tap still handles its queued frames, and then ends.
    package func detach(_ tap: FrameTap) {
        state.withLock { $0.frames[tap.role]?.removeAll { $0 === tap } }
        tap.finish()
    }

    /// Detaches a tap. The tap still handles its queued slices, and then ends.
    package func detach(_ tap: AudioTap) {
        state.withLock { $0.audio[tap.role]?.removeAll { $0 === tap } }
        tap.finish()
    }

    /// Detaches a tap. The tap still handles its queued values, and then ends.
    package func detach(_ tap: MetadataTap) {
        state.withLock { $0.metadata[tap.role]?.removeAll { $0 === tap } }
        tap.finish()
    }

    /// Detaches a tap. The tap still handles its queued packets, and then ends.
    package func detach(_ tap: PacketTap) {
        state.withLock { $0.packets.removeAll { $0 === tap } }
        tap.finish()
    }

    /// Starts the handler threads of the attached taps, and of each tap that is attached later.
    ///
    /// - Parameters:
    ///   - codecs: Creates the decoders for taps that request pixels.
    ///   - waitsForSound: Whether passing audio waits for the handlers, as needed with simulated time.
    package func start(with codecs: any CodecFactory, waitsForSound: Bool) {
        state.withLock { state in
            guard state.codecs == nil, !state.isOver else { return }
            state.codecs = codecs
            state.waitsForSound = waitsForSound
            for tap in state.frames.values.joined() {
                begin(tap.role, !tap.mayStall, tap.run, codecs, &state)
            }
            for tap in state.audio.values.joined() {
                begin(tap.role, !tap.mayStall, { _ in tap.run() }, codecs, &state)
            }
            for tap in state.metadata.values.joined() {
                begin(tap.role, true, { _ in tap.run() }, codecs, &state)
            }
            for tap in state.packets {
                begin(Self.program, !tap.mayStall, { _ in tap.run() }, codecs, &state)
            }
        }
    }

    /// Ends all taps, and waits until their handlers have returned.
    package func finish() {
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
        state.wait { $0.running == 0 ? () : nil }
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

    /// Whether any attached tap only serves a preview.
    package var hasPreviews: Bool {
        state.withLock { $0.frames.values.joined().contains(where: \.isPreview) }
    }

    /// Pauses or resumes the taps that only serve previews, including those attached later.
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

    /// Whether any tap processes every frame of a camera.
    package func isWatched(_ role: String) -> Bool {
        state.withLock { $0.frames[role] ?? [] }.contains(where: \.isWatched)
    }

    /// Whether any tap needs the program's packets on standby.
    package var wantsStandbyPackets: Bool { state.withLock { $0.packets.contains(where: \.includesStandby) } }

    /// Whether any tap needs the audio of a microphone, or of the program's mix.
    package func wantsAudio(of role: String) -> Bool { state.withLock { !($0.audio[role] ?? []).isEmpty } }

    /// Whether any tap needs audio.
    package var wantsAudio: Bool { state.withLock { $0.audio.values.contains { !$0.isEmpty } } }

    /// Whether any tap needs audio or packets, which are produced as ticks are decided.
    package var wantsPromptness: Bool {
        state.withLock { state in !state.packets.isEmpty || state.audio.values.contains { !$0.isEmpty } }
    }

    /// Whether any tap needs a camera's metadata.
    package func wantsMetadata(of role: String) -> Bool {
        state.withLock { !($0.metadata[role] ?? []).isEmpty }
    }

    /// Passes a camera's frame, or a composed one, to the taps that need it. Never blocks. If taps already hold several
    /// frames in the driver's memory, the frame is copied.
    package func give(_ frame: CapturedFrame, of role: String) {
        guard let taps = state.withLock({ $0.frames[role] }), !taps.isEmpty else { return }
        let isScarce = !frame.isOwned && taps.reduce(0) { $0 + $1.lentCount } >= Self.mostLent
        let given = isScarce ? frame.ownedCopy() : frame
        for tap in taps { tap.offer(given) }
    }

    /// Passes aligned audio to the taps that need it. Blocks until the audio is handled only with simulated time.
    package func give(_ slice: AudioTap.Slice, of role: String) {
        let (taps, waits) = state.withLock { ($0.audio[role] ?? [], $0.waitsForSound) }
        for tap in taps { tap.offer(slice) }
        if waits { for tap in taps where !tap.mayStall { tap.waitUntilHandled() } }
    }

    /// Passes the metadata of a frame to the taps that need it. Never blocks.
    package func give(_ metadata: CameraMetadata, of role: String) {
        for tap in state.withLock({ $0.metadata[role] }) ?? [] { tap.offer(metadata) }
    }

    /// Passes a packet of the program to the taps. Never blocks.
    ///
    /// - Parameters:
    ///   - packet: The packet.
    ///   - parameters: Parameters of the packet's stream.
    ///   - start: Origin of the packet's times.
    ///   - isOfStandby: Whether the packet was encoded on standby, for the taps that requested this.
    package func give(
        _ packet: EncodedPacket, parameters: StreamParameters, since start: ClockTime,
        isOfStandby: Bool = false
    ) {
        let packet = PacketTap.Packet(packet, parameters: parameters, start: start)
        state.withLock { state in
            state.history.add(packet, isOfStandby: isOfStandby)
            for tap in state.packets where !isOfStandby || tap.includesStandby { tap.offer(packet) }
        }
    }

    /// Drops the packets retained for new taps, since their recording has ended.
    package func endPackets() { state.withLock { $0.history.clear() } }
}
