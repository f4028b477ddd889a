public import Media
internal import Monitoring
public import SessionFolder

/// Keeps the samples of a run in bounded memory: as the run gets longer, only every second sample, then every fourth, and so on.
/// Counters lose nothing by that, and the temperature's extremes are kept separately.
public struct StressCourse: Sendable {
    private var samples = Course<StressSample>()
    private var latest: StressSample?
    /// The first sample that was added.
    private var first: StressSample?
    private var temperature: StressCertificate.Range?

    /// Creates a course without samples.
    public init() {}

    /// Adds a sample; samples must come in the order of their times.
    public mutating func add(_ sample: StressSample) {
        samples.add(sample, at: sample.time)
        first = first ?? sample
        latest = sample
        if let degrees = sample.temperature?.degrees {
            let range = StressCertificate.Range(degrees, degrees)
            temperature?.include(range)
            temperature = temperature ?? range
        }
    }

    /// The last sample that was added; `nil` before the first.
    public var last: StressSample? { latest }

    /// Computes what the run took on average, from the first to the last sample.
    ///
    /// - Parameters:
    ///   - pressure: The system pressure that the session found.
    ///   - writtenBytes: The bytes in the files of all tracks at the end; `nil` when unknown.
    ///   - duration: The duration of the recording.
    /// - Returns: The averages for the certificate.
    public func measured(
        pressure: Manifest.Pressure?, writtenBytes: Int64?, duration: Nanoseconds
    ) -> StressCertificate.Measured {
        var measured = StressCertificate.Measured(
            pressure_peak: pressure?.peak, pressure_causes: pressure?.factors.map(\.text) ?? [],
            temperature: temperature)
        // The files count rather than the samples, because a file grows by one fragment at a time.
        if let writtenBytes, duration > .zero {
            measured.bytes_per_second = (Double(writtenBytes) / duration.inSeconds).rounded()
        }
        guard let first, let latest, latest.time > first.time else { return measured }
        let seconds = Self.seconds(from: first, to: latest)
        func rate(_ before: Nanoseconds?, _ after: Nanoseconds?) -> Double? {
            before.flatMap { before in after.map { Self.rounded(($0 - before).inSeconds / seconds, 1000) } }
        }
        measured.processors = rate(first.processorTime, latest.processorTime)
        measured.made_up_processors = rate(first.syntheticTime, latest.syntheticTime)
        let delivered = latest.cameras.map { role, camera in
            Double(camera.bytes - (first.cameras[role]?.bytes ?? 0))
        }
        measured.camera_bytes_per_second = (delivered.reduce(0, +) / seconds).rounded()
        return measured
    }

    /// Arranges the samples as columns for the certificate.
    ///
    /// - Parameter tracks: The tracks with their final losses, by cause.
    /// - Returns: `nil` when there are fewer than two samples.
    public func columns(tracks: [StressCertificate.Track]) -> StressCertificate.Course? {
        var kept = samples.points.map(\.value)
        if let latest, kept.last?.time != latest.time { kept.append(latest) }
        guard kept.count > 1 else { return nil }
        let pairs = Array(zip(kept, kept.dropFirst()))
        let roles = latest?.cameras.keys.sorted() ?? []
        return StressCertificate.Course(
            at_ns: pairs.map { $1.time.nanoseconds },
            cameras: Dictionary(uniqueKeysWithValues: roles.map { ($0, Self.course(of: $0, pairs, tracks)) }),
            pressure: pairs.map { $1.pressure ?? .nominal },
            temperature: pairs.map { $1.temperature?.degrees },
            processors: pairs.map { before, after in
                guard let from = before.processorTime, let to = after.processorTime else { return nil }
                return Self.rounded((to - from).inSeconds / Self.seconds(from: before, to: after), 1000)
            },
            bytes_per_second: pairs.map { Self.bytes(from: $0, to: $1) },
            free_bytes: pairs.map { $1.disk?.freeBytes })
    }

    private static func course(
        of role: String, _ pairs: [(StressSample, StressSample)], _ tracks: [StressCertificate.Track]
    ) -> StressCertificate.CameraCourse {
        let before = pairs.map { $0.0.cameras[role] ?? StressSample.Camera() }
        let after = pairs.map { $0.1.cameras[role] ?? StressSample.Camera() }
        let seconds = pairs.map { Self.seconds(from: $0, to: $1) }
        let rates = pairs.indices.map {
            rounded(Double(after[$0].frames - before[$0].frames) / seconds[$0], 100)
        }
        let jitters: [Double?] = pairs.indices.map { index in
            let count = after[index].intervals - before[index].intervals
            let sum = after[index].jitter - before[index].jitter
            return count > 0 ? rounded(Double(sum.count) / 1000 / Double(count), 10) : nil
        }
        let final = tracks.first { $0.name == role && $0.kind == "camera" }?.lost ?? [:]
        return StressCertificate.CameraCourse(
            rate: rates, jitter_us: jitters, lost: losses(after, final: final))
    }

    /// The losses of a camera since T0, by cause. What its track lost beyond what the camera reported was lost while the camera
    /// was away, or in the computer.
    ///
    /// - Parameters:
    ///   - cameras: One camera's counters, sample by sample.
    ///   - final: The final losses of its track. They bound the estimate, because the two counts are taken a tenth of a second
    ///     apart, and frames around T0 appear in one of them only.
    /// - Returns: A column for each cause that occurs.
    private static func losses(_ cameras: [StressSample.Camera], final: [String: Int64]) -> [String: [Int]] {
        let inComputer = [LossCause.late, .encoder, .disk, .governor].map { Int(final[$0.rawValue] ?? 0) }
            .reduce(0, +)
        var columns: [String: [Int]] = [:]
        var away = 0
        var computer = 0
        for (index, camera) in cameras.enumerated() {
            let told = camera.lost.filter { $0.key != .away }
            let rest = max(0, camera.lostInAll - told.values.reduce(0, +))
            if camera.absences > 0 || camera.lost[.away] != nil {
                away = max(away, min(rest - computer, Int(final[LossCause.away.rawValue] ?? 0)))
            }
            computer = max(computer, min(rest - away, inComputer))
            var values = Dictionary(uniqueKeysWithValues: told.map { ($0.key.rawValue, $0.value) })
            values[LossCause.away.rawValue] = away
            values[computerLosses] = computer
            for (cause, value) in values where value > 0 || columns[cause] != nil {
                columns[cause, default: Array(repeating: 0, count: index)].append(value)
            }
        }
        return columns
    }

    /// The name of the column of frames lost after their delivery.
    static let computerLosses = "computer"

    private static func seconds(from before: StressSample, to after: StressSample) -> Double {
        max(Double(after.time.nanoseconds - before.time.nanoseconds) / 1e9, 1e-3)
    }

    private static func bytes(from before: StressSample, to after: StressSample) -> Double? {
        guard let from = before.disk?.recordedBytes, let to = after.disk?.recordedBytes else { return nil }
        return (Double(to - from) / seconds(from: before, to: after)).rounded()
    }

    private static func rounded(_ value: Double, _ parts: Double) -> Double {
        (value * parts).rounded() / parts
    }
}
