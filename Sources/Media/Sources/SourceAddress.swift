/// Where a camera is that a process of multicam brings, as a profile names it: over the network, or of a screen.
///
/// An address may hold a password. Its description is `printable`, which has none; `text` has it.
public struct SourceAddress: Sendable, Hashable {
    /// The protocol by which frames come; `screen` for none.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case rtsp, srt, rtmp, http, screen
    }

    /// The protocol.
    public let kind: Kind
    /// The whole address as it was given, secrets included. Never print it.
    public let text: String
    /// Name or numeric address of the camera, IPv6 without brackets; empty for an SRT listener on all addresses.
    public let host: String
    /// The port.
    public let port: Int
    /// Whether TLS protects the connection.
    public let isEncrypted: Bool
    /// The settings of an SRT connection; `nil` for other kinds.
    public let srt: SRTSettings?
    /// The screen; `nil` for a network camera.
    public let screen: ScreenAddress?
    /// Whether the address has a user, a password, or something else that others are not to see.
    public let hasSecret: Bool
    /// The address without anything that is secret: scheme, host and port, and the path where no secret is in the address.
    public let printable: String
    /// Names the camera at the media socket, at most 64 bytes: `printable`, and a mark where something of the address does not show.
    public let name: String

    /// All addresses, for messages that list them.
    public static let expectation =
        "expected rtsp://, rtsps://, rtmp://, rtmps://, http:// or https://HOST/PATH, or srt://HOST:PORT"

    /// The schemes with the kind that each stands for, whether TLS protects it, and its usual port.
    private static let schemes: [String: (kind: Kind, isEncrypted: Bool, port: Int?)] = [
        "rtsp": (.rtsp, false, 554), "rtsps": (.rtsp, true, 322), "srt": (.srt, false, nil),
        "rtmp": (.rtmp, false, 1935), "rtmps": (.rtmp, true, 443),
        "http": (.http, false, 80), "https": (.http, true, 443),
    ]
    /// Most bytes of an address.
    private static let longest = 2048
    private static let longestName = 64

    /// Whether a selector is an address of a screen, well formed or not.
    public static func isScreen(_ selector: String) -> Bool { selector.hasPrefix(ScreenAddress.scheme) }

    /// Whether a selector names a screen that a desktop shares, so that a person may have to choose it.
    ///
    /// - Parameters:
    ///   - selector: A selector of any kind.
    ///   - environment: The process's variables.
    /// - Returns: `false` for every other device.
    public static func isSharedScreen(_ selector: String, _ environment: [String: String]) -> Bool {
        guard isScreen(selector) else { return false }
        do throws(DestinationAddressError) {
            return try SourceAddress(selector).screen?.isShared(environment) ?? false
        } catch {
            return false
        }
    }

    /// Whether a selector is an address of a network camera or a screen, well formed or not.
    public static func handles(_ selector: String) -> Bool {
        if isScreen(selector) { return true }
        let scheme = selector.prefix { $0 != ":" }
        return selector.dropFirst(scheme.count).hasPrefix("://") && schemes[scheme.lowercased()] != nil
    }

    /// Whether a selector names what a process of multicam brings: a network camera, a screen or a phone.
    package static func isBroughtHere(_ selector: String) -> Bool {
        handles(selector) || PhoneSelector.handles(selector)
    }

    /// A selector of any kind as it may be shown.
    public static func printable(of selector: String) -> String {
        guard handles(selector) else { return selector.printable() }
        do throws(DestinationAddressError) {
            return try SourceAddress(selector).printable
        } catch {
            return isScreen(selector) ? ScreenAddress.scheme : "\(selector.prefix { $0 != ":" })://"
        }
    }

    /// Whether a selector is an address with a password or a key in it.
    public static func hasSecret(_ selector: String) -> Bool {
        guard handles(selector) else { return false }
        do throws(DestinationAddressError) {
            return try SourceAddress(selector).hasSecret
        } catch {
            return false
        }
    }

    /// Reads an address.
    ///
    /// - Parameter text: As a person writes it.
    /// - Throws: `DestinationAddressError` with a sentence that has no secret in it.
    public init(_ text: String) throws(DestinationAddressError) {
        guard text.utf8.count <= Self.longest, text.printable(limit: Self.longest) == text else {
            throw .init(
                "the address is longer than \(Self.longest) bytes or has characters that cannot be printed: \(Self.expectation)."
            )
        }
        if Self.isScreen(text) {
            let screen = try ScreenAddress(text)
            (kind, self.text, host, port, isEncrypted) = (.screen, text, "", 0, false)
            (srt, self.screen, hasSecret, printable) = (nil, screen, false, screen.label)
            name = Self.name(screen.label, isWhole: true, mark: screen.label[...])
            return
        }
        let word = text.prefix { $0 != ":" }
        let scheme = word.lowercased()
        guard let (kind, isEncrypted, usualPort) = Self.schemes[scheme] else {
            throw .init("this is no address of a network camera: \(Self.expectation).")
        }
        let example = kind == .srt ? "srt://10.0.0.20:9000" : "\(scheme)://10.0.0.20/stream"
        let rest = text.dropFirst(word.count)
        guard rest.hasPrefix("://"), !rest.contains(" ") else {
            throw .init("the address is not complete or has a space in it; it looks like \(example).")
        }
        let authority = rest.dropFirst(3).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let tail = rest.dropFirst(3 + authority.count)
        let path = tail.prefix { $0 != "?" && $0 != "#" }
        let query = tail.dropFirst(path.count).dropFirst()
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let srt = kind == .srt ? try SRTSettings(query: query) : nil
        let (host, port) = DestinationAddress.hostAndPort(place)
        guard let host, !host.isEmpty || srt?.mode == .listener else {
            throw .init("the address has no host; it looks like \(example).")
        }
        guard let port = port ?? usualPort, (1...65535).contains(port) else {
            throw .init("the address has no port from 1 to 65535; it looks like \(example).")
        }
        let hasUser = place.count != authority.count
        let hasSecret =
            hasUser || srt?.passphrase != nil || srt?.streamID != nil || Self.mayHoldSecret(query)
            || Self.mayHoldSecret(path)
        let shown = "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        let printable = Self.mayHoldSecret(path) ? shown : shown + path
        (self.kind, self.text, self.host, self.port) = (kind, text, host, port)
        (self.isEncrypted, self.srt, self.hasSecret, self.printable) = (
            isEncrypted, srt, hasSecret, printable
        )
        screen = nil
        name = Self.name(printable, isWhole: query.isEmpty && printable == shown + path, mark: tail)
    }

    /// A name of at most 64 bytes, with a mark where something does not show.
    private static func name(_ printable: String, isWhole: Bool, mark text: Substring) -> String {
        if isWhole, printable.utf8.count <= longestName { return printable }
        var start = printable
        while start.utf8.count > longestName - 8 { start.removeLast() }
        return start + mark(of: text)
    }

    /// Whether a part of an address has a word by which cameras take passwords and keys.
    private static func mayHoldSecret(_ text: Substring) -> Bool {
        let text = text.lowercased()
        return [
            "pass", "pwd", "psw", "user", "usr", "login", "token", "key", "auth", "secret", "sign", "sid",
        ]
        .contains { text.contains($0) }
    }

    /// Sixteen bits of what does not show, so that two cameras of one host have two names.
    private static func mark(of text: Substring) -> String {
        let hash = text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        let digits = String((hash >> 16) ^ (hash & 0xFFFF), radix: 16)
        return "#" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension SourceAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `printable`, so that no message has a secret by accident.
    public var description: String { printable }
    /// `printable`, so that no message has a secret by accident.
    public var debugDescription: String { printable }
    /// `printable`, so that no message has a secret by accident.
    public var customMirror: Mirror { Mirror(self, children: ["printable": printable]) }
}
