internal import Media
internal import SessionFolder

/// Levels of microphones and the mix from their samples: the peak of the last 50 ms, the root mean square of the last 300 ms. A value
/// of the web loop.
struct LevelBoard {
    private struct Meter {
        var peaks: [Float] = []
        /// Sums of squares of the last slices, for each channel, the newest last.
        var squares: [[Float]] = []
        var counts: [Int] = []
    }

    private var meters: [String: Meter] = [:]

    /// Samples of a channel over which the root mean square is taken, at 48 kHz.
    private static let window = 48_000 * 3 / 10

    /// Takes a slice.
    ///
    /// - Parameters:
    ///   - piece: 16 bits a sample, interleaved.
    ///   - role: The microphone's role, or `program`.
    ///   - channels: Its channels, at least 1.
    mutating func take(_ piece: StreamPiece, of role: String, channels: Int) {
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

    /// The levels now, as the fields of a message; peaks begin anew.
    mutating func tell() -> [String: JSONValue] {
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

    /// Forgets a microphone that is gone.
    mutating func forget(_ role: String) { meters[role] = nil }

    private static func rounded(_ value: Float) -> JSONValue {
        .number((Double(value) * 100_000).rounded() / 100_000)
    }
}
