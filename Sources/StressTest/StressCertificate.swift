package import FoundationEssentials
internal import MulticamDoctor
package import MulticamMedia
package import MulticamMonitoring
package import MulticamPlan
internal import MulticamSession
internal import MulticamSessionFolder

/// The content of `certificate.json`: the computer and the devices of a stress test, its runs, and their results.
///
/// Times are in nanoseconds since the start of the test. Times in a run's time series are relative to the
/// run's T0. `docs/stress.schema.json` is the JSON Schema.
package struct StressCertificate: Sendable, Equatable, Codable {
    /// The progress of the test.
    package enum Outcome: String, Sendable, Codable {
        /// The test is running or has crashed.
        case running
        case finished
        /// The user stopped the test before it was complete.
        case stopped
    }

    /// The result of a run.
    package enum Verdict: String, Sendable, Codable {
        case held
        case failed
        /// The recording did not start.
        case notRun = "not-run"
    }

    /// The tested computer.
    package struct Machine: Sendable, Equatable, Codable {
        /// The host name.
        package var host: String
        /// The kernel's name and release.
        package var system: String
        /// The processor's model; omitted if the kernel doesn't report it.
        package var processor: String?
        /// Number of logical processors.
        package var processors: Int
        /// Installed memory in bytes; omitted if unknown.
        package var memory_bytes: Int64?
        /// The computer's USB controllers.
        package var controllers: [Controller]

        /// Creates an entry. Each parameter sets the property of the same name.
        package init(
            host: String, system: String, processor: String?, processors: Int, memory_bytes: Int64?,
            controllers: [Controller]
        ) {
            self.host = host
            self.system = system
            self.processor = processor
            self.processors = processors
            self.memory_bytes = memory_bytes
            self.controllers = controllers
        }
    }

    /// One USB controller, with its root hub.
    package struct Controller: Sendable, Equatable, Codable {
        /// The controller's PCI address: `0000:00:14.0`.
        package var name: String
        /// The name of the controller's bus: `usb1`.
        package var bus: String
        /// The bus speed in Mbit/s; omitted if unknown.
        package var megabits: Int?

        /// Creates an entry. Each parameter sets the property of the same name.
        package init(name: String, bus: String, megabits: Int?) {
            self.name = name
            self.bus = bus
            self.megabits = megabits
        }
    }

    /// A tested camera or microphone.
    package struct Device: Sendable, Equatable, Codable {
        /// The role in the profile.
        package var role: String
        /// Kind of device: `camera` or `microphone`.
        package var kind: String
        /// The device's name.
        package var name: String
        /// The device's persistent identity, as text.
        package var identity: String
        /// The selector for the device.
        package var selector: String
        /// USB vendor and product IDs, such as `046d:082d`; omitted if the device doesn't have these IDs.
        package var product: String?
        /// The device's release number (bcdDevice), which most vendors increase with each firmware version.
        package var firmware: String?
        /// The controller that the device is connected to; omitted if unknown.
        package var controller: String?
        /// The speed of the device's connection in Mbit/s; omitted if unknown.
        package var megabits: Int?
        /// The camera formats that were available for testing; empty for a microphone.
        package var formats: [String]

        /// Creates an entry. Each parameter sets the property of the same name.
        package init(
            role: String, kind: String, name: String, identity: String, selector: String, product: String?,
            firmware: String?, controller: String?, megabits: Int?, formats: [String]
        ) {
            self.role = role
            self.kind = kind
            self.name = name
            self.identity = identity
            self.selector = selector
            self.product = product
            self.firmware = firmware
            self.controller = controller
            self.megabits = megabits
            self.formats = formats
        }
    }

    /// The tests that the user requested.
    package struct RequestedTests: Sendable, Equatable, Codable {
        /// The kinds of tests, in execution order.
        package var runs: [StressKind]
        /// Duration of each set run and each climb step, in nanoseconds.
        package var each_ns: Int64
        /// Duration of the soak test in nanoseconds; omitted if no soak test was requested.
        package var soak_ns: Int64?
        /// Maximum fraction of frames that a track may lose, lost ÷ (captured + lost), 0…1.
        package var lost_limit: Double

        /// Creates an entry. Each parameter sets the property of the same name.
        package init(runs: [StressKind], each_ns: Int64, soak_ns: Int64?, lost_limit: Double) {
            self.runs = runs
            self.each_ns = each_ns
            self.soak_ns = soak_ns
            self.lost_limit = lost_limit
        }
    }

    /// The results of testing combinations of cameras.
    package struct Sets: Sendable, Equatable, Codable {
        /// The runs, in execution order.
        package var runs: [Run]
        /// The reasons why some combinations weren't tested, one sentence each.
        package var left_out: [String]

        /// Creates the results of the set runs.
        package init(runs: [Run] = [], omissions: [String] = []) {
            self.runs = runs
            left_out = omissions
        }
    }

    /// The results of the climb, which raises the load step by step.
    package struct Climb: Sendable, Equatable, Codable {
        /// The runs: first the unmodified profile, then the ascending steps.
        package var runs: [Run]
        /// Number of the highest step that passed; omitted if no step passed.
        package var highest: Int?
        /// The step that failed twice and ended the climb; omitted if no step failed.
        package var failure: Failure?

        /// Creates the results of a climb.
        package init(runs: [Run] = []) {
            self.runs = runs
        }
    }

    /// The step of a climb that failed twice, and its cause.
    package struct Failure: Sendable, Equatable, Codable {
        /// The part of the system that limits the load.
        package var cause: StressCause
        /// Number of the step.
        package var step: Int
        /// The change introduced by the step.
        package var change: String
        /// The most important reason for the failure.
        package var sentence: String

        /// Creates an entry. Each parameter sets the property of the same name.
        package init(cause: StressCause, step: Int, change: String, sentence: String) {
            self.cause = cause
            self.step = step
            self.change = change
            self.sentence = sentence
        }
    }

    /// The state of the computer during all runs.
    package struct Environment: Sendable, Equatable, Codable {
        /// The lowest and highest temperature of the hottest thermal zone; omitted if unknown.
        package var temperature: Range?
        /// The highest system pressure; omitted if it wasn't measured.
        package var pressure_peak: PressureLevel?
        /// The monitoring sources that reported no data.
        package var missing: [MissingSource]
    }

    /// A range of temperatures in degrees Celsius.
    package struct Range: Sendable, Equatable, Codable {
        /// The lowest temperature in degrees Celsius.
        package var lowest: Double
        /// The highest temperature in degrees Celsius.
        package var highest: Double

        /// Creates a range from the lowest and the highest temperature.
        package init(_ lowest: Double, _ highest: Double) {
            self.lowest = lowest
            self.highest = highest
        }

        mutating func include(_ other: Range) {
            lowest = min(lowest, other.lowest)
            highest = max(highest, other.highest)
        }
    }

    /// Version of the certificate's file format.
    package var schema = 1
    /// The version of multicam.
    package var multicam: String
    /// The profile's name.
    package var profile: String
    /// Start time of the test: ISO 8601 with nanoseconds and the local UTC offset.
    package var started: String
    /// Duration of the test in nanoseconds.
    package var duration_ns: Int64
    /// The progress of the test.
    package var outcome: Outcome
    /// Whether all runs of the unmodified profile passed; omitted until a result is available.
    package var verdict: Verdict?
    /// The conclusions, one sentence each. The first sentence states the result.
    package var summary: [String]
    /// The tested computer.
    package var machine: Machine
    /// The tested devices.
    package var devices: [Device]
    /// The tests that the user requested.
    package var asked: RequestedTests
    /// The results of the set runs; omitted if no set runs were requested.
    package var sets: Sets?
    /// The results of the climb; omitted if no climb was requested.
    package var climb: Climb?
    /// The soak run; omitted if no soak test was requested.
    package var soak: Run?
    /// The state of the computer during all runs.
    package var environment: Environment
    /// Notes that help the reader interpret the figures, one sentence each.
    package var notes: [String]

    /// Creates the certificate of a new test, without runs and with the outcome `running`.
    package init(
        multicam: String, profile: String, started: String, machine: Machine, devices: [Device],
        asked: RequestedTests,
        notes: [String]
    ) {
        self.multicam = multicam
        self.profile = profile
        self.started = started
        duration_ns = 0
        outcome = .running
        summary = []
        self.machine = machine
        self.devices = devices
        self.asked = asked
        environment = Environment(missing: [])
        self.notes = notes
    }

    /// All runs, in execution order.
    package var runs: [Run] { (sets?.runs ?? []) + (climb?.runs ?? []) + (soak.map { [$0] } ?? []) }
}

