internal import CMulticamMedia
package import MulticamMedia

/// Hardware encoder accessed through libavcodec. The encoder is opened, used, and closed by one thread.
final class LibraryCoder: HardwareCoding {
    let layout: HardwareFrame.Layout
    private let subject: String
    private let codec: OwnedCodec
    private let device: UploadDevice?
    private let packet: OwnedPacket
    private let uploaded: OwnedFrame

    /// Opens a hardware encoder.
    ///
    /// - Parameters:
    ///   - encoder: The hardware encoder to open.
    ///   - settings: Settings of the stream. Width and height must be even, and the color description must be set.
    /// - Throws: An error if libavcodec doesn't include the encoder, or the device rejects it.
    init(_ encoder: HardwareEncoder, _ settings: VideoEncodingSettings) throws(EncodingError) {
        subject = encoder.name
        let dialect = EncoderOptions(library: encoder.library, quality: settings.quality)
        device =
            dialect.requiresUpload
            ? try UploadDevice(vaapi: encoder.node, size: settings.size, subject: encoder.name) : nil
        packet = try OwnedPacket(encoder.name)
        uploaded = try OwnedFrame(encoder.name)
        let attempt = try Self.firstWorkingConfiguration(encoder, settings, dialect, device)
        codec = try Self.open(encoder, settings, dialect, attempt, device)
        layout = attempt.layout
    }

