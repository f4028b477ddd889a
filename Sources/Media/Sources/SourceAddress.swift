/// Address of a network camera or a screen, as written in a profile. A separate multicam process provides
/// such a camera.
///
/// An address may contain a password. `description` returns `printable`, which omits the password; `text`
/// includes the password.
package struct SourceAddress: Sendable, Hashable {
    /// Protocol that delivers the frames; `screen` for a screen, which doesn't use a protocol.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case rtsp, srt, rtmp, http, screen
    }

    /// Protocol that delivers the frames.
    package let kind: Kind
    /// The complete address as given, including secrets. Never print this text.
    package let text: String
    /// Host name or numeric address of the camera, with IPv6 addresses written without brackets. The host is
    /// empty for an SRT listener on all addresses.
    package let host: String
    /// Network port of the camera or of the SRT listener.
    package let port: Int
    /// Whether TLS protects the connection.
    package let isEncrypted: Bool
    /// SRT connection settings; `nil` for other protocols and for screens.
    package let srt: SRTSettings?
    /// Address of the screen; `nil` for a network camera.
    package let screen: ScreenAddress?
    /// Whether the address contains a user name, password, or other secret.
    package let hasSecret: Bool
    /// The address without secrets: scheme, host, and port, and the path unless it contains a secret.
    package let printable: String
    /// Name of the camera on the media socket, at most 64 bytes: `printable`, with a hash suffix if parts of
    /// the address are omitted.
    package let name: String

    /// List of all supported address forms, for error messages.
    package static let expectation =
        "expected rtsp://, rtsps://, rtmp://, rtmps://, http:// or https://HOST/PATH, or srt://HOST:PORT"

    /// URL schemes. Each entry gives the protocol, whether the scheme uses TLS, and the default port.
    private static let schemes: [String: (kind: Kind, isEncrypted: Bool, port: Int?)] = [
        "rtsp": (.rtsp, false, 554), "rtsps": (.rtsp, true, 322), "srt": (.srt, false, nil),
        "rtmp": (.rtmp, false, 1935), "rtmps": (.rtmp, true, 443),
        "http": (.http, false, 80), "https": (.http, true, 443),
    ]
    /// Maximum length of an address in bytes.
    private static let longest = 2048
    private static let longestName = 64

    /// Whether a selector has the prefix of screen addresses. The rest of the selector may be malformed.
    package static func isScreen(_ selector: String) -> Bool { selector.hasPrefix(ScreenAddress.scheme) }

    /// Whether a selector names a screen shared through the desktop portal, so that the user may have to
    /// choose the screen.
    ///
    /// - Parameters:
    ///   - selector: A selector of any kind.
    ///   - environment: The environment variables of the process.
    /// - Returns: `true` for a shared screen; `false` for all other devices.
    package static func isSharedScreen(_ selector: String, _ environment: [String: String]) -> Bool {
        guard isScreen(selector) else { return false }
        do throws(AddressError) {
            return try SourceAddress(selector).screen?.isShared(environment) ?? false
        } catch {
            return false
        }
    }

    /// Whether a selector has the prefix of a network camera or screen address. The rest of the selector may
    /// be malformed.
    package static func handles(_ selector: String) -> Bool {
        if isScreen(selector) { return true }
        let scheme = selector.prefix { $0 != ":" }
        return selector.dropFirst(scheme.count).hasPrefix("://") && schemes[scheme.lowercased()] != nil
    }

    /// Whether a selector names a device that a multicam process provides: a network camera, a screen, or a
    /// phone.
    package static func isRelayed(_ selector: String) -> Bool {
        handles(selector) || PhoneSelector.handles(selector)
    }

    /// Returns a printable form of any selector, without secrets.
    package static func printable(of selector: String) -> String {
        guard handles(selector) else { return selector.printable() }
        do throws(AddressError) {
            return try SourceAddress(selector).printable
        } catch {
            return isScreen(selector) ? ScreenAddress.scheme : "\(selector.prefix { $0 != ":" })://"
        }
    }

    /// Whether a selector is an address that contains a password or a key.
    package static func hasSecret(_ selector: String) -> Bool {
        guard handles(selector) else { return false }
        do throws(AddressError) {
            return try SourceAddress(selector).hasSecret
        } catch {
            return false
        }
    }

    /// Parses the address of a network camera or a screen.
    ///
    /// - Parameter text: The address as entered by the user.
    /// - Throws: `AddressError` with a message that contains no secrets.
    package init(_ text: String) throws(AddressError) {
        guard text.utf8.count <= Self.longest, text.printable(limit: Self.longest) == text else {
            throw .init(
                "the address is longer than \(Self.longest) bytes or contains control characters: \(Self.expectation)."
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
            throw .init("this is not the address of a network camera: \(Self.expectation).")
        }
        let example = kind == .srt ? "srt://10.0.0.20:9000" : "\(scheme)://10.0.0.20/stream"
        let rest = text.dropFirst(word.count)
        guard rest.hasPrefix("://"), !rest.contains(" ") else {
            throw .init("the address is incomplete or contains a space. Example: \(example).")
        }
        let authority = rest.dropFirst(3).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let tail = rest.dropFirst(3 + authority.count)
        let path = tail.prefix { $0 != "?" && $0 != "#" }
        let query = tail.dropFirst(path.count).dropFirst()
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let srt = kind == .srt ? try SRTSettings(query: query) : nil
        let (host, port) = LiveOutputAddress.hostAndPort(place)
        guard let host, !host.isEmpty || srt?.mode == .listener else {
            throw .init("the host is missing from the address. Example: \(example).")
        }
        guard let port = port ?? usualPort, (1...65535).contains(port) else {
            throw .init("the address needs a port from 1 to 65535. Example: \(example).")
        }
        let hasUser = place.count != authority.count
        let hasSecret =
            hasUser || srt?.passphrase != nil || srt?.streamID != nil || Self.mayContainSecret(query)
            || Self.mayContainSecret(path)
        let shown = "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        let printable = Self.mayContainSecret(path) ? shown : shown + path
        (self.kind, self.text, self.host, self.port) = (kind, text, host, port)
        (self.isEncrypted, self.srt, self.hasSecret, self.printable) = (
            isEncrypted, srt, hasSecret, printable
        )
        screen = nil
        name = Self.name(printable, isWhole: query.isEmpty && printable == shown + path, mark: tail)
    }

    /// Returns a camera name of at most 64 bytes, with a hash suffix if parts of the address are omitted.
    private static func name(_ printable: String, isWhole: Bool, mark text: Substring) -> String {
        if isWhole, printable.utf8.count <= longestName { return printable }
        var start = printable
        while start.utf8.count > longestName - 8 { start.removeLast() }
        return start + hashSuffix(of: text)
    }

    /// Whether a part of an address contains a keyword that cameras use for passwords and keys.
    private static func mayContainSecret(_ text: Substring) -> Bool {
        let text = text.lowercased()
        return [
            "pass", "pwd", "psw", "user", "usr", "login", "token", "key", "auth", "secret", "sign", "sid",
        ]
        .contains { text.contains($0) }
    }

    /// Returns a 16-bit hash of the omitted part of an address, so that two cameras on the same host get
    /// different names.
    private static func hashSuffix(of text: Substring) -> String {
        let hash = text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        let digits = String((hash >> 16) ^ (hash & 0xFFFF), radix: 16)
        return "#" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension SourceAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The same text as `printable`, so that messages can't accidentally leak a secret.
    package var description: String { printable }
    /// The same text as `printable`, so that messages can't accidentally leak a secret.
    package var debugDescription: String { printable }
    /// The same text as `printable`, so that messages can't accidentally leak a secret.
    package var customMirror: Mirror { Mirror(self, children: ["printable": printable]) }
}
