/// USB properties of a camera: its route to the controller, and the bandwidth that its stream may reserve.
public struct USBCamera: Sendable, Equatable, Codable {
    /// Bandwidth that a camera reserved while streaming in a particular format.
    public struct Learned: Sendable, Equatable, Codable {
        /// Format of the stream.
        public var format: VideoFormat
        /// Number of bytes reserved per service interval.
        public var bytes: Int

        /// Creates an entry from a format and the bytes reserved per service interval.
        public init(format: VideoFormat, bytes: Int) {
            self.format = format
            self.bytes = bytes
        }
    }

    /// Identity of the camera.
    public var identity: DeviceIdentity
    /// The speed at which the camera is connected.
    public var speed: USBSpeed
    /// Route from the controller to the camera: each bandwidth domain that the camera uses.
    public var domains: [USBDomain]
    /// Reservations of the camera's alternate settings, smallest first. Empty if the camera reserves no bandwidth (bulk
    /// transfers).
    public var settings: [USBReservation]
    /// Bandwidth that the camera reserved in the formats it has streamed in.
    public var learned: [Learned]
    /// Whether the camera is synthetic. A synthetic camera doesn't offer raw formats that exceed all
    /// settings. A real camera offers such formats, and the driver uses the largest setting
    /// (`uvc_fixup_video_ctrl`).
    public var isSynthetic: Bool

    /// Creates a value and sorts the settings by bytes.
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

    /// Returns the bandwidth that the camera's stream reserves in a format, and the basis of this figure.
    ///
    /// The kernel's driver queries the camera for its payload size (dwMaxPayloadTransferSize, UVC 1.5, table
    /// 4-75). The driver then selects the smallest alternate setting with enough bandwidth (`uvc_video_start_transfer`
    /// in drivers/media/usb/uvc/uvc_video.c). For raw formats, the format determines the payload size. For compressed
    /// formats, the camera chooses the size freely, in a negotiation that programs can't observe. In that case, the
    /// result is the previous reservation, or the smallest setting that fits a complex frame.
    ///
    /// - Returns: `nil` if the camera reserves no bandwidth.
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
        // A setting with longer intervals has fewer intervals per second.
        let smallest = settings.first { $0.bytes >= wanted * ticks(of: $0) }
        if let smallest { return demand(smallest, format.pixel.isRaw ? .computed : .assumed) }
        guard isSynthetic, format.pixel.isRaw else {
            return demand(most, format.pixel.isRaw ? .computed : .assumed)
        }
        return demand(USBReservation(bytes: wanted), .tooLarge(wanted))
    }

    /// Returns the length of a setting's interval in base intervals: 125 µs, or 1 ms at full speed.
    private func ticks(of setting: USBReservation) -> Int {
        max(1, speed >= .high ? setting.microframes : setting.microframes / 8)
    }

    /// Returns the bytes that a format needs per microframe, or per 1 ms frame at full speed, with a header of 12
    /// bytes, as `uvc_fixup_video_ctrl` computes it.
    ///
    /// For MJPEG and H.264, the result is three times the size of photographic content in motion (`usualBytes`), which
    /// even complex frames don't exceed.
    public static func payload(of format: VideoFormat, at speed: USBSpeed) -> Int {
        let bytes =
            format.pixel.isRaw
            ? Double(format.frameBytes ?? 0) : Double(format.size.pixelCount) * format.pixel.usualBytes * 3
        return Int(rounding: bytes * format.rate.perSecond / (speed >= .high ? 8000 : 1000), .up) + 12
    }
}

extension PixelFormat {
    /// Whether a frame's size in bytes is determined by its dimensions. `converted` formats are excluded
    /// because the camera compressed their frames.
    public var isRaw: Bool { !isCompressed && self != .converted }

    /// Bytes per pixel: exact for raw formats, otherwise typical values for photographic content in motion as
    /// compressed by cameras (MJPEG at 1080p, H.264 at a camera's usual rates).
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
    /// Size of a raw frame in bytes; `nil` for compressed formats.
    public var frameBytes: Int? {
        pixel.isRaw ? Int(rounding: Double(size.pixelCount) * pixel.usualBytes, .up) : nil
    }
}

/// USB bandwidth that a camera's stream would reserve, and the basis of this figure.
public struct USBDemand: Sendable, Equatable {
    /// Basis of the demand.
    public enum Basis: Sendable, Equatable {
        /// The camera reserved this bandwidth the last time it streamed in this format.
        case learned
        /// The bandwidth was computed from the bytes per second of a raw format.
        case computed
        /// The bandwidth was estimated for a compressed format, because the camera decides when it starts streaming.
        case assumed
        /// The format needs this many bytes per microframe, more than any of the camera's alternate settings provides.
        case tooLarge(Int)
    }

    /// Bandwidth that the stream would reserve.
    public let reservation: USBReservation
    /// Basis of the reservation.
    public let basis: Basis
    /// The camera's largest reservation. The camera may request this reservation regardless of the data that it sends.
    public let most: USBReservation
}
