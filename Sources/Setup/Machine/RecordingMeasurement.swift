internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamSession
internal import MulticamSessionFolder

/// Measures the overhead of recording by making several seconds of real recordings from synthetic devices.
///
/// `WorkMeasurement` repeats a single operation with warm caches and without wake-ups. In a recording, every
/// frame wakes threads that have slept for a frame interval. Recordings of copied tracks measure the cost of
/// a wake-up. Recordings of programs measure how much more the remaining work costs in a recording than in
/// isolation. Without the corrections from these two measurements, predicted costs are 20 % too low.
struct RecordingMeasurement {
    /// Duration of each measurement, which starts one second after the start of the recording.
    let duration: Nanoseconds

    /// A recording with only copied tracks. Most of the cost of such a recording is caused by thread
    /// wake-ups.
    private static let copies = """
        cameras:
          a: { device: any, size: 640x480, rate: 30 }
          b: { device: any, size: 640x480, rate: 30 }
          c: { device: any, size: 640x480, rate: 30 }
          d: { device: any, size: 640x480, rate: 30 }
        microphones: { e: { device: default }, f: { device: default } }
        tracks: { cameras: copy, microphones: wav }
        """
    /// Two recordings with programs: a small program with a high frame rate, and a larger program with a low frame
    /// rate.
    private static let programs = [
        """
        cameras:
          a: { device: any, size: 854x480, rate: 30 }
          b: { device: any, size: 854x480, rate: 30 }
          c: { device: any, size: 854x480, rate: 30 }
          d: { device: any, size: 854x480, rate: 30 }
        microphones: { e: { device: default } }
        program: { size: 854x480, rate: 30, layout: grid, audio: { mix: [e] } }
        """,
        """
        cameras:
          a: { device: any, size: 1280x720, rate: 30 }
          b: { device: any, size: 1280x720, rate: 30 }
        microphones: { e: { device: default } }
        program: { size: 1280x720, rate: 30, layout: pip, main: a, inset: b, audio: { mix: [e] } }
        """,
    ]
    /// Plausible range of the ratio between the cost in a recording and the cost in isolation. A value outside of this
    /// range indicates an invalid measurement.
    private static let plausible = 0.5...3.0

    /// Adds the overhead of recording to a cost table.
    ///
    /// - Parameters:
    ///   - table: The costs of all work except `deliver`.
    ///   - progress: Receives the completed fraction, 0…1.
    /// - Returns: The complete table, scaled to the costs during a recording.
    /// - Throws: `SetupError` or `RecordingError` if recording fails, or the error from creating the
    ///   temporary folder.
    func completed(_ table: CostTable, progress: (Double) -> Void = { _ in }) async throws -> CostTable {
        var table = table
        let steps = Double(1 + Self.programs.count)
        let (copying, spent) = try await measureRecording(Self.copies)
        table.plain[.deliver] = CostTable.Entry(nanosecondsPerPiece: 0, nanosecondsPerUnit: 0)
        let others = try total(copying, table)
        let wakings = copying.items.filter { $0.kind == .deliver }.map(\.rate).reduce(0, +)
        table.plain[.deliver] = CostTable.Entry(
            nanosecondsPerPiece: max(spent - others, 0) / wakings * 1e9, nanosecondsPerUnit: 0)
        progress(1 / steps)
        var (planned, measured) = (0.0, 0.0)
        for (index, program) in Self.programs.enumerated() {
            let (work, spent) = try await measureRecording(program)
            let waking = Self.wakeUpTime(work, table)
            planned += try total(work, table) - waking
            measured += spent - waking
            progress(Double(index + 2) / steps)
        }
        let factor = min(max(measured / planned, Self.plausible.lowerBound), Self.plausible.upperBound)
        return table.scaled(by: factor, except: [.deliver, .store])
    }

    private func total(_ work: PlannedWork, _ table: CostTable) throws -> Double {
        guard let owners = work.processorTime(by: table) else {
            preconditionFailure("the cost of at least one kind of work was not measured")
        }
        return owners.values.reduce(0, +)
    }

    private static func wakeUpTime(_ work: PlannedWork, _ table: CostTable) -> Double {
        work.items.filter { $0.kind == .deliver }.map {
            $0.rate * (table.entry(.deliver, .plain)?.nanoseconds(units: 0) ?? 0) / 1e9
        }.reduce(0, +)
    }

    /// Records a profile to a temporary folder, and removes the folder afterwards.
    ///
    /// - Returns: The planned work, and the CPU time that this work used, in CPU seconds per second,
    ///   excluding the synthetic devices.
    private func measureRecording(_ profile: String) async throws -> (work: PlannedWork, spent: Double) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "multicam-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let result: Result<(PlannedWork, Double), any Error>
        do {
            result = .success(try await measureRecording(profile, in: folder))
        } catch {
            result = .failure(error)
        }
        try FileManager.default.removeItem(at: folder)
        return try result.get()
    }

    private func measureRecording(_ profile: String, in folder: URL) async throws -> (PlannedWork, Double) {
        let file = folder.appending(path: "measurement.yaml")
        try Data(profile.utf8).write(to: file)
        var request = SessionConfiguration(profile: file.path, usesVirtualDevices: true)
        // A governor that reduces quality would distort the measurement.
        request.allowsQualityReduction = false
        let setup = try SessionSetup(request, calibrations: nil)
        let session = MulticamSession(
            setup, RecordingOptions(parentFolder: folder.path, version: MulticamVersion.current))
        let watching = Task(executorPreference: TaskThreads.shared) {
            for await event in session.events where event.name == .started { break }
            defer { session.stop() }
            try await Self.pause(.seconds(1))
            let begin = Self.readClocks(setup)
            try await Self.pause(duration)
            let end = Self.readClocks(setup)
            return Double((end.spent - begin.spent).count) / Double((end.time - begin.time).count)
        }
        do {
            _ = try await session.record()
        } catch {
            watching.cancel()
            throw error
        }
        return (PlannedWork(setup.plan), try await watching.value)
    }

    private static func pause(_ duration: Nanoseconds) async throws {
        try await MediaThread.run(named: "pause") {
            _ = Cancellation().wait(until: MonotonicClock().now + duration)
        }
    }

    /// Returns the current time and this process's CPU time, excluding the synthetic devices.
    private static func readClocks(_ setup: SessionSetup) -> (time: ClockTime, spent: Nanoseconds) {
        var spent = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent)
        let synthetic =
            setup.cameras.values.map(\.simulationTime).reduce(.zero, +)
            + setup.microphones.values.map(\.simulationTime).reduce(.zero, +)
        return (
            MonotonicClock().now,
            .seconds(Int64(spent.tv_sec)) + Nanoseconds(Int64(spent.tv_nsec)) - synthetic
        )
    }
}

extension CostTable {
    /// Returns the table with all costs multiplied by a factor, except those for the given kinds of work.
    fileprivate func scaled(by factor: Double, except kinds: Set<WorkKind>) -> CostTable {
        func scaled(_ entries: [WorkKind: Entry]) -> [WorkKind: Entry] {
            entries.reduce(into: [:]) { result, item in
                let factor = kinds.contains(item.key) ? 1 : factor
                result[item.key] = Entry(
                    nanosecondsPerPiece: item.value.nanosecondsPerPiece * factor,
                    nanosecondsPerUnit: item.value.nanosecondsPerUnit * factor)
            }
        }
        return CostTable(plain: scaled(plain), photographic: scaled(photographic))
    }
}
