package import Media

extension DestinationAddress.Kind {
    /// The type of connections to such an address; `nil` where this program has none.
    package var connection: (any DestinationConnection.Type)? {
        switch self {
        case .srt: SRTConnection.self
        case .rtmp: RTMPConnection.self
        case .whip, .v4l2, .pulse: nil
        }
    }
}
