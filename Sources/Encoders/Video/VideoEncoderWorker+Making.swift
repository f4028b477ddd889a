package import Media
internal import Writers

extension VideoEncoderWorker {
    /// Makes encoders that go on where another has failed: of the same stream, and never hardware, which may be why.
    ///
    /// - Parameters:
    ///   - settings: That the stream began with.
    ///   - name: The track's, for messages.
    ///   - machinery: Makes them.
    /// - Returns: What makes one.
    package static func making(
        _ settings: VideoEncodingSettings, named name: String, by codecs: any CodecFactory
    ) -> Making {
        var settings = settings
        settings.hardware = nil
        settings.isHardwareRequired = false
        let wanted = settings
        return { () throws(EncodingError) in Carried(try codecs.makeVideoEncoder(wanted, name: name)) }
    }
}
