/// One of the streams that a device brings into a session: a camera's frames, or channels of a microphone.
public struct InputPort: Sendable, Hashable {
    /// The medium of the stream.
    public let mediaType: CaptureDevice.MediaType
    /// The side that the port looks or listens to, where the device or a person says.
    public let position: CaptureDevice.Position
    /// The microphone's channels, counted from 0; empty for a camera.
    public let channels: [Int]

    /// Creates a port.
    public init(
        mediaType: CaptureDevice.MediaType, position: CaptureDevice.Position = .unspecified,
        channels: [Int] = []
    ) {
        self.mediaType = mediaType
        self.position = position
        self.channels = channels
    }
}

extension CaptureDevice {
    /// The streams that the device can bring into a session.
    ///
    /// A camera has one port. A microphone has one with all of its channels, and one each with those that listen to the front and
    /// to the back, where its driver says so. A microphone inside of a camera listens to where the camera looks.
    public var inputPorts: [InputPort] {
        guard mediaType == .audio else { return [InputPort(mediaType: .video, position: position)] }
        let all = Array(0..<(audio?.channels ?? 0))
        let sides = [Position.front, .back].compactMap { side -> InputPort? in
            let channels = all.filter {
                channelPositions.indices.contains($0) && channelPositions[$0] == side
            }
            return channels.isEmpty || channels == all
                ? nil : InputPort(mediaType: .audio, position: side, channels: channels)
        }
        return [InputPort(mediaType: .audio, position: position, channels: all)] + sides
    }
}
