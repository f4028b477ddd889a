/// USB properties of a camera: its route to the controller, and the bandwidth that its stream may reserve.
package struct USBCamera: Sendable, Equatable, Codable {
    /// Bandwidth that a camera reserved while streaming in a particular format.
    package struct MeasuredReservation: Sendable, Equatable, Codable {
        /// Format of the stream.
        package var format: VideoFormat
        /// Number of bytes reserved per service interval.
        package var bytes: Int

        /// Creates an entry from a video format and the number of bytes reserved per service interval.
        package init(format: VideoFormat, bytes: Int) {
            self.format = format
            self.bytes = bytes
        }
    }

    /// Identity of the camera, which stays the same across reconnections.
    package var identity: DeviceIdentity
    /// The speed at which the camera is connected.
    package var speed: USBSpeed
    /// Route from the controller to the camera: each bandwidth domain that the camera uses.
    package var domains: [USBDomain]
    /// Bandwidth reservations of the camera's alternate settings, smallest first. The array is empty if the
    /// camera uses bulk transfers, which don't reserve bandwidth.
    package var settings: [USBReservation]
    /// Bandwidth that the camera reserved in each format in which it has streamed.
    package var learned: [MeasuredReservation]
    /// Whether the camera is synthetic. A synthetic camera doesn't offer raw formats that need more bandwidth
    /// than all of its alternate settings provide. A real camera offers such formats, and the driver uses the
    /// largest alternate setting (`uvc_fixup_video_ctrl`).
    package var isSynthetic: Bool

    /// Creates a camera description and sorts the alternate settings by the number of bytes.
    package init(
        identity: DeviceIdentity, speed: USBSpeed, domains: [USBDomain], settings: [USBReservation],
        learned: [MeasuredReservation] = [], isSynthetic: Bool = false
    ) {
        self.identity = identity
        self.speed = speed
        self.domains = domains
        self.settings = settings.sorted { $0.bytes < $1.bytes }
        self.learned = learned
        self.isSynthetic = isSynthetic
    }

    /// Returns the bandwidth that the camera's stream reserves in a format, and the basis of the figure.
    ///
    /// The kernel's driver queries the camera for its payload size (dwMaxPayloadTransferSize, UVC 1.5, table
    /// 4-75). The driver then selects the smallest alternate setting that provides enough bandwidth
    /// (`uvc_video_start_transfer` in drivers/media/usb/uvc/uvc_video.c). For raw formats, the format
    /// determines the payload size. For compressed formats, the camera chooses the payload size freely, in a
    /// negotiation that programs can't observe. For compressed formats, the result is therefore the previous
    /// reservation, or the smallest alternate setting that provides enough bandwidth for complex frames.
    ///
    /// - Returns: The demand; `nil` if the camera doesn't reserve bandwidth.
    package func demand(in format: VideoFormat) -> USBDemand? {
        guard let most = settings.last else { return nil }
        func demand(_ reservation: USBReservation, _ basis: USBDemand.Basis) -> USBDemand {
            USBDemand(reservation: reservation, basis: basis, maximum: most)
        }
        if let kept = learned.first(where: { $0.format == format }),
            let setting = settings.first(where: { $0.bytes == kept.bytes })
        {
            return demand(setting, .measured)
        }
        let wanted = Self.payload(of: format, at: speed)
        // An alternate setting with longer service intervals has fewer intervals per second.
        let smallest = settings.first { $0.bytes >= wanted * ticks(of: $0) }
        if let smallest { return demand(smallest, format.pixel.isRaw ? .computed : .estimated) }
        guard isSynthetic, format.pixel.isRaw else {
            return demand(most, format.pixel.isRaw ? .computed : .estimated)
        }
        return demand(USBReservation(bytes: wanted), .tooLarge(wanted))
    }

    /// Returns the length of an alternate setting's service interval, as a multiple of 125 µs, or of 1 ms at
    /// full speed.
    private func ticks(of setting: USBReservation) -> Int {
        max(1, speed >= .high ? setting.microframes : setting.microframes / 8)
    }

    /// Returns the number of bytes that a format needs per microframe, or per 1 ms frame at full speed. The
    /// number includes a header of 12 bytes, as in `uvc_fixup_video_ctrl`.
    ///
    /// For MJPEG and H.264, the result is three times the typical size for photographic content in motion
    /// (`typicalBytesPerPixel`). Even complex frames don't exceed this size.
    package static func payload(of format: VideoFormat, at speed: USBSpeed) -> Int {
        let bytes =
            format.pixel.isRaw
            ? Double(format.frameBytes ?? 0)
            : Double(format.size.pixelCount) * format.pixel.typicalBytesPerPixel * 3
        return Int(rounding: bytes * format.rate.perSecond / (speed >= .high ? 8000 : 1000), .up) + 12
    }
}

extension PixelFormat {
    /// Whether the size of a frame in bytes is determined by its width and height. `converted` formats are
    /// excluded because the camera compressed their frames.
    package var isRaw: Bool { !isCompressed && self != .converted }

    /// Number of bytes per pixel. The number is exact for raw formats; for compressed formats, it is a
    /// typical value for photographic content in motion as compressed by cameras (MJPEG at 1080p, H.264 at a
    /// camera's usual rates).
    package var typicalBytesPerPixel: Double {
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
    package var frameBytes: Int? {
        pixel.isRaw ? Int(rounding: Double(size.pixelCount) * pixel.typicalBytesPerPixel, .up) : nil
    }
}

/// USB bandwidth that a camera's stream would reserve, and the basis of the figure.
package struct USBDemand: Sendable, Equatable {
    /// How a bandwidth demand was determined.
    package enum Basis: Sendable, Equatable {
        /// The camera reserved this bandwidth the last time it streamed in this format.
        case measured
        /// The bandwidth was computed from the bytes per second of a raw format.
        case computed
        /// The bandwidth was estimated for a compressed format, because the camera chooses its reservation
        /// only when it starts streaming.
        case estimated
        /// The format needs this many bytes per microframe, more than any of the camera's alternate settings
        /// provides.
        case tooLarge(Int)
    }

    /// Bandwidth that the stream would reserve.
    package let reservation: USBReservation
    /// How the figure in `reservation` was determined.
    package let basis: Basis
    /// The camera's largest reservation. The camera may request this reservation regardless of the data that
    /// it sends.
    package let maximum: USBReservation
}
