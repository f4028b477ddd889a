package import Containers
package import FoundationEssentials
internal import Glibc
package import Media
internal import SessionFolder

/// Writes one movie's file in one folder, and the parts that continue it after splits. The file's thread only.
///
/// At a split, each stream changes to the new file by itself: frames with the first key frame at or after the split, audio with
/// the packets around it. (An audio packet needs its predecessor for decoding, which the new file's edit list hides.) A stream
/// without packets at the split passes, and a finished stream is not waited for. When all streams have changed, another thread
/// finishes the old file while the new one goes on. No packet is lost, and no frame or sample is shown twice.
package final class SegmentedMovie: SegmentedContent {
    /// An item of the movie's queue. All times count from T0.
    package enum Item: Sendable {
        /// Sets the exact date of T0 and the start of the first file.
        case begin(Date, from: MediaTime)
        /// Writes a packet of the stream with this index.
        case packet(EncodedPacket, stream: Int)
        /// Begins a new file.
        case split(Part)
        /// The stream with this index has no packet at the split, so that the split does not wait for it.
        case pass(Int)
        /// Packets whose presentation time is at or after this time are discarded.
        case conclude(MediaTime)
        /// What the movie says of itself; the last notes hold, in all files that are not finished.
        case notes(MovieNotes)
        /// A JPEG that stands for the movie, in all files that are not finished.
        case cover(SharedBytes)
        /// The stream with this index has ended.
        case finishStream(Int)
    }

    /// A file that continues the one before it from `start` on.
    package struct Part: Sendable {
        /// Path of the file relative to the session folder.
        package let relativePath: String
        /// Start of the file, since T0.
        package let start: MediaTime
        /// New parameters of the streams that change at the split, such as frames of another size, by the stream's index.
        package var changes: [Int: StreamParameters] = [:]

        /// Describes a part; each parameter sets the property of its name.
        package init(relativePath: String, start: MediaTime, changes: [Int: StreamParameters] = [:]) {
            self.relativePath = relativePath
            self.start = start
            self.changes = changes
        }
    }

    /// A stretch of a stream that was dropped because the disk was too slow.
    package struct Shed: Sendable, Equatable {
        /// Presentation time of the first dropped packet, since T0, not before T0.
        package let from: MediaTime
        /// End of the last dropped packet, since T0.
        package let to: MediaTime
        /// Number of dropped packets.
        package let count: Int
    }

    /// The record, kept on the queueing side, of the packets of each stream that were dropped before the queue.
    package struct Intake: Sendable {
        let streams: [MovieTrack]
        var shedding: [PacketShedding]

        init(_ streams: [MovieTrack]) {
            self.streams = streams
            shedding = streams.map { PacketShedding(needsKeys: $0.needsKeys) }
        }
    }

    private let relativePath: String
    private var streams: [MovieTrack]
    /// Description of each stream in the file that begins at the present split.
    private var nextStreams: [MovieTrack]
    private var startedAt: Date
    private let folder: SessionFolder
    private let disk: DiskConduct
    private let finishing: PartFinishing
    /// The time since T0 from which packets are discarded; `nil` to write up to the recording's end.
    private var conclusion: MediaTime?
    /// End of every stream since T0, once it is known; `nil` for the end of each stream's last packet.
    private var end: MediaTime?
    /// The file that is written; `nil` when it could not be created or was given up, so that all packets are discarded.
    private var current: MovieSegment?
    /// The file that begins at the present split, which not all streams have reached; `nil` outside of splits.
    private var next: MovieSegment?
    /// The part that a stream with other parameters begins, which came while an earlier split waited for that stream.
    private var waiting: Part?
    /// The files that continue the first one, in order.
    package private(set) var parts: [Part] = []
    /// The first error in creating a part, after which the file before it goes on; `nil` when there was none.
    package private(set) var splitFailure: FileError?
    /// Number of packets of each stream that are in files given up by `fail`.
    package private(set) var abandonedCounts: [Int]
    /// Whether each stream has reached the next file.
    private var hasChanged: [Bool]
    /// Number of streams that have not ended.
    private var openCount: Int
    private var isFinished: [Bool]
    /// The last packet of each audio stream; `nil` for frames.
    private var lastAudio: [EncodedPacket?]
    /// What the movie says of itself, with times since T0; `nil` for nothing.
    private var notes: MovieNotes?
    private var cover: SharedBytes?

    /// Creates a movie without creating its first file: `makeFirst` does that.
    ///
    /// - Parameters:
    ///   - disk: The disk whose session folder gets the files.
    ///   - relativePath: Path of the first file relative to the session folder.
    ///   - streams: Description of each stream of packets.
    ///   - startedAt: The approximate date of T0.
    ///   - finishing: Finishes each file that a split leaves.
    init(
        _ disk: RecordingDisk, relativePath: String, streams: [MovieTrack], startedAt: Date,
        finishing: PartFinishing
    ) {
        self.relativePath = relativePath
        self.finishing = finishing
        self.disk = disk.conduct
        folder = disk.folder
        self.streams = streams
        nextStreams = streams
        self.startedAt = startedAt
        openCount = streams.count
        abandonedCounts = Array(repeating: 0, count: streams.count)
        hasChanged = Array(repeating: false, count: streams.count)
        isFinished = hasChanged
        lastAudio = Array(repeating: nil, count: streams.count)
    }

    /// Creates the first file, with its start at T0.
    ///
    /// - Throws: `FileError` when the file cannot be created.
    package func makeFirst() throws(FileError) {
        current = try segment(relativePath, streams, from: .zero)
    }

    /// Carries out an item of the queue; packets are discarded when no file is open.
    ///
    /// - Returns: Whether the item ends a split: all streams have reached the next file, or it could not be created.
    /// - Throws: `FileError` when nothing more can be written.
    package func carryOut(_ item: Item) throws(FileError) -> Bool {
        var isSplit = next != nil
        switch item {
        case .begin(let date, let start): begin(startedAt: date, from: start)
        case .packet(let packet, let stream): try append(packet, stream: stream)
        case .split(let part):
            try split(part)
            isSplit = true
        case .pass(let stream): try pass(stream: stream)
        case .conclude(let time): conclusion = time
        case .notes(let notes):
            self.notes = notes
            tellNotes()
        case .cover(let cover):
            self.cover = cover
            tellNotes()
        case .finishStream(let stream):
            openCount -= 1
            // No split waits for it.
            isFinished[stream] = true
            try changeWhenAllHave()
        }
        return isSplit && next == nil
    }

    /// Whether every stream has ended.
    package var isComplete: Bool { openCount <= 0 }

    private func segment(
        _ relativePath: String, _ tracks: [MovieTrack], from start: MediaTime
    ) throws(FileError) -> MovieSegment {
        let segment = try MovieSegment(
            in: folder, relativePath: relativePath, streams: tracks,
            timecode: streams.timecode(at: startedAt),
            createdAt: startedAt.addingTimeInterval(Nanoseconds(start.nanoseconds).inSeconds), start: start,
            disk: disk)
        if let wholeNotes { segment.note(wholeNotes) }
        return segment
    }

    /// The last notes with the cover.
    private var wholeNotes: MovieNotes? {
        guard let cover else { return notes }
        var whole = notes ?? MovieNotes()
        whole.cover = cover
        return whole
    }

    private func tellNotes() {
        guard let wholeNotes else { return }
        for segment in [current, next] { segment?.note(wholeNotes) }
    }

    /// Sets the date of T0 and the start of the first file, before the first packet.
    private func begin(startedAt: Date, from start: MediaTime) {
        self.startedAt = startedAt
        current?.begin(at: start, timecode: streams.timecode(at: startedAt), createdAt: startedAt)
    }

    private func append(_ packet: EncodedPacket, stream: Int) throws(FileError) {
        guard current != nil else { return }
        if let conclusion, packet.presentation >= streams[stream].ticks(at: conclusion) { return }
        try beginWaiting(with: packet, stream: stream)
        guard let current = self.current else { return }
        guard let next else {
            try current.append(packet, stream: stream)
            remember(packet, stream: stream)
            return
        }
        let origin = next.origin(ofStream: stream)
        if streams[stream].isAudio {
            try appendAudio(packet, stream: stream, from: current, to: next, origin: origin)
        } else if hasChanged[stream] || (packet.isKey && packet.presentation >= origin) {
            hasChanged[stream] = true
            try next.append(packet, stream: stream)
        } else {
            try current.append(packet, stream: stream)
        }
        remember(packet, stream: stream)
        try changeWhenAllHave()
    }

    /// Begins the part that waits when the first packet of a changed stream comes, for which the split before waits in vain.
    private func beginWaiting(with packet: EncodedPacket, stream: Int) throws(FileError) {
        guard let part = waiting, part.changes[stream] != nil, packet.isKey,
            packet.presentation >= streams[stream].ticks(at: part.start)
        else { return }
        waiting = nil
        try changeAll()
        try split(part)
    }

    /// Notes that a stream has no packet at the split: its next packet belongs to the new file.
    private func pass(stream: Int) throws(FileError) {
        guard next != nil else { return }
        hasChanged[stream] = true
        try changeWhenAllHave()
    }

    /// Begins a new file, and completes an earlier split that still waits for a stream. A file that begins since a stream changes
    /// its parameters begins with that stream's first packet of the new kind.
    ///
    /// When the new file cannot be created, the old one goes on and the error becomes `splitFailure`.
    ///
    /// - Throws: `FileError` when the new file cannot be created and a stream changes its parameters, so that the old file cannot
    ///   go on.
    private func split(_ part: Part) throws(FileError) {
        if let next {
            if part.start <= next.start, !hasChanged.contains(true) {
                // This one begins in its place.
                abandonNext()
            } else if waiting == nil, part.changes.keys.contains(where: { !hasChanged[$0] }) {
                // The split before may still get what the stream has left of its present kind.
                waiting = part
                return
            } else {
                // The packets that would have brought some stream to the last part were dropped: there is nothing to wait for.
                try changeAll()
            }
        }
        guard current != nil, next == nil else { return }
        nextStreams = streams.indices.map { index in
            streams[index].continued(
                priming: priming(ofStream: index, at: part.start), as: part.changes[index])
        }
        do throws(FileError) {
            next = try segment(part.relativePath, nextStreams, from: part.start)
            parts.append(part)
        } catch {
            guard part.changes.isEmpty else { throw error }
            splitFailure = splitFailure ?? error
        }
    }

    /// Writes all pending packets to the disk, and removes a new part that no stream has reached or that begins at or after the
    /// end.
    ///
    /// - Parameter end: End of every stream since T0; `nil` for the end of each stream's last packet.
    /// - Throws: `FileError` when the file cannot be written.
    package func writeRest(until end: MediaTime?) throws(FileError) {
        self.end = conclusion.map { conclusion in end.map { min($0, conclusion) } ?? conclusion } ?? end
        if let next, !hasChanged.contains(true) || self.end.map({ $0 <= next.start }) ?? false {
            abandonNext()
        }
        if let next { leaveCurrent(for: next) }
        try current?.writeRest(until: self.end)
    }

    /// Finishes the last file and verifies it.
    ///
    /// - Returns: The outcome for that file, or `nil` when no file is open.
    package func close() -> PartFinishing.Outcome? { current?.close(at: end, isContinued: false) }

    /// When the open file writes next; `nil` where that is not known, and during a split, whose files share what comes, unless each packet
    /// is waited for.
    package var rhythm: WriteRhythm? {
        let rhythm = current?.file.rhythm
        return next == nil || rhythm?.packets == 1 ? rhythm : nil
    }

    /// Number of bytes that finishing the open files would write now.
    package var finishingByteCount: Int64 {
        [current, next].compactMap { $0?.file.finishingByteCount }.reduce(0, +)
    }

    /// Gives the open files up after an error: they stay fragmented, and play up to their last fragment.
    package func fail() {
        for segment in [current, next].compactMap(\.self) {
            abandonedCounts = zip(abandonedCounts, segment.sampleCounts).map(+)
            segment.file.abandon()
        }
        current = nil
        next = nil
        waiting = nil
    }

    /// Returns the stretches of each stream that were dropped because the disk was too slow, in order.
    package static func shed(_ intake: Intake) -> [[Shed]] {
        zip(intake.streams, intake.shedding).map { track, shedding in
            shedding.stretches.map {
                Shed(
                    from: max(track.time(ofTicks: $0.from), .zero), to: track.time(ofTicks: $0.to),
                    count: $0.count)
            }
        }
    }

    /// Ends all streams of a movie's file, so that its thread closes it.
    package static func end(_ file: FileWriter<SegmentedMovie>) {
        for stream in 0..<file.streamCount { file.order(.finishStream(stream)) }
    }

    private func appendAudio(
        _ packet: EncodedPacket, stream: Int, from old: MovieSegment, to new: MovieSegment, origin: Int64
    ) throws(FileError) {
        if packet.presentation < origin { try old.append(packet, stream: stream) }
        guard packet.presentation + packet.duration > origin else { return }
        if !hasChanged[stream], let before = lastAudio[stream] { try new.append(before, stream: stream) }
        hasChanged[stream] = true
        try new.append(packet, stream: stream)
    }

    private func remember(_ packet: EncodedPacket, stream: Int) {
        if streams[stream].isAudio { lastAudio[stream] = packet }
    }

    /// Computes how much of the audio packets with which the new file begins lies before the split.
    ///
    /// - Parameters:
    ///   - index: Index of the stream in the file, from 0.
    ///   - start: Time of the split, since T0.
    /// - Returns: Ticks of the stream's time scale; 0 for frames, and for audio without a packet so far.
    private func priming(ofStream index: Int, at start: MediaTime) -> Int64 {
        let parameters = streams[index].parameters
        guard streams[index].isAudio, let last = lastAudio[index] else { return 0 }
        let origin = start.ticks(perSecond: parameters.timeScale)
        // Packets follow each other without gaps, so the phase of one is that of all.
        let phase = (origin - last.presentation) % last.duration
        return (phase < 0 ? phase + last.duration : phase) + last.duration
    }

    /// Removes the file of a split that nothing has come to.
    private func abandonNext() {
        guard let next else { return }
        next.file.abandon()
        unlink(next.file.path)
        self.next = nil
        parts.removeLast()
    }

    /// Completes the present split, whatever it still waits for.
    private func changeAll() throws(FileError) {
        hasChanged = hasChanged.map { _ in true }
        try changeWhenAllHave()
    }

    private func changeWhenAllHave() throws(FileError) {
        // Where every stream is finished and none came to the new file, there is nothing for it to hold.
        guard let next, hasChanged.contains(true),
            streams.indices.allSatisfy({ hasChanged[$0] || isFinished[$0] })
        else { return }
        leaveCurrent(for: next)
        hasChanged = hasChanged.map { _ in false }
        guard let part = waiting else { return }
        waiting = nil
        try split(part)
    }

    /// Hands the present file over to be finished, and goes on with `next`.
    private func leaveCurrent(for next: MovieSegment) {
        if let current {
            // From here on it is the other thread's alone.
            nonisolated(unsafe) let left = current
            let end = next.start
            finishing.add(byteCount: left.file.finishingByteCount) { left.close(at: end, isContinued: true) }
        }
        current = next
        streams = nextStreams
        self.next = nil
    }
}
