internal import FoundationEssentials
internal import MulticamEncoding
package import MulticamMedia
package import MulticamPlan
internal import MulticamSystem

/// The model of this computer that `HardwareCost` uses.
package struct ThisMachine: Sendable {
    /// The processors, costs, free memory, disk, USB, and tested encoders of this computer.
    package let model: MachineModel
    /// A warning for the user if stored data about this computer or its cameras can't be read; otherwise `nil`.
    package let warning: String?
    /// A note for the user if another computer's costs are assumed, or `nil` if this computer was measured.
    package let defaultCostsNote: String?

    /// Hardware encoders that haven't been tested with their current drivers, one sentence each.
    package let untriedEncoders: [String]

    /// All notes on the model for the user, one sentence each.
    package var notes: [String] { [warning, defaultCostsNote].compactMap { $0 } + untriedEncoders }

    /// Reads the computer's properties from several small files, and loads its stored measurements. Blocks if
    /// a disk doesn't respond.
    ///
    /// - Parameter output: The recording folder. If the folder doesn't exist, its nearest existing parent is used.
    package init(output: String) {
        let folder = Self.nearestFolder(output)
        let (kept, warning) = MachineCosts.file?.read() ?? (MachineCosts(), nil)
        let (usb, forgotten) = USBTopology.connected()
        let warnings = [warning, forgotten].compactMap { $0 }
        self.warning = warnings.isEmpty ? nil : warnings.joined(separator: " ")
        defaultCostsNote =
            kept.table == nil
            ? "processing costs have not been measured on this computer, so default values are used."
                + onCommandLine(" Run `multicam calibrate --machine`.")
            : nil
        let detected = EncoderDetection.onThisMachine.encoders
        let tried = kept.results(for: detected)
        untriedEncoders = detected.filter { encoder in !tried.contains { $0.encoder == encoder } }.map {
            "\($0.name) (\($0.device.printable()), \($0.driver.printable())) has not been tested and is not used."
                + onCommandLine(" To test it, run `multicam calibrate --machine`.")
        }
        let (free, room) = (FreeMemory.bytes(), ProcessLimit.remainingAddressSpace)
        var machine = MachineModel(
            processors: ThisHost().processorShare?.usable
                ?? Double(ProcessInfo.processInfo.activeProcessorCount),
            costs: kept.table ?? .defaults, isMeasured: kept.table != nil,
            freeMemory: [free, room].compactMap { $0 }.min(),
            disk: DiskSpaceReader.freeBytes(folder).map { free in
                let speed = FileSystemInfo(folder).flatMap { kept.disks?[$0.identity] }
                return MachineModel.Disk(freeBytes: free, bytesPerSecond: speed)
            }, usb: usb, encoders: tried)
        machine.isMemoryLimited = room.map { room in free.map { room < $0 } ?? true } ?? false
        model = machine
    }

    /// The detected hardware encoders, the most promising first. Whether an encoder works is known only after
    /// a trial.
    package static var detectedEncoders: [HardwareEncoder] { EncoderDetection.onThisMachine.encoders }

    /// The trial results of the detected hardware encoders with their current drivers.
    package static var triedEncoders: [TriedEncoder] {
        (MachineCosts.file?.read().content ?? MachineCosts()).results(for: detectedEncoders)
    }

    /// Tests a hardware encoder on the calling thread for several seconds, and stores the result for all
    /// plans.
    ///
    /// A driver crash terminates the process. A failure is stored before the test starts, so the encoder
    /// isn't used after a crash.
    ///
    /// - Parameters:
    ///   - encoder: An encoder from `detectedEncoders`.
    ///   - progress: Receives the completed fraction, 0…1.
    /// - Returns: The result, and a warning for the user if earlier results couldn't be read.
    /// - Throws: `StateFileError` if the result can't be stored before or after the test. If storing the
    ///   result fails before the test, the encoder isn't tested.
    package static func tryEncoder(
        _ encoder: HardwareEncoder, progress: (Double) -> Void = { _ in }
    ) throws(StateFileError) -> (tried: TriedEncoder, warning: String?) {
        let unfinished = TriedEncoder(
            encoder: encoder,
            outcome: .fails(
                reason:
                    "\(encoder.name): the test did not finish. The driver crashed, or the test was stopped."
            ))
        let warning = try MachineCosts.file?.update { $0.record(unfinished) }
        let tried = EncoderTrial(of: encoder).run(progress: progress)
        let second = try MachineCosts.file?.update { $0.record(tried) }
        return (tried, warning ?? second)
    }

    /// Measures the cost of each kind of work: first in isolation on a separate thread, then in three short
    /// recordings of synthetic devices. Takes about 30 s.
    ///
    /// - Parameters:
    ///   - recordings: Duration of the measurement in each recording.
    ///   - progress: Receives the completed fraction, 0…1. Called on several threads, but never concurrently.
    /// - Returns: The cost table. To use this table for plans, store it with `store`.
    /// - Throws: `EncodingError` if a codec is missing. `SetupError` or `RecordingError` if recording fails.
    package static func measure(
        recordings: Nanoseconds = .seconds(5), progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> CostTable {
        let alone: Result<CostTable, EncodingError> = await withCheckedContinuation { continuation in
            do throws(ThreadError) {
                _ = try MediaThread(name: "measure") {
                    continuation.resume(
                        returning: Result { () throws(EncodingError) in
                            try WorkMeasurement().table { progress($0 / 2) }
                        })
                }
            } catch {
                continuation.resume(returning: .failure(EncodingError(subject: "this computer", error)))
            }
        }
        return try await RecordingMeasurement(duration: recordings).completed(alone.get()) {
            progress((1 + $0) / 2)
        }
    }

    /// Measures the sustained write speed of a disk. Writes for 2 s, but no more than 256 MB or an eighth of
    /// the free space, and then deletes the data. Blocks the calling thread.
    ///
    /// - Parameter output: The recording folder. If the folder doesn't exist, its nearest existing parent is used.
    /// - Returns: The measured speed. To use this speed for plans, store it with `store`.
    /// - Throws: `FileError` if the folder is in memory, the free space is too small, or the disk fails.
    package static func measureDisk(output: String) throws(FileError) -> MeasuredDisk {
        let folder = nearestFolder(output)
        let speed = try WriteSpeedMeasurement(folder: folder).bytesPerSecond()
        return MeasuredDisk(
            folder: folder, bytesPerSecond: speed, identity: FileSystemInfo(folder)?.identity ?? "")
    }

    /// Stores the speed of a disk for all plans that write to it.
    ///
    /// - Returns: A warning for the user if earlier measurements couldn't be read, or if the environment
    ///   doesn't define a state folder.
    /// - Throws: `StateFileError` if the file can't be written.
    package static func store(_ disk: MeasuredDisk) throws(StateFileError) -> String? {
        guard let file = MachineCosts.file else {
            return "the measurements cannot be saved. Set XDG_STATE_HOME or HOME."
        }
        return try file.update {
            $0.disks = ($0.disks ?? [:]).merging([disk.identity: disk.bytesPerSecond]) { $1 }
        }
    }

    /// Stores a cost table for all plans.
    ///
    /// - Returns: A warning for the user if earlier measurements couldn't be read, or if the environment
    ///   doesn't define a state folder.
    /// - Throws: `StateFileError` if the file can't be written.
    package static func store(_ table: CostTable) throws(StateFileError) -> String? {
        guard let file = MachineCosts.file else {
            return "the measurements cannot be saved. Set XDG_STATE_HOME or HOME."
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

/// Measured write speed of a recording disk.
package struct MeasuredDisk: Sendable, Equatable {
    /// The measured folder: the output folder, or its nearest existing parent.
    package let folder: String
    /// Sustained write speed in bytes per second.
    package let bytesPerSecond: Double
    /// Identity of the file system.
    let identity: String
}

/// Measured costs of work on this computer.
struct MachineCosts: StateFileContent {
    static let fileName = "costs.json"
    static let subject = "the machine measurements"
    /// Schema version 2 adds the `balanced` preset of x264.
    static let currentSchema = 2

    var schema = MachineCosts.currentSchema
    /// Cost of each kind of work, or `nil` before the first measurement.
    var table: CostTable?
    /// Sustained write speed of each disk in bytes per second, by file system identity.
    var disks: [String: Double]?
    /// Trial results of hardware encoders, one per encoder ever tested.
    var encoders: [TriedEncoder]?

    init() {}

    /// Decodes stored costs.
    ///
    /// - Throws: `DecodingError` if a disk speed is outside 1…10¹⁵ bytes per second, which indicates a damaged file.
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        schema = try values.decode(Int.self, forKey: .schema)
        table = try values.decodeIfPresent(CostTable.self, forKey: .table)
        disks = try values.decodeIfPresent([String: Double].self, forKey: .disks)
        encoders = try values.decodeIfPresent([TriedEncoder].self, forKey: .encoders)
        guard disks?.values.allSatisfy({ (1...1e15).contains($0) }) ?? true else {
            throw DecodingError.dataCorruptedError(
                forKey: .disks, in: values,
                debugDescription: "implausible disk speed")
        }
    }

    /// Stores an encoder's trial result, replacing any earlier result for the same encoder, regardless of its
    /// driver.
    mutating func record(_ tried: TriedEncoder) {
        let others = (encoders ?? []).filter {
            $0.encoder.library != tried.encoder.library || $0.encoder.node != tried.encoder.node
        }
        encoders = others + [tried]
    }

    /// Returns the trial results of the detected encoders with their current drivers, in the same order. Untested
    /// encoders are omitted.
    func results(for detected: [HardwareEncoder]) -> [TriedEncoder] {
        detected.compactMap { found in encoders?.first { $0.encoder == found } }
    }
}

extension CostTable {
    /// The costs that are used if this computer hasn't been measured. These costs were measured with
    /// `multicam calibrate --machine` on a 2.5 GHz core of a busy server, and rounded to two digits.
    package static let defaults = CostTable(
        plain: [
            .decodeJPEG1: entry(0.69, piece: 140000),
            .decodeJPEG2: entry(1.7, piece: 0),
            .decodeJPEG3: entry(0.91, piece: 450000),
            .decodeJPEG4: entry(1.0, piece: 150000),
            .decodeJPEG8: entry(2.8, piece: 0),
            .decodeH264: entry(1.0, piece: 0),
            .unpack: entry(0.24, piece: 0),
            .scale: entry(0.2, piece: 0),
            .turn: entry(0.9, piece: 0),
            .recolor: entry(0.35, piece: 0),
            .encodeUltrafast: entry(5.0, piece: 280000),
            .encodeBalanced: entry(7.1, piece: 580000),
            .encodeSuperfast: entry(8.9, piece: 580000),
            .encodeVeryfast: entry(11.0, piece: 420000),
            .encodeAudio: entry(570.0, piece: 0),
            .resample: entry(16.0, piece: 2200),
            .store: entry(0.28, piece: 0),
            .deliver: entry(0.0, piece: 50000),
        ],
        photographic: [
            .decodeJPEG1: entry(2.8, piece: 0),
            .decodeJPEG2: entry(2.8, piece: 200000),
            .decodeJPEG3: entry(3.4, piece: 39000),
            .decodeJPEG4: entry(3.5, piece: 0),
            .decodeJPEG8: entry(4.3, piece: 47000),
            .decodeH264: entry(1.7, piece: 69000),
            .encodeUltrafast: entry(8.4, piece: 0),
            .encodeBalanced: entry(15.4, piece: 0),
            .encodeSuperfast: entry(20.0, piece: 0),
            .encodeVeryfast: entry(27.0, piece: 1000000),
            .encodeAudio: entry(910.0, piece: 0),
        ])

    private static func entry(_ unit: Double, piece: Double) -> Entry {
        Entry(nanosecondsPerPiece: piece, nanosecondsPerUnit: unit)
    }
}
