public import Media
public import Plan
public import Writers

/// The options of one recording besides its plan: where, how long, and under which limits it records.
public struct RecordingOptions: Sendable {
    /// Path of the folder in which session folders are made.
    public var parentFolder: String
    /// Name of the session folder, or `nil` for date, time and profile. A number is appended when the folder exists.
    public var name: String?
    /// How long to record from T0, or `nil` to record until stopped.
    public var duration: Nanoseconds?
    /// T0 on the session's clock, or `nil` for as soon as everything is ready.
    public var start: ClockTime?
    /// How long each device may take at the start to deliver good frames or audio before the recording fails with
    /// `.silent`.
    public var startTimeLimit: Nanoseconds
    /// Version of the program, for the manifest.
    public var version: String
    /// The predicted cost of the plan and what was given up for it, for the manifest; `nil` when no cost was
    /// predicted.
    public var reduction: PlanReduction?
    /// The machine that the plan was made for, on which changes of the running plan are priced; `nil` to price none.
    public var machine: MachineModel?
    /// A second session folder that is written at the same time, or `nil` for none.
    public var copy: SafetyCopy?
    /// Most bytes that may wait in memory for each folder's disk, at least 1 MiB; `nil` for half a GiB, or for what
    /// `MulticamKit` finds right for the computer.
    public var writeMemory: Int?
    /// Injects disk failures in tests: called before each write with the file's path and the end of the write in
    /// bytes; returns an errno, or 0 for success.
    package var beforeWrite: @Sendable (String, Int64) -> Int32 = { _, _ in 0 }

    /// Creates the options of one recording; each parameter sets the property of its name.
    public init(
        parentFolder: String, name: String? = nil, duration: Nanoseconds? = nil,
        startTimeLimit: Nanoseconds = .seconds(10), version: String,
        reduction: PlanReduction? = nil, copy: SafetyCopy? = nil, writeMemory: Int? = nil
    ) {
        self.parentFolder = parentFolder
        self.name = name
        self.duration = duration
        self.startTimeLimit = startTimeLimit
        self.version = version
        self.reduction = reduction
        self.copy = copy
        self.writeMemory = writeMemory
    }
}
