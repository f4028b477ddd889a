internal import Glibc
internal import MulticamMedia

/// The information that a computer needs to join a group, as text that can be typed: `studio@192.168.1.20:8475/ABCD…`.
///
/// The letters after the slash encode the first half of the fingerprint of the group's authority, and a single-use
/// secret.
struct PairingCode: Sendable, Equatable {
    /// The group's name.
    let group: String
    /// Address of the computer that serves the group.
    let address: String
    /// Pairing port on that computer.
    let port: Int
    /// First 16 bytes of the SHA-256 digest of the authority's certificate.
    let fingerprint: [UInt8]
    /// The single-use secret: 10 random bytes.
    let secret: [UInt8]

    private static let lengths = (fingerprint: 16, secret: 10)
    /// Base32 alphabet (RFC 4648, section 6).
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    init(group: String, address: String, port: Int, fingerprint: [UInt8]) {
        (self.group, self.address, self.port, self.fingerprint) = (group, address, port, fingerprint)
        var generator = SystemRandomNumberGenerator()
        secret = (0..<Self.lengths.secret).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// Parses a pairing code.
    ///
    /// - Throws: `GroupError` with status 2 if the text isn't a pairing code.
    init(_ text: String) throws(GroupError) {
        let wrong = GroupError(
            "invalid pairing code: expected the complete line that `multicam group invite` prints, such as studio@192.168.1.20:8475/ABCD….",
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

    /// The pairing code as text.
    var text: String { "\(group)@\(GroupAddress.text(address, port))/\(Self.text(fingerprint + secret))" }

    /// Returns the digest of a pairing code's secret. The computer that serves the group stores only this
    /// digest.
    static func digest(_ secret: [UInt8]) -> String {
        TLSBytes.digest(secret).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The secret as Base32 text.
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

/// An unused pairing code, stored in `invitations/` on the serving computer. The file name is the digest of the code's
/// secret.
struct Invitation: Codable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case until
        case isCoordinator = "coordinator"
    }

    /// Expiry time of the invitation, in seconds since 1970.
    var until: Int64
    /// Whether a computer that joins with this code becomes a coordinator.
    var isCoordinator: Bool
}

/// Request that a joining computer sends to the pairing server.
struct PairingRequest: Codable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case secret, name, request, user
        case sshPort = "ssh_port"
        case hostKeys = "host_keys"
    }

    /// The secret of the pairing code.
    var secret: String
    /// The member name that the joining computer requests.
    var name: String
    /// Certificate signing request (PEM).
    var request: String
    /// Name of the user who records on the joining computer.
    var user: String
    /// Port of the joining computer's SSH server.
    var sshPort: Int
    /// Public keys of the joining computer's SSH server.
    var hostKeys: [String]
}

/// Response of the pairing server to a joining computer.
struct PairingAnswer: Codable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case refusal, certificate, authority
        case isCoordinator = "coordinator"
        case port, server
        case collectKey = "collect_key"
    }

    /// Reason for the refusal; `nil` if the computer was admitted.
    var refusal: String?
    /// Certificate of the joining computer (PEM).
    var certificate: String?
    /// Certificate of the group's authority (PEM).
    var authority: String?
    /// Whether the joining computer may start and stop the group's recordings.
    var isCoordinator: Bool?
    /// The broker's port.
    var port: Int?
    /// Address of an external broker; `nil` for the group's own broker.
    var server: String?
    /// Public SSH key of the computer that collects recordings.
    var collectKey: String?
}
