internal import FoundationEssentials

/// Address of a live output: a server, a virtual camera, or a virtual microphone.
///
/// An address may contain a passphrase or a stream key. `description` returns `printable`, which omits these
/// secrets; `text` includes them.
package struct LiveOutputAddress: Sendable, Hashable {
    /// Protocol or device type of a live output.
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case srt, rtmp, whip, v4l2, pulse
    }

    /// Protocol or device type of the live output.
    package let kind: Kind
    /// The complete address as given, including secrets. Never print this text.
    package let text: String
    /// Host name or numeric address of the server, with IPv6 addresses written without brackets. The host is
    /// empty for devices, and for an SRT listener on all addresses.
    package let host: String
    /// Port of the server; 0 for devices.
    package let port: Int
    /// Path after the host and port, including the leading slash and excluding the query. For `v4l2`, the
    /// path is the device node; for `pulse`, it is the microphone name.
    package let path: String
    /// Whether TLS protects the connection.
    package let isEncrypted: Bool
    /// SRT connection settings; `nil` for other protocols and for devices.
    package let srt: SRTSettings?

    /// List of all supported address forms, for error messages.
    package static let expectation =
        "expected srt://HOST:PORT, rtmp:// or rtmps://HOST/APPLICATION/KEY, whip+https:// or whip+http://HOST/PATH, v4l2:/dev/videoN, or pulse:NAME"

    /// Default name of a virtual microphone.
    package static let defaultMicrophone = "multicam"

    /// Maximum length of an address in bytes.
    private static let longest = 2048
    /// Maximum length of a virtual microphone's name in bytes.
    private static let longestName = 64

    /// Parses the address of a live output.
    ///
    /// - Parameter text: The address as entered by the user; surrounding spaces are ignored.
    /// - Throws: `AddressError` with a message that contains no secrets.
    package init(_ text: String) throws(AddressError) {
        let text = text.trimmed
        guard !text.isEmpty else { throw .init("the address is empty: \(Self.expectation).") }
        guard text.utf8.count <= Self.longest, text.printable(limit: Self.longest) == text else {
            throw .init(
                "the address is longer than \(Self.longest) bytes or contains control characters: \(Self.expectation)."
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
            throw .init("the address of a WHIP server must start with whip+\(scheme)://, not \(scheme)://.")
        default:
            // The message doesn't quote an invalid address, because it may begin with a stream key.
            throw .init("this address is not supported for live output: \(Self.expectation).")
        }
    }

    private init(node: String, _ text: String) throws(AddressError) {
        guard node.hasPrefix("/dev/"), node.count > 5, !node.contains("/.."), !node.contains(" ") else {
            throw .init(
                "a virtual camera must be a v4l2loopback device, for example v4l2:/dev/video9."
                    + onCommandLine(" Run `multicam doctor` to list these devices.")
            )
        }
        self.init(
            kind: .v4l2, text: text, host: "", port: 0, path: node, isEncrypted: false, srt: nil)
    }

    private init(microphone: String, _ text: String) throws(AddressError) {
        let name = microphone.trimmed
        guard name.utf8.count <= Self.longestName, !name.contains("\""), !name.contains("\\") else {
            throw .init(
                "the name of a virtual microphone must have at most \(Self.longestName) bytes and must not contain quotes or backslashes. Example: pulse:Studio mix."
            )
        }
        self.init(
            kind: .pulse, text: text, host: "", port: 0, path: name.isEmpty ? Self.defaultMicrophone : name,
            isEncrypted: false, srt: nil)
    }

    private init(
        _ kind: Kind, isEncrypted: Bool, usualPort: Int?, _ rest: Substring, _ text: String
    ) throws(AddressError) {
        let example = Self.example(of: kind, isEncrypted)
        guard rest.hasPrefix("//"), !rest.contains(" ") else {
            throw .init("the address is incomplete or contains a space. Example: \(example).")
        }
        let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
        let tail = rest.dropFirst(2 + authority.count)
        let path = tail.prefix { $0 != "?" }
        let query = tail.dropFirst(path.count + 1)
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        guard place == authority || kind == .rtmp else {
            throw .init(
                "the \(kind.name) address must not contain a user name or password. Example: \(example).")
        }
        let srt = kind == .srt ? try SRTSettings(query: query) : nil
        let (host, port) = Self.hostAndPort(place)
        guard let host, host.isEmpty == false || srt?.mode == .listener else {
            throw .init("the host is missing from the address. Example: \(example).")
        }
        guard let port = port ?? usualPort, (1...65535).contains(port) else {
            throw .init("the address needs a port from 1 to 65535. Example: \(example).")
        }
        if kind == .rtmp {
            guard path.split(separator: "/").count >= 2 else {
                throw .init(
                    "the application and the stream key are missing from the address. Example: \(example).")
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

    /// Splits `host:port` or `[IPv6]:port`. The host is `nil` if the text has neither form; the port is 0 if
    /// the text after the colon isn't a number.
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
        guard host.utf8.allSatisfy({ isHostNameByte($0) }) else { return (nil, nil) }
        guard !rest.isEmpty else { return (String(host), nil) }
        return (String(host), rest.hasPrefix(":") ? Int(rest.dropFirst()) ?? 0 : 0)
    }

    private static func isHostNameByte(_ byte: UInt8) -> Bool {
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

    /// Whether the address may be publicly visible, for example in command arguments. Device addresses
    /// contain no secrets.
    package var isPublic: Bool { kind == .v4l2 || kind == .pulse }

    /// Scheme of the address: `srt`, `rtmp`, `rtmps`, `whip+https`, `whip+http`, `v4l2` or `pulse`.
    package var scheme: String {
        switch kind {
        case .rtmp: isEncrypted ? "rtmps" : "rtmp"
        case .whip: isEncrypted ? "whip+https" : "whip+http"
        case .srt, .v4l2, .pulse: kind.rawValue
        }
    }

    /// The address without secrets, for logs, manifests, and pages: scheme, host, and port, or the device.
    package var printable: String {
        guard !isPublic else { return "\(scheme):\(path)" }
        return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}

extension LiveOutputAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The same text as `printable`, so that messages can't accidentally leak a secret.
    package var description: String { printable }
    /// The same text as `printable`, so that messages can't accidentally leak a secret.
    package var debugDescription: String { printable }
    /// The same text as `printable`, so that messages can't accidentally leak a secret.
    package var customMirror: Mirror { Mirror(self, children: ["printable": printable]) }
}

extension LiveOutputAddress.Kind {
    /// Name of the protocol or device type, for use in sentences.
    package var name: String {
        switch self {
        case .srt: "SRT"
        case .rtmp: "RTMP"
        case .whip: "WHIP"
        case .v4l2: "a virtual camera"
        case .pulse: "a virtual microphone"
        }
    }
}

/// Reason why an address can't be used, as a sentence without secrets.
package struct AddressError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Description of the error and of the expected syntax.
    package let description: String

    /// Creates an error from its message.
    package init(_ description: String) { self.description = description }
}
