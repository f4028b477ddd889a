package import Media

/// One encoded frame or slice of audio on its way to a destination.
package struct PublishedPacket: Sendable {
    /// The encoded bytes: an H.264 access unit in Annex B, without its parameter sets unless an encoder of this process changed them,
    /// or an AAC frame without ADTS header.
    package let bytes: SharedBytes
    /// When it is shown or heard, on the session clock. It goes on from one recording to the next.
    package let presentedAt: ClockTime
    /// When it is decoded, on the session clock; later than that of the packet before in the same stream.
    package let decodedAt: ClockTime
    /// How long it is shown or heard.
    package let duration: Nanoseconds
    /// Whether it can be decoded without earlier packets; `true` of audio.
    package let isKey: Bool
    /// The stream's parameters; `setup` is Annex B parameter sets of H.264, or an AudioSpecificConfig. A key frame may begin with others
    /// than the packet before.
    package let parameters: StreamParameters

    /// Creates a packet; each parameter sets the property of its name.
    package init(
        bytes: SharedBytes, presentedAt: ClockTime, decodedAt: ClockTime, duration: Nanoseconds, isKey: Bool,
        parameters: StreamParameters
    ) {
        (self.bytes, self.presentedAt, self.decodedAt) = (bytes, presentedAt, decodedAt)
        (self.duration, self.isKey, self.parameters) = (duration, isKey, parameters)
    }
}
