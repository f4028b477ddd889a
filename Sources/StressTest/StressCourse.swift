package import MulticamMedia
package import MulticamMonitoring
package import MulticamSessionFolder

/// Stores the samples of a run in bounded memory. As the run gets longer, only every second sample is kept, then every
/// fourth, and so on. Counters remain exact, and the extreme temperatures are stored separately.
package struct StressCourse: Sendable {
    private var samples = TimeSeries<StressSample>()
    private var latest: StressSample?
    /// The first sample that was added.
    private var first: StressSample?
    private var temperature: StressCertificate.Range?

    /// Creates an empty time series.
    package init() {}

    /// Adds a sample. Samples must be added in chronological order.
    package mutating func add(_ sample: StressSample) {
        samples.add(sample, at: sample.time)
        first = first ?? sample
        latest = sample
        if let degrees = sample.temperature?.degrees {
            let range = StressCertificate.Range(degrees, degrees)
            temperature?.include(range)
            temperature = temperature ?? range
        }
    }

    /// Computes the average resource usage of the run, from the first to the last sample.
    ///
    /// - Parameters:
    ///   - pressure: The system pressure measured by the session.
    ///   - writtenBytes: Total size of the files of all tracks at the end; `nil` if unknown.
    ///   - duration: The duration of the recording.
    /// - Returns: The averages for the certificate.
    package func measured(
        pressure: Manifest.Pressure?, writtenBytes: Int64?, duration: Nanoseconds
    ) -> StressCertificate.Measured {
        var measured = StressCertificate.Measured(
            pressure_peak: pressure?.peak, pressure_causes: pressure?.factors.map(\.text) ?? [],
            temperature: temperature)
        // File sizes are used instead of the samples because a file grows by one fragment at a time.
        if let writtenBytes, duration > .zero {
            measured.bytes_per_second = (Double(writtenBytes) / duration.inSeconds).rounded()
        }
        guard let first, let latest, latest.time > first.time else { return measured }
        let seconds = Self.seconds(from: first, to: latest)
        func rate(_ before: Nanoseconds?, _ after: Nanoseconds?) -> Double? {
            before.flatMap { before in after.map { Self.rounded(($0 - before).inSeconds / seconds, 1000) } }
        }
        measured.processors = rate(first.processorTime, latest.processorTime)
        measured.synthetic_processors = rate(first.syntheticTime, latest.syntheticTime)
        let delivered = latest.cameras.map { role, camera in
            Double(camera.bytes - (first.cameras[role]?.bytes ?? 0))
        }
        measured.camera_bytes_per_second = (delivered.reduce(0, +) / seconds).rounded()
        return measured
    }

    /// Arranges the samples as columns for the certificate.
    ///
    /// - Parameter tracks: The tracks with their final losses, by cause.
    /// - Returns: The columns, or `nil` if there are fewer than two samples.
    package func columns(tracks: [StressCertificate.Track]) -> StressCertificate.Course? {
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

    /// Returns the losses of a camera since T0, by cause. Losses of a track that the camera didn't report occurred in
    /// the computer or while the camera was disconnected.
    ///
    /// - Parameters:
    ///   - cameras: The counters of one camera for each sample.
    ///   - final: The final losses of the camera's track. These losses limit the estimate, because the two
    ///     counts are taken a tenth of a second apart, and frames around T0 appear in only one of the counts.
    /// - Returns: One column for each cause of loss that occurred.
    private static func losses(_ cameras: [StressSample.Camera], final: [String: Int64]) -> [String: [Int]] {
        let inComputer = LossCause.allCases.filter { $0.origin == .computer || $0 == .governor }
            .map { Int(final[$0.rawValue] ?? 0) }.reduce(0, +)
        var columns: [String: [Int]] = [:]
        var away = 0
        var computer = 0
        for (index, camera) in cameras.enumerated() {
            let reported = camera.lost.filter { $0.key != .disconnected }
            let rest = max(0, camera.totalLost - reported.values.reduce(0, +))
            if camera.disconnections > 0 || camera.lost[.disconnected] != nil {
                away = max(away, min(rest - computer, Int(final[LossCause.disconnected.rawValue] ?? 0)))
            }
            computer = max(computer, min(rest - away, inComputer))
            var values = Dictionary(uniqueKeysWithValues: reported.map { ($0.key.rawValue, $0.value) })
            values[LossCause.disconnected.rawValue] = away
            values[computerLosses] = computer
            for (cause, value) in values where value > 0 || columns[cause] != nil {
                columns[cause, default: Array(repeating: 0, count: index)].append(value)
            }
        }
        return columns
    }

    /// Name of the column for frames lost after delivery.
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

/// The state of a run at one point in time. The counters start when the devices start, so the difference
/// between two samples gives the values for the time between them.
package struct StressSample: Sendable, Equatable {
    /// The counters of one camera.
    package struct Camera: Sendable, Equatable {
        /// Number of delivered frames.
        package var frames = 0
        /// Total size of all delivered frames in bytes.
        package var bytes: Int64 = 0
        /// Sum of the deviations of all time stamps from a constant interval. Divide this sum by `intervals`
        /// to get the mean deviation.
        package var jitter = Nanoseconds.zero
        /// Number of frame intervals included in `jitter`.
        package var intervals = 0
        /// Number of frames lost before delivery since T0, by cause.
        package var lost: [LossCause: Int] = [:]
        /// Number of disconnections of the camera.
        package var disconnections = 0
        /// Total number of frames that the camera's track lost since T0.
        package var totalLost = 0

        /// Creates counters with the value 0.
        package init() {}
    }

    /// Time of the sample relative to T0.
    package var time: MediaTime
    /// The counters of the cameras, by role.
    package var cameras: [String: Camera]
    /// System pressure; `nil` if it isn't measured.
    package var pressure: PressureLevel?
    /// Temperature of the hottest thermal zone; `nil` if the computer doesn't have a thermal zone.
    package var temperature: Temperature?
    /// CPU time of the process excluding the threads of synthetic devices; `nil` in simulated time.
    package var processorTime: Nanoseconds?
    /// CPU time of the threads of synthetic devices; `nil` in simulated time.
    package var syntheticTime: Nanoseconds?
    /// Free space on the disk; `nil` if unknown.
    package var disk: DiskSpace?
    /// Roles of the cameras with an unreliable clock model.
    package var unlocked: [String]

    /// Creates a sample. Each parameter sets the property of the same name.
    package init(
        time: MediaTime, cameras: [String: Camera], pressure: PressureLevel?, temperature: Temperature?,
        processorTime: Nanoseconds?, syntheticTime: Nanoseconds?, disk: DiskSpace?, unlocked: [String]
    ) {
        self.time = time
        self.cameras = cameras
        self.pressure = pressure
        self.temperature = temperature
        self.processorTime = processorTime
        self.syntheticTime = syntheticTime
        self.disk = disk
        self.unlocked = unlocked
    }
}
