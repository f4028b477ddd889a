internal import CMedia
import Media

/// One of libavcodec's hardware encoders. Opened, used and closed by one thread.
final class LibraryCoder: HardwareCoding {
    let layout: HardwareFrame.Layout
    private let subject: String
    private let codec: OwnedCodec
    private let device: UploadDevice?
    private let packet: OwnedPacket
    private let uploaded: OwnedFrame

    /// Opens the encoder.
    ///
    /// - Parameters:
    ///   - encoder: The encoder.
    ///   - settings: Settings of the stream; both sides of the size even, with a colour.
    /// - Throws: When libavcodec does not have the encoder, or the device refuses it.
    init(_ encoder: HardwareEncoder, _ settings: VideoEncodingSettings) throws(EncodingError) {
        subject = encoder.name
        let dialect = EncoderDialect(library: encoder.library, quality: settings.quality)
        device =
            dialect.uploads
            ? try UploadDevice(vaapi: encoder.node, size: settings.size, subject: encoder.name) : nil
        packet = try OwnedPacket(encoder.name)
        uploaded = try OwnedFrame(encoder.name)
        let attempt = try Self.openable(encoder, settings, dialect, device)
        codec = try Self.open(encoder, settings, dialect, attempt, device)
        layout = attempt.layout
    }

    /// Finds the first of the dialect's attempts that opens; the encoder is closed again.
    private static func openable(
        _ encoder: HardwareEncoder, _ settings: VideoEncodingSettings, _ dialect: EncoderDialect,
        _ device: UploadDevice?
    ) throws(EncodingError) -> EncoderDialect.Attempt {
        guard let usual = dialect.attempts.first else { preconditionFailure("a dialect has a way to open") }
        guard dialect.attempts.count > 1 else { return usual }
        var failure: EncodingError?
        for attempt in dialect.attempts {
            do throws(EncodingError) {
                _ = try open(encoder, settings, dialect, attempt, device)
                return attempt
            } catch {
                // The first attempt is the usual one, so its error says most.
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return usual
    }

    /// Returns a closure that opens the encoder for the settings it is given.
    static func opening(_ encoder: HardwareEncoder) -> HardwareOpening {
        { settings throws(EncodingError) in
            do throws(EncodingError) {
                return try LibraryCoder(encoder, settings)
            } catch {
                let dialect = EncoderDialect(library: encoder.library, quality: settings.quality)
                guard let packages = dialect.packages else { throw error }
                // libavcodec has one message, such as “Input/output error”, for everything that a driver may lack.
                throw EncodingError(
                    subject: error.subject, operation: error.operation,
                    reason: "\(error.reason); it needs the package \(packages), if that is not installed")
            }
        }
    }

    var setup: [UInt8] { codec.setup }

    private static func open(
        _ encoder: HardwareEncoder, _ settings: VideoEncodingSettings, _ dialect: EncoderDialect,
        _ attempt: EncoderDialect.Attempt, _ device: UploadDevice?
    ) throws(EncodingError) -> OwnedCodec {
        let codec = try OwnedCodec(encoder: encoder.library, subject: encoder.name)
        let context = codec.pointer
        let rate = settings.rate
        context.pointee.width = Int32(settings.size.width)
        context.pointee.height = Int32(settings.size.height)
        context.pointee.pix_fmt = attempt.layout.pixel
        context.pointee.time_base = AVRational(num: 1, den: Int32(rate.frames))
        context.pointee.framerate = AVRational(num: Int32(rate.frames), den: Int32(rate.seconds))
        settings.color?.describe(context)
        context.pointee.gop_size = max(1, Int32(rounding: 2 * rate.perSecond, .down))
        // Frames come out in the order of their times, so that x264 can take over at any of them.
        context.pointee.max_b_frames = 0
        context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        // The device has threads of its own.
        context.pointee.thread_count = 1
        if dialect.knowsQuality {
            context.pointee.bit_rate = 0
        } else {
            context.pointee.bit_rate = EncoderDialect.bitsPerSecond(settings)
            context.pointee.qmin = Int32(settings.quality)
            context.pointee.qmax = 51
        }
        for (name, value) in attempt.options { try codec.set(name, value) }
        try device?.attach(to: context)
        try codec.open()
        return codec
    }

    func encode(
        _ frame: HardwareFrame?, presentation: Int64, asKey: Bool
    ) throws(EncodingError) -> [CodedFrame] {
        guard let frame else { return try send(nil) }
        var source = frame.pointer
        if let device {
            av_frame_unref(uploaded.pointer)
            try device.upload(frame.pointer, to: uploaded.pointer)
            source = uploaded.pointer
        }
        source.pointee.pts = presentation
        source.pointee.pict_type = asKey ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        return try send(source)
    }

    /// Sends a frame; an encoder whose input is full takes it after its packets were taken.
    private func send(_ frame: UnsafeMutablePointer<AVFrame>?) throws(EncodingError) -> [CodedFrame] {
        var frames: [CodedFrame] = []
        while true {
            let result = avcodec_send_frame(codec.pointer, frame)
            if result == ff_try_again {
                let ready = try receive()
                guard !ready.isEmpty else {
                    throw EncodingError(
                        subject: subject, operation: "avcodec_send_frame",
                        reason: "it takes no frame and gives none")
                }
                frames += ready
                continue
            }
            guard result >= 0 else { throw EncodingError(subject, "avcodec_send_frame", code: result) }
            return frames + (try receive())
        }
    }

    private func receive() throws(EncodingError) -> [CodedFrame] {
        var frames: [CodedFrame] = []
        while true {
            let result = avcodec_receive_packet(codec.pointer, packet.pointer)
            if result == ff_try_again || result == ff_end_of_file { return frames }
            guard result >= 0 else { throw EncodingError(subject, "avcodec_receive_packet", code: result) }
            let presentation = packet.pointer.pointee.pts
            frames.append(
                CodedFrame(bytes: try packet.takeBytes(subject), presentation: presentation))
        }
    }
}
