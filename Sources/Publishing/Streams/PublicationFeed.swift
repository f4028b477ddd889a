internal import FoundationEssentials
internal import Glibc
internal import Inputs
internal import Media
internal import MediaLink

/// Takes from the session what one publication sends, and encodes it where the publication has an encoder of its own. Safe to use from any
/// thread.
final class PublicationFeed: Sendable {
    /// What the feed tells.
    enum News: Sendable {
        case item(PublishedItem)
        /// So many frames more were dropped before they came here.
        case missed(Int)
        /// Why the session or an encoder gives nothing, as a sentence.
        case problem(String)
    }

    private let publication: Publication
    /// Its own among those of the same name: a publication may begin again while the one before says goodbye.
    private let key = UUID().uuidString
    private let packets: PacketFeed
    private let encoder: OwnVideoEncoder?
    private let frames: TapSlot?
    private let audio: TapSlot?
    private let takesPackets: Bool

    /// Makes a feed, and begins.
    ///
    /// - Parameters:
    ///   - publication: What is sent.
    ///   - content: What its destination takes.
    ///   - packets: The recording's packets.
    ///   - path: Path of the media socket.
    ///   - tell: Gets what comes, from several threads. It must not block.
    init(
        _ publication: Publication, _ content: PublishedContent, _ packets: PacketFeed, path: String,
        tell: @escaping @Sendable (News) -> Void
    ) {
        (self.publication, self.packets) = (publication, packets)
        let own = publication.encoder.map { OwnVideoEncoder(publication.name, $0) }
        encoder = own
        takesPackets = content.video && own == nil
        frames = Self.frames(publication, content, own, path, tell)
        audio = Self.audio(publication, content, isOwn: own != nil, path, tell)
        if takesPackets {
            let takesAudio = content.audio
            packets.add(key) { item in
                if item.isVideo || takesAudio { tell(.item(item)) }
            }
        }
        tend()
    }

    private static func frames(
        _ publication: Publication, _ content: PublishedContent, _ encoder: OwnVideoEncoder?, _ path: String,
        _ tell: @escaping @Sendable (News) -> Void
    ) -> TapSlot? {
        let missed = ConditionLock(0)
        func slot(
            _ request: FrameRequest, _ take: @escaping @Sendable (CapturedFrame) -> Void
        ) -> TapSlot {
            TapSlot(.frames(role: publication.source, request), path: path) { piece in
                switch piece {
                case .frame(let frame, let lost):
                    let more = missed.withLock { known in
                        defer { known = lost }
                        // A new subscription counts from 0.
                        return lost >= known ? lost - known : lost
                    }
                    if more > 0 { tell(.missed(more)) }
                    take(frame)
                case .refused(let sentence): tell(.problem(sentence))
                default: break
                }
            }
        }
        if let encoder {
            return slot(Self.request(encoder.level)) { frame in
                do throws(EncodingError) {
                    for packet in try encoder.encode(frame) { tell(.item(.video(packet))) }
                } catch {
                    tell(.problem(error.description))
                }
            }
        }
        guard let pixel = content.frames else { return nil }
        let request = FrameRequest(
            .converted(pixel), size: publication.size, rate: publication.rate)
        return slot(request) { tell(.item(.frame($0))) }
    }

    private static func audio(
        _ publication: Publication, _ content: PublishedContent, isOwn: Bool, _ path: String,
        _ tell: @escaping @Sendable (News) -> Void
    ) -> TapSlot? {
        guard content.samples || (isOwn && content.audio) else { return nil }
        let encoder = content.samples ? nil : OwnAudioEncoder(publication.name)
        // A virtual microphone may be one of the session's; beside frames it is always the mix.
        let role = content.video || content.frames != nil ? Publication.program : publication.source
        let mattersAlone = !content.video && content.frames == nil
        return TapSlot(.audio(role: role), path: path) { piece in
            switch piece {
            case .audio(let slice, _):
                guard let encoder else { return tell(.item(.samples(slice))) }
                do throws(EncodingError) {
                    for packet in try encoder.encode(slice) { tell(.item(.audio(packet))) }
                } catch {
                    tell(.problem(error.description))
                }
            // A session without a mix is published without audio.
            case .refused(let sentence): if mattersAlone { tell(.problem(sentence)) }
            default: break
            }
        }
    }

    private static func request(_ level: LiveRatePolicy.Level) -> FrameRequest {
        FrameRequest(.converted(.i420), size: level.size, rate: level.rate)
    }

    /// Connects anew where that is needed. Called once a second.
    func tend() {
        frames?.tend()
        audio?.tend()
    }

    /// Why no packets come, as a sentence; `nil` where nothing is refused.
    var problem: String? { takesPackets ? packets.problem : nil }

    /// Has an own encoder begin with a key frame.
    func requestKey() { encoder?.requestKey() }

    /// Has an own encoder make something else.
    func change(to level: LiveRatePolicy.Level) {
        guard let encoder, encoder.level != level else { return }
        encoder.change(to: level)
        frames?.change(to: Self.request(level))
    }

    /// Ends it for good.
    func close() {
        if takesPackets { packets.remove(key) }
        frames?.close()
        audio?.close()
    }
}
