import MulticamMedia

@testable import MulticamEncoding

/// Tests a JPEG from a camera: its markers, its header, and decoding into rectangles as for the program and
/// tracks.
final class CameraFrame: FuzzTarget {
    static let name = "jpeg"
    static let limit = 4096

    /// Larger images are only parsed, because decoding them takes longer without finding more.
    private static let largest = 128
    private let good: CapturedFrame
    private let expected: [UInt8]

    init(folder: String) throws {
        let size = FrameSize(width: 32, height: 16)
        let planes = [UInt8](repeating: 90, count: 512)
        let colors = [UInt8](repeating: 160, count: 128)
        let memory = try JPEGEncoder(quality: 80).encode(
            planes: planes, yStride: 32, u: colors, uStride: 16, v: colors, vStride: 16, size: size,
            chroma: .c420)
        good = Self.frame(memory, size)
        var target = Target(size)
        precondition(target.paint(good, by: FramePainter()), "a good frame is painted")
        expected = target.bytes
    }

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        let memory = SharedBytes(bytes)
        if let markers = bytes.withUnsafeBytes({ JPEGMarkers($0) }) {
            try require(
                (0...65_535).contains(markers.size.width) && (0...65_535).contains(markers.size.height),
                "markers that say \(markers.size)")
            try require(
                (bytes + [0, 0, 0]).withUnsafeBytes { JPEGMarkers($0)?.hasEnd } == markers.hasEnd,
                "bytes behind a JPEG change whether it has an end")
        }
        guard let header = JPEGDecoder().header(of: memory) else { return }
        let size = header.size
        try require(
            (1...16_384).contains(size.width) && (1...16_384).contains(size.height),
            "a header that says \(size)")
        guard size.width <= Self.largest, size.height <= Self.largest else { return }
        let isDamaged = JPEGDecoder.isDamaged(memory)
        try require(JPEGDecoder.isDamaged(memory) == isDamaged, "one JPEG is judged in two ways")
        let frame = Self.frame(memory, size)
        let painter = FramePainter()
        for scale in JPEGScale.allCases {
            var target = Target(scale.scaled(size).even)
            let isWhole = target.paint(frame, by: painter)
            try require(target.isUntouchedAround, "a frame is painted beyond its rectangle")
            try require(isWhole || isDamaged || size.isOdd, "a JPEG that is judged whole is not painted")
        }
        for rotation in [Rotation.quarter, .half] where size.width >= 16 && size.height >= 16 {
            var target = Target(FrameSize(width: 16, height: 24))
            let part = PixelRectangle(x: 2, y: 4, width: size.width & ~7, height: size.height & ~7)
            guard part.x + part.width <= size.width, part.y + part.height <= size.height else { continue }
            _ = target.paint(frame, part: part, rotation: rotation, by: painter)
            try require(target.isUntouchedAround, "a turned frame is painted beyond its rectangle")
        }
        // A damaged frame must not affect the next one.
        var target = Target(good.size)
        try require(target.paint(good, by: painter), "a good frame is refused after another")
        try require(target.bytes == expected, "a good frame is another one after another")
    }

    private static func frame(_ memory: SharedBytes, _ size: FrameSize) -> CapturedFrame {
        CapturedFrame(
            pixel: .mjpeg, size: size, color: .jpeg, capturedAt: ClockTime(nanoseconds: 0), sequence: 0,
            memory: memory)
    }

    /// A 4:2:0 rectangle inside memory whose other parts must stay unchanged.
    private struct Target {
        private static let room = 256
        private static let mark: UInt8 = 0xA5
        private let memory: SharedBytes
        private let planes: Planes
        private let count: Int

        init(_ size: FrameSize) {
            let color = size.width / 2 * (size.height / 2)
            count = size.width * size.height + 2 * color
            memory = SharedBytes([UInt8](repeating: Self.mark, count: count + 2 * Self.room))
            let start = memory.start.assumingMemoryBound(to: UInt8.self) + Self.room
            start.update(repeating: 0, count: count)
            planes = Planes(
                y: start, u: start + size.width * size.height, v: start + size.width * size.height + color,
                yStride: size.width, uStride: size.width / 2, vStride: size.width / 2, size: size,
                horizontalShift: 1, verticalShift: 1)
        }

        var bytes: [UInt8] { Array(memory.bytes[Self.room..<Self.room + count]) }

        var isUntouchedAround: Bool {
            memory.bytes.prefix(Self.room).allSatisfy { $0 == Self.mark }
                && memory.bytes.suffix(Self.room).allSatisfy { $0 == Self.mark }
        }

        mutating func paint(
            _ frame: CapturedFrame, part: PixelRectangle? = nil, rotation: Rotation = .none,
            by painter: FramePainter
        ) -> Bool {
            let whole = PixelRectangle(x: 0, y: 0, width: frame.size.width, height: frame.size.height)
            return painter.paint(frame, part ?? whole, rotation: rotation, into: planes)
        }
    }
}

extension FrameSize {
    /// Composed frames have even dimensions.
    fileprivate var even: FrameSize {
        FrameSize(width: max(2, width & ~1), height: max(2, height & ~1))
    }

    fileprivate var isOdd: Bool { width % 2 != 0 || height % 2 != 0 }
}
