internal import CMedia
import Media

/// The options of one of libavcodec's hardware encoders, and where its frames go.
///
/// Quality. H.264 has one scale of quantisers, 0…51, on which a step of six doubles the coarseness (ITU-T H.264,
/// 8.5.9); x264's constant rate factor is a quantiser on that scale for ordinary moving frames (x264, `--fullhelp`:
/// “quality-based VBR (0-51)”). So the profile's number is given to each encoder as it is, by the nearest thing that
/// its rate control has:
/// - NVENC: `rc=vbr`, `cq`, without a bit rate: “target quality level (0 to 51) for constant quality mode in VBR rate
///   control”.
/// - VAAPI: `rc_mode=CQP`, `qp`: the same quantiser for every frame, which every driver has.
/// - V4L2 and any other: no quality at all (libavcodec, v4l2_m2m_enc.c). The number is the finest quantiser that it may
///   use, and its bit rate is twice what x264 takes for photographs, so that the bit rate is a limit and not a goal.
///
/// None of them weighs visibility as x264 does: files of the same number are larger, and differ from one device to the
/// next. x264's presets mean nothing to hardware: NVENC runs its middle one, `p4`; the others have none.
struct EncoderDialect {
    /// Options in addition to those that all encoders have, tried in this order until the encoder opens.
    let attempts: [Attempt]
    /// Whether frames are uploaded to the device before they are encoded.
    let uploads: Bool
    /// Whether the encoder has a rate control by quality.
    let knowsQuality: Bool
    /// Debian packages without which the encoder does not open; `nil` where the kernel's driver is all that it needs.
    let packages: String?

    /// One way to open the encoder: frame layout and options.
    struct Attempt {
        var layout = HardwareFrame.Layout.nv12
        var options: [(name: String, value: String)] = []
    }

    /// Selects the dialect of an encoder.
    ///
    /// - Parameters:
    ///   - library: libavcodec's name for the encoder.
    ///   - quality: The profile's quality, 0…51.
    init(library: String, quality: Int) {
        switch library {
        case "h264_nvenc":
            // delay 2: a frame comes out when the second one after it goes in, so the device works in parallel and holds little.
            // The scale of `cq` begins at 1: 0 leaves the quality to the encoder.
            attempts = [
                Attempt(options: [
                    ("preset", "p4"), ("profile", "high"), ("rc", "vbr"), ("cq", "\(max(quality, 1))"),
                    ("delay", "2"), ("forced-idr", "1"),
                ])
            ]
            (uploads, knowsQuality, packages) = (false, true, "libnvidia-encode1")
        case "h264_vaapi":
            // 0 means “not set” to libavcodec. Newer Intel chips have nothing but their low power encoder.
            let usual = [("rc_mode", "CQP"), ("qp", "\(max(quality, 1))")]
            attempts = [Attempt(options: usual), Attempt(options: usual + [("low_power", "1")])]
            (uploads, knowsQuality) = (true, true)
            packages = "mesa-va-drivers or intel-media-va-driver"
        default:
            attempts = [Attempt(), Attempt(layout: .i420)]
            (uploads, knowsQuality, packages) = (false, false, nil)
        }
    }

    /// Bit rate for an encoder without quality control: 0.24 bits per pixel at quality 23, twice what x264 takes for
    /// moving photographs at its recording presets, and half as much with every six steps.
    static func bitsPerSecond(_ settings: VideoEncodingSettings) -> Int64 {
        var bits = Double(settings.size.pixelCount) * settings.rate.perSecond * 0.24
        var quality = settings.quality
        while quality >= 29 { (bits, quality) = (bits / 2, quality - 6) }
        while quality <= 17 { (bits, quality) = (bits * 2, quality + 6) }
        return Int64(max(bits, 100_000))
    }
}
