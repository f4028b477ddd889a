internal import FoundationEssentials
internal import Glibc
package import MulticamInputs
package import MulticamMedia
internal import MulticamMonitoring
internal import MulticamPlan
internal import MulticamProfiles
package import MulticamSession
internal import MulticamSessionFolder
package import MulticamSetup
internal import MulticamSystem

/// Tests the limits of several cameras: which combinations run together, what fails first under increasing load, and
/// whether a recording remains stable for a long time.
///
/// ```swift
/// let test = try StressTest(request, StressOptions(kinds: [.sets, .climb], output: "stress", version: "1"))
/// let result = try await test.run()
/// ```
///
/// Each run is an ordinary recording, which is deleted after its evaluation. The certificate and the report are kept.
package final class StressTest: Sendable {
    private struct State {
        var session: MulticamSession?
        var isStopped = false
        /// Warnings for the certificate, for example about recordings that couldn't be deleted.
        var warnings: [String] = []
    }

    private let bench: StressBench
    private let options: StressOptions
    private let clock: any SessionClock
    private let host: (any HostReading)?
    private let state = ConditionLock(State())
    private let sink: AsyncStream<StressEvent>.Continuation

    /// The events of the test, in order. The stream ends when the test ends.
    package let events: AsyncStream<StressEvent>

    /// Finds the devices of the profile. Opens a device only to query it.
    ///
    /// - Parameters:
    ///   - request: The profile and the devices for its roles.
    ///   - options: The tests to run, and their durations.
    ///   - clock: The session clock. Tests with synthetic devices use a simulated clock.
    ///   - host: The computer that is monitored for system pressure. `nil` selects this computer, or none in simulated
    ///     time.
    /// - Throws: `SetupError` if the profile or a selector is invalid, if the profile doesn't contain a camera, or if a
    ///   device is missing or busy, or access is denied.
    package init(
        _ request: SessionConfiguration, _ options: StressOptions, clock: any SessionClock = MonotonicClock(),
        host: (any HostReading)? = nil
    ) throws(SetupError) {
        bench = try StressBench(request)
        self.options = options
        self.clock = clock
        self.host = host ?? (clock.isRealTime ? ThisHost() : nil)
        (events, sink) = AsyncStream.makeStream()
    }

    /// Ends the current run and starts no more runs. Finished runs are still evaluated and written.
    package func stop() {
        state.withLock { state in
            state.isStopped = true
            return state.session
        }?.stop()
    }

    /// Ends the current run and starts no more runs. Frames that are waiting for an encoder are dropped.
    package func stopUrgently() {
        state.withLock { state in
            state.isStopped = true
            return state.session
        }?.stopUrgently()
    }

    /// The state of the current run; `nil` between two runs.
    package var status: SessionStatus? { state.withLock { $0.session }?.status }

    /// Notes for the user about the choice of devices and formats, one sentence each.
    package var notes: [String] { bench.notes }

    /// Creates the folder, performs all requested runs, and writes the certificate and the report.
    ///
    /// - Returns: The folder and the certificate.
    /// - Throws: `FileError` if the folder can't be created or the results can't be written. If the disk is
    ///   too small for a run, the test reports this as a result and doesn't throw an error.
    package func run() async throws(FileError) -> StressResult {
        defer { sink.finish() }
        let begun = clock.now
        let name = SessionFolder.defaultName(
            date: clock.date(of: begun), profile: "stress_\(bench.profile.name)")
        let folder = try SessionFolder.makeNew(in: options.output, name: name)
        sink.yield(.started(folder: folder))
        var record = makeRecord(begun, ThisMachine(output: folder))
        for kind in StressKind.allCases where options.kinds.contains(kind) && !isStopped {
            switch kind {
            case .sets: try await runSets(&record, folder)
            case .climb: try await runClimb(&record, folder)
            case .soak: try await runSoak(&record, folder)
            }
        }
        record.certificate.notes += state.withLock { $0.warnings }
        record.certificate.conclude(isStopped ? .stopped : .finished, duration: clock.now - begun)
        try write(record.certificate, folder)
        return StressResult(folder: folder, certificate: record.certificate)
    }

    // MARK: Report file

    /// The current results of the test.
    private struct Record {
        var certificate: StressCertificate
        let begun: ClockTime
        let machine: ThisMachine
    }

    private func makeRecord(_ begun: ClockTime, _ machine: ThisMachine) -> Record {
        let facts = StressMachine()
        let offers = Dictionary(uniqueKeysWithValues: bench.offers.map { ($0.role, $0) })
        let kinds = StressKind.allCases.filter { options.kinds.contains($0) }
        var notes = machine.notes
        if bench.devices.contains(where: { $0.device.deviceType == .virtual || $0.device.deviceType == .file }
        ) {
            notes.append(
                "Some devices are synthetic. Generating their data takes processor time, which is reported separately but is not available to the recording."
            )
        }
        return Record(
            certificate: StressCertificate(
                multicam: options.version, profile: bench.profile.name.printable(),
                started: StressCertificate.timeStamp(clock.date(of: begun)), machine: facts.machine,
                devices: bench.devices.map { facts.device($0.role, $0.device, offer: offers[$0.role]) },
                asked: StressCertificate.RequestedTests(
                    runs: kinds, each_ns: options.runDuration.count,
                    soak_ns: options.kinds.contains(.soak) ? options.soakDuration.count : nil,
                    lost_limit: bench.plan.limits.lostFrames ?? 1),
                notes: notes.map { $0.printable(limit: 1000) }),
            begun: begun, machine: machine)
    }

    /// The certificate is written first, because the report can be regenerated from it.
    private func write(_ certificate: StressCertificate, _ folder: String) throws(FileError) {
        try SessionFolder.write(JSONText.pretty(certificate), to: "certificate.json", in: folder)
        try SessionFolder.write(Data(StressReport(certificate).document.utf8), to: "report.html", in: folder)
    }

    private func saveProgress(_ record: inout Record, _ folder: String) throws(FileError) {
        record.certificate.conclude(.running, duration: clock.now - record.begun)
        try SessionFolder.write(JSONText.pretty(record.certificate), to: "certificate.json", in: folder)
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    // MARK: Test phases

    private func runSets(_ record: inout Record, _ folder: String) async throws(FileError) {
        let roles = bench.offers.map(\.role)
        var sets = StressSets(roles: roles, grades: StressGrade.all(bench.offers), limit: options.setLimit)
        record.certificate.sets = StressCertificate.Sets()
        var number = 0
        while !isStopped, let candidate = sets.next() {
            number += 1
            let isProfile = candidate.grade == StressGrade.asConfigured && candidate.roles == roles
            let run = await perform(
                StressTrial(
                    name: "set-\(number.padded(2))", kind: .sets, title: candidate.grade,
                    isProfile: isProfile,
                    cameras: candidate.cameras, duration: options.runDuration), &record, folder)
            guard let run else { break }
            sets.record(candidate, passed: run.verdict.isPassed)
            record.certificate.sets?.runs.append(run)
            record.certificate.sets?.left_out = sets.omissions
            try saveProgress(&record, folder)
        }
    }

    private func runClimb(_ record: inout Record, _ folder: String) async throws(FileError) {
        var climb = StressClimb(bench.offers)
        record.certificate.climb = StressCertificate.Climb()
        var number = 1
        let asked = await perform(
            StressTrial(
                name: "climb-00", kind: .climb, title: "the profile without changes", step: 0,
                isProfile: true,
                cameras: bench.offers.map { ($0.role, $0.requested) }, duration: options.runDuration),
            &record, folder)
        guard let asked else { return }
        record.certificate.climb?.runs.append(asked)
        try saveProgress(&record, folder)
        while !isStopped, let step = climb.next() {
            let run = await perform(
                StressTrial(
                    name: "climb-\(number.padded(2))", kind: .climb,
                    title: step.change + (step.isRepetition ? " (again)" : ""), step: step.number,
                    isProfile: false,
                    cameras: bench.offers.compactMap { offer in
                        step.formats[offer.role].map { (offer.role, $0) }
                    }, duration: options.runDuration), &record, folder)
            guard let run else { break }
            number += 1
            climb.record(passed: run.verdict.isPassed)
            record.certificate.climb?.runs.append(run)
            record.certificate.climb?.highest = climb.highest?.number
            if case .failed(let step) = climb.end {
                record.certificate.climb?.failure = StressCertificate.Failure(
                    cause: run.cause ?? .device, step: step.number, change: step.change,
                    sentence: run.reasons.first ?? "")
            }
            try saveProgress(&record, folder)
        }
    }

    private func runSoak(_ record: inout Record, _ folder: String) async throws(FileError) {
        let run = await perform(
            StressTrial(
                name: "soak", kind: .soak, title: "the profile without changes", isProfile: true,
                cameras: bench.offers.map { ($0.role, $0.requested) }, duration: options.soakDuration),
            &record, folder)
        guard let run else { return }
        record.certificate.soak = run
        try saveProgress(&record, folder)
    }

    // MARK: Test run

    /// Makes a recording and evaluates it.
    ///
    /// - Returns: The evaluated run, or `nil` if the test was stopped before the recording's T0 and the result is
    ///   unknown.
    private func perform(
        _ trial: StressTrial, _ record: inout Record, _ folder: String
    ) async -> StressCertificate.Run? {
        var run = StressCertificate.Run(
            name: trial.name, kind: trial.kind, title: trial.title.printable(), step: trial.step,
            isProfile: trial.isProfile,
            cameras: trial.cameras.map { StressCertificate.Camera($0.role, $0.format) },
            startedAt: clock.now - record.begun)
        sink.yield(.runStarted(run))
        let setup: SessionSetup
        do throws(SetupError) {
            setup = try bench.setup(trial)
        } catch {
            run.judge(.init(notStarted: StressCause(error), error.description))
            sink.yield(.runEnded(run))
            return run
        }
        let cost = HardwareCost(of: setup.plan, on: record.machine.model, duration: trial.duration)
        run.predicted = StressCertificate.Predicted(cost, plan: setup.plan, costs: record.machine.model.costs)
        do throws(RecordingError) {
            for source in try await capture(setup, trial, folder, into: &run)
            where !record.certificate.environment.missing.contains(source) {
                record.certificate.environment.missing.append(source)
            }
        } catch {
            if case .stopped = error { return nil }
            run.judge(
                .init(
                    notStarted: StressCause(error), error.description, isSilent: error.isSilence,
                    predicted: run.predicted))
        }
        sink.yield(.runEnded(run))
        return run
    }

    /// Records and measures a run.
    ///
    /// - Returns: The monitoring sources that reported no data.
    private func capture(
        _ setup: SessionSetup, _ trial: StressTrial, _ folder: String, into run: inout StressCertificate.Run
    ) async throws(RecordingError) -> [MissingSource] {
        var setup = setup
        let cameras = setup.cameras.mapValues { ObservedCamera($0) }
        setup.cameras = cameras
        let sampler = StressSampler(
            host, cameras: cameras, microphones: Array(setup.microphones.values), isRealTime: clock.isRealTime
        )
        let session = MulticamSession(
            setup,
            RecordingOptions(
                parentFolder: folder, name: trial.name, duration: trial.duration, version: options.version),
            clock: clock, host: sampler)
        sampler.attach(session)
        let isLate = state.withLock { state in
            state.session = session
            return state.isStopped
        }
        if isLate { session.stop() }
        defer { state.withLock { $0.session = nil } }
        let listener = Task(executorPreference: TaskThreads.shared) {
            await self.forwardWarnings(of: session)
        }
        let result: RecordingResult
        do throws(RecordingError) {
            result = try await session.record()
        } catch {
            _ = await listener.value
            throw error
        }
        let silences = await listener.value
        let findings = StressFindings(result, silences: silences)
        let limits = StressLimits(setup.plan.limits, checksPressureAndClocks: trial.isLong)
        run.duration_ns = result.manifest.duration_ns
        run.tracks = findings.tracks
        run.judge(StressJudgment(findings, limits: limits))
        run.measured = sampler.course.measured(
            pressure: findings.pressure, writtenBytes: Self.writtenBytes(result),
            duration: Nanoseconds(result.manifest.duration_ns))
        run.course = sampler.course.columns(tracks: findings.tracks)
        if !options.keepsMedia { removeMedia(result.folder) }
        return findings.pressure?.missing ?? []
    }

    /// Forwards a session's warnings until the session ends.
    ///
    /// - Returns: One sentence for each microphone that was silent for too long.
    private func forwardWarnings(of session: MulticamSession) async -> [String] {
        var silences: [String] = []
        for await event in session.events {
            switch event.content {
            case .silence(let silence) where silence.alarm == .silence && silence.state == .begins:
                silences.append(silence.text)
            case .warning(let warning): sink.yield(.warning(warning.text))
            default: break
            }
        }
        return silences
    }

    /// Returns the total size of the files of all tracks in bytes, or `nil` if the size of a file can't be read.
    private static func writtenBytes(_ result: RecordingResult) -> Int64? {
        var sum: Int64 = 0
        for file in Set(result.manifest.tracks.flatMap { [$0.file] + ($0.parts ?? []) }) {
            var status = stat()
            guard stat("\(result.folder)/\(file)", &status) == 0 else { return nil }
            sum += Int64(status.st_size)
        }
        return sum
    }

    private func removeMedia(_ folder: String) {
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            let sentence = "\(folder) could not be deleted: \(error)"
            state.withLock { $0.warnings.append(sentence.printable(limit: 1000)) }
            sink.yield(.warning(sentence))
        }
    }
}

