internal import Media

/// The pressure of tasks that wait (kernel, Documentation/accounting/psi.rst).
///
/// The control group of this process, where there is one, tells of its own tasks, the machine of everybody's: the group's figure
/// counts where it is known. Memory is everybody's: there the worse of both counts.
enum StallPressure {
    /// The share of time in which tasks wait for the processor. They may be others', and our own encoders take turns whenever
    /// there are more threads than processors: this alone is never more than serious. Only the encoders' queues show whether
    /// frames are late.
    private static let processor = LevelSteps(fair: 0.25, serious: 0.6)
    /// The share of time in which all tasks wait for the disk. Our files are flushed once a second, and that thread always waits,
    /// so only time in which *nothing* else had work counts, and it alone is never more than serious. Only the files' queues show
    /// whether files are late.
    private static let storage = LevelSteps(fair: 0.25, serious: 0.6)
    /// The share of time in which some tasks wait for memory. At 7 % Android's lmkd begins to look for memory
    /// (`psi_partial_stall_ms` 70 of 1000).
    private static let memorySome = LevelSteps(fair: 0.07)
    /// The share of time in which all tasks wait for memory. At 60 % systemd-oomd ends programs (`DefaultMemoryPressureLimit`),
    /// lmkd at 70 % (`psi_complete_stall_ms`). Below that, a tenth of all time lost is felt, and a third makes every device late.
    private static let memoryFull = LevelSteps(fair: 0.05, serious: 0.1, critical: 0.3, shutdown: 0.6)

    static func factors(_ stalls: [ResourceStall]) -> [PressureFactor] {
        func own(_ resource: ResourceStall.Resource) -> ResourceStall? {
            let all = stalls.filter { $0.resource == resource }
            return all.first { $0.scope == .ownGroup } ?? all.first
        }
        let memory = stalls.filter { $0.resource == .memory }.map(memory).max { $0.level < $1.level }
        return [own(.processor).map(processor), own(.storage).map(storage), memory].compactMap(\.self)
    }

    private static func processor(_ stall: ResourceStall) -> PressureFactor {
        PressureFactor(
            .processorStall, processor.level(of: stall.some),
            "\(whose(stall)) waited for the processor in \(percent(stall.some)) of the last 10 s")
    }

    private static func storage(_ stall: ResourceStall) -> PressureFactor {
        let full = stall.full ?? 0
        return PressureFactor(
            .storageStall, storage.level(of: full),
            "nothing but waiting for the disk was left to \(whose(stall)) in \(percent(full)) of the last 10 s"
        )
    }

    private static func memory(_ stall: ResourceStall) -> PressureFactor {
        let full = stall.full ?? 0
        let level = max(memorySome.level(of: stall.some), memoryFull.level(of: full))
        return PressureFactor(
            .memoryStall, level,
            "\(whose(stall)) waited for memory in \(percent(stall.some)) of the last 10 s, all at once in \(percent(full))"
        )
    }

    private static func whose(_ stall: ResourceStall) -> String {
        stall.scope == .ownGroup ? "tasks of this program's group" : "tasks"
    }

    private static func percent(_ share: Double) -> String { "\(Int(rounding: share * 100)) %" }
}
