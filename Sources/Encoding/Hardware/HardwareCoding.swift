import Media

/// An H.264 encoder outside of this program: a device behind libavcodec, or what stands in for one in a test.
///
/// Nothing that it does is believed: `HardwareStream` checks what comes out.
protocol HardwareCoding: AnyObject {
    /// How it wants its frames.
    var layout: HardwareFrame.Layout { get }
    /// The parameter sets, Annex B, where it tells them before the first frame; else empty.
    var setup: [UInt8] { get }

    /// - Parameters:
    ///   - frame: Not written to as long as it is held. `nil` flushes.
    ///   - presentation: Rises from frame to frame.
    ///   - asKey: Whether it shall be an IDR frame.
    /// - Returns: What is ready, Annex B.
    /// - Throws: When the device fails; it is not asked again then.
    func encode(_ frame: HardwareFrame?, presentation: Int64, asKey: Bool) throws(EncodingError)
        -> [CodedFrame]
}

/// A frame as a hardware encoder gave it out.
struct CodedFrame: Sendable {
    let bytes: SharedBytes
    let presentation: Int64
}

/// Opens an encoder for a stream, on the thread that will use it.
typealias HardwareOpening = @Sendable (VideoEncodingSettings) throws(EncodingError) -> any HardwareCoding
