/// A frame size that has a name. A camera has the presets whose sizes one of its formats has.
public enum SizePreset: String, Sendable, Hashable, Codable, CaseIterable {
    case vga, hd720, hd1080, uhd4k

    /// The size in pixels, for example 1280 × 720 for `hd720`.
    public var size: FrameSize {
        switch self {
        case .vga: FrameSize(width: 640, height: 480)
        case .hd720: FrameSize(width: 1280, height: 720)
        case .hd1080: FrameSize(width: 1920, height: 1080)
        case .uhd4k: FrameSize(width: 3840, height: 2160)
        }
    }

    /// The preset of a size; `nil` for a size without a name.
    public init?(_ size: FrameSize) {
        guard let preset = Self.allCases.first(where: { $0.size == size }) else { return nil }
        self = preset
    }

    /// The presets whose sizes some formats have, by increasing size.
    public static func offered(by formats: [OfferedFormat]) -> [Self] {
        allCases.filter { preset in formats.contains { $0.size == preset.size } }
    }
}
