/// Frame sizes that have a name. A camera has those that one of its formats has.
public enum SizePreset: String, Sendable, Hashable, Codable, CaseIterable {
    case vga, hd720, hd1080, uhd4k

    public var size: FrameSize {
        switch self {
        case .vga: FrameSize(width: 640, height: 480)
        case .hd720: FrameSize(width: 1280, height: 720)
        case .hd1080: FrameSize(width: 1920, height: 1080)
        case .uhd4k: FrameSize(width: 3840, height: 2160)
        }
    }

    /// `nil` for a size without a name.
    public init?(_ size: FrameSize) {
        guard let preset = Self.allCases.first(where: { $0.size == size }) else { return nil }
        self = preset
    }

    /// Those that some formats have, by increasing size.
    public static func offered(by formats: [OfferedFormat]) -> [Self] {
        allCases.filter { preset in formats.contains { $0.size == preset.size } }
    }
}
