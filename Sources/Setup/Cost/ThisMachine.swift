internal import Encoding
internal import Foundation
internal import Host
public import Media
public import Plan

/// This computer as `HardwareCost` wants to know it.
public struct ThisMachine: Sendable {
    public let model: MachineModel
    /// What was wrong with what is kept of this computer and its cameras: a sentence or two, once.
    public let warning: String?
    /// That figures of another computer stand in: a sentence; `nil` where this one was measured.
    public let usualFigures: String?

    /// Hardware encoders that were not tried as they are now: a sentence each.
    public let untriedEncoders: [String]

    /// What a person should know of the model: one sentence each.
    public var notes: [String] { [warning, usualFigures].compactMap { $0 } + untriedEncoders }

    /// Looks at the computer, by a few small files, and at what was measured of it. Waits for a disk that does not answer.
    ///
    /// - Parameter output: Where recordings go, or will: the nearest folder above that there is counts.
    public init(output: String) {
        let folder = Self.nearestFolder(output)
        let (kept, warning) = MachineCosts.file?.read() ?? (MachineCosts(), nil)
        let (usb, forgotten) = USBTopology.connected()
        let warnings = [warning, forgotten].compactMap { $0 }
        self.warning = warnings.isEmpty ? nil : warnings.joined(separator: " ")
        usualFigures =
            kept.table == nil
            ? "what work costs was not measured on this computer, so figures of another one stand in: measure it with "
                + "`multicam calibrate --machine`."
            : nil
        let detected = EncoderDetection.onThisMachine.encoders
        let tried = kept.known(of: detected)
        untriedEncoders = detected.filter { encoder in !tried.contains { $0.encoder == encoder } }.map {
            "\($0.name) (\($0.device.printable()), \($0.driver.printable())) was not tried, so it is not used: "
                + "`multicam calibrate --machine` tries it."
        }
        model = MachineModel(
            processors: ThisHost().processorShare?.usable
                ?? Double(ProcessInfo.processInfo.activeProcessorCount),
            costs: kept.table ?? .usual, isMeasured: kept.table != nil, freeMemory: FreeMemory.bytes(),
            disk: DiskSpaceReader.freeBytes(folder).map { free in
                let speed = FileSystemFacts(folder).flatMap { kept.disks?[$0.identity] }
                return MachineModel.Disk(freeBytes: free, bytesPerSecond: speed)
            }, usb: usb, encoders: tried)
    }

    /// Hardware encoders that are there, the likeliest to be good first. Whether they work, only a trial tells.
    public static var detectedEncoders: [HardwareEncoder] { EncoderDetection.onThisMachine.encoders }

    /// What trials found of the encoders that are there, as they are now.
    package static var triedEncoders: [TriedEncoder] {
        (MachineCosts.file?.read().content ?? MachineCosts()).known(of: detectedEncoders)
    }

    /// Tries a hardware encoder, on this thread, which takes some seconds, and keeps what came of it for all plans.
    ///
    /// A driver that crashes ends the program: that is kept before, so that the encoder is not used afterwards.
    ///
    /// - Parameters:
    ///   - encoder: That was detected.
    ///   - progress: Told the share that is done, 0…1.
    /// - Returns: What came of it, and a sentence for the user if what was kept before could not be read.
    /// - Throws: When it cannot be kept; it is not tried then.
    public static func tryEncoder(
        _ encoder: HardwareEncoder, progress: (Double) -> Void = { _ in }
    ) throws(StateFileError) -> (tried: TriedEncoder, warning: String?) {
        let unfinished = TriedEncoder(
            encoder: encoder,
            outcome: .fails(
                reason:
                    "\(encoder.name): its trial did not come to an end: its driver crashed, or it was stopped."
            ))
        let warning = try MachineCosts.file?.update { $0.note(unfinished) }
        let tried = EncoderTrial(of: encoder).run(progress: progress)
        let second = try MachineCosts.file?.update { $0.note(tried) }
        return (tried, warning ?? second)
    }

    /// Measures what each kind of work costs here: alone, on a thread of its own, then in three short recordings of synthetic devices.
    /// It takes about half a minute.
    ///
    /// - Parameters:
    ///   - recordings: For how long each recording is watched.
    ///   - progress: Told the share that is done, 0…1, on several threads one after the other.
    /// - Returns: The table.
    /// - Throws: When a codec is missing (`EncodingError`), or no recording can be made here (`SetupError`, `RecordingError`).
    public static func measure(
        recordings: Nanoseconds = .seconds(5), progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> CostTable {
        let alone: Result<CostTable, EncodingError> = await withCheckedContinuation { continuation in
            _ = MediaThread(name: "measure") {
                continuation.resume(
                    returning: Result { () throws(EncodingError) in
                        try WorkMeasurement().table { progress($0 / 2) }
                    })
            }
        }
        return try await RecordingMeasurement(duration: recordings).completed(alone.get()) {
            progress((1 + $0) / 2)
        }
    }

    /// Measures how fast the disk takes what is to last: writes for 2 s, 256 MB and an eighth of what is free at most, and leaves
    /// nothing behind. Blocks its thread.
    ///
    /// - Parameter output: As of `init`.
    /// - Returns: What was measured; it is not kept yet.
    /// - Throws: When the folder is in memory, there is too little room, or the disk refuses.
    public static func measureDisk(output: String) throws(FileError) -> MeasuredDisk {
        let folder = nearestFolder(output)
        let speed = try WriteSpeedMeasurement(folder: folder).bytesPerSecond()
        return MeasuredDisk(
            folder: folder, bytesPerSecond: speed, identity: FileSystemFacts(folder)?.identity ?? "")
    }

    /// Keeps how fast a disk is, for all plans that write to it from now on.
    ///
    /// - Returns: A sentence for the user if what was kept before could not be read.
    /// - Throws: When it cannot be written.
    public static func keep(_ disk: MeasuredDisk) throws(StateFileError) -> String? {
        guard let file = MachineCosts.file else {
            return "there is no place to keep what was measured: set XDG_STATE_HOME or HOME."
        }
        return try file.update {
            $0.disks = ($0.disks ?? [:]).merging([disk.identity: disk.bytesPerSecond]) { $1 }
        }
    }

    /// Keeps a table for all plans from now on.
    ///
    /// - Returns: A sentence for the user if what was kept before could not be read.
    /// - Throws: When it cannot be written.
    public static func keep(_ table: CostTable) throws(StateFileError) -> String? {
        guard let file = MachineCosts.file else {
            return "there is no place to keep what was measured: set XDG_STATE_HOME or HOME."
        }
        return try file.update { $0.table = table }
    }

    private static func nearestFolder(_ output: String) -> String {
        var folder = URL(fileURLWithPath: output).standardizedFileURL
        while !FileManager.default.fileExists(atPath: folder.path), folder.path != "/" {
            folder.deleteLastPathComponent()
        }
        return folder.path
    }
}
