public import Media

/// What a camera can be stressed with: each pixel format and size once, with its rates in ascending order.
public struct StressOffer: Sendable, Equatable {
    public struct Mode: Sendable, Equatable {
        public let pixel: PixelFormat
        public let size: FrameSize
        /// Ascending, at least one.
        public let rates: [FrameRate]

        /// The rate nearest above the wanted one, else the highest. Cameras say 30 for 29.97.
        func format(near wanted: FrameRate) -> VideoFormat {
            let rate = rates.first { $0.perSecond >= wanted.perSecond * 0.998 } ?? rates[rates.count - 1]
            return VideoFormat(pixel: pixel, size: size, rate: rate)
        }
    }

    public let role: String
    /// What the profile asks of it.
    public let asked: VideoFormat
    public let modes: [Mode]

    /// The sizes and rates at which synthetic cameras are tried.
    public static let syntheticSizes = [
        FrameSize(width: 320, height: 180), FrameSize(width: 640, height: 480),
        FrameSize(width: 1280, height: 720), FrameSize(width: 1920, height: 1080),
        FrameSize(width: 2560, height: 1440), FrameSize(width: 3840, height: 2160),
    ]
    public static let syntheticRates: [FrameRate] = [FrameRate(15), FrameRate(30), FrameRate(60)]
    /// Of a camera with any rate between two.
    private static let usualRates: [FrameRate] = [15, 20, 25, 30, 50, 60, 90, 120].map {
        FrameRate(Int64($0), per: 1)
    }

    /// - Parameters:
    ///   - role: The camera's.
    ///   - asked: What the profile asks of it.
    ///   - formats: All that it offers; those without a rate are left out, those there twice are one with the rates of both.
    public init(role: String, asked: VideoFormat, formats: [OfferedFormat]) {
        self.role = role
        self.asked = asked
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

    /// Modes whose frames come compressed or not, of the pixel format that is preferred among them; by size.
    func modes(compressed: Bool) -> [Mode] {
        let order: [PixelFormat] =
            compressed ? [.mjpeg, .h264] : [.yuyv, .nv12, .uyvy, .i420, .i422, .bgra, .converted, .grey]
        guard let pixel = order.first(where: { pixel in modes.contains { $0.pixel == pixel } }) else {
            return []
        }
        return modes.filter { $0.pixel == pixel }
    }
}
