public import Media
public import Plan
public import Writers

/// What a recording is given besides its plan.
public struct RecordingOptions: Sendable {
    /// Where session folders are made.
    public var parentFolder: String
    /// The session folder's name; date, time and profile when `nil`. Of one that is there already a number makes another.
    public var name: String?
    /// How long to record; until stopped when `nil`.
    public var duration: Nanoseconds?
    /// How long devices have to deliver good frames and audio before the recording gives up on them.
    public var startTimeLimit: Nanoseconds
    /// The program's version, for the manifest.
    public var version: String
    /// What the plan was predicted to cost and what was given up for that, for the manifest; `nil` where nobody reckoned.
    public var reduction: PlanReduction?
    /// A second folder; `nil` for none.
    public var copy: SafetyCopy?
    /// How much may wait in memory for each folder's disk, in bytes; from 1 MiB on. `nil`: half a GiB, or what `MulticamKit`
    /// finds right for the computer.
    public var writeMemory: Int?
    /// A test's stand-in for disks that fail: asked before each write with its path and end; answers with an error number.
    package var beforeWrite: @Sendable (String, Int64) -> Int32 = { _, _ in 0 }

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
