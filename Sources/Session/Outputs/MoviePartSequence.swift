internal import Containers
internal import Foundation
internal import Glibc
internal import Media

/// Leads the packets of several streams from one file into the next without losing or doubling any.
///
/// At a split, each stream changes to the new file by itself: pictures with the first key picture at or after the split,
/// sound with the packets around it (a coder's packet needs its predecessor, which the new file's edit list hides). A
/// stream that has nothing to send there passes, and one that is finished is not waited for. When all have changed, the
/// old file is finished.
final class MoviePartSequence {
    let streamCount: Int
    private var streams: [MovieTrack]
    /// Of the file that begins.
    private var nextStreams: [MovieTrack]
    private let startedAt: Date
    private let folder: SessionFolder
    private let disk: DiskConduct
    /// From when on nothing is written any more; `nil` for the recording's end.
    private var conclusion: MediaTime?
    private var current: MoviePart?
    private var next: MoviePart?
    /// The parts that were finished.
    private(set) var closed: [ClosedFile] = []
    /// Samples of each stream in the parts that are closed.
    private var closedCounts: [Int]
    private var hasChanged: [Bool]
    private var isFinished: [Bool]
    private var lastSound: [EncodedPacket?]

    /// - Parameters:
    ///   - first: The first file.
    ///   - streams: What packets come for.
    ///   - startedAt: The date of T0.
    ///   - folder: Where further files are made.
    ///   - disk: What its disk does besides.
    init(
        first: MoviePart, streams: [MovieTrack], startedAt: Date, folder: SessionFolder, disk: DiskConduct
    ) {
        current = first
        self.folder = folder
        self.disk = disk
        self.streams = streams
        nextStreams = streams
        self.startedAt = startedAt
        streamCount = streams.count
        closedCounts = Array(repeating: 0, count: streams.count)
        hasChanged = Array(repeating: false, count: streams.count)
        isFinished = hasChanged
        lastSound = Array(repeating: nil, count: streams.count)
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
        if streams[stream].isSound {
            try appendSound(packet, stream: stream, from: current, to: next, origin: origin)
        } else if hasChanged[stream] || (packet.isKey && packet.presentation >= origin) {
            hasChanged[stream] = true
            try next.append(packet, stream: stream)
        } else {
            try current.append(packet, stream: stream)
        }
        remember(packet, stream: stream)
        try changeWhenAllHave()
    }

    /// Nothing that is shown from a time on is written any more.
    func conclude(at time: MediaTime) { conclusion = time }

    /// A stream has nothing to send at the split: what it sends next belongs to the new file.
    func pass(stream: Int) throws(FileError) {
        guard next != nil else { return }
        hasChanged[stream] = true
        try changeWhenAllHave()
    }

    /// No packet of a stream follows: no split waits for it.
    func finish(stream: Int) throws(FileError) {
        isFinished[stream] = true
        try changeWhenAllHave()
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
            try changeWhenAllHave()
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
        if let current { closed.append(try current.finish(at: next?.start ?? end)) }
        if let next { closed.append(try next.finish(at: end)) }
        closedCounts = writtenCounts
        current = nil
        next = nil
        return hasAllParts
    }

    /// How many packets of each stream are in the files. Exact for pictures; sound's packets around a split are in both.
    var writtenCounts: [Int] {
        closedCounts.indices.map { index in
            [current, next].compactMap { $0?.file.writtenSampleCount(ofTrack: index) }
                .reduce(closedCounts[index], +)
        }
    }

    /// What finishing them now would write, in bytes.
    var finishingByteCount: Int64 {
        [current, next].compactMap { $0?.file.finishingByteCount }.reduce(0, +)
    }

    /// Gives the files up as they are: playable up to the last fragment.
    func fail() {
        closedCounts = writtenCounts
        current?.file.abandon()
        next?.file.abandon()
        current = nil
        next = nil
    }

    private func appendSound(
        _ packet: EncodedPacket, stream: Int, from old: MoviePart, to new: MoviePart, origin: Int64
    ) throws(FileError) {
        if packet.presentation < origin { try old.append(packet, stream: stream) }
        guard packet.presentation + packet.duration > origin else { return }
        if !hasChanged[stream], let before = lastSound[stream] { try new.append(before, stream: stream) }
        hasChanged[stream] = true
        try new.append(packet, stream: stream)
    }

    private func remember(_ packet: EncodedPacket, stream: Int) {
        if streams[stream].isSound { lastSound[stream] = packet }
    }

    /// How many ticks of a stream lie before the split in the packets that the new file begins with.
    private func priming(ofStream index: Int, at start: MediaTime) -> Int64 {
        let parameters = streams[index].parameters
        guard streams[index].isSound, let last = lastSound[index] else { return 0 }
        let origin = start.ticks(perSecond: parameters.timeScale)
        // Packets follow each other without gaps, so the phase of one is that of all.
        let phase = (origin - last.presentation) % last.duration
        return (phase < 0 ? phase + last.duration : phase) + last.duration
    }

    private func changeWhenAllHave() throws(FileError) {
        // Where every stream is finished and none came to the new file, there is nothing for it to hold.
        guard let next, hasChanged.contains(true),
            streams.indices.allSatisfy({ hasChanged[$0] || isFinished[$0] })
        else { return }
        if let current { closed.append(try current.finish(at: next.start)) }
        closedCounts = closedCounts.indices.map { index in
            closedCounts[index] + (current?.file.writtenSampleCount(ofTrack: index) ?? 0)
        }
        current = next
        streams = nextStreams
        self.next = nil
        hasChanged = Array(repeating: false, count: streamCount)
    }
}