extension StressCertificate {
    /// One recording of a stress test: its cameras, the predicted cost, the measurements, and the verdict.
    package struct Run: Sendable, Equatable, Codable {
        /// The run's unique name: `set-03`, `climb-07`, `soak`.
        package var name: String
        /// The kind of test that the run is part of.
        package var kind: StressKind
        /// The grade of a set run, or the change made by a climb step.
        package var title: String
        /// Number of the climb step. A repeated step has the same number as the original step. The value is
        /// `nil` for other kinds of tests.
        package var step: Int?
        /// Whether the run uses the unmodified profile with its own formats and all cameras.
        package var is_profile: Bool
        /// The participating cameras with their formats.
        package var cameras: [Camera]
        /// Start of the run, in nanoseconds since the start of the test.
        package var started_ns: Int64
        /// Recorded time in nanoseconds; 0 if the recording didn't start.
        package var duration_ns: Int64
        /// Whether the run passed.
        package var verdict: Verdict
        /// The limiting part of the system; `nil` if the run passed.
        package var cause: StressCause?
        /// The reasons why the run failed, one sentence each.
        package var reasons: [String]
        /// The losses of each track.
        package var tracks: [Track]
        /// The predicted cost of the plan; `nil` if the run couldn't be planned.
        package var predicted: Predicted?
        /// The measured resource usage of the run; `nil` if the run didn't start.
        package var measured: Measured?
        /// The samples of the run; `nil` if there are fewer than two samples.
        package var course: Course?

        /// Creates a run without a result. The start time is relative to the start of the test.
        package init(
            name: String, kind: StressKind, title: String, step: Int?, isProfile: Bool, cameras: [Camera],
            startedAt: Nanoseconds
        ) {
            self.name = name
            self.kind = kind
            self.title = title
            self.step = step
            is_profile = isProfile
            self.cameras = cameras
            started_ns = startedAt.count
            duration_ns = 0
            verdict = .notRun
            reasons = []
            tracks = []
        }
    }

