/// What is taken from the recorder once, for all pages that want it.
enum StreamKey: Hashable, Sendable {
    /// A camera's frames as JPEG, at most so wide, at most so many a second.
    case camera(role: String, width: Int, rate: Int)
    /// The program's composed frames as JPEG.
    case program(width: Int, rate: Int)
    /// The program's H.264, as it is recorded.
    case packets
    /// The aligned audio of a microphone, or of the program.
    case audio(role: String)

    /// Widths of JPEGs. Few, so that pages of different sizes share one.
    private static let widths = [160, 320, 480, 640, 960, 1280, 1920, 3840]

    /// The key of a camera's frames.
    ///
    /// - Parameters:
    ///   - role: The camera's role; `nil` for the program.
    ///   - width: The width that a page needs, in pixels.
    ///   - rate: Frames per second that a page needs.
    /// - Returns: The key, whose width is one of a few.
    static func frames(of role: String?, width: Int, rate: Int) -> StreamKey {
        let width = widths.first { $0 >= width } ?? widths[widths.count - 1]
        let rate = min(max(rate, 1), 60)
        return role.map { .camera(role: $0, width: width, rate: rate) } ?? .program(width: width, rate: rate)
    }

    /// Most pieces that a page may have before it, without having said that it has seen them. Two JPEGs are on their way while a third
    /// is captured; of packets as many as lie between two key frames.
    var window: UInt32 {
        switch self {
        case .camera, .program: 2
        case .packets: 240
        case .audio: 50
        }
    }

    /// Whether a piece replaces those before it.
    var isPicture: Bool {
        switch self {
        case .camera, .program: true
        case .packets, .audio: false
        }
    }
}
