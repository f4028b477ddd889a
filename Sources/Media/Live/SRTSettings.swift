/// The settings of an SRT connection, from the query of its address, for example `?latency=200&passphrase=…`.
public struct SRTSettings: Sendable, Hashable {
    /// Who waits for whom.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// multicam connects to a listener.
        case caller
        /// multicam waits for a caller, one at a time.
        case listener
    }

    /// Who waits for whom.
    public var mode = Mode.caller
    /// How long the receiver keeps packets, so that lost ones can be sent again.
    public var latency = Nanoseconds.milliseconds(120)
    /// The secret of both ends, 10 to 79 bytes; `nil` for a connection that anyone can read.
    public var passphrase: Secret?
    /// Bytes of the key that is made of the passphrase: 16, 24 or 32.
    public var keyLength = 16
    /// What the listener is told, to choose a stream by; `nil` for nothing. It may hold a key.
    public var streamID: Secret?
    /// How long a peer may be silent before the connection counts as lost.
    public var idleTimeout = Nanoseconds.milliseconds(2500)

    /// Creates settings with the values of an address without a query.
    public init() {}

    /// Reads the query of an address, without its question mark.
    ///
    /// - Throws: `DestinationAddressError` with a sentence that has no value of a secret.
    init(query: Substring) throws(DestinationAddressError) {
        for pair in query.split(separator: "&") {
            let key = pair.prefix { $0 != "=" }
            guard let value = String(pair.dropFirst(key.count + 1)).percentDecoded else {
                throw .init("in the settings of an SRT address a % begins two hexadecimal digits.")
            }
            switch key {
            case "mode":
                guard let mode = Mode(rawValue: value) else {
                    throw .init("SRT's mode: expected caller or listener.")
                }
                self.mode = mode
            case "latency": latency = try Self.milliseconds(value, 20...8000, "latency")
            case "timeout": idleTimeout = try Self.milliseconds(value, 1000...60000, "timeout")
            case "passphrase":
                guard (10...79).contains(value.utf8.count) else {
                    throw .init("SRT's passphrase: expected 10 to 79 bytes.")
                }
                passphrase = Secret(value)
            case "pbkeylen":
                guard let length = Int(value), [16, 24, 32].contains(length) else {
                    throw .init("SRT's pbkeylen: expected 16, 24 or 32.")
                }
                keyLength = length
            case "streamid":
                guard (1...512).contains(value.utf8.count) else {
                    throw .init("SRT's streamid: expected 1 to 512 bytes.")
                }
                streamID = Secret(value)
            default:
                throw .init(
                    "an SRT address has a setting that is not known: expected mode, latency, timeout, passphrase, pbkeylen or streamid."
                )
            }
        }
    }

    private static func milliseconds(
        _ text: String, _ range: ClosedRange<Int64>, _ name: String
    ) throws(DestinationAddressError) -> Nanoseconds {
        guard let value = Int64(text), range.contains(value) else {
            throw .init(
                "SRT's \(name): expected \(range.lowerBound) to \(range.upperBound) milliseconds (OBS and FFmpeg write microseconds)."
            )
        }
        return .milliseconds(value)
    }
}
