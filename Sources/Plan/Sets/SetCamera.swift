public import Media
public import Profiles

/// A camera that may be in a set: what it is called, and what it can do.
public struct SetCamera: Sendable, Equatable {
    /// A role, or the node of a camera that plays none.
    public var name: String
    public var selector: String
    public var identity: DeviceIdentity
    /// Of the compressed ones the camera's own frames are kept, raw ones are encoded.
    public var formats: [VideoFormat]
    /// Of a synthetic camera on a synthetic bus.
    public var usb: USBCamera?

    public init(
        name: String, selector: String, identity: DeviceIdentity, formats: [VideoFormat],
        usb: USBCamera? = nil
    ) {
        self.name = name
        self.selector = selector
        self.identity = identity
        self.formats = formats
        self.usb = usb
    }

    /// A camera with those of its formats that people choose between.
    ///
    /// - Parameters:
    ///   - name: A role or a node.
    ///   - device: What was found.
    ///   - pixel: Only such formats; `nil` for any.
    ///   - least: No smaller and no slower ones, unless the camera has no others.
    public init(
        name: String, device: PlannedDevice, pixel: PixelFormat? = nil,
        least: BudgetSettings = BudgetSettings()
    ) {
        let offered: [OfferedFormat]
        switch device.offers {
        case .listed(let formats): offered = formats
        case .whatever(let own, let size, let rate):
            let sizes = size.map { [$0] } ?? Self.usualSizes
            offered = sizes.map {
                OfferedFormat(
                    pixel: own ?? pixel ?? .mjpeg, size: $0,
                    rates: .listed(rate.map { [$0] } ?? Self.usualRates))
            }
        }
        let wanted = offered.filter { pixel == nil || $0.pixel == pixel }
        // Compressed ones where there are any: they are recorded as they come, and take a tenth of the bus.
        let compressed = wanted.filter(\.pixel.isCompressed)
        let all = (compressed.isEmpty ? wanted : compressed).flatMap(Self.formats)
        let fitting = all.filter {
            $0.size.pixelCount >= least.floorSize.pixelCount
                && $0.rate.perSecond >= least.floorRate.perSecond * 0.998
        }
        self.init(
            name: name, selector: device.selector, identity: device.device.identity,
            formats: Self.sorted(fitting.isEmpty ? all : fitting), usb: device.usb)
    }

    private static let usualSizes = [(640, 480), (1280, 720), (1920, 1080)].map {
        FrameSize(width: $0, height: $1)
    }
    private static let usualRates: [FrameRate] = [FrameRate(15), FrameRate(30)]

    private static func formats(of offer: OfferedFormat) -> [VideoFormat] {
        let rates: [FrameRate] =
            switch offer.rates {
            case .listed(let rates): rates
            case .any(let lowest, let highest):
                ([lowest, highest] + usualRates.filter { $0 > lowest && $0 < highest })
            }
        return rates.map { VideoFormat(pixel: offer.pixel, size: offer.size, rate: $0) }
    }

    /// The least first, each size and rate once: of several pixel formats MJPEG, then H.264, whose frames depend on each other.
    private static func sorted(_ formats: [VideoFormat]) -> [VideoFormat] {
        let order: [PixelFormat] = [.mjpeg, .h264, .yuyv, .nv12]
        func rank(_ format: VideoFormat) -> Int { order.firstIndex(of: format.pixel) ?? order.count }
        var seen: Set<VideoFormat> = []
        return formats.sorted {
            ($0.size.pixelCount, $0.rate.perSecond, rank($0)) < (
                $1.size.pixelCount, $1.rate.perSecond, rank($1)
            )
        }.filter { format in
            seen.insert(VideoFormat(pixel: .mjpeg, size: format.size, rate: format.rate)).inserted
        }
    }
}