    /// One camera of a run, with its format.
    package struct Camera: Sendable, Equatable, Codable {
        /// The camera's role.
        package var role: String
        /// The pixel format as in profiles: `mjpeg`.
        package var pixel: String
        /// Width of the frames in pixels.
        package var width: Int
        /// Height of the frames in pixels.
        package var height: Int
        /// Frame rate in frames per second.
        package var rate: Double

        /// Creates an entry from a role and a format.
        package init(_ role: String, _ format: VideoFormat) {
            self.role = role
            pixel = format.pixel.rawValue
            width = format.size.width
            height = format.size.height
            rate = format.rate.perSecond
        }

        /// Number of pixels per second.
        var load: Double { Double(width * height) * rate }
    }

    /// The captured and lost frames or samples of one track.
    package struct Track: Sendable, Equatable, Codable {
        /// The track's name: its role, or `program`.
        package var name: String
        /// The kind of track: `camera`, `microphone`, `program`.
        package var kind: String
        /// Number of captured frames, or of captured samples for a microphone.
        package var captured: Int64
        /// Lost frames by cause. For a microphone, the number of samples that were replaced by silence is stored under
        /// `silence`.
        package var lost: [String: Int64]

        /// Creates an entry. Each parameter sets the property of the same name.
        package init(name: String, kind: String, captured: Int64, lost: [String: Int64]) {
            self.name = name
            self.kind = kind
            self.captured = captured
            self.lost = lost
        }

        /// Total number of lost frames or samples.
        package var lostInAll: Int64 { lost.values.reduce(0, +) }
        /// The fraction of lost frames or samples: lost ÷ (captured + lost), 0…1.
        package var lostShare: Double {
            lostInAll == 0 ? 0 : Double(lostInAll) / Double(max(captured, 0) + lostInAll)
        }
    }

    /// The predicted resource usage of a plan, computed before the run.
    package struct Predicted: Sendable, Equatable, Codable {
        /// The predicted usage of the scarcest resource, which is the largest value of `terms`. A plan with a
        /// value above 1 is expected to fail.
        package var hardware: Double
        /// The predicted usage of each resource.
        package var terms: [Term]
        /// Predicted CPU usage in CPU seconds per second; omitted if the computer's costs are unknown.
        package var processors: Double?
        /// Predicted bytes per second written to the disk.
        package var bytes_per_second: Double

        /// Creates the prediction for a plan from its hardware cost and a computer's costs.
        package init(_ cost: HardwareCost, plan: SessionPlan, costs: CostTable) {
            hardware = cost.total
            terms = cost.terms.map { Term(resource: $0.resource, used: $0.used) }
            processors = PlannedWork(plan).processorTime(by: costs)?.values.reduce(0, +)
            bytes_per_second = plan.bytesPerSecond.values.reduce(0, +)
        }
    }

