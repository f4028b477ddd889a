package import Media
package import Writers

/// The taps that a session has now. They come and go while it runs, in any phase; each has a thread of its own. Safe from any
/// thread.
package final class TapBoard: Sendable {
    /// The role of taps that get what the session composes and mixes.
    package static let program = "program"

    private struct State {
        var frames: [String: [FrameTap]] = [:]
        var audio: [String: [AudioTap]] = [:]
        var metadata: [String: [MetadataTap]] = [:]
        var packets: [PacketTap] = []
        var history = PacketHistory()
        /// Whether the governor has given up previews, those that come meanwhile included.
        var pausesPreviews = false
        /// Set while the session runs.
        var codecs: (any CodecFactory)?
        /// Whether what is heard waits until it is handled.
        var waitsForSound = false
        var isOver = false
        /// Handlers' threads that the end waits for.
        var running = 0
    }

    private let state = ConditionLock(State())

    /// Most frames in a camera's own memory that taps may have at once. A driver has few buffers; beyond, taps get copies.
    private static let mostLent = 2

    /// Creates a board without taps.
    package init() {}

    // MARK: Coming and going

    /// Attaches a tap, paused where it serves a preview and those are given up. After the session's end it is finished at once.
    package func attach(_ tap: FrameTap) {
        attach(tap.finish, tap.role, waits: !tap.mayStall, run: tap.run) { state in
            tap.pause(tap.isPreview && state.pausesPreviews)
            state.frames[tap.role, default: []].append(tap)
        }
    }

    /// Attaches a tap. After the session's end it is finished at once.
    package func attach(_ tap: AudioTap) {
        attach(tap.finish, tap.role, waits: !tap.mayStall, run: { _ in tap.run() }) {
            $0.audio[tap.role, default: []].append(tap)
        }
    }

    /// Attaches a tap. After the session's end it is finished at once.
    package func attach(_ tap: MetadataTap) {
        attach(tap.finish, tap.role, waits: true, run: { _ in tap.run() }) {
            $0.metadata[tap.role, default: []].append(tap)
        }
    }

    /// Attaches a tap, which gets the packets since the last key frame first. After the session's end it is finished at once.
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
        _ = MediaThread(name: "tap:\(role)") { [board = self] in
            run(codecs)
            if waits { board.state.broadcast { $0.running -= 1 } }
        }
    }

    /// Detaches a tap, which handles what it has and ends.
    package func detach(_ tap: FrameTap) {
        state.withLock { $0.frames[tap.role]?.removeAll { $0 === tap } }
        tap.finish()
    }

    /// Detaches a tap, which handles what it has and ends.
    package func detach(_ tap: AudioTap) {
        state.withLock { $0.audio[tap.role]?.removeAll { $0 === tap } }
        tap.finish()
    }

    /// Detaches a tap, which handles what it has and ends.
    package func detach(_ tap: MetadataTap) {
        state.withLock { $0.metadata[tap.role]?.removeAll { $0 === tap } }
        tap.finish()
    }

    /// Detaches a tap, which handles what it has and ends.
    package func detach(_ tap: PacketTap) {
        state.withLock { $0.packets.removeAll { $0 === tap } }
        tap.finish()
    }

    /// Starts the handlers' threads of the taps that are attached, and of each that comes later.
    ///
    /// - Parameters:
    ///   - codecs: Decode what taps want as pixels.
    ///   - waitsForSound: Whether giving audio waits for its handlers, as simulated time does.
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

    /// Ends the frame and metadata taps of a camera that has left.
    package func finish(role: String) {
        let (frames, metadata) = state.withLock {
            ($0.frames.removeValue(forKey: role), $0.metadata.removeValue(forKey: role))
        }
        for tap in frames ?? [] { tap.finish() }
        for tap in metadata ?? [] { tap.finish() }
    }

    // MARK: What they get

    /// Whether there is a tap that only serves a preview.
    package var hasPreviews: Bool {
        state.withLock { $0.frames.values.joined().contains(where: \.isPreview) }
    }

    /// Pauses the taps that only serve previews, also those that are attached later, or resumes them.
    package func pausePreviews(_ isPaused: Bool) {
        state.withLock { state in
            state.pausesPreviews = isPaused
            for tap in state.frames.values.joined() where tap.isPreview { tap.pause(isPaused) }
        }
    }

    /// Whether anybody wants the program's composed frames.
    package var wantsProgramFrames: Bool {
        state.withLock { !($0.frames[Self.program] ?? []).isEmpty }
    }

    /// Whether anybody waits for each frame of a camera.
    package func isWatched(_ role: String) -> Bool {
        state.withLock { $0.frames[role] ?? [] }.contains(where: \.isWatched)
    }

    /// Whether anybody wants the program's packets on standby.
    package var wantsStandbyPackets: Bool { state.withLock { $0.packets.contains(where: \.includesStandby) } }

    /// Whether anybody wants the audio of a microphone, or of the program's mix.
    package func wantsAudio(of role: String) -> Bool { state.withLock { !($0.audio[role] ?? []).isEmpty } }

    /// Whether anybody wants any audio.
    package var wantsAudio: Bool { state.withLock { $0.audio.values.contains { !$0.isEmpty } } }

    /// Whether anybody wants audio or packets, which come as ticks are decided.
    package var wantsPromptness: Bool {
        state.withLock { state in !state.packets.isEmpty || state.audio.values.contains { !$0.isEmpty } }
    }

    /// Whether anybody wants a camera's metadata.
    package func wantsMetadata(of role: String) -> Bool {
        state.withLock { !($0.metadata[role] ?? []).isEmpty }
    }

    /// Gives a camera's frame, or a composed one, to the taps that want it. Never blocks; copies a frame in the driver's memory
    /// when taps have several of those already.
    package func give(_ frame: CapturedFrame, of role: String) {
        guard let taps = state.withLock({ $0.frames[role] }), !taps.isEmpty else { return }
        let isScarce = !frame.isOwned && taps.reduce(0) { $0 + $1.lentCount } >= Self.mostLent
        let given = isScarce ? frame.ownedCopy() : frame
        for tap in taps { tap.offer(given) }
    }

    /// Gives aligned audio to the taps that want it. Blocks in simulated time only, until it is handled.
    package func give(_ slice: AudioTap.Slice, of role: String) {
        let (taps, waits) = state.withLock { ($0.audio[role] ?? [], $0.waitsForSound) }
        for tap in taps { tap.offer(slice) }
        if waits { for tap in taps where !tap.mayStall { tap.waitUntilHandled() } }
    }

    /// Gives the metadata of a frame to the taps that want it. Never blocks.
    package func give(_ metadata: CameraMetadata, of role: String) {
        for tap in state.withLock({ $0.metadata[role] }) ?? [] { tap.offer(metadata) }
    }

    /// Gives a packet of the program to the taps. Never blocks.
    ///
    /// - Parameters:
    ///   - packet: The packet.
    ///   - parameters: Its stream's parameters.
    ///   - start: The instant from which the packet's times count.
    ///   - isOfStandby: Whether it was encoded on standby, for the taps that asked for that.
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

    /// Drops the packets that taps would begin with, since their recording is over.
    package func endPackets() { state.withLock { $0.history.clear() } }
}
