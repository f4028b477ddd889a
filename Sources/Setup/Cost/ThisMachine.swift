internal import Encoding
internal import FoundationEssentials
internal import Host
public import Media
public import Plan

/// The model of this computer that `HardwareCost` reckons with.
public struct ThisMachine: Sendable {
    /// Processors, costs, free memory, disk, USB and tried encoders of this computer.
    public let model: MachineModel
    /// A sentence for the user when stored facts on this computer or its cameras cannot be read; `nil` otherwise.
    public let warning: String?
    /// A sentence for the user when costs of another computer are assumed; `nil` when this computer was measured.
    public let usualFigures: String?

    /// Hardware encoders that were not tried with their present drivers, one sentence each.
    public let untriedEncoders: [String]

    /// All notes on the model for the user, one sentence each.
    public var notes: [String] { [warning, usualFigures].compactMap { $0 } + untriedEncoders }

    /// Reads the facts of the computer from a few small files, and its stored measurements. Blocks while a disk does not answer.
    ///
    /// - Parameter output: The folder that recordings go to; when it does not exist, its nearest existing parent counts.
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

    /// The hardware encoders found, the most promising first. Only a trial tells whether they work.
    public static var detectedEncoders: [HardwareEncoder] { EncoderDetection.onThisMachine.encoders }

    /// The trial results of the hardware encoders found, with their present drivers.
    package static var triedEncoders: [TriedEncoder] {
        (MachineCosts.file?.read().content ?? MachineCosts()).known(of: detectedEncoders)
    }

    /// Tries a hardware encoder on the calling thread for some seconds, and stores the result for all plans.
    ///
    /// A driver that crashes ends the program. The failure is stored beforehand, so that the encoder is not used afterwards.
    ///
    /// - Parameters:
    ///   - encoder: An encoder of `detectedEncoders`.
    ///   - progress: Receives the finished share, 0…1.
    /// - Returns: The result, and a sentence for the user when earlier results could not be read.
    /// - Throws: `StateFileError` when the result cannot be stored in advance or afterwards; in the first case nothing is tried.
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

    /// Measures the cost of each kind of work: alone, on a thread of its own, then in three short recordings of synthetic
    /// devices. Takes about half a minute.
    ///
    /// - Parameters:
    ///   - recordings: How long each recording is measured.
    ///   - progress: Receives the finished share, 0…1, on several threads one after the other.
    /// - Returns: The cost table; `keep` stores it.
    /// - Throws: `EncodingError` when a codec is missing, `SetupError` or `RecordingError` when no recording can be made.
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

    /// Measures the sustained write speed of a disk: writes for 2 s, at most 256 MB and an eighth of the free space, and removes
    /// it all. Blocks its thread.
    ///
    /// - Parameter output: The folder that recordings go to; when it does not exist, its nearest existing parent counts.
    /// - Returns: The measured speed; `keep` stores it.
    /// - Throws: `FileError` when the folder is in memory, the space is too small, or the disk fails.
    public static func measureDisk(output: String) throws(FileError) -> MeasuredDisk {
        let folder = nearestFolder(output)
        let speed = try WriteSpeedMeasurement(folder: folder).bytesPerSecond()
        return MeasuredDisk(
            folder: folder, bytesPerSecond: speed, identity: FileSystemFacts(folder)?.identity ?? "")
    }

    /// Stores the speed of a disk, for all plans that write to it.
    ///
    /// - Returns: A sentence for the user when earlier measurements could not be read, or when there is no folder to store any.
    /// - Throws: `StateFileError` when the file cannot be written.
    public static func keep(_ disk: MeasuredDisk) throws(StateFileError) -> String? {
        guard let file = MachineCosts.file else {
            return "there is no place to keep what was measured: set XDG_STATE_HOME or HOME."
        }
        return try file.update {
            $0.disks = ($0.disks ?? [:]).merging([disk.identity: disk.bytesPerSecond]) { $1 }
        }
    }

    /// Stores a cost table, for all plans.
    ///
    /// - Returns: A sentence for the user when earlier measurements could not be read, or when there is no folder to store any.
    /// - Throws: `StateFileError` when the file cannot be written.
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
