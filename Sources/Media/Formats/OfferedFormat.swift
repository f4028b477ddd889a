/// One pixel format and size that a camera offers, with the rates it can run at there.
public struct OfferedFormat: Sendable, Hashable, Codable {
    /// Rates at one size: drivers list them or give a range.
    public enum Rates: Sendable, Hashable, Codable {
        case listed([FrameRate])
        case any(from: FrameRate, through: FrameRate)
    }

    public let pixel: PixelFormat
    /// The driver's own name of the format where it says more than `pixel`, for example `S910`; else the same word.
    public let nativeName: String
    public let size: FrameSize
    public let rates: Rates

    public init(pixel: PixelFormat, nativeName: String? = nil, size: FrameSize, rates: Rates) {
        self.pixel = pixel
        self.nativeName = nativeName ?? pixel.rawValue
        self.size = size
        self.rates = rates
    }

    /// Whether its frames are without colour. Of formats that have to be converted the kernel's names tell.
    public var isGrey: Bool {
        pixel == .grey || (pixel == .converted && ["Y04", "Y06", "Y10B", "Y16"].contains(nativeName))
    }

    public var highestRate: FrameRate? {
        switch rates {
        case .listed(let rates): rates.max()
        case .any(_, let highest): highest
        }
    }

    /// The offered rate nearest above the wanted one, else the highest. `nil` when no rate is offered.
    public func rate(for wanted: FrameRate) -> FrameRate? { rates.rate(for: wanted) }
}

extension OfferedFormat.Rates {
    /// The rate nearest above the wanted one, else the highest. `nil` when there is none.
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
    /// The smallest frames first; those of one size stay in their order.
    var byIncreasingSize: Self {
        enumerated().sorted { one, other in
            let (size, otherSize) = (one.element.size, other.element.size)
            return (size.pixelCount, size.width, one.offset)
                < (otherSize.pixelCount, otherSize.width, other.offset)
        }.map(\.element)
    }
}

extension OfferedFormat: CustomStringConvertible {
    public var description: String {
        switch rates {
        case .listed(let rates):
            "\(nativeName) \(size) at \(rates.sorted(by: >).map(\.description).joined(separator: "/"))"
        case .any(let lowest, let highest):
            "\(nativeName) \(size) at \(lowest)–\(highest)"
        }
    }
}
