/// A camera as far as its USB is concerned: its way to the controller, and what its stream may keep of it.
public struct USBCamera: Sendable, Equatable, Codable {
    /// What was kept in a format.
    public struct Learned: Sendable, Equatable, Codable {
        public var format: VideoFormat
        /// Of one turn.
        public var bytes: Int

        public init(format: VideoFormat, bytes: Int) {
            self.format = format
            self.bytes = bytes
        }
    }

    public var identity: DeviceIdentity
    /// At which it talks.
    public var speed: USBSpeed
    /// From the controller to the camera.
    public var domains: [USBDomain]
    /// What its alternate settings keep, the smallest first. Empty where it keeps nothing (bulk).
    public var settings: [USBReservation]
    public var learned: [Learned]
    /// Whether no such format exists where no setting carries it. Of a real camera, which offers it, the driver takes the
    /// largest setting (`uvc_fixup_video_ctrl`).
    public var isSynthetic: Bool

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

    /// What its stream keeps in a format.
    ///
    /// The kernel's driver asks the camera how large its payloads become (dwMaxPayloadTransferSize, UVC 1.5, table 4-75) and
    /// takes the smallest alternate setting that carries them (`uvc_video_start_transfer` in drivers/media/usb/uvc/uvc_video.c),
    /// for raw formats too, of which the answer follows from the format. Of compressed ones the camera says what it likes, in a
    /// negotiation that no program sees: what it kept last time counts, else the smallest setting that carries a busy frame.
    ///
    /// - Returns: `nil` where it keeps nothing.
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

    /// Service intervals of 125 µs, at full speed of 1 ms, from one turn to the next.
    private func ticks(of setting: USBReservation) -> Int {
        max(1, speed >= .high ? setting.microframes : setting.microframes / 8)
    }

    /// Bytes of one microframe, at full speed of one frame, with a header of 12 bytes: as `uvc_fixup_video_ctrl` reckons.
    ///
    /// Of MJPEG and H.264 three times what photographs in motion take (`usualBytes`), which no busy frame exceeds.
    public static func payload(of format: VideoFormat, at speed: USBSpeed) -> Int {
        let bytes =
            format.pixel.isRaw
            ? Double(format.frameBytes ?? 0) : Double(format.size.pixelCount) * format.pixel.usualBytes * 3
        return Int(rounding: bytes * format.rate.perSecond / (speed >= .high ? 8000 : 1000), .up) + 12
    }
}

extension PixelFormat {
    /// Whether a frame's bytes follow from its size. What libv4lconvert turns into pixels came compressed.
    public var isRaw: Bool { !isCompressed && self != .converted }

    /// Of a pixel of photographs in motion as cameras compress them: MJPEG at 1080p, H.264 at a camera's usual rates.
    /// Raw formats exactly.
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
    /// Of a raw frame; `nil` for compressed formats.
    public var frameBytes: Int? {
        pixel.isRaw ? Int(rounding: Double(size.pixelCount) * pixel.usualBytes, .up) : nil
    }
}