    /// Finds the first configuration in the dialect's list of attempts that opens the encoder. The encoder is
    /// closed again afterwards.
    private static func firstWorkingConfiguration(
        _ encoder: HardwareEncoder, _ settings: VideoEncodingSettings, _ dialect: EncoderOptions,
        _ device: UploadDevice?
    ) throws(EncodingError) -> EncoderOptions.Configuration {
        guard let usual = dialect.configurations.first else {
            preconditionFailure("an encoder dialect must define at least one way to open the encoder")
        }
        guard dialect.configurations.count > 1 else { return usual }
        var failure: EncodingError?
        for attempt in dialect.configurations {
            do throws(EncodingError) {
                _ = try open(encoder, settings, dialect, attempt, device)
                return attempt
            } catch {
                // The first attempt uses the usual configuration, so its error is the most useful one.
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return usual
    }

    /// Returns a closure that opens the encoder for the settings it is given.
    static func makeFactory(for encoder: HardwareEncoder) -> HardwareCoderFactory {
        { settings throws(EncodingError) in
            do throws(EncodingError) {
                return try LibraryCoder(encoder, settings)
            } catch {
                let dialect = EncoderOptions(library: encoder.library, quality: settings.quality)
                guard let packages = dialect.packages else { throw error }
                // libavcodec uses a single message, such as "Input/output error", for all driver errors.
                throw EncodingError(
                    subject: error.subject, operation: error.operation,
                    reason: "\(error.reason); make sure that the package \(packages) is installed")
            }
        }
    }

    var setup: [UInt8] { codec.setup }

    private static func open(
        _ encoder: HardwareEncoder, _ settings: VideoEncodingSettings, _ dialect: EncoderOptions,
        _ attempt: EncoderOptions.Configuration, _ device: UploadDevice?
    ) throws(EncodingError) -> OwnedCodec {
        let codec = try OwnedCodec(encoder: encoder.library, subject: encoder.name)
        let context = codec.pointer
        let rate = settings.rate
        context.pointee.width = Int32(settings.size.width)
        context.pointee.height = Int32(settings.size.height)
        context.pointee.pix_fmt = attempt.layout.pixel
        context.pointee.time_base = AVRational(num: 1, den: Int32(rate.frames))
        context.pointee.framerate = AVRational(num: Int32(rate.frames), den: Int32(rate.seconds))
        settings.color?.apply(to: context)
        context.pointee.gop_size = max(1, Int32(rounding: 2 * rate.perSecond, .down))
        // Frames are returned in presentation order, so x264 can take over at any of them.
        context.pointee.max_b_frames = 0
        context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        // The driver manages its own threads.
        context.pointee.thread_count = 1
        if dialect.hasQualityMode {
            context.pointee.bit_rate = 0
        } else {
            context.pointee.bit_rate = EncoderOptions.bitsPerSecond(settings)
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

    /// Sends a frame to the encoder. If the encoder's input is full, the available packets are received
    /// first.
    private func send(_ frame: UnsafeMutablePointer<AVFrame>?) throws(EncodingError) -> [CodedFrame] {
        var frames: [CodedFrame] = []
        while true {
            let result = avcodec_send_frame(codec.pointer, frame)
            if result == ff_try_again {
                let ready = try receive()
                guard !ready.isEmpty else {
                    throw EncodingError(
                        subject: subject, operation: "avcodec_send_frame",
                        reason: "the encoder stopped accepting and returning frames")
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
                CodedFrame(bytes: try packet.detachBytes(subject), presentation: presentation))
        }
    }
}

/// Options for one of libavcodec's hardware encoders, and whether its frames must be uploaded to the device.
///
/// Quality: H.264 has a quantizer scale of 0…51, where a step of six doubles the coarseness (ITU-T H.264,
/// 8.5.9). x264's constant rate factor is a quantizer on that scale for ordinary moving frames (x264,
/// `--fullhelp`: "quality-based VBR (0-51)"). The profile's quality value is therefore passed unchanged to
/// each encoder, using the rate control mode that is closest to x264's:
/// - NVENC: `rc=vbr`, `cq`, without a bit rate: "target quality level (0 to 51) for constant quality mode in VBR rate
///   control".
/// - VAAPI: `rc_mode=CQP`, `qp`: the same quantizer for every frame. Every driver supports this mode.
/// - V4L2 and all others: no quality mode (libavcodec, v4l2_m2m_enc.c). The profile's value sets the minimum
///   quantizer, and the bit rate is set to twice the bit rate of x264 for photographs. The bit rate therefore
///   acts as a limit instead of a target.
///
/// Unlike x264, none of these modes takes the visibility of errors into account. With the same quality value,
/// hardware encoders therefore produce larger files than x264, and file sizes differ between devices. x264's
/// presets don't apply to hardware encoders: NVENC uses its medium preset, `p4`; the others don't have
/// presets.
struct EncoderOptions {
    /// Options in addition to the common options of all encoders. The attempts are tried in this order until
    /// the encoder opens.
    let configurations: [Configuration]
    /// Whether frames are uploaded to the device before they are encoded.
    let requiresUpload: Bool
    /// Whether the encoder's rate control has a quality mode.
    let hasQualityMode: Bool
    /// Debian packages that the encoder requires; `nil` if the kernel driver is sufficient.
    let packages: String?

    /// One configuration for opening the encoder: a frame layout and options.
    struct Configuration {
        var layout = HardwareFrame.Layout.nv12
        var options: [(name: String, value: String)] = []
    }

    /// Selects the options for an encoder.
    ///
    /// - Parameters:
    ///   - library: libavcodec's name for the encoder.
    ///   - quality: The profile's quality, 0…51.
    init(library: String, quality: Int) {
        switch library {
        case "h264_nvenc":
            // With a delay of 2, a frame is returned when the second frame after it is submitted, so the
            // device works in parallel with the program but holds few frames. The minimum value of `cq` is 1,
            // because 0 lets the encoder choose the quality.
            configurations = [
                Configuration(options: [
                    ("preset", "p4"), ("profile", "high"), ("rc", "vbr"), ("cq", "\(max(quality, 1))"),
                    ("delay", "2"), ("forced-idr", "1"),
                ])
            ]
            (requiresUpload, hasQualityMode, packages) = (false, true, "libnvidia-encode1")
        case "h264_vaapi":
            // libavcodec interprets 0 as "not set". Newer Intel chips have only the low-power encoder.
            let usual = [("rc_mode", "CQP"), ("qp", "\(max(quality, 1))")]
            configurations = [
                Configuration(options: usual), Configuration(options: usual + [("low_power", "1")]),
            ]
            (requiresUpload, hasQualityMode) = (true, true)
            packages = "mesa-va-drivers or intel-media-va-driver"
        default:
            configurations = [Configuration(), Configuration(layout: .i420)]
            (requiresUpload, hasQualityMode, packages) = (false, false, nil)
        }
    }

    /// Bit rate for an encoder without quality control: 0.24 bits per pixel at quality 23, which is twice the bit rate
    /// of x264 for moving photographs with its recording presets. The bit rate halves with every six quality steps.
    static func bitsPerSecond(_ settings: VideoEncodingSettings) -> Int64 {
        var bits = Double(settings.size.pixelCount) * settings.rate.perSecond * 0.24
        var quality = settings.quality
        while quality >= 29 { (bits, quality) = (bits / 2, quality - 6) }
        while quality <= 17 { (bits, quality) = (bits * 2, quality + 6) }
        return Int64(max(bits, 100_000))
    }
}

extension HardwareEncoder {
    /// Whether this build of libavcodec includes the encoder with the given name. This function doesn't check
    /// whether a device is present.
    ///
    /// - Parameter name: libavcodec's name of the encoder, such as `h264_nvenc`.
    /// - Returns: Whether the encoder is part of the library.
    package static func isInLibrary(_ name: String) -> Bool { avcodec_find_encoder_by_name(name) != nil }

    /// Version of the library that drives the hardware, such as `libavcodec 59.37.100`.
    package static var libraryVersion: String {
        let version = avcodec_version()
        return "libavcodec \(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)"
    }
}
