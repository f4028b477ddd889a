internal import FoundationEssentials
internal import Glibc
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamMediaLink

/// Receives the content of one live output from the session, and encodes the content if the live output has a
/// separate encoder. Safe to use from any thread.
final class LiveOutputFeed: Sendable {
    /// Items and notifications from the feed.
    enum Event: Sendable {
        case item(PublishedItem)
        /// Number of additional frames that were dropped before they reached the feed.
        case missed(Int)
        /// Reason why the session or an encoder delivers no items, as a sentence.
        case problem(String)
    }

    private let liveOutput: RequestedOutput
    /// Unique key that distinguishes live outputs with the same name. Two live outputs with the same name can
    /// exist at the same time, because one can start while its predecessor is still closing.
    private let key = UUID().uuidString
    private let packets: PacketFeed
    private let encoder: DedicatedVideoEncoder?
    private let frames: TapSlot?
    private let audio: TapSlot?
    private let usesSharedPackets: Bool

    /// Creates and starts a feed.
    ///
    /// - Parameters:
    ///   - liveOutput: The live output that receives the content.
    ///   - content: The content that the live output's connection accepts.
    ///   - packets: Feed of the recording's packets.
    ///   - path: Path of the media socket.
    ///   - handler: Receives items and notifications, on several threads. The closure must not block.
    init(
        _ liveOutput: RequestedOutput, _ content: PublishedContent, _ packets: PacketFeed, path: String,
        handler: @escaping @Sendable (Event) -> Void
    ) {
        (self.liveOutput, self.packets) = (liveOutput, packets)
        let own = liveOutput.encoder.map { DedicatedVideoEncoder(liveOutput.name, $0) }
        encoder = own
        usesSharedPackets = content.video && own == nil
        frames = Self.frames(liveOutput, content, own, path, handler)
        audio = Self.audio(liveOutput, content, isOwn: own != nil, path, handler)
        if usesSharedPackets {
            let takesAudio = content.audio
            packets.add(key) { item in
                if item.isVideo || takesAudio { handler(.item(item)) }
            }
        }
        reconnectIfNeeded()
    }

    private static func frames(
        _ liveOutput: RequestedOutput, _ content: PublishedContent, _ encoder: DedicatedVideoEncoder?,
        _ path: String,
        _ send: @escaping @Sendable (Event) -> Void
    ) -> TapSlot? {
        let missed = ConditionLock(0)
        func slot(
            _ request: FrameRequest, _ take: @escaping @Sendable (CapturedFrame) -> Void
        ) -> TapSlot {
            TapSlot(.frames(role: liveOutput.source, request), path: path) { piece in
                switch piece {
                case .frame(let frame, let lost):
                    let more = missed.withLock { known in
                        defer { known = lost }
                        // If the number has decreased, a new subscription has started to count at 0.
                        return lost >= known ? lost - known : lost
                    }
                    if more > 0 { send(.missed(more)) }
                    take(frame)
                case .refused(let sentence): send(.problem(sentence))
                default: break
                }
            }
        }
        if let encoder {
            return slot(Self.request(encoder.level)) { frame in
                do throws(EncodingError) {
                    for packet in try encoder.encode(frame) { send(.item(.video(packet))) }
                } catch {
                    send(.problem(error.description))
                }
            }
        }
        guard let pixel = content.frames else { return nil }
        let request = FrameRequest(
            .converted(pixel), size: liveOutput.size, rate: liveOutput.rate)
        return slot(request) { send(.item(.frame($0))) }
    }

    private static func audio(
        _ liveOutput: RequestedOutput, _ content: PublishedContent, isOwn: Bool, _ path: String,
        _ send: @escaping @Sendable (Event) -> Void
    ) -> TapSlot? {
        guard content.samples || (isOwn && content.audio) else { return nil }
        let encoder = content.samples ? nil : DedicatedAudioEncoder(liveOutput.name)
        // A virtual microphone may carry a single microphone of the session. Audio that accompanies video is
        // always the program's mix.
        let role = content.video || content.frames != nil ? RequestedOutput.program : liveOutput.source
        let mattersAlone = !content.video && content.frames == nil
        return TapSlot(.audio(role: role), path: path) { piece in
            switch piece {
            case .audio(let slice, _):
                guard let encoder else { return send(.item(.samples(slice))) }
                do throws(EncodingError) {
                    for packet in try encoder.encode(slice) { send(.item(.audio(packet))) }
                } catch {
                    send(.problem(error.description))
                }
            // If the session doesn't have a mix, the live output is sent without audio.
            case .refused(let sentence): if mattersAlone { send(.problem(sentence)) }
            default: break
            }
        }
    }

