internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Plan
internal import Session
internal import SessionFolder

/// Measures what a recording costs beyond its pieces of work, by a few seconds of real recordings from synthetic devices.
///
/// `WorkMeasurement` repeats one piece of work with warm caches and without waking up; in a recording every frame wakes threads
/// that slept through an interval. Recordings of copied tracks give the cost of a wake-up; recordings of programs give the factor
/// by which the remaining work costs more than alone. Without both, predictions are a fifth too low.
struct RecordingMeasurement {
    /// How long each recording is measured, starting one second after its beginning.
    let duration: Nanoseconds

    /// Copied tracks alone, whose cost is mostly wake-ups.
    private static let copies = """
        cameras:
          a: { device: any, size: 640x480, rate: 30 }
          b: { device: any, size: 640x480, rate: 30 }
          c: { device: any, size: 640x480, rate: 30 }
          d: { device: any, size: 640x480, rate: 30 }
        microphones: { e: { device: default }, f: { device: default } }
        tracks: { cameras: copy, microphones: wav }
        """
    /// Programs: a small one of many frames, and a larger one of few.
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
    /// The plausible range of the factor between the cost in a recording and alone; beyond it, something else was measured.
    private static let plausible = 0.5...3.0

    /// Completes a cost table with the overhead of recording.
    ///
    /// - Parameters:
    ///   - table: The cost of all work but `deliver`.
    ///   - progress: Receives the finished share, 0…1.
    /// - Returns: The complete table, scaled to the costs during a recording.
    /// - Throws: `SetupError` or `RecordingError` when no recording can be made, or the error of the temporary folder.
    func completed(_ table: CostTable, progress: (Double) -> Void = { _ in }) async throws -> CostTable {
        var table = table
        let steps = Double(1 + Self.programs.count)
        let (copying, spent) = try await recorded(Self.copies)
        table.plain[.deliver] = CostTable.Entry(nanosecondsPerPiece: 0, nanosecondsPerUnit: 0)
        let others = try total(copying, table)
        let wakings = copying.items.filter { $0.kind == .deliver }.map(\.rate).reduce(0, +)
        table.plain[.deliver] = CostTable.Entry(
            nanosecondsPerPiece: max(spent - others, 0) / wakings * 1e9, nanosecondsPerUnit: 0)
        progress(1 / steps)
        var (planned, measured) = (0.0, 0.0)
        for (index, program) in Self.programs.enumerated() {
            let (work, spent) = try await recorded(program)
            let waking = Self.waking(work, table)
            planned += try total(work, table) - waking
            measured += spent - waking
            progress(Double(index + 2) / steps)
        }
        let factor = min(max(measured / planned, Self.plausible.lowerBound), Self.plausible.upperBound)
        return table.scaled(by: factor, except: [.deliver, .store])
    }

    private func total(_ work: PlannedWork, _ table: CostTable) throws -> Double {
        guard let owners = work.processorTime(by: table) else {
            preconditionFailure("a kind of work was not measured")
        }
        return owners.values.reduce(0, +)
    }

    private static func waking(_ work: PlannedWork, _ table: CostTable) -> Double {
        work.items.filter { $0.kind == .deliver }.map {
            $0.rate * (table.entry(.deliver, .plain)?.nanoseconds(units: 0) ?? 0) / 1e9
        }.reduce(0, +)
    }

    /// Records a profile into a temporary folder, which is removed afterwards.
    ///
    /// - Returns: The planned work, and the processor seconds per second that it took, without those of the synthetic devices.
    private func recorded(_ profile: String) async throws -> (work: PlannedWork, spent: Double) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "multicam-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let result: Result<(PlannedWork, Double), any Error>
        do {
            result = .success(try await recorded(profile, in: folder))
        } catch {
            result = .failure(error)
        }
        try FileManager.default.removeItem(at: folder)
        return try result.get()
    }

    private func recorded(_ profile: String, in folder: URL) async throws -> (PlannedWork, Double) {
        let file = folder.appending(path: "measurement.yaml")
        try Data(profile.utf8).write(to: file)
        var request = SetupRequest(profile: file.path, usesVirtualDevices: true)
        // A governor that lowers the quality would make the work look cheaper.
        request.isGoverned = false
        let setup = try SessionSetup(request, calibrations: nil)
        let session = setup.makeSession(
            RecordingOptions(parentFolder: folder.path, version: MulticamVersion.current))
        let watching = Task {
            for await event in session.events where event.name == .started { break }
            defer { session.stop() }
            try await Task.sleep(nanoseconds: 1_000_000_000)
            let begin = Self.reading(setup)
            try await Task.sleep(nanoseconds: UInt64(max(duration.count, 0)))
            let end = Self.reading(setup)
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

    /// The time, and the processor time of this process so far, without that of the synthetic devices.
    private static func reading(_ setup: SessionSetup) -> (time: ClockTime, spent: Nanoseconds) {
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
    /// The table with the cost of all kinds of work but the given ones multiplied by a factor.
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
