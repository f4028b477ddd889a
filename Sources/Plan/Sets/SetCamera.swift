public import Media
public import Profiles

/// A camera that may be in a set: its name and the formats that it can have.
public struct SetCamera: Sendable, Equatable {
    /// A role, or the node of a camera that plays none.
    public var name: String
    /// The words that select the camera: `/dev/video0`, `virtual:clap`.
    public var selector: String
    /// The camera's identity.
    public var identity: DeviceIdentity
    /// Formats that the camera can have, the least first. Compressed frames are stored as they come, raw ones are encoded.
    public var formats: [VideoFormat]
    /// The bandwidth that a synthetic camera on a synthetic USB bus reserves; `nil` for all other cameras.
    public var usb: USBCamera?

    /// Creates a camera with formats in the given order, the least first.
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

    /// Creates a camera with those of its formats that people choose between.
    ///
    /// - Parameters:
    ///   - name: A role or a node.
    ///   - device: The device that was found.
    ///   - pixel: The only pixel format to consider; `nil` for any.
    ///   - least: The floors below which formats are left out, unless the camera has no others.
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

    /// The formats from the least up, each size and rate once, in MJPEG, else in H.264, whose frames depend on each other.
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
