import Media

/// An H.264 encoder outside of this program: a device behind libavcodec, or a stand-in for one in a test.
///
/// Its output is not trusted: `HardwareStream` checks it.
protocol HardwareCoding: AnyObject {
    /// The frame layout that the encoder takes.
    var layout: HardwareFrame.Layout { get }
    /// The parameter sets, Annex B, where the encoder tells them before the first frame; else empty.
    var setup: [UInt8] { get }

    /// Encodes one frame, or flushes.
    ///
    /// - Parameters:
    ///   - frame: A frame that is not written to as long as it is held; `nil` flushes.
    ///   - presentation: Presentation time in the stream's time scale, rising from frame to frame.
    ///   - asKey: Whether the frame must become an IDR frame.
    /// - Returns: The coded frames that are ready, Annex B.
    /// - Throws: When the device fails; it is not asked again then.
    func encode(_ frame: HardwareFrame?, presentation: Int64, asKey: Bool) throws(EncodingError)
        -> [CodedFrame]
}

/// A frame as a hardware encoder gave it out, with its presentation time in the stream's time scale.
struct CodedFrame: Sendable {
    let bytes: SharedBytes
    let presentation: Int64
}

/// Opens an encoder for a stream, on the thread that will use it.
typealias HardwareOpening = @Sendable (VideoEncodingSettings) throws(EncodingError) -> any HardwareCoding