    /// The predicted usage of one resource.
    package struct Term: Sendable, Equatable, Codable {
        /// The resource's name, for example `cpu`.
        package var resource: String
        /// Utilization of the resource; 1 is full utilization.
        package var used: Double
    }

    /// The measured resource usage of a run, averaged from its first to its last sample.
    package struct Measured: Sendable, Equatable, Codable {
        /// CPU usage in CPU seconds per second, excluding the threads of synthetic devices; omitted in
        /// simulated time.
        package var processors: Double?
        /// CPU usage of the threads of synthetic devices, in CPU seconds per second. These threads share the
        /// processors with multicam.
        package var synthetic_processors: Double?
        /// Bytes per second written to the disk; omitted if the system doesn't report them.
        package var bytes_per_second: Double?
        /// Data rate of the frames delivered by the cameras in bytes per second, excluding USB overhead.
        package var camera_bytes_per_second: Double?
        /// The highest system pressure; omitted if it wasn't measured.
        package var pressure_peak: PressureLevel?
        /// The factors of system pressure, one sentence each.
        package var pressure_causes: [String]
        /// The lowest and highest temperature of the hottest thermal zone, in degrees Celsius.
        package var temperature: Range?
    }

    /// The samples of a run as columns, with one value per element of `at_ns`. Rates are averages since the previous
    /// element.
    package struct Course: Sendable, Equatable, Codable {
        /// Time of each sample, in nanoseconds, relative to T0.
        package var at_ns: [Int64]
        /// The time series of each camera, by role.
        package var cameras: [String: CameraCourse]
        /// System pressure at each sample.
        package var pressure: [PressureLevel]
        /// Temperature of the hottest thermal zone in degrees Celsius; null if the computer doesn't have a
        /// thermal zone.
        package var temperature: [Double?]
        /// CPU usage in CPU seconds per second; null in simulated time.
        package var processors: [Double?]
        /// Bytes per second written to the disk; null if unknown.
        package var bytes_per_second: [Double?]
        /// Free bytes on the disk; null if unknown.
        package var free_bytes: [Int64?]
    }

    /// The samples of one camera, stored as columns.
    package struct CameraCourse: Sendable, Equatable, Codable {
        /// Delivered frames per second.
        package var rate: [Double]
        /// Mean deviation of the time stamps from a constant interval, in microseconds; null if fewer than two frames
        /// arrived.
        package var jitter_us: [Double?]
        /// Number of frames lost since T0, by cause. The cause `computer` counts frames lost after delivery
        /// because they were late or because of the encoder, the disk, or the governor.
        package var lost: [String: [Int]]
    }
}

extension StressCertificate.Camera: CustomStringConvertible {
    /// The camera and its format as text: `desk mjpeg 1280x720 at 30`.
    package var description: String {
        "\(role) \(pixel) \(width)x\(height) at \(FrameRate(rate)?.description ?? "\(rate)")"
    }
}

extension StressCertificate.Verdict {
    /// Whether the run met its requirements.
    package var isPassed: Bool { self == .held }
}

extension StressCertificate {
    /// Derives the verdict, the summary, and the environment from the finished runs.
    ///
    /// - Parameters:
    ///   - outcome: Whether the test is running, finished, or stopped.
    ///   - duration: The time since the start of the test.
    package mutating func conclude(_ outcome: Outcome, duration: Nanoseconds) {
        self.outcome = outcome
        duration_ns = duration.count
        let decisive = runs.filter(\.is_profile)
        let failed = decisive.first { !$0.verdict.isPassed }
        verdict = decisive.isEmpty ? nil : failed == nil ? .held : .failed
        updateEnvironment()
        summary =
            [headline(failed: failed, decisive: decisive), setsSentence, climbSentence, soakSentence]
            .compactMap { $0 } + environmentSentences
        if outcome == .stopped { summary.append("The test was stopped before it was completed.") }
        summary = summary.map { $0.printable(limit: 1000) }
    }

