internal import Containers
internal import FoundationEssentials
internal import Media

/// What a phone has stored of a recording: messages as it sends them (`PhoneMessage`), each after its length in four bytes, little endian.
/// Nothing of it is trusted; what is no message ends it.
struct StoredFrames {
    /// A frame, and where it is in the file.
    struct Frame {
        let isKey: Bool
        /// When it was captured, by the phone's clock.
        let captured: Nanoseconds
        fileprivate let offset: Int64
        fileprivate let byteCount: Int
    }

    /// How the phone's clock was related to CLOCK_MONOTONIC.
    private struct Date {
        let at: Nanoseconds
        let offset: Nanoseconds
        let error: Nanoseconds
    }

    /// The format of the frames.
    let format: VideoFormat
    /// Their colours.
    let color: ColorDescription
    /// The frames in the order in which they were encoded.
    private(set) var frames: [Frame] = []
    private var dates: [Date] = []
    private let file: ReadFile

    /// Most frames and dates: more than two days of 120 frames a second.
    private static let most = 24_000_000
    private static let lengths = PhoneMessage.prefix + 1...16 << 20
    private static let longestFormat = 1 << 12
    /// Offsets and errors that no clock has: some thirty years, and an hour.
    private static let plausible = (
        offset: Nanoseconds.seconds(1_000_000_000), error: Nanoseconds.seconds(3600)
    )

    /// Reads what is stored, but for the frames' bytes.
    ///
    /// - Parameter path: Path of the file.
    /// - Throws: `FileError` "open" or "read", also with a sentence when it holds no frames, or nothing tells when they were captured.
    init(_ path: String) throws(FileError) {
        file = try ReadFile(path)
        var told: (format: VideoFormat, color: ColorDescription)?
        var place: Int64 = 0
        while place < file.byteCount, frames.count + dates.count < Self.most {
            let head = try file.read(4 + PhoneMessage.prefix, at: place)
            guard head.count == 4 + PhoneMessage.prefix else { break }
            let length = head.withUnsafeBytes { Int(UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self))) }
            guard Self.lengths.contains(length), place + 4 + Int64(length) <= file.byteCount,
                let message = head.withUnsafeBytes({
                    PhoneMessage(UnsafeRawBufferPointer(rebasing: $0.dropFirst(4)))
                })
            else { break }
            let content = (offset: place + Int64(head.count), count: length - PhoneMessage.prefix)
            switch message.kind {
            case .h264, .jpeg:
                guard message.kind == (told?.format.pixel == .mjpeg ? .jpeg : .h264) else { break }
                frames.append(
                    Frame(
                        isKey: message.isKey, captured: message.time, offset: content.offset,
                        byteCount: content.count))
            case .date:
                guard content.count == 16 else { break }
                let numbers = try file.read(16, at: content.offset)
                if let date = Self.date(numbers, at: message.time) { dates.append(date) }
            case .format where told == nil && content.count <= Self.longestFormat:
                told = Self.format(try file.read(content.count, at: content.offset))
            case .format, .pcm, .stored: break
            }
            place += 4 + Int64(length)
        }
        guard let told, !frames.isEmpty else {
            throw FileError(path: path, operation: "read", detail: "it holds no frames of a phone.")
        }
        guard !dates.isEmpty else {
            throw FileError(
                path: path, operation: "read", detail: "nothing in it tells when its frames were captured.")
        }
        (format, color) = told
        dates.sort { $0.at < $1.at }
    }

    private static func format(_ bytes: [UInt8]) -> (format: VideoFormat, color: ColorDescription)? {
        do {
            let told = try JSONDecoder().decode(PhoneFormat.self, from: Data(bytes))
            return told.video.map { ($0, told.color) }
        } catch {
            return nil
        }
    }

    private static func date(_ bytes: [UInt8], at time: Nanoseconds) -> Date? {
        guard bytes.count == 16 else { return nil }
        let numbers = bytes.withUnsafeBytes { bytes in
            [0, 8].map { Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Int64.self)) }
        }
        guard abs(Double(numbers[0])) * 1000 <= Double(plausible.offset.count),
            (0...plausible.error.count / 1000).contains(numbers[1])
        else { return nil }
        return Date(at: time, offset: .microseconds(numbers[0]), error: .microseconds(numbers[1]))
    }

    /// The largest error of the frames' times.
    var error: Nanoseconds { dates.map(\.error).max() ?? .zero }

    /// When frames were captured, on CLOCK_MONOTONIC, in their order: between two dates along the line through both.
    var times: [ClockTime] {
        var next = 0
        return frames.map { frame in
            // Frames come in order but for a phone that lies, for which any date is as good.
            while next < dates.count, dates[next].at <= frame.captured { next += 1 }
            let (before, after) = (dates[max(0, next - 1)], dates[min(next, dates.count - 1)])
            let span = after.at - before.at
            let way = min(max(frame.captured - before.at, .zero), span)
            let share = span > .zero ? way.inSeconds / span.inSeconds : 0
            let offset = before.offset + .seconds(rounding: (after.offset - before.offset).inSeconds * share)
            return ClockTime(nanoseconds: (frame.captured + offset).count)
        }
    }

    /// The bytes of a frame.
    ///
    /// - Throws: `FileError` "read".
    func bytes(of frame: Frame) throws(FileError) -> SharedBytes {
        SharedBytes(try file.read(frame.byteCount, at: frame.offset))
    }
}
