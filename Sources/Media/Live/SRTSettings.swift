/// SRT connection settings from the query of an address, for example `?latency=200&passphrase=…`.
package struct SRTSettings: Sendable, Hashable {
    /// Connection mode: which side connects and which side listens.
    package enum Mode: String, Sendable, Hashable, CaseIterable {
        /// multicam connects to a listener.
        case caller
        /// multicam listens for callers, one at a time.
        case listener
    }

    /// Connection mode.
    package var mode = Mode.caller
    /// Receiver latency: how long packets are buffered so that lost packets can be retransmitted.
    package var latency = Nanoseconds.milliseconds(120)
    /// Encryption passphrase shared by both ends of the connection, 10 to 79 bytes long; `nil` for an
    /// unencrypted connection.
    package var passphrase: Secret?
    /// Length in bytes of the encryption key derived from the passphrase: 16, 24, or 32.
    package var keyLength = 16
    /// Stream ID that tells the listener which stream to use; `nil` to omit the ID. The ID may contain a
    /// secret key.
    package var streamID: Secret?
    /// How long the peer may be silent before the connection is considered lost.
    package var idleTimeout = Nanoseconds.milliseconds(2500)

    /// Creates the default settings, which apply to an address without a query.
    package init() {}

    /// Parses the query of an address, without its question mark.
    ///
    /// - Throws: `AddressError` with a message that contains no secret values.
    init(query: Substring) throws(AddressError) {
        for pair in query.split(separator: "&") {
            let key = pair.prefix { $0 != "=" }
            guard let value = String(pair.dropFirst(key.count + 1)).percentDecoded else {
                throw .init("in an SRT address, % must be followed by two hexadecimal digits.")
            }
            switch key {
            case "mode":
                guard let mode = Mode(rawValue: value) else {
                    throw .init("SRT `mode`: expected `caller` or `listener`.")
                }
                self.mode = mode
            case "latency": latency = try Self.milliseconds(value, 20...8000, "latency")
            case "timeout": idleTimeout = try Self.milliseconds(value, 1000...60000, "timeout")
            case "passphrase":
                guard (10...79).contains(value.utf8.count) else {
                    throw .init("SRT `passphrase`: expected 10 to 79 bytes.")
                }
                passphrase = Secret(value)
            case "pbkeylen":
                guard let length = Int(value), [16, 24, 32].contains(length) else {
                    throw .init("SRT `pbkeylen`: expected 16, 24, or 32.")
                }
                keyLength = length
            case "streamid":
                guard (1...512).contains(value.utf8.count) else {
                    throw .init("SRT `streamid`: expected 1 to 512 bytes.")
                }
                streamID = Secret(value)
            default:
                throw .init(
                    "the SRT address has an unknown setting. Supported settings: `mode`, `latency`, `timeout`, `passphrase`, `pbkeylen`, and `streamid`."
                )
            }
        }
    }

    private static func milliseconds(
        _ text: String, _ range: ClosedRange<Int64>, _ name: String
    ) throws(AddressError) -> Nanoseconds {
        guard let value = Int64(text), range.contains(value) else {
            throw .init(
                "SRT `\(name)`: expected \(range.lowerBound) to \(range.upperBound) milliseconds (OBS and FFmpeg use microseconds)."
            )
        }
        return .milliseconds(value)
    }
}
