internal import Containers
package import Foundation
internal import Glibc
package import Media
internal import SessionFolder

/// One movie's file in one folder, and those that continue it. It leads the packets of several streams from one file into the
/// next without losing or doubling any. The file's thread only.
///
/// At a split, each stream changes to the new file by itself: frames with the first key frame at or after the split,
/// audio with the packets around it (a coder's packet needs its predecessor, which the new file's edit list hides). A
/// stream that has nothing to send there passes, and one that is finished is not waited for. When all have changed, the
/// old file is left to a thread that finishes it, while the new one goes on.
package final class SegmentedMovie: SegmentedContent {
    /// What comes for it. Times count from T0.
    package enum Item: Sendable {
        case begin(Date, from: MediaTime)
        case packet(EncodedPacket, stream: Int)
        case split(Part)
        /// A stream has nothing to send at the split.
        case pass(Int)
        /// Nothing that is shown from a time on is written any more.
        case conclude(MediaTime)
        case finishStream(Int)
    }

    /// A file that continues the one before it from `start` on.
    package struct Part: Sendable {
        package let relativePath: String
        package let start: MediaTime
        /// Of streams that go on as something else, by their place: frames of another size.
        package var changes: [Int: StreamParameters] = [:]

        package init(relativePath: String, start: MediaTime, changes: [Int: StreamParameters] = [:]) {
            self.relativePath = relativePath
            self.start = start
            self.changes = changes
        }
    }

    /// A stretch of a stream that is not in the file.
    package struct Shed: Sendable, Equatable {
        package let from: MediaTime
        package let to: MediaTime
        /// Packets.
        package let count: Int
    }

    /// Of each stream, what is left out before the queue.
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
    /// Of the file that begins.
    private var nextStreams: [MovieTrack]
    private var startedAt: Date
    private let folder: SessionFolder
    private let disk: DiskConduct
    private let finishing: PartFinishing
    /// From when on nothing is written any more; `nil` for the recording's end.
    private var conclusion: MediaTime?
    /// Where every stream ends, once that is known; `nil` for the end of each one's last packet.
    private var end: MediaTime?
    /// `nil` where it could not be made or was given up, and nothing is written.
    private var current: MovieSegment?
    private var next: MovieSegment?
    package private(set) var parts: [Part] = []
    package private(set) var splitFailure: FileError?
    package private(set) var abandonedCounts: [Int]
    private var hasChanged: [Bool]
    /// Streams that are not finished.
    private var openCount: Int
    private var isFinished: [Bool]
    private var lastAudio: [EncodedPacket?]

    /// - Parameters:
    ///   - disk: Whose folder the files are made in.
    ///   - relativePath: The first's, from there.
    ///   - streams: What packets come for.
    ///   - startedAt: The date of T0, or about that.
    ///   - finishing: Finishes what is left for the next.
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

    package func makeFirst() throws(FileError) {
        current = try segment(relativePath, streams, from: .zero)
    }

    package func carryOut(_ item: Item) throws(FileError) -> Bool {
        var isSplit = next != nil
        switch item {
        case .begin(let date, let start): begin(startedAt: date, from: start)
        case .packet(let packet, let stream): try append(packet, stream: stream)
        case .split(let part):
            try split(part)
            isSplit = true
        case .pass(let stream): pass(stream: stream)
        case .conclude(let time): conclusion = time
        case .finishStream(let stream):
            openCount -= 1
            // No split waits for it.
            isFinished[stream] = true
            changeWhenAllHave()
        }
        return isSplit && next == nil
    }

    package var isComplete: Bool { openCount <= 0 }

    private func segment(
        _ relativePath: String, _ tracks: [MovieTrack], from start: MediaTime
    ) throws(FileError) -> MovieSegment {
        try MovieSegment(
            in: folder, relativePath: relativePath, streams: tracks,
            timecode: streams.timecode(at: startedAt),
            createdAt: startedAt.addingTimeInterval(Nanoseconds(start.nanoseconds).inSeconds), start: start,
            disk: disk)
    }

    /// Takes the date of T0, and when the first file begins, before the first packet.
    private func begin(startedAt: Date, from start: MediaTime) {
        self.startedAt = startedAt
        current?.begin(at: start, timecode: streams.timecode(at: startedAt), createdAt: startedAt)
    }

    private func append(_ packet: EncodedPacket, stream: Int) throws(FileError) {
        guard let current else { return }
        if let conclusion, packet.presentation >= streams[stream].ticks(at: conclusion) { return }
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
        changeWhenAllHave()
    }

    /// A stream has nothing to send at the split: what it sends next belongs to the new file.
    private func pass(stream: Int) {
        guard next != nil else { return }
        hasChanged[stream] = true
        changeWhenAllHave()
    }

    /// Begins a new file. A split that is not complete is, from here on. Where the new file cannot be made the old one goes on,
    /// unless what follows would not fit into it.
    private func split(_ part: Part) throws(FileError) {
        // What would have brought some stream to the last part found no room: there is nothing to wait for any more.
        if next != nil {
            hasChanged = hasChanged.map { _ in true }
            changeWhenAllHave()
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

    /// A part that had been begun is removed where the recording, or every stream, ended before it.
    package func writeRest(until end: MediaTime?) throws(FileError) {
        self.end = conclusion.map { conclusion in end.map { min($0, conclusion) } ?? conclusion } ?? end
        if let next, !hasChanged.contains(true) || self.end.map({ $0 <= next.start }) ?? false {
            next.file.abandon()
            unlink(next.file.path)
            self.next = nil
            parts.removeLast()
        }
        if let next { leaveCurrent(for: next) }
        try current?.writeRest(until: self.end)
    }

    package func close() -> PartFinishing.Outcome? { current?.close(at: end, isContinued: false) }

    package var finishingByteCount: Int64 {
        [current, next].compactMap { $0?.file.finishingByteCount }.reduce(0, +)
    }

    /// Gives the files up as they are: playable up to the last fragment.
    package func fail() {
        for segment in [current, next].compactMap(\.self) {
            abandonedCounts = zip(abandonedCounts, segment.sampleCounts).map(+)
            segment.file.abandon()
        }
        current = nil
        next = nil
    }

    package static func shed(_ intake: Intake) -> [[Shed]] {
        zip(intake.streams, intake.shedding).map { track, shedding in
            shedding.stretches.map {
                Shed(
                    from: max(track.time(ofTicks: $0.from), .zero), to: track.time(ofTicks: $0.to),
                    count: $0.count)
            }
        }
    }

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

    /// How many ticks of a stream lie before the split in the packets that the new file begins with.
    private func priming(ofStream index: Int, at start: MediaTime) -> Int64 {
        let parameters = streams[index].parameters
        guard streams[index].isAudio, let last = lastAudio[index] else { return 0 }
        let origin = start.ticks(perSecond: parameters.timeScale)
        // Packets follow each other without gaps, so the phase of one is that of all.
        let phase = (origin - last.presentation) % last.duration
        return (phase < 0 ? phase + last.duration : phase) + last.duration
    }

    private func changeWhenAllHave() {
        // Where every stream is finished and none came to the new file, there is nothing for it to hold.
        guard let next, hasChanged.contains(true),
            streams.indices.allSatisfy({ hasChanged[$0] || isFinished[$0] })
        else { return }
        leaveCurrent(for: next)
        hasChanged = hasChanged.map { _ in false }
    }

    /// Nothing more comes for the file that was written so far.
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
