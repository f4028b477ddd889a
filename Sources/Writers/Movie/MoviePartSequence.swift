internal import Containers
internal import Foundation
internal import Glibc
internal import Media
internal import SessionFolder

/// Leads the packets of several streams from one file into the next without losing or doubling any.
///
/// At a split, each stream changes to the new file by itself: frames with the first key frame at or after the split,
/// audio with the packets around it (a coder's packet needs its predecessor, which the new file's edit list hides). A
/// stream that has nothing to send there passes, and one that is finished is not waited for. When all have changed, the
/// old file is left to a thread that finishes it, while the new one goes on.
final class MoviePartSequence {
    let streamCount: Int
    private var streams: [MovieTrack]
    /// Of the file that begins.
    private var nextStreams: [MovieTrack]
    private var startedAt: Date
    private let folder: SessionFolder
    private let disk: DiskConduct
    /// From when on nothing is written any more; `nil` for the recording's end.
    private var conclusion: MediaTime?
    private var current: MoviePart?
    private var next: MoviePart?
    private let finishing: PartFinishing
    private let gate: FinalizeBarrier
    /// What became of the parts, once all are closed.
    private(set) var outcomes: [PartFinishing.Outcome] = []
    /// Samples of each stream in parts that were given up.
    private var abandonedCounts: [Int]
    private var hasChanged: [Bool]
    private var isFinished: [Bool]
    private var lastAudio: [EncodedPacket?]

    /// - Parameters:
    ///   - first: The first file; `nil` where it could not be made, and nothing is written.
    ///   - streams: What packets come for.
    ///   - startedAt: The date of T0.
    ///   - folder: Where further files are made.
    ///   - disk: What its disk does besides.
    ///   - finishing: Finishes what is left for the next.
    ///   - gate: Which the sequence has entered.
    init(
        first: MoviePart?, streams: [MovieTrack], startedAt: Date, folder: SessionFolder, disk: DiskConduct,
        finishing: PartFinishing, gate: FinalizeBarrier
    ) {
        current = first
        self.gate = gate
        self.finishing = finishing
        self.folder = folder
        self.disk = disk
        self.streams = streams
        nextStreams = streams
        self.startedAt = startedAt
        streamCount = streams.count
        abandonedCounts = Array(repeating: 0, count: streams.count)
        hasChanged = Array(repeating: false, count: streams.count)
        isFinished = hasChanged
        lastAudio = Array(repeating: nil, count: streams.count)
    }

    /// Takes the date of T0, and when the first file begins, before the first packet.
    func begin(startedAt: Date, from start: MediaTime) {
        self.startedAt = startedAt
        current?.begin(at: start, timecode: streams.timecode(at: startedAt), createdAt: startedAt)
    }

    func append(_ packet: EncodedPacket, stream: Int) throws(FileError) {
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

    /// Nothing that is shown from a time on is written any more.
    func conclude(at time: MediaTime) { conclusion = time }

    /// A stream has nothing to send at the split: what it sends next belongs to the new file.
    func pass(stream: Int) {
        guard next != nil else { return }
        hasChanged[stream] = true
        changeWhenAllHave()
    }

    /// No packet of a stream follows: no split waits for it.
    func finish(stream: Int) {
        isFinished[stream] = true
        changeWhenAllHave()
    }

    /// Whether some streams have not come to the new file yet.
    var isSplitting: Bool { next != nil }

    /// Begins a new file. A split that is not complete is, from here on.
    ///
    /// - Returns: `false` when there is nothing to be continued: the file before it has failed.
    func split(_ part: MovieWriter.Part) throws(FileError) -> Bool {
        // What would have brought some stream to the last part found no room: there is nothing to wait for any more.
        if next != nil {
            hasChanged = hasChanged.map { _ in true }
            changeWhenAllHave()
        }
        guard current != nil, next == nil else { return false }
        let continued = streams.indices.map { index in
            streams[index].continued(
                priming: priming(ofStream: index, at: part.start), as: part.changes[index])
        }
        nextStreams = continued
        next = try MoviePart(
            in: folder, relativePath: part.relativePath, streams: continued,
            timecode: streams.timecode(at: startedAt),
            createdAt: startedAt.addingTimeInterval(Nanoseconds(part.start.nanoseconds).inSeconds),
            start: part.start, disk: disk)
        return true
    }

    /// Finishes the files.
    ///
    /// - Returns: `false` when the recording, or every stream, ended before a part that had been begun: it is removed.
    func finish(at end: MediaTime?) throws(FileError) -> Bool {
        let end = conclusion.map { conclusion in end.map { min($0, conclusion) } ?? conclusion } ?? end
        var hasAllParts = true
        if let next, !hasChanged.contains(true) || end.map({ $0 <= next.start }) ?? false {
            next.file.abandon()
            unlink(next.file.path)
            self.next = nil
            hasAllParts = false
        }
        if let current, let next { leave(current, at: next.start) }
        (next ?? current)?.writeRest(until: end)
        gate.pass()
        let last = (next ?? current)?.close(at: end, isContinued: false)
        outcomes = finishing.join() + [last].compactMap(\.self)
        current = nil
        next = nil
        if let failure = last?.failure { throw failure }
        return hasAllParts
    }

    /// How many packets of each stream are in the files, once these are finished. Exact for frames; audio's packets around a
    /// split are in both.
    var writtenCounts: [Int] {
        outcomes.map(\.sampleCounts).reduce(abandonedCounts) { sum, counts in zip(sum, counts).map(+) }
    }

    /// Of the files that were left for the next, the first that could not be finished.
    var leftFailure: FileError? { finishing.failure }

    /// What finishing them now would write, in bytes.
    var finishingByteCount: Int64 {
        [current, next].compactMap { $0?.file.finishingByteCount }.reduce(0, +)
    }

    /// Gives the files up as they are: playable up to the last fragment.
    func fail() {
        for part in [current, next].compactMap(\.self) {
            abandonedCounts = zip(abandonedCounts, part.sampleCounts).map(+)
            part.file.abandon()
        }
        current = nil
        next = nil
    }

    private func appendAudio(
        _ packet: EncodedPacket, stream: Int, from old: MoviePart, to new: MoviePart, origin: Int64
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
        if let current { leave(current, at: next.start) }
        current = next
        streams = nextStreams
        self.next = nil
        hasChanged = Array(repeating: false, count: streamCount)
    }

    /// Nothing more comes for a part.
    private func leave(_ part: MoviePart, at end: MediaTime) {
        // From here on it is the other thread's alone.
        nonisolated(unsafe) let left = part
        finishing.add(byteCount: part.file.finishingByteCount) { left.close(at: end, isContinued: true) }
    }
}
