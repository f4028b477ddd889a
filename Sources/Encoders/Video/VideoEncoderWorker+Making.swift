package import Media
internal import Writers

extension VideoEncoderWorker {
    /// Makes a function that makes another encoder of a stream when one has failed; it never uses hardware, which may
    /// be the cause.
    ///
    /// - Parameters:
    ///   - settings: The settings with which the stream began.
    ///   - name: Name of the track, for messages.
    ///   - codecs: Makes the encoders.
    /// - Returns: The function.
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
