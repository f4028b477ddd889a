/// One pixel format and size that a camera offers, with the rates it can run at there.
public struct OfferedFormat: Sendable, Hashable, Codable {
    /// The frame rates that a camera offers at one size: drivers list them or give a range.
    public enum Rates: Sendable, Hashable, Codable {
        /// Each rate that is offered.
        case listed([FrameRate])
        /// A range in which every rate is offered.
        case any(from: FrameRate, through: FrameRate)
    }

    /// How the bytes of a frame are to be read.
    public let pixel: PixelFormat
    /// The driver's own name of the format where it says more than `pixel`, for example `S910`; else the word of `pixel`.
    public let nativeName: String
    /// Size of the frames in pixels.
    public let size: FrameSize
    /// The frame rates that are offered at this size.
    public let rates: Rates

    /// Makes a format; without `nativeName` the word of `pixel` is its name.
    public init(pixel: PixelFormat, nativeName: String? = nil, size: FrameSize, rates: Rates) {
        self.pixel = pixel
        self.nativeName = nativeName ?? pixel.rawValue
        self.size = size
        self.rates = rates
    }

    /// Whether the frames are without colour. For formats that have to be converted, the kernel's name decides.
    public var isGrey: Bool {
        pixel == .grey || (pixel == .converted && ["Y04", "Y06", "Y10B", "Y16"].contains(nativeName))
    }

    /// The highest rate that is offered; `nil` when none is.
    public var highestRate: FrameRate? {
        switch rates {
        case .listed(let rates): rates.max()
        case .any(_, let highest): highest
        }
    }

    /// The lowest offered rate that is at least the wanted one, else the highest. `nil` when no rate is offered.
    public func rate(for wanted: FrameRate) -> FrameRate? { rates.rate(for: wanted) }
}

extension OfferedFormat.Rates {
    /// The lowest rate that is at least the wanted one, within 0.2 %, else the highest. `nil` when there is none.
    public func rate(for wanted: FrameRate) -> FrameRate? {
        switch self {
        case .listed(let rates):
            // Cameras say 30 for 29.97 and the other way round: within 0.2 % it is the same rate.
            rates.filter { $0.perSecond >= wanted.perSecond * 0.998 }.min() ?? rates.max()
        case .any(let lowest, let highest):
            min(max(wanted, lowest), highest)
        }
    }
}

extension [OfferedFormat] {
    /// The formats with the smallest frames first; those of one size stay in their order.
    var byIncreasingSize: Self {
        enumerated().sorted { one, other in
            let (size, otherSize) = (one.element.size, other.element.size)
            return (size.pixelCount, size.width, one.offset)
                < (otherSize.pixelCount, otherSize.width, other.offset)
        }.map(\.element)
    }
}

extension OfferedFormat: CustomStringConvertible {
    /// The format as a person reads it: `mjpeg 1280x720 at 30/15`.
    public var description: String {
        switch rates {
        case .listed(let rates):
            "\(nativeName) \(size) at \(rates.sorted(by: >).map(\.description).joined(separator: "/"))"
        case .any(let lowest, let highest):
            "\(nativeName) \(size) at \(lowest)–\(highest)"
        }
    }
}
