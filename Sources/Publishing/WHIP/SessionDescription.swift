/// A server's answer in SDP, as far as it has been looked at: one video and one audio section that take what is offered (RFC 8829, RFC
/// 9725).
struct SessionDescription: Equatable {
    /// The description for webrtcbin, in lines that end in CR LF.
    let text: String

    /// Longest answer that is read. Real ones have a few thousand bytes.
    static let longest = 65_536

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - bytes: The body of the server's answer.
    ///   - place: The server, for messages.
    /// - Throws: `PublishingError.refused` when the server takes no video or no audio; `lost` for what is no answer.
    init(_ bytes: [UInt8], from place: String) throws(PublishingError) {
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard lines.first == "v=0", bytes.count <= Self.longest, !bytes.contains(0) else {
            throw .lost("\(place) answers with no session description.")
        }
        let sections = lines.indices.filter { lines[$0].hasPrefix("m=") }
        let session = lines.prefix(upTo: sections.first ?? lines.endIndex)
        let ends = sections.dropFirst() + [lines.endIndex]
        let media = zip(sections, ends).map { lines[$0..<$1] }
        guard media.count == Self.offered.count else {
            throw .lost("\(place) answers with \(media.count) streams in place of \(Self.offered.count).")
        }
        for (section, kind) in zip(media, Self.offered) {
            let words = section.first?.split(separator: " ") ?? []
            guard words.count >= 4, words[0] == "m=\(kind.media)" else {
                throw .lost("\(place) answers with streams that were not offered.")
            }
            let all = session + section
            // A section that is bundled with the first one may have no port of its own (RFC 8843).
            let isDeclined = words[1] == "0" && !section.contains("a=bundle-only")
            guard !isDeclined, !section.contains("a=inactive"), !section.contains("a=sendonly") else {
                throw .refused("\(place) takes no \(kind.codec) \(kind.media), or not of this profile.")
            }
            // All of it goes over the first section's transport, so only that one needs its own.
            guard
                kind.media != Self.offered[0].media
                    || Self.transport.allSatisfy({ name in
                        all.contains { $0.hasPrefix("a=\(name):") }
                    })
            else { throw .lost("\(place) answers without what ICE and DTLS need.") }
        }
        text = lines.map { $0 + "\r\n" }.joined()
    }

    /// What is offered, in the order of the sections.
    static let offered: [(media: String, codec: String)] = [("video", "H.264"), ("audio", "Opus")]
    private static let transport = ["ice-ufrag", "ice-pwd", "fingerprint"]
}