    private static func request(_ level: LiveRatePolicy.Level) -> FrameRequest {
        FrameRequest(.converted(.i420), size: level.size, rate: level.rate)
    }

    /// Reconnects the feed to the session if necessary. Call this method once per second.
    func reconnectIfNeeded() {
        frames?.reconnectIfNeeded()
        audio?.reconnectIfNeeded()
    }

    /// Reason why no packets arrive, as a sentence; `nil` if the session hasn't rejected the request.
    var problem: String? { usesSharedPackets ? packets.problem : nil }

    /// Requests a key frame from a separate encoder.
    func requestKey() { encoder?.requestKey() }

    /// Changes the level of a separate encoder.
    func change(to level: LiveRatePolicy.Level) {
        guard let encoder, encoder.level != level else { return }
        encoder.change(to: level)
        frames?.change(to: Self.request(level))
    }

    /// Closes the feed permanently.
    func close() {
        if usesSharedPackets { packets.remove(key) }
        frames?.close()
        audio?.close()
    }
}

/// A live output, created from a validated request of the recorder.
struct RequestedOutput: Sendable, Equatable {
    let name: String
    let address: LiveOutputAddress
    let token: Secret?
    /// Source of the live output: `program`, or the role of a camera or microphone.
    let source: String
    /// Settings of the separate encoder; `nil` for a device, or if the live output sends the recording's
    /// packets.
    let encoder: LiveRatePolicy.Level?
    /// Size of raw frames; `nil` for the size of the source.
    let size: FrameSize?
    /// Maximum rate of raw frames; `nil` for no limit.
    let rate: FrameRate?
    let includesStandby: Bool

    static let program = "program"
    /// Assumed frame rate of a source that doesn't specify its rate.
    static let defaultRate = FrameRate(30, per: 1)
    private static let bitrates = 50_000...100_000_000
    private static let longestName = 64

    /// Validates a request of the recorder.
    ///
    /// - Throws: `PublishingError` with a message that contains no secrets.
    init(_ request: LiveRequest) throws(PublishingError) {
        guard !request.name.isEmpty, request.name.utf8.count <= Self.longestName,
            request.name.printable() == request.name
        else {
            throw .refused(
                "a live output name must have 1 to \(Self.longestName) bytes and no control characters.")
        }
        name = request.name
        do throws(AddressError) {
            address = try LiveOutputAddress(request.url.value)
        } catch {
            throw .refused(error.description)
        }
        (token, source, includesStandby) = (request.token, request.of, request.standby)
        size = request.video?.size
        rate = try request.video?.rate.map { text throws(PublishingError) in
            guard let rate = FrameRate(text), rate.perSecond >= 1, rate.perSecond <= 240 else {
                throw .refused("`rate` of \(request.name): expected 1 to 240 frames per second.")
            }
            return rate
        }
        if let size {
            guard size.width % 2 == 0, size.height % 2 == 0, (32...7680).contains(size.width),
                (32...4320).contains(size.height)
            else {
                throw .refused(
                    "`size` of \(request.name): expected an even width and height from 32x32 to 7680x4320.")
            }
        }
        guard address.kind.connection.content.video else {
            encoder = nil
            return
        }
        guard let video = request.video else {
            guard source == Self.program else {
                throw .refused(
                    "\(request.name) sends a camera track, which requires a separate encoder. Set `video: { size, rate, bitrate }`."
                )
            }
            encoder = nil
            return
        }
        guard let size, let bitrate = video.bitrate, Self.bitrates.contains(bitrate) else {
            throw .refused(
                "`video` of \(request.name): expected `size`, and `bitrate` from 50k to 100M, for a separate encoder."
            )
        }
        encoder = LiveRatePolicy.Level(size: size, rate: rate ?? Self.defaultRate, bitrate: bitrate)
    }
}
