internal import MulticamControl
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamMediaLink

/// Distributes the recording's packets to all live outputs that send them. All live outputs share a single
/// subscription and the memory of the packets. Safe to use from any thread.
final class PacketFeed: Sendable {
    typealias Sink = @Sendable (PublishedItem) -> Void

    /// A stream that has received its first packet.
    private struct Stream {
        /// The stream's parameters, with setup bytes in Annex B format.
        let parameters: StreamParameters
        /// The setup bytes as received from the session.
        let setup: [UInt8]
        let start: ClockTime
    }

    private struct State {
        var slot: TapSlot?
        var streams: [StreamParameters.Codec: Stream] = [:]
        var sinks: [String: Sink] = [:]
        var problem: String?
    }

    private let path: String
    private let includesStandby: Bool
    private let state = ConditionLock(State())

    /// Creates a feed without receivers.
    ///
    /// - Parameters:
    ///   - path: Path of the media socket.
    ///   - includesStandby: Whether to request the encoded program also while the session is on standby.
    init(path: String, includesStandby: Bool) {
        (self.path, self.includesStandby) = (path, includesStandby)
    }

    /// Reason why the session sends no packets, as a sentence; `nil` if the session hasn't rejected the
    /// request.
    var problem: String? { state.withLock { $0.problem } }

    /// Adds a receiver: starts passing packets to a live output.
    func add(_ name: String, _ sink: @escaping Sink) {
        let slot = state.withLock { state in
            state.sinks[name] = sink
            let slot =
                state.slot
                ?? TapSlot(.packets(includesStandby: includesStandby), path: path) { [weak self] piece in
                    self?.receive(piece)
                }
            state.slot = slot
            return slot
        }
        slot.reconnectIfNeeded()
    }

    /// Removes a receiver. Removing the last receiver ends the subscription.
    func remove(_ name: String) {
        let slot = state.withLock { state -> TapSlot? in
            state.sinks[name] = nil
            guard state.sinks.isEmpty else { return nil }
            state.streams = [:]
            defer { state.slot = nil }
            return state.slot
        }
        slot?.close()
    }

    /// Reconnects the feed's tap if necessary. Call this method once per second.
    func reconnectIfNeeded() { state.withLock { $0.slot }?.reconnectIfNeeded() }

    private func receive(_ piece: RemoteTap.Piece) {
        switch piece {
        case .packet(let packet, _): receive(packet)
        case .refused(let sentence): state.withLock { $0.problem = sentence }
        default: break
        }
    }

    private func receive(_ packet: RemotePacket) {
        let (stream, sinks) = state.withLock { state in
            state.problem = nil
            if let start = packet.start, let parameters = packet.parameters {
                state.streams[packet.codec] = Stream(
                    parameters: packet.codec == .h264 ? parameters.inAnnexB : parameters,
                    setup: parameters.setup, start: start)
            }
            return (state.streams[packet.codec], Array(state.sinks.values))
        }
        guard let stream else { return }
        func time(_ time: MediaTime) -> ClockTime { stream.start + Nanoseconds(time.nanoseconds) }
        let isVideo = packet.codec == .h264
        let published = PublishedPacket(
            bytes: isVideo ? AnnexB.accessUnit(packet.bytes, setup: stream.setup) : packet.bytes,
            presentedAt: time(packet.presentedAt), decodedAt: time(packet.decodedAt),
            duration: packet.duration, isKey: packet.isKey, parameters: stream.parameters)
        for sink in sinks { sink(isVideo ? .video(published) : .audio(published)) }
    }
}

extension StreamParameters {
    /// The same stream parameters, with the parameter sets converted to Annex B format.
    fileprivate var inAnnexB: StreamParameters {
        StreamParameters(
            codec: codec, timeScale: timeScale, setup: AnnexB.parameterSets(of: setup), size: size,
            rate: rate,
            color: color, audio: audio, priming: priming)
    }
}

/// A tap on the session that is reconnected after the session's process has closed the connection or rejected
/// the request. Safe to use from any thread.
final class TapSlot: Sendable {
    private struct State {
        var content: RemoteTap.Content
        var tap: RemoteTap?
        var isClosed = false
        /// Number of `reconnectIfNeeded` calls that remain before the next attempt after a refusal.
        var ticksUntilRetry = 0
    }

    private let path: String
    private let state: ConditionLock<State>
    private let handler: @Sendable (RemoteTap.Piece) -> Void

    /// Number of `reconnectIfNeeded` calls between two attempts after a refusal.
    private static let ticksAfterRefusal = 2

    /// Creates a tap slot. The slot connects on the first call of `reconnectIfNeeded`.
    ///
    /// - Parameters:
    ///   - content: The requested content.
    ///   - path: Path of the media socket.
    ///   - handler: Closure that receives the content of the tap, one piece at a time. It isn't called for
    ///     the end of the tap.
    init(
        _ content: RemoteTap.Content, path: String, handler: @escaping @Sendable (RemoteTap.Piece) -> Void
    ) {
        (self.path, self.handler) = (path, handler)
        state = ConditionLock(State(content: content))
    }

    /// Connects the slot unless it is already connected. Call this method once per second from one thread.
    func reconnectIfNeeded() {
        let content = state.withLock { state -> RemoteTap.Content? in
            guard !state.isClosed, state.tap == nil else { return nil }
            state.ticksUntilRetry -= 1
            return state.ticksUntilRetry < 0 ? state.content : nil
        }
        guard let content else { return }
        do throws(ControlError) {
            let tap = try RemoteTap(content, path: path) { [weak self] piece in self?.receive(piece) }
            let isWanted = state.withLock { state in
                if !state.isClosed { state.tap = tap }
                return !state.isClosed
            }
            if !isWanted { tap.close() }
        } catch {
            handler(.refused(error.description))
        }
    }

    private func receive(_ piece: RemoteTap.Piece) {
        switch piece {
        case .end: state.withLock { $0.tap = nil }
        case .refused:
            handler(piece)
            let tap = state.withLock { state in
                state.ticksUntilRetry = Self.ticksAfterRefusal
                return state.tap
            }
            tap?.close()
        default: handler(piece)
        }
    }

    /// Requests frames of another size or rate from the same source.
    func change(to request: FrameRequest) {
        let tap = state.withLock { state -> RemoteTap? in
            if case .frames(let role, _, let isPreview) = state.content {
                state.content = .frames(role: role, request, isPreview: isPreview)
            }
            return state.tap
        }
        tap?.change(to: request)
    }

    /// Closes the tap slot permanently.
    func close() {
        let tap = state.withLock { state in
            state.isClosed = true
            defer { state.tap = nil }
            return state.tap
        }
        tap?.close()
    }
}
