package import MulticamMedia

/// The formats that can be tested for a camera, sorted by size.
package struct StressOffer: Sendable, Equatable {
    /// One pixel format and size of a camera, with the frame rates that it supports.
    package struct Mode: Sendable, Equatable {
        /// The pixel format of the mode.
        package let pixel: PixelFormat
        /// The frame size, width × height in pixels.
        package let size: FrameSize
        /// The frame rates in ascending order. The list contains at least one rate.
        package let rates: [FrameRate]

        /// Returns the format with the lowest rate that is not below the requested rate, or with the highest
        /// rate if all rates are below it. A rate of 29.97 counts as 30.
        func format(near wanted: FrameRate) -> VideoFormat {
            let rate = rates.first { $0.perSecond >= wanted.perSecond * 0.998 } ?? rates[rates.count - 1]
            return VideoFormat(pixel: pixel, size: size, rate: rate)
        }
    }

    /// The camera's role.
    package let role: String
    /// The format that the profile requests.
    package let requested: VideoFormat
    /// The modes in ascending order of their pixel count. Each combination of pixel format and size occurs only once.
    package let modes: [Mode]

    /// The frame sizes to test for synthetic cameras.
    package static let syntheticSizes = [
        FrameSize(width: 320, height: 180), FrameSize(width: 640, height: 480),
        FrameSize(width: 1280, height: 720), FrameSize(width: 1920, height: 1080),
        FrameSize(width: 2560, height: 1440), FrameSize(width: 3840, height: 2160),
    ]
    /// The frame rates to test for synthetic cameras.
    package static let syntheticRates: [FrameRate] = [FrameRate(15), FrameRate(30), FrameRate(60)]
    /// The rates to test for a camera that supports any rate within a range.
    private static let usualRates: [FrameRate] = [15, 20, 25, 30, 50, 60, 90, 120].map {
        FrameRate(Int64($0), per: 1)
    }

    /// Collects the modes of a camera.
    ///
    /// - Parameters:
    ///   - role: The camera's role.
    ///   - requested: The format that the profile requests.
    ///   - formats: The formats that the camera offers. Formats without a rate are omitted. Formats that differ only in
    ///     their rates are merged.
    package init(role: String, requested: VideoFormat, formats: [OfferedFormat]) {
        self.role = role
        self.requested = requested
        var modes: [Mode] = []
        for format in formats {
            let rates = Self.rates(of: format)
            guard !rates.isEmpty else { continue }
            guard let index = modes.firstIndex(where: { $0.pixel == format.pixel && $0.size == format.size })
            else {
                modes.append(Mode(pixel: format.pixel, size: format.size, rates: rates))
                continue
            }
            let all = Set(modes[index].rates).union(rates).sorted()
            modes[index] = Mode(pixel: format.pixel, size: format.size, rates: all)
        }
        self.modes = modes.sorted { $0.size.pixelCount < $1.size.pixelCount }
    }

    private static func rates(of format: OfferedFormat) -> [FrameRate] {
        switch format.rates {
        case .listed(let rates): return rates.sorted()
        case .any(let lowest, let highest):
            let between = usualRates.filter { $0 > lowest && $0 < highest }
            return lowest == highest ? [lowest] : [lowest] + between + [highest]
        }
    }

    /// Returns the modes with compressed frames or with raw frames. Only modes in the most preferred pixel format are
    /// returned, sorted by size.
    func modes(compressed: Bool) -> [Mode] {
        let order: [PixelFormat] =
            compressed ? [.mjpeg, .h264] : [.yuyv, .nv12, .uyvy, .i420, .i422, .bgra, .converted, .grey]
        guard let pixel = order.first(where: { pixel in modes.contains { $0.pixel == pixel } }) else {
            return []
        }
        return modes.filter { $0.pixel == pixel }
    }
}
