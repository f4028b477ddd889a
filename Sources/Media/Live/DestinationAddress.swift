internal import FoundationEssentials

/// Where live output goes: the address of a server, a virtual camera or a virtual microphone.
///
/// An address may hold a passphrase or a stream key. Its description is `printable`, which has neither; `text` has both.
public struct DestinationAddress: Sendable, Hashable {
    /// The protocol or the device of a destination.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case srt, rtmp, whip, v4l2, pulse
    }

    /// The protocol or the device.
    public let kind: Kind
    /// The whole address as it was given, secrets included. Never print it.
    public let text: String
    /// Name or numeric address of the server, IPv6 without brackets; empty for devices, and for an SRT listener on all addresses.
    public let host: String
    /// Port of the server; 0 for devices.
    public let port: Int
    /// What follows host and port, with its slash, without the query; of `v4l2` the node, of `pulse` the name of the microphone.
    public let path: String
    /// Whether TLS protects the connection.
    public let isEncrypted: Bool
    /// The settings of an SRT connection; `nil` for other kinds.
    public let srt: SRTSettings?

    /// All kinds of addresses, for messages that list them.
    public static let expectation =
        "expected srt://HOST:PORT, rtmp:// or rtmps://HOST/APPLICATION/KEY, whip+https:// or whip+http://HOST/PATH, v4l2:/dev/videoN, or pulse:NAME"

    /// The name of a virtual microphone that was given none.
    public static let usualMicrophone = "multicam"

    /// Most bytes of an address.
    private static let longest = 2048
    /// Most bytes of a virtual microphone's name.
    private static let longestName = 64

    /// Reads an address.
    ///
    /// - Parameter text: As a person writes it; spaces around it do not count.
    /// - Throws: `DestinationAddressError` with a sentence that has no secret in it.
    public init(_ text: String) throws(DestinationAddressError) {
        let text = text.trimmed
        guard !text.isEmpty else { throw .init("the address is empty: \(Self.expectation).") }
        guard text.utf8.count <= Self.longest, text.printable(limit: Self.longest) == text else {
            throw .init(
                "the address is longer than \(Self.longest) bytes or has characters that cannot be printed: \(Self.expectation)."
            )
        }
        let scheme = text.prefix { $0 != ":" }.lowercased()
        let rest = text.dropFirst(scheme.count + 1)
        switch scheme {
        case "v4l2": try self.init(node: String(rest), text)
        case "pulse": try self.init(microphone: String(rest), text)
        case "srt": try self.init(.srt, isEncrypted: false, usualPort: nil, rest, text)
        case "rtmp": try self.init(.rtmp, isEncrypted: false, usualPort: 1935, rest, text)
        case "rtmps": try self.init(.rtmp, isEncrypted: true, usualPort: 443, rest, text)
        case "whip+http": try self.init(.whip, isEncrypted: false, usualPort: 80, rest, text)
        case "whip+https": try self.init(.whip, isEncrypted: true, usualPort: 443, rest, text)
        case "http", "https":
            throw .init("an address of a WHIP server begins with whip+\(scheme)://, not with \(scheme)://.")
        default:
            // The beginning of what is no address may be a stream key.
            throw .init("live output cannot go to this address: \(Self.expectation).")
        }
    }

    private init(node: String, _ text: String) throws(DestinationAddressError) {
        guard node.hasPrefix("/dev/"), node.count > 5, !node.contains("/.."), !node.contains(" ") else {
            throw .init(
                "a virtual camera is a node of v4l2loopback, for example v4l2:/dev/video9; `multicam doctor` lists them."
            )
        }
        self.init(
            kind: .v4l2, text: text, host: "", port: 0, path: node, isEncrypted: false, srt: nil)
    }

    private init(microphone: String, _ text: String) throws(DestinationAddressError) {
        let name = microphone.trimmed
        guard name.utf8.count <= Self.longestName, !name.contains("\""), !name.contains("\\") else {
            throw .init(
                "the name of a virtual microphone has at most \(Self.longestName) bytes and neither quotes nor backslashes, for example pulse:Studio mix."
            )
        }
        self.init(
            kind: .pulse, text: text, host: "", port: 0, path: name.isEmpty ? Self.usualMicrophone : name,
            isEncrypted: false, srt: nil)
    }

    private init(
        _ kind: Kind, isEncrypted: Bool, usualPort: Int?, _ rest: Substring, _ text: String
    ) throws(DestinationAddressError) {
        let example = Self.example(of: kind, isEncrypted)
        guard rest.hasPrefix("//"), !rest.contains(" ") else {
            throw .init("the address is not complete or has a space in it; it looks like \(example).")
        }
        let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
        let tail = rest.dropFirst(2 + authority.count)
        let path = tail.prefix { $0 != "?" }
        let query = tail.dropFirst(path.count + 1)
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        guard place == authority || kind == .rtmp else {
            throw .init(
                "an address of \(kind.name) has no user and password in it; it looks like \(example).")
        }
        let srt = kind == .srt ? try SRTSettings(query: query) : nil
        let (host, port) = Self.hostAndPort(place)
        guard let host, host.isEmpty == false || srt?.mode == .listener else {
            throw .init("the address has no host; it looks like \(example).")
        }
        guard let port = port ?? usualPort, (1...65535).contains(port) else {
            throw .init("the address has no port from 1 to 65535; it looks like \(example).")
        }
        if kind == .rtmp {
            guard path.split(separator: "/").count >= 2 else {
                throw .init("the address has no application and stream key; it looks like \(example).")
            }
        }
        self.init(
            kind: kind, text: text, host: host, port: port, path: String(path), isEncrypted: isEncrypted,
            srt: srt)
    }

    private init(
        kind: Kind, text: String, host: String, port: Int, path: String, isEncrypted: Bool,
        srt: SRTSettings?
    ) {
        (self.kind, self.text, self.host, self.port, self.path) = (kind, text, host, port, path)
        (self.isEncrypted, self.srt) = (isEncrypted, srt)
    }

    /// Divides `host:port` or `[IPv6]:port`. The host is `nil` where the text is neither; the port is 0 where it is no number.
    static func hostAndPort(_ text: Substring) -> (host: String?, port: Int?) {
        var rest = text
        let host: Substring
        if rest.hasPrefix("[") {
            host = rest.dropFirst().prefix { $0 != "]" }
            rest = rest.dropFirst(host.count + 1)
            guard rest.hasPrefix("]"), host.contains(":") else { return (nil, nil) }
            rest = rest.dropFirst()
        } else {
            host = rest.prefix { $0 != ":" }
            rest = rest.dropFirst(host.count)
        }
        guard host.utf8.allSatisfy({ isOfName($0) }) else { return (nil, nil) }
        guard !rest.isEmpty else { return (String(host), nil) }
        return (String(host), rest.hasPrefix(":") ? Int(rest.dropFirst()) ?? 0 : 0)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), UInt8(ascii: "%"):
            true
        default: byte >= 0x80
        }
    }

    private static func example(of kind: Kind, _ isEncrypted: Bool) -> String {
        switch kind {
        case .srt: "srt://host:9000"
        case .rtmp: isEncrypted ? "rtmps://host/live/KEY" : "rtmp://host/live/KEY"
        case .whip: isEncrypted ? "whip+https://host/path" : "whip+http://host:8889/path"
        case .v4l2: "v4l2:/dev/video9"
        case .pulse: "pulse:Studio mix"
        }
    }

    /// Whether the address may be seen by everybody, as arguments of a command are: a device's has nothing secret.
    public var isPublic: Bool { kind == .v4l2 || kind == .pulse }

    /// The scheme, `srt`, `rtmp`, `rtmps`, `whip+https`, `whip+http`, `v4l2` or `pulse`.
    public var scheme: String {
        switch kind {
        case .rtmp: isEncrypted ? "rtmps" : "rtmp"
        case .whip: isEncrypted ? "whip+https" : "whip+http"
        case .srt, .v4l2, .pulse: kind.rawValue
        }
    }

    /// The address without anything that is secret, for logs, manifests and pages: scheme, host and port, or the device.
    public var printable: String {
        guard !isPublic else { return "\(scheme):\(path)" }
        return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}

extension DestinationAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `printable`, so that no message has a secret by accident.
    public var description: String { printable }
    /// `printable`, so that no message has a secret by accident.
    public var debugDescription: String { printable }
    /// `printable`, so that no message has a secret by accident.
    public var customMirror: Mirror { Mirror(self, children: ["printable": printable]) }
}

extension DestinationAddress.Kind {
    /// The kind as it is called in sentences.
    public var name: String {
        switch self {
        case .srt: "SRT"
        case .rtmp: "RTMP"
        case .whip: "WHIP"
        case .v4l2: "a virtual camera"
        case .pulse: "a virtual microphone"
        }
    }
}