extension StressCertificate.Run {
    fileprivate mutating func judge(_ judgment: StressJudgment) {
        verdict = judgment.verdict
        cause = judgment.cause
        reasons = judgment.reasons
    }
}

extension StressCause {
    fileprivate init(_ error: SetupError) {
        switch error {
        case .usage, .profile, .overBudget, .refused: self = .setup
        case .device(let error): self = StressCause(error)
        }
    }
}

extension RecordingError {
    /// Whether a device started but delivered no data.
    fileprivate var isSilence: Bool {
        guard case .device(let error) = self, case .silent = error.reason else { return false }
        return true
    }
}

/// The kinds of stress tests for several cameras.
package enum StressKind: String, Sendable, Codable, CaseIterable {
    /// Determines the cameras and formats that run together.
    case sets
    /// Raises the load until a step fails.
    case climb
    /// Records the unmodified profile for a long time.
    case soak
}

/// The options of a stress test, such as the kinds of tests to run and their durations.
package struct StressOptions: Sendable, Equatable {
    /// The kinds of test to run, in the order of `StressKind.allCases`.
    package var kinds: Set<StressKind>
    /// Duration of each set run and each step of the climb.
    package var runDuration: Nanoseconds
    /// Duration of the soak test.
    package var soakDuration: Nanoseconds
    /// Path of the folder in which the test's folder is created.
    package var output: String
    /// Whether to keep the recordings of the runs.
    package var keepsMedia: Bool
    /// Maximum number of sets to test.
    package var setLimit: Int
    /// The version of multicam that is stored in the certificate.
    package var version: String

    /// Default duration of a set run or a climb step: 5 s.
    package static let defaultRunDuration = Nanoseconds.seconds(5)
    /// Default duration of a soak test: one hour.
    package static let defaultSoakDuration = Nanoseconds.seconds(3600)

    /// Creates options. Each parameter sets the property of the same name.
    package init(
        kinds: Set<StressKind>, runDuration: Nanoseconds = defaultRunDuration,
        soakDuration: Nanoseconds = defaultSoakDuration,
        output: String, keepsMedia: Bool = false, setLimit: Int = StressSets.defaultLimit, version: String
    ) {
        self.kinds = kinds
        self.runDuration = runDuration
        self.soakDuration = soakDuration
        self.output = output
        self.keepsMedia = keepsMedia
        self.setLimit = setLimit
        self.version = version
    }
}

/// An event of a stress test. Events are delivered in order.
package enum StressEvent: Sendable {
    /// The test's folder has been created.
    case started(folder: String)
    /// A run has begun. The run's verdict isn't valid yet.
    case runStarted(StressCertificate.Run)
    /// A run has ended and been evaluated.
    case runEnded(StressCertificate.Run)
    /// A message for the user.
    case warning(String)
}

/// The result of a stress test.
package struct StressResult: Sendable {
    /// The absolute path of the folder with the certificate and the report.
    package let folder: String
    /// The final certificate.
    package let certificate: StressCertificate
}

/// The description of a planned run.
struct StressTrial {
    let name: String
    let kind: StressKind
    let title: String
    var step: Int?
    /// Whether the run uses the unmodified profile with its own formats.
    let isProfile: Bool
    /// The participating cameras with their formats, in the profile's order.
    let cameras: [(role: String, format: VideoFormat)]
    let duration: Nanoseconds
    /// Whether system pressure and clocks are also evaluated. Problems with pressure and clocks appear only
    /// in long runs.
    var isLong: Bool { kind == .soak }
}
