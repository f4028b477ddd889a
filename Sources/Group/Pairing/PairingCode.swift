internal import Glibc
internal import Media

/// What a computer needs to join a group, as a text that a person can type: `studio@192.168.1.20:8475/ABCD…`.
///
/// The letters behind the slash are the first half of the fingerprint of the group's authority, and a secret that is good for once.
struct PairingCode: Sendable, Equatable {
    /// The group's name.
    let group: String
    /// The address of the computer that serves it.
    let address: String
    /// The port for pairing there.
    let port: Int
    /// The first 16 bytes of the SHA-256 of the authority's certificate.
    let fingerprint: [UInt8]
    /// 10 random bytes.
    let secret: [UInt8]

    private static let lengths = (fingerprint: 16, secret: 10)
    /// RFC 4648, section 6.
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    init(group: String, address: String, port: Int, fingerprint: [UInt8]) {
        (self.group, self.address, self.port, self.fingerprint) = (group, address, port, fingerprint)
        var generator = SystemRandomNumberGenerator()
        secret = (0..<Self.lengths.secret).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// Reads a code.
    ///
    /// - Throws: `GroupError` of status 2 when it is none.
    init(_ text: String) throws(GroupError) {
        let wrong = GroupError(
            "this is no pairing code: expected all of the line that `multicam group invite` prints, such as studio@192.168.1.20:8475/ABCD….",
            status: 2)
        guard text.utf8.count <= 400, let at = text.firstIndex(of: "@"), let slash = text.lastIndex(of: "/"),
            at < slash
        else { throw wrong }
        group = String(text[..<at])
        let place = text[text.index(after: at)..<slash]
        guard GroupName.isValid(group), let colon = place.lastIndex(of: ":"),
            let port = Int(place[place.index(after: colon)...]), (1...65_535).contains(port),
            let bytes = Self.bytes(text[text.index(after: slash)...]),
            bytes.count == Self.lengths.fingerprint + Self.lengths.secret
        else { throw wrong }
        var address = place[..<colon]
        if address.hasPrefix("["), address.hasSuffix("]") { address = address.dropFirst().dropLast() }
        guard GroupAddress.isValid(String(address)) else { throw wrong }
        self.address = String(address)
        self.port = port
        fingerprint = Array(bytes.prefix(Self.lengths.fingerprint))
        secret = Array(bytes.suffix(Self.lengths.secret))
    }

    /// The code as text.
    var text: String { "\(group)@\(GroupAddress.text(address, port))/\(Self.text(fingerprint + secret))" }

    /// What the computer that serves the group keeps of the secret: its digest.
    static func digest(_ secret: [UInt8]) -> String {
        TLSBytes.digest(secret).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The secret as text.
    var secretText: String { Self.text(secret) }

    static func text(_ bytes: [UInt8]) -> String {
        var (bits, count, text): (UInt32, Int, [UInt8]) = (0, 0, [])
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 5 {
                count -= 5
                text.append(letters[Int(bits >> UInt32(count)) & 31])
            }
            bits &= 0xFF
        }
        if count > 0 { text.append(letters[Int(bits << UInt32(5 - count)) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }

    static func bytes(_ text: Substring) -> [UInt8]? {
        var (bits, count, bytes): (UInt32, Int, [UInt8]) = (0, 0, [])
        for letter in text.uppercased().utf8 {
            guard let value = letters.firstIndex(of: letter) else { return nil }
            bits = (bits << 5 | UInt32(value)) & 0xFFFF
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }
}
