internal import Media
internal import MediaLink

/// The recording's own packets for all publications that take them: one subscription, whose bytes they share. Safe to use from any thread.
final class PacketFeed: Sendable {
    typealias Sink = @Sendable (PublishedItem) -> Void

    /// A stream whose first packet has come.
    private struct Stream {
        /// With setup bytes in Annex B.
        let parameters: StreamParameters
        /// The setup bytes as they came.
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

    /// - Parameters:
    ///   - path: Path of the media socket.
    ///   - includesStandby: Whether the program is encoded for it on standby, too.
    init(path: String, includesStandby: Bool) {
        (self.path, self.includesStandby) = (path, includesStandby)
    }

    /// Why the session gives no packets, as a sentence; `nil` where it refuses nothing.
    var problem: String? { state.withLock { $0.problem } }

    /// Gives packets to a publication.
    func add(_ name: String, _ sink: @escaping Sink) {
        let slot = state.withLock { state in
            state.sinks[name] = sink
            let slot =
                state.slot
                ?? TapSlot(.packets(includesStandby: includesStandby), path: path) { [weak self] piece in
                    self?.take(piece)
                }
            state.slot = slot
            return slot
        }
        slot.tend()
    }

    /// Gives it no more. The last one ends the subscription.
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

    /// Connects anew where that is needed. Called once a second.
    func tend() { state.withLock { $0.slot }?.tend() }

    private func take(_ piece: RemoteTap.Piece) {
        switch piece {
        case .packet(let packet, _): take(packet)
        case .refused(let sentence): state.withLock { $0.problem = sentence }
        default: break
        }
    }

    private func take(_ packet: RemotePacket) {
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
    /// The same stream with its parameter sets in Annex B.
    fileprivate var inAnnexB: StreamParameters {
        StreamParameters(
            codec: codec, timeScale: timeScale, setup: AnnexB.parameterSets(of: setup), size: size,
            rate: rate,
            color: color, audio: audio, priming: priming)
    }
}
