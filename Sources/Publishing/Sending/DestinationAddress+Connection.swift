package import Media

extension DestinationAddress.Kind {
    /// The type of connections to such an address.
    package var connection: any DestinationConnection.Type {
        switch self {
        case .srt: SRTConnection.self
        case .rtmp: RTMPConnection.self
        case .whip: WHIPConnection.self
        case .v4l2: VirtualCameraConnection.self
        case .pulse: VirtualMicrophoneConnection.self
        }
    }
}
