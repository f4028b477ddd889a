import Media

/// An H.264 encoder outside of this program: a device behind libavcodec, or what stands in for one in a test.
///
/// Nothing that it does is believed: `HardwareStream` checks what comes out.
protocol HardwareCoding: AnyObject {
    /// How it wants its pictures.
    var layout: HardwarePicture.Layout { get }
    /// The parameter sets, Annex B, where it tells them before the first picture; else empty.
    var setup: [UInt8] { get }

    /// - Parameters:
    ///   - picture: Not written to as long as it is held. `nil` flushes.
    ///   - presentation: Rises from picture to picture.
    ///   - asKey: Whether it shall be an IDR picture.
    /// - Returns: What is ready, Annex B.
    /// - Throws: When the device fails; it is not asked again then.
    func encode(_ picture: HardwarePicture?, presentation: Int64, asKey: Bool) throws(EncodingError)
        -> [CodedPicture]
}

/// A picture as a hardware encoder gave it out.
struct CodedPicture: Sendable {
    let bytes: SharedBytes
    let presentation: Int64
}

/// Opens an encoder for a stream, on the thread that will use it.
typealias HardwareOpening = @Sendable (PictureEncodingSettings) throws(EncodingError) -> any HardwareCoding
