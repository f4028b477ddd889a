public import MulticamMedia
package import MulticamSessionFolder

/// Metadata of one camera frame, or of several consecutive lost frames. All times are relative to T0.
///
/// If the camera's frames are searched for faces or codes, the metadata of a searched frame is followed by a second
/// value with its `analysis`, a fraction of a second later.
public struct CameraMetadata: Sendable, Equatable {
    /// Frame number counted by the device. For lost frames, this is the number of the first lost frame. The
    /// value is `nil` if the device did not count the missing frames, for example because the device was
    /// disconnected.
    public let sequence: Int64?
    /// Capture time relative to T0, according to the camera's clock model and minus the camera's latency.
    /// Tracks are aligned by this capture time. For lost frames, this is the estimated time of the first lost
    /// frame.
    public let capturedAt: MediaTime
    /// The driver's unmodified time stamp for the start of the exposure, relative to T0; `nil` for a frame
    /// that never arrived.
    public let stamp: MediaTime?
    /// Time when the frame was dequeued from the driver, relative to T0; `nil` for a frame that never
    /// arrived.
    public let arrival: MediaTime?
    /// The reason why the frame is missing from the recording; `nil` for a frame that arrived intact.
    public let lost: LossCause?
    /// Number of frames that this entry describes: 1, or the number of consecutive lost frames.
    public let count: Int
    /// Clock values from the camera's USB packets; `nil` if the packets don't contain clock values.
    package let headerClock: UVCHeaderClock?
    /// Faces and codes in the frame; `nil` for a value that describes the delivery of a frame.
    public let analysis: FrameAnalysis?

    /// Creates metadata. Each parameter sets the property of the same name.
    package init(
        sequence: Int64?, capturedAt: MediaTime, stamp: MediaTime?, arrival: MediaTime?, lost: LossCause?,
        count: Int, headerClock: UVCHeaderClock?, analysis: FrameAnalysis? = nil
    ) {
        self.sequence = sequence
        self.capturedAt = capturedAt
        self.stamp = stamp
        self.arrival = arrival
        self.lost = lost
        self.count = count
        self.headerClock = headerClock
        self.analysis = analysis
    }
}

extension CameraMetadata {
    /// The metadata as one line of `cameras/ROLE.ndjson`, without a newline. All times are in nanoseconds.
    /// Unknown fields are omitted.
    ///
    /// - `sequence`: Frame number counted by the device. For lost frames, this is the number of the first lost frame.
    /// - `captured_ns`: Capture time relative to T0, according to the camera's clock model and minus the camera's
    ///   latency.
    /// - `stamp_ns`: The driver's time stamp for the start of the exposure, relative to T0.
    /// - `arrival_ns`: Time when the frame was dequeued from the driver, relative to T0.
    /// - `lost`: The reason why the frame is missing from the recording, as in the manifest's loss ledger.
    /// - `count`: Number of consecutive lost frames, if more than one.
    /// - `uvc`: The clock values of the frame's first USB packet. `pts` and `stc` are values of the camera's
    ///   clock, and `sof` is the USB frame number that the camera received. `host_ns` is the time on the
    ///   driver's clock (`CLOCK_MONOTONIC`); subtract the manifest's `t0_monotonic_ns` to get the time
    ///   relative to T0. `host_sof` is the frame number of the USB host controller.
    /// - `faces`, `codes`: The faces and codes in the frame, as in the API of the control room. Such a line follows the line
    ///   of its frame, which has the same `sequence`, and contains no other fields except the first two. Its
    ///   `captured_ns` is computed without the clock model, so it may differ slightly from the frame's.
    var line: String {
        var fields: [String: JSONValue] = ["captured_ns": .integer(capturedAt.nanoseconds)]
        fields["sequence"] = sequence.map { .integer($0) }
        if let analysis {
            return JSONText.line(
                AnalysisLine(
                    captured_ns: capturedAt.nanoseconds, sequence: sequence, faces: analysis.faces,
                    codes: analysis.codes))
        }
        fields["stamp_ns"] = stamp.map { .integer($0.nanoseconds) }
        fields["arrival_ns"] = arrival.map { .integer($0.nanoseconds) }
        fields["lost"] = lost.map { .string($0.rawValue) }
        if count > 1 { fields["count"] = .integer(Int64(count)) }
        fields["uvc"] = headerClock.map { .object(Self.fields(of: $0)) }
        return JSONText.line(JSONValue.object(fields))
    }

    private struct AnalysisLine: Encodable {
        let captured_ns: Int64
        let sequence: Int64?
        let faces: [DetectedFace]
        let codes: [DetectedCode]
    }

    private static func fields(of clock: UVCHeaderClock) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "host_ns": .integer(clock.hostTime.nanoseconds), "host_sof": .integer(Int64(clock.hostFrame)),
        ]
        fields["pts"] = clock.presentationTime.map { .integer(Int64($0)) }
        fields["stc"] = clock.sourceClock.map { .integer(Int64($0)) }
        fields["sof"] = clock.busFrame.map { .integer(Int64($0)) }
        return fields
    }
}

/// Writes one `cameras/ROLE.ndjson` file on a separate thread. Callers never wait for the thread: if the
/// queue is full, lines are dropped. A disk failure ends only this file.
package final class MetadataFile: Sendable {
    private let queue = BoundedQueue<CameraMetadata>(capacity: 4096)
    private let failure = ConditionLock<FileError?>(nil)
    private let waitsForRoom: Bool
    private let thread: MediaThread

    /// Starts the thread with a file that is already open.
    ///
    /// - Parameters:
    ///   - file: The file, to which no other code may write.
    ///   - role: The camera's role.
    ///   - waitsForRoom: Whether `append` blocks if the queue is full. The value is `true` in simulated time,
    ///     which would otherwise run faster than the disk. If the value is `false`, lines that don't fit in
    ///     the queue are dropped.
    package convenience init(_ file: LineFile, role: String, waitsForRoom: Bool) {
        self.init(role: role, waitsForRoom: waitsForRoom) { () throws(FileError) in file }
    }

    /// Starts the thread, which creates the file asynchronously. If `waitsForRoom` is `true`, `append` blocks
    /// while the queue is full.
    package init(
        role: String, waitsForRoom: Bool, making make: @escaping @Sendable () throws(FileError) -> LineFile
    ) {
        self.waitsForRoom = waitsForRoom
        let (queue, failure) = (queue, failure)
        thread = MediaThread.startWhenPossible(name: "write:\(role).ndjson") {
            var file: LineFile?
            do throws(FileError) { file = try make() } catch { failure.withLock { $0 = error } }
            while let metadata = queue.dequeue() {
                do throws(FileError) {
                    // Keep draining the queue after a failure, because a caller may be waiting for space.
                    if failure.withLock({ $0 == nil }) { try file?.append(metadata.line) }
                } catch {
                    failure.withLock { $0 = error }
                }
            }
        }
    }

    /// Enqueues a line of metadata.
    ///
    /// - Returns: Whether the queue had space for the line.
    package func append(_ metadata: CameraMetadata) -> Bool {
        guard waitsForRoom else { return queue.tryEnqueue(metadata) }
        queue.enqueue(metadata)
        return true
    }

    /// The error that ended the file early; `nil` if no error has occurred.
    package var failureSoFar: FileError? { failure.withLock { $0 } }

    /// Closes the file when all queued lines have been written. No further lines are accepted.
    package func finish() { queue.finish() }

    /// Waits until the thread has ended.
    package func join() { thread.join() }
}