    /// Formats a date for certificates and manifests: ISO 8601 with nanoseconds and the local UTC offset.
    package static func timeStamp(_ date: Date) -> String { Manifest.timeStamp(date) }

    private mutating func updateEnvironment() {
        for run in runs {
            guard let measured = run.measured else { continue }
            if let peak = measured.pressure_peak {
                environment.pressure_peak = max(environment.pressure_peak ?? .nominal, peak)
            }
            if let temperature = measured.temperature {
                environment.temperature?.include(temperature)
                environment.temperature = environment.temperature ?? temperature
            }
        }
    }

    // MARK: Report sentences

    private func headline(failed: Run?, decisive: [Run]) -> String {
        let name = "“\(profile)”"
        if let failed {
            let why = failed.reasons.first ?? "The reason is unknown."
            let what = failed.verdict == .notRun ? "did not start" : "failed"
            return "The profile \(name) \(what). Cause: \(failed.cause?.words ?? "unknown"). \(why)"
        }
        guard let longest = decisive.max(by: { $0.duration_ns < $1.duration_ns }) else {
            return "The test of the profile \(name) is incomplete, so no result is available."
        }
        let count = longest.cameras.count
        let cameras = count == 1 ? "its camera ran" : "all \(count) cameras ran together"
        return
            "The profile \(name) passed: \(cameras) as configured for \(Self.length(longest.duration_ns)), \(lossDescription(longest))."
    }

    private func lossDescription(_ run: Run) -> String {
        let lost = run.tracks.filter { $0.kind != "microphone" }.map(\.lostInAll).reduce(0, +)
        return lost == 0
            ? "and no frames were lost"
            : "and \(lost) \(lost == 1 ? "frame was" : "frames were") lost, within the limit of \(asked.lost_limit * 100) %"
    }

    private var setsSentence: String? {
        guard let sets, !sets.runs.isEmpty else { return nil }
        let held = sets.runs.count { $0.verdict.isPassed }
        let all = sets.runs.count
        if held == all { return "All \(all) tested sets of cameras and formats passed." }
        return "\(held) of \(all) tested sets of cameras and formats passed; \(all - held) failed."
    }

    private var climbSentence: String? {
        guard let climb, climb.runs.contains(where: { $0.step ?? 0 > 0 }) else { return nil }
        let top = climb.runs.last { $0.step == climb.highest && $0.verdict.isPassed }
        let height =
            top.map {
                "the highest formats that passed were \($0.cameras.map(\.description).joined(separator: ", "))"
            }
            ?? "even the lowest formats failed"
        guard let failure = climb.failure else {
            return climb.highest == nil
                ? nil
                : outcome == .finished
                    ? "Ramp-up test: \(height), and no step failed."
                    : "Ramp-up test: \(height) before the test was stopped."
        }
        return
            "Ramp-up test: \(height). Step \(failure.step) (\(failure.change)) failed first. Cause: \(failure.cause.words)."
    }

    private var soakSentence: String? {
        guard let soak else { return nil }
        let length = Self.length(soak.duration_ns)
        switch soak.verdict {
        case .held: return "The soak test passed: it ran for \(length), \(lossDescription(soak))."
        case .failed: return "The soak test failed. Duration: \(length). \(soak.reasons.first ?? "")"
        case .notRun: return "The soak test did not start. \(soak.reasons.first ?? "")"
        }
    }

    private var environmentSentences: [String] {
        var parts: [String] = []
        if let peak = environment.pressure_peak { parts.append("System pressure peaked at \(peak.rawValue)") }
        if let range = environment.temperature {
            parts.append(
                "Temperatures ranged from \(Int(rounding: range.lowest)) to \(Int(rounding: range.highest)) °C"
            )
        }
        return parts.isEmpty ? [] : [parts.joined(separator: ". ") + "."]
    }

    /// Formats a duration in nanoseconds as text: `5 s`, `1:30:00 h`.
    static func length(_ nanoseconds: Int64) -> String {
        let seconds = Int(rounding: Double(nanoseconds) / 1e9)
        guard seconds >= 60 else {
            let tenths = (Double(nanoseconds) / 1e8).rounded() / 10
            return tenths == tenths.rounded() ? "\(Int64(rounding: tenths)) s" : "\(tenths) s"
        }
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return hours > 0
            ? "\(hours):\(minutes.padded(2)):\((seconds % 60).padded(2)) h"
            : "\(minutes):\((seconds % 60).padded(2)) min"
    }
}
