/// The USB side of a camera: its route to the controller, and the bandwidth that its stream may reserve.
public struct USBCamera: Sendable, Equatable, Codable {
    /// The bandwidth that a camera reserved when it streamed in a format.
    public struct Learned: Sendable, Equatable, Codable {
        /// The format that the camera streamed in.
        public var format: VideoFormat
        /// Reserved bytes of one turn.
        public var bytes: Int

        /// Makes an entry from a format and the reserved bytes of one turn.
        public init(format: VideoFormat, bytes: Int) {
            self.format = format
            self.bytes = bytes
        }
    }

    /// The identity of the camera.
    public var identity: DeviceIdentity
    /// The speed at which the camera is connected.
    public var speed: USBSpeed
    /// The route from the controller to the camera: each stretch whose bandwidth it shares.
    public var domains: [USBDomain]
    /// The reservations of the camera's alternate settings, the smallest first. Empty where it reserves nothing (bulk).
    public var settings: [USBReservation]
    /// The bandwidth that the camera reserved in formats that it has streamed in.
    public var learned: [Learned]
    /// Whether the camera is synthetic: a raw format that no setting carries does not exist for it. A real camera offers
    /// such a format, and the driver takes the largest setting (`uvc_fixup_video_ctrl`).
    public var isSynthetic: Bool

    /// Makes a value, and sorts the settings by their bytes.
    public init(
        identity: DeviceIdentity, speed: USBSpeed, domains: [USBDomain], settings: [USBReservation],
        learned: [Learned] = [], isSynthetic: Bool = false
    ) {
        self.identity = identity
        self.speed = speed
        self.domains = domains
        self.settings = settings.sorted { $0.bytes < $1.bytes }
        self.learned = learned
        self.isSynthetic = isSynthetic
    }

    /// The bandwidth that the camera's stream reserves in a format, and how that is known.
    ///
    /// The kernel's driver asks the camera how large its payloads become (dwMaxPayloadTransferSize, UVC 1.5, table 4-75)
    /// and takes the smallest alternate setting that carries them (`uvc_video_start_transfer` in
    /// drivers/media/usb/uvc/uvc_video.c). For raw formats the answer follows from the format. For compressed ones the
    /// camera answers as it likes, in a negotiation that no program sees: the reservation of the last time counts, else the
    /// smallest setting that carries a busy frame.
    ///
    /// - Returns: `nil` where the camera reserves nothing.
    public func demand(in format: VideoFormat) -> USBDemand? {
        guard let most = settings.last else { return nil }
        func demand(_ reservation: USBReservation, _ basis: USBDemand.Basis) -> USBDemand {
            USBDemand(reservation: reservation, basis: basis, most: most)
        }
        if let kept = learned.first(where: { $0.format == format }),
            let setting = settings.first(where: { $0.bytes == kept.bytes })
        {
            return demand(setting, .learned)
        }
        let wanted = Self.payload(of: format, at: speed)
        // A setting with longer intervals has less of them in a second.
        let smallest = settings.first { $0.bytes >= wanted * ticks(of: $0) }
        if let smallest { return demand(smallest, format.pixel.isRaw ? .computed : .assumed) }
        guard isSynthetic, format.pixel.isRaw else {
            return demand(most, format.pixel.isRaw ? .computed : .assumed)
        }
        return demand(USBReservation(bytes: wanted), .tooLarge(wanted))
    }

    /// The distance of two turns of a setting in service intervals: of 125 µs, or of 1 ms at full speed.
    private func ticks(of setting: USBReservation) -> Int {
        max(1, speed >= .high ? setting.microframes : setting.microframes / 8)
    }

    /// Bytes that a format needs in one microframe, or in one frame of 1 ms at full speed, with a header of 12 bytes: as
    /// `uvc_fixup_video_ctrl` computes it.
    ///
    /// For MJPEG and H.264 it is three times what photographs in motion take (`usualBytes`), which no busy frame exceeds.
    public static func payload(of format: VideoFormat, at speed: USBSpeed) -> Int {
        let bytes =
            format.pixel.isRaw
            ? Double(format.frameBytes ?? 0) : Double(format.size.pixelCount) * format.pixel.usualBytes * 3
        return Int(rounding: bytes * format.rate.perSecond / (speed >= .high ? 8000 : 1000), .up) + 12
    }
}

extension PixelFormat {
    /// Whether a frame's bytes follow from its size. `converted` formats do not count: their frames left the camera
    /// compressed.
    public var isRaw: Bool { !isCompressed && self != .converted }

    /// Bytes per pixel: exact for raw formats, else of photographs in motion as cameras compress them (MJPEG at 1080p,
    /// H.264 at a camera's usual rates).
    public var usualBytes: Double {
        switch self {
        case .mjpeg, .converted: 0.09
        case .h264: 0.02
        case .yuyv, .uyvy, .i422: 2
        case .nv12, .i420: 1.5
        case .grey: 1
        case .bgra: 4
        }
    }
}

extension VideoFormat {
    /// Bytes of a raw frame; `nil` for compressed formats.
    public var frameBytes: Int? {
        pixel.isRaw ? Int(rounding: Double(size.pixelCount) * pixel.usualBytes, .up) : nil
    }
}
