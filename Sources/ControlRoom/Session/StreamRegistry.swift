internal import MulticamMedia
internal import MulticamSessionFolder

/// The recorder's streams in use, each subscribed once for all its viewers. Used only on the web loop's thread.
final class StreamRegistry {
    private let recorder: RecorderConnection
    private var sources: [StreamKey: StreamSource] = [:]
    private var setups: [StreamKey: StreamSetup] = [:]
    private var levels = LevelTracker()
    /// The program's packets since the last key frame. A page that opens uses these packets to show the program
    /// immediately.
    private(set) var groupOfPictures: [StreamPiece] = []

    private static let longestGroup = 600
    /// Maximum number of streams in use. The recorder has 32 slots for viewers, and other programs need some
    /// of them.
    private static let maxStreams = 20

    init(_ recorder: RecorderConnection) { self.recorder = recorder }

    /// Opens the streams that are watched, and closes all other streams.
    ///
    /// - Parameter groups: The streams that are watched. If too many streams are watched, earlier groups take
    ///   precedence. Within a group, streams that are already open take precedence.
    /// - Returns: The streams that are watched but couldn't be opened.
    func updateSubscriptions(_ groups: [Set<StreamKey>]) -> Set<StreamKey> {
        var wanted: Set<StreamKey> = []
        for group in groups {
            let open = group.filter { sources[$0] != nil }
            for key in Array(open) + Array(group.subtracting(open)) where wanted.count < Self.maxStreams {
                wanted.insert(key)
            }
        }
        subscribe(to: wanted)
        return groups.reduce(into: Set()) { $0.formUnion($1) }.subtracting(wanted)
    }

    /// Message for a stream that exceeds the maximum number of streams.
    static let refusal =
        "The limit of \(maxStreams) preview streams has been reached. Close a page, or choose a size that is already shown. Streams with the same camera, size, and rate count as one."

    private func subscribe(to wanted: Set<StreamKey>) {
        for key in sources.keys where !wanted.contains(key) {
            recorder.unsubscribe(from: key)
            sources[key] = nil
            setups[key] = nil
            if key == .packets { groupOfPictures = [] }
            if case .audio(let role) = key { levels.remove(role) }
        }
        for key in wanted where sources[key] == nil { sources[key] = recorder.subscribe(to: key) }
    }

    /// Dequeues the pieces that have arrived for a stream, oldest first.
    func dequeue(_ key: StreamKey) -> [StreamPiece] {
        let pieces = sources[key]?.drain() ?? []
        for piece in pieces {
            if let setup = piece.setup, setup != setups[key] { setups[key] = setup }
            if key == .packets { updateGroupOfPictures(with: piece) }
            if case .audio(let role) = key {
                levels.add(piece, of: role, channels: max(setups[key]?.channels ?? 1, 1))
            }
        }
        return pieces
    }

    /// Returns the latest setup of a stream.
    func setup(of key: StreamKey) -> StreamSetup? { setups[key] }

    /// Drops the buffered packets when a recording starts or ends, because the next packets don't continue
    /// them.
    func clearGroupOfPictures() { groupOfPictures = [] }

    /// Drops all state because the recorder has ended.
    func reset() { (groupOfPictures, setups) = ([], [:]) }

    /// Returns the current levels as a message, and resets the peaks.
    func makeLevelsMessage() -> [String: JSONValue] {
        [
            "type": "levels", "at_ns": .integer(MonotonicClock().now.nanoseconds),
            "levels": .object(levels.drainLevels()),
        ]
    }

    private func updateGroupOfPictures(with piece: StreamPiece) {
        if piece.isKey { groupOfPictures = [] }
        if groupOfPictures.count < Self.longestGroup { groupOfPictures.append(piece) }
    }
}

/// Levels of the microphones and the mix, computed from their samples: the peak of the last 50 ms, and the RMS of the
/// last 300 ms. A value type owned by the web loop.
struct LevelTracker {
    private struct Meter {
        var peaks: [Float] = []
        /// Sums of squares of the latest slices, per channel, newest last.
        var squares: [[Float]] = []
        var counts: [Int] = []
    }

    private var meters: [String: Meter] = [:]

    /// Length of the RMS window in samples per channel, at 48 kHz.
    private static let window = 48_000 * 3 / 10

    /// Adds an audio slice.
    ///
    /// - Parameters:
    ///   - piece: Interleaved 16-bit samples.
    ///   - role: The microphone's role, or `program`.
    ///   - channels: Number of channels, at least 1.
    mutating func add(_ piece: StreamPiece, of role: String, channels: Int) {
        var meter = meters[role] ?? Meter()
        if meter.peaks.count != channels { meter = Meter(peaks: Array(repeating: 0, count: channels)) }
        var squares = Array(repeating: Float(0), count: channels)
        let count = piece.bytes.count / 2 / channels
        for index in 0..<count * channels {
            let sample = piece.bytes.bytes.loadUnaligned(fromByteOffset: index * 2, as: Int16.self)
            let value = Float(Int16(littleEndian: sample)) / 32_767
            let channel = index % channels
            meter.peaks[channel] = max(meter.peaks[channel], abs(value))
            squares[channel] += value * value
        }
        meter.squares.append(squares)
        meter.counts.append(count)
        while meter.counts.reduce(0, +) - (meter.counts.first ?? 0) >= Self.window {
            meter.squares.removeFirst()
            meter.counts.removeFirst()
        }
        meters[role] = meter
    }

    /// Returns the current levels as fields of a message, and resets the peaks.
    mutating func drainLevels() -> [String: JSONValue] {
        var levels: [String: JSONValue] = [:]
        for (role, meter) in meters {
            let count = Float(max(meter.counts.reduce(0, +), 1))
            let means = meter.peaks.indices.map { channel in
                Self.rounded((meter.squares.reduce(0) { $0 + $1[channel] } / count).squareRoot())
            }
            levels[role] = .object(["peak": .array(meter.peaks.map(Self.rounded)), "rms": .array(means)])
            meters[role]?.peaks = meter.peaks.map { _ in 0 }
        }
        return levels
    }

    /// Removes a microphone.
    mutating func remove(_ role: String) { meters[role] = nil }

    private static func rounded(_ value: Float) -> JSONValue {
        .number((Double(value) * 100_000).rounded() / 100_000)
    }
}
